"""How far a body leans toward its joints' habits: not at all where nothing is dragged, more the farther it is.

Joints settle toward the reference, the pose that the animator made. Dragged far from there, the reference says little
about what fills the rest of the body, and what people do says more. So with d the way of the farthest goal from where
the reference has it, joints settle toward reference + h (habit - reference) with h = strength (1 - exp(-(d / FAR)²)).
A drag that comes back ends where it began, and none begins with a jump.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..solvers import Goal, Pose, Position
from ..solvers.rotation import Floats
from . import rotations
from .rig import Rig

FAR = 0.3  # metres on a person: dragged so far, habits have two thirds of their say


def leaning(rig: Rig, settles: Floats, goals: Sequence[Goal], strength: float) -> Floats:
    """Where the joints settle [variables], given the reference [variables]: that itself where none has a habit."""
    natural = np.isfinite(rig.habits)
    if strength <= 0.0 or not natural.any():
        return settles
    share = strength * (1.0 - math.exp(-((_way(rig, settles, goals) / FAR) ** 2)))
    leant: Floats = np.where(natural, settles + share * (np.where(natural, rig.habits, 0.0) - settles), settles)
    return np.clip(leant, rig.tree.lower, rig.tree.upper)


def _way(rig: Rig, settles: Floats, goals: Sequence[Goal]) -> float:
    """How far the farthest goal is from where the reference has it, in the tree's metres."""
    placed, farthest = rig.tree.pose(settles), 0.0
    for goal in goals:
        if isinstance(goal, Position | Pose):
            body = rig.tree.index(goal.joint)
            turn = rotations.matrices(placed.rotations[body][None])[0]
            there = placed.positions[body] + turn @ np.asarray(goal.point, float)
            wanted = goal.position if isinstance(goal, Pose) else goal.target
            farthest = max(farthest, float(np.linalg.norm(np.asarray(wanted, float) - there)))
    return farthest
