"""Copy, mirror and reset the limits of joints."""

from typing import Any

import bpy
import numpy as np

from ... import properties
from ...motion import anatomy
from ...properties import POSEWRIGHT_PG_joint
from ...solvers.errors import PosewrightError
from ...solvers.tree import quaternion_of
from .. import channels, rotations, selection, twins
from . import anatomical, from_action, from_bone, human
from .anatomical import Numbers

_FLIP = np.diag([-1.0, 1.0, 1.0])  # makes a mirrored frame right-handed again
_FIELDS = ("order", "before", "axes", "free", "lower", "upper", "natural", "rest", "stiffness", "source")


def set_limits(armature_object: bpy.types.Object, bones: list[str], source: str, action: str, margin: float) -> str:
    """Give bones limits, all of them if none is named: "HUMAN", "ACTION", "IK" or "CONSTRAINT". Says what was done.

    Nothing moves: limits give way to a pose that is outside, and this pose is the reference from then on.
    """
    names = bones or [bone.name for bone in channels.pose_bones(armature_object)]
    if source == "HUMAN":
        if not properties.character(armature_object).posewright_roles:
            raise PosewrightError("Nobody knows which bone is what yet: set the character up first")
        said = human.apply(armature_object, bones or None)
    elif source == "ACTION":
        said = from_action.limit(armature_object, from_action.named(action), names, margin)
    elif source == "IK":
        said = from_bone.from_ik(armature_object, names)
    else:
        said = from_bone.from_constraint(armature_object, names)
    properties.character(armature_object).posewright_anchor = ""
    armature_object.update_tag()
    return said


def copy_active(armature_object: bpy.types.Object) -> str:
    """Copy from the active bone to the selected ones."""
    active = selection.active(armature_object)
    if active is None:
        raise PosewrightError("No bone is active")
    return copy(armature_object, active.name, selection.selected(armature_object))


def copy(armature_object: bpy.types.Object, bone: str, others: list[str]) -> str:
    """Give other bones the limits and habit of one, about the same axes of their own."""
    joint = _own(armature_object, bone)
    values = {name: _plain(getattr(joint, name)) for name in _FIELDS}
    targets = [other for other in others if other != bone]
    if not targets:
        raise PosewrightError("Select the bones to copy to, and last the one to copy from")
    for other in targets:
        target = anatomical.joint_of(armature_object, other)
        for name, value in values.items():  # the source last: the others say "by hand"
            setattr(target, name, value)
    return f"The limits of {bone!r} were copied to {len(targets)} bones"


def mirror(armature_object: bpy.types.Object, bones: list[str]) -> str:
    """Give the bones of the other side the mirror image of limits and habits."""
    count = 0
    for bone in bones:
        joint = properties.character(armature_object).posewright_joints.get(bone)
        other = twins.twin(armature_object, bone)
        if joint is None or joint.source == "BONE" or not other:
            continue
        across = np.array(twins.across(armature_object, bone, other))
        before, axes = (
            quaternion_of(across @ rotations.matrices(np.array([turn[:]], float))[0] @ _FLIP)
            for turn in (joint.before, joint.axes)
        )
        ends = np.sort(np.array([joint.lower[:], joint.upper[:]]) * anatomy.MIRROR, axis=0)
        target, source = anatomical.joint_of(armature_object, other), joint.source
        # Making a joint may have moved the others in memory: they are asked for anew.
        joint = properties.character(armature_object).posewright_joints[bone]
        anatomical.put(target, Numbers(source, joint.order, before, axes, np.array(joint.free[:]), *ends))
        target.natural, target.stiffness = joint.natural, joint.stiffness[:]
        target.rest = (np.array(joint.rest[:]) * anatomy.MIRROR).tolist()
        count += 1
    if not count:
        raise PosewrightError("None of these bones has limits of its own and a twin on the other side")
    return f"The limits of {count} bones were mirrored"


def reset(armature_object: bpy.types.Object, bones: list[str]) -> str:
    """Have bones limited by what Blender stores of them again."""
    count = 0
    for joint in properties.character(armature_object).posewright_joints:
        if joint.name in bones and joint.source != "BONE":
            for name in _FIELDS[:-1]:
                joint.property_unset(name)
            joint.source, count = "BONE", count + 1
    if not count:
        raise PosewrightError("None of these bones has limits of Posewright's own")
    armature_object.update_tag()
    return f"{count} bones have their own limits again"


def _own(armature_object: bpy.types.Object, bone: str) -> POSEWRIGHT_PG_joint:
    joint: POSEWRIGHT_PG_joint | None = properties.character(armature_object).posewright_joints.get(bone)
    if joint is None or joint.source == "BONE":
        raise PosewrightError(f"{bone!r} has no limits of Posewright's own to copy: it goes by its IK limits")
    return joint


def _plain(value: Any) -> Any:  # noqa: ANN401 - a property's: text, a switch, or several numbers
    """A value that stays as it is when its collection grows."""
    return value if isinstance(value, str | bool) else tuple(value)
