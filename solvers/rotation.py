"""Rotations as unit quaternions (w, x, y, z) and as rotation vectors (axis times angle, in radians).

Quaternions and vectors are tuples of floats: compiled code keeps them in registers and allocates nothing.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compiled import kernel

Floats: TypeAlias = NDArray[np.float64]
Vector: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
Six: TypeAlias = tuple[float, float, float, float, float, float]  # a twist or a force

# Below this angle (radians) quotients like atan(a)/a are replaced by two terms of their series, whose error is then
# of the order a⁴ = 1e-16.
_SMALL = 1e-4

# The same for their derivatives, which lose two digits more: with either formula the error is then below 1e-9.
_SMALL_RATE = 0.03

# Up to this square of an angle, a little more than a quarter turn's, nine terms of these series are exact: the tenth is
# below 1e-16. In x = (½a)², cos ½a and (sin ½a)/½a; in a², (a - sin a)/a³. With calls of the library's sine and cosine,
# forward kinematics takes half as long again.
_QUARTER = 2.5
_COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(9))
_SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(9))
_LAG = tuple((-1.0) ** k / math.factorial(2 * k + 3) for k in range(9))


@kernel
def vector_at(array: Floats, row: int) -> Vector:
    """Row of an array [n, 3] as a vector."""
    return array[row, 0], array[row, 1], array[row, 2]


@kernel
def quaternion_at(array: Floats, row: int) -> Quaternion:
    """Row of an array [n, 4] as a quaternion."""
    return array[row, 0], array[row, 1], array[row, 2], array[row, 3]


@kernel
def six_at(array: Floats, row: int) -> Six:
    """Row of an array [n, 6] as a twist or a force."""
    return array[row, 0], array[row, 1], array[row, 2], array[row, 3], array[row, 4], array[row, 5]


@kernel
def put_six(array: Floats, row: int, six: Six) -> None:
    """Make a twist or a force a row of an array [n, 6]."""
    array[row, 0], array[row, 1], array[row, 2] = six[0], six[1], six[2]
    array[row, 3], array[row, 4], array[row, 5] = six[3], six[4], six[5]


@kernel
def add_six(array: Floats, row: int, six: Six) -> None:
    """Add a twist or a force to a row of an array [n, 6]; all is read before it is written, and so nothing waits."""
    a, b, c, d, e, f = six_at(array, row)
    put_six(array, row, (a + six[0], b + six[1], c + six[2], d + six[3], e + six[4], f + six[5]))


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def conjugate(q: Quaternion) -> Quaternion:
    """The inverse of a unit quaternion."""
    return q[0], -q[1], -q[2], -q[3]


@kernel
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Quaternion product: first turn by `b`, then by `a`."""
    return (
        (a[0] * b[0] - a[1] * b[1]) - (a[2] * b[2] + a[3] * b[3]),
        (a[0] * b[1] + a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]),
        (a[0] * b[2] - a[1] * b[3]) + (a[2] * b[0] + a[3] * b[1]),
        (a[0] * b[3] + a[1] * b[2]) - (a[2] * b[1] - a[3] * b[0]),
    )


@kernel
def rotate(q: Quaternion, v: Vector) -> Vector:
    """Turn `v` by the unit quaternion `q`: v + w t + u × t with t = 2 u × v, where u is the vector part of q."""
    w, x, y, z = q
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx


@kernel
def matrix_of(q: Quaternion) -> tuple[Vector, Vector, Vector]:
    """The rows of the matrix of a unit quaternion: with three vectors to turn, less work than `rotate`."""
    w, x, y, z = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        (1.0 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1.0 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1.0 - (xx + yy)),
    )


@kernel
def _series(c: tuple[float, ...], x: float) -> float:
    """Σ c x^k of nine coefficients. In pairs (Estrin's scheme), because each sum waits for those in it."""
    x2 = x * x
    x4 = x2 * x2
    low = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2
    return low + ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2 + c[8] * x4) * x4


@kernel
def half_turn(a2: float) -> tuple[float, float]:
    """The cosine of ½a and (sin ½a)/a, exact through zero, of the angle a (radians) whose square is `a2`."""
    if a2 < _QUARTER:
        return _series(_COSINE, 0.25 * a2), 0.5 * _series(_SINE, 0.25 * a2)
    angle = math.sqrt(a2)
    return math.cos(0.5 * angle), math.sin(0.5 * angle) / angle


@kernel
def about_axis(axis: Vector, angle: float) -> Quaternion:
    """The turn by `angle` (radians) about a unit axis."""
    cosine, ratio = half_turn(angle * angle)
    s = ratio * angle
    return cosine, s * axis[0], s * axis[1], s * axis[2]


@kernel
def from_vector(v: Vector) -> tuple[Quaternion, float, float]:
    """The unit quaternion that turns by the rotation vector `v`, exact through zero, and A, B of `left_jacobian`.

    With s = sin ½a and c = cos ½a, A = (1 - cos a)/a² = 2 (s/a)² and B = (a - sin a)/a³ = (1 - 2 c s/a)/a².
    """
    a2 = dot(v, v)
    cosine, ratio = half_turn(a2)
    second = _series(_LAG, a2) if a2 < _QUARTER else (1.0 - 2.0 * cosine * ratio) / a2
    return (cosine, ratio * v[0], ratio * v[1], ratio * v[2]), 2.0 * ratio * ratio, second


