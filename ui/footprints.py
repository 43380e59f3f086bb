"""What the 3D view shows of a preview of placed feet, apart from how it is drawn: footprints, ways, and a graph.

Made once of a preview and kept until there is another; what changes with the frame is told by `now`. Places are in the
world, heights in metres above the ground.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import bpy
from mathutils import Vector

from .. import bridge
from .signs import SKIN, Mark, Role, Sign, Words

if TYPE_CHECKING:
    from ..bridge.feet.preview import Preview, Way

PARTS = (Role.HEEL, Role.BALL, Role.TOE)  # the columns of a way's contacts
NEAR = 6  # frames: how far from the present one troubles are told in words
LEAST = 0.05  # metres: what a graph shows at least, or noise would look like steps
BELOW = 0.5  # of the height that feet reach afterwards: how far under the ground a graph goes at most

Point = tuple[float, float, float]


class Print(NamedTuple):
    """A sole that stands."""

    outline: Sequence[Point]
    role: Role  # STANDS or KEPT
    first: int
    last: int


class Ghost(NamedTuple):
    """A sole as it will be on the present frame."""

    outline: tuple[Point, ...]
    role: Role  # STANDS while any part of it touches the ground, else AFTER


class Trace(NamedTuple):
    """The way of a foot."""

    points: Sequence[Point]
    role: Role  # BEFORE or AFTER


class Curve(NamedTuple):
    """A foot's height over frames; in pieces, where there is no ground below."""

    pieces: Sequence[Sequence[tuple[float, float]]]
    role: Role  # BEFORE or AFTER


class Bar(NamedTuple):
    """A part of the sole that touches the ground."""

    role: Role  # HEEL, BALL or TOE
    first: int
    last: int


class Lane(NamedTuple):
    """What the graph shows of a foot."""

    words: str
    curves: Sequence[Curve]
    bars: Sequence[Bar]


@dataclass(frozen=True, eq=False)
class Steps:
    """All that is shown of a preview."""

    prints: Sequence[Print]
    traces: Sequence[Trace]
    lanes: Sequence[Lane]
    first: int  # frames
    last: int
    low: float  # metres: what the graph shows
    high: float


class Now(NamedTuple):
    """What is shown of a preview on one frame."""

    steps: Steps
    frame: int
    ghosts: list[Ghost]
    marks: list[Mark]
    words: list[Words]


_made: dict[int, "tuple[Preview, Steps]"] = {}  # by session_uid


def forget() -> None:
    """Forget what was made."""
    _made.clear()


def of_view(context: bpy.types.Context) -> list[Now]:
    """What the 3D view of a context shows of previews: of the active character, and of all in Pose Mode."""
    space, scene = context.space_data, context.scene
    if scene is None or not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
        return []
    things = context.objects_in_mode if context.mode == "POSE" else [context.object]
    found = []
    for thing in things:
        preview = bridge.feet.preview.of(thing) if thing is not None and thing.visible_get() else None
        if thing is not None and preview is not None and len(preview.frames):
            found.append(now(_steps_of(thing, preview), preview, scene.frame_current, max(thing.dimensions[:])))
    return found


def _steps_of(armature_object: bpy.types.Object, preview: "Preview") -> Steps:
    kept = _made.get(armature_object.session_uid)
    if kept is None or kept[0] is not preview:
        kept = _made[armature_object.session_uid] = preview, steps(preview)
    return kept[1]


def steps(preview: "Preview") -> Steps:
    """What is shown of a preview on every frame."""
    frames = preview.frames.tolist()
    low, high = span(preview.ways)
    return Steps(
        [
            Print(one.outline.tolist(), Role.KEPT if one.kept else Role.STANDS, one.first, one.last)
            for one in preview.footprints
        ],
        [
            Trace(points.tolist(), role)
            for way in preview.ways
            for points, role in ((way.before, Role.BEFORE), (way.after, Role.AFTER))
        ],
        [_lane(way, frames, low, high) for way in preview.ways],
        frames[0],
        frames[-1],
        low,
        high,
    )


def now(shown: Steps, preview: "Preview", frame: int, size: float) -> Now:
    """What is shown on a frame: where feet are and would be then, and the troubles near it.

    Args:
        shown: what is shown on every frame.
        preview: of which it is.
        frame: of the scene.
        size: of the character, metres.
    """
    ghosts, marks, words = list[Ghost](), list[Mark](), list[Words]()
    row = frame - shown.first
    rows = shown.last - shown.first + 1
    if 0 <= row < rows == len(preview.frames):
        for way in preview.ways:
            marks.append(Mark(Sign.RING, Vector(way.before[row]), Role.BEFORE, SKIN * size))
            marks.append(Mark(Sign.DOT, Vector(way.after[row]), Role.AFTER, SKIN * size))
            outline = tuple((x, y, z) for x, y, z in way.soles[row].tolist())
            ghosts.append(Ghost(outline, Role.STANDS if way.contacts[row].any() else Role.AFTER))
    for trouble in preview.troubles:
        place = _place(preview, trouble.foot, trouble.frame)
        if place is not None:
            marks.append(Mark(Sign.JOINT, place, Role.KEPT, SKIN * size))
            if abs(trouble.frame - frame) <= NEAR:
                words.append(Words(place, trouble.words, Role.KEPT))
    return Now(shown, frame, ghosts, marks, words)


def foot_words(role: str) -> str:
    """A foot for people: `foot.L` is the left foot."""
    _, _, rest = role.partition(".")
    number, _, side = rest.rpartition(".")
    name = {"L": "Left foot", "R": "Right foot"}.get(side, role)
    return f"{name} {number}" if number and name != role else name


def _place(preview: "Preview", foot: str, frame: int) -> Vector | None:
    """Where a foot is to be on a frame; None if there is no such foot."""
    row = frame - int(preview.frames[0])
    ways = [way for way in preview.ways if foot_words(way.foot).lower() == foot.lower() or way.foot == foot]
    return Vector(ways[0].after[row]) if ways and 0 <= row < len(preview.frames) else None


def span(ways: "Sequence[Way]") -> tuple[float, float]:
    """From which height to which the graph goes: all of it afterwards, and of before what does not squash that."""
    after = [height for way in ways for height in way.height_after.tolist() if math.isfinite(height)]
    before = [height for way in ways for height in way.height_before.tolist() if math.isfinite(height)]
    top = max([LEAST, *after])
    high = min(max([top, *before]), 1.5 * top)
    return min([0.0, *after, max([-BELOW * top, min([0.0, *before])])]), high


def _lane(way: "Way", frames: Sequence[int], low: float, high: float) -> Lane:
    curves = [  # a NaN stays one: of max and min it is the first
        Curve(list(_pieces(frames, [min(max(height, low), high) for height in heights.tolist()])), role)
        for heights, role in ((way.height_before, Role.BEFORE), (way.height_after, Role.AFTER))
    ]
    bars = [
        Bar(role, frames[first], frames[last])
        for column, role in enumerate(PARTS)
        for first, last in runs(way.contacts[:, column].tolist())
    ]
    return Lane(foot_words(way.foot), curves, bars)


def _pieces(frames: Sequence[int], heights: Sequence[float]) -> Iterator[list[tuple[float, float]]]:
    for first, last in runs([math.isfinite(height) for height in heights]):
        yield [(float(frames[row]), heights[row]) for row in range(first, last + 1)]


def runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The first and last places of each run of True."""
    first: int | None = None
    for place, flag in enumerate([*flags, False]):
        if flag and first is None:
            first = place
        elif not flag and first is not None:
            yield first, place - 1
            first = None
