"""Slow, obvious twins of the kernels, and random trees to compare them on."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from posewright.solvers.joints import (
    ORDERS,
    Ball,
    EulerBall,
    Fixed,
    Free,
    Hinge,
    Joint,
    Kind,
    Motion,
    Prismatic,
    TwoAxis,
)
from posewright.solvers.tree import Tree

Floats = NDArray[np.float64]


def cross_matrix(v: Floats) -> Floats:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turn(vector: Floats) -> Floats:
    """Rodrigues' formula: the rotation matrix [3, 3] of a rotation vector [3]."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    k = cross_matrix(vector / angle)
    result: Floats = np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k
    return result


def about(axis: int, angle: float) -> Floats:
    return turn(np.eye(3)[axis] * angle)


def matrix_of(q: Floats) -> Floats:
    """The rotation matrix [3, 3] of a unit quaternion [4]."""
    w, v = q[0], cross_matrix(q[1:])
    result: Floats = np.eye(3) + 2.0 * w * v + 2.0 * v @ v
    return result


def swing_parts(kind: Kind, x: float, z: float, motion: Motion) -> tuple[float, float]:
    """The x and z parts of the swing's quaternion, in the words of the design."""
    u, v = math.sin(x / 2), math.sin(z / 2)
    if kind == Kind.SWING_X_FIRST:
        return u, math.cos(x / 2) * v
    if kind == Kind.SWING_Z_FIRST:
        return math.cos(z / 2) * u, v
    (x_low, x_high), (z_low, z_high) = (motion.slots[0].limits or (0, 0)), (motion.slots[2].limits or (0, 0))
    a = math.sin((x_high if u > 0 else -x_low) / 2)
    b = math.sin((z_high if v > 0 else -z_low) / 2)
    across_x = (v / b) ** 2 if v else 0.0
    across_z = (u / a) ** 2 if u else 0.0
    return u * math.sqrt(max(0.0, 1 - across_x / 2)), v * math.sqrt(max(0.0, 1 - across_z / 2))


def local_motion(joint: Joint, q: list[float]) -> Floats:
    """The joint's own transform [4, 4]; takes its variables from the front of `q`."""
    motion = joint.motion

    def value(name: str, free: bool) -> float:
        return q.pop(0) if free else joint.held.get(name, 0.0)

    moved = [value(slot.name, slot.limits is not None) for slot in motion.translation]
    turned = [value(slot.name, slot.limits is not None) for slot in motion.slots]
    result = np.eye(4)
    result[: len(moved), 3] = moved
    axis = np.array(motion.axis)
    if motion.kind == Kind.HINGE:
        result[:3, :3] = turn(axis * turned[0])
    elif motion.kind == Kind.SLIDE:
        result[:3, 3] += axis * turned[0]
    elif motion.kind == Kind.EULER:
        for letter in ORDERS[motion.order]:
            index = "XYZ".index(letter)
            result[:3, :3] = about(index, turned[index]) @ result[:3, :3]
    elif motion.kind == Kind.VECTOR:
        result[:3, :3] = turn(np.array(turned))
    elif motion.kind != Kind.NONE:
        x, twist, z = turned
        sx, sz = swing_parts(motion.kind, x, z, motion)
        swing = matrix_of(np.array([math.sqrt(max(0.0, 1 - sx * sx - sz * sz)), sx, 0.0, sz]))
        result[:3, :3] = swing @ about(1, twist)
    return result


def forward(joints: list[Joint], q: Floats) -> list[Floats]:
    """The transform [4, 4] of every body."""
    left = q.tolist()
    placed: dict[str | None, Floats] = {None: np.eye(4)}
    for joint in joints:
        rest = np.asarray(joint.rest, float)
        above = placed[joint.parent] @ rest
        if joint.steady:
            above[:3, :3] = rest[:3, :3]
        placed[joint.name] = above @ local_motion(joint, left)
    assert not left
    return [placed[joint.name] for joint in joints]


def random_motion(rng: np.random.Generator) -> Motion:
    def limits(widest: float = 2.5) -> tuple[float, float]:
        return -float(rng.uniform(0.1, widest)), float(rng.uniform(0.1, widest))

    free = (-math.inf, math.inf)
    motions: list[Callable[[], Motion]] = [
        Fixed,
        lambda: Hinge(rng.normal(size=3).tolist(), limits()),
        lambda: Hinge("z"),
        lambda: Prismatic(rng.normal(size=3).tolist(), limits(0.5)),
        lambda: TwoAxis(str(rng.choice(["XY", "XZ", "YX", "YZ", "ZX", "ZY"])), limits(), limits()),
        lambda: EulerBall(str(rng.choice(ORDERS)), limits(), limits(1.4), limits()),
        lambda: Ball(limits(), limits(), limits()),
        lambda: Ball(limits(), limits(), limits(), region="box"),
        lambda: Ball(limits(), free, limits()),
        lambda: Ball(free, limits(), free),
        lambda: Ball(limits(), None, limits()),
        lambda: Ball(None, limits(), None),
        lambda: Ball(limits(), limits(), None, translation=(limits(0.3), None, limits(0.3))),
        Ball,
        Free,
        lambda: Free((None, free, None)),
    ]
    return motions[int(rng.integers(len(motions)))]()


def random_rest(rng: np.random.Generator) -> Floats:
    rest = np.eye(4)
    rest[:3, :3] = turn(rng.normal(size=3) * rng.choice([0.0, 1.0, math.pi / 2]))
    rest[:3, 3] = rng.normal(size=3) * rng.choice([0.0, 0.3])
    return rest


def random_joints(seed: int, count: int) -> list[Joint]:
    """Joints of every kind and stiffness on a random tree with one or more roots; some do not turn with their parents.

    Each is drawn by a generator of its own, so that what is drawn by one does not depend on the others.
    """
    rng, steady = np.random.default_rng(seed), np.random.default_rng([seed, 1]).random(count) < 0.3
    stiff = np.random.default_rng([seed, 2])
    joints: list[Joint] = []
    for index in range(count):
        parent = None if index == 0 or rng.random() < 0.03 else f"j{int(rng.integers(max(0, index - 4), index))}"
        motion = random_motion(rng)
        locked = [slot.name for slot in (*motion.translation, *motion.slots) if slot.limits is None]
        held = {name: float(rng.uniform(-0.5, 0.5)) for name in locked if name[0] == "t" and name != "twist"}
        free = sum(slot.limits is not None for slot in (*motion.translation, *motion.slots))
        joints.append(
            Joint(
                f"j{index}",
                parent,
                random_rest(rng),
                motion,
                stiffness=stiff.uniform(0.2, 5.0, free).tolist(),
                held=held,
                steady=bool(steady[index]),
            )
        )
    return joints


def random_pose(tree: Tree, seed: int, spread: float = 1.0) -> Floats:
    """Variables inside the limits; those without limits within one unit of zero."""
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(tree.lower), tree.lower, -1.0) * spread
    high = np.where(np.isfinite(tree.upper), tree.upper, 1.0) * spread
    return rng.uniform(low, high)
