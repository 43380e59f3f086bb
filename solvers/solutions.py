"""Several poses that reach the same goals."""

import time
from dataclasses import replace

from numpy.typing import ArrayLike

from .errors import PosewrightError
from .evolution import FOUND, are_distinct, population_of
from .goals.goal import Goal
from .goals.tables import Level
from .memetic import MemeticOptions
from .problem import Problem
from .rotation import Floats
from .solve import Budget, Result, State, go_on, solve


def solutions(
    problem: Problem,
    start: ArrayLike | None = None,
    count: int = 8,
    budget: Budget | None = None,
    options: MemeticOptions | None = None,
) -> list[Result]:
    """Up to `count` clearly different poses that reach every goal, the cheapest first; none if none is found.

    Two poses differ if some variable does by a tenth of its range. Each is found by `memetic` and finished by a local
    search, unless that would lead it to one of the others (posture does that): then it stays as it was found, every
    goal within its tolerance. With `Budget.until_reached` all stay so. `Budget.iterations` are generations for all of
    them together, and then iterations for each. The same seed gives the same poses.
    """
    if count < 1:
        raise PosewrightError(f"one solution or more, please, not {count}")
    budget, begun = budget or Budget(), time.perf_counter()
    state = State(problem, start, "memetic", budget.seed, options, count)
    go_on(problem, state, replace(budget, until_reached=True), begun)
    found = population_of.function(state.colony, state.search.chance[1])
    poses = found.solutions[: found.tally[FOUND]]
    rough = [_finish(problem, q, replace(budget, iterations=0, until_reached=True)) for q in poses]
    fine = [] if budget.until_reached else [_finish(problem, q, budget) for q in poses]
    chosen: list[Result] = []
    for result in sorted(fine, key=_cost) + sorted(rough, key=_cost):
        reached = all(error.reached for goal, error in zip(problem.goals, result.errors, strict=True) if _counts(goal))
        if reached and all(are_distinct(found.box, result.q, other.q) for other in chosen):
            chosen.append(result)
    seconds = time.perf_counter() - begun
    made = state.iterations
    chosen = [replace(one, iterations=made + one.iterations, seconds=seconds, _start=state.start) for one in chosen]
    return sorted(chosen[:count], key=_cost)


def _counts(goal: Goal) -> bool:
    return goal.on and goal.level != Level.POSTURE


def _cost(result: Result) -> float:
    return result.cost


def _finish(problem: Problem, q: Floats, budget: Budget) -> Result:
    return solve(problem, q, "levenberg", replace(budget, seconds=None))
