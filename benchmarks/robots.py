"""Robots as trees, and random queries to them: goals that a random pose meets, and a random pose to start from.

The robots are JSON files made from their URDF; POSEWRIGHT_DATA names the folder that holds robots/queries.json.
"""

import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik
from posewright.solvers.joints import Kind, Motion
from posewright.tests import naive

Floats = NDArray[np.float64]

DATA = Path(os.environ.get("POSEWRIGHT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
EYE_TO_TARGET = 1.5  # metres


def queries() -> dict[str, Any]:
    """The set-ups of the memetic paper's tables I and II."""
    path = DATA / "robots" / "queries.json"
    if not path.exists():
        sys.exit(f"no robots in {DATA}: set POSEWRIGHT_DATA to the folder that holds robots/queries.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def rest_of(xyz: list[float], rpy: list[float]) -> Floats:
    """URDF's origin as a matrix: about x, then y, then z, all fixed axes."""
    rest = np.eye(4)
    rest[:3, :3] = naive.about(2, rpy[2]) @ naive.about(1, rpy[1]) @ naive.about(0, rpy[0])
    rest[:3, 3] = xyz
    return rest


def limits_of(joint: dict[str, Any]) -> tuple[float, float]:
    """The narrower of hard and soft limits."""
    if joint["type"] == "continuous":
        return -math.inf, math.inf
    soft = joint.get("soft_lower", -math.inf), joint.get("soft_upper", math.inf)
    return max(joint["lower"], soft[0]), min(joint["upper"], soft[1])


@dataclass(frozen=True)
class Robot:
    """The part of a robot that moves some links against a base; each body is called like its link."""

    joints: list[ik.Joint]
    tree: ik.Tree

    def forward(self, q: Floats) -> dict[str, Floats]:
        """Where every link is [4, 4], by the slow twin of the kinematics."""
        return dict(zip(self.tree.names, naive.forward(self.joints, q), strict=True))

    def forward_many(self, q: Floats) -> dict[str, Floats]:
        """Where every link is [n, 4, 4] in each of n poses [n, variables], in numpy; hinges and slides only."""
        placed: dict[str | None, Floats] = {None: np.broadcast_to(np.eye(4), (len(q), 4, 4))}
        column = 0
        for joint in self.joints:
            place = placed[joint.parent] @ np.asarray(joint.rest, float)
            if joint.motion.slots:
                place = place @ _moved(joint.motion, q[:, column])
                column += 1
            placed[joint.name] = place
        return {name: place for name, place in placed.items() if name is not None}

    def span(self) -> tuple[Floats, Floats]:
        """Where variables are drawn from, [variables] each: the limits; without, half a turn either way."""
        tree = self.tree
        low = np.where(np.isfinite(tree.lower), tree.lower, -math.pi)
        return low, np.where(np.isfinite(tree.upper), tree.upper, math.pi)


def _moved(motion: Motion, value: Floats) -> Floats:
    """What a hinge or a slide does, [n, 4, 4], at values [n]: Rodrigues' formula, or a translation."""
    moved = np.broadcast_to(np.eye(4), (len(value), 4, 4)).copy()
    axis = np.array(motion.axis)
    if motion.kind == Kind.SLIDE:
        moved[:, :3, 3] = value[:, None] * axis
        return moved
    assert motion.kind == Kind.HINGE, "robots have hinges and slides"
    k = naive.cross_matrix(axis)
    moved[:, :3, :3] += np.sin(value)[:, None, None] * k + (1.0 - np.cos(value))[:, None, None] * (k @ k)
    return moved


def robot(file: str, base: str, tips: Sequence[str]) -> Robot:
    """Read a robot: only the joints between the base and these links."""
    model = json.loads((DATA / "robots" / file).read_text())
    links, above = model["links"], {joint["child"]: joint for joint in model["joints"]}
    wanted: set[int] = set()
    for tip in tips:
        link = links.index(tip)
        while link != links.index(base):
            wanted.add(link)
            link = above[link]["parent"]
    joints, left = [], sorted(wanted)
    while left:  # parents first
        link = next(one for one in left if above[one]["parent"] not in left)
        left.remove(link)
        joint = above[link]
        moving = ik.Prismatic if joint["type"] == "prismatic" else ik.Hinge
        motion = ik.Fixed() if joint["type"] == "fixed" else moving(joint["axis"], limits_of(joint))
        parent = links[joint["parent"]] if joint["parent"] in wanted else None
        joints.append(ik.Joint(links[link], parent, rest_of(joint["origin_xyz"], joint["origin_rpy"]), motion))
    return Robot(joints, ik.Tree(joints))


def redundant_arm(joints: int, planar: bool) -> Robot:
    """An arm of that many hinges and 1 m in all, each free by a quarter turn either way.

    A planar one turns about z throughout; a spatial one about z and y in turn. The last body is `tip`.
    """
    step = np.eye(4)
    step[0, 3] = 1.0 / joints  # metres
    made = []
    for index in range(joints):
        axis = "z" if planar or index % 2 == 0 else "y"
        rest, parent = (step, f"link {index - 1}") if index else (np.eye(4), None)
        made.append(ik.Joint(f"link {index}", parent, rest, ik.Hinge(axis, (-math.pi / 2, math.pi / 2))))
    made.append(ik.Joint("tip", f"link {joints - 1}", step, ik.Fixed()))
    return Robot(made, ik.Tree(made))


def goals_at(model: Robot, wanted: Sequence[dict[str, Any]], q: Floats) -> list[ik.Goal]:
    """Goals of the wanted kinds that the pose `q` meets."""
    pose, goals = model.tree.pose(q), list[ik.Goal]()
    for one in wanted:
        link, body = one["link"], model.tree.index(one["link"])
        place, turn = pose.positions[body], pose.rotations[body]
        if one["type"] == "pose":
            goals.append(ik.Pose(link, place, turn))
        elif one["type"] == "position":
            goals.append(ik.Position(link, place))
        elif one["type"] == "orientation":
            goals.append(ik.Orientation(link, turn))
        else:
            ahead = naive.matrix_of(turn) @ np.array(one["axis"])
            goals.append(ik.LookAt(link, place + EYE_TO_TARGET * ahead, direction=one["axis"]))
    return goals


def random_queries(
    model: Robot, wanted: Sequence[dict[str, Any]], count: int, seed: int
) -> Iterator[tuple[list[ik.Goal], Floats]]:
    """Goals and a start, so many times; joints without limits are drawn from half a turn either way."""
    rng = np.random.default_rng(seed)
    low, high = model.span()
    for _ in range(count):
        yield goals_at(model, wanted, rng.uniform(low, high)), rng.uniform(low, high)


METRES, RADIANS = 1e-4, 1e-3  # how far off a goal still counts as met: the memetic paper's, section IV-B


def meets(model: Robot, goals: Sequence[ik.Goal], q: Floats) -> bool:
    """Whether a pose is inside the limits and meets all goals, by the slow twin."""
    if (q < model.tree.lower).any() or (q > model.tree.upper).any():
        return False
    places = {name: place[None] for name, place in model.forward(q).items()}
    return all(bool(_met(places, [goal])[0]) for goal in goals)


def meets_each(model: Robot, goals: Sequence[Sequence[ik.Goal]], q: Floats) -> NDArray[np.bool_]:
    """`meets` of n queries at once [n]: the goals of each, and a pose for each [n, variables], in numpy.

    The first few are asked of `meets` as well, and must agree.
    """
    inside = (q >= model.tree.lower) & (q <= model.tree.upper)
    met: NDArray[np.bool_] = np.logical_and.reduce(inside, axis=1)
    places = model.forward_many(q)
    for index in range(len(goals[0])):
        met &= _met(places, [one[index] for one in goals])
    for one, pose, is_met in zip(goals[:5], q, met, strict=False):
        assert meets(model, one, pose) == is_met, "the two judges disagree"
    return met


def _met(places: dict[str, Floats], goals: Sequence[ik.Goal]) -> NDArray[np.bool_]:
    """Whether each of n goals, all of one kind and on one link, is met where the links are [n, 4, 4]."""
    first = goals[0]
    assert isinstance(first, ik.Pose | ik.Position | ik.Orientation | ik.LookAt)
    place = places[first.joint]
    met = np.ones(len(goals), bool)
    if isinstance(first, ik.LookAt):
        towards = np.array([goal.target for goal in goals]) - place[:, :3, 3]  # type: ignore[attr-defined]
        towards /= np.linalg.norm(towards, axis=1, keepdims=True)
        ahead = place[:, :3, :3] @ np.asarray(first.direction, float)
        sine, cosine = np.linalg.norm(np.cross(ahead, towards), axis=1), (ahead * towards).sum(axis=1)
        met &= np.arctan2(sine, cosine) <= RADIANS
    if isinstance(first, ik.Pose | ik.Position):
        name = "position" if isinstance(first, ik.Pose) else "target"
        target = np.array([getattr(goal, name) for goal in goals], float)
        met &= np.linalg.norm(place[:, :3, 3] - target, axis=1) <= METRES
    if isinstance(first, ik.Pose | ik.Orientation):
        name = "rotation" if isinstance(first, ik.Pose) else "target"
        turn = matrices_of(np.array([getattr(goal, name) for goal in goals], float))
        off = turn.transpose(0, 2, 1) @ place[:, :3, :3]
        twice = off[:, [2, 0, 1], [1, 2, 0]] - off[:, [1, 2, 0], [2, 0, 1]]  # 2 sin(angle) · axis
        cosine = 0.5 * (np.trace(off, axis1=1, axis2=2) - 1.0)
        met &= np.arctan2(0.5 * np.linalg.norm(twice, axis=1), cosine) <= RADIANS
    return met


def matrices_of(turns: Floats) -> Floats:
    """The rotation matrices [n, 3, 3] of unit quaternions [n, 4]."""
    w, v = turns[:, 0, None, None], turns[:, 1:]
    cross = np.zeros((len(turns), 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]], cross[:, [1, 2, 0], [2, 0, 1]] = v, -v
    matrices: Floats = np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross
    return matrices
