"""Levenberg-Marquardt inside limits.

A step solves (JᵀWJ + C + λ) d = -g over the variables that are free: not resting on a limit that the gradient presses
them against. Where the step would cross further limits, those variables are set on them and the rest is solved again,
so that the step stays a descent; clamping it afterwards would not, and is a known cause of flips.

C is what the paths of points bend under the pull of goals that stay out of reach. Without it, a 67-DOF body with one
hand goal 1 m away is not at its minimum after 500 iterations (posture 1e-3 and less); with it, after 9 to 28.

Damping: the gain ratio decides (Nielsen's rule, with a faster fall), begun at the residual's energy plus a bias scaled
by the curvature. Sugihara's own rule, λ = energy + bias at every iteration (his eq. 18) and no C, can be chosen: it is
right near the goal, and very slow at full stretch, for far targets, and with posture terms.
"""

import math
from typing import NamedTuple

import numpy as np

from ..compiled import kernel, relaxed_kernel
from .derivatives import add_point_curvature, jacobian_of
from .evaluation import Evaluation, cost_at
from .goals.pose import Pose
from .goals.position import Position, pull_of_position
from .kinematics import Ints
from .rotation import Floats
from .search import RUNNING, STALLED, Search, accept, ended, move, presses, resume

POSITION, POSE = Position.kind, Pose.kind
MEMORY = 2  # λ, and the factor it grows by after a failure; zero before there are any
BIAS = 1e-3  # of Sugihara's eq. 18, and of the mean curvature where damping begins
WEAKEST = 1e-12  # of the mean curvature: damping below it would not keep the factorisation positive
PASSES = 4  # how often a step that crosses limits is solved again
TRIES = 30  # how often damping grows before the search is taken for stalled


class NormalRoom(NamedTuple):
    """Room for the dense normal equations. M rows, V variables."""

    jacobian: Floats  # [M, V]
    matrix: Floats  # [V, V], JᵀWJ
    factor: Floats  # [V, V], of the free part, in its lower half
    right: Floats  # [V]
    free: Ints  # [V], the free variables, in order
    state: Ints  # [V], FREE, RESTING or SET
    entry: Ints  # [V], where a row of the Jacobian is not zero


FREE, RESTING, SET = range(3)


def new_normal_room(rows: int, variables: int) -> NormalRoom:
    """Room for the normal equations of a problem."""
    matrix, factor = np.zeros((2, variables, variables))
    free, state, entry = np.zeros((3, variables), np.int64)
    return NormalRoom(np.zeros((rows, variables)), matrix, factor, np.zeros(variables), free, state, entry)


@kernel
def levenberg(
    problem: Evaluation,
    search: Search,
    room: NormalRoom,
    iterations: int,
    tolerance: float,
    stop_when_reached: bool,
    sugihara: bool,
) -> tuple[int, int]:
    """Run up to so many iterations. Returns why it stopped and how many were made."""
    resume(problem, search)
    for done in range(iterations):
        status = ended(problem, search, tolerance, stop_when_reached)
        if status != RUNNING:
            return status, done
        curvature = normal_matrix(problem, room)
        if not sugihara:
            add_bending(problem, room)
        if search.memory[0] <= 0.0:
            search.memory[0], search.memory[1] = search.cost[0] + BIAS * curvature, 2.0
        accepted = False
        for _ in range(TRIES):
            damping = search.cost[0] + BIAS if sugihara else max(search.memory[0], WEAKEST * curvature)
            predicted = damped_step(problem, search, room, damping)
            cost = cost_at(problem, search.trial) if predicted > 0.0 else search.cost[0]
            ratio = (search.cost[0] - cost) / predicted if predicted > 0.0 else -1.0
            accepted = accept(search, damping, ratio)
            if accepted or sugihara:
                break
        if not accepted:
            cost_at(problem, search.q)
            return STALLED, done
        move(problem, search, cost)
    return ended(problem, search, tolerance, stop_when_reached), iterations


