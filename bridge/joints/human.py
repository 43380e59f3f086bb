"""The human preset: limits and habits of joints by the roles of their bones; of creatures, the same for all."""

from collections.abc import Collection
from functools import cache
from pathlib import Path

import bpy
import numpy as np

from ... import presets, properties
from ...motion import anatomy, habits
from ...motion.anatomy import Axes
from ...motion.habits import Habit, Table
from ...presets import human_limits
from ...properties import NO_TURN
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import channels
from . import anatomical
from .anatomical import DECIDED, Numbers

STRAY = np.radians(0.5)  # a pose that is outside by less is not worth a word


@cache
def table() -> Table:
    """How captured people hold themselves."""
    path = Path(presets.__path__[0]) / "human_habits.json"
    return habits.parsed(path.read_text(encoding="utf-8"))


def apply(armature_object: bpy.types.Object, bones: Collection[str] | None = None, forget: bool = False) -> str:
    """Give the joints of bones with roles human limits and habits, some of them or all. Moves no bone.

    Joints keep what was decided by hand, unless `forget`, and bones whose rigger has limited them keep that. Asked for
    by name (`bones`), all of them are set. Returns in a sentence what was done.
    """
    character, pose = properties.character(armature_object), channels.pose_bones(armature_object)
    try:
        axes = anatomical.axes_of(armature_object)
    except PosewrightError as error:
        return _creature(armature_object, bones, forget, str(error))
    known = character.posewright_joints
    kept, outside, count = 0, list[str](), 0
    now = anatomical.own_turns(armature_object)
    limits = {bone: _limits(one, [other.role for other in axes.values()]) for bone, one in axes.items()}
    for bone, one in axes.items():
        ends = limits[bone]
        if (bones is not None and bone not in bones) or ends is None:
            continue
        joint = known.get(bone)
        decided = joint is not None and joint.source in DECIDED and not forget
        if bones is None and (decided or anatomical.has_own_limits(pose[bone])):
            kept += 1
            continue
        free, lower, upper = ends
        before, turned = anatomical.turns(one)
        anatomical.put(
            anatomical.joint_of(armature_object, bone), Numbers("HUMAN", "SWING", before, turned, free, lower, upper)
        )
        count += 1
        value = habits.angles(one, now[bone][None])[0]
        beyond = np.where(free, np.maximum(lower - value, value - upper), 0.0)
        if (beyond > STRAY).any():
            outside.append(f"{bone} by {np.degrees(beyond.max()):.0f}°")
    still = _hold_between(armature_object, axes, bones)
    put_habits(armature_object)
    return _said(count, kept, outside) + (f"; {still} bones between them keep still" if still else "")


def _hold_between(armature_object: bpy.types.Object, axes: Collection[str], bones: Collection[str] | None) -> int:
    """Have bones without a role that stand between bones with one keep still: twist bones and helpers are no joints."""
    character, data = properties.character(armature_object), armature_object.data
    assert isinstance(data, bpy.types.Armature)
    roles = {role.bone for role in character.posewright_roles if role.bone}
    between = set[str]()
    for name in axes:
        above = list[str]()
        for bone in data.bones[name].parent_recursive:
            if bone.name in roles:
                between.update(above)
                break
            above.append(bone.name)
    turn, none, count = np.array(NO_TURN), np.zeros(3), 0
    for name in sorted(between if bones is None else between & set(bones)):
        joint = character.posewright_joints.get(name)
        if joint is None or joint.source not in DECIDED:
            numbers = Numbers("HUMAN", "SWING", turn, turn, none, none, none)
            anatomical.put(anatomical.joint_of(armature_object, name), numbers)
            count += 1
    return count


def _said(count: int, kept: int, outside: list[str]) -> str:
    said = f"{count} joints have human limits"
    said += f", {kept} keep their own" if kept else ""
    if outside:
        rest = f" and {len(outside) - 3} more" if len(outside) > 3 else ""
        said += f"; widened to the present pose: {', '.join(outside[:3])}{rest}"
    return said


