"""Contacts and soles as they are stored with a character. What was made or changed by hand survives a new analysis."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ... import properties
from ...motion.feet.contacts import runs
from ...motion.feet.walk import PARTS, Bools, Ints
from ...properties import POSEWRIGHT_PG_contact, POSEWRIGHT_PG_sole
from . import sole
from .sole import Leg, Shape


class Row(NamedTuple):
    """A contact, as it is stored."""

    foot: str
    part: str
    first: int
    last: int
    mute: bool = False
    by_hand: bool = False


def soles(armature_object: bpy.types.Object, legs: Sequence[Leg]) -> list[Shape]:
    """The soles of feet: those that were changed by hand as they are, the others measured."""
    stored = properties.character(armature_object).posewright_soles
    found = list[Shape]()
    for leg in legs:
        row = stored.get(leg.role)
        found.append(sole.of_stored(row) if row and row.by_hand else sole.measure(armature_object, leg))
    return found


def kept(armature_object: bpy.types.Object, leg: Leg) -> Shape:
    """The sole of a foot as it is stored, else by its bones: nothing is measured."""
    row = properties.character(armature_object).posewright_soles.get(leg.role)
    return sole.of_stored(row) if row else sole.by_bones(armature_object, leg)


def keep_soles(armature_object: bpy.types.Object, legs: Sequence[Leg], shapes: Sequence[Shape]) -> None:
    """Store the soles of feet, but for those that were changed by hand."""
    stored = properties.character(armature_object).posewright_soles
    for leg, shape in zip(legs, shapes, strict=True):
        row: POSEWRIGHT_PG_sole | None = stored.get(leg.role)
        if row is None:
            row = stored.add()
            row.name = leg.role
        elif row.by_hand:
            continue
        row.heel, row.ball, row.toe = (point.tolist() for point in shape[:3])
        row.width_heel, row.width_ball, row.width_toe = shape.widths
        row.by_hand = False


def reset_soles(armature_object: bpy.types.Object) -> str:
    """Measure all soles anew, those that were changed by hand as well. Returns what to say."""
    legs = sole.legs(armature_object)
    for row in properties.character(armature_object).posewright_soles:
        row.by_hand = False
    shapes = soles(armature_object, legs)
    keep_soles(armature_object, legs, shapes)
    how = "the skin" if all(one.by_skin for one in shapes) else "the bones"
    return f"{len(legs)} soles by {how}"


def rows(armature_object: bpy.types.Object) -> list[Row]:
    """The contacts that are stored."""
    return [_row(one) for one in properties.character(armature_object).posewright_contacts]


def merged(kept: Sequence[Row], legs: Sequence[Leg], frames: Ints, found: Sequence[Bools]) -> list[Row]:
    """What was found [F, 3] for each foot as rows, with those made by hand in place of what they overlap."""
    by_hand = [one for one in kept if one.by_hand]
    made = list[Row]()
    for leg, held in zip(legs, found, strict=True):
        for part, name in enumerate(PARTS):
            left = held[:, part].copy()
            for one in by_hand:
                if (one.foot, one.part) == (leg.role, name.upper()):
                    left &= ~_frames(one, frames)
            made += [Row(leg.role, name.upper(), int(frames[first]), int(frames[last])) for first, last in runs(left)]
    order = [name.upper() for name in PARTS]
    return sorted([*by_hand, *made], key=lambda one: (one.foot, order.index(one.part), one.first))


def held(some: Sequence[Row], legs: Sequence[Leg], frames: Ints) -> list[Bools]:
    """For each foot, which parts of its sole touch the ground [F, 3], by rows that are not muted."""
    found = [np.zeros((len(frames), len(PARTS)), np.bool_) for _ in legs]
    order = [name.upper() for name in PARTS]
    for leg, mine in zip(legs, found, strict=True):
        for one in some:
            if one.foot == leg.role and not one.mute:
                mine[:, order.index(one.part)] |= _frames(one, frames)
    return found


def keep(armature_object: bpy.types.Object, some: Sequence[Row]) -> None:
    """Store contacts in place of those that are there. Of an override, rows from the library are used again."""
    stored = properties.character(armature_object).posewright_contacts
    stored.clear()
    left = list(stored)
    for index, one in enumerate(some):
        _put(left[index] if index < len(left) else _added(stored, index), one)
    for row in left[len(some) :]:
        row.mute = True


def add(armature_object: bpy.types.Object, row: Row) -> int:
    """Add a contact made by hand. Returns its place in the list."""
    stored = properties.character(armature_object).posewright_contacts
    _put(_added(stored, len(stored)), row._replace(by_hand=True))
    return len(stored) - 1


def _added(stored: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_contact]", number: int) -> POSEWRIGHT_PG_contact:
    """A new row, with a name that no other has: by names Blender knows the items of an override."""
    while f"contact {number}" in stored:
        number += 1
    row = stored.add()
    row.name = f"contact {number}"
    return row


def _put(row: POSEWRIGHT_PG_contact, one: Row) -> None:
    row.foot, row.part, row.first, row.last, row.mute = one.foot, one.part, one.first, one.last, one.mute
    row.by_hand = one.by_hand  # the last: setting any of the others says that it was a hand


def _row(row: POSEWRIGHT_PG_contact) -> Row:
    return Row(row.foot, row.part, row.first, row.last, row.mute, row.by_hand)


def _frames(one: Row, frames: Ints) -> Bools:
    """Which of some frames [F] a contact has."""
    found: Bools = (frames >= one.first) & (frames <= one.last)
    return found
