"""How the axes of a joint's rotation change with its own variables: what the second derivative of a pose needs.

Only where a solver asks for it, so that `forward`, which all solvers run, stays as fast as it is. `bend_joints` says
what that adds to the second derivative, with a matrix (`hessian`) or without (`inertia`). How axes change is all in the
joint's rest frame. Of a swing, x and z only: the twist's axis is carried along by both, and theirs do not know of the
twist.
"""

import math

from ..compiled import kernel
from .kinematics import (
    EULER,
    SWING_ELLIPSE,
    SWING_X_FIRST,
    SWING_Z_FIRST,
    VECTOR,
    PoseArrays,
    TreeArrays,
    euler_order,
    half_angles,
    swing,
)
from .rotation import (
    Floats,
    Quaternion,
    Vector,
    conjugate,
    cross,
    dot,
    left_jacobian_rate,
    multiply,
    quaternion_at,
    rotate,
    vector_at,
)

# Nearer to a half turn than this (the cosine of half the swing) the axes of an ellipse's swing change without bound;
# they are taken for constant there.
_HALF_TURN = 1e-3


@kernel
def bend_joints(
    tree: TreeArrays, pose: PoseArrays, q: Floats, axis: Floats, wrench: Floats, centre: Vector, knit: Floats
) -> None:
    """Fill `knit` [V, 6] with F · ∂_j s_i for variables i ≤ j of each joint: j's row, at i's place in the joint.

    `wrench` [B, 6] is F, what pulls on each body and those below it; `axis` [V, 6] the twists; both about `centre`.
    Rotation comes after translation, so only that has any. Taking few arrays, for a reason: handed the whole problem,
    a joint took 0.3 µs instead of 0.12.
    """
    knit[:] = 0.0
    for body in range(tree.parent.shape[0]):
        kind, slot, first = tree.kind[body], tree.slot, tree.first[body]
        if kind < EULER or tree.freedom[body] == 0 or not _pulls(wrench[body]):
            continue
        force, at = wrench[body], pose.position[body]
        lever = cross((at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]), (force[3], force[4], force[5]))
        moment = (force[0] - lever[0], force[1] - lever[1], force[2] - lever[2])  # about the joint
        if kind == EULER:
            inner, middle, outer = euler_order(tree.order[body])
            one, two, three = slot[body, 3 + inner], slot[body, 3 + middle], slot[body, 3 + outer]
            _carry(knit, first, axis, two, one, moment)
            _carry(knit, first, axis, three, one, moment)
            _carry(knit, first, axis, three, two, moment)
            continue
        rest = quaternion_at(tree.rest_rotation, body)
        if tree.parent[body] >= 0 and tree.steady[body] == 0:
            rest = multiply(quaternion_at(pose.rotation, tree.parent[body]), rest)
        local = rotate(conjugate(rest), moment)
        x, y, z = slot[body, 3], slot[body, 4], slot[body, 5]
        if kind == VECTOR:  # none of its rotations is ever locked
            for b in range(3):
                for a in range(b + 1):
                    knit[x + b, x + a - first] += dot(local, _vector_axis_rate((q[x], q[y], q[z]), a, b))
            continue
        value_x, value_z = q[x] if x >= 0 else tree.held[body, 3], q[z] if z >= 0 else tree.held[body, 5]
        by_xx, by_xz, by_zz = _swing_axis_rates(kind, value_x, value_z, tree.reach, body)
        _add(knit, first, x, x, dot(local, by_xx))
        _add(knit, first, x, z, dot(local, by_xz))
        _add(knit, first, z, z, dot(local, by_zz))
        _carry(knit, first, axis, z, y, moment)


@kernel
def _pulls(wrench: Floats) -> bool:
    largest = 0.0
    for i in range(6):
        largest = max(largest, abs(wrench[i]))
    return largest > 0.0


@kernel
def _add(knit: Floats, first: int, i: int, j: int, value: float) -> None:
    """Add to the entry of two variables i ≤ j of a joint; -1 for one that is locked."""
    if i >= 0 and j >= 0:
        knit[j, i - first] += value


@kernel
def _carry(knit: Floats, first: int, axis: Floats, outer: int, inner: int, moment: Vector) -> None:
    """The variable `outer` carries the axis of `inner` along: ∂ω_inner = ω_outer × ω_inner.

    Where the outer one comes first, s_i · A s_j is all there is.
    """
    if outer > inner >= 0:
        turned = cross(vector_at(axis, outer), vector_at(axis, inner))
        knit[outer, inner - first] += dot(moment, turned)


