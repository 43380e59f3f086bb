"""A rig whose limits let through every pose of a clip: what the clip itself does is no offence."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...solvers.joints import Joint, Kind, Limits, Slot
from ...solvers.rotation import Floats
from ...solvers.tree import Tree
from .. import limits
from .. import rig as rigs
from ..channels import Channels
from ..limits import SLACK, Widened
from ..rig import Rig
from . import opening


def widened(rig: Rig, poses: Channels) -> tuple[Rig, Floats, list[Widened]]:
    """The rig with limits that give way to poses [F, B, ...], these as its variables [F, V], and what gave way.

    Bones that something else moves stay as they were read: `clip` looks whether that will do.
    """
    rig, gave = opening.opened(rig, poses)
    seen, angles = rigs.effective_rotation(rig.euler, poses)
    values, turned = rigs.free_values(rig, poses, seen, angles), rig.counted(seen)
    low, high = values.min(axis=0), values.max(axis=0)
    wider = list[Widened]()
    bone_of = {body: row for row, body in enumerate(rig.body.tolist()) if body >= 0}
    joints, first = list[Joint](), 0
    for body, joint in enumerate(rig.joints):
        slots = [*joint.motion.translation, *joint.motion.slots]
        count = sum(slot.limits is not None for slot in slots)
        own = slice(first, first + count)
        first += count
        wide = _slots(slots, low[own].tolist(), high[own].tolist())
        if joint.motion.kind == Kind.SWING_ELLIPSE:
            wide = _ellipse(joint, wide, turned[:, bone_of[body]])
        wider += _gave(joint, slots, wide)
        moved = len(joint.motion.translation)
        motion = replace(joint.motion, translation=tuple(wide[:moved]), slots=tuple(wide[moved:]))
        joints.append(joint if wide == slots else replace(joint, motion=motion))
    gave = _added(gave, wider)
    if not wider:
        return rig, np.clip(values, rig.tree.lower, rig.tree.upper), gave
    tree = Tree(joints)
    tree.size = rig.tree.size
    found = replace(rig, joints=tuple(joints), tree=tree)
    return found, rigs.values(found, poses), gave


def _added(one: Sequence[Widened], other: Sequence[Widened]) -> list[Widened]:
    """Each axis once."""
    total = dict[tuple[str, str], float]()
    for bone, axis, by in (*one, *other):
        total[bone, axis] = total.get((bone, axis), 0.0) + by
    return [Widened(*names, by) for names, by in total.items()]


def _slots(slots: Sequence[Slot], low: list[float], high: list[float]) -> list[Slot]:
    """Slots whose limits include the values of their variables."""
    found, at = list[Slot](), 0
    for slot in slots:
        if slot.limits is None:
            found.append(slot)
            continue
        ends = slot.limits
        wide = (low[at] if low[at] < ends[0] - SLACK else ends[0], high[at] if high[at] > ends[1] + SLACK else ends[1])
        found.append(slot if wide == ends else replace(slot, limits=wide))
        at += 1
    return found


def _ellipse(joint: Joint, slots: Sequence[Slot], turned: Floats) -> list[Slot]:
    """The same of a swing in an ellipse, whose variables are inside of it by their nature: by rotations [F, 4]."""
    named = {slot.name: slot for slot in joint.motion.slots}
    ends = {name: named[name].limits for name in ("swing_x", "swing_z")}
    x, z = ends["swing_x"], ends["swing_z"]
    assert x is not None
    assert z is not None
    swings = np.array([limits.swing_and_twist(turn) for turn in turned])
    for sx, sz in sorted(swings[:, [0, 2]].tolist(), key=lambda swing: -abs(swing[0]) - abs(swing[1])):
        x, z = limits.wide_ellipse(x, z, sx, sz)
    wide: dict[str, Limits] = {"swing_x": x, "swing_z": z}
    return [replace(slot, limits=wide[slot.name]) if slot.name in wide else slot for slot in slots]


def _gave(joint: Joint, before: Sequence[Slot], after: Sequence[Slot]) -> list[Widened]:
    found = list[Widened]()
    for one, other in zip(before, after, strict=True):
        if one.limits is not None and other.limits is not None and one.limits != other.limits:
            by = max(one.limits[0] - other.limits[0], other.limits[1] - one.limits[1])
            found.append(Widened(joint.name, one.name, by))
    return found
