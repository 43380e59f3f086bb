"""LM-PFD's musculoskeletal figure: 155 variables, 338 wires and 34 markers, frame after frame from the last pose.

Run: `python -m posewright.benchmarks.wires [frames] [seed]`. The figure is made up, its counts are the paper's: spine,
limbs, fingers and toes with limits, and wires of 3 to 6 points from a body to those above it, one in five on into
another branch, as a pectoral runs from the upper arm to the ribs. Half of them are a little shorter than the motion
wants. Markers follow a pose that every variable swings in: first with what the wires do not allow taken out of it, then
as it is. With levels, goals are held by multipliers against posture, and against one another where not all can be met;
without, the answer is the paper's, the least weighted sum of squares. Times are those of the public `solve`, of each
frame the least of three: on a shared machine other programs interrupt one in ten.
"""

import statistics
import sys
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..solvers import (
    Ball,
    Budget,
    Displacement,
    Free,
    Hinge,
    Joint,
    Position,
    Prismatic,
    Problem,
    Tree,
    TwoAxis,
    Wire,
    solve,
)
from ..solvers.joints import Motion

Floats = NDArray[np.float64]

WIRES, MARKERS = 338, 34
SHORT, FORKING = 0.5, 0.2  # part of the wires that are too short; that run on into another branch
RATE = 60.0  # frames a second
SWING, TURN = 0.15, 0.5  # how far variables swing (radians; metres: a tenth), how often a second


def at(x: float, y: float, z: float) -> Floats:
    """A rest transform that only moves."""
    rest = np.eye(4)
    rest[:3, 3] = x, y, z
    return rest


def figure() -> Tree:
    """A body of 155 variables, 1.7 m tall, facing -y."""
    joints = [Joint("pelvis", None, at(0, 0, 0.95), Free())]

    def add(name: str, parent: str, place: tuple[float, float, float], motion: Motion) -> str:
        joints.append(Joint(name, parent, at(*place), motion))
        return name

    def ball(most: float) -> Motion:
        return Ball((-most, most), (-most, most), (-most, most))

    above = "pelvis"
    for i in range(8):
        above = add(f"spine{i}", above, (0, 0, 0.06), ball(0.3))
    ribs = above
    for i in range(3):
        above = add(f"neck{i}", above, (0, 0, 0.04), ball(0.4))
    head = add("head", above, (0, 0, 0.04), ball(0.5))
    add("jaw", head, (0, -0.05, 0.02), Hinge("x", (0.0, 0.6)))
    for side, x in (("l", 1.0), ("r", -1.0)):
        clavicle = add(f"clavicle.{side}", ribs, (0.03 * x, -0.05, 0.02), TwoAxis("YZ", (-0.5, 0.5), (-0.5, 0.5)))
        scapula = add(f"scapula.{side}", clavicle, (0.13 * x, 0.05, 0), ball(0.6))
        upper = add(f"humerus.{side}", scapula, (0.03 * x, 0, -0.02), ball(1.8))
        lower = add(f"ulna.{side}", upper, (0.29 * x, 0, 0), Hinge("z", (-2.5, 2.5)))
        radius = add(f"radius.{side}", lower, (0.02 * x, 0, 0), Hinge("x", (-1.5, 1.5)))
        hand = add(f"hand.{side}", radius, (0.24 * x, 0, 0), TwoAxis("YZ", (-1.2, 1.2), (-0.6, 0.6)))
        for f in range(5):
            finger = TwoAxis("YZ", (-1.5, 1.5), (-0.3, 0.3))
            one = add(f"finger{f}a.{side}", hand, (0.08 * x, 0.04 - 0.02 * f, 0), finger)
            two = add(f"finger{f}b.{side}", one, (0.04 * x, 0, 0), Hinge("y", (-1.7, 1.7)))
            add(f"finger{f}c.{side}", two, (0.025 * x, 0, 0), Hinge("y", (-1.4, 1.4)))
        thigh = add(f"femur.{side}", "pelvis", (0.09 * x, 0, -0.06), ball(1.5))
        shin = add(f"tibia.{side}", thigh, (0, 0, -0.42), Hinge("x", (-0.1, 2.5)))
        add(f"patella.{side}", shin, (0, -0.05, 0), Prismatic("z", (-0.03, 0.03)))
        talus = add(f"talus.{side}", shin, (0, 0, -0.4), TwoAxis("XZ", (-0.8, 0.8), (-0.4, 0.4)))
        heel = add(f"heel.{side}", talus, (0, 0, -0.03), Hinge("y", (-0.4, 0.4)))
        foot = add(f"foot.{side}", heel, (0, -0.07, -0.02), Hinge("x", (-0.3, 0.3)))
        for t in range(5):
            toe = add(f"toe{t}a.{side}", foot, (0.02 * t - 0.04, -0.08, 0), TwoAxis("XZ", (-0.7, 0.7), (-0.2, 0.2)))
            add(f"toe{t}b.{side}", toe, (0, -0.03, 0), Hinge("x", (-0.8, 0.8)))
    return Tree(joints)


def route(tree: Tree, rng: np.random.Generator) -> list[int]:
    """The bodies a wire runs along: from one upwards, and sometimes down again into another branch."""
    parent = tree.arrays.parent
    while True:
        path = [int(rng.integers(1, len(parent)))]
        while parent[path[-1]] >= 0 and len(path) < int(rng.integers(2, 5)):
            path.append(int(parent[path[-1]]))
        others = [body for body in np.flatnonzero(parent == path[-1]).tolist() if body not in path]
        if others and rng.random() < FORKING:
            path.append(int(rng.choice(others)))
        if len(path) >= 2:
            return path


