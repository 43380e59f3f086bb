"""A memetic search, watched from outside: one generation after the other, where its elites began and where they ended.

The search is the same as without being watched: solvers are resumable, and a generation is the least of their slices.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...solvers import Budget, MemeticOptions, Problem, State, step
from ...solvers.evolution import (
    ELITE_NUMBERS,
    ELITE_ROWS,
    ELITES,
    FOUND,
    INDIVIDUALS,
    NUMBERS,
    ROWS,
    SEATED,
    WANTED,
    WIPE_OUTS,
    population_of,
)
from ...solvers.plan import SEAT
from ...solvers.rotation import Floats
from ...solvers.search import RUNNING
from ..rotations import Ints

_FINISH = 50  # iterations that the solver keeps for what comes after the generations, or half of all


@dataclass(eq=False)
class History:
    """G generations with E elites each. Costs are ½ Σ w r², as the solvers count them, without posture."""

    best: list[float] = field(default_factory=list)  # [G], the least cost so far, of a pose that reaches most
    begun: list[Floats] = field(default_factory=list)  # [G] of [E, variables], before elites descend
    ended: list[Floats] = field(default_factory=list)  # [G] of [E, variables], after that
    begun_costs: list[Floats] = field(default_factory=list)  # [G] of [E]
    ended_costs: list[Floats] = field(default_factory=list)  # [G] of [E]
    found: list[int] = field(default_factory=list)  # [G], distinct solutions so far
    wipe_outs: list[int] = field(default_factory=list)  # [G], how often the population was begun anew so far
    solutions: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # [n, variables], that reach every goal


def watched(
    problem: Problem, start: Floats, seed: int, count: int, generations: int, history: History
) -> Iterator[None]:
    """Search for `count` distinct poses [variables] for so many generations at most; each is noted as it ends."""
    state = State(problem, start, "memetic", seed, MemeticOptions(), count)
    budget = Budget(iterations=generations + max(min(_FINISH, generations), 1), until_reached=True, seed=seed)
    for _ in range(generations):
        seats = _seated(problem, state, budget)
        if not len(seats):
            return
        old = population_of.function(state.colony, state.search.chance[1]).old
        history.begun.append(old.genes[: len(seats)].copy())
        history.begun_costs.append(old.cost[: len(seats)].copy())
        step(problem, state, budget, 1)
        poses, costs = _descended(state, seats)
        stayed = (poses == history.begun[-1]).all(axis=1)  # enough was found before it was their turn
        costs = np.where(stayed, history.begun_costs[-1], costs)
        found = population_of.function(state.colony, state.search.chance[1])
        history.ended.append(poses)
        history.ended_costs.append(costs)
        history.best.append(float(found.best_cost[0]))
        history.found.append(int(found.tally[FOUND]))
        history.wipe_outs.append(int(found.tally[WIPE_OUTS]))
        history.solutions = found.solutions[: found.tally[FOUND]].copy()
        yield
        if state.status != RUNNING:
            return


def _seated(problem: Problem, state: State, budget: Budget) -> Ints:
    """Have the elites of the next generation chosen, and let none descend. Returns their seats [E], none if it is over.

    Solvers choose them so where elites descend in threads. Told that nobody sits, they find all of them seated.
    """
    whole = state.next_slice(problem, budget, 0)
    plan = whole.arguments[-1]
    whole.with_last(plan._replace(part=SEAT, iterations=0))()
    state.begun = True
    counts = state.colony.counts
    if counts[SEATED] == 0:
        return np.zeros(0, np.int64)
    counts[SEATED] = 0
    found: Ints = population_of.function(state.colony, state.search.chance[1]).old.seat[: counts[ELITES]].copy()
    return found


def _descended(state: State, seats: Ints) -> tuple[Floats, Floats]:
    """Where the descents at some seats [E] have come to [E, variables], and what that costs [E]."""
    colony = state.colony
    others = 4 * int(colony.counts[INDIVIDUALS]) + int(colony.counts[WANTED])
    return (
        colony.rows[ROWS + others + seats * ELITE_ROWS].copy(),
        colony.numbers[NUMBERS + others + seats * ELITE_NUMBERS].copy(),
    )
