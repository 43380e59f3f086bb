"""Runs every kernel once on the argument types that the solvers use, so that each is compiled and cached."""

import numpy as np

from . import goals
from .joints import Ball, EulerBall, Hinge, Joint
from .problem import Problem
from .solutions import solutions
from .solve import SOLVERS, solve
from .tree import Tree


def warm_up() -> None:
    """Compile every kernel; those that only kernels call are compiled into their callers."""
    hinge, ball, euler = Hinge("x", (0.0, 1.0)), Ball(), EulerBall()
    tree = Tree([Joint("a", motion=hinge), Joint("b", "a", motion=ball), Joint("c", "b", motion=euler)])
    problem = Problem(tree, [goals.Position("c", np.zeros(3))])
    start = tree.start()
    tree.pose(start)
    tree.own_rotations(start)
    tree.values(np.zeros((3, 3)), [(1.0, 0.0, 0.0, 0.0)] * 3)
    problem.gradient(start)
    problem.jacobian(start)
    problem.cost(start)
    for solver in SOLVERS:
        solve(problem, start, solver)
    solutions(problem, start, 2)
