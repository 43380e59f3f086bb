"""A bone's limits as curves: where its direction may go on a sphere about its head, and how far it may twist.

Curves are of unit size, in the frame in which the bone turns: its parent's, turned as the bone is at rest. So they are
sampled once for a set of limits and move along with the parent. The limits are those that are stored: where a pose is
outside, the solvers let them give way (`bridge.limits`), but what an animator wants to see is how far outside.

Points come from the solvers' own kinematics, for a tree of this one joint, and are exactly on the limits.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .. import properties
from ..properties import NO_TURN
from ..solvers.joints import FREE, HALF_TURN, ORDERS, Hinge, Joint, Kind, Limits
from ..solvers.rotation import Floats
from ..solvers.tree import Tree
from . import limits, obstacles, places, rotations
from .limits import NO_TRANSLATION, Settings, Turning
from .obstacles import RotationLimits
from .own_joints import OwnJoint

Triple = tuple[float, float, float]
Turn = tuple[float, float, float, float]
Switches = tuple[bool, bool, bool]

STEPS = 24  # from one end of a limit to the other
LENGTHWISE, SIDEWAYS = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)  # what is traced: the bone's direction, or its Z axis
NOTHING: Triple = (0.0, 0.0, 0.0)
_WHOLE = 2.0 * math.pi - 1e-6  # a range of this many radians is no limit
_LETTERS = {"swing_x": "X", "twist": "Y", "swing_z": "Z", "x": "X", "y": "Y", "z": "Z"}
_SAME = 1e-4  # radians: values that curves depend on are rounded to this, so that noise makes no new ones
AT_LIMIT = 2e-3  # radians: nearer than this, a bone rests on its limit


class Stored(NamedTuple):
    """What is stored of one bone's limits, as plain values that can be compared."""

    mode: str
    limited: Switches  # use_ik_limit, of x, y and z
    lower: Triple  # ik_min, radians
    upper: Triple
    locked: Switches  # lock_ik or lock_rotation
    constraint: RotationLimits | None
    own: str = ""  # for limits of our own, how they are counted; then the next two count as well
    before: Turn = NO_TURN
    axes: Turn = NO_TURN


@dataclass(frozen=True, eq=False)
class Curve:
    """A limit. Its identity stands for it: the same limits give the same object again."""

    points: Floats  # [n, 3], of unit length
    closed: bool
    filled: bool  # the bone may be anywhere inside, so it is drawn as a cone or a fan from the joint; else as a line
    twist: bool  # of the Z axis about the bone, in the frame of the bone without its twist; else of its direction
    axes: str  # what it limits: "X", "XZ", "Y"


@dataclass(frozen=True, eq=False)
class Shape:
    """A bone's limits, and how it stands to them."""

    curves: tuple[Curve, ...]
    at_limit: str  # the letters of the axes that are at a limit, or beyond
    twist: float  # the bone's own twist now, radians


def stored(bone: bpy.types.PoseBone) -> Stored | None:
    """What is stored of a bone's limits; None where it has none."""
    one: Any = bone
    limited = one.use_ik_limit_x, one.use_ik_limit_y, one.use_ik_limit_z
    constraint = obstacles.of_bone(bone).rotation.get(bone.name) if len(bone.constraints) else None
    own: Any = properties.character(one.id_data).posewright_joints.get(bone.name)
    if constraint is None and own is not None and own.source != "BONE" and not _is_locked(one):
        free = own.free
        return Stored(
            bone.rotation_mode,
            (True, True, True),
            tuple(own.lower),
            tuple(own.upper),
            (not free[0], not free[1], not free[2]),
            None,
            own.order,
            tuple(own.before),
            tuple(own.axes),
        )
    if constraint is None and not any(limited):
        return None
    lock_x, lock_y, lock_z = one.lock_rotation
    return Stored(
        bone.rotation_mode,
        limited,
        (one.ik_min_x, one.ik_min_y, one.ik_min_z),
        (one.ik_max_x, one.ik_max_y, one.ik_max_z),
        (one.lock_ik_x or lock_x, one.lock_ik_y or lock_y, one.lock_ik_z or lock_z),
        constraint,
    )


