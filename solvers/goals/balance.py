"""The centre of mass over a support: on the inner side of some planes, the sides of a polygon on the ground."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector
from ..tree import Tree
from .centre_of_mass import pack_masses
from .goal import Goal
from .position import point_of
from .tables import GoalArrays, Packed, Unit, Values, bend_point, no_tap, tap_point

_BODY, _SIDE = 5, 4  # numbers in the pool: of a body, as in `centre_of_mass`; of a side, its normal and its limit


@dataclass(kw_only=True)
class Balance(Goal):
    """The common centre of mass c of some bodies is to be within all `sides`, in the tree's space.

    A side is a normal [3] that looks outwards and a limit: n · c ≤ limit, in metres for n of length one, which it is
    made. Within, nothing pulls; beyond, it pulls back along the normal, so that along the sides, and upwards where all
    normals are level, the centre is free. `masses` is that of `CentreOfMass`; `each` has the weight of each side.
    """

    masses: Mapping[str, tuple[float, ArrayLike]] = field(kw_only=False)
    sides: Sequence[tuple[ArrayLike, float]] = field(kw_only=False)
    each: ArrayLike = 1.0

    kind: ClassVar[int] = 11

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        bodies, count = pack_masses(self, tree, self.masses), len(self.sides)
        if not count:
            raise self.complain("it has no sides")
        return Packed(
            ints=(len(bodies) // _BODY, count),
            floats=(),
            weights=self.weights(self.each, count),
            units=(Unit.METRES,) * count,
            taps=count * (len(bodies) // _BODY),
            pool=(*bodies, *(number for index, side in enumerate(self.sides) for number in self._side(index, *side))),
        )

    def _side(self, index: int, normal: ArrayLike, limit: float) -> tuple[float, ...]:
        given = self.numbers(normal, 3, f"normal {index}")
        length = math.hypot(*given)
        if length == 0.0:
            raise self.complain(f"normal {index} is a vector of length zero")
        (end,) = self.numbers(limit, 1, f"limit {index}")
        return (*(one / length for one in given), end / length)


@kernel
def evaluate_balance(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """A row for each side: by how much the centre of mass is beyond it; it taps each body."""
    bodies, first = goals.ints[goal, 0], goals.pooled[goal]
    centre = _centre(goals, goal, pose)
    for side in range(goals.ints[goal, 1]):
        over, normal = _beyond(goals.pool, first + _BODY * bodies + _SIDE * side, centre)
        # A multiplier's shift belongs inside the hinge, or a side that is left alone would still have its cost.
        pulled = over + goals.shift[row + side]
        values.residual[row + side], values.pull[row + side] = max(over, 0.0), max(pulled, 0.0)
        for one in range(bodies):
            at, place = first + _BODY * one, tap + bodies * side + one
            if pulled <= 0.0:
                no_tap(values, place)
                continue
            body, share = int(goals.pool[at]), goals.pool[at + 1]
            point = point_of(pose, body, (goals.pool[at + 2], goals.pool[at + 3], goals.pool[at + 4]))
            direction = (share * normal[0], share * normal[1], share * normal[2])
            tap_point(values, place, row + side, body, point, direction)


@kernel
def _centre(goals: GoalArrays, goal: int, pose: PoseArrays) -> Vector:
    """The centre of mass."""
    x, y, z = 0.0, 0.0, 0.0
    for one in range(goals.ints[goal, 0]):
        at = goals.pooled[goal] + _BODY * one
        share = goals.pool[at + 1]
        point = point_of(pose, int(goals.pool[at]), (goals.pool[at + 2], goals.pool[at + 3], goals.pool[at + 4]))
        x, y, z = x + share * point[0], y + share * point[1], z + share * point[2]
    return x, y, z


@kernel
def _beyond(pool: Floats, at: int, centre: Vector) -> tuple[float, Vector]:
    """How far the centre is beyond a side, less than zero within; and the side's normal."""
    normal = (pool[at], pool[at + 1], pool[at + 2])
    return normal[0] * centre[0] + normal[1] * centre[1] + normal[2] * centre[2] - pool[at + 3], normal


@kernel
def bend_balance(
    goals: GoalArrays, goal: int, row: int, pose: PoseArrays, pulls: Floats, middle: Vector, bending: Floats
) -> None:
    """The sides that the centre is beyond pull on the centre of each body, by its share."""
    bodies, first = goals.ints[goal, 0], goals.pooled[goal]
    centre = _centre(goals, goal, pose)
    x, y, z = 0.0, 0.0, 0.0
    for side in range(goals.ints[goal, 1]):
        over, normal = _beyond(goals.pool, first + _BODY * bodies + _SIDE * side, centre)
        if over + goals.shift[row + side] > 0.0:
            pull = pulls[row + side]
            x, y, z = x + pull * normal[0], y + pull * normal[1], z + pull * normal[2]
    if x == 0.0 and y == 0.0 and z == 0.0:
        return
    for one in range(bodies):
        at = first + _BODY * one
        body, share = int(goals.pool[at]), goals.pool[at + 1]
        point = point_of(pose, body, (goals.pool[at + 2], goals.pool[at + 3], goals.pool[at + 4]))
        force = (share * x, share * y, share * z)
        bend_point(bending, body, (point[0] - middle[0], point[1] - middle[1], point[2] - middle[2]), force)
