"""LM-PFD's table I: the O(N) steps of `pseudo_dynamics` against a dense Levenberg-Marquardt in numpy.

Run: `python -m posewright.benchmarks.articulated`. Chains and trees of balls, a position goal on every body, whose
target is where it is in a seeded pose. An iteration is all that one takes: kinematics, goals, gradient, step, and
the cost at its end. That of numpy is vectorised (the Jacobian is built from cross products with a mask of who moves
whom, made beforehand) and runs on one thread, which is set below; its forward kinematics come for free. Both go from
the same start with the same rule for the damping, Gauss-Newton's matrix and no limits, so their iterations can be
compared; so can those of `levenberg`'s own matrix. Times are the least of several. The two are timed in turn, in
several rounds, and the quotient is the middle one of the rounds': on a machine that others share, its speed changes
by a half within a minute, and one round alone gave 222 to 537 for what is 260 to 400 in the middle.

Measured with 600 variables: 0.027 to 0.066 ms, of which the step takes two fifths and forward kinematics of rotation
vectors a sixth; as N^0.8 to N^1.0 from 60 to 6,000.
"""

import math
import os
import statistics
import sys
import timeit
from collections.abc import Callable
from typing import NamedTuple

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"  # read when numpy is loaded

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from ..entry import Bound, entry  # noqa: E402
from ..solvers import goals  # noqa: E402
from ..solvers.evaluation import Evaluation  # noqa: E402
from ..solvers.joints import Free, Joint  # noqa: E402
from ..solvers.levenberg import BIAS, GAUSS, MEMORY, NormalRoom, levenberg, new_normal_room  # noqa: E402
from ..solvers.problem import Problem  # noqa: E402
from ..solvers.search import Search, new_search, resume  # noqa: E402
from ..solvers.tree import Tree  # noqa: E402

Floats = NDArray[np.float64]
CONVERGED = 1e-6  # of the gradient's largest part
MOST = 200
ROUNDS = 7


class Asked(NamedTuple):
    """What is asked of a search."""

    iterations: int
    tolerance: float


@entry
def search_on(problem: Evaluation, search: Search, room: NormalRoom, asked: Asked) -> int:
    """So many iterations with Gauss-Newton's matrix. Returns how many were made."""
    resume(problem, search)
    return levenberg(problem, room.there, search, room, asked.iterations, asked.tolerance, False, GAUSS)[1]


def least(work: Callable[[], object], calls: int) -> float:
    """The shortest of several calls, in milliseconds."""
    return 1e3 * min(timeit.repeat(work, number=1, repeat=calls))


