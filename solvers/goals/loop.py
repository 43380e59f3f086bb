"""Two bodies held together: a hand on the hip, both hands on one sword, a linkage."""

from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import (
    Vector,
    conjugate,
    left_jacobian_inverse_transposed,
    multiply,
    quaternion_at,
    rotate,
    to_vector,
)
from ..tree import Tree
from .goal import Goal
from .position import point_of
from .tables import GoalArrays, Packed, Unit, Values, tap_body, tap_point


@dataclass(kw_only=True)
class Loop(Goal):
    """A point of body `first` is to be at a point of body `second` and, unless `rotation` is None, turned with it.

    `rotation` [4] (w, x, y, z) is the first body's as seen from the second. Errors are measured along the axes of the
    second body and about those of the turned frame, so a weight of zero leaves a hinge or a slide where it lies on
    the body, however that turns. They are closed, not only kept from moving: velocities alone (LM-PFD 25) drift.
    """

    first: str = field(kw_only=False)
    second: str = field(kw_only=False)
    point: ArrayLike = (0.0, 0.0, 0.0)  # in the first body's frame
    other: ArrayLike = (0.0, 0.0, 0.0)  # in the second body's frame
    rotation: ArrayLike | None = None
    axes: ArrayLike = 1.0  # weights along the three axes of the second body, then about those of the turned frame

    kind: ClassVar[int] = 10

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        first, second = tree.index(self.first), tree.index(self.second)
        if first == second:
            raise self.complain(f"no joint is between {self.first!r} and itself")
        turned = self.rotation is not None
        rows = 6 if turned else 3
        return Packed(
            ints=(first, second, int(turned)),
            floats=(
                *self.numbers(self.point, 3, "point"),
                *self.numbers(self.other, 3, "other"),
                *((1.0, 0.0, 0.0, 0.0) if self.rotation is None else self.quaternion(self.rotation, "rotation")),
            ),
            weights=self.weights(self.axes, rows),
            units=((Unit.METRES,) * 3 + (Unit.RADIANS,) * 3)[:rows],
            taps=2 * rows,
        )


@kernel
def evaluate_loop(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """Three rows: the way from one point to the other, in the second body's frame; then three for the rotation.

    With the points p and o, d R₂⁻¹(p - o) = R₂⁻¹(ṗ - ȯ - ω₂ × (p - o)): what p moves by, less what the point of the
    second body moves by that is where p is. So both bodies are tapped at p, and the pulls are equal and opposite.
    """
    first, second, at = goals.ints[goal, 0], goals.ints[goal, 1], goals.floats[goal]
    turn = quaternion_at(pose.rotation, second)
    point = point_of(pose, first, (at[0], at[1], at[2]))
    other = point_of(pose, second, (at[3], at[4], at[5]))
    error = rotate(conjugate(turn), (point[0] - other[0], point[1] - other[1], point[2] - other[2]))
    for i in range(3):
        values.residual[row + i] = error[i]
        along = rotate(turn, _axis(i))
        tap_point(values, tap + 2 * i, row + i, first, point, along)
        tap_point(values, tap + 2 * i + 1, row + i, second, point, (-along[0], -along[1], -along[2]))
    if goals.ints[goal, 2] == 1:
        _evaluate_turn(goals, goal, row + 3, tap + 6, pose, values)


@kernel
def _evaluate_turn(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """The rotation vector a of (R₂ T)⁻¹ R₁, T the rotation asked for: da = J_l⁻¹(a) (R₂ T)⁻¹ (ω₁ - ω₂)."""
    first, second, at = goals.ints[goal, 0], goals.ints[goal, 1], goals.floats[goal]
    target = multiply(quaternion_at(pose.rotation, second), (at[6], at[7], at[8], at[9]))
    error = to_vector(multiply(conjugate(target), quaternion_at(pose.rotation, first)))
    still = (0.0, 0.0, 0.0)
    for i in range(3):
        values.residual[row + i] = error[i]
        pull = rotate(target, left_jacobian_inverse_transposed(error, _axis(i)))
        tap_body(values, tap + 2 * i, row + i, first, pull, still)
        tap_body(values, tap + 2 * i + 1, row + i, second, (-pull[0], -pull[1], -pull[2]), still)


@kernel
def _axis(i: int) -> Vector:
    return 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
