"""From where a joint is back to its variables: what `kinematics` does, the other way round.

A pose that a joint cannot have exactly (a hinge that was turned about another axis) gives the nearest by its own
measure: the part of the rotation about its axes. Values may be outside the limits; whoever asks decides what then.
"""

import math

from ..compiled import kernel
from .kinematics import EULER, HINGE, SLIDE, SWING_ELLIPSE, SWING_Z_FIRST, VECTOR, TreeArrays, euler_order
from .rotation import Floats, Quaternion, Vector, dot, multiply, quaternion_at, rotate, to_vector, vector_at


@kernel
def values_of(tree: TreeArrays, lower: Floats, upper: Floats, moved: Floats, turned: Floats, q: Floats) -> None:
    """Set `q` [F, V] from each joint's own translation [F, B, 3] and rotation [F, B, 4] in its rest frame.

    The limits [V] only choose between angles that give the same rotation.
    """
    for frame in range(q.shape[0]):
        _values_of(tree, lower, upper, moved[frame], turned[frame], q[frame])


@kernel
def _values_of(tree: TreeArrays, lower: Floats, upper: Floats, moved: Floats, turned: Floats, q: Floats) -> None:
    """The same for one frame."""
    for body in range(tree.parent.shape[0]):
        kind, slot = tree.kind[body], tree.slot[body]
        if kind == HINGE:
            axis, turn = vector_at(tree.axis, body), quaternion_at(turned, body)
            q[slot[3]] = twist_about(turn, axis[0] * turn[1] + axis[1] * turn[2] + axis[2] * turn[3])
        elif kind == SLIDE:
            q[slot[3]] = dot(vector_at(tree.axis, body), vector_at(moved, body))
        elif kind != 0:
            for i in range(3):
                if slot[i] >= 0:
                    q[slot[i]] = moved[body, i]
            if kind == EULER:
                x, y, z = _fitting_euler(tree, lower, upper, body, quaternion_at(turned, body))
            else:
                x, y, z = _angles(tree, body, quaternion_at(turned, body))
            for i in range(3):
                if slot[3 + i] >= 0:
                    q[slot[3 + i]] = x if i == 0 else (y if i == 1 else z)


@kernel
def twist_about(turn: Quaternion, along: float) -> float:
    """The angle in (-π, π] of a rotation about an axis, `along` being the axis times the quaternion's vector part."""
    w = turn[0]
    return 2.0 * math.atan2(along, w) if w >= 0.0 else 2.0 * math.atan2(-along, -w)


@kernel
def _angles(tree: TreeArrays, body: int, turn: Quaternion) -> tuple[float, float, float]:
    """The three values of a joint's rotation, in the order of its slots."""
    kind = tree.kind[body]
    if kind == VECTOR:
        return to_vector(turn)
    twist = twist_about(turn, turn[2])
    swung = multiply(turn, (math.cos(0.5 * twist), 0.0, -math.sin(0.5 * twist), 0.0))
    if swung[0] < 0.0:
        swung = (-swung[0], -swung[1], -swung[2], -swung[3])
    sx, sz = swung[1], swung[3]
    if kind == SWING_ELLIPSE:
        a = tree.reach[body, 1] if sx > 0.0 else tree.reach[body, 0]
        b = tree.reach[body, 3] if sz > 0.0 else tree.reach[body, 2]
        u, v = _box_of_ellipse(sx / a if a > 0.0 else 0.0, sz / b if b > 0.0 else 0.0)
        return _arc(a * u), twist, _arc(b * v)
    if kind == SWING_Z_FIRST:
        z = _arc(sz)
        return _arc(sx / max(math.cos(0.5 * z), 1e-9)), twist, z
    x = _arc(sx)
    return x, twist, _arc(sz / max(math.cos(0.5 * x), 1e-9))


@kernel
def _arc(sine: float) -> float:
    """The angle in [-π, π] of which this is the sine of the half."""
    return 2.0 * math.asin(min(max(sine, -1.0), 1.0))


@kernel
def _box_of_ellipse(x: float, z: float) -> tuple[float, float]:
    """Solve x = u √(1 - ½v²), z = v √(1 - ½u²) for u and v of the same signs; a point outside is brought onto the edge.

    With U = u² and V = v², U - V is x² - z², which leaves a quadratic equation for U.
    """
    out = math.sqrt(max(x * x + z * z, 1.0))
    x, z = x / out, z / out
    half = 1.0 + 0.5 * (x * x - z * z)
    u2 = half - math.sqrt(max(half * half - 2.0 * x * x, 0.0))
    v2 = u2 - x * x + z * z
    return math.copysign(math.sqrt(max(u2, 0.0)), x), math.copysign(math.sqrt(max(v2, 0.0)), z)


@kernel
def _fitting_euler(
    tree: TreeArrays, lower: Floats, upper: Floats, body: int, turn: Quaternion
) -> tuple[float, float, float]:
    """Of the two sets of angles about x, y and z for a rotation, the one that fits the limits and locks better."""
    one = _euler(tree.order[body], turn)
    second = euler_order(tree.order[body])[1]
    other = (
        _wrapped(math.pi - one[0] if second == 0 else math.pi + one[0]),
        _wrapped(math.pi - one[1] if second == 1 else math.pi + one[1]),
        _wrapped(math.pi - one[2] if second == 2 else math.pi + one[2]),
    )
    return one if _outside(tree, lower, upper, body, one) <= _outside(tree, lower, upper, body, other) else other


@kernel
def _wrapped(angle: float) -> float:
    """The same angle within half a turn."""
    return angle - 2.0 * math.pi * math.floor(0.5 * angle / math.pi + 0.5)


@kernel
def _outside(tree: TreeArrays, lower: Floats, upper: Floats, body: int, angles: Vector) -> float:
    """By how much angles are outside of their limits, and off the values of locked axes, all told."""
    total = 0.0
    for i in range(3):
        variable = tree.slot[body, 3 + i]
        low = lower[variable] if variable >= 0 else tree.held[body, 3 + i]
        high = upper[variable] if variable >= 0 else tree.held[body, 3 + i]
        total += max(low - angles[i], angles[i] - high, 0.0)
    return total


@kernel
def _euler(order: int, turn: Quaternion) -> tuple[float, float, float]:
    """The angles about x, y and z that turn in this order, the second within a quarter turn.

    With R = R_k R_j R_i, R_ki is minus the sine of the second angle, or plus in the odd orders. At a quarter turn the
    first and the third are one; the third is zero then.
    """
    i, j, k = euler_order(order)
    odd = -1.0 if (i + 1) % 3 != j else 1.0
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    axes = (x, y, z)
    column_i, column_j, column_k = rotate(turn, axes[i]), rotate(turn, axes[j]), rotate(turn, axes[k])
    sine = min(max(-odd * column_i[k], -1.0), 1.0)
    if abs(sine) < 1.0 - 1e-12:
        first, third = math.atan2(odd * column_j[k], column_k[k]), math.atan2(odd * column_i[j], column_i[i])
    else:
        first, third = math.atan2(-odd * column_k[j], column_j[j]), 0.0
    second = math.asin(sine)
    about_x = first if i == 0 else (second if j == 0 else third)
    about_y = first if i == 1 else (second if j == 1 else third)
    about_z = first if i == 2 else (second if j == 2 else third)
    return about_x, about_y, about_z
