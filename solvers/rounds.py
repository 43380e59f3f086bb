"""The search for a minimum, in rounds: after each, what is off is shifted, until nothing is to be shifted any more.

`levels` knows what is done to pins, goals and posture between two rounds, and why. Here is when it is done, and how
many iterations a round is worth: shifts move each minimum but the last, so only that one need be exact. Posture is
eased last, because only the end shows which goals are still off; and that is given up early where it is in vain:
goals out of reach would take the most iterations of all.

Without levels a search is one descent.
"""

from ..compiled import kernel
from .evaluation import Evaluation, cost_again, gradient_here
from .goals.tables import PIN, GoalArrays
from .levels import (
    EASED,
    HELD_OFF,
    NEAR,
    PIN_WEIGHT,
    ROUNDS,
    bound_pulls,
    ease_posture,
    fade,
    is_stubborn,
    shift_goals,
    shift_pins,
    worst_error,
)
from .levenberg import NormalRoom
from .methods import LEVENBERG, MEMETIC, PSEUDO_DYNAMICS, descend, evaluated
from .plan import Plan
from .search import REACHED, RUNNING, Search
from .tally import AT, DONE_EASING, EASING, EASING_ALL, HELD, NOT_EASED, NOWHERE, ROUND, SHARE, WAS, WITHIN

TINIEST = 2.3e-308  # the least number of full precision
MOST_EASING = 60  # iterations with posture eased: goals that take longer are out of reach
LATER = 4  # of them, when it is looked again whether they help: the first are damped hard
GIVES = 0.99  # part of the worst error that the first of them may leave; of goals in reach it left 0.97 at most
HELPS = 0.1  # part of the worst error that easing must take away to count in full
ROUGHLY = 300.0  # times a minimum's gradient is enough for Newton's in the first round: three iterations of 14 saved
STEPS = 2  # of Newton's, in each round but the first and the last


@kernel
def search_on(problem: Evaluation, search: Search, room: NormalRoom, plan: Plan, iterations: int) -> tuple[int, int]:
    """Go on with a search: with multipliers or without."""
    goals, rows = problem.goals, search.rows
    gradient = plan.gradient * _scale(goals, plan.size)
    if not plan.levels:
        return descend(problem, search, room, plan, iterations, gradient)
    if search.tally[ROUND] == 0.0:
        search.tally[ROUND] = 1.0
        for row in range(rows.shape[1]):
            rows[2, row] = goals.weight[row]
        here = evaluated(problem, search, room)
        if bound_pulls(goals, here.values, plan.size):
            search.tally[AT] = NOWHERE
    else:
        for row in range(rows.shape[1]):  # the multipliers are the search's: between slices the problem has none
            goals.shift[row], goals.weight[row], rows[2, row] = rows[0, row], rows[1, row], goals.weight[row]
    return _run_levels(problem, search, room, plan, iterations, gradient)


@kernel
def _scale(goals: GoalArrays, size: float) -> float:
    """What a gradient is measured by: that of an error of the tree's own size, at a goal's largest weight."""
    largest = 0.0
    for goal in range(goals.kind.shape[0]):
        factor = 1.0 / PIN_WEIGHT if goals.level[goal] == PIN else 1.0
        for row in range(goals.row[goal], goals.row[goal + 1]):
            largest = max(largest, factor * goals.weight[row])
    return max(largest, TINIEST) * size * size


