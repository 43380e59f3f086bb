"""The other side of a character: which bone is a bone's twin, and where a place and turn are in the mirror.

The mirror is the YZ plane of the armature, as for Blender's own X-Axis Mirror; twins are told by their names.
"""

from typing import Any

import bpy
from mathutils import Matrix, Quaternion, Vector

from . import symmetry
from .places import Frame, turn_of

_MIRROR = Matrix.Diagonal((-1.0, 1.0, 1.0, 1.0))


def twin(armature_object: bpy.types.Object, bone: str) -> str:
    """The name of the bone on the other side; empty where there is none."""
    data: Any = armature_object.data
    other = symmetry.flipped(bone)
    return other if other != bone and other in data.bones else ""


def point(armature_object: bpy.types.Object, bone: str, other: str, offset: Vector) -> Vector:
    """A bone's point (in the bone's frame), on its twin: by their rest poses, whatever their rolls."""
    data: Any = armature_object.data
    rest: Matrix = data.bones[bone].matrix_local
    other_rest: Matrix = data.bones[other].matrix_local
    return other_rest.inverted() @ (_MIRROR @ (rest @ offset))


def frame(armature_object: bpy.types.Object, bone: str, other: str, world: Matrix, wanted: Frame) -> Frame:
    """Where a bone's twin is to be when the bone is to be there; both in the world, turns as by the rest poses.

    Args:
        armature_object: whose rest pose counts.
        bone: the one that is to be at `wanted`.
        other: its twin.
        world: where the armature object is.
        wanted: a place and turn of the bone in the world.
    """
    data: Any = armature_object.data
    inside = wanted.seen_from(world)
    turned = inside.turn @ turn_of(data.bones[bone].matrix_local).inverted()
    mirrored = Quaternion((turned.w, turned.x, -turned.y, -turned.z))
    there = Frame(_MIRROR @ inside.place, mirrored @ turn_of(data.bones[other].matrix_local))
    return there.seen_with(world)
