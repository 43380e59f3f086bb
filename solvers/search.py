"""What the local solvers share: the state they carry from step to step, and when they stop.

Compiled code has no clock: a solver runs a slice of iterations and returns, and whoever wants a time limit, a progress
bar or Esc looks between slices.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel
from .chance import new_chance
from .evaluation import Evaluation, cost_at, gradient_here, project, projected_gradient
from .goals.tables import all_reached
from .kinematics import Ints
from .rotation import Floats
from .tally import PLACES

RUNNING, CONVERGED, REACHED, STALLED = range(4)  # why a slice ended


class Search(NamedTuple):
    """Where a local search is. V variables, G goals, M rows; what a solver keeps beyond this it keeps in `memory`."""

    q: Floats  # [V], always inside the limits
    gradient: Floats  # [V], at q
    trial: Floats  # [V], the next q
    step: Floats  # [V]
    cost: Floats  # [1], at q
    pull: Floats  # [M], with which `levenberg` expects the rows to go on pulling
    memory: Floats  # as many as the solver says; zero before it has run
    rows: Floats  # [3, M], what `levels` makes of the rows: their shift, their weight, and the weight they came with
    best: Floats  # [5], the least errors of pins and of goals so far, and more: see `levels`
    last: Floats  # [G], what each goal was off by when it was made heavier last; zeros before: see `levels`
    plain: Floats  # [3, V], the start, the minimum without multipliers, and the one before posture was eased
    tally: Floats  # [PLACES], how far `run` is: see `tally`
    chance: Ints  # [2, 4], the seed's state of the generator, and the one that restarts draw from


def new_search(problem: Evaluation, memory: int, seed: int = 0) -> Search:
    """Room for a search of a problem, by a solver that keeps so many numbers."""
    variables, rows = len(problem.lower), len(problem.goals.weight)
    q, gradient, trial, step = np.zeros((4, variables))
    return Search(
        q=q,
        gradient=gradient,
        trial=trial,
        step=step,
        cost=np.zeros(1),
        pull=np.zeros(rows),
        memory=np.zeros(memory),
        rows=np.zeros((3, rows)),
        best=np.zeros(5),
        last=np.zeros(len(problem.goals.kind)),
        plain=np.zeros((3, variables)),
        tally=np.zeros(PLACES),
        chance=np.stack([new_chance(seed)] * 2),
    )


@kernel
def resume(problem: Evaluation, search: Search) -> None:
    """Bring search.q into the limits and evaluate it: since the last slice the problem may have been used elsewhere."""
    project(problem, search.q)
    search.cost[0] = cost_at(problem, search.q)
    gradient_here(problem, search.gradient)


@kernel
def accept(search: Search, damping: float, ratio: float) -> bool:
    """Whether a damped step came true, by the ratio of the cost's real fall to the promised one; sets the next damping.

    Nielsen's rule, with a fall to a tenth where he has a third: near a minimum damping must get below the posture's
    curvature, 1e-6 of the goals'. memory[0] is the next damping, memory[1] the factor it grows by when a step fails.
    """
    if ratio > 0.0:
        search.memory[0] = damping * max(0.1, 1.0 - (2.0 * ratio - 1.0) ** 3)
        search.memory[1] = 2.0
        return True
    search.memory[0] = damping * search.memory[1]
    search.memory[1] *= 2.0
    return False


@kernel
def move(problem: Evaluation, search: Search, cost: float) -> None:
    """Go to search.trial, where the problem was evaluated last."""
    for i in range(search.q.shape[0]):
        search.q[i] = search.trial[i]
    search.cost[0] = cost
    gradient_here(problem, search.gradient)


@kernel
def presses(problem: Evaluation, search: Search, i: int) -> bool:
    """Whether a variable rests on a limit that the gradient presses it against."""
    q, slope = search.q[i], search.gradient[i]
    # With `and` and `or` there would be branches, and no eight variables at once.
    return bool(((q <= problem.lower[i]) & (slope >= 0.0)) | ((q >= problem.upper[i]) & (slope <= 0.0)))


@kernel
def ended(problem: Evaluation, search: Search, tolerance: float, stop_when_reached: bool) -> int:
    """RUNNING, or why to stop here. The problem was evaluated at search.q last."""
    if projected_gradient(problem, search.q, search.gradient) <= tolerance:
        return CONVERGED
    if stop_when_reached and all_reached(problem.goals, problem.values):
        return REACHED
    return RUNNING
