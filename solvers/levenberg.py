"""Levenberg-Marquardt inside limits.

A step solves (JᵀWJ + C + λ) d = -g over the variables that are free: not resting on a limit that the gradient presses
them against. Where the step would cross further limits, those variables are set on them and the rest is solved again,
so that the step stays a descent; clamping it afterwards would not, and is a known cause of flips.

C is what the paths of points and turns bend under the pull of goals that stay out of reach. The pull is what the last
step expected to be left, w (r + J d), as in primal-dual methods: w r itself, of a goal on its way to being met, bends
the model where nothing is to be bent. Both agree at the minimum. While the cost falls fast there is no C at all: what
is left of it may yet be met. Then the step is corrected for what the rows did beyond J d.

With C from the first step on, six goals of captured people take 15 iterations from the rest pose instead of 9
(`benchmarks/motion.py`, without levels), and 25 loops on 600 variables 21 instead of 8 (`benchmarks/scaling.py`). With
no C, goals 1 m out of reach are not at their minimum after 500.

Damping: the gain ratio decides (Nielsen's rule, with a faster fall), begun at the residual's energy plus a bias scaled
by the curvature. Sugihara's own rule, λ = energy + bias at every iteration (his eq. 18), no C and no correction, can be
chosen: it is right near the goal, and very slow at full stretch, for far targets, and with posture terms.
"""

import math
from typing import NamedTuple

import numpy as np

from ..compiled import kernel
from .articulated import solve_sweeps
from .derivatives import change_of, gradient_of
from .evaluation import Evaluation, cost_at
from .goals.tables import new_values
from .hessian import hessian_here
from .hessian_room import HessianRoom, new_hessian_room
from .inertia import mean_diagonal, times_sweeps
from .kinematics import Ints, new_pose
from .pseudo_dynamics import PseudoRoom, factor_damped, inertia_here, new_pseudo_room
from .rotation import Floats
from .search import RUNNING, STALLED, Search, accept, ended, move, presses

# λ, the factor it grows by after a failure, the mean curvature at the start, whether the next matrix has C in it, and
# whether the last one was positive as it is; zero before there are any.
MEMORY = 5
BIAS = 1e-3  # of Sugihara's eq. 18, and of the mean curvature where damping begins
AYUSAWAS_BIAS = math.sqrt(np.finfo(float).eps)  # for each variable: LM-PFD's choice of Sugihara's bias
WEAKEST = 1e-12  # of the mean curvature: damping below it would not keep the factorisation positive
ENOUGH = 0.1  # part of the promised fall by which a step may be off before it is corrected
FAST = 0.8  # part of the cost: a step that leaves less than this needs no C in the next (Fletcher and Xu's rule)
PASSES = 4  # how often a step that crosses limits is solved again
SLIGHT = 1e-6  # of the mean curvature: what bends down by less counts as flat
SHORT = 0.01  # radians or metres: the curvature at both ends of a step that changes no variable by more is the same
NEWTON, GAUSS, SUGIHARA, AYUSAWA = range(4)  # all of the above; without C and correction; Sugihara's rule; LM-PFD's
TRIES = 30  # how often damping grows before the search is taken for stalled


class NormalRoom(NamedTuple):
    """Room for a step. V variables, M rows; of the matrix and the sweeps, one has no room."""

    sweeps: PseudoRoom
    hessian: HessianRoom
    factor: Floats  # [V, V], row k: L at k's variables above, from the first on, then at k itself
    depth: Ints  # [V], how many variables are above each: where a row of the factor ends
    path: Ints  # [V, V], row k: k's variables above, from the first on
    right: Floats  # [V]
    ahead: Floats  # [M], r + J · step
    off: Floats  # [M], what the rows at the step's end are beyond it
    there: Evaluation  # the problem once more, to evaluate the step's end in
    state: Ints  # [V], FREE, RESTING or SET


FREE, RESTING, SET = range(3)


