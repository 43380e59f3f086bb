"""How a preview of placed feet is painted: `paint` puts footprints and ways into the view, `write` the graph over it.

Batches are made once for a preview, in frames and metres, and placed by matrices.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import blf
import gpu
from mathutils import Matrix, Vector

from .footprints import PARTS, Lane, Now, Steps
from .paint import (
    HALO,
    HALO_ALPHA,
    PASSES,
    THICK,
    THIN,
    Colour,
    Point,
    View,
    batch_of,
    fill,
    readable,
    segments,
    stroke,
)
from .signs import Role, distance

NEARER = 0.004  # of the way to the eye: so much nearer are prints, not to be lost in the ground that they lie on
FLAT_NEARER = 0.02  # metres: the same where there is no eye, in an orthographic view
PRINT, GHOST = 0.22, 0.45  # alphas: of footprints, of soles as they will be on the present frame
TRACE = {Role.BEFORE: (THIN, 0.75), Role.AFTER: (THICK, 0.95)}  # width and alpha

# The graph, in pixels of a screen of ordinary density.
PAD, LINE, TEXT = 8.0, 15.0, 11.0  # around it, a line of text, and its letters in points
CURVE, LEAST_CURVE, BAR, GAP = 44.0, 14.0, 5.0, 7.0  # heights of curves, of a bar, between lanes
NAME, MARGIN = 66.0, 14.0  # widths: of names beside lanes, around the graph
MOST = 0.4  # of the view's height
NARROW = 260.0  # narrower, nothing could be seen
BACK_ALPHA = 0.55
LEGEND = {Role.BEFORE: "before", Role.AFTER: "after", Role.HEEL: "heel", Role.BALL: "ball", Role.TOE: "toe"}


class Box(NamedTuple):
    """A part of the region, in its pixels."""

    left: float
    low: float
    right: float
    high: float


class Letters(NamedTuple):
    """A word or two at a place of the region."""

    x: float
    y: float
    words: str
    colour: Colour


def forget() -> None:
    """Let go of what was made on the graphics card."""
    for made in MADE:
        made.cache_clear()


def paint(view: View, walks: Sequence[Now]) -> None:
    """Paint footprints and ways into the view; the state of the graphics card is left as it was."""
    state: Any = gpu.state
    blend, test, mask = state.blend_get(), state.depth_test_get(), state.depth_mask_get()
    state.blend_set("ALPHA")
    state.depth_mask_set(False)
    placed = _towards_the_eye(view)
    try:
        for depth_test, _, seen in PASSES:
            state.depth_test_set(depth_test)
            for walk in walks:
                _paint_prints(view, walk, placed, seen)
                for role, (width, alpha) in TRACE.items():
                    stroke(view, _traces(walk.steps, role), placed, width, view.colours[role], alpha * seen)
    finally:
        state.blend_set(blend)
        state.depth_test_set(test)
        state.depth_mask_set(mask)


def _paint_prints(view: View, walk: Now, placed: Matrix, seen: float) -> None:
    roles = {one.role for one in walk.steps.prints}
    for role in (Role.STANDS, Role.KEPT):
        if role in roles:
            fill(_fills(walk.steps, role), placed, view.colours[role], PRINT * seen)
            stroke(view, _outlines(walk.steps, role), placed, THIN + 2.0 * HALO, view.halo, 0.6 * HALO_ALPHA * seen)
            stroke(view, _outlines(walk.steps, role), placed, THIN, view.colours[role], seen)
    for ghost in walk.ghosts:
        fill(_sole(ghost.outline), placed, view.colours[ghost.role], GHOST * seen)
        stroke(view, _rim(ghost.outline), placed, THICK, view.colours[ghost.role], seen)


def _towards_the_eye(view: View) -> Matrix:
    """Everything a little nearer; on the screen it stays where it is."""
    eye = view.view.inverted()
    if view.window[3][3] != 0.0:  # orthographic
        back = eye.to_3x3() @ Vector((0.0, 0.0, FLAT_NEARER))
        return Matrix.Translation(back[:])
    nearer = Matrix.Scale(1.0 - NEARER, 4)
    nearer.translation = NEARER * eye.translation
    return nearer


def write(view: View, free: Box, walk: Now, units: Any) -> None:  # noqa: ANN401 - the scene's
    """Draw the graph of heights and contacts over the lower part of a view.

    Args:
        view: the view.
        free: the part of it that no toolbar or sidebar covers.
        walk: what is shown.
        units: those of the scene.
    """
    scale, lanes = view.scale, walk.steps.lanes
    bars = BAR * len(PARTS)
    fixed = 2.0 * PAD + 2.0 * LINE + len(lanes) * (bars + GAP)
    room = MOST * (free.high - free.low) / scale
    tall = min(CURVE, (room - fixed) / max(len(lanes), 1))
    if tall < LEAST_CURVE or free.right - free.left < NARROW * scale:
        return
    low = free.low + MARGIN * scale
    box = Box(free.left + MARGIN * scale, low, free.right - MARGIN * scale, low + (fixed + tall * len(lanes)) * scale)
    state: Any = gpu.state
    blend = state.blend_get()
    state.blend_set("ALPHA")
    letters = list[Letters]()  # the last of all: they leave blending switched off
    try:
        fill(_square(), _to(box), view.halo, BACK_ALPHA)
        letters += _legend(view, box)
        inner = Box(box.left + (PAD + NAME) * scale, low, box.right - PAD * scale, low)
        top = first = box.high - (PAD + LINE) * scale
        for index, lane in enumerate(lanes):
            curve = Box(inner.left, top - tall * scale, inner.right, top)
            _paint_lane(view, walk, index, curve)
            letters += _names(view, lane, walk.steps, curve, units)
            top = curve.low - (bars + GAP) * scale
        letters += _frames(view, walk, Box(inner.left, top + GAP * scale, inner.right, first))
    finally:
        state.blend_set(blend)
    _write_letters(view, letters)


def _paint_lane(view: View, walk: Now, index: int, box: Box) -> None:
    """The curves of a foot, and under them the bars of its contacts."""
    steps, scale = walk.steps, view.scale
    wide = _across(steps, box)
    ground = box.low + (0.0 - steps.low) / (steps.high - steps.low) * (box.high - box.low)
    fill(_square(), _to(Box(box.left, box.low, box.right, ground)), view.text, 0.06)  # what is under the ground
    stroke(view, _flat(), _to(Box(box.left, ground, box.right, ground + 1.0)), 1.0, view.text, 0.35)
    placed = (
        wide
        @ Matrix.Translation((0.0, box.low, 0.0))
        @ Matrix.Scale((box.high - box.low) / (steps.high - steps.low), 4, (0.0, 1.0, 0.0))
        @ Matrix.Translation((0.0, -steps.low, 0.0))
    )
    for role, (width, alpha) in TRACE.items():
        stroke(view, _curves(steps, index, role), placed, width, view.colours[role], alpha)
    for row, role in enumerate(PARTS):
        under = box.low - (row + 1) * BAR * scale
        placed = wide @ Matrix.Translation((0.0, under, 0.0)) @ Matrix.Scale((BAR - 1.0) * scale, 4, (0.0, 1.0, 0.0))
        fill(_bars(steps, index, role), placed, view.colours[role], 1.0)


def _legend(view: View, box: Box) -> Iterator[Letters]:
    """What the colours mean, in one line."""
    scale = view.scale
    x, y = box.left + PAD * scale, box.high - (PAD + 0.75 * LINE) * scale
    middle = y + 4.0 * scale
    for role, words in LEGEND.items():
        half = 0.5 * scale * (THICK if role in TRACE else BAR)
        fill(_square(), _to(Box(x, middle - half, x + 12.0 * scale, middle + half)), view.colours[role], 1.0)
        x += 16.0 * scale
        yield Letters(x, y, words, view.text)
        x += _width(view, words) + 12.0 * scale


def _names(view: View, lane: Lane, steps: Steps, box: Box, units: Any) -> Iterator[Letters]:  # noqa: ANN401
    """Whose lane it is, and how high it reaches."""
    scale = view.scale
    x = box.left - NAME * scale
    yield Letters(x, box.high - 0.9 * LINE * scale, lane.words, view.text)
    if box.high - box.low > 2.0 * LINE * scale:
        yield Letters(x, box.high - 1.9 * LINE * scale, f"to {distance(steps.high, units)}", _faint(view))


def _frames(view: View, walk: Now, box: Box) -> Iterator[Letters]:
    """The present frame as a line with its number, and the numbers of the first and the last."""
    steps, scale = walk.steps, view.scale
    y, taken = box.low - 0.8 * LINE * scale, list[tuple[float, float]]()
    if steps.first <= walk.frame <= steps.last:
        here = box.left + (walk.frame - steps.first) / max(steps.last - steps.first, 1) * (box.right - box.left)
        stroke(view, _upright(), _to(Box(here, box.low, here + 1.0, box.high)), THIN, view.text, 0.9)
        half = 0.5 * _width(view, str(walk.frame))
        yield Letters(here - half, y, str(walk.frame), view.text)
        taken.append((here - half, here + half))
    for frame, x, part in ((steps.first, box.left, 0.0), (steps.last, box.right, 1.0)):
        wide = _width(view, str(frame))
        begin = x - part * wide
        if all(begin > end + 4.0 * scale or begin + wide < start - 4.0 * scale for start, end in taken):
            yield Letters(begin, y, str(frame), _faint(view))


def _faint(view: View) -> Colour:
    """What counts less: a colour between text and what is behind it, nearer to text."""
    return readable(view, readable(view, view.halo))


def _width(view: View, words: str) -> float:
    blf.size(0, TEXT * view.scale)
    return float(blf.dimensions(0, words)[0])


def _write_letters(view: View, letters: Sequence[Letters]) -> None:
    font = 0
    blf.size(font, TEXT * view.scale)
    for one in letters:
        blf.color(font, *one.colour, 1.0)
        blf.position(font, one.x, one.y, 0.0)
        blf.draw(font, one.words)


def _to(box: Box) -> Matrix:
    """From the unit square to a box."""
    placed = Matrix.Diagonal((box.right - box.left, box.high - box.low, 1.0, 1.0))
    placed.translation = (box.left, box.low, 0.0)
    return placed


def _across(steps: Steps, box: Box) -> Matrix:
    """From frames to pixels along x; y stays."""
    wide = (box.right - box.left) / max(steps.last - steps.first, 1)
    return Matrix.Translation((box.left - wide * steps.first, 0.0, 0.0)) @ Matrix.Diagonal((wide, 1.0, 1.0, 1.0))


@lru_cache(maxsize=8)
def _traces(steps: Steps, role: Role) -> gpu.types.GPUBatch:
    return batch_of("LINES", [end for one in steps.traces if one.role is role for end in segments(one.points, False)])


@lru_cache(maxsize=8)
def _outlines(steps: Steps, role: Role) -> gpu.types.GPUBatch:
    return batch_of("LINES", [end for one in steps.prints if one.role is role for end in segments(one.outline)])


@lru_cache(maxsize=8)
def _fills(steps: Steps, role: Role) -> gpu.types.GPUBatch:
    return batch_of("TRIS", [corner for one in steps.prints if one.role is role for corner in _fan(one.outline)])


@lru_cache(maxsize=16)
def _sole(outline: tuple[Point, ...]) -> gpu.types.GPUBatch:
    return batch_of("TRIS", _fan(outline))


@lru_cache(maxsize=16)
def _rim(outline: tuple[Point, ...]) -> gpu.types.GPUBatch:
    return batch_of("LINES", segments(outline))


def _fan(outline: Sequence[Point]) -> list[Sequence[float]]:
    """Triangles about the middle of a sole."""
    count = len(outline)
    middle = tuple(sum(point[axis] for point in outline) / count for axis in range(3))
    ends = segments(outline)
    return [corner for i in range(0, len(ends), 2) for corner in (middle, ends[i], ends[i + 1])]


@lru_cache(maxsize=16)
def _curves(steps: Steps, lane: int, role: Role) -> gpu.types.GPUBatch:
    pieces = [piece for curve in steps.lanes[lane].curves if curve.role is role for piece in curve.pieces]
    return batch_of(
        "LINES", [end for piece in pieces for end in segments([(x, y, 0.0) for x, y in piece], closed=False)]
    )


@lru_cache(maxsize=32)
def _bars(steps: Steps, lane: int, role: Role) -> gpu.types.GPUBatch:
    """In frames, and from 0 to 1 upward; a bar covers half a frame on either side."""
    ends = [
        (max(bar.first - 0.5, steps.first), min(bar.last + 0.5, steps.last))
        for bar in steps.lanes[lane].bars
        if bar.role is role
    ]
    return batch_of("TRIS", [corner for begin, end in ends for corner in _rectangle(begin, end)])


def _rectangle(begin: float, end: float) -> list[Point]:
    corners = [(begin, 0.0, 0.0), (end, 0.0, 0.0), (end, 1.0, 0.0), (begin, 1.0, 0.0)]
    return [corners[index] for index in (0, 1, 2, 0, 2, 3)]


@lru_cache(maxsize=1)
def _square() -> gpu.types.GPUBatch:
    return batch_of("TRIS", _rectangle(0.0, 1.0))


@lru_cache(maxsize=1)
def _flat() -> gpu.types.GPUBatch:
    return batch_of("LINES", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])


@lru_cache(maxsize=1)
def _upright() -> gpu.types.GPUBatch:
    return batch_of("LINES", [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0)])


MADE = (_traces, _outlines, _fills, _sole, _rim, _curves, _bars, _square, _flat, _upright)
