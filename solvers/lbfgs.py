"""A limited-memory BFGS inside limits: the local search of the memetic solver.

Works on the cost ½ Σ w r², which is Bio-IK's φ² but for a factor: φ itself has a kink where it is zero, and no
quasi-Newton method converges into a kink. Variables at a limit that the gradient pushes against are held; the two-loop
recursion runs on the others, with every dot product taken over those alone, and each step is projected into the limits
before it is judged (Bertsekas' two-metric projection). Each variable is scaled by its curvature. All memory is in the
room, so a descent can be interrupted and taken up again.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..compiled import kernel
from .derivatives import curvature_of
from .evaluation import Evaluation, cost_at, gradient_here, project, projected_gradient
from .goals.tables import all_reached
from .kinematics import Ints
from .problem import Problem
from .rotation import Floats

MEMORY = 10  # pairs kept
NOT_BEGUN, RUNNING, REACHED, CONVERGED, STALLED = range(-1, 4)

STATUS, _PAIRS, _NEWEST = range(3)  # places in `state`
_ARMIJO = 1e-4  # share of the decrease promised by the gradient that a step must bring
_TRIES = 25  # steps tried along one direction; 25 halvings are 3e-8 of it
_CURVED = 1e-10  # a pair bent less than this (cosine) says nothing on the curvature
_STIFFEST = 1e-3  # of the mean curvature, added to each variable's: some move nothing at all
_STATIONARY = 1e-12  # projected gradient at which nothing is left to gain


class Descent(NamedTuple):
    """Where a descent is, and all that it remembers. V variables, K pairs."""

    q: Floats  # [V]
    gradient: Floats  # [V], at q
    cost: Floats  # [1], at q
    trial: Floats  # [V]
    ahead: Floats  # [V], the gradient at the trial
    direction: Floats  # [V]
    free: Floats  # [V], 1 or, held at a limit, 0
    ease: Floats  # [V], how far a variable goes under a gradient of 1: one over its curvature, roughly
    moved: Floats  # [K, V], steps
    bent: Floats  # [K, V], what they changed in the gradient
    scale: Floats  # [K], 1 / (moved · bent) over the free variables, 0 where a pair is of no use
    share: Floats  # [K], what the first loop leaves for the second
    state: Ints  # [3], status, pairs in use, place of the newest


def new_descent(variables: int, memory: int = MEMORY) -> Descent:
    """Room for a descent."""
    vectors = [np.zeros(variables) for _ in range(7)]
    return Descent(
        q=vectors[0],
        gradient=vectors[1],
        cost=np.zeros(1),
        trial=vectors[2],
        ahead=vectors[3],
        direction=vectors[4],
        free=vectors[5],
        ease=vectors[6],
        moved=np.zeros((memory, variables)),
        bent=np.zeros((memory, variables)),
        scale=np.zeros(memory),
        share=np.zeros(memory),
        state=np.zeros(3, np.int64),
    )


def lbfgs(problem: Problem, start: ArrayLike, iterations: int = 200, stop_when_reached: bool = False) -> Descent:
    """Descend from `start`. Inside the limits, and never above the cost of the start projected into them."""
    room = new_descent(len(problem.tree.variables))
    room.q[:] = problem.tree.check(start, "the start")
    room.state[STATUS] = NOT_BEGUN
    descend(problem.evaluation, room, iterations, stop_when_reached)
    return room


@kernel
def begin_descent(room: Descent, start: Floats) -> None:
    """Let the next `descend` begin at `start` [V], projected into the limits, with nothing remembered."""
    for i in range(start.shape[0]):
        room.q[i] = start[i]
    room.state[STATUS] = NOT_BEGUN


@kernel
def descend(problem: Evaluation, room: Descent, iterations: int, stop: bool) -> int:
    """Up to so many iterations, fewer where nothing is left to gain or, with `stop`, every goal is reached.

    Returns the status: `RUNNING`, `REACHED`, `CONVERGED` or `STALLED`.
    """
    if room.state[STATUS] == NOT_BEGUN:
        project(problem, room.q)
        room.cost[0] = cost_at(problem, room.q)
        gradient_here(problem, room.gradient)
        _set_ease(problem, room.ease)
        room.state[STATUS] = RUNNING
        room.state[_PAIRS] = room.state[_NEWEST] = 0
        if stop and all_reached(problem.goals, problem.values):
            room.state[STATUS] = REACHED
    for _ in range(iterations):
        if room.state[STATUS] != RUNNING:
            break
        if projected_gradient(problem, room.q, room.gradient) <= _STATIONARY:
            room.state[STATUS] = CONVERGED
            break
        _choose_direction(problem, room)
        if _search(problem, room):
            if stop and all_reached(problem.goals, problem.values):
                room.state[STATUS] = REACHED
        elif room.state[_PAIRS] == 0:
            room.state[STATUS] = STALLED  # not even the steepest way leads down
        else:
            room.state[_PAIRS] = 0
    return int(room.state[STATUS])


@kernel
def _choose_direction(problem: Evaluation, room: Descent) -> None:
    """The quasi-Newton direction over the variables that are free at this iterate; the others stay."""
    for i in range(room.q.shape[0]):
        slope = room.gradient[i]
        held = (room.q[i] <= problem.lower[i] and slope > 0.0) or (room.q[i] >= problem.upper[i] and slope < 0.0)
        room.free[i] = 0.0 if held else 1.0
        room.direction[i] = -room.free[i] * slope
    if room.state[_PAIRS] > 0:
        _two_loops(room)
        if _slope(room) < 0.0:
            return
        room.state[_PAIRS] = 0
        for i in range(room.q.shape[0]):
            room.direction[i] = -room.free[i] * room.gradient[i]
    for i in range(room.q.shape[0]):
        room.direction[i] *= room.ease[i]
    # With nothing remembered, Polyak's step: the length that would bring the cost to zero were it |·|, half of what
    # would do so were it a parabola. Right in any unit.
    steep = -_slope(room)
    length = room.cost[0] / steep if steep > 0.0 else 0.0
    for i in range(room.q.shape[0]):
        room.direction[i] *= length


@kernel
def _slope(room: Descent) -> float:
    total = 0.0
    for i in range(room.q.shape[0]):
        total += room.gradient[i] * room.direction[i]
    return total


@kernel
def _two_loops(room: Descent) -> None:
    """Turn `direction` from -g into -H g (Nocedal 1980), H from the pairs as the free variables see them."""
    count, memory, variables = room.state[_PAIRS], room.moved.shape[0], room.q.shape[0]
    direction, first = room.direction, 0.0
    for back in range(count):
        pair = (room.state[_NEWEST] - back) % memory
        moved, bent = room.moved[pair], room.bent[pair]
        curvature, moved_moved, bent_bent, eased, along = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(variables):
            curvature += room.free[i] * moved[i] * bent[i]
            moved_moved += room.free[i] * moved[i] * moved[i]
            bent_bent += room.free[i] * bent[i] * bent[i]
            eased += room.free[i] * room.ease[i] * bent[i] * bent[i]
            along += moved[i] * direction[i]
        # Only a pair with positive curvature keeps H positive definite.
        if not (curvature > 0.0 and curvature * curvature > _CURVED * moved_moved * bent_bent):
            room.scale[pair] = 0.0
            continue
        room.scale[pair] = 1.0 / curvature
        room.share[pair] = along / curvature
        for i in range(variables):
            direction[i] -= room.free[i] * room.share[pair] * bent[i]
        if first == 0.0:
            first = curvature / eased  # what the newest pair says of the ease
    if first == 0.0:
        room.state[_PAIRS] = 0
        return
    for i in range(variables):
        direction[i] *= first * room.ease[i]
    for back in range(count - 1, -1, -1):
        pair = (room.state[_NEWEST] - back) % memory
        if room.scale[pair] == 0.0:
            continue
        along = 0.0
        for i in range(variables):
            along += room.bent[pair, i] * direction[i]
        change = room.share[pair] - room.scale[pair] * along
        for i in range(variables):
            direction[i] += room.free[i] * change * room.moved[pair, i]


@kernel
def _search(problem: Evaluation, room: Descent) -> bool:
    """Go along `direction`, each trial projected into the limits, until Armijo's rule holds. False if it never does."""
    variables, length, cost = room.q.shape[0], 1.0, room.cost[0]
    for _ in range(_TRIES):
        promised = 0.0
        for i in range(variables):
            ahead = room.q[i] + length * room.direction[i]
            room.trial[i] = min(max(ahead, problem.lower[i]), problem.upper[i])
            promised += room.gradient[i] * (room.trial[i] - room.q[i])
        if not promised < 0.0:
            return False
        found = cost_at(problem, room.trial)
        if found < cost and found <= cost + _ARMIJO * promised:
            _accept(problem, room, found)
            return True
        # The lowest point of the parabola through both costs and the slope; NaN and infinity shrink by most.
        bend = found - cost - promised
        length *= min(max(-0.5 * promised / bend, 0.1), 0.5) if bend > 0.0 else 0.1
    return False


