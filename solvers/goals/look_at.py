"""A direction of a body towards a place: eyes, a pointing arm."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector, cross, dot, quaternion_at, rotate
from ..tree import Tree
from .goal import Goal
from .position import point_of
from .tables import GoalArrays, Packed, Unit, Values, bend_point, no_tap, tap_body, three_at

_NEAR = 1e-9  # metres: with the target at the eye itself no direction is better than another


@dataclass(kw_only=True)
class LookAt(Goal):
    """From a point of a body, its `direction` (in its frame) is to point at `target` [3], in the tree's space."""

    joint: str = field(kw_only=False)
    target: ArrayLike = field(kw_only=False)
    direction: ArrayLike = (0.0, 1.0, 0.0)  # along the bone
    point: ArrayLike = (0.0, 0.0, 0.0)  # in the body's frame

    kind: ClassVar[int] = 3

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        direction = np.array(self.numbers(self.direction, 3, "direction"))
        length = float(np.linalg.norm(direction))
        if length == 0.0:
            raise self.complain("direction is a vector of length zero")
        point, target = self.numbers(self.point, 3, "point"), self.numbers(self.target, 3, "target")
        return Packed(
            ints=(tree.index(self.joint),),
            floats=(*point, *target, *(direction / length).tolist()),
            weights=self.weights(1.0, 3),
            units=(Unit.CHORD,) * 3,
            taps=3,
        )


@kernel
def evaluate_look_at(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """Three rows: the direction d, less the unit vector t towards the target.

    With the eye at p, l from the target, dt = -(1 - t tᵀ)/l dp.
    """
    body, at = goals.ints[goal, 0], goals.floats[goal]
    eye = point_of(pose, body, (at[0], at[1], at[2]))
    d = rotate(quaternion_at(pose.rotation, body), (at[6], at[7], at[8]))
    away = (at[3] - eye[0], at[4] - eye[1], at[5] - eye[2])
    length = math.sqrt(dot(away, away))
    if length < _NEAR:
        for i in range(3):
            values.residual[row + i] = 0.0
            no_tap(values, tap + i)
        return
    t = (away[0] / length, away[1] / length, away[2] / length)
    for i in range(3):
        values.residual[row + i] = d[i] - t[i]
        axis = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        linear = (
            (axis[0] - t[i] * t[0]) / length,
            (axis[1] - t[i] * t[1]) / length,
            (axis[2] - t[i] * t[2]) / length,
        )
        turning, moving = cross(d, axis), cross(eye, linear)
        angular = (turning[0] + moving[0], turning[1] + moving[1], turning[2] + moving[2])
        tap_body(values, tap + i, row + i, body, angular, linear)


@kernel
def bend_look_at(
    goals: GoalArrays, goal: int, row: int, pose: PoseArrays, pulls: Floats, centre: Vector, bending: Floats
) -> None:
    """The rows' pull f on the direction, which turns; and n = (1 - t tᵀ) f / l on the eye, which changes as well.

    With ṫ = -(1 - t tᵀ)/l ṗ, dn = -(ṫ (t · f) + t (ṫ · f))/l + n (t · ṗ)/l.
    """
    body, at, pull = goals.ints[goal, 0], goals.floats[goal], three_at(pulls, row)
    eye = point_of(pose, body, (at[0], at[1], at[2]))
    d = rotate(quaternion_at(pose.rotation, body), (at[6], at[7], at[8]))
    away = (at[3] - eye[0], at[4] - eye[1], at[5] - eye[2])
    length = math.sqrt(dot(away, away))
    if length < _NEAR:
        return
    t = (away[0] / length, away[1] / length, away[2] / length)
    along = dot(t, pull)
    force = ((pull[0] - along * t[0]) / length, (pull[1] - along * t[1]) / length, (pull[2] - along * t[2]) / length)
    turned = dot(d, pull)
    for i in range(3):
        for j in range(3):
            bending[body, 6 * i + j] += d[i] * pull[j]
        bending[body, 7 * i] -= turned
    eye = (eye[0] - centre[0], eye[1] - centre[1], eye[2] - centre[2])
    bend_point(bending, body, eye, force)
    for k in range(6):  # a unit twist after the other
        axis = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
        moved = cross(axis, eye) if k < 3 else axis
        nearer, across = dot(t, moved), dot(force, moved)
        change = (
            ((moved[0] - nearer * t[0]) * along / length + t[0] * across + force[0] * nearer) / length,
            ((moved[1] - nearer * t[1]) * along / length + t[1] * across + force[1] * nearer) / length,
            ((moved[2] - nearer * t[2]) * along / length + t[2] * across + force[2] * nearer) / length,
        )
        moment = cross(eye, change)
        for i in range(3):
            bending[body, 6 * i + k] += moment[i]
            bending[body, 6 * (3 + i) + k] += change[i]
