"""One problem for every solver: a tree and its goals, packed once; targets, weights and switches change in place."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .derivatives import jacobian_of
from .errors import PosewrightError
from .evaluation import Evaluation, look
from .goals.goal import Goal
from .goals.tables import FLOATS, GRID_AT, INTS, GoalArrays, Level, Packed, new_values
from .kinematics import new_pose
from .levels import PIN_WEIGHT
from .rotation import Floats
from .tree import Tree


class GoalError(NamedTuple):
    """How far a goal is from being met."""

    metres: float
    radians: float
    reached: bool


class Problem:
    """A tree, goals, and room to evaluate them in.

    Not to be shared between threads: evaluating writes into the problem's own arrays.
    """

    def __init__(self, tree: Tree, goals: Sequence[Goal]) -> None:
        self.tree = tree
        self.goals = list(goals)
        self.rooms: dict[str, object] = {}  # what `solve` works in, by the solver's name
        self.held = np.zeros(len(tree.variables), np.bool_)  # those that `hold` keeps where they are
        packed = [goal.pack(tree) for goal in goals]
        self.arrays = _tables(self.goals, packed)
        self._sizes = [_size(one) for one in packed]
        self.evaluation = Evaluation(
            tree=tree.arrays,
            goals=self.arrays,
            lower=tree.lower.copy(),
            upper=tree.upper.copy(),
            pose=new_pose(len(tree.names), len(tree.variables)),
            values=new_values(len(self.arrays.weight), int(self.arrays.tap[-1])),
            force=np.zeros((len(tree.names), 6)),
        )

    def change(self, index: int, goal: Goal) -> None:
        """Put a goal of the same kind in the place of another: a new target, weight, switch or level."""
        packed = self.packed(index, goal)
        self.goals[index] = goal
        _fill(self.arrays, index, goal, packed)

    def packed(self, index: int, goal: Goal) -> Packed:
        """A goal as numbers. Raises an error if it is not of the same kind as the one in whose place it is to be."""
        packed = goal.pack(self.tree)
        if goal.kind != self.goals[index].kind or _size(packed) != self._sizes[index]:
            raise goal.complain(f"cannot take the place of goal {index}, a {type(self.goals[index]).__name__}")
        return packed

    def hold(self, variables: ArrayLike, at: ArrayLike) -> None:
        """Keep some of the variables, a mask [variables], at their values in `at` [variables]; all others go free."""
        held, kept = np.array(variables, np.bool_), self.tree.check(at, "the pose to hold")
        if held.shape != kept.shape:
            raise PosewrightError(f"the variables to hold have shape {held.shape}; this tree has {len(kept)} variables")
        if not (held.any() or self.held.any()):
            return
        inside = np.clip(kept, self.tree.lower, self.tree.upper)
        self.held = held
        self.evaluation.lower[:] = np.where(held, inside, self.tree.lower)
        self.evaluation.upper[:] = np.where(held, inside, self.tree.upper)

    def cost(self, q: ArrayLike) -> float:
        """½ Σ w r² at `q`, with the weight of pins a hundredfold (see `levels`)."""
        return self._look(q)[0]

    def residual(self, q: ArrayLike) -> Floats:
        """Every row at `q` [rows], not weighted."""
        self._look(q)
        return self.evaluation.values.residual.copy()

    def gradient(self, q: ArrayLike) -> Floats:
        """The cost's gradient at `q` [variables]."""
        return self._look(q)[1]

    def jacobian(self, q: ArrayLike) -> Floats:
        """The residual's derivative at `q` [rows, variables], not weighted."""
        self._look(q)
        jacobian = np.zeros((len(self.arrays.weight), len(self.tree.variables)))
        jacobian_of(self.tree.arrays, self.evaluation.pose, self.evaluation.values, jacobian)
        return jacobian

    def errors(self, q: ArrayLike) -> list[GoalError]:
        """How far each goal is from being met at `q`; rows with weight zero do not count."""
        return goal_errors(self.goals, self._look(q)[2])

    def _look(self, q: ArrayLike) -> tuple[float, Floats, Floats]:
        gradient, errors = np.zeros(len(self.tree.variables)), np.zeros((len(self.goals), 2))
        return look(self.evaluation, self.tree.check(q), gradient, errors), gradient, errors


def goal_errors(goals: Sequence[Goal], errors: Floats) -> list[GoalError]:
    """Each goal's error out of metres and radians [goals, 2]."""
    pairs = zip(goals, errors.tolist(), strict=True)
    return [GoalError(m, r, m <= goal.metres and r <= goal.radians) for goal, (m, r) in pairs]


def _size(packed: Packed) -> tuple[int, ...]:
    """What a goal must have in common with one that takes its place: rows, taps, pool, and the very same grid."""
    return len(packed.weights), packed.taps, len(packed.pool), id(packed.grid)


def _tables(goals: Sequence[Goal], packed: Sequence[Packed]) -> GoalArrays:
    count = len(goals)
    rows = np.cumsum([0, *(len(one.weights) for one in packed)])
    taps = np.cumsum([0, *(one.taps for one in packed)])
    pooled = np.cumsum([0, *(len(one.pool) for one in packed)])
    grids = {id(one.grid): one.grid for one in packed if one.grid is not None}
    begins = dict(zip(grids, np.cumsum([0, *(grid.size for grid in grids.values())]).tolist(), strict=False))
    arrays = GoalArrays(
        kind=np.array([goal.kind for goal in goals], np.int64),
        on=np.zeros(count, np.int64),
        row=rows.astype(np.int64),
        tap=taps.astype(np.int64),
        pooled=pooled[:-1].astype(np.int64),
        ints=np.zeros((count, INTS), np.int64),
        floats=np.zeros((count, FLOATS)),
        pool=np.zeros(pooled[-1]),
        grid=np.concatenate([grid.ravel() for grid in grids.values()]) if grids else np.zeros(0),
        weight=np.zeros(rows[-1]),
        shift=np.zeros(rows[-1]),
        unit=np.zeros(rows[-1], np.int64),
        level=np.zeros(count, np.int64),
        tolerance=np.zeros((count, 2)),
        slack=np.zeros(count),
    )
    for index, (goal, one) in enumerate(zip(goals, packed, strict=True)):
        _fill(arrays, index, goal, one)
        if one.grid is not None:
            arrays.ints[index, GRID_AT] = begins[id(one.grid)]
    return arrays


def weight_factor(goal: Goal) -> float:
    """How much heavier a goal is than it says, by its level."""
    return PIN_WEIGHT if goal.level == Level.PIN else 1.0


def _fill(arrays: GoalArrays, index: int, goal: Goal, packed: Packed) -> None:
    arrays.on[index] = goal.on
    arrays.ints[index, : len(packed.ints)] = packed.ints
    arrays.floats[index, : len(packed.floats)] = packed.floats
    begin = arrays.pooled[index]
    arrays.pool[begin : begin + len(packed.pool)] = packed.pool
    rows = slice(arrays.row[index], arrays.row[index + 1])
    arrays.weight[rows] = packed.weights
    arrays.weight[rows] *= weight_factor(goal)
    arrays.unit[rows] = packed.units
    arrays.level[index] = goal.level
    arrays.tolerance[index] = goal.tolerance()
    arrays.slack[index] = goal.slack()
