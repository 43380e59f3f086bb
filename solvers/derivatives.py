"""Everything that follows from the goals' taps, written once: cost, gradient, Jacobian.

A tap on a body pulls on every variable between that body and its root, past steady joints with its force alone.
"""

from ..compiled import kernel
from .goals.tables import GoalArrays, Values
from .kinematics import PoseArrays, TreeArrays, variables_of
from .rotation import Floats, add_six, put_six, six_at
from .steady import carried_twist, carried_wrench, hung_at


@kernel
def cost_of(goals: GoalArrays, values: Values) -> float:
    """½ Σ w (r + shift)² over all rows."""
    total = 0.0
    for row in range(values.pull.shape[0]):
        total += goals.weight[row] * values.pull[row] * values.pull[row]
    return 0.5 * total


@kernel
def gradient_of(
    tree: TreeArrays,
    goals: GoalArrays,
    pose: PoseArrays,
    values: Values,
    residual: Floats,
    force: Floats,
    gradient: Floats,
) -> None:
    """JᵀW · residual [M]: with the values' own, the cost's gradient [V]. `force` is room for [B, 6].

    One O(N) sweep from the leaves to the roots.
    """
    force[:] = 0.0
    gradient[:] = 0.0
    last, a, b, c, d, e, f = -1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # a goal's rows mostly pull on one body: add them up here
    for tap in range(values.tap_row.shape[0]):
        row, body, g = values.tap_row[tap], values.tap_body[tap], values.tap[tap]
        if row < 0:
            continue
        pull = goals.weight[row] * residual[row]
        if body < 0:
            gradient[values.tap_variable[tap]] += pull * g[0]
            continue
        if body != last:
            if last >= 0:
                add_six(force, last, (a, b, c, d, e, f))
            last, a, b, c, d, e, f = body, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        a, b, c = a + pull * g[0], b + pull * g[1], c + pull * g[2]
        d, e, f = d + pull * g[3], e + pull * g[4], f + pull * g[5]
    if last >= 0:
        add_six(force, last, (a, b, c, d, e, f))
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        below, parent, (first, count) = six_at(force, body), tree.parent[body], variables_of(tree, body)
        a, b, c, d, e, f = below
        for variable in range(first, first + count):
            s = pose.axis[variable]
            gradient[variable] += (s[0] * a + s[1] * b) + (s[2] * c + s[3] * d) + (s[4] * e + s[5] * f)
        if parent >= 0:
            if tree.steady[body] != 0:
                below = carried_wrench(hung_at(tree, pose, body), below)
            add_six(force, parent, below)


@kernel
def change_of(tree: TreeArrays, pose: PoseArrays, values: Values, step: Floats, twist: Floats, change: Floats) -> None:
    """J · step [M]: how the rows change to first order. `twist` is room for [B, 6]."""
    for body in range(tree.parent.shape[0]):
        parent = tree.parent[body]
        for i in range(6):
            twist[body, i] = twist[parent, i] if parent >= 0 else 0.0
        if tree.steady[body] != 0:
            put_six(twist, body, carried_twist(hung_at(tree, pose, body), six_at(twist, parent)))
        for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            for i in range(6):
                twist[body, i] += pose.axis[variable, i] * step[variable]
    change[:] = 0.0
    for tap in range(values.tap_row.shape[0]):
        row, body = values.tap_row[tap], values.tap_body[tap]
        if row < 0:
            continue
        if body < 0:
            change[row] += values.tap[tap, 0] * step[values.tap_variable[tap]]
        else:
            for i in range(6):
                change[row] += values.tap[tap, i] * twist[body, i]


@kernel
def jacobian_of(tree: TreeArrays, pose: PoseArrays, values: Values, jacobian: Floats) -> None:
    """The residual's derivative [M, V], by walking from each tap to its root."""
    jacobian[:] = 0.0
    for tap in range(values.tap_row.shape[0]):
        row = values.tap_row[tap]
        if row < 0:
            continue
        body, g = values.tap_body[tap], six_at(values.tap, tap)
        if body < 0:
            jacobian[row, values.tap_variable[tap]] += g[0]
        while body >= 0:
            for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
                for i in range(6):
                    jacobian[row, variable] += pose.axis[variable, i] * g[i]
            if tree.steady[body] != 0:
                g = carried_wrench(hung_at(tree, pose, body), g)
            body = tree.parent[body]


@kernel
def curvature_of(tree: TreeArrays, goals: GoalArrays, pose: PoseArrays, values: Values, curvature: Floats) -> None:
    """The diagonal of JᵀWJ [V], as far as it goes to scale variables by: two taps of a row count as two rows."""
    curvature[:] = 0.0
    for tap in range(values.tap_row.shape[0]):
        row = values.tap_row[tap]
        if row < 0:
            continue
        body, g = values.tap_body[tap], six_at(values.tap, tap)
        if body < 0:
            curvature[values.tap_variable[tap]] += goals.weight[row] * g[0] ** 2
        while body >= 0:
            for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
                slope = 0.0
                for i in range(6):
                    slope += pose.axis[variable, i] * g[i]
                curvature[variable] += goals.weight[row] * slope * slope
            if tree.steady[body] != 0:
                g = carried_wrench(hung_at(tree, pose, body), g)
            body = tree.parent[body]
