"""Wires: a strap, rope or muscle through points of bones that cannot get longer, or has an exact length."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import bpy
from mathutils import Vector

from ...properties import POSEWRIGHT_PG_relation
from ...solvers import Goal, Wire
from ...solvers.errors import PosewrightError
from .. import places
from ..asked import Setting
from . import points
from .relation import Relation, lengths, level_of, refuse_missing


def read(armature_object: bpy.types.Object, rows: Mapping[int, POSEWRIGHT_PG_relation]) -> dict[int, Relation | str]:
    """Wires that can be had, by row; of the others, why not."""
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
    if len(bones) < 2:
        raise PosewrightError("it takes two points or more")
    if len(set(bones)) < 2:
        raise PosewrightError(f"all its points are on {bones[0]!r}: no joint is between them")
    if not 0.0 < one.length < math.inf:
        raise PosewrightError("its length is zero: press the pipette beside it (As Posed), or set one")
    via = [(part.bone, points.on_bone(there, part)) for part in parts]
    length, exact, weight, level = one.length, one.exact, one.weight, level_of(one)

    def make(where: Setting) -> Sequence[Goal]:
        ends, longest = [points.in_rig(where, point) for point in via], where.rig.scale * length
        return [Wire(tuple(ends), longest, exact=exact, weight=weight, level=level)]

    return Relation(row, frozenset(bones), make)


def line(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> list[Vector]:
    """Where a wire's points are in the world. Raises an error where a bone is missing."""
    return [points.in_world(armature_object, part) for part in one.parts]


def length_now(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> float:
    """How long a wire is as posed, in units of the armature. Raises an error where a bone is missing."""
    refuse_missing(lengths(armature_object), [part.bone for part in one.parts])
    inverse: Any = places.inverse(armature_object.matrix_world)
    return math.fsum((inverse @ end - inverse @ begin).length for begin, end in pairwise(line(armature_object, one)))
