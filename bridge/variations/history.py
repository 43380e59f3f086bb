"""A memetic search, watched from outside: one generation after the other, and what its elites were at each.

The search is the same as without being watched: solvers are resumable, and a generation is the least of their slices.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...solvers import Budget, MemeticOptions, Problem, State, step
from ...solvers.evolution import ELITES, FOUND, WIPE_OUTS, population_of
from ...solvers.rotation import Floats
from ...solvers.search import RUNNING

_FINISH = 50  # iterations that the solver keeps for what comes after the generations, or half of all


@dataclass(eq=False)
class History:
    """G generations with E elites each. Costs are ½ Σ w r², as the solvers count them."""

    best: list[float] = field(default_factory=list)  # [G], the least cost of any individual so far
    costs: list[Floats] = field(default_factory=list)  # [G] of [E], the elites', the best first
    elites: list[Floats] = field(default_factory=list)  # [G] of [E, variables]
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
        if step(problem, state, budget, 1) == 0 and history.best:
            break
        found = population_of.function(state.colony, state.search.chance[1])
        elites = int(found.tally[ELITES])
        history.best.append(float(found.best_cost[0]))
        history.costs.append(found.old.cost[:elites].copy())
        history.elites.append(found.old.genes[:elites].copy())
        history.found.append(int(found.tally[FOUND]))
        history.wipe_outs.append(int(found.tally[WIPE_OUTS]))
        history.solutions = found.solutions[: found.tally[FOUND]].copy()
        yield
        if state.status != RUNNING or history.found[-1] >= count:
            break