def new_normal_room(problem: Evaluation, used: bool, coupled: int) -> NormalRoom:
    """Room for the steps of a problem, or none at all if it is not used.

    With `coupled` not negative, steps are made by sweeps, with so many rows on several bodies at most.
    """
    some = 1 if used else 0
    bodies, variables = some * problem.pose.position.shape[0], some * problem.pose.axis.shape[0]
    rows, taps = some * problem.values.residual.shape[0], some * problem.values.tap_row.shape[0]
    matrix = 1 if coupled < 0 else 0
    return NormalRoom(
        new_pseudo_room(problem, coupled if used else -1),
        new_hessian_room(matrix * bodies, matrix * variables),
        np.zeros((matrix * variables, matrix * variables)),
        np.zeros(variables, np.int64),
        np.zeros((matrix * variables, matrix * variables), np.int64),
        np.zeros(variables),
        np.zeros(rows),
        np.zeros(rows),
        problem._replace(pose=new_pose(bodies, variables), values=new_values(rows, taps), force=np.zeros((bodies, 6))),
        np.zeros(variables, np.int64),
    )


@kernel
def levenberg(
    here: Evaluation,
    there: Evaluation,
    search: Search,
    room: NormalRoom,
    iterations: int,
    tolerance: float,
    stop_when_reached: bool,
    rule: int,
) -> tuple[int, int]:
    """Run up to so many iterations, by one of the rules above. Returns why it stopped and how many were made.

    `here` and `there` are the problem and room.there, or the other way round: the one is evaluated at search.q, by
    `resume` or by the iteration before, the other takes the step's end. Each iteration has them change places.
    """
    search.memory[4] = 0.0
    for done in range(iterations):
        status = ended(here, search, tolerance, stop_when_reached)
        if status != RUNNING:
            return status, done
        if search.memory[0] <= 0.0:
            search.pull[:] = 0.0
            search.memory[3] = 0.0
        curvature_here(here, search, room, rule == NEWTON)
        if search.memory[0] <= 0.0:
            search.memory[2] = mean_curvature(here, room)
            search.memory[0], search.memory[1] = search.cost[0] + BIAS * search.memory[2], 2.0
        accepted, cost, damping = False, search.cost[0], 0.0
        for _ in range(TRIES):
            damping = max(search.memory[0], WEAKEST * search.memory[2])
            if rule in (SUGIHARA, AYUSAWA):
                damping = search.cost[0] + (BIAS if rule == SUGIHARA else AYUSAWAS_BIAS * search.q.shape[0])
            predicted, ratio = damped_step(here, search, room, damping), -1.0
            if predicted > 0.0:
                cost = cost_at(there, search.trial)
                if rule == NEWTON:
                    cost = _corrected(here, there, search, room, predicted, cost)
                ratio = (search.cost[0] - cost) / predicted
            accepted = accept(search, damping, ratio)
            if accepted or rule in (SUGIHARA, AYUSAWA):
                break
        if not accepted:
            return STALLED, done
        if rule == NEWTON:
            search.memory[4] = search.memory[3] if damping <= SLIGHT * search.memory[2] and _is_short(search) else 0.0
            fast = cost <= FAST * search.cost[0]
            search.memory[3] = 0.0 if fast else 1.0
            for row in range(search.pull.shape[0]):
                search.pull[row] = 0.0 if fast else here.goals.weight[row] * room.ahead[row]
        here, there = there, here
        move(here, search, cost)
    return ended(here, search, tolerance, stop_when_reached), iterations


@kernel
def _is_short(search: Search) -> bool:
    """Whether the step to search.trial is."""
    largest = 0.0
    for i in range(search.q.shape[0]):
        largest = max(largest, abs(search.trial[i] - search.q[i]))
    return largest <= SHORT


@kernel
def by_sweeps(room: NormalRoom) -> bool:
    """Whether steps are made by sweeps, without a matrix."""
    return bool(room.sweeps.free.shape[0] > 0)


@kernel
def curvature_here(problem: Evaluation, search: Search, room: NormalRoom, bent: bool) -> None:
    """Prepare the matrix, or the sweeps in its place."""
    if by_sweeps(room):
        inertia_here(problem, search.q, search.pull, bent, room.sweeps)
    else:
        hessian_here(problem, search.q, search.pull, bent, room.hessian)
        _find_paths(room)


@kernel
def _find_paths(room: NormalRoom) -> None:
    """List what is above each variable, so that a solve need not walk there link by link."""
    above, depth, path = room.hessian.above, room.depth, room.path
    for k in range(depth.shape[0]):
        up = above[k]
        depth[k] = depth[up] + 1 if up >= 0 else 0
        for place in range(depth[k] - 1):
            path[k, place] = path[up, place]
        if up >= 0:
            path[k, depth[k] - 1] = up