def frame(armature_object: bpy.types.Object, bone: bpy.types.PoseBone, known: Stored | None) -> Matrix:
    """Where the bone turns, in the world: a rigid matrix at its head, turned as it would be without turning itself.

    With limits of our own (`known`), turned as in their neutral pose.
    """
    turn, world = bone.bone.matrix_local.to_quaternion(), armature_object.matrix_world
    if bone.parent is not None and bone.bone.use_inherit_rotation:
        turn = bone.parent.bone.matrix_local.to_quaternion().inverted() @ turn
        turn = places.turn_of(world @ bone.parent.matrix) @ turn
    else:
        turn = places.turn_of(world) @ turn
    if known is not None and known.own:
        turn = turn @ Quaternion(known.before)
    found = turn.to_matrix().to_4x4()
    found.translation = world @ bone.head
    return found


def _is_locked(bone: Any) -> bool:  # noqa: ANN401 - asked by names
    """Whether an axis of the bone itself is locked: then limits about other axes do not count."""
    return any(bone.lock_rotation) or any(getattr(bone, f"lock_ik_{axis}") for axis in "xyz")


def of(known: Stored, turn: Quaternion) -> Shape:
    """The limits of a bone whose own rotation, as seen in `frame`, is `turn`."""
    if known.own:
        turn = turn @ Quaternion(known.axes)
    now = np.array(turn.normalized()[:], float)
    tree = _tree(known, _held(known, now))
    twist = limits.swing_and_twist(now)[1]
    if tree is None:
        return Shape((), "", twist)
    values = tree.values(np.zeros((1, 3)), now[None])
    curves = _curves(known, _held(known, now), _depends_on(tree, values, _points(known)))
    at_limit = "".join(sorted({_letter(tree, i) for i in range(len(values)) if _is_at_limit(tree, i, values[i])}))
    return Shape(curves, at_limit, twist)


def letter(bone: bpy.types.PoseBone, axis: str) -> str:
    """The axis "X", "Y" or "Z" of a bone's variable, by the name that the solvers have for it."""
    if axis == "angle":  # of a hinge: the one axis that is not locked
        known = stored(bone)
        tree = _tree(known, NOTHING) if known else None
        return _letter(tree, 0) if tree else ""
    return _LETTERS.get(axis, axis.removeprefix("t").upper())


def _held(known: Stored, turn: Floats) -> Triple:
    """The values that locked axes keep now."""
    if not any(known.locked):
        return NOTHING
    if known.constraint is not None:
        order = np.array([ORDERS.index(_order(known))])
        values = rotations.shortest_euler(turn[None], order)[0].tolist()
    else:
        x, twist, z = limits.swing_and_twist(turn)
        values = [limits.arc(x), twist, limits.arc(z / max(math.cos(math.asin(min(max(x, -1.0), 1.0))), 1e-9))]
    x, y, z = (_rounded(value) if lock else 0.0 for value, lock in zip(values, known.locked, strict=True))
    return x, y, z


def _rounded(value: float) -> float:
    return round(value / _SAME) * _SAME


def _order(known: Stored) -> str:
    """The order of the Euler angles that a constraint clamps."""
    assert known.constraint is not None
    own = known.mode if known.mode in ORDERS else ORDERS[0]
    return known.constraint.order or own


@lru_cache(maxsize=64)
def _tree(known: Stored, held: Triple) -> Tree | None:
    """The bone's joint by itself, its rest frame the tree's; None where it does not turn."""
    if known.own:
        turning = _by_own(known, held)
    else:
        turning = _by_constraint(known, held) if known.constraint is not None else _by_swing(known, held)
    if turning.motion is None:
        return None
    return Tree([Joint("bone", motion=turning.motion, held=turning.held)])


def _by_constraint(known: Stored, held: Triple) -> Turning:
    assert known.constraint is not None
    ends = [FREE if pair == FREE else pair for pair in known.constraint.limits]
    inside = [
        value if lock else min(max(0.0, low), high)
        for value, lock, (low, high) in zip(held, known.locked, ends, strict=True)
    ]
    return limits.by_angles("bone", _order(known), ends, known.locked, np.array(inside), NO_TRANSLATION)


