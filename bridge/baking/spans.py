"""Frames in a row that are solved alike: with one rig, and goals of the same kinds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...solvers import Balance, Distance, Goal, Loop, Wire
from ...solvers.rotation import Floats
from ..channels import Channels
from ..relations.couplings import Coupling
from ..standing import Kept

Point = tuple[float, ...]  # [3], in the rig's metres


@dataclass(frozen=True, eq=False)
class Span:
    """F frames in a row that are served by one rig, with goals of the same kinds. B bones."""

    frames: Sequence[int]  # [F]
    rests: Channels  # [F, B, ...], the reference: the poses where no goal asks for anything
    kept: Kept | None  # the rig; None where no goal does
    rows: tuple[int, ...]  # the stored goals that ask
    related: tuple[int, ...]  # behind them, the stored relations whose the others are
    goals: Sequence[tuple[Goal, ...]]  # [F], each as many
    settles: Floats  # [F, variables], the reference in the rig's terms
    units: Floats  # [F], metres of the world for one of the rig's
    copied: Floats | None = None  # [F, variables], where joints are that take after a source, NaN for others
    pulled: tuple[tuple[str, Point], ...] = ()  # by which joints, and points of them, other characters hold it

    @property
    def asks(self) -> bool:
        """Whether anything is asked for, by its own goals or by who holds it."""
        return self.kept is not None and bool(self.rows or self.related or self.pulled)

    def part(self, begin: int, end: int) -> "Span":
        """Some of the frames."""
        some = slice(begin, end)
        return replace(
            self,
            frames=self.frames[some],
            rests=self.rests.at(some),
            goals=self.goals[some],
            settles=self.settles[some],
            units=self.units[some],
            copied=None if self.copied is None else self.copied[some],
        )


def kind_of(goal: Goal) -> tuple[object, ...]:
    """What frames of one span have alike in a goal: what a clip takes from the first of them for all.

    The same as if what `pack` gives were compared, but for targets and weights: that takes 15 µs a goal, this takes 1.
    """
    return goal.kind, getattr(goal, "joint", ""), goal.level, goal.metres, goal.radians, *_own_kind(goal)


def _own_kind(goal: Goal) -> tuple[object, ...]:
    """What only goals of its kind have: bodies, how many rows and numbers, and the grid, which is the very same."""
    match goal:
        case Distance(first=first, second=second):
            grid = getattr(second, "field", None)
            return first.joint, getattr(second, "joint", None), grid, goal.margin
        case Loop():
            return goal.first, goal.second, goal.rotation is None
        case Wire():
            return len(goal.points), goal.exact
        case Balance():
            return len(goal.masses), len(goal.sides)
        case Coupling():
            return goal.follower, goal.variables
    return ()


def joined(parts: Sequence[Span]) -> Span:
    """Spans that go with each other as one."""
    if len(parts) == 1:
        return parts[0]
    floats = zip(*(one.rests.floats for one in parts), strict=True)
    return replace(
        parts[0],
        frames=[frame for one in parts for frame in one.frames],
        rests=Channels(parts[0].rests.mode, *(np.concatenate(each) for each in floats)),
        goals=[goals for one in parts for goals in one.goals],
        settles=np.concatenate([one.settles for one in parts]),
        units=np.concatenate([one.units for one in parts]),
        copied=_all_copied(parts),
    )


def _all_copied(parts: Sequence[Span]) -> Floats | None:
    """What takes after a source on all frames of some spans [F, variables]; all of them have it, or none."""
    found = [one.copied for one in parts if one.copied is not None]
    return np.concatenate(found) if found else None
