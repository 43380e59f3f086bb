"""The phases of Bio-IK's algorithm 1 (Starke, Hendrich, Zhang 2019), in numba: one generation after another.

Differences from the paper, each for a reason:

- the cost is ½ Σ w r² everywhere; φ, which the extinction factors (18) compare, is its root: a factor cancels there;
- an elite's L-BFGS runs a number of iterations a generation that depends on nothing but its progress, not "until the
  main thread has finished" (§III-M): so the answer depends on the seed alone. Its memory lasts while it is an elite;
- wipe-out (24) counts an improvement only from 10 %: taken literally it hardly ever fires, and success on table I falls
  from 100 % to 96 - 99.7 %. `memetic_paper` takes it so, with one slice of L-BFGS an elite and generation.

Elites are independent of each other and draw no random numbers while they descend: so they may do so in threads, each
with room of its own to evaluate the problem in (`descend_elite`), and the answer is the same.
"""

from typing import NamedTuple

from ..compiled import kernel
from .breeding import Box, Generation, breed, copy, pick, random_individual, rank, remove_worse, set_range
from .chance import uniform
from .evaluation import Evaluation, cost_at, costs_of, is_drawn, mark_unmet, project
from .goals.tables import all_reached
from .kinematics import Ints
from .lbfgs import MEMORY, REACHED, RUNNING, STATUS, Descent, begin_descent, descend
from .rotation import Floats

# Slices of L-BFGS, an elite and generation, and iterations of each. With 6 of 8, Valkyrie's both wrists and feet take
# 1.7 ms instead of 1.0, and 3 % of them more than 10 ms.
SLICES, SLICE = 10, 16
IMPROVED = 0.81  # of the cost: 10 % less of φ
DISTINCT = 0.1  # two solutions differ if some variable does, by this part of its range

# Places in `tally`: what is to be done first, generations and wipe-outs so far, solutions found and wanted, elites,
# individuals, wipe-outs in a row that brought nothing, whether elites sit where they are to descend from, and whether
# wipe-outs and descents are by the paper's own rule.
TO_DO, GENERATIONS, WIPE_OUTS, FOUND, WANTED, ELITES, INDIVIDUALS, IN_VAIN, SEATED, PAPER = range(10)
TALLY = 10
_NOTHING, _POPULATE, _START = range(3)

# What a colony's tables hold besides that of each individual and solution, and for each elite.
ROWS, NUMBERS = 5, 2
ELITE_ROWS, ELITE_NUMBERS, ELITE_COUNTS = 7 + 2 * MEMORY, 1 + 2 * MEMORY, 4
_GETTING_ON = 3  # place in an elite's counts, behind those of its descent: 1 if its last slice took 10 % off φ


class Colony(NamedTuple):
    """All that a search carries from generation to generation, in three tables.

    `population_of` says what is where. V variables; without rows where no memetic search is wanted.
    """

    rows: Floats  # [..., V]
    numbers: Floats  # [...]
    counts: Ints  # [...]


class Population(NamedTuple):
    """A colony's tables, as views. P individuals, S solutions wanted."""

    chance: Ints  # [4], the generator's state
    tally: Ints  # [TALLY], see above
    box: Box
    old: Generation  # in order of their cost: the elites come first
    young: Generation  # the next ones
    pool: Ints  # [P], the mating pool; also room for sorting
    best: Floats  # [V]
    best_cost: Floats  # [2]: the best's, and the most that a pose may cost
    solutions: Floats  # [S, V], distinct ones that reach every goal, in the order of their finding
    solution_cost: Floats  # [S]


@kernel
def population_of(colony: Colony, chance: Ints) -> Population:
    """What a colony's tables hold."""
    rows, numbers, counts = colony.rows, colony.numbers, colony.counts
    p, s = counts[INDIVIDUALS], counts[WANTED]
    a, b, c = ROWS, NUMBERS, TALLY
    return Population(
        chance,
        counts[:c],
        Box(rows[0], rows[1], rows[2], rows[3]),
        Generation(
            rows[a : a + p], rows[a + p : a + 2 * p], numbers[b : b + p], numbers[b + p : b + 2 * p], counts[c : c + p]
        ),
        Generation(
            rows[a + 2 * p : a + 3 * p],
            rows[a + 3 * p : a + 4 * p],
            numbers[b + 2 * p : b + 3 * p],
            numbers[b + 3 * p : b + 4 * p],
            counts[c + p : c + 2 * p],
        ),
        counts[c + 2 * p : c + 3 * p],
        rows[4],
        numbers[:b],
        rows[a + 4 * p : a + 4 * p + s],
        numbers[b + 4 * p : b + 4 * p + s],
    )


