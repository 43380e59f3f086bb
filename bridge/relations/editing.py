"""A character's relations as a list: add, remove, move, and their parts. What animates them goes with them.

As with goals (`bridge/goal_list.py`), keys know a relation by its place, and Blender the linked ones by name.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from string import ascii_lowercase
from typing import Any

import bpy
from mathutils import Vector

from ... import properties
from ...properties import POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from ...solvers.errors import PosewrightError
from .. import item_lists, list_curves, outcome, places, ready, selection
from ..item_lists import RELATIONS
from . import loops, points, wires
from .relation import lengths

LEAST = {"COUPLING": 1, "WIRE": 2, "LOOP": 2}  # selected bones


def at(armature_object: bpy.types.Object, index: int = -1) -> tuple[int, POSEWRIGHT_PG_relation]:
    """The relation at a place of the list, the active one for -1. Raises an error where there is none."""
    return item_lists.at(armature_object, RELATIONS, index)


def add(armature_object: bpy.types.Object, kind: str, name: str) -> POSEWRIGHT_PG_relation:
    """Add a relation that has nothing yet, and make it the active one."""
    character = properties.character(armature_object)
    taken = {one.name for one in character.posewright_relations}
    found = character.posewright_relations.add()
    found.name, found.kind = properties.free_name(name, taken), kind
    character.posewright_active_relation = len(character.posewright_relations) - 1
    changed(armature_object)
    return found


@contextmanager
def _all_or_nothing(armature_object: bpy.types.Object) -> Iterator[None]:
    """Remove what was added meanwhile if it is refused: what is refused has no step of undo that would remove it."""
    character = properties.character(armature_object)
    relations, active = character.posewright_relations, character.posewright_active_relation
    count = len(relations)
    try:
        yield
    except PosewrightError:
        while len(relations) > count:
            relations.remove(len(relations) - 1)
        character.posewright_active_relation = active
        changed(armature_object)
        raise


def couple(armature_object: bpy.types.Object, bones: Sequence[str], axis: str = "X") -> str:
    """Have the joint of the first bone follow the mean of the others' angles about an axis. Returns what to say.

    With one bone, a coupling that is still to be told whom it follows.
    """
    _refuse(armature_object, "COUPLING", bones)
    found = add(armature_object, "COUPLING", f"{bones[0]} {axis}")
    found.bone, found.axis = bones[0], axis
    for bone in bones[1:]:
        add_part(armature_object, found, bone).axis = axis
    names = [part.name for part in found.parts]
    total = " + ".join(names)
    found.expression = f"({total}) / {len(names)}" if len(names) > 1 else total
    return f"{bones[0]!r} follows {', '.join(bones[1:]) or 'what its expression will say'}"


def strap(armature_object: bpy.types.Object, bones: Sequence[str]) -> str:
    """Run a wire from bone to bone, as long as it is now. Returns what to say."""
    _refuse(armature_object, "WIRE", bones)
    with _all_or_nothing(armature_object):
        found = add(armature_object, "WIRE", f"{bones[0]} to {bones[-1]}")
        for bone in bones:
            add_part(armature_object, found, bone)
        found.length = wires.length_now(armature_object, found)
    return f"A wire through {len(bones)} bones"


def hold_together(armature_object: bpy.types.Object, bones: Sequence[str], how: str, turned: bool = False) -> str:
    """Hold points of two bones together. Returns what to say.

    As they are ("POSED": the middle of the first bone, wherever that is on the second), or by their "HEADS" or "TAILS".
    """
    _refuse(armature_object, "LOOP", bones)
    if len(bones) != 2:
        raise PosewrightError(f"Select two bones that are to be held together; {len(bones)} are selected")
    with _all_or_nothing(armature_object):
        found = add(armature_object, "LOOP", f"{bones[0]} and {bones[1]}")
        for bone in bones:
            add_part(armature_object, found, bone)
        _hold(armature_object, found, how, turned)
    return f"{bones[0]!r} and {bones[1]!r} are held together"


def hold_each_other(
    armature_object: bpy.types.Object,
    bone: str,
    other: bpy.types.Object,
    its_bone: str,
    how: str,
    turned: bool = False,
) -> str:
    """Hold a bone and one of another character together, stored on the first. Returns what to say.

    As they are ("POSED": the middle of the first bone, wherever that is on the second), or by their "HEADS" or "TAILS".
    """
    if reason := ready.why_not(other):
        raise PosewrightError(reason)
    with _all_or_nothing(armature_object):
        found = add(armature_object, "LOOP", f"{bone} and {its_bone} of {other.name}")
        for whose, which in ((armature_object, bone), (other, its_bone)):
            part = add_part(armature_object, found, which)
            if whose != armature_object:
                part.other, part.character = True, whose
        _hold(armature_object, found, how, turned)
    other.update_tag()
    return f"{bone!r} and {its_bone!r} of {other.name!r} are held together"


def _hold(armature_object: bpy.types.Object, loop: POSEWRIGHT_PG_relation, how: str, turned: bool) -> None:
    """Have a loop hold its two bones: as they are posed, or by their heads or tails."""
    for part in loop.parts:
        part.point = "TAIL" if how == "TAILS" else "HEAD"
    loop.turned = turned
    if how == "POSED":
        as_posed(armature_object, loop)
    else:
        loop.turn = loops.turn_now(armature_object, loop)


def as_posed(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> str:
    """Have a wire be as long as it is now, or a loop hold its bones as they are now. Returns what to say.

    Where that is refused, nothing of it is changed.
    """
    if one.kind == "WIRE":
        one.length = wires.length_now(armature_object, one)
        return f"{one.name!r} is {one.length:.4g} long"
    if one.kind != "LOOP" or len(one.parts) != 2:
        raise PosewrightError(f"{one.name!r} has nothing that could be taken from the pose")
    (first, second), turn = one.parts, loops.turn_now(armature_object, one)
    if first.point == "OFFSET":
        held, own = points.in_world(armature_object, first), first.offset.copy()
    else:
        held = _middle(points.owner(armature_object, first), first.bone)
        own = points.offset_at(armature_object, first, held)
    second.offset = points.offset_at(armature_object, second, held)  # the last that may be refused
    first.point = second.point = "OFFSET"
    first.offset, one.turn = own, turn
    return f"{one.name!r} holds its bones as they are"


def _middle(armature_object: bpy.types.Object, bone: str) -> Vector:
    """Where the middle of a bone is in the world."""
    data: Any = armature_object.data
    return places.world_matrix(armature_object, None, bone) @ Vector((0.0, 0.5 * data.bones[bone].length, 0.0))


def from_selected(armature_object: bpy.types.Object) -> list[str]:
    """The selected bones, the active one first, the others in the order of the armature."""
    names, active = selection.selected(armature_object), selection.active(armature_object)
    if active is not None and active.name in names:
        names.remove(active.name)
        names.insert(0, active.name)
    return names


def _refuse(armature_object: bpy.types.Object, kind: str, bones: Sequence[str]) -> None:
    """Raise an error if there are too few bones, or one is missing."""
    least = LEAST[kind]
    if len(bones) < least:
        raise PosewrightError(f"Select {'a bone' if least == 1 else f'{least} bones or more'} in Pose Mode")
    for bone in bones:
        if armature_object.pose is None or bone not in armature_object.pose.bones:
            raise PosewrightError(f"{armature_object.name!r} has no bone {bone!r}")


def add_part(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation, bone: str) -> POSEWRIGHT_PG_relation_part:
    """Add a variable or a point; names differ, because by them Blender knows the parts of a linked relation."""
    taken = {part.name for part in one.parts}
    letters = [*ascii_lowercase, *(f"{letter}{number}" for number in range(1, 100) for letter in ascii_lowercase)]
    name = next(letter for letter in letters if letter not in taken)
    part = one.parts.add()
    part.name, part.bone = name, bone
    if one.kind == "BALANCE" and bone in (long := lengths(armature_object)):
        part.point, part.offset = "OFFSET", (0.0, 0.5 * long[bone], 0.0)
    one.active_part = len(one.parts) - 1
    changed(armature_object)
    return part


def remove_part(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> None:
    """Remove the active variable or point, with its keys and drivers."""
    if not 0 <= one.active_part < len(one.parts):
        raise PosewrightError(f"{one.name!r} has no part {one.active_part}")
    if one.parts[one.active_part].name in _linked_parts(armature_object, one):
        raise PosewrightError("This part is linked and cannot be removed: switch the relation off, and add another")
    order = item_lists.without(one.active_part, len(one.parts))
    list_curves.refuse_linked(armature_object, one.path_from_id("parts"), order)
    one.parts.remove(one.active_part)
    list_curves.carry(armature_object, one.path_from_id("parts"), order)
    one.active_part = max(0, min(one.active_part, len(one.parts) - 1))
    changed(armature_object)


def _linked_parts(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> set[str]:
    if not properties.is_linked(armature_object, one):
        return set()
    override: Any = armature_object.override_library
    return {part.name for part in override.reference.posewright_relations[one.name].parts}


def move_part(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation, step: int) -> None:
    """Move the active point up or down, with its keys and drivers."""
    to = max(0, min(one.active_part + step, len(one.parts) - 1))
    if properties.is_linked(armature_object, one):
        raise PosewrightError(f"The relation {one.name!r} is linked, and so is the order of its parts")
    order = item_lists.moved(one.active_part, to)
    list_curves.refuse_linked(armature_object, one.path_from_id("parts"), order)
    one.parts.move(one.active_part, to)
    list_curves.carry(armature_object, one.path_from_id("parts"), order)
    one.active_part = to
    changed(armature_object)


def remove(armature_object: bpy.types.Object, index: int = -1) -> str:
    """Remove a relation with its keys and drivers; those behind it keep theirs. Returns its name."""
    name = item_lists.remove(armature_object, RELATIONS, index)
    changed(armature_object)
    return name


def move(armature_object: bpy.types.Object, index: int, step: int) -> None:
    """Move a relation up or down in the list, with its keys and drivers, and make it the active one."""
    place, _ = at(armature_object, index)
    properties.character(armature_object).posewright_active_relation = place
    if item_lists.move(armature_object, RELATIONS, place, place + step):
        changed(armature_object)


def changed(armature_object: bpy.types.Object) -> None:
    """The list is another: what the last solve came to is about other places, and adding alone reports nothing."""
    outcome.forget(armature_object)
    armature_object.update_tag()
