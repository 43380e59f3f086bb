"""The soles of a character at rest: heel, ball and toe, and how wide they are.

By the skin, where there is one: what is weighted mostly to a foot and its toes, at its lowest. Else by the bones: the
ball is below the joint of the toes, and the ground is where the body stands. Lengths are those of the armature.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...motion.feet.walk import BALL, HEEL, TOE, Sole
from ...properties import POSEWRIGHT_PG_sole
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import channels, places
from ..roles import stored as roles

GROWN_UP = 0.85  # metres of leg, from hip to ankle
SLAB = 0.02  # metres of a grown-up: what of the skin is so near to the lowest of it is the sole
HEEL_BACK = 0.5  # of the way from ankle to ball: how far the heel is behind the ankle, where only bones tell
STANDS = 0.12  # of the leg: the ground at rest is the origin, if the bones of the foot are not higher above it
WIDTHS = (0.27, 0.38, 0.3)  # of the length of a foot: how wide heel, ball and toe are, where only bones tell
_MOST = 0.5  # of its weight: a vertex of the foot has so much on the foot's bones
_FEW = 4  # vertices of a part, with fewer of which the skin tells nothing


class Leg(NamedTuple):
    """The bones of a leg."""

    role: str  # of the foot
    hip: str  # the bone that begins at the hip
    foot: str
    toe: str  # empty where there is none

    @property
    def name(self) -> str:
        """For people: "left foot"."""
        return roles.in_words(self.role)


class Shape(NamedTuple):
    """A sole, in the frames of the bones that carry its parts: the foot the heel, the toe the rest, if there is one."""

    heel: Floats  # [3]
    ball: Floats  # [3]
    toe: Floats  # [3]; the ball, where no tip is known
    widths: tuple[float, float, float]  # of heel, ball and toe
    by_skin: bool = False


def legs(armature_object: bpy.types.Object) -> list[Leg]:
    """The legs of a character, by its roles. Raises an error where none is known."""
    known = roles.known(armature_object)
    bones, found = channels.pose_bones(armature_object), list[Leg]()
    for role in sorted(one for one in known if one.partition(".")[0] == "foot"):
        foot, side = known[role], role.partition(".")[2]
        hip = known.get(f"thigh.{side}") or _top(bones[foot], known.get("pelvis", ""))
        if hip != foot:
            found.append(Leg(role, hip, foot, known.get(f"toe.{side}", "")))
    if not found:
        raise PosewrightError(
            f"No foot of {armature_object.name!r} is known: choose its bones among the roles in Set Up"
        )
    return found


def _top(foot: bpy.types.PoseBone, pelvis: str) -> str:
    """The first bone of a leg of which only the foot is known: below the pelvis, or below where the body branches."""
    top = foot
    while top.parent is not None and top.parent.name != pelvis and len(top.parent.children) == 1:
        top = top.parent
    return top.name


def measure(armature_object: bpy.types.Object, leg: Leg) -> Shape:
    """The sole of a leg's foot."""
    stand = _Stand(armature_object, leg)
    points = np.array(list(itertools.chain.from_iterable(_skin(armature_object, leg, stand))), float).reshape(-1, 3)
    return _by_skin(stand, points) or _by_bones(stand)


def by_bones(armature_object: bpy.types.Object, leg: Leg) -> Shape:
    """The sole of a leg's foot as its bones tell it, at once."""
    return _by_bones(_Stand(armature_object, leg))


def of_stored(row: POSEWRIGHT_PG_sole) -> Shape:
    """A sole as it is stored."""
    points = (np.array(point, float) for point in (row.heel, row.ball, row.toe))
    heel, ball, toe = points
    return Shape(heel, ball, toe, (row.width_heel, row.width_ball, row.width_toe))


def sole(armature_object: bpy.types.Object, leg: Leg, shape: Shape, unit: float) -> Sole:
    """The points of a sole: both edges of each part.

    Args:
        armature_object: whose.
        leg: which.
        shape: of the sole.
        unit: metres of the world for one of the armature.
    """
    stand = _Stand(armature_object, leg)
    points, part, on_toe = list[Floats](), list[int](), list[bool]()
    for number, place, width in zip((HEEL, BALL, TOE), shape[:3], shape.widths, strict=True):
        if number == TOE and np.array_equal(shape.toe, shape.ball):
            continue
        carried = bool(leg.toe) and number != HEEL
        across = (stand.toe if carried else stand.foot)[:3, :3].T @ stand.across
        for side in (-0.5, 0.5) if width > 0.0 else (0.0,):
            points.append(unit * (np.asarray(place) + side * width * across))
            part.append(number)
            on_toe.append(carried)
    return Sole(np.array(points), np.array(part, np.int64), np.array(on_toe, np.bool_))


