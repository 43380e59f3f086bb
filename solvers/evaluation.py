"""A problem as compiled code sees it, and the two questions every solver asks of it: its cost, and the gradient.

Python calls few of these: each kernel that is called from Python holds the compiled code of all goals once more.
"""

from typing import NamedTuple

from ..compiled import kernel
from .derivatives import cost_of, gradient_of
from .goals.evaluate import evaluate
from .goals.tables import GoalArrays, Values
from .kinematics import PoseArrays, TreeArrays, forward
from .rotation import Floats


class Evaluation(NamedTuple):
    """The tables of a problem, its limits, and room to evaluate it in. V variables, B bodies."""

    tree: TreeArrays
    goals: GoalArrays
    lower: Floats  # [V]
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
def gradient_here(problem: Evaluation, gradient: Floats) -> None:
    """The cost's gradient [V] at the pose that was evaluated last."""
    gradient_of(problem.tree, problem.goals, problem.pose, problem.values, problem.force, gradient)


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
