"""Pure maths on arrays: tree, goals, solvers, kernels. May import numpy and `compiled`, never Blender."""

from .errors import PosewrightError
from .goals import Displacement, Goal, JointValue, Level, LookAt, Orientation, Pose, Position
from .joints import Ball, EulerBall, Fixed, Free, Hinge, Joint, Prismatic, TwoAxis
from .problem import GoalError, Problem
from .solve import Budget, LimitHit, Result, State, Status, solve, step
from .tree import Tree
from .warm_up import warm_up

__all__ = [
    "Ball",
    "Budget",
    "Displacement",
    "EulerBall",
    "Fixed",
    "Free",
    "Goal",
    "GoalError",
    "Hinge",
    "Joint",
    "JointValue",
    "Level",
    "LimitHit",
    "LookAt",
    "Orientation",
    "Pose",
    "PosewrightError",
    "Position",
    "Prismatic",
    "Problem",
    "Result",
    "State",
    "Status",
    "Tree",
    "TwoAxis",
    "solve",
    "step",
    "warm_up",
]
