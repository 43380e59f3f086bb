"""Loops: two points held together, of one body or of two characters (`bridge/together`), with or without their turn."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import bpy
from mathutils import Quaternion, Vector

from ...properties import POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from ...solvers import Goal, Loop
from ...solvers.errors import PosewrightError
from .. import places
from ..asked import Setting
from ..together import partners
from . import points
from .relation import Relation, lengths, level_of, refuse_missing


def read(armature_object: bpy.types.Object, rows: Mapping[int, POSEWRIGHT_PG_relation]) -> dict[int, Relation | str]:
    """Loops that can be had, by row; of the others, why not."""
    found, there = dict[int, Relation | str](), lengths(armature_object)
    for row, one in rows.items():
        try:
            found[row] = _relation(armature_object, there, row, one)
        except PosewrightError as error:
            found[row] = str(error)
    return found


class _End(NamedTuple):
    """A point of a bone."""

    bone: str
    point: Vector
    partner: int = 0  # the other character's session_uid, if it is one's

    def placed(self, where: Setting) -> tuple[str, tuple[float, ...]]:
        """Its body and place there. Raises an error where the other character is not in the same tree."""
        if not self.partner:
            return points.in_rig(where, (self.bone, self.point))
        if self.partner not in where.others:
            raise PosewrightError("its other character takes no part here: both have to be live and in the scene")
        return points.in_rig(where._replace(rig=where.others[self.partner]), (self.bone, self.point))


def _relation(
    armature_object: bpy.types.Object, there: Mapping[str, float], row: int, one: POSEWRIGHT_PG_relation
) -> Relation:
    parts = list(one.parts)
    own = [part.bone for part in parts if not part.other]
    refuse_missing(there, own)
    if len(parts) != 2:
        raise PosewrightError(f"it holds two points together, and has {len(parts)}")
    if len(own) == 2 and own[0] == own[1]:
        raise PosewrightError(f"both its points are on {own[0]!r}")
    if len(own) < 2 and (trouble := partners.trouble(armature_object, one)):
        raise PosewrightError(trouble)
    ends = [_end(there, part) for part in parts]
    turn = Quaternion(one.turn[:])
    if one.turned and not 0.5 < turn.magnitude < 2.0:
        raise PosewrightError("its turn is no rotation: press As Posed")
    rotation = turn.normalized()[:] if one.turned else None
    weight, level = one.weight, level_of(one)

    def make(where: Setting) -> Sequence[Goal]:
        (first, point), (second, other) = (end.placed(where) for end in ends)
        return [Loop(first, second, point=point, other=other, rotation=rotation, weight=weight, level=level)]

    return Relation(row, frozenset(own), make)


def _end(there: Mapping[str, float], part: POSEWRIGHT_PG_relation_part) -> _End:
    partner = part.character if part.other else None
    long = there if partner is None else lengths(partner)
    return _End(part.bone, points.on_bone(long, part), partner.session_uid if partner is not None else 0)


def turn_now(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> Quaternion:
    """How the first bone is turned now, as seen from the second. Raises an error where one is missing."""
    whose = [(points.owner(armature_object, part), part.bone) for part in one.parts]
    first, second = (places.turn_of(places.world_matrix(thing, None, bone)) for thing, bone in whose)
    return second.inverted() @ first
