"""The phases of Bio-IK's algorithm 1 (Starke, Hendrich, Zhang 2019), in numba: one generation after another.

Differences from the paper, each for a reason:

- the cost is ½ Σ w r² everywhere; φ, which the extinction factors (18) compare, is its root: a factor cancels there;
- an elite's L-BFGS runs a number of iterations a generation that depends on nothing but its progress, not "until the
  main thread has finished" (§III-M): so the answer depends on the seed alone. Its memory lasts while it is an elite;
- wipe-out (24) counts an improvement only from 10 %: taken literally it hardly ever fires, and success on table I falls
  from 100 % to 96 - 99.7 %.

One thread: elites are independent of each other, but each would need room of its own to evaluate the problem in.
"""

from typing import NamedTuple

from ..compiled import kernel
from .breeding import Box, Generation, breed, copy, pick, random_individual, rank, remove_worse, set_range
from .chance import uniform
from .evaluation import Evaluation, cost_at, project
from .goals.tables import all_reached
from .kinematics import Ints
from .lbfgs import REACHED, RUNNING, STATUS, Descent, begin_descent, descend
from .rotation import Floats

SLICES = 6  # of L-BFGS, an elite and generation
IMPROVED = 0.81  # of the cost: 10 % less of φ
DISTINCT = 0.1  # two solutions differ if some variable does, by this part of its range

# Places in `tally`: what is to be done first, generations and wipe-outs so far, solutions found and wanted, elites,
# iterations of L-BFGS a slice, whether the best meets every goal.
TO_DO, GENERATIONS, WIPE_OUTS, FOUND, WANTED, ELITES, ITERATIONS, MET = range(8)
_NOTHING, _POPULATE, START = range(3)


class Population(NamedTuple):
    """Everything that a search carries from generation to generation. E elites, S solutions wanted.

    numba's compile time grows with the arrays that a function is given, so kernels take the parts that they need.
    """

    chance: Ints  # [4], the generator's state
    tally: Ints  # [8], see above
    box: Box
    old: Generation  # in order of their cost: the elites come first
    young: Generation  # the next ones
    pool: Ints  # [P], the mating pool; also room for sorting
    best: Floats  # [V]
    best_cost: Floats  # [2]: the best's, the start's
    solutions: Floats  # [S, V], distinct ones that reach every goal, in the order of their finding
    solution_cost: Floats  # [S]
    descents: Descent  # each array with the seat [E] in front


@kernel
def evolve(problem: Evaluation, state: Population, generations: int, stop: bool) -> bool:
    """Up to so many generations; fewer where as many solutions are found as are wanted.

    Without `stop` a single solution is not enough: its cost goes on falling until the generations are used up.
    Returns whether the best reaches every goal.
    """
    tally = state.tally
    stop = stop or tally[WANTED] > 1
    if tally[TO_DO] == START:
        tally[TO_DO] = _POPULATE
        project(problem, state.best)
        set_range(problem.lower, problem.upper, state.best, state.box)
        state.best_cost[0] = cost_at(problem, state.best)
        state.best_cost[1] = state.best_cost[0]
        if stop and all_reached(problem.goals, problem.values):
            _add_solution(state, state.best, state.best_cost[0])
    for _ in range(generations):
        if state.best.shape[0] == 0 or (stop and tally[FOUND] >= tally[WANTED]):
            break
        if tally[TO_DO] == _POPULATE:
            tally[TO_DO] = _NOTHING
            _populate(problem, state)
        _generation(problem, state, stop)
    cost_at(problem, state.best)
    met = all_reached(problem.goals, problem.values)
    tally[MET] = 1 if met else 0
    return met


@kernel
def _populate(problem: Evaluation, state: Population) -> None:
    """Random individuals (16), and the best so far unless it is a solution already: then others are wanted."""
    young = state.young
    for child in range(young.cost.shape[0]):
        random_individual(state.chance, state.box, young, child)
        if child == 0 and state.tally[FOUND] == 0:
            copy(state.best, young.genes[0])
        young.seat[child] = -1
        young.cost[child] = cost_at(problem, young.genes[child])
    rank(state.old, young, state.pool, state.tally[ELITES])
    _try_update(state)


