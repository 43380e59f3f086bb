"""A point of a body at a place."""

from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector, dot, matrix_of, quaternion_at, rotate
from ..tree import Tree
from .goal import Goal
from .tables import GoalArrays, Packed, Unit, Values, bend_point, tap_point, three_at


@dataclass(kw_only=True)
class Position(Goal):
    """A point of a body is to be at `target` [3], in the tree's space."""

    joint: str = field(kw_only=False)
    target: ArrayLike = field(kw_only=False)
    point: ArrayLike = (0.0, 0.0, 0.0)  # in the body's frame
    axes: ArrayLike = (1.0, 1.0, 1.0)  # weight of each axis of the frame
    frame: ArrayLike = (1.0, 0.0, 0.0, 0.0)  # quaternion [4] from the frame's axes to those of the tree's space

    kind: ClassVar[int] = 0

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        return Packed(
            ints=(tree.index(self.joint),),
            floats=(
                *self.numbers(self.point, 3, "point"),
                *self.numbers(self.target, 3, "target"),
                *self.quaternion(self.frame, "frame"),
            ),
            weights=self.weights(self.axes, 3),
            units=(Unit.METRES,) * 3,
            taps=3,
        )


@kernel
def point_of(pose: PoseArrays, body: int, local: Vector) -> Vector:
    """A point of a body's frame, in the tree's space."""
    moved = rotate(quaternion_at(pose.rotation, body), local)
    return pose.position[body, 0] + moved[0], pose.position[body, 1] + moved[1], pose.position[body, 2] + moved[2]


@kernel
def anchor_of(pose: PoseArrays, body: int, local: Vector) -> Vector:
    """The same, with body -1 for a point that is fixed in the tree's space."""
    if body < 0:
        return local
    return point_of(pose, body, local)


@kernel
def evaluate_position(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """Three rows: where the point is, less where it is to be, along each axis of the frame."""
    body, at = goals.ints[goal, 0], goals.floats[goal]
    point = point_of(pose, body, (at[0], at[1], at[2]))
    off = (point[0] - at[3], point[1] - at[4], point[2] - at[5])
    x, y, z = matrix_of((at[6], at[7], at[8], at[9]))
    for i in range(3):
        axis = (x[i], y[i], z[i])
        values.residual[row + i] = dot(axis, off)
        tap_point(values, tap + i, row + i, body, point, axis)


@kernel
def bend_position(
    goals: GoalArrays, goal: int, row: int, pose: PoseArrays, pull: Floats, centre: Vector, bending: Floats
) -> None:
    """The rows pull on the point."""
    body, at = goals.ints[goal, 0], goals.floats[goal]
    point = point_of(pose, body, (at[0], at[1], at[2]))
    force = rotate((at[6], at[7], at[8], at[9]), three_at(pull, row))
    bend_point(bending, body, (point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]), force)
