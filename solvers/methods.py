"""The methods behind the solvers' names: the number of each, the room that it needs, and who makes its iterations.

Like the goals' own registry it is a chain of comparisons: a list of functions would have to be compiled for each mix.

What methods have in common is here, too. Where one has converged, that may be at a saddle, and it goes on from there.
`levenberg` evaluates the end of each step in a second room, which then changes places with the first; the tally notes
which of the two has the values at search.q, so that nobody evaluates them again.
"""

from ..compiled import kernel
from .coupling import most_coupled
from .evaluation import Evaluation
from .kinematics import TreeArrays
from .levenberg import AYUSAWA, NEWTON, NormalRoom, levenberg, new_normal_room
from .levenberg import SUGIHARA as SUGIHARAS_RULE
from .line_search import line_search
from .mirror import mirror
from .plan import Plan
from .saddle import leave_saddle
from .search import CONVERGED, Search, resume
from .tally import AT, HERE, NOWHERE, SADDLES, THERE

LEVENBERG, SUGIHARA, LINE_SEARCH, LINE_SEARCH_PAPER, PSEUDO_DYNAMICS = range(5)
MIRROR, MIRROR_PAPER, MEMETIC, PSEUDO_DYNAMICS_PAPER = range(5, 9)
# Those that make no matrix: in steps, or to tell a saddle from a minimum. One of 6,000 variables is 0.3 GB.
BY_SWEEPS = (PSEUDO_DYNAMICS, PSEUDO_DYNAMICS_PAPER, LINE_SEARCH, MIRROR)
MANY = 4.0  # how much a coupled row's work weighs against the factor's: measured, see `_many_coupled`
MOST_SADDLES = 5  # that a search may leave


def new_room(problem: Evaluation, method: int) -> NormalRoom:
    """Room for the steps of a method, if it needs some."""
    used = method not in (LINE_SEARCH_PAPER, MIRROR_PAPER)
    coupled = most_coupled(problem.goals) if method in BY_SWEEPS else -1
    return new_normal_room(problem, used, -1 if _many_coupled(problem.tree, coupled) else coupled)


def _many_coupled(tree: TreeArrays, coupled: int) -> bool:
    """Whether so many rows with several taps cost more in `coupling`, O(k² V), than a factor of the matrix, O(V d²).

    d is how many variables are above each. On a body of 155 variables both take 0.15 ms from about 60 wires on, a third
    of them taut; 338 of them take 2.1 ms by the one and 0.28 ms by the other.
    """
    if coupled <= 0:
        return False
    depth, work = list[int](), 0.0
    for parent, freedom in zip(tree.parent.tolist(), tree.freedom.tolist(), strict=True):
        depth.append(freedom + (depth[parent] if parent >= 0 else 0))
        work += float(freedom) * depth[-1] ** 2
    return float(coupled) ** 2 * len(tree.body) > MANY * work


@kernel
def descend(
    problem: Evaluation, search: Search, room: NormalRoom, plan: Plan, iterations: int, tolerance: float
) -> tuple[int, int]:
    """Go on with a method, also from a saddle that it has come to; but not with a paper's own."""
    status, done = _iterate(problem, search, room, plan, iterations, tolerance)
    if plan.method in (SUGIHARA, LINE_SEARCH_PAPER, MIRROR_PAPER, PSEUDO_DYNAMICS_PAPER):
        return status, done
    while status == CONVERGED and search.tally[SADDLES] < MOST_SADDLES:
        here = evaluated(problem, search, room)
        there = problem if search.tally[AT] == THERE else room.there
        positive = plan.method not in (LINE_SEARCH, MIRROR) and search.memory[4] > 0.0
        if not leave_saddle(here, there, search, room, tolerance, positive):
            break
        search.tally[SADDLES], search.tally[AT] = search.tally[SADDLES] + 1.0, NOWHERE
        status, more = _iterate(problem, search, room, plan, iterations - done, tolerance)
        done += more
    return status, done


@kernel
def _iterate(
    problem: Evaluation, search: Search, room: NormalRoom, plan: Plan, iterations: int, tolerance: float
) -> tuple[int, int]:
    method, stop, tally = plan.method, plan.until_reached, search.tally
    if method in (LINE_SEARCH, LINE_SEARCH_PAPER):
        tally[AT] = NOWHERE
        return line_search(problem, search, iterations, tolerance, stop, method == LINE_SEARCH_PAPER)
    if method in (MIRROR, MIRROR_PAPER):
        tally[AT] = NOWHERE
        return mirror(problem, search, iterations, tolerance, stop, method == MIRROR_PAPER)
    rule = SUGIHARAS_RULE if method == SUGIHARA else (AYUSAWA if method == PSEUDO_DYNAMICS_PAPER else NEWTON)
    here = evaluated(problem, search, room)
    there = problem if tally[AT] == THERE else room.there
    status, done = levenberg(here, there, search, room, iterations, tolerance, stop, rule)
    if done % 2 == 1:
        tally[AT] = HERE if tally[AT] == THERE else THERE
    return status, done


@kernel
def evaluated(problem: Evaluation, search: Search, room: NormalRoom) -> Evaluation:
    """The room that has the values at search.q; they are put there if need be."""
    if search.tally[AT] == NOWHERE:
        resume(problem, search)
        search.tally[AT] = HERE
    return room.there if search.tally[AT] == THERE else problem
