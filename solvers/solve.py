"""Solving: one call for every solver, with a budget and a result that says why."""

import functools
import time
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..entry import Bound
from . import levenberg as lm
from . import line_search as ls
from . import methods
from . import mirror as md
from .chance import seed_chance
from .coupling import most_coupled
from .errors import PosewrightError
from .evaluation import Evaluation
from .evolution import Colony
from .frames import Frames, new_frames
from .goals.goal import Goal
from .goals.tables import Level
from .levenberg import NormalRoom
from .memetic import MemeticOptions, new_colony, no_colony, run_in_threads
from .methods import new_room
from .plan import ALL, Plan
from .problem import GoalError, Problem, goal_errors
from .rotation import Floats
from .run import run
from .search import CONVERGED, REACHED, RUNNING, STALLED, Search, new_search
from .tally import EARLIER
from .tree import Tree

USUAL = MemeticOptions()
SLICE, GENERATIONS = 10, 3  # iterations between two looks at the clock; of `memetic`
KEPT = 7  # slices that a state keeps ready to be run
WIDE = 40  # variables from which on `auto` goes by sweeps
AUTO_GENERATIONS = 20  # the most of `auto`, where all else ended short of the goals
FINISH = 50  # iterations that `memetic` keeps to finish its best by a local search, or half of them


class Status(Enum):
    """How a solve ended. Whether its start had to be repaired is another matter: see `Result.repaired`."""

    CONVERGED = "converged"  # at a minimum: no step inside the limits lowers the cost
    REACHED = "reached"  # every goal within its tolerance, which is what was asked for
    STALLED = "stalled"  # at no minimum, yet nothing better was found: the cost falls no more, or costs a pin or a goal
    OUT_OF_ITERATIONS = "out of iterations"
    OUT_OF_TIME = "out of time"


ENDS = {CONVERGED: Status.CONVERGED, REACHED: Status.REACHED, STALLED: Status.STALLED}


class Method(NamedTuple):
    """A solver: its number in `methods`, and how many numbers it keeps from slice to slice."""

    number: int
    memory: int
    memory_each: int = 0  # and so many for each variable


# The registry. `auto` is `levenberg`, by sweeps or by a matrix (`number_of`), begun anew where it ends short of its
# goals, and after that a short `memetic`. Those with a paper's or an author's name keep to its own rules, for the
# benchmarks.
SOLVERS = {
    "auto": Method(methods.LEVENBERG, lm.MEMORY),
    "levenberg": Method(methods.LEVENBERG, lm.MEMORY),
    "line_search": Method(methods.LINE_SEARCH, ls.MEMORY),
    "pseudo_dynamics": Method(methods.PSEUDO_DYNAMICS, lm.MEMORY),
    "mirror": Method(methods.MIRROR, md.MEMORY, md.MEMORY_EACH),
    "memetic": Method(methods.MEMETIC, lm.MEMORY),
    "levenberg_sugihara": Method(methods.SUGIHARA, lm.MEMORY),
    "pseudo_dynamics_paper": Method(methods.PSEUDO_DYNAMICS_PAPER, lm.MEMORY),
    "line_search_paper": Method(methods.LINE_SEARCH_PAPER, ls.MEMORY),
    "mirror_paper": Method(methods.MIRROR_PAPER, md.MEMORY, md.MEMORY_EACH),
    "memetic_paper": Method(methods.MEMETIC, lm.MEMORY),
}


