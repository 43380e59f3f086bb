"""The centre of mass at a place: over the feet, where only the horizontal axes count."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector
from ..tree import Tree
from .goal import Goal
from .position import point_of
from .tables import GoalArrays, Packed, Unit, Values, bend_point, tap_point, three_at

_STRIDE = 5  # numbers a body has in the pool: its index, its share of the mass, its own centre


@dataclass(kw_only=True)
class CentreOfMass(Goal):
    """The common centre of mass of some bodies is to be at `target` [3], in the tree's space.

    `masses` has, by the joint's name, a body's mass (kg) and its own centre [3] in its frame. Bodies that are not named
    weigh nothing.
    """

    target: ArrayLike = field(kw_only=False)
    masses: Mapping[str, tuple[float, ArrayLike]] = field(kw_only=False)
    axes: ArrayLike = (1.0, 1.0, 1.0)  # weight of each axis of the tree's space; (1, 1, 0) to balance

    kind: ClassVar[int] = 8

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        bodies = pack_masses(self, tree, self.masses)
        return Packed(
            ints=(len(bodies) // _STRIDE,),
            floats=self.numbers(self.target, 3, "target"),
            weights=self.weights(self.axes, 3),
            units=(Unit.METRES,) * 3,
            taps=3 * (len(bodies) // _STRIDE),
            pool=bodies,
        )


def pack_masses(goal: Goal, tree: Tree, masses: Mapping[str, tuple[float, ArrayLike]]) -> tuple[float, ...]:
    """The bodies that have a mass as numbers for the pool. Raises an error that names what is wrong."""
    bodies = [
        (tree.index(name), goal.amount(mass, f"the mass of {name!r}"), goal.numbers(centre, 3, f"centre of {name!r}"))
        for name, (mass, centre) in masses.items()
    ]
    total = sum(mass for _, mass, _ in bodies)
    if not total > 0.0:
        raise goal.complain("no body has a mass")
    bodies = [one for one in bodies if one[1] > 0.0]
    return tuple(number for body, mass, centre in bodies for number in (float(body), mass / total, *centre))


@kernel
def evaluate_centre_of_mass(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """Three rows: the mean of the bodies' centres by their share of the mass, less the target; each row taps each."""
    for i in range(3):
        values.residual[row + i] = -goals.floats[goal, i]
    for one in range(goals.ints[goal, 0]):
        at = goals.pooled[goal] + _STRIDE * one
        body, share = int(goals.pool[at]), goals.pool[at + 1]
        centre = point_of(pose, body, (goals.pool[at + 2], goals.pool[at + 3], goals.pool[at + 4]))
        for i in range(3):
            values.residual[row + i] += share * centre[i]
            direction = (share if i == 0 else 0.0, share if i == 1 else 0.0, share if i == 2 else 0.0)
            tap_point(values, tap + 3 * one + i, row + i, body, centre, direction)


@kernel
def bend_centre_of_mass(
    goals: GoalArrays, goal: int, row: int, pose: PoseArrays, pulls: Floats, centre: Vector, bending: Floats
) -> None:
    """The rows pull on the centre of each body, by its share."""
    pull = three_at(pulls, row)
    for one in range(goals.ints[goal, 0]):
        at = goals.pooled[goal] + _STRIDE * one
        body, share = int(goals.pool[at]), goals.pool[at + 1]
        point = point_of(pose, body, (goals.pool[at + 2], goals.pool[at + 3], goals.pool[at + 4]))
        force = (share * pull[0], share * pull[1], share * pull[2])
        bend_point(bending, body, (point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]), force)
