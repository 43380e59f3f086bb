"""Rotations in bulk, in the ways a pose bone can store them: quaternions, Euler angles, axis and angle.

Arrays of n rotations, or [..., n]; quaternions are (w, x, y, z), angles in radians, Euler angles [n, 3] about x, y and
z whatever their order. An order is an index into `solvers.joints.ORDERS`; "XYZ" turns about x first.
"""

import numpy as np
from numpy.typing import NDArray

from ..solvers.joints import ORDERS
from ..solvers.rotation import Floats

Ints = NDArray[np.int64]

TURN = 2.0 * np.pi
AXES_OF_ORDER: Ints = np.array([["XYZ".index(axis) for axis in order] for order in ORDERS])
# Quaternion product: row i is the sum over j of sign[i, j] · a[place[i, j]] · b[j].
_PLACES: Ints = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
_SIGNS: Floats = np.array(
    [[1.0, -1.0, -1.0, -1.0], [1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 1.0, -1.0], [1.0, -1.0, 1.0, 1.0]]
)
_LOCKED = 1e-7  # below this cosine of the second angle, the first and the third turn about the same axis
_NO_AXIS = 1e-9  # below this sine of half the angle, a rotation has no axis of its own


def product(a: Floats, b: Floats) -> Floats:
    """Quaternions [..., n, 4]: first turn by `b`, then by `a`."""
    found: Floats = (a[..., _PLACES] * _SIGNS * b[..., None, :]).sum(axis=-1)
    return found


def inverse(a: Floats) -> Floats:
    """The inverse of unit quaternions [..., n, 4]."""
    return a * [1.0, -1.0, -1.0, -1.0]


