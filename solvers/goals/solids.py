"""Things that bodies are kept off: boxes, and any shape as distances on a grid. How far a point is, and which way out.

Fixed in the tree's space; negative distances are inside. A point that is deep inside is led out by the nearest way.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...compiled import kernel
from ..errors import PosewrightError
from ..rotation import Floats, Vector, conjugate, rotate

_LEVEL = 1e-3  # a slope below this, inside of what a grid stands for, says no way out; of a distance it is 1
_NEAR = 1e-12  # metres: nearer to a box's edge than this, a face says which way is out


@dataclass(frozen=True)
class Box:
    """A box by its `centre` [3], half of its `sizes` [3] along its own axes, and its rotation (w, x, y, z)."""

    centre: ArrayLike
    sizes: ArrayLike
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Field:
    """Distances to a surface, sampled once: `values` [X, Y, Z] (metres) at `origin` [3] + `cell` * (x, y, z).

    Between samples they are interpolated along each axis. Outside, it is as far to the grid as it is from there on.
    """

    values: Floats
    origin: tuple[float, float, float]
    cell: float

    def __post_init__(self) -> None:
        """Refuse what is no grid."""
        if self.values.ndim != 3 or min(self.values.shape) < 2 or not np.isfinite(self.values).all():
            raise PosewrightError(f"a field has finite values on two points or more a side, not {self.values.shape}")
        if not (self.cell > 0.0 and np.isfinite([*self.origin, self.cell]).all()):
            raise PosewrightError(f"a field has a place and a positive cell, not {self.origin} and {self.cell}")


@dataclass(frozen=True)
class Grid:
    """A `Field`, with its frame at a `place` [3] and turned by a rotation (w, x, y, z)."""

    field: Field
    place: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0)


@kernel
def off_box(point: Vector, at: Floats, first: int) -> tuple[float, Vector]:
    """How far a point is from a box, its numbers being at[first:], and the direction in which that grows fastest."""
    turn = (at[first + 6], at[first + 7], at[first + 8], at[first + 9])
    local = _seen_from(point, (at[first], at[first + 1], at[first + 2]), turn)
    x, y, z = abs(local[0]) - at[first + 3], abs(local[1]) - at[first + 4], abs(local[2]) - at[first + 5]
    a, b, c = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    distance = math.sqrt(a * a + b * b + c * c)
    if distance > _NEAR:
        a, b, c = a / distance, b / distance, c / distance
    else:
        distance = max(x, y, z)
        a, b, c = 0.0, 0.0, 0.0
        if x >= distance:
            a = 1.0
        elif y >= distance:
            b = 1.0
        else:
            c = 1.0
    out = (math.copysign(a, local[0]), math.copysign(b, local[1]), math.copysign(c, local[2]))
    return distance, rotate(turn, out)


@kernel
def round_box(point: Vector, at: Floats, first: int) -> tuple[float, Vector]:
    """One over how far a point is from the edge or corner of a box that it is nearest to, and the edge's direction.

    Zero where a face is nearest; of a corner, no direction.
    """
    turn = (at[first + 6], at[first + 7], at[first + 8], at[first + 9])
    local = _seen_from(point, (at[first], at[first + 1], at[first + 2]), turn)
    x, y, z = abs(local[0]) - at[first + 3], abs(local[1]) - at[first + 4], abs(local[2]) - at[first + 5]
    beside = (1 if x > 0.0 else 0) + (1 if y > 0.0 else 0) + (1 if z > 0.0 else 0)
    a, b, c = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    distance = math.sqrt(a * a + b * b + c * c)
    if beside < 2 or distance <= _NEAR:
        return 0.0, (0.0, 0.0, 0.0)
    edge = (0.0, 0.0, 0.0)
    if beside == 2:
        edge = rotate(turn, (0.0 if x > 0.0 else 1.0, 0.0 if y > 0.0 else 1.0, 0.0 if z > 0.0 else 1.0))
    return 1.0 / distance, edge


@kernel
def off_grid(
    point: Vector, at: Floats, first: int, values: Floats, begin: int, x_count: int, y_count: int, z_count: int
) -> tuple[float, Vector]:
    """How far a point is from what a grid stands for, and the gradient of that.

    The grid's place, turn, origin and cell are at[first:], its values at values[begin:].
    """
    turn = (at[first + 3], at[first + 4], at[first + 5], at[first + 6])
    local, cell = _seen_from(point, (at[first], at[first + 1], at[first + 2]), turn), at[first + 10]
    x = (local[0] - at[first + 7]) / cell
    y = (local[1] - at[first + 8]) / cell
    z = (local[2] - at[first + 9]) / cell
    u, v, w = _inside(x, x_count), _inside(y, y_count), _inside(z, z_count)
    i, j, k = min(int(u), x_count - 2), min(int(v), y_count - 2), min(int(w), z_count - 2)
    a, b, c = u - i, v - j, w - k
    corner = begin + (i * y_count + j) * z_count + k
    beside = corner + y_count * z_count
    # Along z first: four edges, then two faces.
    e00 = values[corner] + c * (values[corner + 1] - values[corner])
    e01 = values[corner + z_count] + c * (values[corner + z_count + 1] - values[corner + z_count])
    e10 = values[beside] + c * (values[beside + 1] - values[beside])
    e11 = values[beside + z_count] + c * (values[beside + z_count + 1] - values[beside + z_count])
    low, high = e00 + b * (e01 - e00), e10 + b * (e11 - e10)
    distance = low + a * (high - low)
    by_x, by_y = high - low, (1.0 - a) * (e01 - e00) + a * (e11 - e10)
    by_z = (1.0 - a) * (
        (1.0 - b) * (values[corner + 1] - values[corner])
        + b * (values[corner + z_count + 1] - values[corner + z_count])
    ) + a * (
        (1.0 - b) * (values[beside + 1] - values[beside])
        + b * (values[beside + z_count + 1] - values[beside + z_count])
    )
    p, q, r = (x - u) * cell, (y - v) * cell, (z - w) * cell
    beyond = math.sqrt(p * p + q * q + r * r)
    scale = 1.0 / beyond if beyond > 0.0 else 0.0
    slope = (
        (by_x / cell if p == 0.0 else 0.0) + scale * p,
        (by_y / cell if q == 0.0 else 0.0) + scale * q,
        (by_z / cell if r == 0.0 else 0.0) + scale * r,
    )
    if distance < 0.0 and slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2] < _LEVEL * _LEVEL:
        slope = _out_of_middle(values, corner, i, j, k, x_count, y_count, z_count)
    return distance + beyond, rotate(turn, slope)


@kernel
def _out_of_middle(
    values: Floats, corner: int, i: int, j: int, k: int, x_count: int, y_count: int, z_count: int
) -> Vector:
    """The way out of a cell that is level, as that in the very middle: along an axis to the side that rises most.

    The corner with the least indices of the cell (i, j, k) is values[corner].
    """
    x, y, z = y_count * z_count, z_count, 1  # from a value to the next one along each axis
    most, way = -math.inf, (1.0, 0.0, 0.0)
    for axis in range(3):
        step, one, other = (x, y, z) if axis == 0 else ((y, z, x) if axis == 1 else (z, x, y))
        place, count = (i, x_count) if axis == 0 else ((j, y_count) if axis == 1 else (k, z_count))
        for side in range(2):
            if place == 0 if side == 0 else place >= count - 2:
                continue  # there is no other cell on that side
            face, sign = (corner, -1) if side == 0 else (corner + step, 1)
            rise = 0.0
            for at in (face, face + one, face + other, face + one + other):
                rise += values[at + sign * step] - values[at]
            if rise > most:
                most = rise
                way = (
                    float(sign) if axis == 0 else 0.0,
                    float(sign) if axis == 1 else 0.0,
                    float(sign) if axis == 2 else 0.0,
                )
    return way


@kernel
def _seen_from(point: Vector, place: Vector, turn: tuple[float, float, float, float]) -> Vector:
    """A point in a frame."""
    return rotate(conjugate(turn), (point[0] - place[0], point[1] - place[1], point[2] - place[2]))


@kernel
def _inside(value: float, count: int) -> float:
    """The nearest place between the first and the last of so many points."""
    return min(max(value, 0.0), count - 1.0)
