"""Balance: the centre of mass stays over the feet that are pinned.

What it may not leave is the polygon around the soles, drawn in by a share; inside, nothing pulls. A pose that is out of
balance is not thrown into it. With o how far the reference is beyond a side, and d the way of the farthest goal from
where the reference has it, a side gives way by o exp(-(d / FAR)²), as in `bridge/habit.py`: pinning or releasing a foot
moves nothing, and a drag brings the body over its feet the farther it goes. `at_once` is the way to have it all.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ... import properties
from ...properties import POSEWRIGHT_PG_relation
from ...solvers import Balance, Goal
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import asked, list_curves, places
from ..asked import Setting
from ..feet import sole
from ..feet import stored as soles
from ..feet.sole import Leg
from ..habit import FAR
from . import editing, masses, points, support
from .relation import Relation, lengths, level_of, refuse_missing

Weights = dict[str, tuple[float, tuple[float, ...]]]  # by bone, its mass and where that is on it


class Foot(NamedTuple):
    """A foot that is stood on."""

    row: int  # the goal that pins it
    bone: str  # the foot, or its toe
    points: Floats  # [P, 3], of its sole in the bone's frame, in units of the armature, from back to front


class Seen(NamedTuple):
    """Balance as it is now, in the world."""

    centre: Vector  # of mass
    corners: list[Vector]  # of what is stood on; none where no foot is pinned
    within: list[Vector]  # the same, drawn in
    inside: float  # metres; less than zero, how far the centre is beyond


def read(armature_object: bpy.types.Object, rows: Mapping[int, POSEWRIGHT_PG_relation]) -> dict[int, Relation | str]:
    """Balances that can be had, by row; of the others, why not."""
    found = dict[int, Relation | str]()
    for row, one in rows.items():
        try:
            weights = _weights(armature_object, one)
            standing = feet(armature_object)
            if not standing:
                raise PosewrightError("no foot is pinned: there is nothing to stand on")
            make = _Maker(weights, standing, one)
            bones = frozenset(weights) | {foot.bone for foot in standing}
            found[row] = Relation(row, bones, make, steady=False, rests=True)
        except PosewrightError as error:
            found[row] = str(error)
    return found


def _weights(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> Weights:
    """What bones weigh, those that weigh something. Raises an error that says what is wrong with it."""
    there, found = lengths(armature_object), Weights()
    for part in one.parts:
        if not 0.0 <= part.mass < math.inf:
            raise PosewrightError(f"{part.bone!r} weighs {part.mass:.4g}: a mass is zero or more")
        if part.mass > 0.0:
            refuse_missing(there, [part.bone])
            mass, centre = part.mass, points.on_bone(there, part)
            if part.bone in found:
                other, place = found[part.bone]
                mass, centre = mass + other, (mass * centre + other * Vector(place)) / (mass + other)
            found[part.bone] = mass, centre[:]
    if not found:
        raise PosewrightError("nothing has a mass: press By Roles beside Masses, or set some")
    return found


def feet(armature_object: bpy.types.Object) -> list[Foot]:
    """The feet that are pinned, and not dragged. Raises an error where no foot is known."""
    legs, found = sole.legs(armature_object), list[Foot]()
    for row, goal in properties.asking(armature_object):
        if goal.state == "PINNED" and not goal.dragged and goal.kind == "POSE" and goal.position > 0.0:
            for leg in legs:
                if goal.bone and goal.bone in (leg.foot, leg.toe):
                    found.append(Foot(row, goal.bone, _sole(armature_object, leg, goal.bone == leg.toe)))
    return found


def _sole(armature_object: bpy.types.Object, leg: Leg, by_toe: bool) -> Floats:
    """The points of a sole at rest [P, 3], in the frame of the foot; of a pinned toe, those that it carries."""
    data: Any = armature_object.data
    made = sole.sole(armature_object, leg, soles.kept(armature_object, leg), 1.0)
    if by_toe:
        found: Floats = made.points[made.on_toe]
        return found
    place = made.points.copy()
    if leg.toe:
        way = np.array(data.bones[leg.foot].matrix_local.inverted() @ data.bones[leg.toe].matrix_local)
        place[made.on_toe] = place[made.on_toe] @ way[:3, :3].T + way[:3, 3]
    return place


class _Maker:
    """Makes the goal of a balance: while nothing changes that it depends on, the same one."""

    def __init__(self, weights: Weights, standing: Sequence[Foot], one: POSEWRIGHT_PG_relation) -> None:
        self._weights, self._standing = weights, standing
        self._share, self._across, self._along = one.inside, one.across, one.along
        self._weight, self._level = one.weight, level_of(one)
        self._frames: tuple[object, ...] = ()
        self._sides: list[tuple[Vector, float, float]] = []  # a normal, its limit, and how much that counts
        self._rest: _Rest | None = None
        self._made: tuple[object, list[Goal]] | None = None  # what it was made of, and that

    def __call__(self, where: Setting) -> Sequence[Goal]:
        if self._rest is None or not self._rest.fits(where):
            self._rest, self._made = _Rest(where, self._weights), None
        frames = [_pinned_at(where, self._rest, foot) for foot in self._standing]
        known = tuple(frame[row][:] for frame in frames for row in range(4))
        if known != self._frames:
            self._frames, self._sides = known, self._around(frames)
        centre = where.world @ self._rest.centre
        over = [max(0.0, normal.dot(centre) - limit) for normal, limit, _ in self._sides]
        stands = known, *(where.world[row][:] for row in range(4))
        if self._made is not None and self._made[0] == stands and not any(over):
            return self._made[1]
        way = _farthest(where, self._rest) / FAR if any(over) and not _at_once else math.inf
        gives = math.exp(-(way**2))
        turned, moved = where.world.to_3x3().transposed(), where.world.translation
        sides = [
            ((turned @ normal)[:], limit + gives * more - normal.dot(moved))
            for (normal, limit, _), more in zip(self._sides, over, strict=True)
        ]
        names, scale = where.rig.frame_names, where.rig.scale
        weights = {names[bone]: (mass, (scale * Vector(at))[:]) for bone, (mass, at) in self._weights.items()}
        each = tuple(share for _, _, share in self._sides)
        made: list[Goal] = [Balance(weights, sides, each=each, weight=self._weight, level=self._level)]
        self._made = None if any(over) else (stands, made)
        return made

    def _around(self, frames: Sequence[Matrix]) -> list[tuple[Vector, float, float]]:
        """The sides of what is stood on."""
        prints = [_carried(frame, foot.points) for frame, foot in zip(frames, self._standing, strict=True)]
        whole, ahead = support.hull(np.concatenate([support.footprint(one) for one in prints])), _heading(prints)
        found = list[tuple[Vector, float, float]]()
        for x, y, limit in support.sides(support.shrunk(whole, self._share), whole):
            forward = (x * ahead[0] + y * ahead[1]) ** 2
            found.append((Vector((x, y, 0.0)), limit, self._along * forward + self._across * (1.0 - forward)))
        return found


class _Rest:
    """The reference, in the tree's space."""

    def __init__(self, where: Setting, weights: Weights) -> None:
        self._rig, self._reference, self._pose = where.rig, where.reference, where.rig.tree.pose(where.reference)
        total = math.fsum(mass for mass, _ in weights.values())
        self.centre = Vector()  # of mass
        for bone, (mass, at) in weights.items():
            self.centre += mass / total * self.place(bone, Vector(at))

    def fits(self, where: Setting) -> bool:
        """Whether it is still that."""
        return self._rig is where.rig and self._reference is where.reference

    def place(self, bone: str, point: Vector) -> Vector:
        """Where a point of a bone is, which is in units of the armature."""
        body = self._rig.tree.index(self._rig.frame_names[bone])
        return Vector(self._pose.positions[body].tolist()) + self.turn(bone) @ (self._rig.scale * point)

    def turn(self, bone: str) -> Quaternion:
        """How a bone is turned."""
        return Quaternion(self._pose.rotations[self._rig.tree.index(self._rig.frame_names[bone])].tolist())


