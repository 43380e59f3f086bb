"""A goal of one side of the body for the other side, across the armature's YZ plane; `twins` has the geometry."""

import contextlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import bpy
from mathutils import Matrix, Vector

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers.errors import PosewrightError
from . import goal_list, places, symmetry, twins
from .places import DIRECTIONS, Frame

_SAME_POINT = 1e-4  # of the bone's length: points that are nearer are the same


class Image(NamedTuple):
    """What the goal of the other side is to be."""

    settings: dict[str, Any]  # of a goal, by name
    wanted: Frame | None  # in the world; None where it asks for nothing
    there: str  # the name of the goal that is to be so; empty for a new one


def mirror(armature_object: bpy.types.Object, index: int, depsgraph: bpy.types.Depsgraph | None = None) -> str:
    """Make or change the goal of the other side so that it asks for the mirror image. Returns its name."""
    _, goal = goal_list.at(armature_object, index)
    goal_list.refuse_missing(armature_object, goal.bone)
    other = twins.twin(armature_object, goal.bone)
    if not other and (named := symmetry.flipped(goal.bone)) != goal.bone:
        goal_list.refuse_missing(armature_object, named)
    if not other:
        raise PosewrightError(f"The bone {goal.bone!r} has no left or right in its name, nor a role that has")
    name = _put(armature_object, goal.name, image(armature_object, goal, other, depsgraph), depsgraph)
    goals = properties.character(armature_object).posewright_goals
    properties.character(armature_object).posewright_active_goal = goals.find(name)
    return name


def images(
    armature_object: bpy.types.Object, pairs: Mapping[str, str], depsgraph: bpy.types.Depsgraph | None = None
) -> dict[str, Image]:
    """The images of all goals on some bones, each with the bone that gets its mirror image; by the goals' names."""
    goals = properties.character(armature_object).posewright_goals
    found = {}
    for goal in goals:
        if goal.bone in pairs and not goal.temporary:
            with contextlib.suppress(PosewrightError):  # no target: it asks for nothing, and the list shows it
                found[goal.name] = image(armature_object, goal, pairs[goal.bone], depsgraph)
    return found


def exchange(
    armature_object: bpy.types.Object,
    pairs: Mapping[str, str],
    made: Mapping[str, Image],
    depsgraph: bpy.types.Depsgraph | None = None,
) -> None:
    """Have goals be what the images say; a goal of a bone that got another pose, but no image, asks for nothing."""
    goals = properties.character(armature_object).posewright_goals
    changed = set(pairs.values())
    for goal in goals:
        if goal.bone in changed and goal.state != "IDLE":
            goal.state = "IDLE"
    for name, one in made.items():
        _put(armature_object, name, one, depsgraph)


def image(
    armature_object: bpy.types.Object,
    goal: POSEWRIGHT_PG_goal,
    other: str,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> Image:
    """What a goal is in the mirror, where its bone is another one, or the same in the middle of the body."""
    across = twins.across(armature_object, goal.bone, other)
    wanted = None
    if goal.state != "IDLE" or goal.kind == "LOOK_AT":
        world = places.world_matrix(armature_object, depsgraph)
        asked = places.target(armature_object, goal, depsgraph)
        wanted = twins.frame(armature_object, goal.bone, other, world, asked)
    settings = goal_list.settings(goal) | {
        "dragged": False,
        "bone": other,
        "group": symmetry.flipped(goal.group),
        "offset": across @ goal.offset,
        "direction": _axis(across @ Vector(DIRECTIONS[goal.direction])),
        "target_bone": _other_bone(goal.target, goal.target_bone),
        "target_from": _other_bone(goal.target, goal.target_from),
        "space_bone": _other_bone(goal.space_object, goal.space_bone),
    }
    if other == goal.bone:
        return Image(settings, wanted, goal.name)
    there = _counterpart(armature_object, goal, other, across)
    goals = properties.character(armature_object).posewright_goals
    return Image(settings, wanted, "" if there is None else goals[there].name)


def _put(armature_object: bpy.types.Object, name: str, one: Image, depsgraph: bpy.types.Depsgraph | None = None) -> str:
    """Have the other side's goal be the image of a goal. Returns its name."""
    goals = properties.character(armature_object).posewright_goals
    there = one.there
    if not there:
        place = goal_list.copy(armature_object, goals.find(name))
        other = symmetry.flipped(name)
        there = goal_list.free_name(armature_object, other if other != name else one.settings["bone"])
        goals[place].name = there
    twin = goals[there]
    for key, value in one.settings.items():
        setattr(twin, key, value)
    if one.wanted is not None:
        places.put(armature_object, twin, one.wanted, depsgraph)
    return there


def _counterpart(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, other: str, across: Matrix) -> int | None:
    """The place of the other side's goal, if there is one."""
    if goal.kind == "LOOK_AT" or goal.point != "OFFSET":
        return goal_list.same(armature_object, goal.kind, other, goal.point)
    point = across @ goal.offset
    for index, one in enumerate(properties.character(armature_object).posewright_goals):
        near = (one.offset - point).length <= _SAME_POINT * max(1.0, point.length)
        if (one.kind, one.bone, one.point) == ("POSE", other, "OFFSET") and near:
            return index
    return None


def _axis(direction: Vector) -> str:
    """The name of the axis that is nearest to a direction."""
    return max(DIRECTIONS, key=lambda name: direction.dot(Vector(DIRECTIONS[name])))


def _other_bone(thing: bpy.types.Object | None, bone: str) -> str:
    """The bone of the other side if the thing has one, else the same."""
    other = symmetry.flipped(bone)
    return other if thing is not None and thing.pose is not None and other in thing.pose.bones else bone
