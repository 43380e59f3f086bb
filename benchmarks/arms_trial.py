"""Bio-IK's table I: six arms, random targets and starts; the memetic solver beside a multi-start of its own L-BFGS.

Run: python -m posewright.benchmarks.arms_trial [queries a robot] [seed]. Targets are forward kinematics of uniform
random joints, starts uniform random joints; within 1e-4 m and 1e-3 rad and inside the limits counts as solved, more
than 10 ms as failed. Joints without limits are drawn from half a turn either way.
"""

import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posewright.compiled import kernel
from posewright.solvers import Fixed, Hinge, Joint, Pose, Prismatic, Problem, Tree
from posewright.solvers.chance import new_chance, uniform
from posewright.solvers.evaluation import Evaluation
from posewright.solvers.lbfgs import REACHED, Descent, begin_descent, descend, new_descent
from posewright.solvers.memetic import MemeticOptions, begin, restart, step

Floats = NDArray[np.float64]
Solve = Callable[[Problem, Floats, int], Floats]

DATA = Path(os.environ.get("POSEWRIGHT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
TOO_LONG = 0.010  # seconds
GENERATIONS = 5000  # more than fit into TOO_LONG


def rest_of(xyz: list[float], rpy: list[float]) -> Floats:
    """URDF's origin as a matrix: about x, then y, then z, all fixed axes."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    rest = np.eye(4)
    rest[:3, :3] = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    rest[:3, 3] = xyz
    return rest


def limits_of(joint: dict[str, Any]) -> tuple[float, float]:
    """The narrower of hard and soft limits."""
    if joint["type"] == "continuous":
        return -math.inf, math.inf
    soft = joint.get("soft_lower", -math.inf), joint.get("soft_upper", math.inf)
    return max(joint["lower"], soft[0]), min(joint["upper"], soft[1])


def chain(robot: dict[str, Any], base: str, tip: str) -> Tree:
    """The joints between two links, as a tree."""
    links, above = robot["links"], {joint["child"]: joint for joint in robot["joints"]}
    path: list[dict[str, Any]] = []
    link = links.index(tip)
    while link != links.index(base):
        path.insert(0, above[link])
        link = above[link]["parent"]
    joints = []
    for index, joint in enumerate(path):
        moving = Prismatic if joint["type"] == "prismatic" else Hinge
        motion = Fixed() if joint["type"] == "fixed" else moving(joint["axis"], limits_of(joint))
        rest = rest_of(joint["origin_xyz"], joint["origin_rpy"])
        joints.append(Joint(joint["name"], path[index - 1]["name"] if index else None, rest, motion))
    return Tree(joints)


@kernel
def multi_start(problem: Evaluation, room: Descent, chance: NDArray[np.int64], start: Floats, starts: int) -> None:
    """L-BFGS from `start`, then from random poses, until one reaches the goals; `start` is overwritten."""
    for _ in range(starts):
        begin_descent(room, start)
        if descend(problem, room, 100, True) == REACHED:
            return
        for i in range(start.shape[0]):
            low = problem.lower[i] if problem.lower[i] > -math.inf else -math.pi
            high = problem.upper[i] if problem.upper[i] < math.inf else math.pi
            start[i] = low + uniform(chance) * (high - low)


def memetic_solver(problem: Problem) -> Solve:
    """The memetic solver, in room made once."""
    state = begin(problem, problem.tree.start(), MemeticOptions())

    def solve(problem: Problem, start: Floats, seed: int) -> Floats:
        restart(problem, state, start, seed)
        step(problem, state, GENERATIONS)
        return state.best

    return solve


def multi_start_solver(problem: Problem) -> Solve:
    """Plain multi-start, in room made once."""
    room = new_descent(len(problem.tree.variables))

    def solve(problem: Problem, start: Floats, seed: int) -> Floats:
        multi_start(problem.evaluation, room, new_chance(seed), start.copy(), 300)
        return room.q

    return solve


def run(tree: Tree, make: Callable[[Problem], Solve], queries: int, seed: int) -> tuple[float, float, float]:
    """Share solved, mean and longest milliseconds of one solver on one arm."""
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(tree.lower), tree.lower, -math.pi)
    high = np.where(np.isfinite(tree.upper), tree.upper, math.pi)
    problem = Problem(tree, [Pose(tip := tree.names[-1], np.zeros(3), (1.0, 0.0, 0.0, 0.0))])
    solve = make(problem)
    solve(problem, tree.start(), 0)  # compiles
    solved, seconds = 0, np.zeros(queries)
    for query in range(queries):
        pose = tree.pose(rng.uniform(low, high))
        start = rng.uniform(low, high)
        problem.change(0, Pose(tip, pose.positions[-1], pose.rotations[-1]))
        began = time.perf_counter()
        q = solve(problem, start, seed + query)
        seconds[query] = time.perf_counter() - began
        inside = bool((q >= tree.lower).all() and (q <= tree.upper).all())
        solved += inside and problem.errors(q)[0].reached and seconds[query] <= TOO_LONG
    return 100.0 * solved / queries, 1e3 * float(seconds.mean()), 1e3 * float(seconds.max())


def main(queries: int = 1000, seed: int = 1) -> None:
    """Print the table."""
    if not (DATA / "robots" / "queries.json").exists():
        sys.exit(f"no robots in {DATA}: set POSEWRIGHT_DATA to the folder that holds robots/queries.json")
    sys.stdout.write(f"{queries} queries a robot, seed {seed}, one thread; solved %, mean ms, longest ms\n")
    for setup in json.loads((DATA / "robots" / "queries.json").read_text())["table1"]:
        tree = chain(json.loads((DATA / "robots" / setup["file"]).read_text()), setup["base"], setup["tip"])
        found = [run(tree, make, queries, seed) for make in (memetic_solver, multi_start_solver)]
        cells = [
            f"{name} {one[0]:7.3f} {one[1]:6.3f} {one[2]:6.2f}"
            for name, one in zip(("memetic", "multi-start"), found, strict=True)
        ]
        sys.stdout.write(f"{setup['label']:22} {len(tree.variables)}  " + "   ".join(cells) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
