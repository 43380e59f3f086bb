"""Spheres and capsules as lines: two rings where the round ends begin, and two outlines across each other."""

import math

from mathutils import Vector

CORNERS = 16  # of half a circle


def lines(start: Vector, end: Vector, radius: float) -> list[list[Vector]]:
    """The lines of a capsule, in the frame of its ends; where these are one place, of a sphere."""
    along = (end - start).normalized() if (end - start).length > 1e-6 * radius else Vector((0.0, 1.0, 0.0))
    side = along.orthogonal().normalized()
    other: Vector = along.cross(side)  # type: ignore[assignment]  # of two dimensions it would be a number
    found = [
        _half(start, -along, one, radius) + _half(end, along, -one, radius) + [start + radius * one]
        for one in (side, other)
    ]
    for middle in (start, end) if start != end else (start,):
        ring = _half(middle, other, side, radius) + _half(middle, -other, -side, radius)
        found.append([*ring, ring[0]])
    return found


def _half(middle: Vector, top: Vector, side: Vector, radius: float) -> list[Vector]:
    """Half a circle: from one side over the top to the other."""
    angles = [math.pi * corner / CORNERS for corner in range(CORNERS + 1)]
    return [middle + radius * (math.cos(angle) * side + math.sin(angle) * top) for angle in angles]
