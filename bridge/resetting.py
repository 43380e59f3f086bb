"""Bones back to their rest pose or to the reference; channels that are locked stay."""

from collections.abc import Collection

import bpy
from mathutils import Quaternion, Vector

from ..solvers.errors import PosewrightError
from . import channels, one_bone, reference
from .one_bone import Bone

_UNSCALED = (1.0, 1.0, 1.0)


def reset(armature_object: bpy.types.Object, bones: Collection[str] | None, to: str) -> int:
    """Put bones back, None for all, to "REST" or "REFERENCE". Returns how many."""
    if bones is not None and not bones:
        raise PosewrightError("Select the bones in Pose Mode that are to be reset")
    stored = reference.stored(armature_object) if to == "REFERENCE" else None
    if to == "REFERENCE" and stored is None:
        raise PosewrightError(f"{armature_object.name!r} has no reference yet: it is taken when a goal first asks")
    count = 0
    bone: Bone
    for row, bone in enumerate(channels.pose_bones(armature_object)):
        if bones is not None and bone.name not in bones:
            continue
        count += 1
        if stored is None:
            bone.scale = one_bone.unless_locked(bone.scale, _UNSCALED, bone.lock_scale)
            one_bone.put(bone, Vector(), Quaternion())
        else:
            one_bone.put(bone, Vector(stored.location[row].tolist()), Quaternion(stored.rotation[row].tolist()))
    armature_object.update_tag()
    return count
