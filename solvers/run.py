"""The one entry from Python to the solvers: frames, levels and methods in one compiled call.

One, because each entry holds the compiled code of all goals once more (about 3 s of compiling); and bound to its
tables once (`entry`), because handing it 150 arrays would take as long as solving an arm. Like the goals' own
registry it is a chain of comparisons: a list of functions would have to be compiled for each mix.
"""

import math
from typing import NamedTuple

from ..compiled import kernel
from ..entry import entry
from .chance import reseed, uniform
from .coupling import most_coupled
from .evaluation import Evaluation, cost_again, cost_at, gradient_here, is_drawn, mark_unmet, project
from .evolution import (
    FOUND,
    GENERATIONS,
    SEATED,
    Colony,
    begin_evolution,
    descend_elite,
    evolve,
    is_over,
    population_of,
    seat_elites,
)
from .frames import Frames, move_box, put_goals
from .goals.tables import PIN, GoalArrays, all_reached, error_of
from .kinematics import EULER, HINGE, VECTOR, TreeArrays
from .levels import (
    EASED,
    HELD_OFF,
    NEAR,
    PIN_WEIGHT,
    ROUNDS,
    bound_pulls,
    costs_by_level,
    ease_posture,
    fade,
    is_stubborn,
    is_worse,
    put_posture_aside,
    put_posture_back,
    shift_goals,
    shift_pins,
    worst_error,
)
from .levenberg import AYUSAWA, GAUSS, NEWTON, NormalRoom, levenberg, new_normal_room
from .levenberg import SUGIHARA as SUGIHARAS_RULE
from .line_search import line_search
from .mirror import mirror, smooth_reset
from .rotation import Floats
from .saddle import leave_saddle
from .search import CONVERGED, REACHED, RUNNING, STALLED, Search, presses, resume

LEVENBERG, SUGIHARA, LINE_SEARCH, LINE_SEARCH_PAPER, PSEUDO_DYNAMICS = range(5)
MIRROR, MIRROR_PAPER, MEMETIC, PSEUDO_DYNAMICS_PAPER = range(5, 9)
# Those that make no matrix: in steps, or to tell a saddle from a minimum. One of 6,000 variables is 0.3 GB.
BY_SWEEPS = (PSEUDO_DYNAMICS, PSEUDO_DYNAMICS_PAPER, LINE_SEARCH, MIRROR)
TRY, PATIENCE, FALLING = 60, 2, 0.7  # iterations from a random pose; in so many the cost must fall to this part
TURNS, WIDE = 3, 1.7 * math.pi  # how often in a try angles are taken a turn back, and whose range is wide enough
MANY = 4.0  # how much a coupled row's work weighs against the factor's: measured, see `_many_coupled`
TINIEST = 2.3e-308  # the least number of full precision
GIVE_UP = 5  # wipe-outs in a row that brought nothing: the best is taken for the global minimum
TRYING, SEARCHING, EVOLVING, ENDED = range(4)
# Places in search.tally.
PHASE, ROUND, START_PINS, START_GOALS, RESTARTS, TRIED, SPENT, BEFORE, TURNED, LOCAL, LIMIT, MADE = range(12)
WITHIN, SADDLES, EASING, SHARE, HELD, AT = range(12, 18)
NOT_EASED, EASING_ALL, DONE_EASING = range(3)  # of EASING
MOST_EASING = 60  # iterations with posture eased: goals that take longer are out of reach
LATER = 4  # of them, when it is looked again whether they help: the first are damped hard
GIVES = 0.99  # part of the worst error that the first of them may leave; of goals in reach it left 0.97 at most
HELPS = 0.1  # part of the worst error that easing must take away to count in full
# Where search.q was evaluated last, with cost and gradient: nowhere that counts, in the problem's room, in room.there.
NOWHERE, HERE, THERE = range(3)
MOST_SADDLES = 5  # that a search may leave
ROUGHLY = 300.0  # times a minimum's gradient is enough for Newton's in the first round: three iterations of 14 saved
STEPS = 2  # of Newton's, in each round but the first and the last
ALL, SEAT, ELITE = -2, -1, 0  # parts of a generation


class Plan(NamedTuple):
    """What is asked of a run."""

    method: int
    iterations: int
    gradient: float  # a projected gradient below this part of the problem's scale is a minimum
    until_reached: bool
    levels: bool  # hold pins and goals by multipliers
    size: float  # of the tree, metres
    restarts: int  # from random poses, if a search ends short of its goals
    tries: int  # iterations that may go into those
    generations: int  # of a population: of `memetic`, or of `auto` where all else ended short of the goals
    most: int  # iterations of the whole search, slice by slice
    begin: bool  # with new searches, instead of going on with this one
    carry_on: bool  # begin each frame where the last one ended
    first: int  # the frames to solve
    last: int
    part: int  # ALL or, where elites descend in threads: SEAT the elites, or let this one descend


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


