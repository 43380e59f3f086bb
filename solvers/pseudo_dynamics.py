"""Levenberg-Marquardt by pseudo-forward dynamics: the same step as `levenberg`'s, in O(N) (Ayusawa et al., LM-PFD).

The step comes from sweeps over the tree (`articulated`), with rows on several bodies as rank-one updates (`coupling`).
Variables that rest on a limit are frozen and skipped. A step that crosses further limits is clamped to them and must
still lower the cost; if it does not, those variables are frozen too and it is solved again.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel
from .articulated import TURNING, Articulated, articulated_step, gather_inertia, new_articulated
from .coupling import Bools
from .evaluation import Evaluation, cost_at, project
from .levenberg import BIAS, MEMORY, TRIES, WEAKEST
from .rotation import Floats
from .search import RUNNING, STALLED, Search, accept, ended, move, presses, resume

__all__ = ["MEMORY", "PseudoRoom", "new_pseudo_room", "pseudo_dynamics"]


class PseudoRoom(NamedTuple):
    """Room for the O(N) step. V variables."""

    body: Articulated
    free: Bools  # [V]
    damping: Floats  # [V]


def new_pseudo_room(problem: Evaluation) -> PseudoRoom:
    """Room for the steps of a problem."""
    variables = problem.lower.shape[0]
    return PseudoRoom(new_articulated(problem), np.ones(variables, np.bool_), np.zeros(variables))


@kernel
def pseudo_dynamics(
    problem: Evaluation, search: Search, room: PseudoRoom, iterations: int, tolerance: float, stop_when_reached: bool
) -> tuple[int, int]:
    """Run up to so many iterations. Returns why it stopped and how many were made."""
    resume(problem, search)
    for done in range(iterations):
        status = ended(problem, search, tolerance, stop_when_reached)
        if status != RUNNING:
            return status, done
        gather_inertia(problem, room.body)
        curvature = _curvature(room.body)
        if search.memory[0] <= 0.0:
            search.memory[0], search.memory[1] = search.cost[0] + BIAS * curvature, 2.0
        for i in range(search.q.shape[0]):
            room.free[i] = not presses(problem, search, i)
        accepted, cost = False, search.cost[0]
        for _ in range(TRIES):
            damping = max(search.memory[0], WEAKEST * curvature)
            crossed = _step(problem, search, room, damping)
            cost = cost_at(problem, search.trial)
            predicted = _promised(search, room)
            ratio = (search.cost[0] - cost) / predicted if predicted > 0.0 else -1.0
            if crossed and not ratio > 0.0:
                _freeze_crossing(problem, search, room)
                continue
            accepted = accept(search, damping, ratio)
            if accepted:
                break
        if not accepted:
            cost_at(problem, search.q)
            return STALLED, done
        move(problem, search, cost)
    return ended(problem, search, tolerance, stop_when_reached), iterations


@kernel
def _curvature(room: Articulated) -> float:
    """About the mean of the diagonal of JᵀWJ: a scale for the damping, from the size of what pulls on each body."""
    total = 0.0
    for body in range(room.own.shape[0]):
        total += room.own[body, TURNING]
    for variable in range(room.size.shape[0]):
        total += room.size[variable]
    return float(total / max(1, room.size.shape[0]))


@kernel
def _step(problem: Evaluation, search: Search, room: PseudoRoom, damping: float) -> bool:
    """Put the damped step's end, inside the limits, into search.trial. True if it had crossed a limit."""
    room.damping[:] = damping
    articulated_step(problem, search.gradient, room.damping, room.free, room.body, search.step)
    crossed = False
    for i in range(search.q.shape[0]):
        search.trial[i] = search.q[i] + search.step[i]
        crossed = crossed or search.trial[i] < problem.lower[i] or search.trial[i] > problem.upper[i]
    project(problem, search.trial)
    return crossed


@kernel
def _promised(search: Search, room: PseudoRoom) -> float:
    """The fall of the cost that a step promises.

    Where no limit is met, -gᵀd - ½dᵀHd = ½(λ|d|² - gᵀd), because (H + λ)d = -g. A clamped step promises less; the
    slope alone, halved, is taken for it.
    """
    promised = 0.0
    for i in range(search.q.shape[0]):
        moved = search.trial[i] - search.q[i]
        promised += 0.5 * (room.damping[i] * moved * moved - search.gradient[i] * moved)
    return promised


@kernel
def _freeze_crossing(problem: Evaluation, search: Search, room: PseudoRoom) -> None:
    for i in range(search.q.shape[0]):
        end = search.q[i] + search.step[i]
        if end < problem.lower[i] or end > problem.upper[i]:
            room.free[i] = False
