"""What all goals have in common: a weight, a switch, a level, a tolerance, and how their inputs are checked."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import PosewrightError
from ..tree import Tree
from .tables import Level, Packed


@dataclass(kw_only=True)
class Goal:
    """The base of every goal.

    Attributes:
        weight: how much it counts against other goals of its level: cost per square metre or square radian.
        on: a goal that is off costs nothing and reports no error.
        level: `Level.PIN` holds even while other goals are out of reach.
        metres, radians: an error within these counts as reached.
    """

    weight: float = 1.0
    on: bool = True
    level: Level = Level.GOAL
    metres: float = 1e-4
    radians: float = 1e-3

    kind: ClassVar[int]  # its number in the registry

    def pack(self, tree: Tree) -> Packed:
        """The goal as numbers. Raises an error that names what is wrong."""
        raise NotImplementedError

    def complain(self, what: str) -> PosewrightError:
        """An error that names this goal."""
        return PosewrightError(f"{type(self).__name__} goal: {what}")

    def slack(self) -> float:
        """How many metres of residual are no error yet."""
        return 0.0

    def tolerance(self) -> tuple[float, float]:
        """The errors, in metres and radians, that count as reached; infinite where any does."""
        if not (self.metres >= 0.0 and self.radians >= 0.0):
            raise self.complain(f"tolerances are zero or more, not {self.metres!r} m and {self.radians!r} rad")
        return self.metres, self.radians

    def anchor(self, tree: Tree, joint: str | None) -> int:
        """The index of a joint's body; -1 for None, which is the tree's space."""
        return -1 if joint is None else tree.index(joint)

    def amount(self, value: float, what: str) -> float:
        """A finite number, zero or more."""
        if not (math.isfinite(value) and value >= 0.0):
            raise self.complain(f"{what} is a finite number, zero or more, not {value!r}")
        return float(value)

    def numbers(self, value: ArrayLike, count: int, what: str) -> tuple[float, ...]:
        """`count` finite numbers."""
        values = _listed(value)
        if len(values) != count or not all(map(math.isfinite, values)):
            raise self.complain(f"{what} takes {count} finite numbers, not {value!r}")
        return tuple(values)

    def quaternion(self, value: ArrayLike, what: str) -> tuple[float, ...]:
        """Four numbers as a unit quaternion (w, x, y, z)."""
        values = self.numbers(value, 4, what)
        length = math.hypot(*values)
        if length < 1e-12:
            raise self.complain(f"{what} is a quaternion of length zero")
        return tuple(one / length for one in values)

    def weights(self, axes: ArrayLike, count: int) -> tuple[float, ...]:
        """The weight of each row: the goal's own times that of the axis."""
        given = _listed(axes)
        if len(given) not in {1, count}:
            raise self.complain(f"one weight, or one for each of {count} axes, please; not {axes!r}")
        if not all(math.isfinite(one) and one >= 0.0 for one in (self.weight, *given)):
            raise self.complain(f"weights are finite and not negative, not {self.weight!r} and {axes!r}")
        return tuple(self.weight * one for one in (given if len(given) == count else given * count))


def _listed(value: ArrayLike) -> list[float]:
    """A number or a row of numbers as a list, empty if it is neither.

    Plain Python: numpy takes ten times as long for three numbers, and a drag packs its goals at every step.
    """
    given = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    try:
        return [float(given)] if isinstance(given, int | float) else [float(one) for one in given]  # type: ignore[arg-type, union-attr]
    except (TypeError, ValueError):
        return []