def matrices(q: Floats) -> Floats:
    """The matrices [n, 3, 3] of unit quaternions [n, 4]."""
    w, x, y, z = q.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def from_matrices(turns: Floats) -> Floats:
    """Unit quaternions [n, 4] of rotation matrices [n, 3, 3], by the largest of the four: exact also at half a turn."""
    m = turns
    squares = np.stack(
        [
            1.0 + m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2],
            1.0 + m[:, 0, 0] - m[:, 1, 1] - m[:, 2, 2],
            1.0 - m[:, 0, 0] + m[:, 1, 1] - m[:, 2, 2],
            1.0 - m[:, 0, 0] - m[:, 1, 1] + m[:, 2, 2],
        ],
        axis=1,
    )
    wx, wy, wz = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    xy, xz, yz = m[:, 1, 0] + m[:, 0, 1], m[:, 0, 2] + m[:, 2, 0], m[:, 2, 1] + m[:, 1, 2]
    choices = np.stack(
        [
            np.stack([squares[:, 0], wx, wy, wz], axis=1),
            np.stack([wx, squares[:, 1], xy, xz], axis=1),
            np.stack([wy, xy, squares[:, 2], yz], axis=1),
            np.stack([wz, xz, yz, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    found = choices[np.arange(len(m)), squares.argmax(axis=1)]
    normal: Floats = found / np.linalg.norm(found, axis=1, keepdims=True)
    return normal


def from_axis_angle(given: Floats) -> Floats:
    """Quaternions [n, 4] of (angle, axis) [n, 4]; as in Blender, an axis of no length is no rotation."""
    length = np.linalg.norm(given[:, 1:], axis=1)
    half = np.where(length > 0.0, 0.5 * given[:, 0], 0.0)
    axis = given[:, 1:] / np.where(length > 0.0, length, 1.0)[:, None]
    return np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], axis=1)


def to_axis_angle(q: Floats, near: Floats, none: float = _NO_AXIS) -> Floats:
    """(angle, axis) [n, 4] of unit quaternions [n, 4]: of all that are the same rotation, the one next to `near`.

    Of a rotation by less than `none` (half of it in radians) the axis says nothing: it is that of `near`.
    """
    length = np.linalg.norm(near[:, 1:], axis=1)
    old = np.where(length[:, None] > 0.0, near[:, 1:] / np.where(length > 0.0, length, 1.0)[:, None], [0.0, 1.0, 0.0])
    sine = np.linalg.norm(q[:, 1:], axis=1)
    axis = np.where(sine[:, None] > none, q[:, 1:] / np.maximum(sine, none)[:, None], old)
    axis = np.where((axis * old).sum(axis=1, keepdims=True) < 0.0, -axis, axis)
    angle = 2.0 * np.arctan2((q[:, 1:] * axis).sum(axis=1), q[:, 0])
    return np.concatenate([nearest(angle, near[:, 0])[:, None], axis], axis=1)


def from_euler(angles: Floats, order: Ints) -> Floats:
    """Unit quaternions [..., n, 4] of Euler angles [..., n, 3] in some orders [n]."""
    each = np.zeros((*angles.shape, 4))  # the turns about x, y and z
    each[..., 0] = np.cos(0.5 * angles)
    each[..., [0, 1, 2], [1, 2, 3]] = np.sin(0.5 * angles)
    rows, (first, second, third) = np.arange(len(order)), AXES_OF_ORDER[order].T
    return product(each[..., rows, third, :], product(each[..., rows, second, :], each[..., rows, first, :]))


def to_euler(q: Floats, order: Ints, near: Floats, locked: float = _LOCKED) -> Floats:
    """Euler angles [n, 3] of unit quaternions [n, 4]: of all that are the same rotation, those next to `near` [n, 3].

    Nearer than `locked` (radians) to gimbal lock, the first and the third angle say nothing each by itself.
    """
    both = [nearest(angles, near) for angles in _two_ways(q, order, near, locked)]
    far = [np.abs(angles - near).sum(axis=1, keepdims=True) for angles in both]
    return np.where(far[0] <= far[1], *both)


def shortest_euler(q: Floats, order: Ints) -> Floats:
    """Euler angles [..., n, 3] of unit quaternions [..., n, 4] as Blender takes them from a matrix.

    Of the two ways within half a turn, the shorter one.
    """
    flat = q.reshape(-1, 4)
    orders = np.broadcast_to(order, q.shape[:-1]).ravel()
    both = [nearest(angles, np.zeros(3)) for angles in _two_ways(flat, orders, np.zeros((len(flat), 3)))]
    far = [np.abs(angles).sum(axis=1, keepdims=True) for angles in both]
    return np.where(far[0] <= far[1], *both).reshape(*q.shape[:-1], 3)


def nearest(angle: Floats, near: Floats) -> Floats:
    """The same angles, moved by whole turns to be next to `near`."""
    moved: Floats = angle + TURN * np.round((near - angle) / TURN)
    return moved


def _two_ways(q: Floats, order: Ints, near: Floats, locked_below: float = _LOCKED) -> tuple[Floats, Floats]:
    """The two sets of angles [n, 3] for each rotation.

    R = R_k R_j R_i for the order ijk, so R_ki is minus the sine of the second angle, or plus in the odd orders. Where
    that is ±1, only the sum or the difference of the first and the third is determined: the third is as in `near`.
    """
    turn, rows = matrices(q), np.arange(len(q))
    i, j, k = AXES_OF_ORDER[order].T
    odd = np.where((i + 1) % 3 == j, 1.0, -1.0)
    sine, cosine = -odd * turn[rows, k, i], np.hypot(turn[rows, i, i], turn[rows, j, i])
    one = np.empty((len(q), 3))
    one[rows, i] = np.arctan2(odd * turn[rows, k, j], turn[rows, k, k])
    one[rows, j] = np.arctan2(sine, cosine)
    one[rows, k] = np.arctan2(odd * turn[rows, j, i], turn[rows, i, i])
    locked = cosine < locked_below
    third = near[rows, k]
    alone = np.arctan2(-odd * turn[rows, j, k], turn[rows, j, j])  # the first, were the third zero
    one[rows, i] = np.where(locked, alone + odd * np.sign(sine) * third, one[rows, i])
    one[rows, k] = np.where(locked, third, one[rows, k])
    other = one + np.pi
    other[rows, j] = np.pi - one[rows, j]
    return one, other
