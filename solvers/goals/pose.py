"""A point of a body at a place and the body turned a given way."""

from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector
from ..tree import Tree
from .goal import Goal
from .orientation import bend_orientation, evaluate_orientation
from .position import bend_position, evaluate_position
from .tables import GoalArrays, Packed, Unit, Values

ROTATION = 10  # where the rotation begins in the goal's floats


@dataclass(kw_only=True)
class Pose(Goal):
    """A point of a body is to be at `position` [3] with the body turned as `rotation` [4] (w, x, y, z)."""

    joint: str = field(kw_only=False)
    position: ArrayLike = field(kw_only=False)
    rotation: ArrayLike = field(kw_only=False)
    point: ArrayLike = (0.0, 0.0, 0.0)  # in the body's frame
    axes: ArrayLike = (1.0,) * 6  # weights along the axes of the frame, then about those of the target
    frame: ArrayLike = (1.0, 0.0, 0.0, 0.0)  # quaternion [4] from the frame's axes to those of the tree's space

    kind: ClassVar[int] = 2

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        return Packed(
            ints=(tree.index(self.joint),),
            floats=(
                *self.numbers(self.point, 3, "point"),
                *self.numbers(self.position, 3, "position"),
                *self.quaternion(self.frame, "frame"),
                *self.quaternion(self.rotation, "rotation"),
            ),
            weights=self.weights(self.axes, 6),
            units=(Unit.METRES,) * 3 + (Unit.RADIANS,) * 3,
            taps=6,
        )


@kernel
def evaluate_pose(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """The three rows of a position, then the three of an orientation."""
    evaluate_position(goals, goal, row, tap, pose, values)
    evaluate_orientation(goals, goal, ROTATION, row + 3, tap + 3, pose, values)


@kernel
def bend_pose(
    goals: GoalArrays, goal: int, row: int, pose: PoseArrays, pull: Floats, centre: Vector, bending: Floats
) -> None:
    """What bends a position and an orientation."""
    bend_position(goals, goal, row, pose, pull, centre, bending)
    bend_orientation(goals, goal, ROTATION, row + 3, pose, pull, bending)