@kernel
def mean_curvature(problem: Evaluation, room: NormalRoom) -> float:
    """The mean size of the matrix's diagonal."""
    if by_sweeps(room):
        return mean_diagonal(problem.tree, room.sweeps.body)
    total, matrix = 0.0, room.hessian.matrix
    for i in range(matrix.shape[0]):
        total += abs(matrix[i, i])
    return float(total / max(1, matrix.shape[0]))


@kernel
def damped_step(problem: Evaluation, search: Search, room: NormalRoom, damping: float) -> float:
    """Put the damped step's end, inside the limits, into search.trial. Returns the fall of the cost it promises."""
    variables, crossed = search.q.shape[0], False
    for i in range(variables):
        room.state[i] = RESTING if presses(problem, search, i) else FREE
    for _ in range(PASSES):
        if not _solve_free(problem, search, room, damping, crossed):
            return -1.0  # not positive definite: more damping, please
        if not _set_crossing(problem, search, room):
            break
        crossed = True
    promised, squares = 0.0, 0.0
    for i in range(variables):
        search.trial[i] = min(max(search.q[i] + search.step[i], problem.lower[i]), problem.upper[i])
        search.step[i] = step = search.trial[i] - search.q[i]
        promised -= search.gradient[i] * step
        squares += step * step
    if not crossed:  # (H + λ) d = -g says what dᵀHd is
        return 0.5 * (promised + damping * squares)
    _times_step(problem, search, room)
    for i in range(variables):
        promised -= 0.5 * room.right[i] * search.step[i]
    return promised


@kernel
def _corrected(
    here: Evaluation, there: Evaluation, search: Search, room: NormalRoom, predicted: float, cost: float
) -> float:
    """Correct the step for how far the rows at its end are from r + J · step, if that lowers the cost.

    The way along which goals stay met is curved; a step along its tangent leaves it, and this brings it back: one
    more solve with the same factor. Returns the cost at search.trial, and leaves r + J · step in room.ahead.
    """
    tree, goals, values = here.tree, here.goals, here.values
    change_of(tree, here.pose, values, search.step, here.force, room.ahead)
    for row in range(room.ahead.shape[0]):
        room.ahead[row] += values.pull[row]
        room.off[row] = there.values.pull[row] - room.ahead[row]
    if abs(search.cost[0] - cost - predicted) <= ENOUGH * predicted:
        return cost
    gradient_of(tree, goals, here.pose, values, room.off, here.force, room.right)
    _solve(here, room)
    for i in range(search.q.shape[0]):
        search.step[i] = search.trial[i]
        search.trial[i] = min(max(search.trial[i] - room.right[i], here.lower[i]), here.upper[i])
    corrected = cost_at(there, search.trial)
    if corrected < cost:
        return corrected
    for i in range(search.q.shape[0]):
        search.trial[i] = search.step[i]
    return cost if cost >= search.cost[0] else cost_at(there, search.trial)  # it is turned down: none will look there


@kernel
def _times_step(problem: Evaluation, search: Search, room: NormalRoom) -> None:
    """The matrix times the step, into room.right."""
    if by_sweeps(room):
        times_sweeps(problem, room.sweeps.body, search.step, room.right)
        return
    step, product = search.step, room.right
    product[:] = 0.0
    for k in range(step.shape[0]):
        entry, path, own = room.hessian.matrix[k], room.path[k], step[k]
        total = entry[k] * own
        for place in range(room.depth[k]):
            i = path[place]
            total += entry[i] * step[i]
            product[i] += entry[i] * own
        product[k] += total


@kernel
def _solve_free(problem: Evaluation, search: Search, room: NormalRoom, damping: float, crossed: bool) -> bool:
    """Solve for the free variables' steps; if some `crossed` limits and were set, theirs being given.

    False if the matrix is not positive.
    """
    if factor(problem, room, damping) >= 0:
        return False
    if crossed:
        for k in range(search.step.shape[0]):
            if room.state[k] == FREE:
                search.step[k] = 0.0
        _times_step(problem, search, room)  # what those that were set pull on the others with
    for k in range(search.step.shape[0]):
        room.right[k] = -search.gradient[k] - (room.right[k] if crossed else 0.0)
    _solve(problem, room)
    for k in range(search.step.shape[0]):
        if room.state[k] != SET:
            search.step[k] = room.right[k]
    return True


