"""Solving: one call for every solver, with a budget and a result that says why."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import levenberg as lm
from . import line_search as ls
from . import pseudo_dynamics as pd
from .errors import PosewrightError
from .problem import GoalError, Problem
from .rotation import Floats
from .search import CONVERGED, REACHED, RUNNING, STALLED, Search, new_search

SLICE = 10  # iterations between two looks at the clock


class Status(Enum):
    """How a solve ended."""

    CONVERGED = "converged"  # at a minimum: no step inside the limits lowers the cost
    REACHED = "reached"  # every goal within its tolerance, which is what was asked for
    STALLED = "stalled"  # the cost cannot be lowered any more, though the gradient is not small
    OUT_OF_ITERATIONS = "out of iterations"
    OUT_OF_TIME = "out of time"


@dataclass(frozen=True)
class Budget:
    """How much a solve may take. It ends at whichever comes first.

    Attributes:
        iterations: at most so many.
        seconds: looked at every ten iterations. Answers then depend on the machine: not for live posing, nor for bakes.
        until_reached: stop once every goal is within its tolerance, and not only at a minimum. A pose that ends at a
            minimum comes back when its goals come back; one that ends within the tolerance drifts.
        gradient: a projected gradient below this part of the problem's scale counts as a minimum.
    """

    iterations: int = 200
    seconds: float | None = None
    until_reached: bool = False
    gradient: float = 1e-7

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.iterations < 0 or (self.seconds is not None and not self.seconds >= 0.0):
            raise PosewrightError(f"a budget is not negative: {self.iterations} iterations, {self.seconds} seconds")


class LimitHit(NamedTuple):
    """A limit that the pose rests on."""

    joint: str
    axis: str
    upper: bool  # which of its two limits
    multiplier: float  # how hard the goals press against it: cost per radian or metre


@dataclass(frozen=True)
class Result:
    """What a solve found.

    Attributes:
        q: [variables], inside the limits; its cost is never above that of the start brought into the limits.
        status, reason: how it ended, and that in words for people.
        errors: for each goal, in metres and radians.
        cost, gradient: at q; the gradient's largest part that the limits do not forbid to follow.
        iterations, seconds: what it took.
        limits_hit: the limits that q rests on and is pressed against, the hardest pressed first.
    """

    q: Floats
    status: Status
    reason: str
    errors: list[GoalError]
    cost: float
    gradient: float
    iterations: int
    seconds: float
    limits_hit: list[LimitHit]


class State:
    """A search that can be gone on with: what `step` carries from slice to slice."""

    def __init__(self, problem: Problem, start: ArrayLike, solver: str) -> None:
        if solver not in SOLVERS:
            raise PosewrightError(f"unknown solver {solver!r}; the solvers are {', '.join(SOLVERS)}")
        memory, self._make = SOLVERS[solver]
        self.search: Search = new_search(len(problem.tree.variables), memory)
        self.search.q[:] = np.clip(problem.tree.check(start, "the start"), problem.tree.lower, problem.tree.upper)
        self.run = self._make(problem, self.search)
        self.status = RUNNING
        self.iterations = 0


Run = Callable[[int, float, bool], tuple[int, int]]


def _line_search(problem: Problem, search: Search, paper: bool = False) -> Run:
    def run(iterations: int, tolerance: float, until_reached: bool) -> tuple[int, int]:
        return ls.line_search(problem.evaluation, search, iterations, tolerance, until_reached, paper)

    return run


def _levenberg(problem: Problem, search: Search, sugihara: bool = False) -> Run:
    room = lm.new_normal_room(len(problem.arrays.weight), len(problem.tree.variables))

    def run(iterations: int, tolerance: float, until_reached: bool) -> tuple[int, int]:
        return lm.levenberg(problem.evaluation, search, room, iterations, tolerance, until_reached, sugihara)

    return run


def _pseudo_dynamics(problem: Problem, search: Search) -> Run:
    room = pd.new_pseudo_room(problem.evaluation)

    def run(iterations: int, tolerance: float, until_reached: bool) -> tuple[int, int]:
        return pd.pseudo_dynamics(problem.evaluation, search, room, iterations, tolerance, until_reached)

    return run


# The registry: a solver's name, how many numbers it keeps from slice to slice, and what makes it ready to run.
SOLVERS: dict[str, tuple[int, Callable[[Problem, Search], Run]]] = {
    "levenberg": (lm.MEMORY, _levenberg),
    "levenberg_sugihara": (lm.MEMORY, lambda problem, search: _levenberg(problem, search, sugihara=True)),
    "line_search": (ls.MEMORY, _line_search),
    "pseudo_dynamics": (pd.MEMORY, _pseudo_dynamics),
    "line_search_paper": (ls.MEMORY, lambda problem, search: _line_search(problem, search, paper=True)),
}


def step(problem: Problem, state: State, budget: Budget) -> int:
    """Go on for up to the budget's iterations. Returns how many were made; zero when the search has ended."""
    state.status, made = state.run(budget.iterations, budget.gradient * problem.scale, budget.until_reached)
    state.iterations += made
    return made


