"""A drag: one or two goals (the other side's, where the pose is mirrored) that go where the mouse takes them.

It sets goals; live posing does the rest. What is kept between events are names and numbers, never a reference to
Blender's data.
"""

import contextlib
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Matrix, Vector

from ... import properties
from ...properties import POSEWRIGHT_PG_goal
from ...solvers.errors import PosewrightError
from .. import goal_states, live, modes, outcome, places, twins, watch
from ..places import Frame
from . import snapshot, temporary_goals
from .snapshot import Snapshot

_NEAR = 0.25  # of a bone's length: an idle goal so near to the grabbed point is the one that is dragged


@dataclass
class Drag:
    """What is being dragged."""

    uid: int  # the object's session_uid
    name: str
    library: str | None
    goal: int  # its place in the list
    start: Frame  # where its handle was, in the world
    before: Snapshot
    count: int  # of all goals, while it goes on
    twin: int = -1  # the goal of the other side; -1 for none
    turning: bool = False  # the turn counts, too
    loose: bool = False  # the pins are let go for a moment


def why_not(armature_object: bpy.types.Object | None) -> str:
    """Why nothing of an object can be dragged; empty if something can."""
    if reason := live.why_not(armature_object):
        return reason
    assert armature_object is not None
    character = properties.character(armature_object)
    if not character.posewright_live:
        last = outcome.of(armature_object)
        why = f" since {last.error}" if last is not None and last.error else ""
        if character.posewright_bake and not why:
            return f"{armature_object.name!r} plays what was baked: press Back to Live, or Live to pose above it"
        return f"Live posing of {armature_object.name!r} is switched off{why}: press Live in the panel Character"
    return modes.why_not(armature_object)


def begin_goal(armature_object: bpy.types.Object, index: int) -> Drag:
    """Take hold of a goal's handle. Raises an error that says why it cannot be had."""
    character = properties.character(armature_object)
    _refuse(armature_object)
    if not 0 <= index < len(character.posewright_goals):
        raise PosewrightError(f"{armature_object.name!r} has no goal number {index}")
    character.posewright_active_goal = index
    before = snapshot.take(armature_object)
    return _begin(armature_object, index, before)


def begin_bone(armature_object: bpy.types.Object, bone: str, point: Vector) -> Drag:
    """Take hold of a point of a bone (in the bone's frame). Raises an error that says why it cannot be had.

    A goal of the bone that asks for something is taken along, else one that is right there; else the bone gets a
    temporary one.
    """
    _refuse(armature_object)
    data: Any = armature_object.data
    if bone not in data.bones:
        raise PosewrightError(f"{armature_object.name!r} has no bone {bone!r}")
    index = _goal_at(armature_object, bone, point)
    if index >= 0:
        return begin_goal(armature_object, index)
    before = snapshot.take(armature_object)
    index = temporary_goals.add(armature_object, bone, point)
    return _begin(armature_object, index, before)


def find(drag: Drag) -> bpy.types.Object | None:
    """The object that is dragged, if it and its goals are still there."""
    found: bpy.types.Object | None = bpy.data.objects.get((drag.name, drag.library))
    if found is None or found.session_uid != drag.uid or live.why_not(found):
        return None
    return found if len(properties.character(found).posewright_goals) == drag.count else None


def goal_of(armature_object: bpy.types.Object, drag: Drag) -> POSEWRIGHT_PG_goal:
    """The goal that is dragged."""
    return properties.character(armature_object).posewright_goals[drag.goal]


def grabbed(armature_object: bpy.types.Object, drag: Drag) -> tuple[Matrix, Matrix]:
    """The world matrices of the grabbed bone, and of its parent or else of the object."""
    assert armature_object.pose is not None
    bone = armature_object.pose.bones[goal_of(armature_object, drag).bone]
    world = armature_object.matrix_world
    return world @ bone.matrix, world @ bone.parent.matrix if bone.parent else world.copy()


def now(armature_object: bpy.types.Object, drag: Drag) -> Frame:
    """Where the goal is wanted now in the world."""
    return places.target(armature_object, goal_of(armature_object, drag))


def turn_too(armature_object: bpy.types.Object, drag: Drag) -> bool:
    """From now on the turn counts, beginning with the bone's own. Returns False for a goal that has none."""
    goal = goal_of(armature_object, drag)
    if goal.kind != "POSE":
        return False
    if not drag.turning:
        drag.turning = True
        if not goal.orientation > 0.0:
            turn = places.on_bone(armature_object, goal).turn
            move(armature_object, drag, Frame(now(armature_object, drag).place, turn))
        for index in _both(drag):
            properties.character(armature_object).posewright_goals[index].orientation = 1.0
    return True


def move(armature_object: bpy.types.Object, drag: Drag, wanted: Frame) -> None:
    """Have the goal be somewhere in the world; its twin goes to the mirrored place."""
    goals = properties.character(armature_object).posewright_goals
    goal = goals[drag.goal]
    places.put(armature_object, goal, wanted)
    if drag.twin >= 0:
        other = goals[drag.twin]
        mirrored = twins.frame(armature_object, goal.bone, other.bone, armature_object.matrix_world, wanted)
        places.put(armature_object, other, mirrored)


