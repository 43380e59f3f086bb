"""Which shapes of a body keep off each other.

Neighbours do not: shapes of one bone, of a bone and the next one above it that has any, and of bones that begin at the
same joint. Of two others that overlap at rest only those parts count that do not: of an upper arm, what is outside of
the chest at rest. The one is cut that keeps the larger share of its length. Where nothing is left, they are left alone.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...solvers.rotation import Floats
from .. import channels
from .shapes import Shape

SAMPLES = 33  # points along a shape at which it is looked whether it is clear at rest
SHORTEST = 0.1  # of a shape's length: of one that is clear along less than this, nothing counts


class Pair(NamedTuple):
    """Two shapes, each cut to what counts."""

    first: Shape
    second: Shape


class _Resting(NamedTuple):
    """A shape at rest: hashable, because what is found is kept while nothing changes."""

    shape: Shape
    above: str  # the next bone above its own with a shape
    head: tuple[float, ...]  # where its bone begins, in armature space
    ends: tuple[float, ...]  # [6], the same of its own line


def find(armature_object: bpy.types.Object, shapes: Sequence[Shape], room: float) -> tuple[Pair, ...]:
    """The pairs of a body, with so much `room` between them at rest, in units of the armature."""
    data: Any = armature_object.data
    rests = dict(zip(data.bones.keys(), channels.square_matrices(data.bones, "matrix_local"), strict=True))
    carrying, resting = {one.bone for one in shapes}, list[_Resting]()
    for one in shapes:
        above = data.bones[one.bone].parent
        while above is not None and above.name not in carrying:
            above = above.parent
        rest = rests[one.bone]
        ends = np.array([one.start, one.end]) @ rest[:3, :3].T + rest[:3, 3]
        name = above.name if above is not None else ""
        resting.append(_Resting(one, name, tuple(rest[:3, 3].tolist()), tuple(ends.ravel().tolist())))
    return _pairs(tuple(resting), room)


@functools.lru_cache(maxsize=8)
def _pairs(resting: tuple[_Resting, ...], room: float) -> tuple[Pair, ...]:
    found = list[Pair]()
    for index, first in enumerate(resting):
        for second in resting[index + 1 :]:
            if not _are_neighbours(first, second) and (pair := _cut(first, second, room)) is not None:
                found.append(pair)
    return tuple(found)


def _are_neighbours(one: _Resting, other: _Resting) -> bool:
    if other.shape.bone in (one.shape.bone, one.above) or other.above == one.shape.bone:
        return True
    apart = float(np.linalg.norm(np.subtract(one.head, other.head)))
    return one.above == other.above and apart < min(one.shape.radius, other.shape.radius)


def _cut(one: _Resting, other: _Resting, room: float) -> Pair | None:
    """The pair, as far as it is clear at rest; None where nothing of it is."""
    first, second = _clear(one, other, room), _clear(other, one, room)
    share, other_share = first[1] - first[0], second[1] - second[0]
    if max(share, other_share) < SHORTEST:
        return None
    if share >= other_share:
        return Pair(_part(one.shape, *first), other.shape)
    return Pair(one.shape, _part(other.shape, *second))


def _clear(one: _Resting, other: _Resting, room: float) -> tuple[float, float]:
    """The longest part of a shape that is off another at rest: from where to where, of its length."""
    begin, end = np.array(one.ends).reshape(2, 3)
    share = np.linspace(0.0, 1.0, SAMPLES)
    points = begin + share[:, None] * (end - begin)
    distance = _off_line(points, *np.array(other.ends).reshape(2, 3))
    clear = distance - one.shape.radius - other.shape.radius >= room
    best, since = (0.0, 0.0), -1
    for place in range(SAMPLES + 1):
        if place < SAMPLES and clear[place]:
            since = place if since < 0 else since
        elif since >= 0:
            if share[place - 1] - share[since] > best[1] - best[0]:
                best = float(share[since]), float(share[place - 1])
            since = -1
    return best


def _off_line(points: Floats, begin: Floats, end: Floats) -> Floats:
    """How far points [n, 3] are from the line between two others."""
    way = end - begin
    square = float(way @ way)
    along = np.clip((points - begin) @ way / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    found: Floats = np.linalg.norm(points - begin - along[:, None] * way, axis=1)
    return found


def _part(shape: Shape, begin: float, end: float) -> Shape:
    start, way = np.array(shape.start), np.subtract(shape.end, shape.start)
    ends = (tuple((start + share * way).tolist()) for share in (begin, end))
    return shape._replace(start=next(ends), end=next(ends))