@entry
def run(problem: Evaluation, search: Search, room: NormalRoom, frames: Frames, colony: Colony, plan: Plan) -> None:
    """Go on with a search for up to so many iterations, or search for each of several frames. Fills in the frames."""
    if plan.part >= ELITE:
        if colony.counts[SEATED] == 1:
            descend_elite(problem, colony, plan.part)
        return
    search.tally[AT] = NOWHERE  # since the last slice the problem may have been used elsewhere
    for frame in range(plan.first, plan.last):
        if plan.begin:
            put_goals(frames, frame, problem.goals)
            if frame > 0:
                move_box(frames, frames.q[frame - 1], problem.lower, problem.upper)
            if plan.carry_on and frame > 0:
                _go_on(problem, search, plan, frames.q[frame - 1])
            else:
                search.memory[:] = 0.0
                _begin(problem, search, plan, frames.start[frame])
            reseed(search.chance[0], frame, search.chance[1])
            if plan.method == MEMETIC:
                _begin_evolution(problem, search, colony, plan)
        _run_frame(problem, search, room, frames, colony, plan, frame)
    if plan.begin and plan.last > 1:
        for i in range(search.q.shape[0]):
            problem.lower[i], problem.upper[i] = frames.lower[i], frames.upper[i]


@kernel
def _run_frame(
    problem: Evaluation, search: Search, room: NormalRoom, frames: Frames, colony: Colony, plan: Plan, frame: int
) -> None:
    """Go on with the search for one frame, from phase to phase."""
    tally, status, done, auto, reached = search.tally, RUNNING, 0, plan.method != MEMETIC, False
    if tally[PHASE] != SEARCHING:
        tally[AT] = NOWHERE
    if tally[PHASE] == TRYING:
        put_posture_aside(problem.goals, search.rows[2])  # or no try would ever come within a small tolerance
        status, done = _try(problem, search, room, plan)
        put_posture_back(problem.goals, search.rows[2])
        if status == REACHED and not plan.levels and cost_at(problem, search.q) > cost_at(problem, search.plain[0]):
            status = RUNNING  # by the plain cost, which posture is part of, the start is better
            _back_to_start(search)
    if tally[PHASE] == EVOLVING and not auto:
        status, done = _evolve(problem, search, colony, plan, plan.iterations)
    if tally[PHASE] == SEARCHING and (status != REACHED or not plan.until_reached):
        status, more = _search(problem, search, room, plan, plan.iterations - done)
        done += more
    if not auto or tally[PHASE] == TRYING or tally[PHASE] == SEARCHING:
        reached = _answer(problem, search, room, frames, frame, plan)
    if plan.restarts > 0 and tally[PHASE] == SEARCHING and tally[LOCAL] == 0.0 and status in (CONVERGED, STALLED):
        tally[LOCAL], tally[LIMIT] = status, min(plan.generations, plan.most - tally[MADE] - done)
        if tally[LIMIT] > 0.0 and not reached:
            tally[PHASE] = EVOLVING
            _begin_evolution(problem, search, colony, plan)
    if tally[PHASE] == EVOLVING and auto:
        status, more = _evolve(problem, search, colony, plan, plan.iterations - done)
        done += more
        if tally[PHASE] == SEARCHING:
            if not plan.until_reached:
                status, more = _search(problem, search, room, plan, plan.iterations - done)
                done += more
            _answer(problem, search, room, frames, frame, plan)
    if tally[PHASE] == ENDED:
        status = int(tally[LOCAL])
    tally[MADE] += done
    frames.ends[frame, 0], frames.ends[frame, 1] = status, done


@kernel
def _begin_evolution(problem: Evaluation, search: Search, colony: Colony, plan: Plan) -> None:
    """Let a population begin at the start. A pose that reaches every goal is as good as it, and as the local answer.

    Without levels it must cost no more than either.
    """
    ceiling = math.inf
    if not plan.levels:
        cost = cost_at(problem, search.q)
        ceiling = min(cost, cost_at(problem, search.plain[0]))
    begin_evolution(colony, search.plain[0], ceiling)


