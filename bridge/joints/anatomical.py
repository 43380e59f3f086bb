"""The anatomical axes of a character's joints, by its stored roles, and what is stored of a joint."""

from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ... import properties
from ...motion import anatomy, habits
from ...motion.anatomy import Axes, Bones
from ...properties import POSEWRIGHT_PG_joint
from ...solvers.rotation import Floats
from ...solvers.tree import quaternion_of
from .. import channels, rotations

DECIDED = {"ACTION", "IK", "CONSTRAINT", "HAND"}  # sources that set-up does not overrule


class Numbers(NamedTuple):
    """What a joint is to have; angles in radians, [3] each."""

    source: str
    order: str
    before: Floats  # [4]
    axes: Floats  # [4]
    free: Floats
    lower: Floats
    upper: Floats


def bones_of(armature_object: bpy.types.Object) -> Bones:
    """A character's skeleton at rest with its roles; doubtful ones are left out."""
    data = armature_object.data
    assert isinstance(data, bpy.types.Armature)
    places = {bone.name: place for place, bone in enumerate(data.bones)}
    parents = [places[bone.parent.name] if bone.parent else -1 for bone in data.bones]
    rest = channels.square_matrices(data.bones, "matrix_local")
    tails = channels.floats(data.bones, "tail_local", 3).astype(float)
    roles = {
        role.name: role.bone
        for role in properties.character(armature_object).posewright_roles
        if role.bone in places and not role.doubtful
    }
    turns = rest[:, :3, :3] / np.linalg.norm(rest[:, :3, :3], axis=1, keepdims=True)
    return Bones(tuple(places), parents, rest[:, :3, 3], tails, turns, roles)


def axes_of(armature_object: bpy.types.Object) -> dict[str, Axes]:
    """The anatomical axes of a character's joints, by bone. Raises an error where its roles do not show a body."""
    return {one.bone: one for one in anatomy.measure(bones_of(armature_object))}


def joint_of(armature_object: bpy.types.Object, bone: str) -> POSEWRIGHT_PG_joint:
    """What is stored of a bone's joint; made where nothing is."""
    joints = properties.character(armature_object).posewright_joints
    found: POSEWRIGHT_PG_joint | None = joints.get(bone)
    if found is None:
        found = joints.add()
        found.name = bone
    return found


def put(joint: POSEWRIGHT_PG_joint, numbers: Numbers) -> None:
    """Store limits about their axes."""
    joint.order = numbers.order
    joint.before, joint.axes = numbers.before.tolist(), numbers.axes.tolist()
    joint.free = [bool(one) for one in numbers.free]
    joint.lower, joint.upper = numbers.lower.tolist(), numbers.upper.tolist()
    joint.source = numbers.source  # the others say "by hand": so after them


def turns(axes: Axes) -> tuple[Floats, Floats]:
    """Before and axes as quaternions [4]."""
    return quaternion_of(axes.before), quaternion_of(axes.axes)


def angles(before: Floats, axes: Floats, turned: Floats) -> Floats:
    """Bend, twist and side [F, 3] of a joint from its bone's own rotations [F, 3, 3]; frames are quaternions [4]."""
    frames = rotations.matrices(np.stack([before, axes]))
    return habits.angles(Axes("", "", frames[0], frames[1]), turned)


def own_turns(armature_object: bpy.types.Object) -> dict[str, Floats]:
    """The bones' own rotations [3, 3] now, by name."""
    turned = rotations.matrices(channels.read(armature_object).turned)
    return {bone.name: turn for bone, turn in zip(channels.pose_bones(armature_object), turned, strict=True)}


def own(armature_object: bpy.types.Object) -> Iterator[POSEWRIGHT_PG_joint]:
    """The joints that have limits of their own."""
    return (one for one in properties.character(armature_object).posewright_joints if one.source != "BONE")


def has_own_limits(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone's rigger has limited it."""
    limited = any(getattr(bone, f"use_ik_limit_{axis}") for axis in "xyz")
    return limited or any(one.type == "LIMIT_ROTATION" and not one.mute for one in bone.constraints)
