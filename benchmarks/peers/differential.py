"""What pink and mink share: differential inverse kinematics, iterated from the start until every goal is met.

Both libraries give a velocity for one small step of time, by a quadratic programme with the limits as inequalities.
Iterated with the whole error as the step (gain 1) that is Gauss-Newton inside the limits. It is one descent: neither
library begins anew elsewhere.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from posewright import solvers as ik

from ..queries import Answers, Queries, timed
from ..robots import METRES, RADIANS, Floats

STEPS = 100  # the most; 10 ms are over after some 10 to 40
LM_DAMPING = 0.01  # of each task, times its squared error; on Valkyrie, seed 1, best of 0, 0.001, 0.01, 0.1 and 1
NEAR = 0.9  # part of the tolerance to end within: a task's error is not to the last digit the judge's


class Robot(Protocol):
    """A peer's robot with its tasks, one for each goal."""

    def put(self, goals: list[ik.Goal]) -> None:
        """Take in a query's targets."""

    def begin(self, q: Floats) -> None:
        """Go to a pose [variables]."""

    def errors(self) -> list[Floats]:
        """The error of each task here, in metres and radians."""

    def step(self) -> bool:
        """Go on by one step; False where the programme has no answer."""

    def pose(self) -> Floats:
        """The pose here [variables]."""


def descend(queries: Queries, robot: Robot) -> Answers:
    """Iterate each query to the tolerance, or for `STEPS` steps."""
    tree = queries.model.tree
    within = [_tolerance(goal) for goal in queries.goals[0]]

    def is_met() -> bool:
        return all(one(error) for one, error in zip(within, robot.errors(), strict=True))

    def solve(start: Floats) -> tuple[Floats, int]:
        robot.begin(start)
        made = 0
        while made < STEPS and not is_met() and robot.step():
            made += 1
        # the programmes hold limits to some 1e-9, the judge to the last bit
        return np.clip(robot.pose(), tree.lower, tree.upper), made

    return timed(queries, robot.put, solve)


def _tolerance(goal: ik.Goal) -> Callable[[Floats], bool]:
    """Whether a task's error [6], or [3] of a look-at, is within the tolerance of a goal of this kind."""
    if isinstance(goal, ik.LookAt):  # a difference of unit vectors, so radians
        return lambda error: bool(np.linalg.norm(error) <= NEAR * RADIANS)
    metres = NEAR * METRES if isinstance(goal, ik.Pose | ik.Position) else np.inf
    radians = NEAR * RADIANS if isinstance(goal, ik.Pose | ik.Orientation) else np.inf
    return lambda error: bool(np.linalg.norm(error[:3]) <= metres and np.linalg.norm(error[3:]) <= radians)


def costs(goal: ik.Goal) -> tuple[float, float]:
    """What a metre and a radian off cost in a frame task."""
    return float(isinstance(goal, ik.Pose | ik.Position)), float(isinstance(goal, ik.Pose | ik.Orientation))