class _Stand:
    """A foot at rest, in the space of the armature."""

    def __init__(self, armature_object: bpy.types.Object, leg: Leg) -> None:
        data: Any = armature_object.data
        foot, toe = data.bones[leg.foot], data.bones[leg.toe] if leg.toe else None
        self.foot = np.array(foot.matrix_local, float)
        self.toe = np.array(toe.matrix_local, float) if toe else self.foot
        self.ankle = self.foot[:3, 3]
        hip = np.array(data.bones[leg.hip].head_local, float)
        self.leg = float(np.linalg.norm(hip - self.ankle)) or 1.0
        self.up = _nearest_axis(hip - self.ankle)
        self.joint = self.toe[:3, 3] if toe else np.array(foot.tail_local, float)
        self.tip = np.array((toe or foot).tail_local, float)
        ahead = self.joint - self.ankle
        ahead = ahead - self.up * (ahead @ self.up)
        if np.linalg.norm(ahead) < 0.02 * self.leg:  # a foot whose bone goes straight down
            ahead = _nearest_axis(np.cross(self.up, (1.0, 0.0, 0.0)))
        self.ahead = ahead / np.linalg.norm(ahead)
        self.across = np.cross(self.ahead, self.up)
        self.slab = SLAB / GROWN_UP * self.leg

    def place(self, along: float, across: float, height: float) -> Floats:
        """A place from the ankle on, at a height above the origin."""
        level = self.ankle - self.up * (self.ankle @ self.up)
        found: Floats = level + along * self.ahead + across * self.across + height * self.up
        return found

    def shape(self, places: list[Floats], widths: tuple[float, float, float], by_skin: bool) -> Shape:
        """Heel, ball and toe of armature space, seen from the bones that carry them."""
        frames = (self.foot, self.toe, self.toe)
        own = [frame[:3, :3].T @ (place - frame[:3, 3]) for frame, place in zip(frames, places, strict=True)]
        return Shape(own[0], own[1], own[2], widths, by_skin)


def _nearest_axis(way: Floats) -> Floats:
    """The axis of space that is nearest to a direction: bodies rest upright along one, and seldom quite."""
    found, axis = np.zeros(3), int(np.abs(way).argmax())
    found[axis] = 1.0 if way[axis] >= 0.0 else -1.0
    return found


def _by_bones(stand: _Stand) -> Shape:
    reach = float((stand.joint - stand.ankle) @ stand.ahead)
    reach = reach if reach > 0.02 * stand.leg else 0.15 * stand.leg
    lowest = float(min(point @ stand.up for point in (stand.joint, stand.tip)))
    ground = 0.0 if 0.0 <= lowest < STANDS * stand.leg else lowest
    tip = max(float((stand.tip - stand.ankle) @ stand.ahead), reach)
    across = float((stand.joint - stand.ankle) @ stand.across)
    heel = -HEEL_BACK * reach
    places = [stand.place(along, side, ground) for along, side in ((heel, 0.0), (reach, across), (tip, across))]
    length = tip - heel
    return stand.shape(places, (WIDTHS[0] * length, WIDTHS[1] * length, WIDTHS[2] * length), by_skin=False)


def _by_skin(stand: _Stand, points: Floats) -> Shape | None:
    """The sole that vertices [n, 3] of the foot have, in armature space; None where they tell nothing."""
    if len(points) < 3 * _FEW:
        return None
    along, across, height = (
        (points - stand.ankle) @ stand.ahead,
        (points - stand.ankle) @ stand.across,
        points @ stand.up,
    )
    joint = float((stand.joint - stand.ankle) @ stand.ahead)
    tip = float(along.max())
    ball = joint if stand.toe is not stand.foot else min(joint, 0.7 * tip)
    near = 0.15 * float(np.ptp(along))
    regions = (along < 0.0, np.abs(along - ball) < near, along > 0.5 * (ball + tip))
    places, widths = list[Floats](), list[float]()
    for part, mine in enumerate(regions):
        if np.count_nonzero(mine) < _FEW:
            return None
        low = mine & (height < height[mine].min() + stand.slab)
        where = (along[low].min(), ball, along[low].max())[part]
        edge = low & (np.abs(along - where) < near)
        sides = across[edge].min(), across[edge].max()
        places.append(stand.place(where, 0.5 * (sides[0] + sides[1]), height[edge].min()))
        widths.append(float(sides[1] - sides[0]))
    return stand.shape(places, (widths[0], widths[1], widths[2]), by_skin=True)


def _skin(armature_object: bpy.types.Object, leg: Leg, stand: _Stand) -> Iterator[Iterator[list[float]]]:
    """The vertices that hang mostly on a foot, of all meshes that the armature deforms; at rest, in its space."""
    near = 3.0 * max(float(np.linalg.norm(stand.joint - stand.ankle)), 0.05 * stand.leg)
    bones: Any = channels.pose_bones(armature_object)
    names = {leg.foot, *(one.name for one in bones[leg.foot].children_recursive)}
    inverse = np.array(places.inverse(armature_object.matrix_world, repr(armature_object.name)), float)
    for thing in armature_object.users_scene[0].objects if armature_object.users_scene else ():
        mesh = thing.data
        if isinstance(mesh, bpy.types.Mesh) and deforms(armature_object, thing):
            own = {group.index for group in thing.vertex_groups if group.name in names}
            to_armature = inverse @ np.array(thing.matrix_world, float)
            points = channels.floats(mesh.vertices, "co", 3) @ to_armature[:3, :3].T + to_armature[:3, 3]
            rows = np.flatnonzero(np.linalg.norm(points - stand.ankle, axis=1) < near).tolist() if own else []
            yield (points[row].tolist() for row in rows if _share(mesh.vertices[row], own) > _MOST)


def deforms(armature_object: bpy.types.Object, thing: bpy.types.Object) -> bool:
    """Whether a thing hangs on an armature's bones."""
    modifiers: Any = thing.modifiers
    by_modifier = any(one.type == "ARMATURE" and one.object == armature_object for one in modifiers)
    return by_modifier or (thing.parent == armature_object and thing.parent_type == "ARMATURE")


def _share(vertex: bpy.types.MeshVertex, own: set[int]) -> float:
    """How much of a vertex's weight is on some groups."""
    weights = [(one.group, one.weight) for one in vertex.groups]
    total = sum(weight for _, weight in weights)
    return sum(weight for group, weight in weights if group in own) / total if total > 0.0 else 0.0
