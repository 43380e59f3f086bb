"""A body turned a given way."""

from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import (
    Floats,
    conjugate,
    left_jacobian_inverse_transposed,
    left_jacobian_inverse_transposed_rate,
    multiply,
    quaternion_at,
    rotate,
    to_vector,
)
from ..tree import Tree
from .goal import Goal
from .tables import GoalArrays, Packed, Unit, Values, tap_body, three_at


@dataclass(kw_only=True)
class Orientation(Goal):
    """A body is to be turned as `target`, a quaternion [4] (w, x, y, z) in the tree's space."""

    joint: str = field(kw_only=False)
    target: ArrayLike = field(kw_only=False)
    axes: ArrayLike = (1.0, 1.0, 1.0)  # weight of the error about each axis of the target

    kind: ClassVar[int] = 1

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        return Packed(
            ints=(tree.index(self.joint),),
            floats=self.quaternion(self.target, "target"),
            weights=self.weights(self.axes, 3),
            units=(Unit.RADIANS,) * 3,
            taps=3,
        )


@kernel
def evaluate_orientation(
    goals: GoalArrays, goal: int, first: int, row: int, tap: int, pose: PoseArrays, values: Values
) -> None:
    """Three rows: the rotation vector a of target⁻¹ · body. `first` is where the target begins in the goal's floats.

    The frame of the target turns with R⁻¹ω, so da = J_l⁻¹(a) R⁻¹ ω and row i taps R J_l⁻ᵀ(a) e_i: exact for unequal
    weights and far from the goal, where the plain Jacobian is 30 to 40 % off at 1 rad.
    """
    body, at = goals.ints[goal, 0], goals.floats[goal]
    target = (at[first], at[first + 1], at[first + 2], at[first + 3])
    error = to_vector(multiply(conjugate(target), quaternion_at(pose.rotation, body)))
    for i in range(3):
        values.residual[row + i] = error[i]
        axis = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        pull = rotate(target, left_jacobian_inverse_transposed(error, axis))
        tap_body(values, tap + i, row + i, body, pull, (0.0, 0.0, 0.0))


@kernel
def bend_orientation(
    goals: GoalArrays, goal: int, first: int, row: int, pose: PoseArrays, pull: Floats, bending: Floats
) -> None:
    """How the rows' moment R J_l⁻ᵀ(a) · pull changes with the body's turn, through a: da = J_l⁻¹(a) R⁻¹ ω."""
    body, at = goals.ints[goal, 0], goals.floats[goal]
    target = (at[first], at[first + 1], at[first + 2], at[first + 3])
    error = to_vector(multiply(conjugate(target), quaternion_at(pose.rotation, body)))
    back = (-error[0], -error[1], -error[2])  # J_l⁻ᵀ(-a) = J_l⁻¹(a)
    for k in range(3):
        about = rotate(conjugate(target), (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0))
        change = left_jacobian_inverse_transposed(back, about)
        moment = rotate(target, left_jacobian_inverse_transposed_rate(error, three_at(pull, row), change))
        for i in range(3):
            bending[body, 6 * i + k] += moment[i]
