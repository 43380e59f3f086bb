"""Two things kept apart: spheres, capsules (bones with a thickness), planes, boxes and grids of distances."""

import math
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector, dot
from ..tree import Tree
from .goal import Goal
from .position import anchor_of
from .solids import Box, Grid, off_box, off_grid, round_box
from .tables import GoalArrays, Packed, Unit, Values, bend_point, no_tap, tap_anchor

_NEAR = 1e-9  # metres: shorter than this, a segment is a point and a distance has no direction
_PLANE, _BOX, _GRID = 1, 2, 3  # what the second thing is; 0 for a sphere or capsule
_SECOND = 9  # where its numbers begin
_PARALLEL = 1e-14  # squared sine of the angle between two segments, below which rounding decides where they are closest


@dataclass(frozen=True)
class Sphere:
    """A sphere on a body, its `centre` [3] in the body's frame; with `joint` None, fixed in the tree's space."""

    joint: str | None
    radius: float
    centre: ArrayLike = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Capsule:
    """All that is within `radius` of the segment from `start` [3] to `end` [3], in the frame of a body or the tree's.

    A bone of length l is `Capsule(name, radius, end=(0, l, 0))`.
    """

    joint: str | None
    radius: float
    end: ArrayLike
    start: ArrayLike = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Plane:
    """The half space below a `point` [3] with an upward `normal` [3], fixed in the tree's space."""

    point: ArrayLike
    normal: ArrayLike = (0.0, 0.0, 1.0)


@dataclass(kw_only=True)
class Distance(Goal):
    """Between the surfaces of two things there is to be at least `gap` (metres); negative lets them overlap.

    Pushing begins `margin` (metres) earlier. With d between the surfaces and h = gap + margin - d the residual is 0 for
    h ≤ 0, h²/(2 margin) up to h = margin, and h - ½ margin beyond: it and its slope have no jump, and it grows no
    faster than the overlap (Bio-IK's ∞ has neither slope nor use to a line search). The error is how far d is below
    `gap`; within the margin there is none.

    A capsule that is to lie on a plane, or to be kept off a box or a grid, is best told as a row of spheres, each with
    a goal of its own: of a capsule only its nearest point would push, and that leaps from end to end.
    """

    first: Sphere | Capsule = field(kw_only=False)
    second: Sphere | Capsule | Plane | Box | Grid = field(kw_only=False)
    gap: float = 0.0
    margin: float = 0.01

    kind: ClassVar[int] = 6

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        body, shape = self._shape(tree, self.first)
        other, ints, against = self._second(tree)
        if body == other:
            raise self.complain(f"no joint is between {self.first} and {self.second}")
        gap, margin = self.numbers((self.gap,), 1, "gap")[0], self.amount(self.margin, "margin")
        return Packed(
            ints=(body, other, *ints),
            floats=(*shape, gap, margin, *against),
            weights=self.weights(1.0, 1),
            units=(Unit.METRES,),
            taps=2,
            grid=self.second.field.values if isinstance(self.second, Grid) else None,
        )

    def slack(self) -> float:  # noqa: D102
        return 0.5 * self.margin

    def _shape(self, tree: Tree, shape: Sphere | Capsule) -> tuple[int, tuple[float, ...]]:
        """The body of a sphere or capsule (-1: none), and its two ends and radius [7]; a sphere's ends are the same."""
        if isinstance(shape, Sphere):
            start = end = self.numbers(shape.centre, 3, "centre")
        elif isinstance(shape, Capsule):
            start, end = self.numbers(shape.start, 3, "start"), self.numbers(shape.end, 3, "end")
        else:
            raise self.complain(f"{shape!r} is no sphere or capsule; a plane comes second")
        return self.anchor(tree, shape.joint), (*start, *end, self.amount(shape.radius, "radius"))

    def _second(self, tree: Tree) -> tuple[int, tuple[int, ...], tuple[float, ...]]:
        """The body of the second thing, what it is, and its numbers."""
        thing = self.second
        if isinstance(thing, Plane):
            return -1, (_PLANE,), self._plane(thing)
        if isinstance(thing, Box | Grid) and not isinstance(self.first, Sphere):
            raise self.complain("a capsule against a box or a grid is told as a row of spheres")
        if isinstance(thing, Box):
            sizes = self.numbers(thing.sizes, 3, "sizes")
            half = tuple(self.amount(size, "size") for size in sizes)
            return -1, (_BOX,), (*self.numbers(thing.centre, 3, "centre"), *half, *self._turn(thing))
        if isinstance(thing, Grid):
            known, place = thing.field, self.numbers(thing.place, 3, "place")
            return -1, (_GRID, *known.values.shape), (*place, *self._turn(thing), *known.origin, known.cell)
        body, shape = self._shape(tree, thing)
        return body, (0,), shape

    def _turn(self, thing: Box | Grid) -> tuple[float, ...]:
        return self.quaternion(thing.rotation, "rotation")

    def _plane(self, plane: Plane) -> tuple[float, ...]:
        normal = np.array(self.numbers(plane.normal, 3, "normal"))
        length = float(np.linalg.norm(normal))
        if length == 0.0:
            raise self.complain("normal is a vector of length zero")
        return (*self.numbers(plane.point, 3, "point"), *(normal / length).tolist(), 0.0)


