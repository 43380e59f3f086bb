"""Off a saddle: where a search rests short of a goal although there is a way down, which no gradient shows.

A straight leg whose hip is to come down is one: the goal pulls along the leg, so that no joint's gradient says which
way the knee is to bend. At a minimum the second derivative is positive over all variables that may move. If it is not,
elimination meets a pivot that is not, and that pivot comes with a direction along which the cost bends down.
"""

from ..compiled import kernel
from .articulated import sweep_down
from .evaluation import Evaluation, cost_at
from .goals.tables import all_reached
from .levenberg import FREE, RESTING, SLIGHT, NormalRoom, by_sweeps, curvature_here, factor, mean_curvature
from .search import Search, presses

FIRST, HALVINGS = 0.5, 8  # radians or metres of the largest change that is tried first, and how often it is halved
LEAST = 1e-9  # part of the cost that a way down must take off


@kernel
def leave_saddle(
    here: Evaluation, there: Evaluation, search: Search, room: NormalRoom, tolerance: float, positive: bool
) -> bool:
    """Move search.q to where the cost is less, inside the limits. False at a minimum, and where every goal is met.

    `here` was evaluated last at search.q, as were cost and gradient; `there` is another room. A variable is held only
    by a limit that it is pressed against with more than `tolerance`. `positive` says that the second derivative is
    positive over those that the gradient does not press at all.
    """
    if search.q.shape[0] == 0 or all_reached(here.goals, here.values):  # without variables there is no room
        return False
    freed = False
    for i in range(search.q.shape[0]):
        slope, low, high = search.gradient[i], search.q[i] <= here.lower[i], search.q[i] >= here.upper[i]
        held = (low and slope > tolerance) or (high and slope < -tolerance)
        room.state[i] = RESTING if held else FREE
        freed = freed or (presses(here, search, i) and not held and not (low and high))
    if positive and not freed:
        return False
    for row in range(search.pull.shape[0]):
        search.pull[row] = here.goals.weight[row] * here.values.pull[row]
    curvature_here(here, search, room, True)
    bent = factor(here, room, SLIGHT * mean_curvature(here, room))
    if bent < 0:
        return False
    _way_down(here, search, room, bent)
    return _go(there, search, 1.0) or _go(there, search, -1.0)


@kernel
def _way_down(problem: Evaluation, search: Search, room: NormalRoom, bent: int) -> None:
    """The direction into search.step: `bent` moves by 1, and those below it as suits that best.

    H = LᵀL as far as it was factored, so that the cost along L x = e bends by the pivot that stopped it.
    """
    if by_sweeps(room):
        value = room.sweeps.body.value
        value[:] = 0.0
        value[bent] = 1.0
        sweep_down(problem.tree, room.sweeps.body, search.step)
        return
    low, depth, step = room.factor, room.depth, search.step
    for k in range(step.shape[0]):
        step[k] = 1.0 if k == bent else 0.0
        if k <= bent or room.state[k] != FREE:
            continue
        for place in range(depth[k]):
            i = room.path[k, place]
            if i >= bent:
                step[k] -= low[k, place] * step[i]
        step[k] /= low[k, depth[k]]


@kernel
def _go(problem: Evaluation, search: Search, sign: float) -> bool:
    """Go as far along search.step as lowers the cost. False if nothing does."""
    largest = 0.0
    for i in range(search.step.shape[0]):
        largest = max(largest, abs(search.step[i]))
    size = sign * FIRST / largest
    for _ in range(HALVINGS):
        for i in range(search.q.shape[0]):
            search.trial[i] = min(max(search.q[i] + size * search.step[i], problem.lower[i]), problem.upper[i])
        if cost_at(problem, search.trial) < (1.0 - LEAST) * search.cost[0]:
            for i in range(search.q.shape[0]):
                search.q[i] = search.trial[i]
            search.memory[:] = 0.0
            return True
        size *= 0.5
    return False
