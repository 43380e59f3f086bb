"""Captured people: a BVH clip as arrays, in metres and with z up as Blender has it.

The clips are of the CMU database (mocap.cs.cmu.edu); POSEWRIGHT_DATA names the folder that holds bvh/index.json, which
says of each clip what it is for: `statistics` or `test`. Fingers and thumbs were not captured and are left out, and so
is frame 0, a T-pose that the converter added. Rotations are unit quaternions (w, x, y, z).
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .robots import DATA

Floats = NDArray[np.float64]

UNIT = 0.05644  # metres of one unit of the clips
NOT_CAPTURED = ("Finger", "HandIndex", "Thumb")
STUB = 0.05  # metres: the length of a bone whose joint is at the same place as its children
AXES = {"X": 0, "Y": 1, "Z": 2}
Z_UP = np.array([math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0])  # a quarter turn about x: y becomes z

GOALS = ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head", "Hips")


@dataclass(frozen=True)
class Capture:
    """A clip. F frames, J joints, parents first.

    Attributes:
        heads, tails: [J, 3], where the joints are and where their bones end, in the rest pose.
        local: [F, J, 4], each joint's rotation against its parent; in the rest pose all axes are those of the world.
        rotations: [F, J, 4], the same against the world.
        positions: [F, J, 3], where the joints are.
        seconds: from frame to frame.
    """

    name: str
    description: str
    names: tuple[str, ...]
    parents: tuple[int, ...]
    heads: Floats
    tails: Floats
    local: Floats
    rotations: Floats
    positions: Floats
    seconds: float

    def every(self, step: int) -> "Capture":
        """Every so many frames of it."""
        return replace(self._taken(slice(None, None, step)), seconds=self.seconds * step)

    def first(self, count: int) -> "Capture":
        """Its first frames."""
        return self._taken(slice(count))

    def after(self, count: int) -> "Capture":
        """All but its first frames."""
        return self._taken(slice(count, None))

    def _taken(self, frames: slice) -> "Capture":
        taken = {"local": self.local[frames], "rotations": self.rotations[frames], "positions": self.positions[frames]}
        return replace(self, **taken)  # type: ignore[arg-type]

    def goals(self) -> list[int]:
        """The joints that have a goal: hands, feet, head, pelvis."""
        return [self.names.index(name) for name in GOALS]

    def free(self) -> list[int]:
        """The joints that no goal places, without those that are always at the same place as their parent."""
        return [
            joint
            for joint, parent in enumerate(self.parents)
            if self.names[joint] not in GOALS and parent >= 0 and math.dist(self.heads[joint], self.heads[parent]) > 0.0
        ]


def captures(use: str, step: int = 1) -> list[Capture]:
    """The clips that are for `statistics` or for `test`, every so many frames of them."""
    index = json.loads((DATA / "bvh" / "index.json").read_text(encoding="utf-8"))
    return [
        read_capture(DATA / "bvh" / one["file"], one["description"]).every(step)
        for one in index["clips"]
        if one["use"] == use
    ]


def read_capture(path: Path, description: str = "") -> Capture:
    """Read a BVH file."""
    hierarchy, motion = path.read_text(encoding="utf-8").split("MOTION")
    names, parents, offsets, channels, ends = _joints(hierarchy)
    lines = motion.strip().splitlines()
    seconds = float(lines[1].split(":")[1])
    numbers = np.array([line.split() for line in lines[3:]], float)  # the first two lines of them, then the T-pose
    local, moved, used = np.zeros((len(numbers), len(names), 4)), np.zeros((len(numbers), 3)), 0
    for joint, kinds in enumerate(channels):
        local[:, joint, 0] = 1.0
        for kind in kinds:
            axis, values = AXES[kind[0]], numbers[:, used]
            used += 1
            if kind.endswith("position"):
                assert joint == 0
                moved[:, axis] = values
            else:  # the first channel named is the outermost rotation
                turn = np.zeros((len(numbers), 4))
                turn[:, 0], turn[:, 1 + axis] = np.cos(np.radians(values) / 2), np.sin(np.radians(values) / 2)
                local[:, joint] = product(local[:, joint], turn)
    local = product(product(Z_UP, local), inverse(Z_UP))
    places = UNIT * rotated(Z_UP, np.array(offsets))
    stops = {joint: UNIT * rotated(Z_UP, np.array(end)) for joint, end in ends.items()}
    heads = np.zeros((len(names), 3))
    for joint, parent in enumerate(parents):
        heads[joint] = places[joint] + (heads[parent] if parent >= 0 else 0.0)
    tails = _tails(names, parents, heads, stops)
    rotations, positions = _forward(parents, heads, local, UNIT * rotated(Z_UP, moved))
    kept = [joint for joint, name in enumerate(names) if not any(part in name for part in NOT_CAPTURED)]
    return Capture(
        path.stem,
        description,
        tuple(names[joint] for joint in kept),
        tuple(kept.index(parents[joint]) if parents[joint] >= 0 else -1 for joint in kept),
        heads[kept],
        tails[kept],
        local[:, kept],
        rotations[:, kept],
        positions[:, kept],
        seconds,
    )


def _joints(
    text: str,
) -> tuple[list[str], list[int], list[list[float]], list[list[str]], dict[int, list[float]]]:
    """Names, parents, offsets and channels of the joints, and the end sites by joint."""
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float]] = []
    channels: list[list[str]] = []
    ends: dict[int, list[float]] = {}
    open_joints: list[int] = []  # -1 for an end site
    for words in (line.split() for line in text.splitlines() if line.strip()):
        if words[0] in {"ROOT", "JOINT"}:
            parents.append(open_joints[-1] if open_joints else -1)
            names.append(words[1])
            open_joints.append(len(names) - 1)
        elif words[0] == "End":
            open_joints.append(-1)
        elif words[0] == "}":
            open_joints.pop()
        elif words[0] == "CHANNELS":
            channels.append(words[2:])
        elif words[0] == "OFFSET":
            numbers = [float(word) for word in words[1:]]
            if open_joints[-1] < 0:
                ends[open_joints[-2]] = numbers
            else:
                offsets.append(numbers)
    return names, parents, offsets, channels, ends


def _tails(names: Sequence[str], parents: Sequence[int], heads: Floats, stops: dict[int, Floats]) -> Floats:
    """Where the bones end: at the only child that is elsewhere, at an end site, or after a stub."""
    tails = np.zeros_like(heads)
    for joint, name in enumerate(names):
        below = [child for child, parent in enumerate(parents) if parent == joint]
        if name.endswith("Hand"):  # the wrist's bone ends where the fingers begin
            below = [child for child, one in enumerate(names) if one == name + "Index1"]
        away = [heads[child] for child in below if math.dist(heads[child], heads[joint]) > 0.0]
        if joint in stops:
            tails[joint] = heads[joint] + stops[joint]
        elif len(away) == 1 and len(below) == 1:
            tails[joint] = away[0]
        else:
            along = heads[joint] - heads[parents[joint]] if parents[joint] >= 0 else np.array([0.0, 0.0, 1.0])
            tails[joint] = heads[joint] + STUB * along / np.linalg.norm(along)
    return tails


def _forward(parents: Sequence[int], heads: Floats, local: Floats, moved: Floats) -> tuple[Floats, Floats]:
    """Rotations [F, J, 4] and positions [F, J, 3] in the world."""
    rotations, positions = np.zeros_like(local), np.zeros((*local.shape[:2], 3))
    for joint, parent in enumerate(parents):
        if parent < 0:
            rotations[:, joint], positions[:, joint] = local[:, joint], heads[joint] + moved
        else:
            rotations[:, joint] = product(rotations[:, parent], local[:, joint])
            positions[:, joint] = positions[:, parent] + rotated(rotations[:, parent], heads[joint] - heads[parent])
    return rotations, positions


def product(a: Floats, b: Floats) -> Floats:
    """Quaternion products [..., 4]: first turn by `b`, then by `a`."""
    by_a = (a @ _PRODUCTS).reshape(*a.shape[:-1], 4, 4)
    found: Floats = np.matmul(b[..., None, :], by_a)[..., 0, :]
    return found


# Row i of the matrix for a unit a is a times the unit of place i: [4, 4 · 4], a in the order 1, i, j, k.
_PRODUCTS = np.array(
    [
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        [[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1], [0, 0, -1, 0]],
        [[0, 0, 1, 0], [0, 0, 0, -1], [-1, 0, 0, 0], [0, 1, 0, 0]],
        [[0, 0, 0, 1], [0, 0, 1, 0], [0, -1, 0, 0], [-1, 0, 0, 0]],
    ],
    float,
).reshape(4, 16)


def inverse(q: Floats) -> Floats:
    """Of unit quaternions [..., 4]."""
    turned_back: Floats = q * np.array([1.0, -1.0, -1.0, -1.0])
    return turned_back


def rotated(q: Floats, v: Floats) -> Floats:
    """Vectors [..., 3] turned by unit quaternions [..., 4]."""
    once = 2.0 * np.cross(q[..., 1:], v)
    turned: Floats = v + q[..., :1] * once + np.cross(q[..., 1:], once)
    return turned


def quaternions(matrices: Floats) -> Floats:
    """Unit quaternions [..., 4], w not negative, of rotation matrices [..., 3, 3]."""
    m = np.asarray(matrices, float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    rows = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], axis=-1),
            np.stack([wx, squares[..., 1], xy, xz], axis=-1),
            np.stack([wy, xy, squares[..., 2], yz], axis=-1),
            np.stack([wz, xz, yz, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )  # every row is the quaternion times one of its parts: the largest is the most precise
    largest = squares.argmax(axis=-1)[..., None, None]
    best = np.take_along_axis(rows, largest, axis=-2)[..., 0, :]
    best /= np.linalg.norm(best, axis=-1, keepdims=True)
    found: Floats = np.where(best[..., :1] < 0.0, -best, best)
    return found
