"""Rotations as unit quaternions (w, x, y, z) and as rotation vectors (axis times angle, in radians).

Every function writes into `out`, which may be one of its inputs, and allocates nothing.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compiled import kernel

Floats: TypeAlias = NDArray[np.float64]

# Below this angle (radians) sin(a/2)/a is replaced by its series, whose error is then a⁴/3840 < 1e-19.
_SMALL = 1e-4


@kernel
def multiply(a: Floats, b: Floats, out: Floats) -> None:
    """Quaternion product: first turn by `b`, then by `a`. All [4]."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def rotate(q: Floats, v: Floats, out: Floats) -> None:
    """Turn the vector `v` [3] by the unit quaternion `q` [4]: v + 2 w (u × v) + 2 u × (u × v), u the vector part."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    rx = v[0] + w * tx + y * tz - z * ty
    ry = v[1] + w * ty + z * tx - x * tz
    rz = v[2] + w * tz + x * ty - y * tx
    out[0], out[1], out[2] = rx, ry, rz


@kernel
def from_rotation_vector(vector: Floats, out: Floats) -> None:
    """The unit quaternion [4] that turns by `vector` [3], exact through zero."""
    x, y, z = vector[0], vector[1], vector[2]
    angle = math.sqrt(x * x + y * y + z * z)
    ratio = math.sin(0.5 * angle) / angle if angle > _SMALL else 0.5 - angle * angle / 48.0
    out[0], out[1], out[2], out[3] = math.cos(0.5 * angle), ratio * x, ratio * y, ratio * z


@kernel
def to_rotation_vector(q: Floats, out: Floats) -> None:
    """The shortest rotation vector [3] of the unit quaternion `q` [4]; its length is in [0, π].

    The angle is 2 atan2(|u|, |w|), which keeps its precision near 0 and at 180° about any axis. The formula by the
    rotation matrix in Sugihara's appendix (24-26) fails there unless the axis is a coordinate axis.
    """
    w, x, y, z = q[0], q[1], q[2], q[3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    length = math.sqrt(x * x + y * y + z * z)
    # The limit of 2 atan2(s, w)/s for s → 0 is 2/w; at s = 1e-4 the next term is s²/3 of that, 3e-9: keep it.
    ratio = 2.0 * math.atan2(length, w) / length if length > _SMALL else 2.0 / w - 2.0 * length * length / (3.0 * w**3)
    out[0], out[1], out[2] = ratio * x, ratio * y, ratio * z
