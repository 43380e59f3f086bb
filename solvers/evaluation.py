"""A problem as compiled code sees it, and the two questions every solver asks of it: its cost, and the gradient.

Python calls few of these: each kernel that is called from Python holds the compiled code of all goals once more.
"""

from typing import NamedTuple

from ..compiled import kernel
from .derivatives import cost_of, gradient_of
from .goals.evaluate import evaluate
from .goals.tables import POSTURE, GoalArrays, Values, error_of, is_reached
from .kinematics import PoseArrays, TreeArrays, forward
from .rotation import Floats


class Evaluation(NamedTuple):
    """The tables of a problem, its limits, and room to evaluate it in. V variables, B bodies."""

    tree: TreeArrays
    goals: GoalArrays
    lower: Floats  # [V], in clips narrower than the tree's: a box that moves along
    upper: Floats  # [V]
    pose: PoseArrays
    values: Values
    force: Floats  # [B, 6]


@kernel
def cost_at(problem: Evaluation, q: Floats) -> float:
    """½ Σ w r² at `q` [V]. Leaves the pose, the residual and the taps behind in the problem's room."""
    forward(problem.tree, q, problem.pose)
    evaluate(problem.goals, q, problem.pose, problem.values)
    return cost_of(problem.goals, problem.values)


@kernel
def costs_of(problem: Evaluation, poses: Floats, costs: Floats) -> None:
    """The cost [P] of each of several poses [P, V]."""
    for i in range(poses.shape[0]):
        costs[i] = cost_at(problem, poses[i])


@kernel
def cost_again(problem: Evaluation, q: Floats) -> float:
    """The same where only shifts have changed since."""
    evaluate(problem.goals, q, problem.pose, problem.values)
    return cost_of(problem.goals, problem.values)


@kernel
def gradient_here(problem: Evaluation, gradient: Floats) -> None:
    """The cost's gradient [V] at the pose that was evaluated last."""
    values = problem.values
    gradient_of(problem.tree, problem.goals, problem.pose, values, values.pull, problem.force, gradient)


@kernel
def look(problem: Evaluation, q: Floats, gradient: Floats, errors: Floats) -> float:
    """Everything about `q` in one entry from Python: the cost, its gradient [V], the goals' errors [G, 2]."""
    cost = cost_at(problem, q)
    gradient_here(problem, gradient)
    for goal in range(errors.shape[0]):
        errors[goal, 0], errors[goal, 1] = error_of(problem.goals, problem.values, goal)
    return cost


@kernel
def project(problem: Evaluation, q: Floats) -> None:
    """Bring `q` [V] into its limits."""
    for i in range(q.shape[0]):
        q[i] = min(max(q[i], problem.lower[i]), problem.upper[i])


@kernel
def projected_gradient(problem: Evaluation, q: Floats, gradient: Floats) -> float:
    """The largest part of the gradient that the limits do not forbid to follow: zero exactly at a minimum."""
    largest = 0.0
    for i in range(q.shape[0]):
        moved = min(max(q[i] - gradient[i], problem.lower[i]), problem.upper[i]) - q[i]
        largest = max(largest, abs(moved))
    return largest


@kernel
def mark_unmet(problem: Evaluation, mark: Floats) -> None:
    """Mark [V] what the goals that are not met at the pose evaluated last hang on: 2, or 1 if one that is met does too.

    Other variables get 0. Where goals are not met, a new try need not give up what is: the limbs that have arrived.
    """
    tree, goals, values = problem.tree, problem.goals, problem.values
    mark[:] = 0.0
    for met in range(2):
        for goal in range(goals.kind.shape[0]):
            if goals.on[goal] == 0 or goals.level[goal] == POSTURE or is_reached(goals, values, goal) != (met == 1):
                continue
            for tap in range(goals.tap[goal], goals.tap[goal + 1]):
                if values.tap_row[tap] < 0:
                    continue
                body, g = values.tap_body[tap], values.tap[tap]
                if body < 0:
                    _mark(mark, values.tap_variable[tap], met)
                while body >= 0:
                    for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
                        _mark(mark, variable, met)
                    turns = g[3] == 0.0 and g[4] == 0.0 and g[5] == 0.0
                    body = -1 if turns and tree.steady[body] != 0 else tree.parent[body]  # no turn passes there


@kernel
def _mark(mark: Floats, variable: int, met: int) -> None:
    if met == 0:
        mark[variable] = 2.0
    elif mark[variable] == 2.0:
        mark[variable] = 1.0


@kernel
def is_drawn(mark: float, turn: int) -> bool:
    """Which variables a new try draws anew: in turn only those of goals not met, all that these hang on, and all."""
    return bool(mark > 1.0 - turn % 3 or turn % 3 == 2)
