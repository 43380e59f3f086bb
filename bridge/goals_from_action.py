"""Goals from an animation: what a clip does with hands and feet becomes goals with keys, to be edited.

The clip stays as it is. On each frame its own pose is the reference and meets the goals, so nothing moves; once a
goal's curve is moved, its limb follows and the rest of the body with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import channels, frame_ranges, goal_curves, goal_list, places, pose, reference, selection, watch
from .goal_curves import Frames
from .roles import stored

LIMBS = ("hand.L", "hand.R", "foot.L", "foot.R")


class Choice(NamedTuple):
    """Which goals, over which frames."""

    which: str = "LIMBS"  # or "BONES", "ACTIVE", "ALL"
    over: str = "SCENE"  # or "PREVIEW", "ACTION", "CUSTOM"
    start: int = 1
    end: int = 250
    step: int = 1


class _Wanted(NamedTuple):
    """A bone that gets keys for its goal."""

    bone: str
    point: Vector  # of the bone, in its axes
    row: int | None  # the goal's place in the list; None where it is to be made


def make(armature_object: bpy.types.Object, context: bpy.types.Context, choice: Choice) -> str:
    """Key goals with what the present animation does with their bones, and pin them. Returns what was done.

    Raises an error, before anything is changed, that says why it cannot be done.
    """
    scene = context.scene
    assert scene is not None
    action = goal_curves.action_of(armature_object)
    own = choice.start, choice.end
    frames = np.array(frame_ranges.frames_of(armature_object, scene, choice.over, own, choice.step))
    wanted = _wanted(armature_object, choice.which)
    goals = properties.character(armature_object).posewright_goals
    for one in wanted:
        if one.row is not None:
            goal_curves.refuse_fixed(armature_object, one.row, goals[one.row].name)
    with _frame_kept(scene):
        _as_the_clip_has_it(armature_object)
        sampled = _sampled(armature_object, context, wanted, frames)
        for one, values in zip(wanted, sampled, strict=True):
            index = goal_list.add(armature_object, one.bone) if one.row is None else one.row
            _hold(goals[index])
            goal_curves.write(armature_object, index, "place", goals[index].name, frames, values[:, :3])
            goal_curves.write(armature_object, index, "turn", goals[index].name, frames, values[:, 3:])
    character = properties.character(armature_object)
    character.posewright_play, character.posewright_anchor = True, ""
    armature_object.update_tag()
    said = f"{len(wanted)} goals have the motion of {action.name!r}, frames {frames[0]} to {frames[-1]}"
    return said + ("" if character.posewright_live else "; they move nothing: live posing is off")


def _wanted(armature_object: bpy.types.Object, which: str) -> list[_Wanted]:
    """Whose motion becomes goals. Raises an error where nobody's."""
    character = properties.character(armature_object)
    if which in {"ALL", "ACTIVE"}:
        chosen = range(len(character.posewright_goals)) if which == "ALL" else [character.posewright_active_goal]
        found = [_of_goal(armature_object, index) for index in chosen if index < len(character.posewright_goals)]
        there = [one for one in found if one is not None]
        if not there:
            raise PosewrightError(f"{armature_object.name!r} has no goal of a place that could be keyed")
        return there
    roles = stored.known(armature_object) if which == "LIMBS" else {}
    bones = [roles[role] for role in LIMBS if role in roles] or selection.selected(armature_object)
    if which == "BONES":
        bones = selection.selected(armature_object)
    if not bones:
        words = "No hand or foot is known: run Set Up, or select bones" if which == "LIMBS" else "No bone is selected"
        raise PosewrightError(f"{words} in Pose Mode")
    return [
        _Wanted(bone, Vector(), goal_list.same(armature_object, "POSE", bone, "HEAD")) for bone in dict.fromkeys(bones)
    ]


def _of_goal(armature_object: bpy.types.Object, index: int) -> _Wanted | None:
    """A goal that is there; None for one that looks at something, or whose bone is gone."""
    goal = properties.character(armature_object).posewright_goals[index]
    if goal.kind != "POSE" or armature_object.pose is None or goal.bone not in armature_object.pose.bones:
        return None
    return _Wanted(goal.bone, places.point_of(armature_object, goal), index)


@contextmanager
def _frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Meanwhile nothing is solved; at the end the frame is shown that was."""
    frame, part = scene.frame_current, scene.frame_subframe
    with watch.undisturbed():
        try:
            yield
        finally:
            scene.frame_set(frame, subframe=part)


def _as_the_clip_has_it(armature_object: bpy.types.Object) -> None:
    """Bones that the clip does not turn are where live posing has left them: put them back to the reference."""
    aim = reference.stored(armature_object) if properties.character(armature_object).posewright_anchor else None
    if aim is not None:
        now = channels.read(armature_object)
        pose.put(armature_object, now, aim.channels(now))


def _sampled(
    armature_object: bpy.types.Object, context: bpy.types.Context, wanted: list[_Wanted], frames: Frames
) -> Floats:
    """Places and turns in the world [wanted, F, 7] of the clip's own pose; turns all in one hemisphere."""
    scene, manager = context.scene, context.window_manager
    assert scene is not None
    found = np.zeros((len(wanted), len(frames), 7))
    if manager is not None:
        manager.progress_begin(0, len(frames))
    try:
        for row, frame in enumerate(frames):
            scene.frame_set(int(frame))
            depsgraph = context.evaluated_depsgraph_get()
            for column, one in enumerate(wanted):
                seen = places.world_matrix(armature_object, depsgraph, one.bone)
                found[column, row] = (*(seen @ one.point)[:], *places.turn_of(seen)[:])
            if manager is not None:
                manager.progress_update(row)
    finally:
        if manager is not None:
            manager.progress_end()
    turns = found[:, :, 3:]
    away = (turns[:, 1:] * turns[:, :-1]).sum(axis=2) < 0.0
    turns[:, 1:] *= np.where(np.cumsum(away, axis=1) % 2, -1.0, 1.0)[:, :, None]
    if not np.isfinite(found).all():
        raise PosewrightError("The animation has places that are no numbers")
    return found


def _hold(goal: POSEWRIGHT_PG_goal) -> None:
    """Have a goal hold place and turn in the world, all of both."""
    goal.space, goal.state, goal.mute = "WORLD", "PINNED", False
    goal.position = goal.orientation = 1.0
    goal.use_axis = goal.use_turn_axis = (True, True, True)
