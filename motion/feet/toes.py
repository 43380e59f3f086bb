"""Toes bend: onto the ground, and up where they would go into it."""

import numpy as np

from ...solvers.rotation import Floats
from . import turns
from .walk import Foot


def hinge_of(foot: Foot, turn: Floats, ahead: Floats) -> Floats:
    """The axis [3] about which the toe of a foot that is turned so [3, 3] bends: its own, or level across its way."""
    across = np.array([ahead[1], -ahead[0], 0.0])
    found: Floats = across / max(float(np.linalg.norm(across)), 1e-9) if foot.hinge is None else turn @ foot.hinge
    return found


def bending(joint: Floats, hinge: Floats, places: Floats, heights: Floats, down: bool = False) -> Floats:
    """The turn [3, 3] about a toe's joint [3] that brings places on it [n, 3] up to heights [n], or down to them.

    A place that turns about an axis by an angle a is at the height c + r sin(a + p).
    """
    arms = places - joint
    across = arms - np.outer(arms @ hinge, hinge)
    rises = np.cross(hinge, across)[:, 2]
    if rises.mean() < 0.0:
        hinge, rises = -hinge, -rises
    radius = np.maximum(np.hypot(across[:, 2], rises), 1e-9)
    level = joint[2] + (arms @ hinge) * hinge[2]
    angle = float((np.arcsin(np.clip((heights - level) / radius, -1.0, 1.0)) - np.arctan2(across[:, 2], rises)).max())
    return turns.matrix_of(hinge * (angle if down else max(angle, 0.0)))
