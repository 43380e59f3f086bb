"""The lists that a character stores: at which place an item is, removing, moving. What animates items goes with them.

Keys and drivers know an item by its place (list_curves). Linked items of a library override can be changed, but neither
removed nor moved.
"""

from typing import Any, NamedTuple

import bpy

from .. import properties
from ..solvers.errors import PosewrightError
from . import list_curves


class Listed(NamedTuple):
    """One of the lists."""

    items: str  # the collection
    active: str  # the place of the active one
    noun: str  # for people: what an item is


GOALS = Listed("posewright_goals", "posewright_active_goal", "goal")
RELATIONS = Listed("posewright_relations", "posewright_active_relation", "relation")
SHAPES = Listed("posewright_shapes", "posewright_active_shape", "shape")


def at(armature_object: bpy.types.Object, listed: Listed, index: int) -> tuple[int, Any]:
    """The item at a place of a list, the active one for -1. Raises an error where there is none."""
    items, place = getattr(armature_object, listed.items), index
    if index == -1:
        place = getattr(armature_object, listed.active)
    if not 0 <= place < len(items):
        known = f"it has {len(items) or 'none'}"
        raise PosewrightError(f"{armature_object.name!r} has no {listed.noun} {place}: {known}")
    return place, items[place]


def without(place: int, count: int) -> dict[int, int | None]:
    """Where the items of a list of so many go when one is removed."""
    return {place: None} | {old: old - 1 for old in range(place + 1, count)}


def moved(place: int, to: int) -> dict[int, int | None]:
    """Where the items of a list go when one is moved to another place: those between make room, the nearest first."""
    step = 1 if to > place else -1
    order: dict[int, int | None] = {place: to}
    order.update((old, old - step) for old in range(place + step, to + step, step))
    return order


def remove(armature_object: bpy.types.Object, listed: Listed, index: int) -> str:
    """Remove an item with its keys and drivers; those behind it keep theirs. Returns its name."""
    place, one = at(armature_object, listed, index)
    items, name = getattr(armature_object, listed.items), one.name
    order = without(place, len(items))
    list_curves.refuse_linked(armature_object, listed.items, order)
    if properties.is_linked(armature_object, one):
        raise PosewrightError(f"The {listed.noun} {name!r} is linked and cannot be removed: switch it off instead")
    items.remove(place)
    list_curves.carry(armature_object, listed.items, order)
    active = getattr(armature_object, listed.active)
    setattr(armature_object, listed.active, max(0, min(active - (active > place), len(items) - 1)))
    return str(name)


def move(armature_object: bpy.types.Object, listed: Listed, index: int, to: int) -> bool:
    """Move an item to another place, with its keys and drivers; those between make room. Returns if it has moved."""
    items = getattr(armature_object, listed.items)
    place, one = at(armature_object, listed, index)
    to = max(0, min(to, len(items) - 1))
    if to == place:
        return False
    order = moved(place, to)
    list_curves.refuse_linked(armature_object, listed.items, order)
    if not properties.is_linked(armature_object, one):
        items.move(place, to)
    else:  # it stays, and its neighbours go round it, if they can
        between = [old for old in order if old != place]
        for other in (items[old] for old in between):
            if properties.is_linked(armature_object, other):
                both = f"{one.name!r} and {other.name!r}"
                raise PosewrightError(f"The {listed.noun}s {both} are linked, and so is their order")
        for old in between:
            items.move(old, order[old])
    list_curves.carry(armature_object, listed.items, order)
    active = getattr(armature_object, listed.active)
    setattr(armature_object, listed.active, order.get(active, active) or 0)
    return True
