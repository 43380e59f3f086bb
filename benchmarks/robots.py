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
    rng, tree = np.random.default_rng(seed), model.tree
    low = np.where(np.isfinite(tree.lower), tree.lower, -math.pi)
    high = np.where(np.isfinite(tree.upper), tree.upper, math.pi)
    for _ in range(count):
        yield goals_at(model, wanted, rng.uniform(low, high)), rng.uniform(low, high)


def meets(model: Robot, goals: Sequence[ik.Goal], q: Floats) -> bool:
    """Whether a pose is inside the limits and meets all goals: 1e-4 m and 1e-3 rad, by the slow twin."""
    if (q < model.tree.lower).any() or (q > model.tree.upper).any():
        return False
    places = model.forward(q)
    return all(_meets(places, goal) for goal in goals)


def _meets(places: dict[str, Floats], goal: ik.Goal) -> bool:
    assert isinstance(goal, ik.Pose | ik.Position | ik.Orientation | ik.LookAt)
    place = places[goal.joint]
    metres, radians = 0.0, 0.0
    if isinstance(goal, ik.LookAt):
        towards = np.asarray(goal.target) - place[:3, 3]
        cosine = float(towards @ place[:3, :3] @ np.asarray(goal.direction) / np.linalg.norm(towards))
        radians = math.acos(min(max(cosine, -1.0), 1.0))
    if isinstance(goal, ik.Pose | ik.Position):
        target = goal.position if isinstance(goal, ik.Pose) else goal.target
        metres = float(np.linalg.norm(place[:3, 3] - np.asarray(target)))
    if isinstance(goal, ik.Pose | ik.Orientation):
        turn = goal.rotation if isinstance(goal, ik.Pose) else goal.target
        off = naive.matrix_of(np.asarray(turn)).T @ place[:3, :3]
        sine = 0.5 * np.linalg.norm([off[2, 1] - off[1, 2], off[0, 2] - off[2, 0], off[1, 0] - off[0, 1]])
        radians = math.atan2(float(sine), 0.5 * (float(np.trace(off)) - 1.0))
    return metres <= 1e-4 and radians <= 1e-3
