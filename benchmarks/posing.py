"""A body of 70 variables with six goals: what one step of a drag takes, in reach and out of reach.

Run: python -m posewright.benchmarks.posing [moves] [seed]. One thread, from Python; medians over the moves.
"""

import dataclasses
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik

Floats = NDArray[np.float64]

GOALS = ("hand.L", "hand.R", "foot.L", "foot.R", "pelvis", "head")


def at(x: float, y: float, z: float) -> Floats:
    """A rest transform: so many metres from the parent."""
    rest = np.eye(4)
    rest[:3, 3] = x, y, z
    return rest


def body() -> ik.Tree:
    """A figure 1.7 m tall: spine, neck, head, arms with two fingers each, legs with toes. Knees and elbows are bent."""
    small, large = ik.Ball((-0.8, 0.9), (-0.8, 0.9), (-0.8, 0.9)), ik.Ball((-1.5, 1.5), (-1.5, 1.5), (-1.5, 1.5))
    joints = [ik.Joint("pelvis", rest=at(0, 0, 1), motion=ik.Free())]
    for i in range(6):
        joints.append(ik.Joint(f"spine{i}", f"spine{i - 1}" if i else "pelvis", at(0, 0.01, 0.08), small))
    joints.append(ik.Joint("neck", "spine5", at(0, 0, 0.1), small))
    joints.append(ik.Joint("head", "neck", at(0, 0, 0.1), small))
    for side, x in ((".L", 1.0), (".R", -1.0)):
        joints.append(ik.Joint("clavicle" + side, "spine5", at(0.05 * x, 0, 0.05), small))
        joints.append(ik.Joint("arm" + side, "clavicle" + side, at(0.12 * x, 0, 0), large))
        elbow = ik.Hinge((0.0, 0.0, x), (0.0, 2.5))
        joints.append(ik.Joint("forearm" + side, "arm" + side, at(0.28 * x, 0, 0), elbow, rest_values=0.8))
        joints.append(ik.Joint("hand" + side, "forearm" + side, at(0.25 * x, 0, 0), small))
        for finger in range(2):
            place = at(0.08 * x, 0.02 * finger, 0)
            joints.append(ik.Joint(f"finger{finger}{side}", "hand" + side, place, ik.Hinge("y", (0.0, 1.5))))
        joints.append(ik.Joint("thigh" + side, "pelvis", at(0.1 * x, 0, 0), large))
        knee = ik.Hinge("x", (0.0, 2.5))
        joints.append(ik.Joint("shin" + side, "thigh" + side, at(0, 0, -0.45), knee, rest_values=0.6))
        joints.append(ik.Joint("foot" + side, "shin" + side, at(0, 0, -0.42), small))
        joints.append(ik.Joint("toe" + side, "foot" + side, at(0, -0.12, -0.05), ik.Hinge("x", (-0.5, 0.9))))
    return ik.Tree(joints)


def moves(tree: ik.Tree, count: int, seed: int, away: float = 0.0) -> Sequence[tuple[ik.Problem, Floats]]:
    """Problems to solve from a start that met the goals before they moved by up to 1 cm, with limits active.

    With `away` (metres) the left hand's goal is moved that much farther from the shoulder, out of reach.
    """
    rng, found = np.random.default_rng(seed), []
    bodies = [tree.index(name) for name in GOALS]
    for _ in range(count):
        start = np.clip(tree.rest + rng.normal(size=len(tree.rest)) * 0.5, tree.lower, tree.upper)
        change, near = rng.normal(size=len(tree.rest)) * 0.01, start
        for _ in range(2):  # a second time, by how much too far the first has gone
            near = np.clip(start + change, tree.lower, tree.upper)
            moved = tree.pose(near).positions[bodies] - tree.pose(start).positions[bodies]
            change *= 0.01 / np.linalg.norm(moved, axis=1).max()
        targets = tree.pose(near).positions[bodies]
        if away:
            shoulder = tree.pose(near).positions[tree.index("arm.L")]
            out = (targets[0] - shoulder) / np.linalg.norm(targets[0] - shoulder)
            targets[0] = shoulder + (0.53 + away) * out
        goals: list[ik.Goal] = [ik.Position(name, target) for name, target in zip(GOALS, targets, strict=True)]
        found.append((ik.Problem(tree, [*goals, ik.Displacement(reference=start, weight=1e-3)]), start))
    return found


def tolerate(cases: Sequence[tuple[ik.Problem, Floats]], metres: float) -> None:
    """Set the tolerance of every position goal."""
    for problem, _ in cases:
        for index in range(len(GOALS)):
            problem.change(index, dataclasses.replace(problem.goals[index], metres=metres))


def report(label: str, cases: Sequence[tuple[ik.Problem, Floats]], solver: str, budget: ik.Budget) -> None:
    """Print medians over the cases."""
    for problem, start in cases:  # each problem makes its room, once
        ik.solve(problem, start, solver, dataclasses.replace(budget, iterations=0))
    results = [ik.solve(problem, start, solver, budget) for problem, start in cases]
    took = 1e3 * np.array([result.seconds for result in results])
    worst = 1e3 * np.array([max(error.metres for error in result.errors[:6]) for result in results])
    ends = {status.value: sum(result.status == status for result in results) for status in ik.Status}
    sys.stdout.write(
        f"{label:42} median {np.median(took):6.3f}  p99 {np.percentile(took, 99):6.3f} ms"
        f"  iterations {np.median([result.iterations for result in results]):5.0f}"
        f"  goals off by {np.median(worst):8.4f} mm  { ({name: n for name, n in ends.items() if n}) }\n"
    )
    sys.stdout.flush()


def main(count: int = 200, seed: int = 1) -> None:
    """Print the table."""
    tree = body()
    near = moves(tree, count, seed)
    apart = [np.linalg.norm(p.residual(q)[:18].reshape(6, 3), axis=1).max() for p, q in near]
    held = [int(((q <= p.tree.lower) | (q >= p.tree.upper)).sum()) for p, q in near]
    sys.stdout.write(
        f"{tree}, six goals, {count} moves of {100 * float(np.median(apart)):.2f} cm (farthest goal, median),"
        f" {float(np.median(held)):.0f} variables begin on a limit, seed {seed}\n"
    )
    for solver, metres in (("levenberg", 1e-4), ("pseudo_dynamics", 1e-4), ("line_search", 1e-3), ("mirror", 1e-3)):
        tolerate(near, metres)
        budget = ik.Budget(iterations=2000, until_reached=True)
        report(f"{solver}, within {1e3 * metres:g} mm", near, solver, budget)
    tolerate(near, 1e-4)
    live = ik.Budget(iterations=500, restarts=0)
    report("auto, live, in reach, to the minimum", near, "auto", live)
    for away in (0.05, 1.0):
        far = moves(tree, count, seed, away)
        label = f"auto, live, a hand {away:g} m out of reach"
        report(label, far, "auto", live)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
