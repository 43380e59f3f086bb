"""Closed surfaces through cross-sections."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...presets.mannequin import Station

Floats = NDArray[np.float64]
DOME_RINGS = 5


class Surface(NamedTuple):
    """A closed mesh. Faces look outward; those at the poles are triangles."""

    places: Floats  # [vertices, 3]
    faces: list[tuple[int, ...]]
    along: Floats  # [vertices], where they are on the axis


def loft(stations: Sequence[Station], domes: tuple[float, float], frame: Floats, sides: int, step: float) -> Surface:
    """The surface through stations about an axis.

    frame [4, 3]: where the axis begins, its direction, the direction of `front`, that of `out`. A ring every `step`.
    """
    rows = np.array(stations, float)
    at = rows[:, 0]
    count = max(1, round((at[-1] - at[0]) / step) + 1)
    rings = between(at, rows, np.linspace(at[0], at[-1], count))
    rings = np.concatenate([_dome(rings[0], -domes[0])[::-1], rings, _dome(rings[-1], domes[1])])
    begin, along, front, out = frame
    angles = np.arange(sides) * (2.0 * np.pi / sides)
    cos, sin = np.cos(angles), np.sin(angles)
    exponent = 2.0 / rings[:, 5, None]
    reach_out = np.where(cos > 0.0, rings[:, 1, None], rings[:, 2, None]) * np.sign(cos) * np.abs(cos) ** exponent
    reach_front = np.where(sin > 0.0, rings[:, 3, None], rings[:, 4, None]) * np.sign(sin) * np.abs(sin) ** exponent
    reach_front += rings[:, 6, None]
    reach_out += rings[:, 7, None]
    heights = np.repeat(rings[:, :1], sides, axis=1)
    poles = [[at[0] - domes[0], *rings[0, 6:]], [at[-1] + domes[1], *rings[-1, 6:]]]
    inside = np.concatenate([np.stack([heights, reach_front, reach_out], axis=-1).reshape(-1, 3), poles])
    places = begin + inside @ np.array([along, front, out])
    return Surface(places, _faces(len(rings), sides), inside[:, 0])


def between(at: Floats, rows: Floats, wanted: Floats) -> Floats:
    """Values at other places, by cubics that neither overshoot nor leave the ends at a slope.

    at [stations] rises; rows [stations, columns], the first of which is `at`; wanted [n]. Returns [n, columns].
    """
    if len(at) == 1:
        return np.repeat(rows, len(wanted), axis=0)
    width = np.diff(at)[:, None]
    slope = np.diff(rows, axis=0) / width
    tangent = np.zeros_like(rows)
    same = slope[:-1] * slope[1:] > 0.0
    mean = 2.0 * slope[:-1] * slope[1:] / np.where(same, slope[:-1] + slope[1:], 1.0)
    tangent[1:-1] = np.where(same, mean, 0.0)
    piece = np.clip(np.searchsorted(at, wanted, side="right") - 1, 0, len(at) - 2)
    t = ((wanted - at[piece]) / np.diff(at)[piece])[:, None]
    h = width[piece]
    found = (1.0 + 2.0 * t) * (1.0 - t) ** 2 * rows[piece] + t * (1.0 - t) ** 2 * h * tangent[piece]
    found += t**2 * (3.0 - 2.0 * t) * rows[piece + 1] + t**2 * (t - 1.0) * h * tangent[piece + 1]
    found[:, 0] = wanted
    return found


def _dome(ring: Floats, height: float) -> Floats:
    """Rings of a quarter of an ellipse that ends a surface, without its pole."""
    turn = np.arange(1, DOME_RINGS) * (0.5 * np.pi / DOME_RINGS)
    found = np.repeat(ring[None], len(turn), axis=0)
    found[:, 0] += height * np.sin(turn)
    found[:, 1:5] *= np.cos(turn)[:, None]
    return found


def _faces(rings: int, sides: int) -> list[tuple[int, ...]]:
    grid = np.arange(rings * sides).reshape(rings, sides)
    turned = np.roll(grid, -1, axis=1)
    quads = np.stack([grid[:-1], turned[:-1], turned[1:], grid[1:]], axis=-1).reshape(-1, 4)
    low, high = rings * sides, rings * sides + 1
    faces: list[tuple[int, ...]] = [tuple(face) for face in quads.tolist()]
    faces += [(low, b, a) for a, b in zip(grid[0].tolist(), turned[0].tolist(), strict=True)]
    faces += [(high, a, b) for a, b in zip(grid[-1].tolist(), turned[-1].tolist(), strict=True)]
    return faces
