"""What the local solvers share: the state they carry from step to step, and when they stop.

Compiled code has no clock: a solver runs a slice of iterations and returns, and whoever wants a time limit, a progress
bar or Esc looks between slices.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel
from .evaluation import Evaluation, gradient_at, project, projected_gradient
from .goals.tables import all_reached
from .rotation import Floats

RUNNING, CONVERGED, REACHED, STALLED = range(4)  # why a slice ended


class Search(NamedTuple):
    """Where a local search is. V variables; what each solver keeps beyond this it keeps in `memory`."""

    q: Floats  # [V], always inside the limits
    gradient: Floats  # [V], at q
    trial: Floats  # [V], the next q
    step: Floats  # [V]
    cost: Floats  # [1], at q
    memory: Floats  # [M]


def new_search(variables: int, memory: int) -> Search:
    """Room for a search."""
    q, gradient, trial, step = np.zeros((4, variables))
    return Search(q, gradient, trial, step, np.zeros(1), np.zeros(memory))


@kernel
def resume(problem: Evaluation, search: Search) -> None:
    """Bring search.q into the limits and evaluate it: since the last slice the problem may have been used elsewhere."""
    project(problem, search.q)
    search.cost[0] = gradient_at(problem, search.q, search.gradient)


@kernel
def ended(problem: Evaluation, search: Search, tolerance: float, stop_when_reached: bool) -> int:
    """RUNNING, or why to stop here. The problem was evaluated at search.q last."""
    if projected_gradient(problem, search.q, search.gradient) <= tolerance:
        return CONVERGED
    if stop_when_reached and all_reached(problem.goals, problem.values):
        return REACHED
    return RUNNING
