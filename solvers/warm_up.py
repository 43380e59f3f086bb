"""Runs every kernel once on the argument types that the solvers use, so that each is compiled and cached."""

import numpy as np

from . import rotation


def warm_up() -> None:
    """Compile every kernel; the answers are thrown away."""
    q, v = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    rotation.multiply(q, q, np.empty(4))
    rotation.rotate(q, v, np.empty(3))
    rotation.from_rotation_vector(v, np.empty(4))
    rotation.to_rotation_vector(q, np.empty(3))
