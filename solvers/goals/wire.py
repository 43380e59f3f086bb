"""A wire that runs through points of bodies and cannot get longer: a muscle, a strap, a leash."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector, dot
from ..tree import Tree
from .goal import Goal
from .position import anchor_of
from .tables import GoalArrays, Packed, Unit, Values, no_tap, tap_anchor

NEAR = 1e-9  # metres: between two points closer than this the wire pulls in no direction
WIRE_STRIDE = 4  # numbers a point has in the pool: its body and its place


@dataclass(kw_only=True)
class Wire(Goal):
    """The polyline through `points` is to be no longer than `longest` (metres) or, if `exact`, just as long.

    Each point is a joint's name with a place [3] in that body's frame, or None with a place in the tree's space. Only
    a taut wire pulls (LM-PFD 54, 57, 63): a slack one leaves no taps and costs nothing.
    """

    points: Sequence[tuple[str | None, ArrayLike]] = field(kw_only=False)
    longest: float = field(kw_only=False)
    exact: bool = False

    kind: ClassVar[int] = 9

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        points = [
            (float(self.anchor(tree, joint)), *self.numbers(place, 3, f"point {index}"))
            for index, (joint, place) in enumerate(self.points)
        ]
        if len({point[0] for point in points}) < 2:
            raise self.complain(f"no joint is between its {len(points)} points: they are all on one body")
        return Packed(
            ints=(len(points), int(self.exact)),
            floats=(self.amount(self.longest, "longest"),),
            weights=self.weights(1.0, 1),
            units=(Unit.METRES,),
            taps=len(points),
            pool=tuple(number for point in points for number in point),
        )


@kernel
def evaluate_wire(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """One row: by how much the wire is longer than it may be; of an exact one, below zero where it is shorter.

    The length changes by the unit vector towards a point, less the one onwards from it, times the point's velocity.
    """
    count, at = goals.ints[goal, 0], goals.pooled[goal]
    length, (body, point) = 0.0, wire_point(goals.pool, at, pose)
    for i in range(1, count):
        _, next_point = wire_point(goals.pool, at + WIRE_STRIDE * i, pose)
        step = (next_point[0] - point[0], next_point[1] - point[1], next_point[2] - point[2])
        length, point = length + math.sqrt(dot(step, step)), next_point
    # A multiplier's shift belongs inside the hinge, or a wire that has become slack would still have its cost.
    over = length - goals.floats[goal, 0]
    least = -math.inf if goals.ints[goal, 1] == 1 else 0.0
    values.residual[row], values.pull[row] = max(over, least), max(over + goals.shift[row], least)
    if over + goals.shift[row] <= least:
        for i in range(count):
            no_tap(values, tap + i)
        return
    towards, (body, point) = (0.0, 0.0, 0.0), wire_point(goals.pool, at, pose)
    for i in range(count):
        onwards, next_body, next_point = (0.0, 0.0, 0.0), body, point
        if i + 1 < count:
            next_body, next_point = wire_point(goals.pool, at + WIRE_STRIDE * (i + 1), pose)
            step = (next_point[0] - point[0], next_point[1] - point[1], next_point[2] - point[2])
            size = math.sqrt(dot(step, step))
            if size > NEAR:
                onwards = (step[0] / size, step[1] / size, step[2] / size)
        pull = (towards[0] - onwards[0], towards[1] - onwards[1], towards[2] - onwards[2])
        tap_anchor(values, tap + i, row, body, point, pull)
        towards, body, point = onwards, next_body, next_point


@kernel
def wire_point(pool: Floats, at: int, pose: PoseArrays) -> tuple[int, Vector]:
    """A point of a wire: its body, -1 for none, and where it is in the tree's space."""
    body = int(pool[at])
    return body, anchor_of(pose, body, (pool[at + 1], pool[at + 2], pool[at + 3]))
