"""What is set by hand for single bones."""

from typing import Any

import bpy

from .. import properties
from ..solvers.errors import PosewrightError
from . import goal_list, pelvis


def toggle_moving(armature_object: bpy.types.Object, bone: str) -> bool:
    """Let a bone be moved by goals, or no longer. Returns whether it may. Raises an error where that makes no sense."""
    goal_list.refuse_missing(armature_object, bone)
    data, joints = armature_object.data, properties.character(armature_object).posewright_joints
    assert isinstance(data, bpy.types.Armature)
    rest: Any = data.bones[bone]  # the stubs say that every bone has a parent
    if rest.parent is not None and rest.use_connect:
        raise PosewrightError(f"{bone!r} is connected to its parent and cannot be moved")
    moves = pelvis.moves(armature_object, rest)
    joint: properties.POSEWRIGHT_PG_joint | None = joints.get(bone)
    if rest.parent is None and moves and not (joint and joint.translates):
        raise PosewrightError(f"{bone!r} is a root: it always may be moved; lock its location to forbid it")
    if joint is None:
        joint = joints.add()
        joint.name = bone
    joint.translates = not moves
    return pelvis.moves(armature_object, rest)
