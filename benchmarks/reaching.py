"""Tables I and II of the memetic paper: arms, and Valkyrie's eight set-ups, with random goals that can be met.

Run: python -m posewright.benchmarks.reaching [queries each] [seed] [arms|valkyrie]. One thread, from Python. Within
1e-4 m and 1e-3 rad and inside the limits counts as solved, checked again by the slow twin; more than 10 ms does not.
`batch` is one call of `solve_many`; a plain multi-start of the memetic solver's own L-BFGS is beside it.
"""

import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik
from posewright.compiled import kernel
from posewright.solvers.chance import new_chance, uniform
from posewright.solvers.evaluation import Evaluation
from posewright.solvers.lbfgs import REACHED, Descent, begin_descent, descend, new_descent

from .robots import Floats, Robot, meets, queries, random_queries, robot

Solve = Callable[[ik.Problem, Floats], Floats]

TOO_LONG = 0.010  # seconds
STARTS = 300  # of the multi-start
BUDGET = ik.Budget(iterations=100_000, until_reached=True, levels=False)


Run = Callable[[Robot, list[list[ik.Goal]], list[Floats]], tuple[list[Floats], Floats]]


def timed(model: Robot, goals: list[list[ik.Goal]], starts: list[Floats], solve: Solve) -> tuple[list[Floats], Floats]:
    """Query after query, the problem built once and its targets swapped: the poses found, and the seconds each took."""
    problem, found, seconds = ik.Problem(model.tree, goals[0]), [], np.zeros(len(goals))
    solve(problem, starts[0])  # compiles
    for query, (wanted, start) in enumerate(zip(goals, starts, strict=True)):
        for index, goal in enumerate(wanted):
            problem.change(index, goal)
        began = time.perf_counter()
        q = solve(problem, start)
        seconds[query] = time.perf_counter() - began
        found.append(q)
    return found, seconds


def by(solver: str) -> Run:
    """A method that calls `solve`."""
    return lambda model, goals, starts: timed(
        model, goals, starts, lambda problem, start: ik.solve(problem, start, solver, BUDGET).q
    )


def batch(model: Robot, goals: list[list[ik.Goal]], starts: list[Floats]) -> tuple[list[Floats], Floats]:
    """All queries in one call of `solve_many`; the seconds are the mean, of the solving alone."""
    clip = ik.Clip(ik.Problem(model.tree, goals[0]), goals)
    began = time.perf_counter()
    found = ik.solve_many(clip, np.array(starts), budget=BUDGET).q
    return list(found), np.full(len(goals), (time.perf_counter() - began) / len(goals))


def multi_start(model: Robot, goals: list[list[ik.Goal]], starts: list[Floats]) -> tuple[list[Floats], Floats]:
    """The memetic solver's own L-BFGS from the start, then from random poses, without a population."""
    room, chance = new_descent(len(model.tree.variables)), new_chance(1)

    def solve(problem: ik.Problem, start: Floats) -> Floats:
        _multi_start(problem.evaluation, room, chance, start.copy())
        return room.q.copy()

    return timed(model, goals, starts, solve)


@kernel
def _multi_start(problem: Evaluation, room: Descent, chance: NDArray[np.int64], start: Floats) -> None:
    """`start` is overwritten."""
    for _ in range(STARTS):
        begin_descent(room, start)
        if descend(problem, room, 100, True) == REACHED:
            return
        for i in range(start.shape[0]):
            low = problem.lower[i] if problem.lower[i] > -math.inf else -math.pi
            high = problem.upper[i] if problem.upper[i] < math.inf else math.pi
            start[i] = low + uniform(chance) * (high - low)


METHODS: dict[str, Run] = {"auto": by("auto"), "batch": batch, "memetic": by("memetic"), "multi-start": multi_start}


def table(label: str, model: Robot, wanted: Sequence[dict[str, Any]], count: int, seed: int) -> None:
    """Print a row for each method."""
    goals, starts = (list(one) for one in zip(*random_queries(model, wanted, count, seed), strict=True))
    for name, method in METHODS.items():
        found, seconds = method(model, goals, starts)
        solved = [
            bool(took <= TOO_LONG) and meets(model, one, q) for one, q, took in zip(goals, found, seconds, strict=True)
        ]
        sys.stdout.write(
            f"{label:32} {len(model.tree.variables):3}  {name:12} {100 * np.mean(solved):8.3f} %"
            f"  mean {1e3 * seconds.mean():7.4f}  median {1e3 * np.median(seconds):7.4f}"
            f"  worst {1e3 * seconds.max():7.2f} ms\n"
        )
        sys.stdout.flush()


def main(count: int = 1000, seed: int = 1, part: str = "") -> None:
    """Print both tables, or one part."""
    asked = queries()
    sys.stdout.write(f"{count} queries each, seed {seed}\n")
    for setup in asked["table1"] if part != "valkyrie" else []:
        model = robot(setup["file"], setup["base"], [setup["tip"]])
        table(setup["label"], model, [{"type": "pose", "link": setup["tip"]}], count, seed)
    for setup in asked["valkyrie_table2"]["setups"] if part != "arms" else []:
        model = robot(asked["valkyrie_table2"]["file"], setup["base"], [goal["link"] for goal in setup["goals"]])
        table(setup["name"], model, setup["goals"], count, seed)


if __name__ == "__main__":
    given = sys.argv[1:] + ["1000", "1", ""][len(sys.argv) - 1 :]
    main(int(given[0]), int(given[1]), given[2])