def _limits(axes: Axes, roles: list[str]) -> tuple[Floats, Floats, Floats] | None:
    """Which axes are free [3], and lower and upper ends [3] on the role's own side; None for roles without any.

    Captured people go beyond what physicians write down now and then; what they do is human too.
    """
    role, part = axes.role, anatomy.part(axes.role)
    chain = next((name for name, parts in habits.CHAINS.items() if part in parts), "")
    key = chain or (".".join(role.split(".")[:2]) if part in anatomy.FINGERS else part)
    known = human_limits.JOINTS.get(key)
    if known is None:
        return None
    count = sum(anatomy.part(one) in habits.CHAINS[chain] for one in roles) if chain else 1
    share = min(1.0, human_limits.UNEVEN / count) if chain else 1.0
    free = np.array([ends is not None for ends in known[:3]])
    ends = np.radians([share * np.array(one or (0.0, 0.0), float) for one in known[:3]])
    ends = np.sort(ends * anatomy.mirrored(role)[:, None], axis=1)
    habit = habits.for_roles(table(), roles).get(role)
    if habit is not None:
        ends = np.stack([np.minimum(ends[:, 0], habit.low), np.maximum(ends[:, 1], habit.high)], axis=1)
        ends[~free] = 0.0
    return free, ends[:, 0], ends[:, 1]


def table_by(text: str) -> Table:
    """A character's own habits, as they are stored, over those of people. What makes no sense is passed over."""
    if not text:
        return table()
    try:
        return table() | habits.parsed(text)
    except PosewrightError:
        return table()


def put_habits(armature_object: bpy.types.Object) -> int:
    """Store the habits of all joints that turn about anatomical axes. Returns how many."""
    found = habits_of(armature_object, table_by(properties.character(armature_object).posewright_habits))
    for joint in anatomical.own(armature_object):
        if (habit := found.get(joint.name)) is not None:
            joint.rest, joint.stiffness, joint.natural = habit.mean.tolist(), habit.stiffness.tolist(), True
    return len(found)


def habits_of(armature_object: bpy.types.Object, known: Table) -> dict[str, Habit]:
    """What a table says of the joints that turn about anatomical axes, by their bones."""
    try:
        axes = anatomical.axes_of(armature_object)
    except PosewrightError:
        return {}
    by_role = habits.for_roles(known, [one.role for one in axes.values()])
    found = dict[str, Habit]()
    for joint in anatomical.own(armature_object):
        one = axes.get(joint.name)
        if one is not None and one.role in by_role and _about(joint, one):
            found[joint.name] = by_role[one.role]
    return found


def _about(joint: properties.POSEWRIGHT_PG_joint, axes: Axes) -> bool:
    """Whether a joint is counted about these axes."""
    wanted = np.concatenate(anatomical.turns(axes))
    return bool(np.abs(np.array([*joint.before[:], *joint.axes[:]]) - wanted).max() < 1e-4)


def _creature(armature_object: bpy.types.Object, bones: Collection[str] | None, forget: bool, why: str) -> str:
    """Generic limits for every bone from a foot or the head up to the trunk's root."""
    data = armature_object.data
    assert isinstance(data, bpy.types.Armature)
    character, pose = properties.character(armature_object), channels.pose_bones(armature_object)
    wanted = set[str]()
    for role in character.posewright_roles:
        if role.bone in data.bones and not role.doubtful:
            bone = data.bones[role.bone]
            wanted |= {one.name for one in (bone, *bone.parent_recursive) if one.parent is not None}
    if not wanted:
        return f"no joint has limits: {why[0].lower()}{why[1:]}"
    ends = np.radians([one or (0.0, 0.0) for one in human_limits.GENERIC[:3]])
    turn, kept, count = np.array(NO_TURN), 0, 0
    for name in sorted(wanted if bones is None else wanted & set(bones)):
        joint = character.posewright_joints.get(name)
        decided = joint is not None and joint.source in DECIDED and not forget
        if bones is None and (decided or anatomical.has_own_limits(pose[name])):
            kept += 1
            continue
        numbers = Numbers("GENERIC", "SWING", turn, turn, np.ones(3), ends[:, 0], ends[:, 1])
        anatomical.put(anatomical.joint_of(armature_object, name), numbers)
        count += 1
    return f"{count} joints have generic limits" + (f", {kept} keep their own" if kept else "")
