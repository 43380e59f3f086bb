"""What of a character is the same on all frames, by what is animated: that need not be looked at again on each."""

import bpy

from .. import action_curves, channels, pelvis

_PLAIN = {"rotation_quaternion", "rotation_euler", "rotation_axis_angle", "rotation_mode"}


def rig_stays(armature_object: bpy.types.Object) -> bool:
    """Whether nothing that is animated can change how the armature is read: limits, scales, constraints, the rest pose.

    Then 0.3 ms a frame of looking at it all again are saved.
    """
    data = armature_object.data
    moving = pelvis.movers(armature_object).translating
    if (
        data is None
        or data.animation_data is not None
        or any(bone.constraints for bone in channels.pose_bones(armature_object))
    ):
        return False
    for one in action_curves.of(armature_object, playing=True):
        if one.owner == armature_object and len(one.curves):
            return False  # drivers
        for curve in one.curves:
            found = action_curves.bone_and_channel(curve.data_path)
            if found is None:
                if curve.data_path.startswith(("posewright_joints", "posewright_mode", "posewright_chosen")):
                    return False
            elif found[1] not in _PLAIN and not (
                found[1] == "location" and _translates(armature_object, found[0], moving)
            ):
                return False
    return True


def goals_stay(armature_object: bpy.types.Object) -> bool:
    """Whether neither keys nor drivers change what goals or relations are, beside where goals want to be."""
    lists = action_curves.of(armature_object, playing=True)
    return not any(curve.data_path.startswith("posewright_") for one in lists for curve in one.curves)


def bones_stay(armature_object: bpy.types.Object) -> bool:
    """Whether neither keys nor drivers change anything of bones."""
    lists = action_curves.of(armature_object, playing=True)
    return not any(action_curves.bone_and_channel(curve.data_path) for one in lists for curve in one.curves)


def _translates(armature_object: bpy.types.Object, name: str, moving: frozenset[str]) -> bool:
    bone: bpy.types.PoseBone | None = channels.pose_bones(armature_object).get(name)
    return bone is None or bone.parent is None or name in moving