@relaxed_kernel
def normal_matrix(problem: Evaluation, room: NormalRoom) -> float:
    """JᵀWJ, in its lower half, at the pose that was evaluated last. Returns the mean of its diagonal."""
    jacobian_of(problem.tree, problem.pose, problem.values, room.jacobian)
    variables = room.matrix.shape[0]
    room.matrix[:] = 0.0
    for row in range(room.jacobian.shape[0]):
        weight = problem.goals.weight[row]
        if weight == 0.0:
            continue
        entries = 0
        for i in range(variables):  # a row pulls only on what is between its body and the root
            if room.jacobian[row, i] != 0.0:
                room.entry[entries] = i
                entries += 1
        for a in range(entries):
            i = room.entry[a]
            pull = weight * room.jacobian[row, i]
            for b in range(a + 1):
                room.matrix[i, room.entry[b]] += pull * room.jacobian[row, room.entry[b]]
    total = 0.0
    for i in range(variables):
        total += room.matrix[i, i]
    return float(total / max(1, variables))


@kernel
def add_bending(problem: Evaluation, room: NormalRoom) -> None:
    """Add to the matrix what the paths of points bend under the pull of their goals."""
    goals = problem.goals
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] != 0 and goals.kind[goal] in (POSITION, POSE):
            point, force = pull_of_position(goals, goal, goals.row[goal], problem.pose, problem.values)
            add_point_curvature(problem.tree, problem.pose, goals.ints[goal, 0], point, force, room.matrix)


@kernel
def damped_step(problem: Evaluation, search: Search, room: NormalRoom, damping: float) -> float:
    """Put the damped step's end, inside the limits, into search.trial. Returns the fall of the cost it promises."""
    variables = search.q.shape[0]
    for i in range(variables):
        search.step[i] = 0.0
        room.state[i] = RESTING if presses(problem, search, i) else FREE
    for _ in range(PASSES):
        if not _solve_free(search, room, damping):
            return -1.0  # not positive definite: more damping, please
        if not _set_crossing(problem, search, room):
            break
    promised = 0.0
    for i in range(variables):
        search.trial[i] = min(max(search.q[i] + search.step[i], problem.lower[i]), problem.upper[i])
        search.step[i] = search.trial[i] - search.q[i]
        promised -= search.gradient[i] * search.step[i]
    for i in range(variables):  # dᵀ(JᵀWJ)d by the lower half
        bent = 0.5 * room.matrix[i, i] * search.step[i]
        for j in range(i):
            bent += room.matrix[i, j] * search.step[j]
        promised -= bent * search.step[i]
    return promised


@relaxed_kernel
def _solve_free(search: Search, room: NormalRoom, damping: float) -> bool:
    """Solve for the free variables' steps, those that were set being given. False if the matrix is not positive."""
    count = 0
    for i in range(search.q.shape[0]):
        if room.state[i] == FREE:
            room.free[count] = i
            count += 1
    if not _factor(room, count, damping):
        return False
    low, right = room.factor, room.right
    for a in range(count):
        i = room.free[a]
        right[a] = -search.gradient[i]
        for j in range(search.q.shape[0]):
            if room.state[j] == SET:
                right[a] -= (room.matrix[i, j] if j <= i else room.matrix[j, i]) * search.step[j]
        for c in range(a):
            right[a] -= low[a, c] * right[c]
        right[a] /= low[a, a]
    for a in range(count - 1, -1, -1):
        for c in range(a + 1, count):
            right[a] -= low[c, a] * right[c]
        right[a] /= low[a, a]
        search.step[room.free[a]] = right[a]
    return True


@relaxed_kernel
def _factor(room: NormalRoom, count: int, damping: float) -> bool:
    """Cholesky, row by row, of the free variables' damped matrix. False if it is not positive definite."""
    low = room.factor
    for a in range(count):
        i = room.free[a]
        for b in range(a + 1):
            dot = room.matrix[i, room.free[b]] + (damping if a == b else 0.0)
            for c in range(b):
                dot -= low[a, c] * low[b, c]
            if a > b:
                low[a, b] = dot / low[b, b]
            elif dot > 0.0:
                low[a, a] = math.sqrt(dot)
            else:
                return False
    return True


@kernel
def _set_crossing(problem: Evaluation, search: Search, room: NormalRoom) -> bool:
    """Set each free variable whose step crosses a limit onto that limit. True if there was one."""
    found = False
    for i in range(search.q.shape[0]):
        if room.state[i] == FREE:
            end = search.q[i] + search.step[i]
            if end < problem.lower[i] or end > problem.upper[i]:
                search.step[i] = min(max(end, problem.lower[i]), problem.upper[i]) - search.q[i]
                room.state[i] = SET
                found = True
    return found
