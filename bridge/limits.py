"""The kind of joint that a bone is, with its limits, locks and stiffness, by what Blender stores of it.

Four sources, of which the first that says something decides:

1. A Limit Rotation constraint: Euler angles in its order. Blender takes the shorter of the two sets of angles that a
   rotation has, so angles whose sizes add up to more than 270° would be clamped as others than they are; axes without a
   limit are therefore held to what is left of that sum.
2. A bone in an Euler mode with locked rotation and no IK limits: these channels keep their values.
3. Limits of our own (`own_joints`), about axes that need not be the bone's; where no axis of the bone is locked.
4. The IK settings, in the meaning that Blender's own IK gives them: swing and twist, the swing in an ellipse where both
   its axes are limited. Axes with `lock_ik` or a locked rotation keep their present value.

A limit holds. Where the present pose is outside, it is widened to include it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np

from ..solvers.joints import FREE, HALF_TURN, ORDERS, Ball, EulerBall, Hinge, Limits, Motion
from ..solvers.rotation import Floats
from . import channels, rotations
from .channels import Bools, Singles
from .own_joints import OwnJoint

# Limits are not widened for less (radians): a pose on a limit comes back from float32 channels up to 3e-7 beyond it. A
# limit that gave way to that would creep from solve to solve.
SLACK = 1e-6
_ZERO = 1e-8  # radians, below what a float32 channel can tell from none beside others
_SHORTEST = 1.5 * math.pi  # Blender's Euler angles add up to no more

Translation = Sequence[Limits | None]
NO_TRANSLATION: Translation = (None, None, None)


class Widened(NamedTuple):
    """A limit that gave way to the present pose."""

    bone: str
    axis: str
    by: float  # radians


@dataclass(frozen=True, eq=False)
class Settings:
    """What B pose bones store about their joints."""

    limited: Bools  # [B, 3], use_ik_limit
    lower: Singles  # [B, 3], ik_min, radians
    upper: Singles  # [B, 3], ik_max
    locked_ik: Bools  # [B, 3]
    locked: Bools  # [B, 3], lock_rotation
    locked_location: Bools  # [B, 3]
    stiffness: Floats  # [B, 3], as the solvers have it


def settings(armature_object: bpy.types.Object) -> Settings:
    """Read them all. A bone's `ik_stiffness` s in [0, 0.99] becomes 1 / (1 - s), from 1 to 100.

    The map is ours: in Blender's own IK the setting only shifts the share between joints a little.
    """
    bones = channels.pose_bones(armature_object)
    axes = "xyz"
    return Settings(
        np.hstack([channels.bools(bones, f"use_ik_limit_{axis}") for axis in axes]),
        np.hstack([channels.floats(bones, f"ik_min_{axis}", 1) for axis in axes]),
        np.hstack([channels.floats(bones, f"ik_max_{axis}", 1) for axis in axes]),
        np.hstack([channels.bools(bones, f"lock_ik_{axis}") for axis in axes]),
        channels.bools(bones, "lock_rotation", 3),
        channels.bools(bones, "lock_location", 3),
        1.0 / (1.0 - np.hstack([channels.floats(bones, f"ik_stiffness_{axis}", 1) for axis in axes]).astype(float)),
    )


@dataclass
class Turning:
    """How a bone turns: a motion, and what its joint needs besides."""

    motion: Motion | None  # None: not at all
    axes: tuple[int, ...] = ()  # of x, y, z, those that are variables
    held: dict[str, float] = field(default_factory=dict)
    widened: list[Widened] = field(default_factory=list)


def swinging(bone: str, row: int, given: Settings, turn: Floats, translation: Translation) -> Turning:
    """A bone by its IK settings; `turn` [4] is its own rotation now."""
    locked = given.locked_ik[row] | given.locked[row]
    limits: list[Limits | None] = [
        None if lock else (float(low), float(high)) if limited else FREE
        for lock, limited, low, high in zip(locked, given.limited[row], given.lower[row], given.upper[row], strict=True)
    ]
    ellipse = limits[0] not in {None, FREE} and limits[2] not in {None, FREE}
    return _swinging(bone, limits, turn, translation, ellipse)


def _swinging(bone: str, limits: list[Limits | None], turn: Floats, translation: Translation, ellipse: bool) -> Turning:
    """A bone by limits of swing x, twist and swing z, None for a locked axis; the swing in an ellipse or in a box."""
    found = Turning(None, tuple(axis for axis, ends in enumerate(limits) if ends is not None))
    values = _swing_values(turn, limits)
    swing_x, swing_z = limits[0], limits[2]
    if ellipse:
        assert swing_x is not None
        assert swing_z is not None
        sx, _, sz = swing_and_twist(turn)
        wide_x, wide_z = wide_ellipse(swing_x, swing_z, sx, sz)
        _note(found, bone, "swing_x", swing_x, wide_x)
        _note(found, bone, "swing_z", swing_z, wide_z)
        limits[0], limits[2] = wide_x, wide_z
    for axis, name in enumerate(("swing_x", "twist", "swing_z")):
        ends = limits[axis]
        if ends is None:
            found.held[name] = values[axis]
        elif axis == 1 or not ellipse:
            limits[axis] = _wide(found, bone, name, ends, values[axis])
    if _is_hinge(found, translation):
        return _hinge(found, limits[found.axes[0]])
    if found.axes or any(ends is not None for ends in translation):
        region = "ellipse" if ellipse else "box"
        found.motion = Ball(limits[0], limits[2], limits[1], region, translation)
    return found


def by_own(bone: str, own: OwnJoint, turn: Floats) -> Turning:
    """A bone by limits of our own; `turn` [4] is its rotation now as the joint counts it, M."""
    limits: list[Limits | None] = [
        (low, high) if free else None for free, low, high in zip(own.free, own.lower, own.upper, strict=True)
    ]
    if own.order in ORDERS:
        angles = rotations.shortest_euler(turn[None], np.array([ORDERS.index(own.order)]))[0]
        given = [FREE if ends is None else ends for ends in limits]
        return by_angles(bone, own.order, given, (~own.free).tolist(), angles, NO_TRANSLATION)
    ellipse = own.order == "ELLIPSE" and own.free[0] and own.free[2]
    return _swinging(bone, limits, turn, NO_TRANSLATION, ellipse)


def _swing_values(turn: Floats, limits: Sequence[Limits | None]) -> tuple[float, float, float]:
    """Angles of swing x, twist and swing z, as a ball counts them whose swing is in no ellipse."""
    sx, twist, sz = swing_and_twist(turn)
    if limits[2] not in {None, FREE} and limits[0] in {None, FREE}:  # then z is the one that it holds exactly
        z = arc(sz)
        return arc(sx / max(math.cos(0.5 * z), 1e-9)), twist, z
    x = arc(sx)
    return x, twist, arc(sz / max(math.cos(0.5 * x), 1e-9))


def by_angles(
    bone: str, order: str, limits: Sequence[Limits], locked: Sequence[bool], angles: Floats, translation: Translation
) -> Turning:
    """A bone whose Euler angles have limits or locks; `angles` [3] are those of its own rotation now.

    `limits` are infinite where there are none; with any that are not, the others are bounded, as said above.
    """
    sizes = [_size(ends) if ends != FREE else 0.0 for ends in limits]
    unlimited = sum(ends == FREE for ends in limits)
    left = max(_SHORTEST - sum(sizes), 0.0) / max(unlimited, 1)
    bound = FREE if unlimited == 3 else (-min(left, math.pi), min(left, math.pi))
    found, kept = Turning(None), list[Limits | None]()
    for name, ends, lock, value in zip("xyz", limits, locked, angles.tolist(), strict=True):
        if lock or ends[0] == ends[1]:
            found.held[name] = value
            kept.append(None)
        else:
            kept.append(_wide(found, bone, name, bound if ends == FREE else ends, value))
    found.axes = tuple(axis for axis, ends in enumerate(kept) if ends is not None)
    if _is_hinge(found, translation):
        return _hinge(found, kept[found.axes[0]])
    if found.axes or any(ends is not None for ends in translation):
        found.motion = EulerBall(order, kept[0], kept[1], kept[2], translation)
    return found


def reaches_other_angles(limits: Sequence[Limits]) -> bool:
    """Whether Euler angles inside these limits may be such that Blender takes others for the same rotation."""
    return sum(_size(ends) for ends in limits if ends != FREE) > _SHORTEST + SLACK


def swing_and_twist(turn: Floats) -> tuple[float, float, float]:
    """A unit quaternion [4] as Swing(x, z) · Twist(y): sines of half the swing about x, the twist, the same about z."""
    w, x, y, z = turn.tolist()
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    twist = 2.0 * math.atan2(y, w)
    c, s = math.cos(0.5 * twist), math.sin(0.5 * twist)
    return x * c + z * s, twist, z * c - x * s


def arc(sine: float) -> float:
    """The angle in [-π, π] of which this is the sine of the half."""
    return 2.0 * math.asin(min(max(sine, -1.0), 1.0))


def _size(ends: Limits) -> float:
    """The largest angle between the limits, as Blender has it: within half a turn."""
    if ends[0] < -math.pi or ends[1] > math.pi:
        return math.pi
    return max(abs(ends[0]), abs(ends[1]))


def _is_hinge(found: Turning, translation: Translation) -> bool:
    """One axis, and nothing about the others: then every way to count angles is the same, and a hinge the fastest."""
    still = all(ends is None for ends in translation)
    return still and len(found.axes) == 1 and all(abs(value) < _ZERO for value in found.held.values())


def _hinge(found: Turning, limits: Limits | None) -> Turning:
    assert limits is not None
    found.motion, found.held = Hinge("xyz"[found.axes[0]], limits), {}
    return found


def _wide(found: Turning, bone: str, axis: str, limits: Limits, value: float) -> Limits:
    """The limits, widened to include a value."""
    low, high = limits
    wide = (value if value < low - SLACK else low, value if value > high + SLACK else high)
    _note(found, bone, axis, limits, wide)
    return wide


def _note(found: Turning, bone: str, axis: str, limits: Limits, wide: Limits) -> None:
    by = max(limits[0] - wide[0], wide[1] - limits[1])
    if by > 0.0:
        found.widened.append(Widened(bone, axis, by))


def wide_ellipse(x: Limits, z: Limits, sx: float, sz: float) -> tuple[Limits, Limits]:
    """The limits of a swing, widened so that the ellipse of the quadrant includes the point (sx, sz).

    First each half axis is made as long as the point is far along it, then both grow alike: by √2 at most.
    """
    side_x, side_z = int(sx > 0.0), int(sz > 0.0)
    a, b = math.sin(0.5 * abs(x[side_x])), math.sin(0.5 * abs(z[side_z]))
    if _reach(a, b, max(abs(sx) - SLACK, 0.0), max(abs(sz) - SLACK, 0.0)) <= 1.0:
        return x, z
    a, b = max(a, abs(sx)), max(b, abs(sz))
    by = max(_reach(a, b, sx, sz), 1.0)
    a, b = min(a * by, 1.0), min(b * by, 1.0)
    if _reach(a, b, sx, sz) > 1.0 + SLACK:  # one of them ended at a half turn
        return HALF_TURN, HALF_TURN
    wide_x, wide_z = math.copysign(arc(a), sx), math.copysign(arc(b), sz)
    return (min(x[0], wide_x), max(x[1], wide_x)), (min(z[0], wide_z), max(z[1], wide_z))


def _reach(a: float, b: float, sx: float, sz: float) -> float:
    """How far out a point is in an ellipse of half axes a and b: 1 on its edge."""
    if (a == 0.0 and sx != 0.0) or (b == 0.0 and sz != 0.0):
        return math.inf
    return math.hypot(sx / a if a > 0.0 else 0.0, sz / b if b > 0.0 else 0.0)