@kernel
def evaluate_distance(goals: GoalArrays, goal: int, row: int, tap: int, pose: PoseArrays, values: Values) -> None:
    """One row, the hinge of `Distance`; no taps while it is zero.

    Of the points of two segments only the closest pair matters, and moving along the segments changes their distance
    in second order only (the envelope theorem): each is tapped as if it were fixed to its body.
    """
    body, other, at = goals.ints[goal, 0], goals.ints[goal, 1], goals.floats[goal]
    distance, point, foot, apart = _contact(goals, goal, pose)
    gap, margin, shift = at[7], at[8], goals.shift[row]
    # A multiplier's shift belongs inside the hinge, or one that pushes no more would still have its cost.
    near = gap + margin - distance
    values.residual[row], _ = _hinge(near, margin)
    values.pull[row], slope = _hinge(near + shift, margin)
    if slope == 0.0:
        no_tap(values, tap)
        no_tap(values, tap + 1)
        return
    tap_anchor(values, tap, row, body, point, (-slope * apart[0], -slope * apart[1], -slope * apart[2]))
    tap_anchor(values, tap + 1, row, other, foot, (slope * apart[0], slope * apart[1], slope * apart[2]))


@kernel
def bend_distance(
    goals: GoalArrays, goal: int, row: int, pose: PoseArrays, pull: Floats, centre: Vector, bending: Floats
) -> bool:
    """What pushes a body off a fixed thing turns it: the push's moment changes as it turns. False if nothing pushes.

    That the direction changes too, and all of two bodies that push each other, is not of one body: see
    `wire_curvature`.
    """
    bodies = goals.ints[goal]
    if pull[row] <= 0.0 or (bodies[0] >= 0 and bodies[1] >= 0):
        return False
    at = goals.floats[goal]
    distance, point, foot, apart = _contact(goals, goal, pose)
    _, slope = _hinge(at[7] + at[8] - distance + goals.shift[row], at[8])
    first = bodies[0] >= 0
    push, here = slope * (-pull[row] if first else pull[row]), point if first else foot
    about = (here[0] - centre[0], here[1] - centre[1], here[2] - centre[2])
    bend_point(bending, max(bodies[0], bodies[1]), about, (push * apart[0], push * apart[1], push * apart[2]))
    return True


class Touch(NamedTuple):
    """How two things push each other, to second order."""

    slope: float  # of the residual, as they come nearer
    growth: float  # of that slope
    point: Vector  # of the first thing, and the nearest of the other
    foot: Vector
    apart: Vector  # the direction from there to here
    roundness: float  # one over the distance of the two points, as the direction turns with it; 0 off what is flat
    slide: Vector  # the direction in which the first one's nearest point moves freely, if there is one; else zeros
    other_slide: Vector


@kernel
def touch(goals: GoalArrays, goal: int, row: int, pose: PoseArrays) -> Touch:
    """How the two things of a goal push each other at a pose."""
    ints, at, kind = goals.ints[goal], goals.floats[goal], goals.ints[goal, 2]
    distance, point, foot, apart = _contact(goals, goal, pose)
    near, margin = at[7] + at[8] - distance + goals.shift[row], at[8]
    _, slope = _hinge(near, margin)
    growth = 1.0 / margin if 0.0 < near < margin else 0.0
    none = (0.0, 0.0, 0.0)
    roundness, slide, other_slide = 0.0, none, none
    if kind == _BOX:
        roundness, other_slide = round_box(point, at, _SECOND)
    elif kind == 0:
        far = distance + at[6] + at[15]
        roundness = 1.0 / far if far > _NEAR else 0.0
        start, end = anchor_of(pose, ints[0], (at[0], at[1], at[2])), anchor_of(pose, ints[0], (at[3], at[4], at[5]))
        other = anchor_of(pose, ints[1], (at[9], at[10], at[11]))
        other_end = anchor_of(pose, ints[1], (at[12], at[13], at[14]))
        along, other_along = _closest(start, end, other, other_end)
        slide, other_slide = _free_way(start, end, along), _free_way(other, other_end, other_along)
    return Touch(slope, growth, point, foot, apart, roundness, slide, other_slide)