@dataclass(frozen=True)
class Budget:
    """How much a solve may take. It ends at whichever comes first.

    Attributes:
        iterations: at most so many. Of `memetic`, generations and what finishes the best of them.
        seconds: looked at every ten iterations or three generations. Answers then depend on the machine: not for live
            posing, nor for bakes.
        until_reached: stop once every goal is within its tolerance, and not only at a minimum. A pose that ends at a
            minimum comes back when its goals come back; one that ends within the tolerance drifts.
        gradient: a projected gradient below this part of the problem's scale counts as a minimum.
        restarts: of `auto`, how often it may begin anew from a random pose where it ends short of its goals; unless
            there are none, a short memetic search comes after them. Live posing wants none: the pose would leap.
        seed: of those random poses, and of `memetic`.
        levels: hold pins and goals by multipliers, so that posture pulls no goal off and no goal a pin. Without, the
            answer is the minimum of the plain cost, where everything gives way by its weight.
    """

    iterations: int = 200
    seconds: float | None = None
    until_reached: bool = False
    gradient: float = 1e-7
    levels: bool = True
    restarts: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.iterations < 0 or (self.seconds is not None and not self.seconds >= 0.0):
            raise PosewrightError(f"a budget is not negative: {self.iterations} iterations, {self.seconds} seconds")
        if not self.gradient >= 0.0:
            raise PosewrightError(f"the gradient of a minimum is zero or more, not {self.gradient}")


class LimitHit(NamedTuple):
    """A limit that the pose rests on."""

    joint: str
    axis: str
    upper: bool  # which of its two limits
    multiplier: float  # how hard the goals press against it: cost per radian or metre


@dataclass(eq=False)
class Result:
    """What a solve found.

    Attributes:
        q: [variables], inside the limits. Its pins, and if those are alike its goals, are never worse than those of
            the start brought into the limits, but for a tolerance where pins cannot all be had; without `Budget.levels`
            the same holds of its cost.
        status, reason: how it ended, and that in words for people. Where going on would have lost a pin or a goal, the
            answer is an earlier pose, and the reason says so.
        repaired: the variables of the start that had to be brought into their limits.
        errors: for each goal, in metres and radians.
        cost: ½ Σ w r² at q.
        gradient: the largest part of the gradient, multipliers included, that the limits do not forbid to follow.
        iterations, seconds: what it took.
        limits_hit: the limits that q rests on and is pressed against, the hardest pressed first.
    """

    q: Floats
    status: Status
    cost: float
    iterations: int
    seconds: float
    _tree: Tree
    _goals: tuple[Goal, ...]
    _errors: Floats  # [goals, 2]
    _gradient: Floats  # [variables]
    _start: Floats  # [variables]
    _earlier: bool  # whether q is an earlier pose than the search has come to

    @functools.cached_property
    def errors(self) -> list[GoalError]:  # noqa: D102 - the class says it; made when asked for, as all below
        return goal_errors(self._goals, self._errors)

    @functools.cached_property
    def gradient(self) -> float:  # noqa: D102
        tree = self._tree
        return float(np.abs(np.clip(self.q - self._gradient, tree.lower, tree.upper) - self.q).max(initial=0.0))

    @functools.cached_property
    def limits_hit(self) -> list[LimitHit]:  # noqa: D102
        tree, gradient = self._tree, self._gradient
        pressed = np.where(self.q <= tree.lower, gradient, 0.0) - np.where(self.q >= tree.upper, gradient, 0.0)
        return [
            LimitHit(one.joint, one.axis, bool(self.q[index] >= one.upper), float(pressed[index]))
            for index in np.argsort(-pressed, kind="stable")
            if pressed[index] > 0.0
            for one in [tree.variables[index]]
        ]

    @functools.cached_property
    def repaired(self) -> list[str]:  # noqa: D102
        outside = (self._start < self._tree.lower) | (self._start > self._tree.upper)
        return [f"{one.joint}.{one.axis}" for one, out in zip(self._tree.variables, outside, strict=True) if out]

    @functools.cached_property
    def reason(self) -> str:  # noqa: D102
        off = [
            f"{type(goal).__name__.lower()} goal {index} is off by {_length(error)}"
            for index, (goal, error) in enumerate(zip(self._goals, self.errors, strict=True))
            if goal.on and not error.reached and goal.level != Level.POSTURE
        ]
        said = "; ".join(off[:3]) or "every goal is met"
        if len(off) > 3:
            said += f" and {len(off) - 3} more"
        if off and self.limits_hit:
            said += f", stopped by {self.limits_hit[0].joint}.{self.limits_hit[0].axis}"
        if self._earlier:
            said += "; an earlier pose was kept, because going on would have lost a pin or a goal"
        if self.repaired:
            said += f"; the start was outside the limits of {', '.join(self.repaired[:3])}"
        return f"{self.status.value}: {said}"


