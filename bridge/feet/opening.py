"""Joints that a clip turns about axes which they do not have: a knee is a hinge, and captured knees are not.

Such an axis becomes a variable as far as the clip turns about it, and no farther; it is stiff, so that a foot is not
placed by bending a knee sideways. Joints by Euler angles (a Limit Rotation constraint, locked channels) stay as they
were read, and so do bones without any axis of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...solvers.joints import HALF_TURN, Ball, Joint, Kind, Limits, Motion, Slot
from ...solvers.rotation import Floats
from ...solvers.tree import Tree
from .. import rig as rigs
from ..channels import Bools, Channels
from ..limits import Widened
from ..rig import EulerJoints, Rig
from ..rotations import Ints

OFF = 1e-4  # radians: a joint that shows a clip no better turns beside its axes
STILL = 1e-6  # radians: about an axis that is turned less, it stays locked
STIFF = 30.0  # times as stiff as the joint's own axes
NAMES = ("swing_x", "twist", "swing_z")  # of a ball, by the bone's axes x, y, z
SWINGS = (Kind.SWING_ELLIPSE, Kind.SWING_X_FIRST, Kind.SWING_Z_FIRST)


@dataclass(frozen=True)
class _Axes:
    """A joint as a ball: limits by axis, None where it is locked, and the values there."""

    limits: tuple[Limits | None, Limits | None, Limits | None]
    held: tuple[float, float, float]


def opened(rig: Rig, poses: Channels) -> tuple[Rig, list[Widened]]:
    """The rig with the axes that poses [F, B, ...] turn about, and what was opened for them."""
    seen, angles = rigs.effective_rotation(rig.euler, poses)
    values = np.clip(rigs.free_values(rig, poses, seen, angles), rig.tree.lower, rig.tree.upper)
    bodies = _beside(rig, values, rig.counted(seen))
    found = {body: _axes(rig.joints[body]) for body in bodies}
    locked = {body: axes for body, axes in found.items() if axes is not None and None in axes.limits}
    if not locked:
        return rig, []
    wide = _with(rig, {body: _ball(rig.joints[body], axes, [HALF_TURN] * 3) for body, axes in locked.items()}, poses)
    turned = rigs.free_values(wide, poses, seen, angles)
    joints, gave = dict[int, Joint](), list[Widened]()
    for body, axes in locked.items():
        slots = wide.tree.arrays.slot[body, 3:6]
        ends = [_range(turned[:, slot], value) for slot, value in zip(slots.tolist(), axes.held, strict=True)]
        joints[body] = _ball(rig.joints[body], axes, ends)
        for name, own, (low, high), value in zip(NAMES, axes.limits, ends, axes.held, strict=True):
            if own is None and high - low > STILL:
                gave.append(Widened(rig.joints[body].name, name, max(value - low, high - value)))
    return _with(rig, joints, poses), gave


def _beside(rig: Rig, values: Floats, turned: Floats) -> list[int]:
    """The bodies whose joints do not show the rotations [F, B, 4] at variables [F, V] inside their limits."""
    euler = set(rig.euler.bone.tolist())
    rows = [row for row in rig.turning[0].tolist() if row not in euler]
    shown, wanted = rig.tree.own_rotations(values)[:, rig.body[rows]], turned[:, rows]
    off = np.minimum(np.linalg.norm(shown - wanted, axis=-1), np.linalg.norm(shown + wanted, axis=-1))
    bad: Bools = 2.0 * off.max(axis=0) > OFF
    return [int(rig.body[row]) for row, is_bad in zip(rows, bad.tolist(), strict=True) if is_bad]


def _axes(joint: Joint) -> _Axes | None:
    """A joint by swing and twist; None where it is of another kind."""
    motion = joint.motion
    if motion.kind == Kind.HINGE:
        along = [abs(part) == 1.0 for part in motion.axis]
        if True not in along or motion.axis[along.index(True)] < 0.0:
            return None
        one = motion.slots[0].limits
        x, y, z = (one if mine else None for mine in along)
        return _Axes((x, y, z), (0.0, 0.0, 0.0))
    if motion.kind not in SWINGS:
        return None
    x, y, z = (slot.limits for slot in motion.slots)
    a, b, c = (joint.held.get(slot.name, slot.held) for slot in motion.slots)
    return _Axes((x, y, z), (a, b, c))


def _range(values: Floats, held: float) -> Limits:
    """From the least to the largest of an axis' values [F], and where it was held."""
    return min(float(values.min()), held), max(float(values.max()), held)


