"""Which bones the animator sees, and choosing one: where that is stored differs from Blender to Blender."""

from typing import Any

import bpy

from . import selection


def is_visible(pose_bone: bpy.types.PoseBone) -> bool:
    """Whether the animator sees a bone in Pose Mode: neither it nor all its collections are hidden."""
    bone = pose_bone.bone
    hidden = pose_bone.hide if hasattr(pose_bone, "hide") else bone.hide  # the pose bone's since 5.0
    return not hidden and (not bone.collections or any(one.is_visible_effectively for one in bone.collections))


def choose(armature_object: bpy.types.Object, name: str) -> None:
    """Make a bone the active one; it alone is selected, unless it was already."""
    assert armature_object.pose is not None
    data: Any = armature_object.data
    bones = armature_object.pose.bones
    if not selection.is_selected(bones[name]):
        for one in bones:
            holder: Any = one if hasattr(one, "select") else one.bone
            holder.select = one.name == name
    data.bones.active = data.bones[name]
