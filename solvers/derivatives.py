"""Everything that follows from the goals' taps, written once: cost, gradient, Jacobian.

A tap on a body pulls on every variable between that body and its root.
"""

from ..compiled import kernel
from .goals.tables import GoalArrays, Values
from .kinematics import PoseArrays, TreeArrays
from .rotation import Floats, Vector, cross, dot


@kernel
def cost_of(goals: GoalArrays, values: Values) -> float:
    """½ Σ w r² over all rows."""
    total = 0.0
    for row in range(values.residual.shape[0]):
        total += goals.weight[row] * values.residual[row] * values.residual[row]
    return 0.5 * total


@kernel
def gradient_of(
    tree: TreeArrays, goals: GoalArrays, pose: PoseArrays, values: Values, force: Floats, gradient: Floats
) -> None:
    """The cost's gradient [V] in one O(N) sweep from the leaves to the roots. `force` is room for [B, 6]."""
    force[:] = 0.0
    gradient[:] = 0.0
    for tap in range(values.tap_row.shape[0]):
        row = values.tap_row[tap]
        if row < 0:
            continue
        pull = goals.weight[row] * values.residual[row]
        body = values.tap_body[tap]
        if body >= 0:
            for i in range(6):
                force[body, i] += pull * values.tap[tap, i]
        else:
            gradient[values.tap_variable[tap]] += pull * values.tap[tap, 0]
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            for i in range(6):
                gradient[variable] += pose.axis[variable, i] * force[body, i]
        parent = tree.parent[body]
        if parent >= 0:
            for i in range(6):
                force[parent, i] += force[body, i]


@kernel
def jacobian_of(tree: TreeArrays, pose: PoseArrays, values: Values, jacobian: Floats) -> None:
    """The residual's derivative [M, V], by walking from each tap to its root."""
    jacobian[:] = 0.0
    for tap in range(values.tap_row.shape[0]):
        row = values.tap_row[tap]
        if row < 0:
            continue
        body = values.tap_body[tap]
        if body < 0:
            jacobian[row, values.tap_variable[tap]] += values.tap[tap, 0]
        while body >= 0:
            for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
                for i in range(6):
                    jacobian[row, variable] += pose.axis[variable, i] * values.tap[tap, i]
            body = tree.parent[body]


@kernel
def add_point_curvature(
    tree: TreeArrays, pose: PoseArrays, tip: int, point: Vector, force: Vector, matrix: Floats
) -> None:
    """Add force · ∂²point/∂q∂q for a point of the body `tip` to the lower half of `matrix` [V, V].

    Gauss-Newton leaves this out, and then creeps where a goal stays out of reach: 500 iterations were not enough for a
    hand goal 1 m away. For variables i above j it is force · (ω_i × (ω_j × (point - p_j))), with p_j on the axis of j;
    two variables of one joint, whose axes need not follow one another, get the mean of both orders.
    """
    body = tip
    while body >= 0:
        for j in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            velocity = _velocity(pose, j, point)
            for i in range(tree.first[body], j + 1):
                one, other = _curvature(pose, i, velocity, force), _curvature(pose, j, _velocity(pose, i, point), force)
                matrix[j, i] += 0.5 * (one + other)
            above = tree.parent[body]
            while above >= 0:
                for i in range(tree.first[above], tree.first[above] + tree.freedom[above]):
                    matrix[max(i, j), min(i, j)] += _curvature(pose, i, velocity, force)
                above = tree.parent[above]
        body = tree.parent[body]


@kernel
def _velocity(pose: PoseArrays, variable: int, point: Vector) -> Vector:
    """How the point moves with a variable: v + ω × point."""
    axis = pose.axis
    turned = cross((axis[variable, 0], axis[variable, 1], axis[variable, 2]), point)
    return axis[variable, 3] + turned[0], axis[variable, 4] + turned[1], axis[variable, 5] + turned[2]


@kernel
def _curvature(pose: PoseArrays, variable: int, velocity: Vector, force: Vector) -> float:
    """Force · (ω × velocity): a variable above turns the velocity that one below gives the point."""
    axis = (pose.axis[variable, 0], pose.axis[variable, 1], pose.axis[variable, 2])
    return dot(force, cross(axis, velocity))