@kernel
def _descent_of(colony: Colony, seat: int) -> Descent:
    """One seat's descent, as views."""
    p, s = colony.counts[INDIVIDUALS], colony.counts[WANTED]
    first = ROWS + 4 * p + s + seat * ELITE_ROWS
    rows, k = colony.rows[first : first + ELITE_ROWS], MEMORY
    first = NUMBERS + 4 * p + s + seat * ELITE_NUMBERS
    numbers = colony.numbers[first : first + ELITE_NUMBERS]
    first = TALLY + 3 * p + seat * ELITE_COUNTS
    return Descent(
        q=rows[0],
        gradient=rows[1],
        cost=numbers[:1],
        trial=rows[2],
        ahead=rows[3],
        direction=rows[4],
        free=rows[5],
        ease=rows[6],
        moved=rows[7 : 7 + k],
        bent=rows[7 + k : 7 + 2 * k],
        scale=numbers[1 : 1 + k],
        share=numbers[1 + k : 1 + 2 * k],
        state=colony.counts[first : first + ELITE_COUNTS],
    )


@kernel
def begin_evolution(colony: Colony, start: Floats, ceiling: float) -> None:
    """Let the next `evolve` begin at `start` [V], inside the limits; a pose that costs more than `ceiling` is none."""
    for i in range(start.shape[0]):
        colony.rows[4, i] = start[i]
    colony.numbers[1] = ceiling
    tally = colony.counts
    tally[GENERATIONS] = tally[WIPE_OUTS] = tally[FOUND] = tally[IN_VAIN] = tally[SEATED] = 0
    tally[TO_DO] = _START


@kernel
def evolve(problem: Evaluation, colony: Colony, chance: Ints, generations: int, patience: int) -> int:
    """Up to so many generations; fewer where as many solutions are found as are wanted. Returns how many were made.

    And fewer after so many wipe-outs in a row that brought nothing better.
    """
    state = population_of(colony, chance)
    tally = state.tally
    if tally[TO_DO] == _START:
        tally[TO_DO] = _POPULATE
        set_range(problem.lower, problem.upper, state.best, state.box)
        state.best_cost[0] = cost_at(problem, state.best)
        if all_reached(problem.goals, problem.values):
            _add_solution(state, state.best, state.best_cost[0])
    for made in range(generations):
        if is_over(colony, patience):
            return made
        if tally[SEATED] == 0:
            seat_elites(problem, colony, state)
            _generation(problem, colony, state, False)
        else:
            _generation(problem, colony, state, True)
    return generations


@kernel
def is_over(colony: Colony, patience: int) -> bool:
    """Whether no further generation is wanted."""
    tally, variables = colony.counts, colony.rows.shape[1]
    return bool(tally[FOUND] >= tally[WANTED] or tally[IN_VAIN] >= patience or variables == 0)


@kernel
def _populate(problem: Evaluation, state: Population) -> None:
    """Random individuals (16) and, the first time, the start unless it is a solution.

    After a wipe-out not the best again: it is kept anyhow, and would hold an elite's place. With a single elite that
    was the only one: 77 % of table I were solved, instead of all.
    """
    young, mark, turn = state.young, state.old.momentum[0], state.tally[WIPE_OUTS] - 1
    cost_at(problem, state.best)
    mark_unmet(problem, mark)
    for child in range(young.cost.shape[0]):
        random_individual(state.chance, state.box, young, child)
        for i in range(mark.shape[0]):  # limbs that have arrived stay, in two of three new populations
            if turn >= 0 and state.tally[FOUND] == 0 and not is_drawn(mark[i], turn):
                young.genes[child, i] = state.best[i]
        if child == 0 and state.tally[FOUND] == 0 and state.tally[WIPE_OUTS] == 0:
            copy(state.best, young.genes[0])
        young.seat[child] = -1
    costs_of(problem, young.genes, young.cost)
    rank(state.old, young, state.pool, state.tally[ELITES])
    _try_update(state)


@kernel
def seat_elites(problem: Evaluation, colony: Colony, state: Population) -> None:
    """Give each new elite a descent that no elite sits in; before that, if it is due, a new population."""
    if state.tally[TO_DO] == _POPULATE:
        state.tally[TO_DO] = _NOTHING
        _populate(problem, state)
    seats, elites = state.old.seat, state.tally[ELITES]
    for elite in range(elites):
        if seats[elite] >= 0:
            continue
        seat = 0
        while _is_taken(seats, elites, seat):
            seat += 1
        seats[elite] = seat
        begin_descent(_descent_of(colony, seat), state.old.genes[elite])