def _by_own(known: Stored, held: Triple) -> Turning:
    """By limits of our own, in a pose inside them."""
    locked = np.array(known.locked)
    inside = np.where(locked, held, np.clip(0.0, known.lower, known.upper))
    x, y, z = (0.5 * value for value in inside.tolist())
    swing = Quaternion((math.cos(x) * math.cos(z), math.sin(x), 0.0, math.cos(x) * math.sin(z)))
    turn = np.array((swing @ Quaternion((math.cos(y), 0.0, math.sin(y), 0.0)))[:])
    frames = np.array(known.before), np.array(known.axes)
    none = np.zeros(3)
    ends = np.array(known.lower), np.array(known.upper)
    return limits.by_own("bone", OwnJoint(known.own, *frames, ~locked, *ends, False, none, none), turn)


def _by_swing(known: Stored, held: Triple) -> Turning:
    """By its IK settings, whose limits always include zero."""
    x, y, z = (0.5 * value for value in held)
    swing = Quaternion((math.cos(x) * math.cos(z), math.sin(x), 0.0, math.cos(x) * math.sin(z)))
    turn = swing @ Quaternion((math.cos(y), 0.0, math.sin(y), 0.0))
    none = np.zeros((1, 3), np.bool_)
    given = Settings(
        np.array([known.limited]),
        np.array([known.lower], np.float32),
        np.array([known.upper], np.float32),
        np.array([known.locked]),
        none,
        none,
        np.ones((1, 3)),
    )
    return limits.swinging("bone", 0, given, np.array(turn[:], float), NO_TRANSLATION)


def _points(known: Stored) -> Triple:
    """Where the bone points in the axes of its joint: along y, but of a foot, say, whose bone is no sole, beside it."""
    if not known.own:
        return LENGTHWISE
    found = Quaternion(known.axes).inverted() @ Vector(LENGTHWISE)
    return (found.x, found.y, found.z) if math.hypot(found.x, found.z) > _SAME else LENGTHWISE


def _depends_on(tree: Tree, values: Floats, points: Triple) -> Triple:
    """The values on which the curves depend besides the limits.

    Of Euler angles all, where y is not turned first; else the twist, where it moves the bone's direction.
    """
    slots = tree.arrays.slot[0, 3:].tolist()
    if tree.arrays.kind[0] == Kind.EULER and not ORDERS[tree.arrays.order[0]].startswith("Y"):
        x, y, z = (_rounded(float(values[slot])) if slot >= 0 else 0.0 for slot in slots)
        return x, y, z
    if points == LENGTHWISE or tree.arrays.kind[0] == Kind.HINGE or slots[1] < 0:
        return NOTHING
    return 0.0, _rounded(float(values[slots[1]])), 0.0


@lru_cache(maxsize=64)
def _curves(known: Stored, held: Triple, others: Triple) -> tuple[Curve, ...]:
    tree = _tree(known, held)
    return tuple(_curves_of(tree, others, _points(known))) if tree else ()


def _curves_of(tree: Tree, others: Triple, points: Triple) -> Iterator[Curve]:
    kind = tree.arrays.kind[0]
    if kind == Kind.VECTOR:
        return
    if kind == Kind.HINGE:
        axis = _letter(tree, 0)
        if (ends := _ends(tree, 0)) is not None:
            angles = np.linspace(*ends, 2 * STEPS + 1)[:, None]
            yield Curve(_trace(tree, angles, SIDEWAYS if axis == "Y" else points), False, True, axis == "Y", axis)
        return
    slots = tree.arrays.slot[0, 3:].tolist()
    now = np.zeros(len(tree.variables))
    for slot, value in zip(slots, others, strict=True):
        if slot >= 0:
            now[slot] = value
    yield from _swing_curves(tree, slots[0], slots[2], now, points)
    if slots[1] >= 0 and (ends := _ends(tree, slots[1])) is not None:
        angles = np.linspace(*ends, 2 * STEPS + 1)
        if kind != Kind.EULER or ORDERS[tree.arrays.order[0]].startswith("Y"):
            alone = Tree([Joint("bone", motion=Hinge("y", ends))])
            yield Curve(_trace(alone, angles[:, None], SIDEWAYS), False, True, True, "Y")
        else:
            poses = _with(now, slots[1:2], angles[:, None].tolist())
            yield Curve(_trace(tree, poses, SIDEWAYS), False, True, False, "Y")


