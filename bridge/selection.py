"""Which bones are selected: from Blender 5.0 on the pose bone knows, before it the bone."""

from typing import Any

import bpy


def selected(armature_object: bpy.types.Object) -> list[str]:
    """The names of the selected bones, while the object is in Pose Mode."""
    if armature_object.mode != "POSE" or armature_object.pose is None:
        return []
    return [bone.name for bone in armature_object.pose.bones if is_selected(bone)]


def is_selected(bone: bpy.types.PoseBone) -> bool:
    """Whether a pose bone is selected."""
    holder: Any = bone if hasattr(bone, "select") else bone.bone
    return bool(holder.select)


def active(armature_object: bpy.types.Object) -> bpy.types.PoseBone | None:
    """The active pose bone."""
    data = armature_object.data
    if not isinstance(data, bpy.types.Armature) or armature_object.pose is None or data.bones.active is None:
        return None
    found: bpy.types.PoseBone | None = armature_object.pose.bones.get(data.bones.active.name)
    return found
