"""How shapes are painted in a 3D view: `paint` puts them into the view, `write` their words over it.

Signs and lines are a few batches of unit size, made once and placed by matrices, so that a redraw makes nothing new on
the graphics card; only the curves of limits have batches of their own, one for each set of limits. Signs and widths
have a size on the screen. Everything is painted twice: faintly where something is in front of it, fully elsewhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import blf
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix, Vector

from .signs import Arc, Line, Mark, Role, Shapes, Sign, Strand, Words

if TYPE_CHECKING:
    from ..bridge.limit_shapes import Curve

Point = tuple[float, float, float]
Colour = tuple[float, float, float]

# Lengths are in pixels of a screen of ordinary density.
RADIUS = {Sign.RING: 6.0, Sign.DIAMOND: 7.5, Sign.TARGET: 8.0, Sign.JOINT: 10.0}
CORE = {Sign.DIAMOND: 2.6, Sign.TARGET: 2.2, Sign.DOT: 3.2}  # radius of the filled middle
ACTIVE = 1.25  # times the size: the goal whose settings are shown
THICK, THIN, HALO = 2.0, 1.25, 1.5  # widths of lines; a halo is so much wider on either side
DASH = 8.0  # a dash and the gap after it
TEXT = 12.0  # size of letters, in points
BESIDE = (14.0, -4.0)  # where words begin, from their place

BEHIND = 0.28  # what is left of a sign's alpha where something is in front
LINES_BEHIND = 0.5  # the same of lines and limits, which have no skin
HALO_ALPHA = 0.45
FAN_ALPHA = 0.12
ALPHA = {Role.IDLE: 0.8, Role.LIMIT: 0.85, Role.BODY: 0.4}  # of the other roles: all of it
PASSES = (("GREATER", BEHIND, LINES_BEHIND), ("LESS_EQUAL", 1.0, 1.0))  # what is behind something, what is in front
_CORNERS = 40  # of a circle
_MOST_DASHES = 60


@dataclass(frozen=True)
class View:
    """What painting needs to know of a view."""

    size: tuple[float, float]  # of the region, in its pixels
    view: Matrix  # from the world to the viewer
    window: Matrix  # from the viewer to the screen
    scale: float  # the region's pixels for one on a screen of ordinary density
    line_scale: float  # the same for widths of lines
    colours: dict[Role, Colour]
    text: Colour
    halo: Colour  # behind everything, so that it is seen on any ground

    def pixel(self, place: Vector) -> float:
        """Metres that a pixel of the region covers at a place."""
        depth = (self.window @ self.view @ place.to_4d()).w
        return 2.0 * depth / (self.window[0][0] * self.size[0])

    def nearer(self, place: Vector, by: float) -> Vector:
        """A place moved towards the viewer; it stays where it is on the screen."""
        eye = self.view.inverted()
        if self.window[3][3] != 0.0:  # orthographic
            return place + eye.to_3x3() @ Vector((0.0, 0.0, by))
        towards = eye.translation - place
        return place + towards * min(by / max(towards.length, 1e-9), 0.5)

    def on_screen(self, place: Vector) -> tuple[float, float] | None:
        """Where a place is in the region, in pixels from its lower left; None if it is behind the viewer."""
        seen = self.window @ self.view @ place.to_4d()
        if seen.w <= 0.0:
            return None
        return (0.5 + 0.5 * seen.x / seen.w) * self.size[0], (0.5 + 0.5 * seen.y / seen.w) * self.size[1]


def forget() -> None:
    """Let go of what was made on the graphics card."""
    for made in (_ring, _diamond, _disc, _strokes, _rim, _fan):
        made.cache_clear()


def paint(view: View, shown: Shapes) -> None:
    """Paint shapes into the view; the state of the graphics card is left as it was."""
    state: Any = gpu.state
    blend, test, mask = state.blend_get(), state.depth_test_get(), state.depth_mask_get()
    state.blend_set("ALPHA")
    state.depth_mask_set(False)
    try:
        for depth_test, seen, lines_seen in PASSES:
            state.depth_test_set(depth_test)
            for arc in shown.arcs:
                _paint_arc(view, arc, lines_seen)
            _paint_strands(view, shown.strands, lines_seen)
            for line in shown.lines:
                _paint_line(view, line, lines_seen)
            for mark in shown.marks:
                if view.on_screen(mark.place):
                    _paint_mark(view, mark, seen)
    finally:
        state.blend_set(blend)
        state.depth_test_set(test)
        state.depth_mask_set(mask)


def write(view: View, words: Sequence[Words]) -> None:
    """Write words over the view, each beside its place."""
    font = 0
    blf.size(font, TEXT * view.scale)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 5, *view.halo, 1.0)
    blf.shadow_offset(font, 0, 0)
    for one in words:
        if (there := view.on_screen(one.place)) is not None:
            other = view.on_screen(one.away_from) if one.away_from else None
            right = BESIDE[0] * view.scale
            if other is not None and other[0] > there[0]:
                right = -right - blf.dimensions(font, one.words)[0]
            blf.color(font, *readable(view, view.colours[one.role]), 1.0)
            blf.position(font, there[0] + right, there[1] + BESIDE[1] * view.scale, 0.0)
            blf.draw(font, one.words)
    blf.disable(font, blf.SHADOW)


def readable(view: View, colour: Colour) -> Colour:
    """A colour half-way to that of text."""
    red, green, blue = (0.5 * (one + other) for one, other in zip(colour, view.text, strict=True))
    return red, green, blue


def _paint_mark(view: View, mark: Mark, seen: float) -> None:
    """A sign, facing the viewer."""
    place = view.nearer(mark.place, mark.skin)
    facing = view.view.inverted().to_3x3().to_4x4()
    facing.translation = place
    pixel = view.pixel(place) * view.scale * (ACTIVE if mark.active else 1.0)
    alpha = seen * ALPHA.get(mark.role, 1.0)
    outline = _diamond if mark.sign is Sign.DIAMOND else _ring
    if radius := RADIUS.get(mark.sign):
        placed = facing @ Matrix.Scale(radius * pixel, 4)
        stroke(view, outline(), placed, THICK + 2.0 * HALO, view.halo, HALO_ALPHA * seen)
        stroke(view, outline(), placed, THICK, view.colours[mark.role], alpha)
    if radius := CORE.get(mark.sign):
        placed = facing @ Matrix.Scale(radius * pixel, 4)
        stroke(view, _ring(), placed, 2.0 * HALO, view.halo, HALO_ALPHA * seen)
        fill(_disc(), placed, view.colours[mark.role], alpha)
        stroke(view, _ring(), placed, 1.0, view.colours[mark.role], alpha)  # the edge of a fill is not smooth


def _paint_line(view: View, line: Line, seen: float) -> None:
    """A line, or a row of dashes that have a length on the screen."""
    along = line.end - line.begin
    placed = Matrix(((along.x, 0.0, 0.0), (along.y, 1.0, 0.0), (along.z, 0.0, 1.0))).to_4x4()
    placed.translation = line.begin
    count = 1
    if line.dashed:
        length = along.length / max(view.pixel(line.begin), view.pixel(line.end), 1e-9)
        count = int(min(max(length / (DASH * view.scale), 2.0), _MOST_DASHES))
    width, alpha = (THIN if line.dashed else THICK), seen * ALPHA.get(line.role, 1.0)
    stroke(view, _strokes(count), placed, width + 2.0 * HALO, view.halo, 0.6 * HALO_ALPHA * seen)
    stroke(view, _strokes(count), placed, width, view.colours[line.role], alpha)


def _paint_strands(view: View, strands: Sequence[Strand], seen: float) -> None:
    """All wires, those of a colour at once: a body may have hundreds, which move with every redraw."""
    for role in dict.fromkeys(one.role for one in strands):
        lines = ([place[:] for place in one.places] for one in strands if one.role is role)
        batch = batch_of("LINES", [end for line in lines for end in segments(line, closed=False)])
        stroke(view, batch, Matrix(), THICK + 2.0 * HALO, view.halo, 0.6 * HALO_ALPHA * seen)
        stroke(view, batch, Matrix(), THICK, view.colours[role], seen * ALPHA.get(role, 1.0))


def _paint_arc(view: View, arc: Arc, seen: float) -> None:
    """A limit: its edge and, if it encloses something, a faint cone or fan from the joint."""
    colour, alpha = view.colours[arc.role], seen * ALPHA.get(arc.role, 1.0)
    if arc.curve.filled:
        fill(_fan(arc.curve), arc.frame, colour, FAN_ALPHA * seen)
    stroke(view, _rim(arc.curve), arc.frame, THIN + 2.0 * HALO, view.halo, 0.6 * HALO_ALPHA * seen)
    stroke(view, _rim(arc.curve), arc.frame, THIN, colour, alpha)


def stroke(view: View, batch: gpu.types.GPUBatch, placed: Matrix, width: float, colour: Colour, alpha: float) -> None:
    """Draw a batch of lines."""
    shader = _line_shader()
    shader.bind()
    shader.uniform_float("viewportSize", view.size)
    shader.uniform_float("lineWidth", width * view.line_scale)
    shader.uniform_float("color", (*colour, alpha))
    _draw_at(batch, shader, placed)


def fill(batch: gpu.types.GPUBatch, placed: Matrix, colour: Colour, alpha: float) -> None:
    """Draw a batch of triangles."""
    shader = _fill_shader()
    shader.bind()
    shader.uniform_float("color", (*colour, alpha))
    _draw_at(batch, shader, placed)


def _draw_at(batch: gpu.types.GPUBatch, shader: gpu.types.GPUShader, placed: Matrix) -> None:
    gpu.matrix.push()
    gpu.matrix.multiply_matrix(placed)
    batch.draw(shader)
    gpu.matrix.pop()


def _line_shader() -> gpu.types.GPUShader:
    return gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")  # Blender keeps them


def _fill_shader() -> gpu.types.GPUShader:
    return gpu.shader.from_builtin("UNIFORM_COLOR")


def batch_of(kind: Literal["LINES", "TRIS"], points: Sequence[Sequence[float]]) -> gpu.types.GPUBatch:
    """Put points on the graphics card, two or three of them for each line or triangle; none give an empty picture."""
    shader = _fill_shader() if kind == "TRIS" else _line_shader()
    return batch_for_shader(shader, kind, {"pos": points or 6 * [(0.0, 0.0, 0.0)]})


def _circle(corners: int) -> list[Point]:
    angles = (2.0 * math.pi * corner / corners for corner in range(corners))
    return [(math.cos(angle), math.sin(angle), 0.0) for angle in angles]


def segments(points: Sequence[Sequence[float]], closed: bool = True) -> list[Sequence[float]]:
    """The ends of all segments of a line; polylines as strips have gaps at their corners."""
    ends = [*points, points[0]] if closed else list(points)
    return [end for pair in pairwise(ends) for end in pair]


@lru_cache(maxsize=1)
def _ring() -> gpu.types.GPUBatch:
    return batch_of("LINES", segments(_circle(_CORNERS)))


@lru_cache(maxsize=1)
def _diamond() -> gpu.types.GPUBatch:
    return batch_of("LINES", segments(_circle(4)))


@lru_cache(maxsize=1)
def _disc() -> gpu.types.GPUBatch:
    return batch_of("TRIS", _triangles(_circle(_CORNERS), closed=True))


@lru_cache(maxsize=_MOST_DASHES)
def _strokes(count: int) -> gpu.types.GPUBatch:
    """From 0 to 1 along x, in so many dashes; one is a line."""
    part = 1.0 / (count - 0.4) if count > 1 else 1.0
    long = 0.6 if count > 1 else 1.0
    ends = [(place * part, 0.0, 0.0) for dash in range(count) for place in (dash, dash + long)]
    return batch_of("LINES", ends)


@lru_cache(maxsize=32)
def _rim(curve: "Curve") -> gpu.types.GPUBatch:
    """A limit's edge; of an open one that is filled, with its two sides."""
    points = curve.points.tolist()
    if curve.filled and not curve.closed:
        return batch_of("LINES", segments([(0.0, 0.0, 0.0), *points]))
    return batch_of("LINES", segments(points, curve.closed))


@lru_cache(maxsize=32)
def _fan(curve: "Curve") -> gpu.types.GPUBatch:
    return batch_of("TRIS", _triangles(curve.points.tolist(), curve.closed))


def _triangles(points: Sequence[Sequence[float]], closed: bool) -> list[Sequence[float]]:
    """A fan about the origin."""
    ends = segments(points, closed)
    return [corner for i in range(0, len(ends), 2) for corner in ((0.0, 0.0, 0.0), ends[i], ends[i + 1])]