@kernel
def _vector_axis_rate(v: Vector, one: int, other: int) -> Vector:
    """How the axis of variable `one` of the rotation vector `v` changes with `other`; 0, 1, 2 for x, y, z."""
    return left_jacobian_rate(v, _unit(one), _unit(other))


@kernel
def _unit(i: int) -> Vector:
    return 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0


@kernel
def _swing_axis_rates(kind: int, x: float, z: float, reach: Floats, body: int) -> tuple[Vector, Vector, Vector]:
    """How the axes of a swing's variables change: that of x with x, that of x with z, that of z with z."""
    half = half_angles(x, z)
    s, by_x, by_z = swing(kind, half, reach, body)
    if kind == SWING_ELLIPSE and s[0] < _HALF_TURN:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    by_xx, by_xz, by_zz = _swing_curvature(kind, half, reach, body)
    if kind == SWING_ELLIPSE:
        by_xx = _with_w(s, by_x, by_x, by_xx)
        by_xz = _with_w(s, by_x, by_z, by_xz)
        by_zz = _with_w(s, by_z, by_z, by_zz)
    return _axis_rate(s, by_x, by_x, by_xx), _axis_rate(s, by_x, by_z, by_xz), _axis_rate(s, by_z, by_z, by_zz)


@kernel
def _axis_rate(s: Quaternion, first: Quaternion, second: Quaternion, both: Quaternion) -> Vector:
    """The derivative of the axis 2 s,₁ s̄ by the second variable: 2 (s,₁₂ s̄ + s,₁ s̄,₂)."""
    bent, turned = multiply(both, conjugate(s)), multiply(first, conjugate(second))
    return 2.0 * (bent[1] + turned[1]), 2.0 * (bent[2] + turned[2]), 2.0 * (bent[3] + turned[3])


@kernel
def _with_w(s: Quaternion, first: Quaternion, second: Quaternion, both: Quaternion) -> Quaternion:
    """The second derivative of a unit quaternion, its w part from the others: s · s,₁₂ = -s,₁ · s,₂."""
    turned = first[0] * second[0] + first[1] * second[1] + first[3] * second[3]
    return -(turned + s[1] * both[1] + s[3] * both[3]) / s[0], both[1], 0.0, both[3]


@kernel
def _swing_curvature(
    kind: int, half: tuple[float, float, float, float], reach: Floats, body: int
) -> tuple[Quaternion, Quaternion, Quaternion]:
    """Second derivatives of `swing`'s quaternion: by x twice, x and z, z twice. Of an ellipse without their w parts."""
    u, cu, v, cv = half
    w, w_xz = -0.25 * cu * cv, 0.25 * u * v
    if kind == SWING_X_FIRST:
        across = -0.25 * cu * v
        return (w, -0.25 * u, 0.0, across), (w_xz, 0.0, 0.0, -0.25 * u * cv), (w, 0.0, 0.0, across)
    if kind == SWING_Z_FIRST:
        across = -0.25 * cv * u
        return (w, across, 0.0, 0.0), (w_xz, -0.25 * v * cu, 0.0, 0.0), (w, across, 0.0, -0.25 * v)
    f, f_z, f_zz = _narrowing(v, cv, reach[body, 3] if v > 0.0 else reach[body, 2])
    g, g_x, g_xx = _narrowing(u, cu, reach[body, 1] if u > 0.0 else reach[body, 0])
    by_xz = (0.0, 0.5 * cu * f_z, 0.0, 0.5 * cv * g_x)
    return (0.0, -0.25 * u * f, 0.0, v * g_xx), by_xz, (0.0, u * f_zz, 0.0, -0.25 * v * g)


@kernel
def _narrowing(v: float, cv: float, b: float) -> tuple[float, float, float]:
    """√(1 - ½(v/b)²) with v = sin(z/2), and its derivatives by z, once and twice. Inside the limits at least √½."""
    inverse = 1.0 / (b * b) if b > 0.0 else 0.0
    f = math.sqrt(max(1.0 - 0.5 * v * v * inverse, 0.25))
    f_v = -0.5 * v * inverse / f
    f_vv = -(0.5 * inverse + f_v * f_v) / f
    return f, 0.5 * cv * f_v, 0.25 * (cv * cv * f_vv - v * f_v)