@kernel
def _evolve(problem: Evaluation, search: Search, colony: Colony, plan: Plan, iterations: int) -> tuple[int, int]:
    """Go on with a population. When it has come to an end, the search for a minimum goes on from there.

    With levels, posture has its say in that search alone: it would keep descents off the goals for ever.
    """
    tally, counts, goals, best = search.tally, colony.counts, problem.goals, colony.rows[4]
    auto, patience, limit = plan.method != MEMETIC, GIVE_UP, int(search.tally[LIMIT])
    if plan.until_reached and not auto:
        patience = limit + 1
    if plan.levels:
        put_posture_aside(goals, search.rows[2])
    made = evolve(problem, colony, search.chance[1], min(iterations, limit - counts[GENERATIONS]), patience)
    over = is_over(colony, patience) or counts[GENERATIONS] >= limit
    if plan.part == SEAT and not over:
        seat_elites(problem, colony, population_of(colony, search.chance[1]))
        counts[SEATED] = 1
    if plan.levels:
        put_posture_back(goals, search.rows[2])
    if counts[FOUND] > 0 and over:
        local = tally[LOCAL]
        search.memory[:] = 0.0
        _begin(problem, search, plan, best)
        tally[PHASE], tally[LOCAL], tally[AT] = SEARCHING, local, NOWHERE
        return REACHED, made
    if not auto:
        for i in range(search.q.shape[0]):
            search.q[i] = best[i]
    if over:
        tally[PHASE] = ENDED if auto else SEARCHING
    return RUNNING, made


@kernel
def _go_on(problem: Evaluation, search: Search, plan: Plan, last: Floats) -> None:
    """A search from the last frame's end, with what the method takes along from frame to frame."""
    _begin(problem, search, plan, last)
    if plan.method in (MIRROR, MIRROR_PAPER):
        smooth_reset(problem, search)
        search.tally[AT] = NOWHERE
    else:
        search.memory[:] = 0.0


@kernel
def _begin(problem: Evaluation, search: Search, plan: Plan, start: Floats) -> None:
    """A search from a new start."""
    for i in range(start.shape[0]):
        search.q[i] = start[i]
    project(problem, search.q)
    search.rows[:] = 0.0
    search.best[:] = 0.0
    search.last[:] = 0.0
    search.tally[:] = 0.0
    search.tally[PHASE] = TRYING if plan.restarts > 0 else SEARCHING
    if plan.method == MEMETIC:
        search.tally[PHASE], search.tally[LIMIT] = EVOLVING, plan.generations
    search.tally[BEFORE] = math.inf
    for i in range(start.shape[0]):
        search.plain[0, i] = search.plain[1, i] = search.q[i]
    if plan.levels:
        search.cost[0] = cost_at(problem, search.q)
        search.tally[START_PINS], search.tally[START_GOALS] = costs_by_level(problem.goals, problem.values)
        if search.tally[PHASE] == SEARCHING:
            gradient_here(problem, search.gradient)
            search.tally[AT] = HERE


@kernel
def _evaluated(problem: Evaluation, search: Search, room: NormalRoom) -> Evaluation:
    """The room that has the values at search.q; they are put there if need be."""
    if search.tally[AT] == NOWHERE:
        resume(problem, search)
        search.tally[AT] = HERE
    return room.there if search.tally[AT] == THERE else problem


@kernel
def _try(problem: Evaluation, search: Search, room: NormalRoom, plan: Plan) -> tuple[int, int]:
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
        _back_to_start(search)
    return RUNNING, done


@kernel
def _back_to_start(search: Search) -> None:
    search.memory[:] = 0.0
    for i in range(search.q.shape[0]):
        search.q[i] = search.plain[0, i]


