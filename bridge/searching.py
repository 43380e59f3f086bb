"""How a pose is searched for: the nearest that meets the goals, settled toward the reference; or another one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..properties import Character
from ..solvers import Budget, Displacement, Distance, Goal, Level, Problem, Result, Status, solve
from ..solvers.rotation import Floats
from . import asked, habit, source_posture
from .channels import Bools
from .facing import Carried
from .rig import Rig
from .standing import Kept

# Radians, or metres on a person. A pose that comes back from float32 channels is not quite as it was solved: near a
# straight knee the next solve moves on by 1e-6, and without this a redo would not end where it began.
SETTLED = 4e-6
SOFT = 0.25  # of the posture's weight, where goals are not exact: they are off by half a millimetre on average then
STIFF = 100.0  # times the usual: how held bones give way once a pin cannot hold otherwise
SLIGHT = 1e-4  # metres or radians: a collision does not give way to a pin for less
_QUARTER = 0.5 * np.pi  # radians to either side, where no limit is nearer: how far another posture is looked for


class Elsewhere(NamedTuple):
    """A search for another pose that meets the same goals."""

    seed: int = 1
    strength: float = 0.3  # how far the posture is turned from the present one, as a part of the joints' ranges


def nearest(
    character: Character,
    kept: Kept,
    goals: Sequence[Goal],
    settles: Floats,
    start: Floats,
    held: Bools,
    new_frame: bool,
    copied: Floats | None,
) -> Result:
    """Solve with held bones where they are; where no pin could hold so, with held bones that give way, stiffly.

    Where pins do not hold even so, and would without collisions, these count like goals. What the mode does not let
    move stays where it is, whatever that means for pins.
    """
    soft = character.posewright_soft
    budget = Budget(iterations=character.posewright_iterations, restarts=0, levels=not soft)
    rests = settles
    if kept.carried is None or not kept.carried.fits(settles, goals):
        kept.carried = Carried(kept.rig, settles, goals)
    settles = kept.carried.found
    if new_frame:
        start = settles
    if kept.leaning is None or kept.leaning.settles is not settles:
        kept.leaning = habit.Leaning(kept.rig, settles)
    leant = kept.leaning.toward(goals, character.posewright_habit)
    weight = character.posewright_posture * (SOFT if soft else 1.0)
    fixed, at = kept.fixed, np.where(kept.fixed, start, settles)
    posture = Displacement(reference=leant, weight=weight)
    if copied is not None:
        there = np.isfinite(copied) & ~(held | fixed)
        start = np.where(there, copied, start) if new_frame else start
        leant, each = np.where(there, copied, leant), source_posture.each(kept.rig.tree, there)
        posture = Displacement(reference=leant, each=each, weight=weight)
    kept.problem = problem = asked.problem_of(kept.rig, posture, goals, kept.problem)
    problem.hold(held | fixed, at)
    if _rests(problem, goals, rests if new_frame else start, rests):
        at_rest = rests if new_frame else start
        found = solve(problem, at_rest, character.posewright_solver, Budget(iterations=0))
        return replace(found, status=Status.CONVERGED)
    result, holding = solve(problem, start, character.posewright_solver, budget), held | fixed
    if (held & ~fixed).any() and any(
        goal.level == Level.PIN and not error.reached for goal, error in zip(goals, result.errors, strict=False)
    ):
        posture = replace(posture, each=np.where(held, STIFF, posture.each))
        kept.problem = problem = asked.problem_of(kept.rig, posture, goals, problem)
        problem.hold(fixed, at)
        result, holding = solve(problem, result.q, character.posewright_solver, budget), fixed
    if _lost(goals, result) and any(gives := pushing(problem, goals, result.q)):
        kept.problem = problem = asked.problem_of(kept.rig, posture, without(goals, gives), problem)
        problem.hold(holding, at)
        again = solve(problem, start, character.posewright_solver, budget)
        if _lost(goals, again) < _lost(goals, result) - SLIGHT:
            return again
    return result


def _lost(goals: Sequence[Goal], result: Result) -> float:
    """How far all pins are off, metres and radians; collisions are none."""
    return sum(
        error.metres + error.radians
        for goal, error in zip(goals, result.errors, strict=False)
        if is_pin(goal) and not error.reached
    )


def is_pin(goal: Goal) -> bool:
    """Whether a goal is one that collisions give way to: a pin holds before everything else.

    One that is inside of something stays there.
    """
    return goal.level == Level.PIN and not isinstance(goal, Distance)


def pushing(problem: Problem, goals: Sequence[Goal], q: Floats) -> tuple[bool, ...]:
    """Which of a problem's goals are collisions that push somewhere, and hold before other goals."""
    pushes = problem.residual(q)[problem.arrays.row[: len(goals)]] > 0.0
    return tuple(
        isinstance(goal, Distance) and goal.level == Level.PIN and bool(push)
        for goal, push in zip(goals, pushes, strict=True)
    )


def without(goals: Sequence[Goal], gives: Sequence[bool]) -> list[Goal]:
    """The same goals, with some collisions no longer before other goals."""
    return [replace(goal, level=Level.GOAL) if one else goal for goal, one in zip(goals, gives, strict=True)]


def _rests(problem: Problem, goals: Sequence[Goal], start: Floats, settles: Floats) -> bool:
    """Whether the pose is the reference and meets all goals: then it is the answer.

    Without this, letting a pin go or taking another part of the body would move it by the last thousandths of a
    millimetre that goals are off.
    """
    if np.abs(start - settles).max(initial=0.0) > SETTLED:
        return False
    return all(error.reached for error, _ in zip(problem.errors(start), goals, strict=False))


def another(
    character: Character, kept: Kept, goals: Sequence[Goal], start: Floats, moving: Bools, elsewhere: Elsewhere
) -> Result:
    """Solve toward another posture, drawn at random between the present one and the joints' limits.

    Where the goals are not met from there, by restarts, and at last by a population. What no goal pulls on stays.
    """
    tree = kept.rig.tree
    low, high = np.maximum(tree.lower, start - _QUARTER), np.minimum(tree.upper, start + _QUARTER)
    drawn = start + elsewhere.strength * (np.random.default_rng(elsewhere.seed).uniform(low, high) - start)
    turning = moving.copy()
    turning[_translations(kept.rig)] = False
    aim = np.where(turning, drawn, start)
    posture = Displacement(reference=aim, weight=character.posewright_posture)
    kept.problem = problem = asked.problem_of(kept.rig, posture, goals, kept.problem)
    problem.hold(~moving, start)
    return solve(problem, start, "auto", Budget(iterations=character.posewright_iterations, seed=elsewhere.seed))


def _translations(rig: Rig) -> list[int]:
    """The variables that move a bone rather than turn it."""
    return [int(slot) for body in rig.mover[rig.mover >= 0] for slot in rig.tree.arrays.slot[body, :3] if slot >= 0]
