"""Tries, from the start and then from random poses, to find any pose that reaches every goal.

A local search ends in the minimum that its start leads to, and that may be short of goals which are in reach. Tries are
cheap, because what they look for need be no minimum and know nothing of posture (`rounds` goes on from it to one that
does), and because each is given up as soon as it gets on slowly.
"""

import math

from ..compiled import kernel
from .chance import uniform
from .evaluation import Evaluation, cost_at, is_drawn, mark_unmet
from .kinematics import EULER, HINGE, VECTOR
from .levenberg import GAUSS, NEWTON, NormalRoom, levenberg
from .plan import Plan
from .search import REACHED, RUNNING, Search, presses, resume
from .tally import BEFORE, PHASE, RESTARTS, SEARCHING, SPENT, TRIED, TURNED

TRY, PATIENCE, FALLING = 60, 2, 0.7  # iterations from a random pose; in so many the cost must fall to this part
TURNS, WIDE = 3, 1.7 * math.pi  # how often in a try angles are taken a turn back, and whose range is wide enough


@kernel
def try_poses(problem: Evaluation, search: Search, room: NormalRoom, plan: Plan) -> tuple[int, int]:
    """Look for a pose that reaches every goal: from the start, then from random poses, while the cost falls fast.

    Most poses lead into a minimum short of the goals, and soon show it. If none is found, it is back to the start.
    A try that goes on is not evaluated anew: that took a tenth of an arm's solve.
    """
    tally, done = search.tally, 0
    rule, stop = (GAUSS, True) if plan.tries > 0 else (NEWTON, False)  # for plain constants numba compiles it once more
    here, there, going = problem, room.there, False
    while tally[SPENT] < plan.tries and done < plan.iterations:
        left = min(PATIENCE - int(tally[TRIED]) % PATIENCE, plan.iterations - done)
        if not going:
            resume(here, search)
        found, made = levenberg(here, there, search, room, left, -1.0, stop, rule)
        here, there = (there, here) if made % 2 == 1 else (here, there)
        done, tally[TRIED], tally[SPENT] = done + made, tally[TRIED] + made, tally[SPENT] + max(made, 1)
        if found == REACHED:
            tally[PHASE] = SEARCHING
            return found, done
        due = int(tally[TRIED]) % PATIENCE == 0
        falls = not due or search.cost[0] < FALLING * tally[BEFORE]
        going = found == RUNNING and tally[TRIED] < TRY and falls
        if going:
            tally[BEFORE] = search.cost[0] if due else tally[BEFORE]
        elif tally[TURNED] < TURNS and _turn_back(problem, search):
            tally[TURNED], tally[TRIED], tally[BEFORE] = tally[TURNED] + 1.0, 0.0, math.inf
        elif tally[RESTARTS] < plan.restarts:
            tally[TURNED] = 0.0
            tally[RESTARTS], tally[TRIED], tally[BEFORE] = tally[RESTARTS] + 1.0, 0.0, math.inf
            search.memory[:] = 0.0
            _draw(problem, search)
        else:
            tally[SPENT] = math.inf
    if tally[SPENT] >= plan.tries:
        tally[PHASE] = SEARCHING
        back_to_start(search)
    return RUNNING, done


@kernel
def back_to_start(search: Search) -> None:
    """Leave the tries behind, with what the method kept of them."""
    search.memory[:] = 0.0
    for i in range(search.q.shape[0]):
        search.q[i] = search.plain[0, i]


@kernel
def _turn_back(problem: Evaluation, search: Search) -> bool:
    """Take angles that press against a limit a full turn back, where that is near enough: much the same pose, free."""
    tree, turned = problem.tree, False
    for i in range(search.q.shape[0]):
        body = tree.body[i]
        kind, slot = tree.kind[body], tree.slot[body]
        angle = kind == HINGE or (kind == EULER and (slot[3] == i or slot[5] == i)) or (kind != VECTOR and slot[4] == i)
        if angle and presses(problem, search, i) and problem.upper[i] - problem.lower[i] > WIDE:
            back = search.q[i] + (2.0 * math.pi if search.gradient[i] > 0.0 else -2.0 * math.pi)
            search.q[i], turned = min(max(back, problem.lower[i]), problem.upper[i]), True
    return turned


@kernel
def _draw(problem: Evaluation, search: Search) -> None:
    """A random pose between the limits or, where there are none, within half a turn or half a metre of the start.

    Limbs that have arrived may stay: without that, two of 10,000 queries to Valkyrie's arms and legs took over 10 ms.
    """
    cost_at(problem, search.q)
    mark_unmet(problem, search.step)
    for i in range(search.q.shape[0]):
        if not is_drawn(search.step[i], int(search.tally[RESTARTS]) - 1):
            continue
        low, high, start, axis = problem.lower[i], problem.upper[i], search.plain[0, i], problem.pose.axis[i]
        reach = math.pi if axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > 0.0 else 0.5
        low, high = low if low > -math.inf else start - reach, high if high < math.inf else start + reach
        search.q[i] = min(low + uniform(search.chance[1]) * (high - low), high)