@kernel
def _solve(problem: Evaluation, room: NormalRoom) -> None:
    """Solve LᵀL x = right for the free variables, in place; at the others, zero."""
    if by_sweeps(room):
        solve_sweeps(problem, room.sweeps.free, room.sweeps.body, room.right, room.right)
        return
    depth, right = room.depth, room.right
    for k in range(right.shape[0] - 1, -1, -1):
        if room.state[k] != FREE:
            right[k] = 0.0
            continue
        low, path = room.factor[k], room.path[k]
        value = right[k] / low[depth[k]]
        right[k] = value
        for place in range(depth[k]):
            right[path[place]] -= low[place] * value
    for k in range(right.shape[0]):
        if room.state[k] != FREE:
            continue
        low, path, end = room.factor[k], room.path[k], depth[k]
        one, other = right[k], 0.0  # two sums, so that the one need not wait for the other
        for place in range(0, end - 1, 2):
            one -= low[place] * right[path[place]]
            other -= low[place + 1] * right[path[place + 1]]
        if end % 2 == 1:
            one -= low[end - 1] * right[path[end - 1]]
        right[k] = (one + other) / low[end]


@kernel
def factor(problem: Evaluation, room: NormalRoom, damping: float) -> int:
    """Factor the free variables' damped matrix. Returns -1 or, if it is not positive, the variable that shows it."""
    if not by_sweeps(room):
        return _factor_matrix(room, damping)
    for k in range(room.state.shape[0]):
        room.sweeps.free[k] = room.state[k] == FREE
    if not factor_damped(problem, room.sweeps, damping):
        for k in range(room.state.shape[0] - 1, -1, -1):
            if room.state[k] == FREE and room.sweeps.body.pivot[k] == 0.0:
                return k
    return -1


@kernel
def _factor_matrix(room: NormalRoom, damping: float) -> int:
    """LᵀL of the free variables' damped matrix, from the last variable to the first; stops where it is not positive.

    In this order no entry between two branches of the tree fills up (Featherstone 2005). A variable has the variables
    above it in common with each of them, so that their rows, stored from the first on, need no index. 7.5 µs for a
    body of 67 variables. Coupled rows join the branches that they run across (`hessian_rows.join`).
    """
    low, depth, path = room.factor, room.depth, room.path
    for k in range(depth.shape[0]):
        if room.state[k] != FREE:
            continue
        low[k, depth[k]] = room.hessian.matrix[k, k] + damping
        for place in range(depth[k]):
            i = path[k, place]
            low[k, place] = room.hessian.matrix[k, i] if room.state[i] == FREE else 0.0
    for k in range(depth.shape[0] - 1, -1, -1):
        if room.state[k] != FREE:
            continue
        pivot = low[k, depth[k]]
        if not pivot > 0.0:
            return k
        root = math.sqrt(pivot)
        low[k, depth[k]] = root
        for place in range(depth[k]):
            low[k, place] /= root
        for place in range(depth[k] - 1, -1, -1):
            factor, i = low[k, place], path[k, place]
            if factor == 0.0:  # one that rests on a limit, or has nothing to do with this one
                continue
            for other in range(place + 1):
                low[i, other] -= factor * low[k, other]
    return -1


@kernel
def _set_crossing(problem: Evaluation, search: Search, room: NormalRoom) -> bool:
    """Set each free variable whose step crosses a limit onto that limit. True if there was one."""
    found = 0
    for i in range(search.q.shape[0]):  # most steps cross none, which this loop without branches sees sooner
        end = search.q[i] + search.step[i]
        found |= (end < problem.lower[i]) | (end > problem.upper[i])
    if not found:
        return False
    found = 0
    for i in range(search.q.shape[0]):
        end = search.q[i] + search.step[i]
        if room.state[i] == FREE and (end < problem.lower[i] or end > problem.upper[i]):
            search.step[i] = min(max(end, problem.lower[i]), problem.upper[i]) - search.q[i]
            room.state[i], found = SET, 1
    return bool(found)