@kernel
def _generation(problem: Evaluation, state: Population, stop: bool) -> None:
    """One turn of algorithm 1's loop, lines 9 to 33."""
    old, young, pool, tally = state.old, state.young, state.pool, state.tally
    individuals, elites = old.cost.shape[0], tally[ELITES]
    tally[GENERATIONS] += 1
    improved, before = False, state.best_cost[0]
    _seat_elites(old, state.descents, elites)
    for elite in range(elites):
        improved = _exploit(problem, state, elite, stop) or improved
        if stop and tally[FOUND] >= tally[WANTED]:
            return
    for i in range(individuals):
        pool[i] = i
    mating = individuals
    for child in range(elites, individuals):
        one, two = -1, -1
        if mating > 0:
            one, two = pool[pick(state.chance, mating)], pool[pick(state.chance, mating)]
            breed(state.chance, state.box, old, young, (one, two, pool[pick(state.chance, mating)], child))
        else:
            random_individual(state.chance, state.box, young, child)
        project(problem, young.genes[child])
        young.seat[child] = -1
        young.cost[child] = cost_at(problem, young.genes[child])
        mating = remove_worse(pool, mating, old.cost, (one, two), young.cost[child])
    rank(old, young, pool, elites)
    _try_update(state)
    if not improved and not state.best_cost[0] < IMPROVED * before:
        tally[WIPE_OUTS] += 1
        tally[TO_DO] = _POPULATE


@kernel
def _seat_elites(old: Generation, descents: Descent, elites: int) -> None:
    """Give each new elite a descent that no elite sits in."""
    for elite in range(elites):
        if old.seat[elite] >= 0:
            continue
        seat = 0
        while _is_taken(old.seat, elites, seat):
            seat += 1
        old.seat[elite] = seat
        begin_descent(_descent_of(descents, seat), old.genes[elite])


@kernel
def _is_taken(seats: Ints, elites: int, seat: int) -> bool:
    taken = False
    for elite in range(elites):
        taken = taken or seats[elite] == seat
    return taken


@kernel
def _descent_of(descents: Descent, seat: int) -> Descent:
    """One seat's descent, as views."""
    return Descent(
        descents.q[seat],
        descents.gradient[seat],
        descents.cost[seat],
        descents.trial[seat],
        descents.ahead[seat],
        descents.direction[seat],
        descents.free[seat],
        descents.moved[seat],
        descents.bent[seat],
        descents.scale[seat],
        descents.share[seat],
        descents.state[seat],
    )


@kernel
def _exploit(problem: Evaluation, state: Population, elite: int, stop: bool) -> bool:
    """L-BFGS on an elite (22): up to so many slices, as long as each takes 10 % off φ. True if the last one did."""
    old, young = state.old, state.young
    room = _descent_of(state.descents, old.seat[elite])
    status, improved, before = RUNNING, True, old.cost[elite]
    for _ in range(SLICES):
        status = descend(problem, room, state.tally[ITERATIONS], stop)
        improved, before = room.cost[0] < IMPROVED * before, room.cost[0]
        if status != RUNNING or not improved:
            break
    for i in range(room.q.shape[0]):
        young.genes[elite, i] = room.q[i]
        young.momentum[elite, i] = uniform(state.chance) * old.momentum[elite, i] + room.q[i] - old.genes[elite, i]
    young.cost[elite], young.seat[elite] = room.cost[0], old.seat[elite]
    if status == REACHED and room.cost[0] <= state.best_cost[1]:
        # Whoever reaches every goal comes before one of less cost that does not.
        if state.tally[FOUND] == 0 or room.cost[0] < state.best_cost[0]:
            copy(room.q, state.best)
            state.best_cost[0] = room.cost[0]
        _add_solution(state, room.q, room.cost[0])
        state.tally[TO_DO] = _POPULATE  # where more are wanted, they are looked for elsewhere
    elif status == REACHED:
        room.state[STATUS] = RUNNING  # never a cost above the start's: on, until it is below
    return bool(improved)


@kernel
def _try_update(state: Population) -> None:
    """The first in rank becomes the best if it costs less, unless the best is known to reach every goal."""
    if state.tally[FOUND] == 0 and state.old.cost[0] < state.best_cost[0]:
        copy(state.old.genes[0], state.best)
        state.best_cost[0] = state.old.cost[0]


@kernel
def _add_solution(state: Population, q: Floats, cost: float) -> None:
    """Keep a solution that is unlike all that were found before."""
    found, box = state.tally[FOUND], state.box
    if found >= state.tally[WANTED]:
        return
    for other in range(found):
        distinct = False
        for i in range(q.shape[0]):
            apart, span = abs(q[i] - state.solutions[other, i]), box.high[i] - box.low[i]
            if box.turn[i] > 0.0:
                apart = abs(apart - box.turn[i] * round(apart / box.turn[i]))
                span = min(span, box.turn[i])
            distinct = distinct or apart > DISTINCT * span
        if not distinct:
            return
    copy(q, state.solutions[found])
    state.solution_cost[found] = cost
    state.tally[FOUND] = found + 1
