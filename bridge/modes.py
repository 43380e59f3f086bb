"""How much of a body moves: all of it, the part of what is dragged, or the bones that were chosen.

The pose stays a function of what is stored: chosen bones are stored with the character, taken from Blender's selection
when they are chosen and not looked at again. Bones outside what may move keep their channels to the last bit; goals
that could only be had by moving them stay unmet, and say so.
"""

from collections.abc import Iterable, Sequence

import bpy

from .. import properties
from ..solvers.errors import PosewrightError
from . import limbs, selection
from .asked import Wish

WORDS = {"FULL": "the whole body", "PART": "its part of the body", "SELECTION": "the chosen bones"}


def free(
    armature_object: bpy.types.Object,
    wishes: Sequence[Wish],
    others: frozenset[str] = frozenset(),
    pulled: frozenset[str] = frozenset(),
) -> frozenset[str] | None:
    """The bones that may move now; None for all.

    In the mode of parts those are the parts of what is dragged; while nothing is, of all that asks for something, so
    that pins hold when the pose is changed by other means. Where no goal asks, they are the parts of `others`. By the
    bones that are `pulled`, another character holds this one: unless it is dragged itself, their parts may move, too.
    """
    mode = properties.character(armature_object).posewright_mode
    if mode == "PART":
        good = [one for one in wishes if not one.trouble]
        dragged = [one for one in good if one.goal.dragged]
        asking = {one.goal.bone for one in dragged or good}
        return limbs.parts(armature_object, asking | (set() if dragged else pulled) or set(others))
    return chosen(armature_object) if mode == "SELECTION" else None


def chosen(armature_object: bpy.types.Object) -> frozenset[str]:
    """The bones that were chosen to move in the mode of the selection."""
    return frozenset(one.name for one in properties.character(armature_object).posewright_chosen if one.moves)


def switch(armature_object: bpy.types.Object, mode: str) -> str:
    """Switch to "FULL", "PART" or "SELECTION", which takes the selected bones. Returns what moves from now on."""
    if mode == "SELECTION":
        names = selection.selected(armature_object)
        if names or not chosen(armature_object):
            choose(armature_object, names)
    properties.character(armature_object).posewright_mode = mode
    count = f"{len(chosen(armature_object))} chosen bones" if mode == "SELECTION" else ""
    return f"A drag moves {count or WORDS[mode]}"


def choose(armature_object: bpy.types.Object, names: Iterable[str]) -> None:
    """Have only some bones move in the mode of the selection. Raises an error if there are none.

    Items that come from a library cannot be removed: what is no longer chosen is switched off.
    """
    wanted = set(names)
    if not wanted:
        raise PosewrightError("Select the bones in Pose Mode that are to move")
    stored = properties.character(armature_object).posewright_chosen
    if armature_object.override_library is None:
        stored.clear()
    for one in stored:
        one.moves = one.name in wanted
        wanted.discard(one.name)
    for name in sorted(wanted):
        one = stored.add()
        one.name, one.moves = name, True


def why_not(armature_object: bpy.types.Object) -> str:
    """Why nothing of a character can move in its mode; empty if something can."""
    if properties.character(armature_object).posewright_mode == "SELECTION" and not chosen(armature_object):
        return "No bones are chosen that may move: select some and take the mode Selection again, or another mode"
    return ""
