"""Posewright's own methods as the benchmarks call them: one query at a time, in a batch, and a plain multi-start."""

import math
import time

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik
from posewright.compiled import kernel
from posewright.solvers.chance import new_chance, uniform
from posewright.solvers.evaluation import Evaluation
from posewright.solvers.lbfgs import REACHED, Descent, begin_descent, descend, new_descent

from .queries import Answers, Method, Queries, no_collection, timed
from .robots import Floats

STARTS = 300  # of the multi-start
DESCENT = 100  # iterations of L-BFGS from each of them
# Ends as soon as every goal is within its tolerance; there are no pins or posture, so no levels.
BUDGET = ik.Budget(iterations=100_000, until_reached=True, levels=False)


def put_into(problem: ik.Problem, goals: list[ik.Goal]) -> None:
    """Swap the targets of a problem that is built once."""
    for index, goal in enumerate(goals):
        problem.change(index, goal)


def by(solver: str, budget: ik.Budget = BUDGET, options: ik.MemeticOptions | None = None) -> Method:
    """A method that calls `solve`."""

    def run(queries: Queries) -> Answers:
        problem = ik.Problem(queries.model.tree, queries.goals[0])

        def solve(start: Floats) -> tuple[Floats, int]:
            result = ik.solve(problem, start, solver, budget, options)
            return result.q, result.iterations

        return timed(queries, lambda goals: put_into(problem, goals), solve)

    return run


def batch(queries: Queries) -> Answers:
    """All queries in one call of `solve_many`; the seconds are the mean of the solving alone."""
    clip = ik.Clip(ik.Problem(queries.model.tree, queries.goals[0]), queries.goals)
    with no_collection():
        began = time.perf_counter()
        found = ik.solve_many(clip, np.array(queries.starts), budget=BUDGET)
        each = (time.perf_counter() - began) / len(queries.goals)
    return Answers(found.q, np.full(len(queries.goals), each), found.iterations.astype(float))


def multi_start(queries: Queries) -> Answers:
    """The memetic solver's own L-BFGS from the start, then from random poses, without a population."""
    room, chance = new_descent(len(queries.model.tree.variables)), new_chance(1)
    problem = ik.Problem(queries.model.tree, queries.goals[0])

    def solve(start: Floats) -> tuple[Floats, int]:
        tries = _multi_start(problem.evaluation, room, chance, start)
        return room.q.copy(), tries

    return timed(queries, lambda goals: put_into(problem, goals), solve)


@kernel
def _multi_start(problem: Evaluation, room: Descent, chance: NDArray[np.int64], start: Floats) -> int:
    """Returns how many starts it took. `start` is overwritten."""
    for tried in range(STARTS):
        begin_descent(room, start)
        if descend(problem, room, DESCENT, True) == REACHED:
            return tried + 1
        for i in range(start.shape[0]):
            low = problem.lower[i] if problem.lower[i] > -math.inf else -math.pi
            high = problem.upper[i] if problem.upper[i] < math.inf else math.pi
            start[i] = low + uniform(chance) * (high - low)
    return STARTS
