"""Pure maths on arrays: tree, goals, solvers, kernels. May import numpy and `compiled`, never Blender."""

from .errors import PosewrightError
from .goals import Displacement, Goal, JointValue, Level, LookAt, Orientation, Pose, Position
from .joints import Ball, EulerBall, Fixed, Free, Hinge, Joint, Prismatic, TwoAxis
from .problem import GoalError, Problem
from .tree import Tree
from .warm_up import warm_up

__all__ = [
    "Ball",
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
    "LookAt",
    "Orientation",
    "Pose",
    "PosewrightError",
    "Position",
    "Prismatic",
    "Problem",
    "Tree",
    "TwoAxis",
    "warm_up",
]
