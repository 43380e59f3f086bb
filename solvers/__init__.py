"""Pure maths on arrays: tree, goals, solvers, kernels. May import numpy and `compiled`, never Blender."""

from .clip import Clip, ClipResult, solve_in_slices, solve_many
from .errors import PosewrightError
from .goals import (
    Balance,
    Box,
    Capsule,
    CentreOfMass,
    Displacement,
    Distance,
    Field,
    Goal,
    Grid,
    JointFunction,
    JointValue,
    Level,
    LookAt,
    Loop,
    Orientation,
    Plane,
    Pose,
    Position,
    Sphere,
    Wire,
)
from .joints import Ball, EulerBall, Fixed, Free, Hinge, Joint, Prismatic, TwoAxis
from .memetic import MemeticOptions
from .problem import GoalError, Problem
from .solutions import solutions
from .solve import Budget, LimitHit, Result, State, Status, solve, step
from .tree import Tree
from .warm_up import warm_up

__all__ = [
    "Balance",
    "Ball",
    "Box",
    "Budget",
    "Capsule",
    "CentreOfMass",
    "Clip",
    "ClipResult",
    "Displacement",
    "Distance",
    "EulerBall",
    "Field",
    "Fixed",
    "Free",
    "Goal",
    "GoalError",
    "Grid",
    "Hinge",
    "Joint",
    "JointFunction",
    "JointValue",
    "Level",
    "LimitHit",
    "LookAt",
    "Loop",
    "MemeticOptions",
    "Orientation",
    "Plane",
    "Pose",
    "PosewrightError",
    "Position",
    "Prismatic",
    "Problem",
    "Result",
    "Sphere",
    "State",
    "Status",
    "Tree",
    "TwoAxis",
    "Wire",
    "solutions",
    "solve",
    "solve_in_slices",
    "solve_many",
    "step",
    "warm_up",
]
