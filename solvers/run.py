"""The one entry from Python to the solvers: frames, phases, levels and methods in one compiled call.

One, because each entry holds the compiled code of all goals once more (about 3 s of compiling); and bound to its
tables once (`entry`), because handing it 150 arrays would take as long as solving an arm.

A frame goes through phases, and a slice may end within any: tries from random poses (`restarts`), a population
(`evolution`), and the search for a minimum (`rounds`), which goes on from what the others find. Here is whose turn it
is, and what the answer is: where that search has come to or, if it is worse than the start, an earlier pose.
"""

import math

from ..compiled import kernel
from ..entry import entry
from .chance import reseed
from .evaluation import Evaluation, cost_at, gradient_here, project
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
from .goals.tables import all_reached, error_of
from .levels import costs_by_level, is_worse, put_posture_aside, put_posture_back
from .levenberg import NormalRoom
from .methods import MEMETIC, MIRROR, MIRROR_PAPER, evaluated
from .mirror import smooth_reset
from .plan import ELITE, SEAT, Plan
from .restarts import back_to_start, try_poses
from .rotation import Floats
from .rounds import search_on
from .search import CONVERGED, REACHED, RUNNING, STALLED, Search
from .tally import (
    AT,
    BEFORE,
    EARLIER,
    EASING,
    ENDED,
    EVOLVING,
    HERE,
    LIMIT,
    LOCAL,
    MADE,
    NOT_EASED,
    NOWHERE,
    PHASE,
    ROUND,
    SEARCHING,
    START_GOALS,
    START_PINS,
    TRYING,
)

GIVE_UP = 5  # wipe-outs in a row that brought nothing: the best is taken for the global minimum


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
            reseed(search.chance[0], 0 if plan.alike else frame, search.chance[1])
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
        status, done = try_poses(problem, search, room, plan)
        put_posture_back(problem.goals, search.rows[2])
        if status == REACHED and not plan.levels and cost_at(problem, search.q) > cost_at(problem, search.plain[0]):
            status = RUNNING  # by the plain cost, which posture is part of, the start is better
            back_to_start(search)
    if tally[PHASE] == EVOLVING and not auto:
        status, done = _evolve(problem, search, colony, plan, plan.iterations)
    if tally[PHASE] == SEARCHING and (status != REACHED or not plan.until_reached):
        status, more = search_on(problem, search, room, plan, plan.iterations - done)
        done += more
    if not auto or tally[PHASE] == TRYING or tally[PHASE] == SEARCHING:
        reached = _answer(problem, search, room, frames, frame, plan)
        status = _earned(search, status)
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
                status, more = search_on(problem, search, room, plan, plan.iterations - done)
                done += more
            _answer(problem, search, room, frames, frame, plan)
            status = _earned(search, status)
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
def _answer(problem: Evaluation, search: Search, room: NormalRoom, frames: Frames, frame: int, plan: Plan) -> bool:
    """What was found for a frame: where the search is or, if that is worse than the start, where it was before.

    Returns whether it reaches every goal.
    """
    goals, rows, tally, q = problem.goals, search.rows, search.tally, frames.q[frame]
    if tally[PHASE] == TRYING:  # a random pose, or one that knows nothing of posture
        _show(problem, search.plain[0], frames, frame)
        values = problem.values
    else:
        values = evaluated(problem, search, room).values
        for i in range(q.shape[0]):
            q[i], frames.gradient[frame, i] = search.q[i], search.gradient[i]
    if tally[ROUND] > 0.0:
        for row in range(rows.shape[1]):
            rows[0, row], rows[1, row] = goals.shift[row], goals.weight[row]
            goals.shift[row], goals.weight[row] = 0.0, rows[2, row]
    tally[AT], tally[EARLIER] = NOWHERE, 0.0
    if plan.levels:
        for fallback in (2, 1, 0):  # the answer before posture was eased, the minimum without multipliers, the start
            if fallback == 2 and tally[EASING] == NOT_EASED:
                continue
            if is_worse(goals, values, tally[START_PINS], tally[START_GOALS]):
                _show(problem, search.plain[fallback], frames, frame)
                values, tally[EARLIER] = problem.values, 1.0
    total = 0.0
    for row in range(values.residual.shape[0]):
        total += goals.weight[row] * values.residual[row] * values.residual[row]
    frames.cost[frame] = 0.5 * total
    for goal in range(goals.kind.shape[0]):
        frames.errors[frame, goal, 0], frames.errors[frame, goal, 1] = error_of(goals, values, goal)
    return all_reached(goals, values)


@kernel
def _earned(search: Search, status: int) -> int:
    """How a search has ended, as its answer has it: an earlier pose that was kept is no minimum."""
    return STALLED if status == CONVERGED and search.tally[EARLIER] > 0.0 else status


@kernel
def _show(problem: Evaluation, pose: Floats, frames: Frames, frame: int) -> None:
    """Make a pose the answer, evaluated in the problem's own room."""
    for i in range(pose.shape[0]):
        frames.q[frame, i] = pose[i]
    cost_at(problem, pose)
    gradient_here(problem, frames.gradient[frame])
