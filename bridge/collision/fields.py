"""The distance to a mesh, sampled on a grid once and kept while the mesh stays.

Inside is where rays along most of the three axes say so, by how often they have crossed the surface: so it does not
matter which way faces look. Along a ray that crosses it an odd number of times the mesh is open, and the ray says
nothing: a sheet has no inside, and is kept off from both sides.
"""

import math
import zlib
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...solvers import Field
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import channels
from . import unchanged
from .unchanged import Mark

FINE, FEWEST, MOST = 0.02, 24, 64  # metres on a person that a step takes, if that makes so many along the longest side
COARSE = 0.1  # metres on a person: with longer steps limbs would fall through
ALIKE = 1e-4  # part by which a scale may differ, about, from the one that was sampled
REACHES = 4  # grids that reach less far than one which reaches twice as far
_KEPT = 64  # grids, of 2 MB at most: two characters of different size have two of each mesh
_CROSSINGS = 64  # of a ray, at most


class _Known(NamedTuple):
    mark: Mark
    field: Field


_Key = tuple[int, ...]  # the session_uid of the object, how far off is exact and its stretch, both in steps
_known: dict[_Key, _Known] = {}  # what was asked for last is last; the first give way


def of(thing: bpy.types.Object, mesh: bpy.types.Mesh, stretch: Floats, reach: float) -> Field:
    """The distances to a mesh whose vertices are stretched [3, 3] to the tree's size; exact as far off as `reach`.

    That counts in steps, whatever was asked for before: a gap that is keyed has the same grid whichever way one scrubs.
    """
    far = math.ceil(REACHES * math.log2(reach) - ALIKE)
    key = thing.session_uid, far, *_in_steps(stretch)
    mark, known = unchanged.mark_of(thing, mesh) or _look_at(thing, mesh), _known.get(key)
    if known is None or known.mark != mark:
        points = channels.floats(mesh.vertices, "co", 3).astype(float) @ stretch.T
        known = _Known(mark, _sampled(thing.name, mesh, points, 2.0 ** (far / REACHES)))
    _known.pop(key, None)
    _known[key] = known
    if len(_known) > _KEPT:
        _known.pop(next(iter(_known)))
    return known.field


def _look_at(thing: bpy.types.Object, mesh: bpy.types.Mesh) -> Mark:
    """What tells a mesh from what it was before."""
    there = channels.floats(mesh.vertices, "co", 3)
    mark = zlib.crc32(there.tobytes()), len(there), len(mesh.polygons), len(mesh.loops)
    unchanged.trust(thing, mesh, mark)
    return mark


def _in_steps(stretch: Floats) -> list[int]:
    """A stretch [3, 3] in whole steps, so that one that differs by rounding has the same grid."""
    size = float(np.abs(stretch).max())
    exponent = round(math.log2(size)) if size > 0.0 else 0
    steps: list[int] = np.round(stretch / math.ldexp(ALIKE, exponent)).astype(np.int64).ravel().tolist()
    return [exponent, *steps]


def _sampled(name: str, mesh: bpy.types.Mesh, points: Floats, reach: float) -> Field:
    mesh.calc_loop_triangles()
    triangles = np.zeros(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    if not len(triangles) or not np.isfinite(points).all():
        raise PosewrightError(f"{name!r} has no faces: take it as a sphere, plane or box")
    tree: Any = BVHTree.FromPolygons(points.tolist(), triangles.reshape(-1, 3).tolist(), all_triangles=True)
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    longest = float((high - low).max())
    cell = longest / min(max(math.ceil(longest / FINE), FEWEST), MOST)
    if cell > COARSE:
        raise PosewrightError(
            f"{name!r} is too large for a grid of {MOST} steps: take a smaller mesh, a plane or boxes"
        )
    axes = [low[axis] + cell * np.arange(math.ceil((high - low)[axis] / cell) + 1) for axis in range(3)]
    values = np.array([tree.find_nearest(Vector((x, y, z)))[3] for x in axes[0] for y in axes[1] for z in axes[2]])
    values = values.reshape([len(axis) for axis in axes])
    values[_votes(tree, axes, cell) > 0] *= -1.0
    return Field(values, (float(low[0]), float(low[1]), float(low[2])), cell)


def _votes(tree: Any, axes: list[Floats], cell: float) -> Floats:  # noqa: ANN401 - Blender's tree
    """For each sample, how many axes more say that it is inside than that it is outside."""
    votes = np.zeros([len(axis) for axis in axes])
    for axis in range(3):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        by_ray = np.moveaxis(votes, (one, other, axis), (0, 1, 2))  # a view
        way = Vector((0.0, 0.0, 0.0))
        way[axis] = 1.0
        for i, a in enumerate(axes[one]):
            for j, b in enumerate(axes[other]):
                begin = Vector((0.0, 0.0, 0.0))
                # A little aside: a ray along an edge of the mesh meets both of its faces, or none.
                begin[one], begin[other], begin[axis] = a + 1.7e-4 * cell, b + 3.1e-4 * cell, axes[axis][0] - cell
                crossed = _crossings(tree, begin, way, axis, cell)
                if len(crossed) % 2 == 0:
                    before = np.searchsorted(crossed, axes[axis])
                    by_ray[i, j] += np.where(before % 2 == 1, 1.0, -1.0)
    return votes


def _crossings(tree: Any, begin: Vector, way: Vector, axis: int, cell: float) -> list[float]:  # noqa: ANN401
    """Where a ray crosses the surface, along its axis."""
    found = list[float]()
    while len(found) < _CROSSINGS and (hit := tree.ray_cast(begin, way)[0]) is not None:
        found.append(hit[axis])
        begin[axis] = hit[axis] + 1e-4 * cell
    return found
