"""How variations are painted: `paint` puts stick figures into the view, `paint_ways` a search, `write` a graph over it.

Batches are made once: in the world, and of the graph in generations and logarithms.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import blf
import gpu
from mathutils import Matrix, Vector

from . import paint as shapes_paint
from .ghosts import Course, Curve, Figures, Sticks, Ways
from .paint import HALO, HALO_ALPHA, PASSES, THICK, THIN, View, batch_of, fill, readable, segments, stroke
from .paint_feet import Box
from .signs import Mark, Role, Shapes, Sign

GHOST, SHOWN, WAY = 0.5, 0.95, 0.6  # alphas: of poses, of the one on the character, of ways
STICK = 1.75  # width

# The graph, in pixels of a screen of ordinary density.
PAD, LINE, TEXT, MARGIN = 8.0, 15.0, 11.0, 14.0  # around it, a line of text, letters in points, from the view's edge
WIDE, TALL, NAME = 330.0, 110.0, 34.0  # the curves, and the numbers beside them
MOST = 0.5  # of the view's width and height
BACK_ALPHA = 0.6
DASH = 0.1  # generations to either side: what marks a cost, of which a curve may have only one
LEGEND = {Role.BEGUN: "elites begun", Role.ENDED: "elites descended", Role.SHOWN: "best so far"}


def forget() -> None:
    """Let go of what was made on the graphics card."""
    for made in (_figure, _lines, _curve, _square):
        made.cache_clear()


def paint(view: View, figures: Sequence[Figures]) -> None:
    """Paint poses."""
    with _blended() as state:
        for depth_test, _, seen in PASSES:
            state.depth_test_set(depth_test)
            for one in figures:
                for index, sticks in enumerate(one.sticks):
                    if index != one.current:
                        _paint_sticks(view, sticks, STICK, Role.GHOST, GHOST * seen)
                _paint_sticks(view, one.sticks[one.current], THICK, Role.SHOWN, SHOWN * seen)


def _paint_sticks(view: View, sticks: Sticks, width: float, role: Role, alpha: float) -> None:
    here = Matrix.Identity(4)
    stroke(view, _figure(sticks), here, width + 2.0 * HALO, view.halo, HALO_ALPHA * alpha)
    stroke(view, _figure(sticks), here, width, view.colours[role], alpha)


def paint_ways(view: View, courses: Sequence[Course]) -> None:
    """Paint where elites carried the points of goals, and where these were to be."""
    with _blended() as state:
        for depth_test, _, seen in PASSES:
            state.depth_test_set(depth_test)
            for one in courses:
                stroke(view, _lines(one.ways), Matrix.Identity(4), THIN, view.colours[Role.ENDED], WAY * seen)
    marks = [Mark(Sign.DOT, Vector(place), Role.BEGUN, 0.0) for one in courses for place in one.ways.ends[::2]]
    marks += [Mark(Sign.RING, Vector(place), Role.ENDED, 0.0) for one in courses for place in one.ways.targets]
    shapes_paint.paint(view, Shapes(marks=marks))


def write(view: View, free: Box, course: Course) -> None:
    """Draw the graph of costs in the lower left of a view, in the part that no toolbar or sidebar covers."""
    scale = view.scale
    wide = min(WIDE * scale, MOST * (free.right - free.left))
    tall = min(TALL * scale, MOST * (free.high - free.low))
    left, low = free.left + (MARGIN + PAD + NAME) * scale, free.low + (MARGIN + PAD + LINE) * scale
    box = Box(left, low, left + wide, low + tall)
    pad, line = PAD * scale, LINE * scale
    back = Box(left - pad - NAME * scale, low - pad - line, box.right + pad, box.high + pad + 2.0 * line)
    with _blended():
        fill(_square(), _to(back), view.halo, BACK_ALPHA)
        for curve in course.curves:
            width = THICK if curve.role is Role.SHOWN else THIN
            stroke(view, _curve(curve), _placed(course, box), width, view.colours[curve.role], 0.9)
    _write_letters(view, course, box)


def _write_letters(view: View, course: Course, box: Box) -> None:
    font, scale, plain = 0, view.scale, readable(view, view.halo)
    blf.size(font, TEXT * scale)
    half = 0.5 * (box.right - box.left) / course.generations
    beside, above, below = box.left - NAME * scale, box.high + PAD * scale, box.low - LINE * scale
    letters = [
        (beside, box.high - 0.6 * TEXT * scale, f"1e{course.high:.0f}", plain),
        (beside, box.low, f"1e{course.low:.0f}", plain),
        (box.left + half, below, "1", plain),
        (box.right - half, below, f"{course.generations}", plain),
        (box.left + 0.4 * (box.right - box.left), below, "generations", plain),
        (beside, above + LINE * scale, course.words, plain),
    ]
    x = beside
    for role, words in LEGEND.items():
        letters.append((x, above, words, readable(view, view.colours[role])))
        x += blf.dimensions(font, words)[0] + 2.0 * PAD * scale
    for x, y, words, colour in letters:
        blf.color(font, *colour, 1.0)
        blf.position(font, x, y, 0.0)
        blf.draw(font, words)


@contextmanager
def _blended() -> Iterator[Any]:
    """With transparency, and nothing written to the depths; the state of the graphics card is left as it was."""
    state: Any = gpu.state
    blend, test, mask = state.blend_get(), state.depth_test_get(), state.depth_mask_get()
    state.blend_set("ALPHA")
    state.depth_mask_set(False)
    try:
        yield state
    finally:
        state.blend_set(blend)
        state.depth_test_set(test)
        state.depth_mask_set(mask)


def _to(box: Box) -> Matrix:
    """From the unit square to a box."""
    placed = Matrix.Diagonal((box.right - box.left, box.high - box.low, 1.0, 1.0))
    placed.translation = (box.left, box.low, 0.0)
    return placed


def _placed(course: Course, box: Box) -> Matrix:
    """From generations and logarithms to a box."""
    to_unit = Matrix.Diagonal((1.0 / course.generations, 1.0 / (course.high - course.low), 1.0, 1.0))
    return _to(box) @ to_unit @ Matrix.Translation((-0.5, -course.low, 0.0))


@lru_cache(maxsize=64)
def _figure(sticks: Sticks) -> gpu.types.GPUBatch:
    return batch_of("LINES", sticks.ends)


@lru_cache(maxsize=4)
def _lines(ways: Ways) -> gpu.types.GPUBatch:
    return batch_of("LINES", ways.ends)


@lru_cache(maxsize=32)
def _curve(curve: Curve) -> gpu.types.GPUBatch:
    ends = segments([(x, y, 0.0) for x, y in curve.points], closed=False) if curve.role is Role.SHOWN else []
    for x, y in curve.points:
        ends += [(x - DASH, y, 0.0), (x + DASH, y, 0.0)]
    return batch_of("LINES", ends)


@lru_cache(maxsize=1)
def _square() -> gpu.types.GPUBatch:
    return batch_of("TRIS", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0), (1, 1, 0), (0, 1, 0)])
