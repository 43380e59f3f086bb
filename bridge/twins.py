"""The other side of a character: which bone is a bone's twin, and how points and frames are there in the mirror.

The mirror is the YZ plane of the armature, as for Blender's own X-Axis Mirror; twins are told by their names, and where
these do not tell by the roles that set-up has found. With R a bone's rest rotation in armature space, a bone turned to
T has turned by D = T R⁻¹. Its twin turns by the mirrored D, from a rest rotation of its own: so both may have any roll.
"""

from typing import Any

import bpy
from mathutils import Matrix, Quaternion

from .. import properties
from . import symmetry
from .places import Frame, turn_of

_MIRROR = Matrix.Diagonal((-1.0, 1.0, 1.0))


def twin(armature_object: bpy.types.Object, bone: str) -> str:
    """The name of the bone on the other side; empty where there is none."""
    data: Any = armature_object.data
    other = symmetry.flipped(bone)
    return other if other != bone and other in data.bones else _by_roles(armature_object).get(bone, "")


def sides(armature_object: bpy.types.Object) -> dict[str, str]:
    """The left bones with their right twins."""
    data: Any = armature_object.data
    roles, found = properties.character(armature_object).posewright_roles, dict[str, str]()
    lefts = {role.bone for role in roles if role.name.endswith(".L")}
    by_roles = _by_roles(armature_object)
    for bone in data.bones:
        other = symmetry.flipped(bone.name)
        if other != bone.name and other in data.bones:
            if symmetry.side(bone.name) == "L":
                found[bone.name] = other
        elif bone.name in by_roles and bone.name in lefts:
            found[bone.name] = by_roles[bone.name]
    return found


def _by_roles(armature_object: bpy.types.Object) -> dict[str, str]:
    """Twins as roles have it, both ways; doubtful roles say nothing."""
    data: Any = armature_object.data
    stored = properties.character(armature_object).posewright_roles
    bones = {role.name: role.bone for role in stored if role.bone in data.bones and not role.doubtful}
    found = dict[str, str]()
    for role, bone in bones.items():
        other = bones.get(f"{role[:-1]}R", "") if role.endswith(".L") else ""
        if other and other != bone:
            found[bone], found[other] = other, bone
    return found


def across(armature_object: bpy.types.Object, bone: str, other: str) -> Matrix:
    """From a bone's axes to the mirror image in those of its twin (3×3): of points from the head, and of directions."""
    return _rest(armature_object, other).to_3x3().inverted() @ _MIRROR @ _rest(armature_object, bone).to_3x3()


def frame(armature_object: bpy.types.Object, bone: str, other: str, world: Matrix, wanted: Frame) -> Frame:
    """Where a bone's twin is to be when the bone is to be there; both in the world, turns as by the rest poses.

    Args:
        armature_object: whose rest pose counts.
        bone: the one that is to be at `wanted`.
        other: its twin.
        world: where the armature object is.
        wanted: a place and turn of the bone in the world.
    """
    inside = wanted.seen_from(world)
    by = inside.turn @ turn_of(_rest(armature_object, bone)).inverted()
    turn = Quaternion((by.w, by.x, -by.y, -by.z)) @ turn_of(_rest(armature_object, other))
    return Frame(_MIRROR @ inside.place, turn).seen_with(world)


def _rest(armature_object: bpy.types.Object, bone: str) -> Matrix:
    """A bone at rest, in armature space."""
    data: Any = armature_object.data
    rest: Matrix = data.bones[bone].matrix_local
    return rest
