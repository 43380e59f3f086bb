"""Loops: two points of the body held together, with or without their turn."""

from collections.abc import Mapping, Sequence

import bpy
from mathutils import Quaternion

from ...properties import POSEWRIGHT_PG_relation
from ...solvers import Goal, Loop
from ...solvers.errors import PosewrightError
from .. import places
from ..asked import Setting
from . import points
from .relation import LEVELS, Relation, lengths, refuse_missing


def read(armature_object: bpy.types.Object, rows: Mapping[int, POSEWRIGHT_PG_relation]) -> dict[int, Relation | str]:
    """Loops that can be had, by row; of the others, why not."""
    found, there = dict[int, Relation | str](), lengths(armature_object)
    for row, one in rows.items():
        try:
            found[row] = _relation(there, row, one)
        except PosewrightError as error:
            found[row] = str(error)
    return found


def _relation(there: Mapping[str, float], row: int, one: POSEWRIGHT_PG_relation) -> Relation:
    parts = list(one.parts)
    bones = [part.bone for part in parts]
    refuse_missing(there, bones)
    if len(bones) != 2:
        raise PosewrightError(f"it holds two points together, and has {len(bones)}")
    if bones[0] == bones[1]:
        raise PosewrightError(f"both its points are on {bones[0]!r}")
    ends = [(part.bone, points.on_bone(there, part)) for part in parts]
    turn = Quaternion(one.turn[:])
    if one.turned and not 0.5 < turn.magnitude < 2.0:
        raise PosewrightError("its turn is no rotation: press As Posed")
    rotation = turn.normalized()[:] if one.turned else None
    weight, level = one.weight, LEVELS[one.level]

    def make(where: Setting) -> Sequence[Goal]:
        (first, point), (second, other) = (points.in_rig(where, end) for end in ends)
        return [Loop(first, second, point=point, other=other, rotation=rotation, weight=weight, level=level)]

    return Relation(row, frozenset(bones), make)


def turn_now(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> Quaternion:
    """How the first bone is turned now, as seen from the second. Raises an error where one is missing."""
    refuse_missing(lengths(armature_object), [part.bone for part in one.parts])
    first, second = (places.turn_of(places.world_matrix(armature_object, None, part.bone)) for part in one.parts)
    return second.inverted() @ first