def _length(error: GoalError) -> str:
    parts = [f"{1000 * error.metres:.3g} mm"] if error.metres else []
    parts += [f"{np.degrees(error.radians):.3g}°"] if error.radians else []
    return " and ".join(parts)


class State:
    """A search that can be gone on with: what `step` carries from slice to slice."""

    def __init__(
        self,
        problem: Problem,
        start: ArrayLike | None,
        solver: str = "auto",
        seed: int = 0,
        options: MemeticOptions | None = None,
        solutions: int = 1,
    ) -> None:
        self.solver, self.seed, self.options = solver, seed, options or USUAL
        self.colony = colony_of(problem, solver, self.options, solutions)
        self.search: Search = new_search(problem.evaluation, memory_of(problem, solver), seed)
        self.frames: Frames = new_frames(problem.evaluation, 1, 0)
        self.evaluation: Evaluation | None = None  # what the room and the slices below were made for
        self.room: NormalRoom
        self._slices: list[tuple[tuple[Budget, int, bool], Bound[None]]]
        self.restart(problem, start)

    def restart(self, problem: Problem, start: ArrayLike | None, seed: int | None = None) -> None:
        """Forget everything and begin anew at `start` [variables] or the rest values, in the same room."""
        tree = problem.tree
        if seed is not None and seed != self.seed:
            self.seed = seed
            seed_chance(self.search.chance[0], seed)
        self.start = tree.start() if start is None else tree.check(start, "the start")
        self.frames.start[0] = self.start
        self.status = RUNNING
        self.iterations = 0
        self.begun = False

    def next_slice(self, problem: Problem, budget: Budget, iterations: int) -> Bound[None]:
        """The next slice, to be called. Kept for other solves: making the first takes as long as several of an arm."""
        if self.evaluation is not problem.evaluation:
            self.evaluation, self._slices = problem.evaluation, []
            self.room = new_room(problem.evaluation, number_of(problem, self.solver))
        asked = budget, iterations, self.begun
        for known, kept in self._slices:
            if known == asked:
                return kept
        plan = plan_of(problem, self.solver, budget, iterations)._replace(begin=not self.begun)
        if self._slices:
            made = self._slices[-1][1].with_last(plan)
        else:
            made = run.bind(problem.evaluation, self.search, self.room, self.frames, self.colony, plan)
        self._slices = [*self._slices[-KEPT:], (asked, made)]
        return made


def method_of(solver: str) -> Method:
    """A solver by its name. Raises an error that lists them where there is none of that name."""
    if solver not in SOLVERS:
        raise PosewrightError(f"unknown solver {solver!r}; the solvers are {', '.join(SOLVERS)}")
    return SOLVERS[solver]


def number_of(problem: Problem, solver: str) -> int:
    """The number of the method that a problem is solved by. `auto` makes its steps by sweeps where these are faster.

    They are the same steps by a matrix, but for rows on several bodies: of those, sweeps do not know all curvature.
    Measured: a body of 63 variables takes 0.13 ms by sweeps and 0.22 by a matrix; with 30 it is even, an arm loses.
    """
    if solver == "auto" and len(problem.tree.variables) >= WIDE and most_coupled(problem.arrays) == 0:
        return methods.PSEUDO_DYNAMICS
    return method_of(solver).number


def memory_of(problem: Problem, solver: str) -> int:
    """How many numbers a solver keeps for a problem."""
    method = method_of(solver)
    return method.memory + method.memory_each * len(problem.tree.variables)


def colony_of(problem: Problem, solver: str, options: MemeticOptions, solutions: int = 1) -> Colony:
    """Room for the population of a solver that has one."""
    if method_of(solver).number == methods.MEMETIC or solver == "auto":
        return new_colony(problem.tree, options, solutions, paper=solver == "memetic_paper")
    return no_colony(problem.tree)