def _ball(joint: Joint, axes: _Axes, ends: Sequence[Limits]) -> Joint:
    """The joint with axes that were locked between these ends; those with none between them stay locked."""
    given = [
        (own if own is not None else end if end[1] - end[0] > STILL else None)
        for own, end in zip(axes.limits, ends, strict=True)
    ]
    region = "ellipse" if joint.motion.kind == Kind.SWING_ELLIPSE else "box"
    motion = Ball(given[0], given[2], given[1], region, _lengths(joint.motion))
    free = [limits is not None for limits in given]
    was = [limits is not None for limits in axes.limits]
    own = [slot for slot in (*joint.motion.translation, *joint.motion.slots) if slot.limits is not None]
    moving = sum(slot.limits is not None for slot in joint.motion.translation)

    def each(given_of: float | Sequence[float], new: float) -> list[float]:
        """One number a variable: those that were there, and a new one for each axis that was opened."""
        known = [given_of] * len(own) if isinstance(given_of, int | float) else list(given_of)
        turns = iter(known[moving:])
        return [*known[:moving], *(next(turns) if old else new for old, now in zip(was, free, strict=True) if now)]

    stiffness = [joint.stiffness] if isinstance(joint.stiffness, int | float) else list(joint.stiffness)
    held = {name: value for name, value in joint.held.items() if name not in NAMES}
    held |= {name: value for name, value, now in zip(NAMES, axes.held, free, strict=True) if not now and value != 0.0}
    return replace(
        joint,
        motion=motion,
        stiffness=each(joint.stiffness, STIFF * max(*stiffness, 1.0)),
        rest_values=each(joint.rest_values, 0.0),
        velocity=each(joint.velocity, float("inf")),
        held=held,
    )


def _lengths(motion: Motion) -> tuple[Limits | None, Limits | None, Limits | None]:
    slots: tuple[Slot, ...] = motion.translation
    if not slots:
        return None, None, None
    x, y, z = (slot.limits for slot in slots)
    return x, y, z


def _with(rig: Rig, others: dict[int, Joint], poses: Channels) -> Rig:
    """The rig with other joints for some bodies."""
    joints = tuple(others.get(body, joint) for body, joint in enumerate(rig.joints))
    tree = Tree(joints)
    tree.size = rig.tree.size
    place = _places(rig.tree, tree, others)
    habits = np.full(len(tree.variables), np.nan)
    kept = place >= 0
    habits[place[kept]] = rig.habits[kept]
    variables = rig.euler.variables.copy()
    variables[:, 0] = place[variables[:, 0]]
    euler: EulerJoints = replace(rig.euler, variables=variables)
    found = replace(rig, joints=joints, tree=tree, habits=habits, euler=euler)
    return replace(found, q=rigs.values(found, poses)[0])


def _places(before: Tree, after: Tree, others: dict[int, Joint]) -> Ints:
    """Where each variable has gone [V]; -1 for those of joints that were made anew."""
    found = np.full(len(before.variables), -1)
    for body in range(len(before.names)):
        if body not in others:
            count = int(before.arrays.freedom[body])
            first, there = int(before.arrays.first[body]), int(after.arrays.first[body])
            found[first : first + count] = np.arange(there, there + count)
    return found