@kernel
def _run_levels(
    problem: Evaluation, search: Search, room: NormalRoom, plan: Plan, iterations: int, gradient: float
) -> tuple[int, int]:
    """Search for a minimum, shift the goals that are off, and search on, until none is to be shifted.

    The first minimum is a rough one, and between it and the last two steps of Newton's a round are enough: shifts move
    what is found there anyway.
    """
    tally, total = search.tally, 0
    newton = plan.method in (LEVENBERG, PSEUDO_DYNAMICS, MEMETIC)
    while True:
        short, first = newton and 1.0 < tally[ROUND] <= ROUNDS, newton and tally[ROUND] == 1.0
        most = min(iterations - total, STEPS - int(tally[WITHIN])) if short else iterations - total
        easing = tally[EASING] == EASING_ALL
        if easing:
            until = 1 if tally[WITHIN] < 1.0 else (LATER if tally[WITHIN] < LATER else MOST_EASING)
            most = min(most, until - int(tally[WITHIN]))
        status, done = descend(problem, search, room, plan, most, ROUGHLY * gradient if first else gradient)
        total, tally[WITHIN] = total + done, tally[WITHIN] + done
        tired = easing and tally[WITHIN] >= MOST_EASING
        looks = tally[WITHIN] == 1.0 or tally[WITHIN] == LATER
        if easing and looks and status == RUNNING and done > 0:
            tired = _in_vain(evaluated(problem, search, room), search, plan)
            if not tired and total < iterations:
                continue
        if status == REACHED or (status == RUNNING and not (short and tally[WITHIN] >= STEPS) and not tired):
            return status, total
        if tally[ROUND] == 1.0:
            for i in range(search.q.shape[0]):
                search.plain[1, i] = search.q[i]
        tally[WITHIN] = 0.0
        here = evaluated(problem, search, room)
        if tally[ROUND] <= ROUNDS:
            if shift_goals(here.goals, here.values, search.best, search.last, plan.size):
                tally[ROUND] += 1.0
                _look_again(here, search)
                continue
            tally[ROUND] = ROUNDS + 1.0
            if status == RUNNING or first:
                continue
        if not easing and shift_pins(here.goals, here.values, search.best, search.rows[2], plan.size):
            _look_again(here, search)
            continue
        status = _ease(here, search, plan, status) if newton else status
        if status != RUNNING:
            return status, total


@kernel
def _look_again(here: Evaluation, search: Search) -> None:
    """Cost and gradient after goals were shifted."""
    search.cost[0] = cost_again(here, search.q)
    gradient_here(here, search.gradient)


@kernel
def _in_vain(here: Evaluation, search: Search, plan: Plan) -> bool:
    """Whether the first iterations with posture eased show that goals are out of reach anyway; near ones, all of them.

    Goals that are near and cannot be met, as of straps between bones that do not move, would be eased for till the end.
    """
    error = worst_error(here.goals, here.values)
    near = fade(error, NEAR * plan.size) > 0.0
    return bool(error > GIVES * search.tally[HELD] and (search.tally[WITHIN] >= LATER or not near))


@kernel
def _ease(here: Evaluation, search: Search, plan: Plan, status: int) -> int:
    """Ease posture where it may hold goals off, or take that back where it did not. RUNNING, or how it has ended.

    `here` was evaluated last at search.q, where a search has ended, if not for want of iterations. Where easing was all
    in vain, it is back to where the one before has ended, and as that had.
    """
    tally, goals, q = search.tally, here.goals, search.q
    error = worst_error(goals, here.values)
    if tally[EASING] == NOT_EASED:
        tally[SHARE] = fade(error, HELD_OFF * plan.size)
        if error == 0.0 or tally[SHARE] == 0.0 or is_stubborn(goals, here.values, search.last, GIVES):
            return status
        for i in range(q.shape[0]):
            search.plain[2, i] = q[i]
        tally[EASING], tally[HELD], tally[WAS], tally[AT] = EASING_ALL, error, status, NOWHERE
        ease_posture(goals, EASED)
        search.memory[:] = 0.0
        return RUNNING
    if tally[EASING] == DONE_EASING:
        return status
    tally[EASING] = DONE_EASING
    share = tally[SHARE] * fade(error, NEAR * plan.size) if status != RUNNING else 0.0
    share *= min(max((1.0 - error / tally[HELD]) / HELPS, 0.0), 1.0)
    if share < 1.0:
        ease_posture(goals, EASED ** (share - 1.0))
        for i in range(q.shape[0]):
            q[i] = search.plain[2, i]
        search.memory[:], tally[AT] = 0.0, NOWHERE
    elif error == 0.0:
        return status
    search.best[0] = search.best[1] = search.best[3] = search.best[4] = 0.0
    tally[ROUND] = 2.0  # what is still off, or off again, is shifted as usual; heavy goals are heavy enough
    return RUNNING if share > 0.0 else int(tally[WAS])