def plan_of(problem: Problem, solver: str, budget: Budget, iterations: int, frames: tuple[int, int] = (0, 1)) -> Plan:
    """What is asked of a run."""
    return Plan(
        method=number_of(problem, solver),
        iterations=iterations,
        gradient=budget.gradient,
        until_reached=budget.until_reached,
        levels=budget.levels,
        size=problem.tree.size,
        restarts=budget.restarts if solver == "auto" else 0,
        tries=budget.iterations // 2,
        generations=AUTO_GENERATIONS if solver == "auto" else budget.iterations - min(FINISH, budget.iterations // 2),
        most=budget.iterations,
        carry_on=False,
        alike=False,
        begin=True,
        first=frames[0],
        last=frames[1],
        part=ALL,
    )


def step(problem: Problem, state: State, budget: Budget, iterations: int | None = None) -> int:
    """Go on for up to so many iterations, by default the budget's. Returns how many were made.

    None are made when the search has ended; state.status says how.
    """
    asked = state.next_slice(problem, budget, budget.iterations if iterations is None else iterations)
    if state.options.threads > 1 and method_of(state.solver).number == methods.MEMETIC:
        run_in_threads(asked, state.options.threads)
    else:
        asked()
    state.begun = True
    state.status, made = state.frames.ends[0].tolist()
    state.iterations += made
    return int(made)


def solve(
    problem: Problem,
    start: ArrayLike | None = None,
    solver: str = "auto",
    budget: Budget | None = None,
    options: MemeticOptions | None = None,
) -> Result:
    """Find variables that meet the goals as well as the limits allow, from `start` [variables] or the rest values.

    `options` are for `memetic`, and for its part in `auto`.

    Never raises for a hard problem: the result's status and reason say what was found. Without a time limit, the same
    problem, start and budget give the same answer to the last bit on the same machine.
    """
    budget = budget or Budget()
    begun = time.perf_counter()
    state = _room(problem, start, solver, budget.seed, options or USUAL)
    out_of_time = go_on(problem, state, budget, begun)
    return result_of(problem, state, out_of_time, time.perf_counter() - begun)


def go_on(problem: Problem, state: State, budget: Budget, begun: float) -> bool:
    """Go on with a search, begun at that `time.perf_counter()`, until it ends. True if it ran out of time."""
    most = GENERATIONS if method_of(state.solver).number == methods.MEMETIC else SLICE
    most = budget.iterations if budget.seconds is None else most
    while True:
        step(problem, state, budget, min(most, budget.iterations - state.iterations))
        if state.status != RUNNING or state.iterations >= budget.iterations:
            return False
        if budget.seconds is not None and time.perf_counter() - begun >= budget.seconds:
            return True


def _room(problem: Problem, start: ArrayLike | None, solver: str, seed: int, options: MemeticOptions) -> State:
    """A state to solve in. A problem keeps those it had: making one takes as long as an arm's whole solve."""
    kept = problem.rooms.get(solver)
    if isinstance(kept, State) and kept.options == options:
        kept.restart(problem, start, seed)
        return kept
    state = problem.rooms[solver] = State(problem, start, solver, seed, options)
    return state


def result_of(problem: Problem, state: State, out_of_time: bool = False, seconds: float = 0.0) -> Result:
    """What a search has come to so far."""
    frames = state.frames
    return Result(
        q=frames.q[0].copy(),
        status=ENDS.get(state.status, Status.OUT_OF_TIME if out_of_time else Status.OUT_OF_ITERATIONS),
        cost=float(frames.cost[0]),
        iterations=state.iterations,
        seconds=seconds,
        _tree=problem.tree,
        _goals=tuple(problem.goals),
        _errors=frames.errors[0].copy(),
        _gradient=np.where(problem.held, 0.0, frames.gradient[0]),
        _start=state.start,
        _earlier=bool(state.search.tally[EARLIER]),
    )
