"""What the 3D view shows of variations, apart from how it is drawn: poses as stick figures, and the course of a search.

Made once of what is kept, and kept until there is something else. Places are in the world.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import bpy

from .. import bridge
from .signs import Role
from .tab import spoken

if TYPE_CHECKING:
    from ..bridge.variations.shown import Ghosts, Search

Point = tuple[float, float, float]
LEAST = 1e-12  # of a cost: nothing is less, as far as a graph can tell


@dataclass(frozen=True, eq=False)
class Sticks:
    """A pose as a stick figure."""

    ends: Sequence[Point]  # two for each bone


class Figures(NamedTuple):
    """Poses that are being browsed."""

    sticks: list[Sticks]
    current: int


@dataclass(frozen=True, eq=False)
class Ways:
    """How the elites of a search carried the points of goals: from where each began to where it ended."""

    ends: Sequence[Point]  # two for each elite, generation and goal
    targets: Sequence[Point]


@dataclass(frozen=True, eq=False)
class Curve:
    """What something costs over generations. Elites are others in each: only the best so far is a line."""

    points: Sequence[tuple[float, float]]  # generation from 1 on, and the logarithm of the cost
    role: Role  # BEGUN, ENDED or SHOWN, which is the best so far


@dataclass(frozen=True, eq=False)
class Course:
    """How a search went."""

    ways: Ways
    curves: Sequence[Curve]
    generations: int
    low: float  # logarithms: what the graph shows
    high: float
    words: str


_figures: "dict[int, tuple[Ghosts, list[Sticks]]]" = {}  # by session_uid
_courses: "dict[int, tuple[Search, Course]]" = {}  # by session_uid


def forget() -> None:
    """Forget what was made."""
    _figures.clear()
    _courses.clear()


def of_view(context: bpy.types.Context) -> list[Figures]:
    """The poses that the 3D view of a context shows."""
    found = []
    for thing in _shown_in(context):
        kept = bridge.variations.shown.ghosts_of(thing)
        if kept is not None:
            made = _figures.get(thing.session_uid)
            if made is None or made[0].lines is not kept.lines:
                made = _figures[thing.session_uid] = kept, sticks(kept)
            found.append(Figures(made[1], kept.current))
    return found


def courses_of_view(context: bpy.types.Context) -> list[Course]:
    """The searches that the 3D view of a context shows."""
    found = []
    for thing in _shown_in(context):
        search = bridge.variations.shown.search_of(thing)
        if search is not None and len(search.best):
            made = _courses.get(thing.session_uid)
            if made is None or made[0] is not search:
                made = _courses[thing.session_uid] = search, course(search)
            found.append(made[1])
    return found


def _shown_in(context: bpy.types.Context) -> list[bpy.types.Object]:
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
        return []
    things = context.objects_in_mode if context.mode == "POSE" else [context.object]
    return [thing for thing in things if thing is not None and thing.type == "ARMATURE" and thing.visible_get()]


def sticks(ghosts: "Ghosts") -> list[Sticks]:
    """The stick figures of some poses."""
    return [Sticks([(x, y, z) for x, y, z in pose.reshape(-1, 3).tolist()]) for pose in ghosts.lines]


def course(search: "Search") -> Course:
    """What is shown of a search."""
    count, all_of = len(search.best), range(search.begun.shape[1])
    curves = [
        Curve(_logarithms(enumerate(search.best.tolist())), Role.SHOWN),
        Curve(_logarithms((row, search.begun[row, elite]) for row in range(count) for elite in all_of), Role.BEGUN),
        Curve(
            _logarithms(
                (row, search.ended[row, elite])
                for row in range(count)
                for elite in all_of
                if search.ended[row, elite] != search.begun[row, elite]
            ),
            Role.ENDED,
        ),
    ]
    every = [height for curve in curves for _, height in curve.points]
    low, high = math.floor(min(every)), math.ceil(max(every))
    return Course(
        ways(search),
        curves,
        count,
        float(low),
        float(max(high, low + 1)),
        spoken(
            "Cost of the last search, seed {seed}: {found} ways found, {again} times begun anew",
            seed=search.seed,
            found=search.found[-1],
            again=search.wipe_outs[-1],
        ),
    )


def ways(search: "Search") -> Ways:
    """The ways of all goals' points."""
    ends, targets = list[Point](), list[Point]()
    for way in search.ways:
        begun, ended = way.begun.reshape(-1, 3).tolist(), way.ended.reshape(-1, 3).tolist()
        for (x, y, z), (u, v, w) in zip(begun, ended, strict=True):
            ends += [(x, y, z), (u, v, w)]
        x, y, z = way.target.tolist()
        targets.append((x, y, z))
    return Ways(ends, targets)


def _logarithms(costs: Iterable[tuple[int, float]]) -> list[tuple[float, float]]:
    return [(row + 1.0, math.log10(max(cost, LEAST))) for row, cost in costs]
