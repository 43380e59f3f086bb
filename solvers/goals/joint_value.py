"""One variable at a value."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

from ...compiled import kernel
from ..rotation import Floats
from ..tree import Tree
from .goal import Goal
from .tables import GoalArrays, Packed, Unit, Values, tap_variable


@dataclass(kw_only=True)
class JointValue(Goal):
    """One variable of a joint is to have the value `target` (radians or metres)."""

    joint: str = field(kw_only=False)
    target: float = field(kw_only=False)
    axis: str | None = None  # may be left out where the joint has only one variable

    kind: ClassVar[int] = 5

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        variable = tree.variable(self.joint, self.axis)
        if not math.isfinite(self.target):
            raise self.complain(f"the target {self.target} of {self.joint!r} is not finite")
        return Packed(
            ints=(variable,),
            floats=(float(self.target),),
            weights=self.weights(1.0, 1),
            units=(Unit.METRES if tree.variables[variable].unit == "m" else Unit.RADIANS,),
            taps=1,
        )


@kernel
def evaluate_joint_value(goals: GoalArrays, goal: int, row: int, tap: int, q: Floats, values: Values) -> None:
    """One row: the variable, less its target."""
    variable = goals.ints[goal, 0]
    values.residual[row] = q[variable] - goals.floats[goal, 0]
    tap_variable(values, tap, row, variable, 1.0)
