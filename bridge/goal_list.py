"""A character's goals as a list: add, remove, move, copy. What animates them goes with them.

Keys and drivers know a goal by its place in the list (`posewright_goals[2].weight`). Linked goals of a library override
can be changed, but neither removed nor moved; Blender knows them by name, so on every object names differ.
"""

from collections.abc import Iterable
from typing import Any

import bpy

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers.errors import PosewrightError
from . import item_lists, outcome
from .item_lists import GOALS

_OWN = {"name", "rna_type"}  # what a copy does not take over


def at(armature_object: bpy.types.Object, index: int) -> tuple[int, POSEWRIGHT_PG_goal]:
    """The goal at a place of the list, the active one for -1. Raises an error where there is none."""
    return item_lists.at(armature_object, GOALS, index)


def same(armature_object: bpy.types.Object, kind: str, bone: str, point: str) -> int | None:
    """The place of a goal that asks the same of a bone. Points of one's own are never the same."""
    for index, goal in enumerate(properties.character(armature_object).posewright_goals):
        alike = goal.kind == kind and goal.bone == bone
        if alike and (kind != "POSE" or (goal.point == point and point != "OFFSET")):
            return index
    return None


def refuse_same(
    armature_object: bpy.types.Object, kind: str, bone: str, point: str, besides: int | None = None
) -> None:
    """Raise an error that names a goal which asks the same of the bone already."""
    there = same(armature_object, kind, bone, point)
    if there is not None and there != besides:
        name = properties.character(armature_object).posewright_goals[there].name
        raise PosewrightError(f"The goal {name!r} asks the same of {bone!r} already")


def refuse_missing(armature_object: bpy.types.Object, bone: str) -> None:
    """Raise an error if an armature has no such bone."""
    if armature_object.pose is None or bone not in armature_object.pose.bones:
        raise PosewrightError(f"{armature_object.name!r} has no bone {bone!r}")


def add(armature_object: bpy.types.Object, bone: str, kind: str = "POSE", point: str = "HEAD") -> int:
    """Add an idle goal for a bone, make it the active one and return its place."""
    refuse_missing(armature_object, bone)
    refuse_same(armature_object, kind, bone, point)
    character = properties.character(armature_object)
    name = free_name(armature_object, bone)
    goal = character.posewright_goals.add()
    goal.name, goal.bone, goal.kind, goal.point = name, bone, kind, point
    character.posewright_active_goal = len(character.posewright_goals) - 1
    _changed(armature_object)
    return character.posewright_active_goal


def add_many(armature_object: bpy.types.Object, bones: Iterable[str], kind: str, point: str) -> list[str]:
    """Add idle goals for several bones, but for those that have such a goal. Returns the bones of the new ones.

    Raises an error if there is no bone to add one for.
    """
    wanted, added = list(bones), []
    if not wanted:
        raise PosewrightError("Select bones in Pose Mode, or name one")
    for bone in wanted:
        if len(wanted) == 1 or same(armature_object, kind, bone, point) is None:
            add(armature_object, bone, kind, point)
            added.append(bone)
    if not added:
        raise PosewrightError(f"All {len(wanted)} selected bones have such a goal already")
    return added


def remove(armature_object: bpy.types.Object, index: int) -> str:
    """Remove a goal with its keys and drivers; those behind it keep theirs. Returns its name."""
    name = item_lists.remove(armature_object, GOALS, index)
    # A goal that is added later must not find this one's reference.
    properties.character(armature_object).posewright_anchor = ""
    _changed(armature_object)
    return name


def move(armature_object: bpy.types.Object, index: int, to: int) -> None:
    """Move a goal to another place of the list, with its keys and drivers; those between make room."""
    if item_lists.move(armature_object, GOALS, index, to):
        _changed(armature_object)


def copy(armature_object: bpy.types.Object, index: int, bone: str = "") -> int:
    """Copy a goal behind itself, idle and without its animation; for another bone, if named. Returns its place."""
    character = properties.character(armature_object)
    goals = character.posewright_goals
    place, goal = at(armature_object, index)
    if bone:
        refuse_missing(armature_object, bone)
        refuse_same(armature_object, goal.kind, bone, goal.point)
    name = free_name(armature_object, bone or goal.name)
    twin = goals.add()
    twin.name = name
    copy_settings(goals[place], twin)
    twin.state, twin.dragged, twin.bone = "IDLE", False, bone or twin.bone
    new = len(goals) - 1
    character.posewright_active_goal = new
    _changed(armature_object)
    move(armature_object, new, place + 1)
    return place + 1


def copy_settings(goal: POSEWRIGHT_PG_goal, twin: POSEWRIGHT_PG_goal) -> None:
    """Give a goal all settings of another one but its name."""
    for name, value in settings(goal).items():
        setattr(twin, name, value)


def settings(goal: POSEWRIGHT_PG_goal) -> dict[str, Any]:
    """All settings of a goal but its name, as they are now, by their names."""
    names = [one.identifier for one in goal.bl_rna.properties if one.identifier not in _OWN and not one.is_readonly]
    return {name: _kept(getattr(goal, name)) for name in names}


def _kept(value: Any) -> Any:  # noqa: ANN401 - whatever a setting can be
    """A value that stays as it is when the goal changes: arrays are looked at, not copied, by Blender."""
    if hasattr(value, "copy") and not isinstance(value, bpy.types.ID):
        return value.copy()
    return tuple(value) if hasattr(value, "foreach_get") else value


def rebind(armature_object: bpy.types.Object, index: int, bone: str) -> None:
    """Give a goal another bone: its own may have been renamed."""
    place, goal = at(armature_object, index)
    refuse_missing(armature_object, bone)
    refuse_same(armature_object, goal.kind, bone, goal.point, besides=place)
    if goal.name == goal.bone and not properties.is_linked(armature_object, goal):
        goal.name = free_name(armature_object, bone)
    goal.bone = bone


def group(armature_object: bpy.types.Object, indices: Iterable[int], name: str) -> None:
    """Put goals into a group, or with an empty name out of theirs."""
    for index in indices:
        at(armature_object, index)[1].group = name


def free_name(armature_object: bpy.types.Object, wanted: str) -> str:
    """A name that no goal of the character has: the one wanted, or it with a number."""
    taken = {goal.name for goal in properties.character(armature_object).posewright_goals}
    return properties.free_name(wanted, taken)


def _changed(armature_object: bpy.types.Object) -> None:
    """The list is another: what the last solve came to is about other places, and adding alone reports nothing."""
    outcome.forget(armature_object)
    armature_object.update_tag()