def _pinned_at(where: Setting, rest: _Rest, foot: Foot) -> Matrix:
    """Where a pin wants a foot to be in the world; how turned, the reference says where the pin does not."""
    goal = properties.character(where.character).posewright_goals[foot.row]
    frame = places.target(where.character, goal, where.depsgraph)
    turn = frame.turn if goal.orientation > 0.0 else places.turn_of(where.world) @ rest.turn(foot.bone)
    found = turn.to_matrix().to_4x4() @ Matrix.Scale(asked.world_unit(where) * where.rig.scale, 4)
    found.translation = frame.place - found @ places.point_of(where.character, goal)
    return found


def _carried(frame: Matrix, sole_points: Floats) -> Floats:
    """Points [P, 3] of a frame in the world."""
    matrix = np.array(frame)
    found: Floats = sole_points @ matrix[:3, :3].T + matrix[:3, 3]
    return found


def _heading(prints: Sequence[Floats]) -> tuple[float, float]:
    """Where feet point together, seen from above."""
    way = sum(
        (one[len(one) // 2 :].mean(axis=0) - one[: (len(one) + 1) // 2].mean(axis=0) for one in prints), np.zeros(3)
    )
    long = math.hypot(way[0], way[1])
    return (float(way[0]) / long, float(way[1]) / long) if long > 0.0 else (0.0, 1.0)


def _farthest(where: Setting, rest: _Rest) -> float:
    """How far the farthest goal is from where the reference has it, in the tree's metres."""
    farthest = 0.0
    for wish in asked.wishes(where.character, where.depsgraph):
        if not wish.trouble and wish.goal.kind == "POSE" and wish.goal.position > 0.0:
            there = rest.place(wish.goal.bone, places.point_of(where.character, wish.goal))
            farthest = max(farthest, (where.inverse @ wish.frame.place - there).length)
    return farthest


_at_once: list[bool] = []  # not empty while a body is brought into balance


@contextmanager
def at_once() -> Iterator[None]:
    """Have sides not give way, however far the reference is beyond them."""
    _at_once.append(True)
    try:
        yield
    finally:
        _at_once.pop()


def seen(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> Seen:
    """Balance in the pose that is shown. Raises an error where that cannot be said."""
    weights = _weights(armature_object, one)
    total, centre = math.fsum(mass for mass, _ in weights.values()), Vector()
    for bone, (mass, at) in weights.items():
        centre += mass / total * (places.world_matrix(armature_object, None, bone) @ Vector(at))
    standing = feet(armature_object)
    if not standing:
        return Seen(centre, [], [], 0.0)
    prints = [_carried(places.world_matrix(armature_object, None, foot.bone), foot.points) for foot in standing]
    whole = support.hull(np.concatenate([support.footprint(place) for place in prints]))
    drawn_in = support.shrunk(whole, one.inside)
    corners, within = ([Vector(corner) for corner in some.tolist()] for some in (whole, drawn_in))
    return Seen(centre, corners, within, support.inside(whole, centre[:]))


def add(armature_object: bpy.types.Object, by: str) -> str:
    """Have a body keep its balance, with masses by "ROLES" or by "VOLUME"; of one that does, take the masses anew.

    Returns what to say.
    """
    found = masses.by_roles(armature_object) if by == "ROLES" else masses.by_volume(armature_object)
    legs = sole.legs(armature_object)
    soles.keep_soles(armature_object, legs, soles.soles(armature_object, legs))
    character = properties.character(armature_object)
    rows = [row for row, one in enumerate(character.posewright_relations) if one.kind == "BALANCE"]
    one = character.posewright_relations[rows[0]] if rows else editing.add(armature_object, "BALANCE", "balance")
    order, places_of = dict[int, int | None](), {segment.bone: index for index, segment in enumerate(found)}
    for index, part in enumerate(one.parts):
        to = places_of.pop(part.bone, None)
        if to != index:
            order[index] = to
    list_curves.refuse_linked(armature_object, one.path_from_id("parts"), order)
    for index, segment in enumerate(found):
        part = one.parts[index] if index < len(one.parts) else editing.add_part(armature_object, one, segment.bone)
        part.bone, part.mass, part.point, part.offset = segment.bone, segment.mass, "OFFSET", segment.centre
    for index in range(len(one.parts) - 1, len(found) - 1, -1):
        if armature_object.override_library is None:
            one.parts.remove(index)
        else:  # what comes from a library cannot be removed
            one.parts[index].mass = 0.0
    list_curves.carry(armature_object, one.path_from_id("parts"), order)  # keys go with their bones
    one.active_part = 0
    editing.changed(armature_object)
    total = math.fsum(segment.mass for segment in found)
    return f"{len(found)} bones weigh {total:.1f} kg by {'roles' if by == 'ROLES' else 'the volume of the skin'}"
