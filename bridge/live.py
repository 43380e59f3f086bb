"""Live posing: the pose as a function of what is stored. Goals, limits, settings and reference give one pose.

Solving goes on to the end (a small gradient), never by the clock, so a second call changes nothing, and undo, redo and
Esc end where they should. Nothing that matters is kept here: trees and problems only save time.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np

from .. import properties
from ..properties import Character
from ..solvers import Budget, Displacement, Goal, Level, Problem, Result, solve
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import armature, asked, channels, outcome, pose, reference, signature
from . import rig as rigs
from .asked import Asked, Setting
from .channels import Bools, Channels
from .outcome import GoalOutcome, Outcome
from .reference import Reference
from .rig import Rig
from .signature import Signature

# Radians, or metres on a person. A pose that comes back from float32 channels is not quite as it was solved: near a
# straight knee the next solve moves on by 1e-6, and without this a redo would not end where it began.
SETTLED = 4e-6
STIFF = 100.0  # times the usual: how held bones give way once a pin cannot hold otherwise


@dataclass(eq=False)
class _Kept:
    """What is kept of a character from solve to solve; all of it can be made again."""

    signature: Signature
    rig: Rig
    problem: Problem | None = None
    solved: tuple[object, ...] = field(default_factory=tuple)  # what was asked last, to which the pose is the answer


_kept: dict[int, _Kept] = {}  # by session_uid


def forget(armature_object: bpy.types.Object | None = None) -> None:
    """Forget what is kept of one character, or of all: after undo, load, disable."""
    if armature_object is None:
        _kept.clear()
    else:
        _kept.pop(armature_object.session_uid, None)


def told(error: Exception) -> str:
    """What went wrong, for people: our own errors say it, others say at least what they are."""
    return str(error) if isinstance(error, PosewrightError) else f"{type(error).__name__}: {error}"


def why_not(armature_object: bpy.types.Object | None) -> str:
    """Why an object cannot be posed; empty if it can."""
    if armature_object is None:
        return "There is no active object"
    data, why = armature_object.data, ""
    if not isinstance(data, bpy.types.Armature) or armature_object.pose is None:
        why = "is no armature"
    elif armature_object.library is not None:
        why = "is linked: make a library override of it first"
    elif data.is_editmode:
        why = "is in Edit Mode"
    elif not data.bones:
        why = "has no bones"
    elif data.pose_position == "REST":
        why = "shows its rest position"
    return f"{armature_object.name!r} {why}" if why else ""


def update(
    armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None, new_frame: bool = False
) -> Outcome:
    """Solve a character and write its pose, if its goals ask for anything. Raises an error where it cannot be posed.

    Args:
        armature_object: the original object.
        depsgraph: through which goals are read; None for the objects as they are.
        new_frame: the animation has set the pose anew: that is the reference then, and nothing is held.
    """
    begun = time.perf_counter()
    character = properties.character(armature_object)
    if reason := why_not(armature_object):
        raise PosewrightError(reason)
    key = _key(character)
    if not key:
        if character.posewright_anchor:
            character.posewright_anchor = ""
        found = Outcome(words="no goal asks for anything")
        outcome.note(armature_object, found)
        return found
    render = depsgraph is not None and depsgraph.mode == "RENDER"
    source = armature_object.evaluated_get(depsgraph) if render and depsgraph else armature_object
    now = channels.read(source)
    aim = _reference(character, key, now, new_frame)
    kept = _rig_of(character, source, now, aim)
    found = _solve(character, depsgraph, kept, now, aim)
    character.posewright_anchor = key
    found.milliseconds = 1000.0 * (time.perf_counter() - begun)
    outcome.note(armature_object, found)
    return found


def moving_bones(armature_object: bpy.types.Object) -> set[str]:
    """The bones that translate besides the roots."""
    return {one.name for one in properties.character(armature_object).posewright_joints if one.translates}


def _key(character: Character) -> str:
    """Which goals ask for something. When that changes, the pose that is there becomes the reference: none jumps."""
    return ";".join(
        f"{index}{'D' if goal.dragged else goal.state[0]}{goal.bone}" for index, goal in properties.asking(character)
    )


def _reference(character: Character, key: str, now: Channels, new_frame: bool) -> Reference:
    """The reference for this solve, by what is stored and what has happened to the pose since."""
    aim = reference.stored(character) if character.posewright_anchor == key else None
    if aim is None:
        aim = reference.of_pose(now)
        reference.store(character, aim)
        return aim
    edited = aim.edited(now)
    if edited.any():
        aim.take(edited, now, hold=not new_frame)
        aim.leave(now)
        reference.store(character, aim)
    return aim


def _rig_of(character: Character, source: bpy.types.Object, now: Channels, aim: Reference) -> _Kept:
    """The rig as it was read before, if it still is right, else read anew."""
    pelvis = moving_bones(character)
    sign = signature.of(source, pelvis)
    kept = _kept.get(character.session_uid)
    if kept is None or kept.signature != sign or not pose.fits(kept.rig, source, now):
        kept = _kept[character.session_uid] = _Kept(sign, armature.read(source, pelvis))
    elif kept.rig.widened and aim.held.any() and not kept.solved:
        kept.rig = armature.read(source, pelvis)
    return kept


def _solve(
    character: Character, depsgraph: bpy.types.Depsgraph | None, kept: _Kept, now: Channels, aim: Reference
) -> Outcome:
    rig = kept.rig
    settles = rigs.values(rig, aim.channels(now))
    where = asked.setting(character, depsgraph, rig, settles)
    wanted = list(asked.goals(where))
    goals = [one.goal for one in wanted if one.goal is not None]
    held = _variables_of(rig, aim.held)
    settings = character.posewright_solver, character.posewright_iterations, character.posewright_posture
    asks = (tuple(goals), settings, settles.tobytes(), held.tobytes(), now.location.tobytes(), now.turned().tobytes())
    last = outcome.of(character)
    if kept.solved == asks and last is not None:
        return last
    start = rigs.values(rig, now)
    result = _search(character, kept, goals, settles, start, held)
    settled = np.abs(result.q - start).max(initial=0.0) < SETTLED
    changed = 0 if settled else pose.write(rig, character, result.q)
    after = channels.read(character) if changed else now
    aim.leave(after)
    if changed:
        reference.store(character, aim)
    kept.solved = (*asks[:4], after.location.tobytes(), after.turned().tobytes())
    return _outcome(where, wanted, result, changed)


def _search(
    character: Character, kept: _Kept, goals: Sequence[Goal], settles: Floats, start: Floats, held: Bools
) -> Result:
    """Solve with held bones where they are; where no pin could hold so, with held bones that give way, stiffly."""
    budget = Budget(iterations=character.posewright_iterations, restarts=0)
    posture = Displacement(reference=tuple(settles.tolist()), weight=character.posewright_posture)
    kept.problem = problem = asked.problem_of(kept.rig, posture, goals, kept.problem)
    problem.hold(held, settles)
    result = solve(problem, start, character.posewright_solver, budget)
    if held.any() and any(
        goal.level == Level.PIN and not error.reached for goal, error in zip(goals, result.errors, strict=False)
    ):
        posture = Displacement(
            reference=posture.reference, weight=posture.weight, each=tuple(np.where(held, STIFF, 1.0).tolist())
        )
        kept.problem = problem = asked.problem_of(kept.rig, posture, goals, problem)
        problem.hold(np.zeros(len(held), np.bool_), settles)
        result = solve(problem, result.q, character.posewright_solver, budget)
    return result


def _variables_of(rig: Rig, bones: Bools) -> Bools:
    """The variables [variables] of some bones [B]."""
    found: Bools = np.zeros(len(rig.tree.names) + 1, np.bool_)
    found[rig.body[bones]] = True
    found[rig.mover[bones]] = True  # -1, where a bone does not translate, is the one place too many
    found[-1] = False
    return found[rig.tree.arrays.body]


def _outcome(where: Setting, wanted: Sequence[Asked], result: Result, changed: int) -> Outcome:
    found, unit = Outcome(iterations=result.iterations, changed=changed), asked.world_unit(where)
    errors = iter(result.errors)
    for one in wanted:
        if one.goal is None:
            found.goals[one.index] = GoalOutcome(trouble=one.trouble, reached=not one.trouble)
            continue
        error = next(errors)
        metres = error.metres * unit
        found.goals[one.index] = GoalOutcome(metres, error.radians, error.reached)
    if not all(one.reached for one in found.goals.values()):
        found.stopped_by = tuple((hit.joint, hit.axis) for hit in result.limits_hit)
    found.words = _words(found, result)
    return found


def _words(found: Outcome, result: Result) -> str:
    off = sum(not one.reached for one in found.goals.values())
    said = "every goal is met" if not off else f"{off} of {len(found.goals)} goals not met"
    if found.stopped_by:
        said += f", stopped by {found.stopped_by[0][0]}"
    return f"{said} ({result.status.value})"
