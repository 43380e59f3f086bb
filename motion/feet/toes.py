"""Toes bend: onto the ground, and up where they would go into it."""

import numpy as np

from ...solvers.rotation import Floats
from . import turns


def bending(joint: Floats, places: Floats, heights: Floats, down: bool = False) -> Floats:
    """The turn [3, 3] about a toe's joint [3] that brings places on it [n, 3] up to heights [n], or down to them."""
    arms = places - joint
    ahead = arms.mean(axis=0) * [1.0, 1.0, 0.0]
    far = float(np.linalg.norm(ahead))
    if far < 1e-6:
        return np.eye(3)
    along = arms @ (ahead / far)
    pitch = np.arctan2(arms[:, 2], along)
    wanted = np.arcsin(np.clip((heights - joint[2]) / np.hypot(along, arms[:, 2]), -1.0, 1.0))
    angle = float((wanted - pitch).max())
    if not down:
        angle = max(angle, 0.0)
    axis = np.array([ahead[1], -ahead[0], 0.0]) / far
    return turns.matrix_of(axis * angle)
