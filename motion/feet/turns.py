"""Rotations of many frames at once, as matrices and as rotation vectors (axis times angle, radians)."""

import numpy as np

from ...solvers.rotation import Floats


def vector_of(turns: Floats) -> Floats:
    """The rotation vectors [..., 3] of matrices [..., 3, 3]; exact enough up to a hair short of a half turn."""
    skew = np.stack([turns[..., i, j] - turns[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=-1)
    sine = 0.5 * np.linalg.norm(skew, axis=-1)
    angle = np.arctan2(sine, 0.5 * (np.trace(turns, axis1=-2, axis2=-1) - 1.0))
    found: Floats = skew * (0.5 * np.where(sine > 1e-9, angle / np.maximum(sine, 1e-9), 1.0))[..., None]
    return found


def matrix_of(vectors: Floats) -> Floats:
    """The matrices [..., 3, 3] of rotation vectors [..., 3] (Rodrigues)."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    skew = np.zeros((*vectors.shape, 3))
    for row, column, axis, sign in (
        (0, 1, 2, -1),
        (0, 2, 1, 1),
        (1, 0, 2, 1),
        (1, 2, 0, -1),
        (2, 0, 1, -1),
        (2, 1, 0, 1),
    ):
        skew[..., row, column] = sign * vectors[..., axis]
    found: Floats = np.eye(3) + np.sinc(angle / np.pi) * skew + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * (skew @ skew)
    return found


def mean(turns: Floats) -> Floats:
    """The rotation [3, 3] nearest to all of some [n, 3, 3]."""
    left, _, right = np.linalg.svd(turns.mean(axis=0))
    found: Floats = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
    return found


def upright_to(normal: Floats, most: float) -> Floats:
    """The shortest turn [3, 3] that takes straight up to a unit normal [3], by `most` radians at most."""
    axis = np.array([-normal[1], normal[0], 0.0])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3)
    angle = min(float(np.arctan2(sine, normal[2])), most)
    return matrix_of(axis * (angle / sine))
