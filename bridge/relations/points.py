"""Points of bones: where they are on the bone, and where in the world."""

from collections.abc import Mapping

import bpy
from mathutils import Matrix, Vector

from ...properties import POSEWRIGHT_PG_relation_part
from ...solvers.errors import PosewrightError
from .. import places
from ..asked import Setting
from .relation import lengths

FARTHEST = 1e6  # units of the armature: farther off, an offset is no point of a bone


def on_bone(long: Mapping[str, float], part: POSEWRIGHT_PG_relation_part) -> Vector:
    """A point from the bone's head along the bone's axes, in units of the armature; `long` says how long bones are."""
    point = part.point
    if point == "HEAD":
        return Vector()
    if point == "TAIL":
        return Vector((0.0, long[part.bone], 0.0))
    offset = part.offset.copy()
    if not offset.length < FARTHEST:  # nor is that of what is not a number
        raise PosewrightError(f"its offset from {part.bone!r} is too far away or no number: set it anew")
    return offset


def owner(armature_object: bpy.types.Object, part: POSEWRIGHT_PG_relation_part) -> bpy.types.Object:
    """Whose bone it is: the character's own, or another's. Raises an error where that one is gone."""
    if not part.other:
        return armature_object
    if part.character is None:
        raise PosewrightError("its other character was deleted: choose one")
    return part.character


def in_world(
    armature_object: bpy.types.Object,
    part: POSEWRIGHT_PG_relation_part,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> Vector:
    """Where a point is now. Raises an error where its bone is missing."""
    whose = owner(armature_object, part)
    bone = places.world_matrix(whose, depsgraph, part.bone)
    return bone @ on_bone(lengths(whose), part)


def in_rig(where: Setting, point: tuple[str, Vector]) -> tuple[str, tuple[float, ...]]:
    """The body of a bone and a point [3] of it, as the solvers have them."""
    bone, place = point
    return where.rig.frame_names[bone], (where.rig.scale * place)[:]


def offset_at(armature_object: bpy.types.Object, part: POSEWRIGHT_PG_relation_part, place: Vector) -> Vector:
    """The offset by which a part's point would be at a place of the world now. Raises an error where there is none."""
    bone: Matrix = places.world_matrix(owner(armature_object, part), None, part.bone)
    return places.inverse(bone) @ place