@kernel
def _accept(problem: Evaluation, room: Descent, cost: float) -> None:
    """Take the trial, and remember the step and what it changed in the gradient."""
    gradient_here(problem, room.ahead)
    memory = room.moved.shape[0]
    pair = (room.state[_NEWEST] + 1) % memory
    for i in range(room.q.shape[0]):
        room.moved[pair, i] = room.trial[i] - room.q[i]
        room.bent[pair, i] = room.ahead[i] - room.gradient[i]
        room.q[i] = room.trial[i]
        room.gradient[i] = room.ahead[i]
    room.cost[0] = cost
    room.state[_NEWEST] = pair
    room.state[_PAIRS] = min(room.state[_PAIRS] + 1, memory)
    if pair == 0:  # every tenth step: it walks from all taps to the root
        _set_ease(problem, room.ease)


@kernel
def _set_ease(problem: Evaluation, ease: Floats) -> None:
    """How easily each variable moves, at the pose that was evaluated last.

    A finger's joint moves its tip by 3 cm a radian, the torso's by 1 m: their curvatures differ a thousandfold. With
    one scale for all, `memetic` solves 6 % of Valkyrie's finger set-up within 10 ms; with these, all.
    """
    curvature_of(problem.tree, problem.goals, problem.pose, problem.values, ease)
    total = 0.0
    for i in range(ease.shape[0]):
        total += ease[i]
    least = _STIFFEST * total / max(ease.shape[0], 1)
    for i in range(ease.shape[0]):
        stiffness = ease[i] + least
        ease[i] = 1.0 / stiffness if 0.0 < stiffness < math.inf else 1.0