@kernel
def _is_taken(seats: Ints, elites: int, seat: int) -> bool:
    taken = False
    for elite in range(elites):
        taken = taken or seats[elite] == seat
    return taken


@kernel
def _leaves(tally: Ints) -> float:
    """What an improvement leaves of the cost; by the paper's rule any counts."""
    return 1.0 if tally[PAPER] == 1 else IMPROVED


@kernel
def descend_elite(problem: Evaluation, colony: Colony, elite: int) -> None:
    """L-BFGS on an elite (22): up to so many slices, as long as each takes 10 % off φ; by the paper's rule just one."""
    slices, leaves = 1 if colony.counts[PAPER] == 1 else SLICES, _leaves(colony.counts)
    seat, before = colony.counts[TALLY + elite], colony.numbers[NUMBERS + elite]
    room = _descent_of(colony, seat)
    for _ in range(slices):
        status = descend(problem, room, SLICE, True)
        improved, before = room.cost[0] < leaves * before, room.cost[0]
        room.state[_GETTING_ON] = 1 if improved else 0
        if status != RUNNING or not improved:
            break


@kernel
def _generation(problem: Evaluation, colony: Colony, state: Population, descended: bool) -> None:
    """One turn of algorithm 1's loop, lines 9 to 33. The elites are seated, and may have descended already."""
    old, young, pool, tally = state.old, state.young, state.pool, state.tally
    individuals, elites = old.cost.shape[0], tally[ELITES]
    tally[GENERATIONS] += 1
    tally[SEATED] = 0
    improved, before = False, state.best_cost[0]
    for elite in range(elites):
        if not descended:
            descend_elite(problem, colony, elite)
        improved = _take_over(colony, state, elite) or improved
        if tally[FOUND] >= tally[WANTED]:
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
    if state.best_cost[0] < _leaves(tally) * before:
        tally[IN_VAIN] = 0
    elif not improved:
        tally[WIPE_OUTS] += 1
        tally[IN_VAIN] += 1
        tally[TO_DO] = _POPULATE


@kernel
def _take_over(colony: Colony, state: Population, elite: int) -> bool:
    """Take over what an elite's descent came to. True if it is still getting on."""
    old, young = state.old, state.young
    room = _descent_of(colony, old.seat[elite])
    for i in range(room.q.shape[0]):
        young.genes[elite, i] = room.q[i]
        young.momentum[elite, i] = uniform(state.chance) * old.momentum[elite, i] + room.q[i] - old.genes[elite, i]
    young.cost[elite], young.seat[elite] = room.cost[0], old.seat[elite]
    if room.state[STATUS] == REACHED and room.cost[0] <= state.best_cost[1]:
        # Whoever reaches every goal comes before one of less cost that does not.
        if state.tally[FOUND] == 0 or room.cost[0] < state.best_cost[0]:
            copy(room.q, state.best)
            state.best_cost[0] = room.cost[0]
        _add_solution(state, room.q, room.cost[0])
        state.tally[TO_DO] = _POPULATE  # where more are wanted, they are looked for elsewhere
    elif room.state[STATUS] == REACHED:
        room.state[STATUS] = RUNNING  # never a cost above the ceiling: on, until it is below
    return bool(room.state[_GETTING_ON] == 1)


@kernel
def _try_update(state: Population) -> None:
    """The first in rank becomes the best if it costs less, unless the best is known to reach every goal."""
    if state.tally[FOUND] == 0 and state.old.cost[0] < state.best_cost[0]:
        copy(state.old.genes[0], state.best)
        state.best_cost[0] = state.old.cost[0]


@kernel
def _add_solution(state: Population, q: Floats, cost: float) -> None:
    """Keep a solution that is unlike all that were found before."""
    found = state.tally[FOUND]
    if found >= state.tally[WANTED]:
        return
    for other in range(found):
        if not are_distinct(state.box, q, state.solutions[other]):
            return
    copy(q, state.solutions[found])
    state.solution_cost[found] = cost
    state.tally[FOUND] = found + 1


@kernel
def are_distinct(box: Box, one: Floats, two: Floats) -> bool:
    """Whether two poses [V] are clearly different: some variable by a tenth of its range. A turn more is the same."""
    distinct = False
    for i in range(one.shape[0]):
        apart, span = abs(one[i] - two[i]), box.high[i] - box.low[i]
        if box.turn[i] > 0.0:
            apart = abs(apart - box.turn[i] * round(apart / box.turn[i]))
            span = min(span, box.turn[i])
        distinct = distinct or apart > DISTINCT * span
    return distinct