@kernel
def _free_way(start: Vector, end: Vector, along: float) -> Vector:
    """The direction of a segment, if the point so far along it is not one of its ends."""
    way = (end[0] - start[0], end[1] - start[1], end[2] - start[2])
    size = math.sqrt(dot(way, way))
    if not 0.0 < along < 1.0 or size <= _NEAR:
        return 0.0, 0.0, 0.0
    return way[0] / size, way[1] / size, way[2] / size


@kernel
def _contact(goals: GoalArrays, goal: int, pose: PoseArrays) -> tuple[float, Vector, Vector, Vector]:
    """The distance between the surfaces; the points where they are closest, inside both; and in which direction."""
    ints, at, kind = goals.ints[goal], goals.floats[goal], goals.ints[goal, 2]
    start = anchor_of(pose, ints[0], (at[0], at[1], at[2]))
    if kind == _BOX:
        distance, apart = off_box(start, at, _SECOND)
        return distance - at[6], start, start, apart
    if kind == _GRID:
        distance, apart = off_grid(start, at, _SECOND, goals.grid, ints[6], ints[3], ints[4], ints[5])
        return distance - at[6], start, start, apart
    end = anchor_of(pose, ints[0], (at[3], at[4], at[5]))
    if kind == _PLANE:
        foot, apart = (at[9], at[10], at[11]), (at[12], at[13], at[14])
        lower = dot(apart, start) <= dot(apart, end)
        point = start if lower else end
        return dot(apart, point) - dot(apart, foot) - at[6], point, foot, apart
    other_start = anchor_of(pose, ints[1], (at[9], at[10], at[11]))
    other_end = anchor_of(pose, ints[1], (at[12], at[13], at[14]))
    along, other_along = _closest(start, end, other_start, other_end)
    point, foot = _between(start, end, along), _between(other_start, other_end, other_along)
    apart = (point[0] - foot[0], point[1] - foot[1], point[2] - foot[2])
    distance = math.sqrt(dot(apart, apart))
    return distance - at[6] - at[15], point, foot, _direction(apart, distance)


@kernel
def _hinge(near: float, margin: float) -> tuple[float, float]:
    """The residual of `Distance` for h = `near`, and its slope."""
    if near <= 0.0:
        return 0.0, 0.0
    if near < margin:
        return 0.5 * near * near / margin, near / margin
    return near - 0.5 * margin, 1.0


@kernel
def _direction(v: Vector, length: float) -> Vector:
    """The unit vector of `v`. Where centres coincide any way out is as good, but it must be a way."""
    if length <= _NEAR:
        return 0.0, 0.0, 1.0
    return v[0] / length, v[1] / length, v[2] / length


@kernel
def _between(start: Vector, end: Vector, along: float) -> Vector:
    return (
        start[0] + along * (end[0] - start[0]),
        start[1] + along * (end[1] - start[1]),
        start[2] + along * (end[2] - start[2]),
    )


@kernel
def _share(part: float, whole: float) -> float:
    """The quotient of the two, between 0 and 1; 0 where the whole is a segment of no length."""
    return min(max(part / whole, 0.0), 1.0) if whole > _NEAR * _NEAR else 0.0


@kernel
def _closest(a: Vector, a_end: Vector, b: Vector, b_end: Vector) -> tuple[float, float]:
    """Where two segments are closest to each other: how far along each, from 0 to 1."""
    u = (a_end[0] - a[0], a_end[1] - a[1], a_end[2] - a[2])
    v = (b_end[0] - b[0], b_end[1] - b[1], b_end[2] - b[2])
    w = (a[0] - b[0], a[1] - b[1], a[2] - b[2])
    uu, vv, uv, uw, vw = dot(u, u), dot(v, v), dot(u, v), dot(u, w), dot(v, w)
    if uu <= _NEAR * _NEAR or vv <= _NEAR * _NEAR:
        return _share(-uw, uu), _share(vw, vv)
    square = uu * vv - uv * uv
    if square > _PARALLEL * uu * vv:
        s = min(max((uv * vw - uw * vv) / square, 0.0), 1.0)
    else:  # the middle of where they run side by side, so that they part without turning
        low, high = min(-uw, uv - uw), max(-uw, uv - uw)
        s = _share(0.5 * (max(low, 0.0) + min(high, uu)), uu)
    t = (uv * s + vw) / vv
    if t < 0.0:
        return _share(-uw, uu), 0.0
    if t > 1.0:
        return _share(uv - uw, uu), 1.0
    return s, t
