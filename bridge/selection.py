"""Bones as the animator sees and selects them: where Blender stores that differs before and from 5.0 on."""

from typing import Any

import bpy


def selected(armature_object: bpy.types.Object) -> list[str]:
    """The names of the selected bones, while the object is in Pose Mode."""
    if armature_object.mode != "POSE" or armature_object.pose is None:
        return []
    return [bone.name for bone in armature_object.pose.bones if is_selected(bone)]


def is_selected(bone: bpy.types.PoseBone) -> bool:
    """Whether a pose bone is selected."""
    return bool(_holder(bone).select)


def is_visible(pose_bone: bpy.types.PoseBone) -> bool:
    """Whether the animator sees a bone in Pose Mode: neither it nor all its collections are hidden."""
    bone = pose_bone.bone
    hidden = pose_bone.hide if hasattr(pose_bone, "hide") else bone.hide
    return not hidden and (not bone.collections or any(one.is_visible_effectively for one in bone.collections))


def active(armature_object: bpy.types.Object) -> bpy.types.PoseBone | None:
    """The active pose bone."""
    data = armature_object.data
    if not isinstance(data, bpy.types.Armature) or armature_object.pose is None or data.bones.active is None:
        return None
    found: bpy.types.PoseBone | None = armature_object.pose.bones.get(data.bones.active.name)
    return found


def choose(armature_object: bpy.types.Object, name: str) -> None:
    """Make a bone the active one; it alone is selected, unless it was already."""
    assert armature_object.pose is not None
    data: Any = armature_object.data
    bones = armature_object.pose.bones
    if not is_selected(bones[name]):
        for one in bones:
            _holder(one).select = one.name == name
    data.bones.active = data.bones[name]


def click(armature_object: bpy.types.Object, name: str, beside: bool) -> bool:
    """Select a bone as a click in Pose Mode does: alone or, `beside` the others, in turn with not. Whether it could."""
    if armature_object.mode != "POSE" or armature_object.pose is None:
        return False
    bone: bpy.types.PoseBone | None = armature_object.pose.bones.get(name)
    if bone is None or not is_visible(bone):
        return False
    if not beside:
        for one in armature_object.pose.bones:
            _holder(one).select = False
    data: Any = armature_object.data
    again = is_selected(bone) and data.bones.active == data.bones[name]
    data.bones.active = data.bones[name]  # which selects it in Blender 4.2
    _holder(bone).select = not again
    return True


def _holder(bone: bpy.types.PoseBone) -> Any:  # noqa: ANN401 - the stubs know one Blender only
    """What knows whether a bone is selected: from 5.0 on the pose bone, before it the bone."""
    return bone if hasattr(bone, "select") else bone.bone