class Bench:
    """A chain or a tree of so many variables, and a start."""

    def __init__(self, shape: str, count: int) -> None:
        rest = np.eye(4)
        rest[1, 3] = 0.1
        parents = [index - 1 if shape == "chain" else (index - 1) // 2 for index in range(count // 3)]
        ball = Free((None, None, None))
        self.tree = Tree([Joint(f"{i}", f"{p}" if i else None, rest, ball) for i, p in enumerate(parents)])
        rng = np.random.default_rng(1)
        there = rng.normal(scale=0.05, size=count)
        self.start = there + rng.normal(scale=0.02, size=count)
        self.targets = self.tree.pose(there).positions
        wanted = zip(self.tree.names, self.targets, strict=True)
        self.problem = Problem(self.tree, [goals.Position(name, place) for name, place in wanted])

    def compiled(self, coupled: int) -> tuple[int, float]:
        """Iterations to the minimum, and milliseconds of one: with 0 by sweeps, with -1 by the matrix."""
        here = self.problem.evaluation
        room = new_normal_room(here, used=True, coupled=coupled)
        search = new_search(here, MEMORY)

        whole = search_on.bind(here, search, room, Asked(MOST, CONVERGED))  # as `solve` does it
        nothing = search_on.bind(here, search, room, Asked(0, CONVERGED))

        def run(bound: Bound[int]) -> int:
            search.q[:], search.memory[:] = self.start, 0.0
            return bound()

        needed = run(whole)
        idle = least(lambda: run(nothing), 30)  # evaluating the start: of numpy's, too, it does not count
        return needed, (least(lambda: run(whole), 30) - idle) / needed

    def numpy(self) -> tuple[int, float]:
        """The same of a dense Levenberg-Marquardt in numpy."""
        parent, body = self.tree.arrays.parent, self.tree.arrays.body
        moves = np.eye(len(parent), dtype=bool)
        for index, above in enumerate(parent):
            if above >= 0:
                moves[index] |= moves[above]
        mask = moves[:, body].astype(float)[:, :, None]

        def evaluate(q: Floats) -> tuple[Floats, float]:
            self.problem.cost(q)
            off = self.problem.evaluation.values.residual.copy()
            return off, 0.5 * float(off @ off)

        def jacobian() -> Floats:
            axis, place = self.problem.evaluation.pose.axis, self.problem.evaluation.pose.position
            moved = np.cross(axis[None, :, :3], place[:, None, :]) + axis[None, :, 3:]
            built: Floats = (mask * moved).transpose(0, 2, 1).reshape(-1, len(axis))
            return built

        def iterate(q: Floats, off: Floats, cost: float, state: list[float]) -> tuple[Floats, Floats, float, float]:
            j = jacobian()
            gradient, matrix = j.T @ off, j.T @ j
            if not state:
                state[:] = [cost + BIAS * float(np.abs(np.diag(matrix)).mean()), 2.0]
            while True:
                step = np.linalg.solve(matrix + state[0] * np.eye(len(q)), -gradient)
                there, less = evaluate(q + step)
                ratio = float((cost - less) / -(gradient @ step + 0.5 * step @ matrix @ step))
                if ratio > 0.0:
                    state[:] = [state[0] * max(0.1, 1.0 - (2.0 * ratio - 1.0) ** 3), 2.0]
                    return q + step, there, less, float(np.abs(jacobian().T @ there).max())
                state[:] = [state[0] * state[1], 2.0 * state[1]]

        q, (off, cost), state, made, slope = self.start, evaluate(self.start), list[float](), 0, math.inf
        while slope > CONVERGED and made < MOST:
            q, off, cost, slope = iterate(q, off, cost, state)
            made += 1
        off, cost = evaluate(self.start)
        state = [1.0, 2.0]
        idle = least(lambda: evaluate(self.start), 3) + least(jacobian, 3)  # kinematics; the gradient that ends it
        return made, least(lambda: (evaluate(self.start), iterate(self.start, off, cost, list(state))), 5) - idle


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"{'':8}{'DOF':>6}{'iterations':>12}{'(matrix)':>10}{'(numpy)':>10}")
    sys.stdout.write(f"{'ms each':>10}{'(matrix)':>10}{'(numpy)':>10}{'times':>8}\n")
    for shape in ("chain", "tree"):
        each = {}
        for count in (60, 600, 6000):
            bench = Bench(shape, count)
            matrix, by_matrix = bench.compiled(-1) if count < 1000 else (0, math.nan)
            dense, by_numpy, quotients = 0, math.inf, list[float]()
            needed, each[count] = 0, math.inf
            for _ in range(ROUNDS):
                needed, ours = bench.compiled(0)
                dense, theirs = bench.numpy() if count < 1000 else (0, math.nan)
                each[count], by_numpy = min(each[count], ours), min(by_numpy, theirs)
                quotients.append(theirs / ours)
            sys.stdout.write(f"{shape:8}{count:6}{needed:12}{matrix or '':>10}{dense or '':>10}{each[count]:10.4f}")
            sys.stdout.write(f"{by_matrix:10.3f}{by_numpy:10.2f}{statistics.median(quotients):8.0f}\n")
            sys.stdout.flush()
        growth = math.log10(each[6000] / each[60]) / 2.0
        sys.stdout.write(f"{shape}: an iteration grows as N^{growth:.2f} from 60 to 6000 DOF\n")


if __name__ == "__main__":
    main()
