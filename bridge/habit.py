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


class Leaning:
    """What is made of a reference pose once: it stays the same during a drag, and 0.35 ms a step are saved.

    Attributes:
        settles: [variables], the reference.
    """

    def __init__(self, rig: Rig, settles: Floats) -> None:
        self.settles, self._rig = settles, rig
        natural = np.isfinite(rig.habits)
        self._any = bool(natural.any())
        inside = np.clip(np.where(natural, rig.habits, settles), rig.tree.lower, rig.tree.upper)
        self._way = np.where(natural, inside - settles, 0.0)  # from the reference to the habits
        self._placed = rig.tree.pose(settles) if self._any else None
        self._there: dict[tuple[object, ...], tuple[float, ...]] = {}

    def toward(self, goals: Sequence[Goal], strength: float) -> Floats:
        """Where the joints settle [variables]: the reference itself where none has a habit."""
        if strength <= 0.0 or not self._any:
            return self.settles
        share = strength * (1.0 - math.exp(-((self._farthest(goals) / FAR) ** 2)))
        return self.settles + share * self._way

    def _farthest(self, goals: Sequence[Goal]) -> float:
        """How far the farthest goal is from where the reference has it, in the tree's metres."""
        farthest = 0.0
        for goal in goals:
            if isinstance(goal, Position | Pose):
                wanted = goal.position if isinstance(goal, Pose) else goal.target
                place, point = (tuple(np.asarray(one, float).tolist()) for one in (wanted, goal.point))
                farthest = max(farthest, math.dist(place, self._place(goal.joint, point)))
        return farthest

    def _place(self, joint: str, point: tuple[float, ...]) -> tuple[float, ...]:
        found = self._there.get((joint, point))
        if found is None:
            assert self._placed is not None
            body = self._rig.tree.index(joint)
            turn = rotations.matrices(self._placed.rotations[body][None])[0]
            found = tuple((self._placed.positions[body] + turn @ np.array(point)).tolist())
            self._there[joint, point] = found
        return found