def let_pins_go(armature_object: bpy.types.Object, drag: Drag) -> None:
    """Let all pins go for a moment: the body follows what is dragged freely, feet and all."""
    drag.loose = True
    for goal in _pins(armature_object):
        if not goal.loose:
            goal.loose = True


def take_pins_again(armature_object: bpy.types.Object, drag: Drag) -> None:
    """Have the pins hold again: where their bones have come to, so that nothing jumps back."""
    drag.loose = False
    for goal in _pins(armature_object):
        if goal.loose:
            with contextlib.suppress(PosewrightError):  # one without a bone stays as it is
                places.put(armature_object, goal, goal_states.now(armature_object, goal))
            goal.loose = False


def solve_last(armature_object: bpy.types.Object) -> None:
    """Solve the last place of the mouse, if it was put off because the character is slow."""
    last = outcome.of(armature_object)
    if last is not None and last.slow:
        watch.count(armature_object, live.update(armature_object))


def let_go(armature_object: bpy.types.Object, drag: Drag) -> None:
    """End the drag where it is, once its last place was solved and is shown: idle goals are idle again, pins hold.

    A pin that could not be had is set down where its bone has come to: pinned out of reach, it would pull at the other
    pins. What follows a target keeps its new distance from it.
    """
    goals, last = properties.character(armature_object).posewright_goals, outcome.of(armature_object)
    if drag.loose:
        take_pins_again(armature_object, drag)
    for index in _both(drag):
        goal = goals[index]
        stands = last.goals.get(index) if last is not None else None
        short = goal.kind == "POSE" and stands is not None and not stands.reached
        wanted = places.on_bone(armature_object, goal) if short else places.target(armature_object, goal)
        goal.dragged = False
        if not goal.temporary:
            goal.orientation = drag.before.goals[index].orientation
        if goal.state == "FOLLOWING" or (short and goal.state == "PINNED"):
            places.put(armature_object, goal, wanted)
    temporary_goals.remove(armature_object)


def put_back(armature_object: bpy.types.Object, drag: Drag) -> None:
    """End the drag as if it had never been."""
    snapshot.put_back(armature_object, drag.before)


def _refuse(armature_object: bpy.types.Object) -> None:
    if reason := why_not(armature_object):
        raise PosewrightError(reason)


def _begin(armature_object: bpy.types.Object, index: int, before: Snapshot) -> Drag:
    goals = properties.character(armature_object).posewright_goals
    try:
        start = _start(armature_object, goals[index])
    except PosewrightError as error:
        name = goals[index].name
        snapshot.put_back(armature_object, before)
        raise PosewrightError(f"The goal {name!r} cannot be dragged: {error}") from error
    twin = _twin(armature_object, index) if armature_object.pose and armature_object.pose.use_mirror_x else -1
    library = armature_object.library.filepath if armature_object.library else None
    drag = Drag(armature_object.session_uid, armature_object.name, library, index, start, before, len(goals), twin)
    starts = [_start(armature_object, goals[each]) for each in _both(drag)]
    for each, there in zip(_both(drag), starts, strict=True):
        goals[each].dragged = True
        places.put(armature_object, goals[each], there)
    return drag


def _start(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal) -> Frame:
    """Where a goal's handle is; what leaves the turn alone is turned as its bone."""
    handle, own = places.handle(armature_object, goal), places.on_bone(armature_object, goal)
    return handle if goal.orientation > 0.0 else Frame(handle.place, own.turn)


def _both(drag: Drag) -> list[int]:
    return [drag.goal] if drag.twin < 0 else [drag.goal, drag.twin]


def _pins(armature_object: bpy.types.Object) -> list[POSEWRIGHT_PG_goal]:
    """The pins besides what is dragged."""
    goals = properties.character(armature_object).posewright_goals
    return [one for one in goals if one.state == "PINNED" and not one.dragged and not one.mute]


def _goal_at(armature_object: bpy.types.Object, bone: str, point: Vector) -> int:
    """The goal by which a point of a bone is to be dragged; -1 for none."""
    data: Any = armature_object.data
    near, found = _NEAR * data.bones[bone].length, -1
    for index, goal in enumerate(properties.character(armature_object).posewright_goals):
        if goal.bone != bone or goal.kind != "POSE" or goal.mute:
            continue
        if properties.asks(goal):
            return index
        away = (places.point_of(armature_object, goal) - point).length
        if away < near:
            near, found = away, index
    return found


def _twin(armature_object: bpy.types.Object, index: int) -> int:
    """The goal of the other side, a temporary one where there is none; -1 for a bone in the middle."""
    goal = properties.character(armature_object).posewright_goals[index]
    other = twins.twin(armature_object, goal.bone)
    if not other or goal.kind != "POSE":
        return -1
    point = twins.across(armature_object, goal.bone, other) @ places.point_of(armature_object, goal)
    found = _goal_at(armature_object, other, point)
    return found if found >= 0 else temporary_goals.add(armature_object, other, point)