def _swing_curves(tree: Tree, x: int, z: int, now: Floats, points: Triple) -> Iterator[Curve]:
    """What bounds the bone's direction; `x` and `z` are variables, or -1 where that axis is locked."""
    ends_x, ends_z = (_ends(tree, slot) if slot >= 0 else None for slot in (x, z))
    if tree.arrays.kind[0] == Kind.SWING_ELLIPSE and (ends_x or ends_z):  # an ellipse also where one is a half turn
        ends_x, ends_z = ends_x or HALF_TURN, ends_z or HALF_TURN
    if ends_x and ends_z:
        rim = _trace(tree, _with(now, (x, z), list(_around(ends_x, ends_z))), points)
        ribs = [_trace(tree, _with(now, (x, z), rib), points) for rib in _across(ends_x, ends_z)]
        wide = bool(rim.mean(axis=0) @ np.concatenate(ribs).mean(axis=0) < 0.0)
        yield Curve(rim, True, not wide, False, "XZ")
        if wide:  # a cone from the joint to the rim would look like one about where the bone must not go
            yield from (Curve(rib, False, False, False, "XZ") for rib in ribs)
    elif ends_x or ends_z:
        (slot, other), ends = ((x, z), ends_x) if ends_x else ((z, x), ends_z)
        assert ends is not None
        name = _letter(tree, slot)
        if other < 0:
            angles = [(angle,) for angle in np.linspace(*ends, 2 * STEPS + 1).tolist()]
            yield Curve(_trace(tree, _with(now, (slot,), angles), points), False, True, False, name)
        else:
            turns = np.linspace(-math.pi, math.pi, 4 * STEPS, endpoint=False).tolist()
            for end in ends:
                edge = [(end, angle) for angle in turns]
                yield Curve(_trace(tree, _with(now, (slot, other), edge), points), True, False, False, name)


def _around(x: Limits, z: Limits) -> Iterator[tuple[float, float]]:
    """The edge of a box, once around it."""
    corners = [(x[0], z[0]), (x[1], z[0]), (x[1], z[1]), (x[0], z[1]), (x[0], z[0])]
    for begin, end in pairwise(corners):
        for step in range(STEPS):
            part = step / STEPS
            yield begin[0] + part * (end[0] - begin[0]), begin[1] + part * (end[1] - begin[1])


def _across(x: Limits, z: Limits) -> Iterator[list[tuple[float, float]]]:
    """Two lines across a box that meet where neither angle is turned, or next to it."""
    middle_x, middle_z = (min(max(0.0, low), high) for low, high in (x, z))
    yield [(angle, middle_z) for angle in np.linspace(*x, 2 * STEPS + 1).tolist()]
    yield [(middle_x, angle) for angle in np.linspace(*z, 2 * STEPS + 1).tolist()]


def _with(now: Floats, slots: Sequence[int], values: Sequence[Sequence[float]]) -> Floats:
    """Poses [n, variables] that differ from one in some variables."""
    poses: Floats = np.tile(now, (len(values), 1))
    poses[:, slots] = values
    return poses


def _trace(tree: Tree, poses: Floats, what: Triple) -> Floats:
    """Where a unit vector of the bone goes [n, 3] in poses [n, variables]."""
    turned = np.array([tree.pose(q).rotations[0] for q in poses])
    found: Floats = rotations.matrices(turned) @ np.array(what)
    found.flags.writeable = False
    return found


def _ends(tree: Tree, variable: int) -> Limits | None:
    """The limits of a variable; None where there are none to speak of."""
    low, high = float(tree.lower[variable]), float(tree.upper[variable])
    return (low, high) if high - low < _WHOLE else None


def _letter(tree: Tree, variable: int) -> str:
    name = tree.variables[variable].axis
    if name == "angle":
        return "XYZ"[int(np.abs(tree.arrays.axis[0]).argmax())]
    return _LETTERS.get(name, "")


def _is_at_limit(tree: Tree, variable: int, value: float) -> bool:
    ends = _ends(tree, variable)
    return ends is not None and not ends[0] + AT_LIMIT < value < ends[1] - AT_LIMIT