def solve(
    problem: Problem, start: ArrayLike | None = None, solver: str = "levenberg", budget: Budget | None = None
) -> Result:
    """Find variables that meet the goals as well as the limits allow, from `start` [variables] or the rest values.

    Never raises for a hard problem: the result's status and reason say what was found. Without a time limit, the same
    problem, start and budget give the same answer to the last bit on the same machine.
    """
    budget = budget or Budget()
    begun = time.perf_counter()
    state = State(problem, problem.tree.start() if start is None else start, solver)
    out_of_time = False
    while state.status == RUNNING and state.iterations < budget.iterations and not out_of_time:
        left = budget.iterations - state.iterations
        made = step(problem, state, replace(budget, iterations=left if budget.seconds is None else min(left, SLICE)))
        out_of_time = budget.seconds is not None and time.perf_counter() - begun >= budget.seconds
        if made == 0:
            break
    return _result(problem, state, out_of_time, time.perf_counter() - begun)


def _result(problem: Problem, state: State, out_of_time: bool, seconds: float) -> Result:
    search, tree = state.search, problem.tree
    errors = problem.errors(search.q)
    pressed = np.where(search.q <= tree.lower, search.gradient, 0.0) - np.where(
        search.q >= tree.upper, search.gradient, 0.0
    )
    resting = [index for index in np.argsort(-pressed, kind="stable") if pressed[index] > 0.0]
    hits = [
        LimitHit(one.joint, one.axis, bool(search.q[index] >= one.upper), float(pressed[index]))
        for index in resting
        for one in [tree.variables[index]]
    ]
    status = {
        CONVERGED: Status.CONVERGED,
        REACHED: Status.REACHED,
        STALLED: Status.STALLED,
        RUNNING: Status.OUT_OF_TIME if out_of_time else Status.OUT_OF_ITERATIONS,
    }[state.status]
    free = np.clip(search.q - search.gradient, tree.lower, tree.upper) - search.q
    return Result(
        q=search.q.copy(),
        status=status,
        reason=_reason(problem, status, errors, hits),
        errors=errors,
        cost=float(search.cost[0]),
        gradient=float(np.abs(free).max(initial=0.0)),
        iterations=state.iterations,
        seconds=seconds,
        limits_hit=hits,
    )


def _reason(problem: Problem, status: Status, errors: list[GoalError], hits: list[LimitHit]) -> str:
    """The result in a sentence."""
    off = [
        f"{type(goal).__name__.lower()} goal {index} is off by {_length(error)}"
        for index, (goal, error) in enumerate(zip(problem.goals, errors, strict=True))
        if goal.on and not error.reached and not problem.arrays.posture[index]
    ]
    if not off:
        return f"{status.value}: every goal is met"
    stopped = f", stopped by {hits[0].joint}.{hits[0].axis}" if hits else ""
    return f"{status.value}: {'; '.join(off[:3])}{f' and {len(off) - 3} more' if len(off) > 3 else ''}{stopped}"


def _length(error: GoalError) -> str:
    parts = [f"{1000 * error.metres:.3g} mm"] if error.metres else []
    parts += [f"{np.degrees(error.radians):.3g}°"] if error.radians else []
    return " and ".join(parts)