def wires(tree: Tree, pose: Floats, rng: np.random.Generator) -> list[Wire]:
    """Wires by 3 to 6 points near the bones, some shorter than the `pose` [V] would have them."""
    found = []
    for _ in range(WIRES):
        path = route(tree, rng)
        count = max(len(path), int(rng.integers(3, 7)))
        bodies = np.sort(np.concatenate([np.arange(len(path)), rng.integers(0, len(path), count - len(path))]))
        points = [(tree.names[path[i]], rng.normal(scale=0.02, size=3)) for i in bodies]
        length = Problem(tree, [Wire(points, 0.0)]).residual(pose)[0]
        change = -rng.uniform(0.0, 0.03) if rng.random() < SHORT else rng.uniform(0.05, 0.3)
        found.append(Wire(points, length * (1.0 + change)))
    return found


def motion(tree: Tree, frames: int, rng: np.random.Generator) -> Floats:
    """A pose for every frame [frames, V]: each variable swings about its own middle, within its limits."""
    wide = np.array([0.1 * SWING if one.unit == "m" else SWING for one in tree.variables])
    wide = np.minimum(wide, 0.45 * (tree.upper - tree.lower))
    low, high = np.maximum(tree.lower, -2.0 * wide), np.minimum(tree.upper, 2.0 * wide)
    middle = rng.uniform(low + wide, np.maximum(high - wide, low + wide))
    turns = TURN * np.arange(frames)[:, None] / RATE + rng.uniform(0.0, 1.0, len(low))
    swung: Floats = middle + wide * np.sin(2.0 * np.pi * turns)
    return swung


def allowed(tree: Tree, held: list[Wire], poses: Floats) -> Floats:
    """The poses [frames, V] nearest to those given that no wire is too short for, to a hundredth of a millimetre."""
    strong = [replace(wire, weight=1e5) for wire in held]
    problem, q, found = Problem(tree, [*strong, Displacement(weight=1.0)]), poses[0], []
    for pose in poses:
        problem.change(len(held), Displacement(reference=pose, weight=1.0))
        # Strong wires set the scale of a gradient: at the usual 1e-7 of it, two frames in three would stand still.
        q = solve(problem, q, "levenberg", Budget(levels=False, gradient=1e-12)).q
        found.append(q)
    return np.array(found)


class Figure:
    """The problem, and where its markers, goals 0 to 33, are in each frame."""

    def __init__(self, frames: int, seed: int, possible: bool) -> None:
        self.tree, rng = figure(), np.random.default_rng(seed)
        poses = motion(self.tree, frames, rng)
        bodies = rng.choice(len(self.tree.names), MARKERS, replace=False)
        self.markers = [
            Position(self.tree.names[i], (0.0, 0.0, 0.0), point=rng.normal(scale=0.03, size=3)) for i in bodies
        ]
        held = wires(self.tree, poses[0], rng)
        self.problem = Problem(self.tree, [*self.markers, *held, Displacement(weight=1e-4)])
        if possible:
            poses = allowed(self.tree, held, poses)
        measured = Problem(self.tree, self.markers)
        self.places = [measured.residual(pose).reshape(-1, 3) for pose in poses]

    def put(self, frame: int) -> None:
        """Move every marker to where it is in a frame."""
        for index, (marker, place) in enumerate(zip(self.markers, self.places[frame], strict=True)):
            self.problem.change(index, replace(marker, target=place))


def measure(solver: str, levels: bool, possible: bool, frames: int, seed: int) -> str:
    """A line of the table: each frame solved from the last one's pose, the first from the rest pose and not counted."""
    body = Figure(frames + 1, seed, possible)
    q, times, iterations, taut, ends = None, [], [], [], set()
    for frame in range(frames + 1):
        body.put(frame)
        result = solve(body.problem, q, solver, Budget(levels=levels))
        times.append(
            1e3 * min(result.seconds, *(solve(body.problem, q, solver, Budget(levels=levels)).seconds for _ in "12"))
        )
        q = result.q
        iterations.append(result.iterations)
        taut.append(float((body.problem.residual(q)[3 * MARKERS : 3 * MARKERS + WIRES] > 0.0).mean()))
        if frame > 0:
            ends.add(result.status.value)
    how = f"{solver:18}{'possible' if possible else 'not':>10}{'yes' if levels else 'no':>8}{min(taut[1:]):8.0%}"
    count = f"{statistics.median(iterations[1:]):12.0f}{max(iterations[1:]):8}"
    spent = f"{statistics.median(times[1:]):12.2f}{max(times[1:]):8.2f}"
    return f"{how}{count}{spent}   {', '.join(sorted(ends))}\n"


def main(frames: int = 50, seed: int = 1) -> None:
    """Print the table."""
    tree = figure()
    sys.stdout.write(f"{len(tree.variables)} DOF, {WIRES} wires, {MARKERS} markers, {frames} frames, seed {seed}\n")
    heads = f"{'solver':18}{'markers':>10}{'levels':>8}{'taut':>8}{'iterations':>12}{'most':>8}"
    sys.stdout.write(f"{heads}{'median ms':>12}{'worst':>8}\n")
    for possible in (True, False):
        for levels in (True, False):
            for solver in ("pseudo_dynamics", "levenberg"):
                sys.stdout.write(measure(solver, levels, possible, frames, seed))
                sys.stdout.flush()


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
