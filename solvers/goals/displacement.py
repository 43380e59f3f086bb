"""Every variable near a reference pose: what fills the freedom that other goals leave."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...compiled import kernel
from ..rotation import Floats
from ..tree import Tree
from .goal import Goal
from .tables import GoalArrays, Level, Packed, Unit, Values, tap_variable


@dataclass(kw_only=True)
class Displacement(Goal):
    """Each variable is to stay near `reference` [variables], the tree's rest values if None, by its stiffness.

    The residual is linear, w (x - x*)²; Bio-IK's (Σ|·|)² has a kink where it is zero.
    """

    reference: ArrayLike | None = None
    each: ArrayLike = 1.0  # a factor of the weight, or one for each variable
    weight: float = 1e-3
    level: Level = Level.POSTURE

    kind: ClassVar[int] = 4

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        reference = tree.check(tree.rest if self.reference is None else self.reference, "the reference")
        count = len(tree.variables)
        return Packed(
            ints=(count,),
            floats=(),
            weights=self._weights(count) * tree.stiffness,
            units=np.where(tree.translates, Unit.METRES, Unit.RADIANS),
            taps=count,
            pool=reference,
        )

    def _weights(self, count: int) -> Floats:
        """Of the rows. An array is checked as a whole: a drag packs its posture at every step."""
        each = self.each
        if isinstance(each, float) or (isinstance(each, np.ndarray) and each.shape == (count,)):
            found: Floats = np.full(count, self.weight) * each
            if self.weight >= 0.0 and np.all(each >= 0.0) and math.isfinite(found.sum()):
                return found
        return np.array(self.weights(each, count))  # which says what is wrong


@kernel
def evaluate_displacement(goals: GoalArrays, goal: int, row: int, tap: int, q: Floats, values: Values) -> None:
    """A row a variable: its value, less the reference."""
    pooled = goals.pooled[goal]
    for i in range(goals.ints[goal, 0]):
        values.residual[row + i] = q[i] - goals.pool[pooled + i]
        tap_variable(values, tap + i, row + i, i, 1.0)
