"""Time of the O(N) step against a dense one in numpy: chains and trees of balls, a position goal on every body.

Run with OPENBLAS_NUM_THREADS=1 for numpy on one thread: `python -m posewright.benchmarks.articulated`.
The dense step is Jᵀ W J + D and its solution; its Jacobian comes for free. Times are the least of several, in ms.
"""

import math
import sys
import timeit
from collections.abc import Callable

import numpy as np

from ..compiled import kernel
from ..solvers import goals
from ..solvers.articulated import Articulated, articulated_step, gather_inertia, new_articulated
from ..solvers.coupling import Bools
from ..solvers.evaluation import Evaluation, cost_at, gradient_here
from ..solvers.joints import Ball, Joint
from ..solvers.problem import Problem
from ..solvers.rotation import Floats
from ..solvers.tree import Tree

REPEAT = 20  # steps a call, so that calling from Python (10 µs) does not count


@kernel
def steps(problem: Evaluation, gradient: Floats, damping: Floats, free: Bools, room: Articulated, step: Floats) -> None:
    """The step alone: inertia from the taps, and the two sweeps."""
    for _ in range(20):
        gather_inertia(problem, room)
        articulated_step(problem, gradient, damping, free, room, step)


@kernel
def evaluations(problem: Evaluation, q: Floats, gradient: Floats) -> None:
    """What else an iteration needs: forward kinematics, goals, gradient."""
    for _ in range(20):
        cost_at(problem, q)
        gradient_here(problem, gradient)


def least(work: Callable[[], object], calls: int) -> float:
    """The shortest of several calls, in milliseconds."""
    work()
    return 1e3 * min(timeit.repeat(work, number=1, repeat=calls))


def measure(shape: str, count: int) -> tuple[float, float, float]:
    """Milliseconds of the step, of the evaluation, and of the dense step (NaN where it takes too long)."""
    rest = np.eye(4)
    rest[1, 3] = 0.1
    parents = [index - 1 if shape == "chain" else (index - 1) // 2 for index in range(count // 3)]
    tree = Tree([Joint(f"{i}", f"{p}" if i else None, rest, Ball()) for i, p in enumerate(parents)])
    rng = np.random.default_rng(1)
    places = tree.pose(rng.normal(scale=0.3, size=count)).positions
    problem = Problem(tree, [goals.Position(name, place) for name, place in zip(tree.names, places, strict=True)])
    q, gradient, step, damping = rng.normal(scale=0.3, size=count), *np.zeros((2, count)), np.full(count, 0.01)
    here, free, room = problem.evaluation, np.ones(count, bool), new_articulated(problem.evaluation)
    evaluating = least(lambda: evaluations(here, q, gradient), 20) / REPEAT
    stepping = least(lambda: steps(here, gradient, damping, free, room, step), 20) / REPEAT
    if count > 1000:
        return stepping, evaluating, math.nan
    j, w = problem.jacobian(q), problem.arrays.weight
    dense = least(lambda: np.linalg.solve(j.T @ (w[:, None] * j) + np.diag(damping), -gradient), 10)
    return stepping, evaluating, dense


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"{'':8}{'DOF':>6}{'O(N) step':>12}{'evaluation':>12}{'numpy step':>12}{'times':>8}\n")
    for shape in ("chain", "tree"):
        found = {count: measure(shape, count) for count in (60, 600, 6000)}
        for count, (step, evaluation, dense) in found.items():
            sys.stdout.write(f"{shape:8}{count:6}{step:12.4f}{evaluation:12.4f}{dense:12.3f}{dense / step:8.0f}\n")
        growth = math.log10(found[6000][0] / found[60][0]) / 2.0
        sys.stdout.write(f"{shape}: the step grows as N^{growth:.2f} from 60 to 6000 DOF\n")


if __name__ == "__main__":
    main()
