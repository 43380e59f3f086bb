"""Couplings by roles: fingers that curl as one, a back that bends evenly. As posed now they hold, so nothing moves."""

from collections.abc import Iterator
from itertools import pairwise

import bpy

from ... import properties
from ...motion import habits
from ...solvers.errors import PosewrightError
from .. import armature, pelvis
from ..rig import Rig
from ..roles import stored
from . import couplings, editing

FINGERS = ("index", "middle", "ring", "little")
WHOLE = 3  # thirds: a joint bends as much as the one that it follows
TIP = 2  # thirds: the last joint of a finger, because tendons of people couple it so with the one before
_Share = tuple[str, str, str, int]  # the bone that follows, the one that is followed, the axis, how many thirds


def add(armature_object: bpy.types.Object, which: str) -> str:
    """Add the couplings of "FINGERS" or "SPINE", but for joints that follow already. Returns what to say."""
    roles = stored.known(armature_object)
    shares = list(_fingers(roles) if which == "FINGERS" else _spine(roles))
    what = "fingers of two or more bones are" if which == "FINGERS" else "back of two or more bones is"
    if not shares:
        raise PosewrightError(f"No {what} known: set up the character, or choose the bones of its roles")
    if which == "FINGERS" and not any(bone in _anatomical(armature_object) for bone, *_ in shares):
        raise PosewrightError("How these fingers bend is not known: press Set Up Character, with human limits")
    rig = armature.read(armature_object, pelvis.movers(armature_object).translating)
    there = {(one.bone, one.axis) for one in _couplings(armature_object)}
    added = [one for one in shares if (one[0], one[2]) not in there and _couple(armature_object, rig, one)]
    if not added:
        raise PosewrightError("All these joints follow others already, or do not turn")
    return f"{len(added)} couplings"


def _anatomical(armature_object: bpy.types.Object) -> set[str]:
    return {one.name for one in properties.character(armature_object).posewright_joints if one.source != "BONE"}


def _couplings(armature_object: bpy.types.Object) -> Iterator[properties.POSEWRIGHT_PG_relation]:
    return (one for one in properties.character(armature_object).posewright_relations if one.kind == "COUPLING")


def _fingers(roles: dict[str, str]) -> Iterator[_Share]:
    for side in ("L", "R"):
        for finger in FINGERS:
            first, middle, last = (roles.get(f"{finger}.{number}.{side}") for number in (1, 2, 3))
            if first and middle:
                yield middle, first, "X", WHOLE
            if middle and last:
                yield last, middle, "X", TIP
        middle, last = (roles.get(f"thumb.{number}.{side}") for number in (2, 3))
        if middle and last:
            yield last, middle, "X", TIP


def _spine(roles: dict[str, str]) -> Iterator[_Share]:
    """Each bone of the trunk as the one below it, about all axes."""
    trunk = habits.chains(roles).get("spine", [])
    for below, above in pairwise(roles[role] for role in trunk):
        for axis in "XYZ":
            yield above, below, axis, WHOLE


def _couple(armature_object: bpy.types.Object, rig: Rig, share: _Share) -> bool:
    """Add a coupling; none where a joint does not turn so."""
    bone, other, axis, thirds = share
    try:
        own, followed = (float(rig.q[couplings.variable_of(rig, name, axis)]) for name in (bone, other))
    except PosewrightError:
        return False
    found = editing.add(armature_object, "COUPLING", f"{bone} {axis}")
    found.bone, found.axis = bone, axis
    editing.add_part(armature_object, found, other).axis = axis
    rest = own - thirds / 3.0 * followed
    times = "a" if thirds == WHOLE else f"{thirds} / 3 * a"
    found.expression = times if abs(rest) < 5e-5 else f"{times} {'+' if rest > 0.0 else '-'} {abs(rest):.4f}"
    return True
