"""A goal of one side of the body for the other side, across the armature's YZ plane; `twins` has the geometry."""

import bpy
from mathutils import Matrix, Vector

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers.errors import PosewrightError
from . import goal_list, places, symmetry, twins
from .places import DIRECTIONS

_SAME_POINT = 1e-4  # of the bone's length: points that are nearer are the same


def mirror(armature_object: bpy.types.Object, index: int, depsgraph: bpy.types.Depsgraph | None = None) -> str:
    """Make or change the goal of the other side so that it asks for the mirror image. Returns its name."""
    place, goal = goal_list.at(armature_object, index)
    other = symmetry.flipped(goal.bone)
    if other == goal.bone:
        raise PosewrightError(f"The bone {goal.bone!r} has no left or right in its name")
    goal_list.refuse_missing(armature_object, goal.bone)
    goal_list.refuse_missing(armature_object, other)
    across = twins.across(armature_object, goal.bone, other)
    wanted = None
    if goal.state != "IDLE" or goal.kind == "LOOK_AT":
        world = places.world_matrix(armature_object, depsgraph)
        asked = places.target(armature_object, goal, depsgraph)
        wanted = twins.frame(armature_object, goal.bone, other, world, asked)
    there = _counterpart(armature_object, goal, other, across)
    if there is None:
        there = goal_list.copy(armature_object, place)
        twin = properties.character(armature_object).posewright_goals[there]
        name = symmetry.flipped(goal.name)
        twin.name = goal_list.free_name(armature_object, name if name != goal.name else other)
    goals = properties.character(armature_object).posewright_goals
    goal, twin = goals[place], goals[there]
    goal_list.copy_settings(goal, twin)
    twin.dragged, twin.bone, twin.group = False, other, symmetry.flipped(goal.group)
    twin.offset, twin.direction = across @ goal.offset, _axis(across @ Vector(DIRECTIONS[goal.direction]))
    twin.target_bone = _other_bone(goal.target, goal.target_bone)
    twin.space_bone = _other_bone(goal.space_object, goal.space_bone)
    if wanted is not None:
        places.put(armature_object, twin, wanted, depsgraph)
    properties.character(armature_object).posewright_active_goal = there
    return twin.name


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