@kernel
def to_vector(q: Quaternion) -> Vector:
    """The shortest rotation vector of the unit quaternion `q`; its length is in [0, π].

    The angle is 2 atan2(|u|, |w|), which keeps its precision near 0 and at 180° about any axis. The formula by the
    rotation matrix in Sugihara's appendix (24-26) fails there unless the axis is a coordinate axis.
    """
    w, x, y, z = q
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    length = math.sqrt(x * x + y * y + z * z)
    # 2 atan2(s, w)/s = (2/w)(1 - s²/(3 w²) + ...)
    if length > _SMALL:
        ratio = 2.0 * math.atan2(length, w) / length
    else:
        ratio = 2.0 / w - 2.0 * length * length / (3.0 * w * w * w)
    return ratio * x, ratio * y, ratio * z


@kernel
def left_jacobian(v: Vector, first: float, second: float) -> tuple[Vector, Vector, Vector]:
    """The angular velocity, in the fixed frame, of exp(v) when v changes along x, along y, along z: columns of J_l.

    J_l = 1 + A [v]× + B [v]×²; `first` and `second` are A and B, from `from_vector`.
    """
    x, y, z = first * v[0], first * v[1], first * v[2]
    bx, by, bz = second * v[0], second * v[1], second * v[2]
    xx, yy, zz, xy, xz, yz = bx * v[0], by * v[1], bz * v[2], bx * v[1], bx * v[2], by * v[2]
    return (
        (1.0 - (yy + zz), xy + z, xz - y),
        (xy - z, 1.0 - (xx + zz), yz + x),
        (xz + y, yz - x, 1.0 - (xx + yy)),
    )


@kernel
def left_jacobian_inverse_transposed(v: Vector, u: Vector) -> Vector:
    """J_l(v)⁻ᵀ · u, with which a weight on the parts of a rotation vector pulls on the body that turns.

    J_l⁻¹ = 1 - ½ [v]× + (1/a² - (1 + cos a)/(2 a sin a)) [v]×²; transposing turns the sign of [v]×.
    """
    a2 = dot(v, v)
    if a2 > _SMALL * _SMALL:
        a = math.sqrt(a2)
        # (1 + cos a)/sin a = cot(a/2), which is finite at a = π where the printed form is 0/0.
        second = (1.0 - 0.5 * a / math.tan(0.5 * a)) / a2
    else:
        second = 1.0 / 12.0 + a2 / 720.0
    once = cross(v, u)
    twice = cross(v, once)
    return (
        u[0] + 0.5 * once[0] + second * twice[0],
        u[1] + 0.5 * once[1] + second * twice[1],
        u[2] + 0.5 * once[2] + second * twice[2],
    )


@kernel
def left_jacobian_rate(v: Vector, rate: Vector, change: Vector) -> Vector:
    """The derivative of J_l(v) · rate, `rate` held, when v changes by `change`.

    With A = (1 - cos a)/a² and B = (a - sin a)/a³ of J_l, these are A'/a and B'/a.
    """
    a2 = dot(v, v)
    if a2 > _SMALL_RATE * _SMALL_RATE:
        a = math.sqrt(a2)
        sine, cosine = math.sin(a), math.cos(a)
        first, second = (1.0 - cosine) / a2, (a - sine) / (a2 * a)
        first_rate = (a * sine - 2.0 * (1.0 - cosine)) / (a2 * a2)
        second_rate = (3.0 * sine - 2.0 * a - a * cosine) / (a2 * a2 * a)
    else:
        first, second = 0.5 - a2 / 24.0 + a2 * a2 / 720.0, 1.0 / 6.0 - a2 / 120.0 + a2 * a2 / 5040.0
        first_rate, second_rate = a2 / 180.0 - 1.0 / 12.0, a2 / 1260.0 - 1.0 / 60.0
    return _product_rate(v, rate, change, first, second, first_rate, second_rate)


@kernel
def left_jacobian_inverse_transposed_rate(v: Vector, u: Vector, change: Vector) -> Vector:
    """The derivative of J_l(v)⁻ᵀ · u, `u` held, when v changes by `change`."""
    a2 = dot(v, v)
    if a2 > _SMALL_RATE * _SMALL_RATE:
        a = math.sqrt(a2)
        sine = math.sin(0.5 * a)
        half = 0.5 * a * math.cos(0.5 * a) / sine
        second = (1.0 - half) / a2
        second_rate = (half + 0.25 * a2 / (sine * sine) - 2.0) / (a2 * a2)
    else:
        second, second_rate = 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0, 1.0 / 360.0 + a2 / 7560.0
    return _product_rate(v, u, change, 0.5, second, 0.0, second_rate)


@kernel
def _product_rate(
    v: Vector, u: Vector, change: Vector, first: float, second: float, first_rate: float, second_rate: float
) -> Vector:
    """The derivative of u + A v × u + B v × (v × u) when v changes by `change`; the rates are A'/|v| and B'/|v|."""
    along = dot(v, change)
    once, moved = cross(v, u), cross(change, u)
    twice, left, right = cross(v, once), cross(change, once), cross(v, moved)
    return (
        first_rate * along * once[0]
        + first * moved[0]
        + second_rate * along * twice[0]
        + second * (left[0] + right[0]),
        first_rate * along * once[1]
        + first * moved[1]
        + second_rate * along * twice[1]
        + second * (left[1] + right[1]),
        first_rate * along * once[2]
        + first * moved[2]
        + second_rate * along * twice[2]
        + second * (left[2] + right[2]),
    )
