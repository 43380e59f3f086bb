"""What a Rig depends on, in a form that can be compared: while it stays the same, a Rig that was read before is right.

All of it is read in bulk: 0.1 ms for 70 bones, a hundredth of reading the armature anew. The pose is no part of it, but
for what a tree takes as given: scales, and the locations of bones that do not translate. (Turns about locked axes are
given as well; whether a Rig can still show a pose is asked where a pose came from elsewhere: `pose.fitting`.)
"""

from collections.abc import Collection

import bpy
import numpy as np

from . import channels, obstacles, own_joints
from .obstacles import Obstacles

Signature = tuple[tuple[str, ...], tuple[str, ...], bytes, Obstacles, tuple[tuple[str, ...], bytes]]

_SWITCHES = [f"{name}_{axis}" for name in ("use_ik_limit", "lock_ik") for axis in "xyz"]
_NUMBERS = [f"{name}_{axis}" for name in ("ik_min", "ik_max", "ik_stiffness") for axis in "xyz"]


def of(armature_object: bpy.types.Object, pelvis: Collection[str]) -> Signature:
    """The signature of an armature object as it is now; `pelvis` has the bones that translate besides the roots."""
    pose, data = channels.pose_bones(armature_object), armature_object.data
    assert isinstance(data, bpy.types.Armature)
    names, parents = [], []
    for bone in data.bones:
        names.append(bone.name)
        parents.append(bone.parent.name if bone.parent else "")
    count = len(names)
    ints = np.zeros((2, count), np.int32)
    data.bones.foreach_get("inherit_scale", ints[0])
    pose.foreach_get("rotation_mode", ints[1])
    switches = np.zeros((len(_SWITCHES) + 3, count), np.bool_)
    for row, name in enumerate(_SWITCHES):
        pose.foreach_get(name, switches[row])
    for row, name in enumerate(("use_connect", "use_inherit_rotation", "use_local_location"), start=len(_SWITCHES)):
        data.bones.foreach_get(name, switches[row])
    numbers = np.zeros((len(_NUMBERS), count), np.float32)
    for row, name in enumerate(_NUMBERS):
        pose.foreach_get(name, numbers[row])
    still = np.array([bool(parent) and name not in pelvis for name, parent in zip(names, parents, strict=True)], bool)
    parts = [
        ints,
        switches,
        channels.bools(pose, "lock_rotation", 3),
        numbers,
        channels.bools(pose, "lock_location", 3),
        channels.floats(data.bones, "matrix_local", 16),
        channels.floats(pose, "scale", 3),
        channels.floats(pose, "location", 3)[still],
    ]
    settings = b"".join(part.tobytes() for part in parts)
    own = own_joints.signature(armature_object)
    return tuple(names), tuple(parents), settings, obstacles.find(armature_object), own
