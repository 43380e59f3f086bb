"""What a body stands on: the polygon around its soles, seen from above. Plain geometry.

Places are of the world, z up; the polygon is that of their x and y, and its corners keep their heights.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...solvers.rotation import Floats

LIFTED = (
    0.12  # of a sole's length: so high above its lowest point, a part of it begins to carry less; none at twice that
)
_NEAR = 1e-6  # metres: corners nearer to each other, or to the line between others, are none

Side = tuple[float, float, float]  # of a normal that looks outwards x and y, and its product with places on the side


def footprint(points: Floats) -> Floats:
    """The places [P, 3] of a sole that carry: where heel or toe is lifted, drawn in toward what is still on the ground.

    Little by little, so that nothing jumps while a foot rolls.
    """
    height, long = points[:, 2] - points[:, 2].min(), float(np.linalg.norm(np.ptp(points, axis=0)))
    carries = np.clip(2.0 - height / max(LIFTED * long, _NEAR), 0.0, 1.0)
    low = (carries @ points) / carries.sum()
    found: Floats = low + carries[:, None] * (points - low)
    return found


def hull(places: Floats) -> Floats:
    """Those of some places [P, 3] that are corners of the polygon around them [C, 3], counter-clockwise."""
    order = sorted(map(tuple, places.tolist()))
    lower, upper = _chain(order), _chain(order[::-1])
    corners = lower[:-1] + upper[:-1]
    return np.array(corners or order[:1])


def _chain(order: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """One half of a hull, from the first place to the last (Andrew's monotone chain)."""
    found = list[tuple[float, ...]]()
    for place in order:
        if found and math.dist(found[-1][:2], place[:2]) < _NEAR:
            continue
        while len(found) > 1 and _turns(found[-2], found[-1], place) <= _NEAR * math.dist(found[-2][:2], place[:2]):
            found.pop()
        found.append(place)
    return found


def _turns(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    """Twice the area of a triangle, positive if it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def middle(corners: Floats) -> Floats:
    """The middle [3] of a polygon's area, or of the line or the place that is left of it."""
    first, total, found = corners[0], 0.0, np.zeros(3)
    for b, c in pairwise(corners[1:]):
        area = _turns(first.tolist(), b.tolist(), c.tolist())
        total, found = total + area, found + area * (first + b + c) / 3.0
    mean: Floats = found / total if total > _NEAR * _NEAR else corners.mean(axis=0)
    return mean


def shrunk(corners: Floats, share: float) -> Floats:
    """A polygon [C, 3] drawn in toward its middle: by a share of 1, to nothing but that."""
    centre = middle(corners)
    found: Floats = centre + (1.0 - share) * (corners - centre)
    return found


def sides(corners: Floats, whole: Floats) -> list[Side]:
    """The sides of a polygon [C, 3] that was drawn in from a `whole` one [C, 3], which has their directions.

    A line has a side to its left and its right, and one at each end; a place has four.
    """
    ways = [(b - a)[:2] for a, b in pairwise([*whole, whole[0]])] if len(whole) > 1 else [np.array((1.0, 0.0))]
    if len(whole) < 3:
        x, y = ways[0]
        ways = [np.array(way) for way in ((x, y), (-y, x), (-x, -y), (y, -x))]
    found = list[Side]()
    for way in ways:
        x, y = (way / np.linalg.norm(way)).tolist()
        found.append((y, -x, float((corners[:, 0] * y - corners[:, 1] * x).max())))
    return found


def inside(corners: Floats, place: Sequence[float]) -> float:
    """How far a place is within a polygon [C, 3], in metres; less than zero, how far it is from it."""
    beyond = max(x * place[0] + y * place[1] - limit for x, y, limit in sides(corners, corners))
    if beyond <= 0.0:
        return -beyond
    at = np.array(place[:2], float)
    return -min(_apart(at, a[:2], b[:2]) for a, b in pairwise([*corners, corners[0]]))


def _apart(at: Floats, a: Floats, b: Floats) -> float:
    """How far a place [2] is from the line between two others."""
    way = b - a
    along = float(np.clip((at - a) @ way / max(float(way @ way), _NEAR * _NEAR), 0.0, 1.0))
    return float(np.linalg.norm(at - a - along * way))
