"""Queries that all methods of a benchmark answer, their answers, and how these become a row of the report."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik

from .report import Row
from .robots import Floats, Robot, meets_each, random_queries

TOO_LONG = 0.010  # seconds: the memetic paper's limit, tables I and II


@dataclass(frozen=True)
class Queries:
    """A robot, and for each of n queries its goals and where to start."""

    model: Robot
    goals: list[list[ik.Goal]]
    starts: list[Floats]  # n of [variables]

    def first(self, count: int) -> "Queries":
        """The first so many of them."""
        return Queries(self.model, self.goals[:count], self.starts[:count])


@dataclass(frozen=True)
class Answers:
    """What a method made of n queries.

    Attributes:
        q: [n, variables].
        seconds: [n], each query's own time.
        iterations: [n] or, where the method does not say, None.
    """

    q: Floats
    seconds: Floats
    iterations: Floats | None = None


Solve: TypeAlias = Callable[[Floats], tuple[Floats, int]]  # start [variables] to pose [variables] and iterations
Method: TypeAlias = Callable[[Queries], Answers]


def random_poses(model: Robot, wanted: Sequence[dict[str, Any]], count: int, seed: int) -> Queries:
    """Goals that a random pose meets, each with a random pose to start from."""
    drawn = list(random_queries(model, wanted, count, seed))
    return Queries(model, [goals for goals, _ in drawn], [start for _, start in drawn])


@contextmanager
def no_collection() -> Iterator[None]:
    """Keep Python's garbage collector off the clock, for all methods alike.

    With ten thousand queries in memory one collection takes 0.2 s, and falls on whichever method makes many objects.
    """
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def timed(queries: Queries, put: Callable[[list[ik.Goal]], None], solve: Solve, warm: bool = True) -> Answers:
    """Query after query: `put` takes in the goals outside the clock, `solve` finds a pose on it.

    With `warm` the first query is solved once before, so that nothing is compiled or loaded on the clock.
    """
    if warm:
        put(queries.goals[0])
        solve(queries.starts[0].copy())
    found, seconds, iterations = [], np.zeros(len(queries.goals)), np.zeros(len(queries.goals))
    with no_collection():
        for query, (goals, start) in enumerate(zip(queries.goals, queries.starts, strict=True)):
            put(goals)
            began = time.perf_counter()
            q, iterations[query] = solve(start.copy())
            seconds[query] = time.perf_counter() - began
            found.append(q)
    return Answers(np.array(found), seconds, iterations)


def row_of(
    case: str, method: str, queries: Queries, answers: Answers, limit: float = TOO_LONG
) -> tuple[Row, NDArray[np.bool_]]:
    """The row of a method, and which queries it solved at all.

    Solved means: within 1e-4 m and 1e-3 rad of every goal, inside the limits, within `limit` seconds. Where more are
    solved with more time, the note says so.
    """
    met = meets_each(queries.model, queries.goals, answers.q)
    solved = met & (answers.seconds <= limit)
    row = Row(case=case, method=method, n=len(queries.goals), success=float(solved.mean())).time(answers.seconds)
    if answers.iterations is not None:
        row.iterations = float(answers.iterations.mean())
    if met.sum() > solved.sum():
        slowest = 1e3 * answers.seconds[met].max()
        row.note = f"{met.mean():.2%} if slower answers count, up to {slowest:.0f} ms"
    return row, met