@kernel
def _search(problem: Evaluation, search: Search, room: NormalRoom, plan: Plan, iterations: int) -> tuple[int, int]:
    """Go on with a search: with multipliers or without."""
    goals, rows = problem.goals, search.rows
    gradient = plan.gradient * _scale(goals, plan.size)
    if not plan.levels:
        return _descend(problem, search, room, plan, iterations, gradient)
    if search.tally[ROUND] == 0.0:
        search.tally[ROUND] = 1.0
        for row in range(rows.shape[1]):
            rows[2, row] = goals.weight[row]
        here = _evaluated(problem, search, room)
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
        status, done = _descend(problem, search, room, plan, most, ROUGHLY * gradient if first else gradient)
        total, tally[WITHIN] = total + done, tally[WITHIN] + done
        tired = easing and tally[WITHIN] >= MOST_EASING
        looks = tally[WITHIN] == 1.0 or tally[WITHIN] == LATER
        if easing and looks and status == RUNNING and done > 0:
            tired = _in_vain(_evaluated(problem, search, room), search, plan)
            if not tired and total < iterations:
                continue
        if status == REACHED or (status == RUNNING and not (short and tally[WITHIN] >= STEPS) and not tired):
            return status, total
        if tally[ROUND] == 1.0:
            for i in range(search.q.shape[0]):
                search.plain[1, i] = search.q[i]
        tally[WITHIN] = 0.0
        here = _evaluated(problem, search, room)
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
        if not newton or not _ease(here, search, plan, status):
            return (CONVERGED if status == RUNNING else status), total


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
def _ease(here: Evaluation, search: Search, plan: Plan, status: int) -> bool:
    """Ease posture where it may hold goals off, or take that back where it did not. False if that is the end.

    `here` was evaluated last at search.q, where a search has ended, if not for want of iterations.
    """
    tally, goals, q = search.tally, here.goals, search.q
    error = worst_error(goals, here.values)
    if tally[EASING] == NOT_EASED:
        tally[SHARE] = fade(error, HELD_OFF * plan.size)
        if error == 0.0 or tally[SHARE] == 0.0 or is_stubborn(goals, here.values, search.last, GIVES):
            return False
        for i in range(q.shape[0]):
            search.plain[2, i] = q[i]
        tally[EASING], tally[HELD], tally[AT] = EASING_ALL, error, NOWHERE
        ease_posture(goals, EASED)
        search.memory[:] = 0.0
        return True
    if tally[EASING] == DONE_EASING:
        return False
    tally[EASING] = DONE_EASING
    share = tally[SHARE] * fade(error, NEAR * plan.size) if status != RUNNING else 0.0
    share *= min(max((1.0 - error / tally[HELD]) / HELPS, 0.0), 1.0)
    if share < 1.0:
        ease_posture(goals, EASED ** (share - 1.0))
        for i in range(q.shape[0]):
            q[i] = search.plain[2, i]
        search.memory[:], tally[AT] = 0.0, NOWHERE
    elif error == 0.0:
        return False
    search.best[0] = search.best[1] = search.best[3] = search.best[4] = 0.0
    tally[ROUND] = 2.0  # what is still off, or off again, is shifted as usual; heavy goals are heavy enough
    return bool(share > 0.0)


@kernel
def _descend(
    problem: Evaluation, search: Search, room: NormalRoom, plan: Plan, iterations: int, tolerance: float
) -> tuple[int, int]:
    """Go on with a method, also from a saddle that it has come to; but not with a paper's own."""
    status, done = _iterate(problem, search, room, plan, iterations, tolerance)
    if plan.method in (SUGIHARA, LINE_SEARCH_PAPER, MIRROR_PAPER, PSEUDO_DYNAMICS_PAPER):
        return status, done
    while status == CONVERGED and search.tally[SADDLES] < MOST_SADDLES:
        here = _evaluated(problem, search, room)
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
    here = _evaluated(problem, search, room)
    there = problem if tally[AT] == THERE else room.there
    status, done = levenberg(here, there, search, room, iterations, tolerance, stop, rule)
    if done % 2 == 1:
        tally[AT] = HERE if tally[AT] == THERE else THERE
    return status, done


@kernel
def _answer(problem: Evaluation, search: Search, room: NormalRoom, frames: Frames, frame: int, plan: Plan) -> bool:
    """What was found for a frame: where the search is or, if that is worse than the start, where it was before.

    Returns whether it reaches every goal.
    """
    goals, rows, tally, q = problem.goals, search.rows, search.tally, frames.q[frame]
    if tally[PHASE] == TRYING:  # a random pose, or one that knows nothing of posture
        _show(problem, search.plain[0], frames, frame)
        values = problem.values
    else:
        values = _evaluated(problem, search, room).values
        for i in range(q.shape[0]):
            q[i], frames.gradient[frame, i] = search.q[i], search.gradient[i]
    if tally[ROUND] > 0.0:
        for row in range(rows.shape[1]):
            rows[0, row], rows[1, row] = goals.shift[row], goals.weight[row]
            goals.shift[row], goals.weight[row] = 0.0, rows[2, row]
    tally[AT] = NOWHERE
    if plan.levels:
        for fallback in (2, 1, 0):  # the answer before posture was eased, the minimum without multipliers, the start
            if fallback == 2 and tally[EASING] == NOT_EASED:
                continue
            if is_worse(goals, values, tally[START_PINS], tally[START_GOALS]):
                _show(problem, search.plain[fallback], frames, frame)
                values = problem.values
    total = 0.0
    for row in range(values.residual.shape[0]):
        total += goals.weight[row] * values.residual[row] * values.residual[row]
    frames.cost[frame] = 0.5 * total
    for goal in range(goals.kind.shape[0]):
        frames.errors[frame, goal, 0], frames.errors[frame, goal, 1] = error_of(goals, values, goal)
    return all_reached(goals, values)


@kernel
def _show(problem: Evaluation, pose: Floats, frames: Frames, frame: int) -> None:
    """Make a pose the answer, evaluated in the problem's own room."""
    for i in range(pose.shape[0]):
        frames.q[frame, i] = pose[i]
    cost_at(problem, pose)
    gradient_here(problem, frames.gradient[frame])


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
