"""Meshes as surfaces that rays meet: a tree of triangles each, and on which side of them is the air.

Normals are not believed. Of a mesh whose faces go round in different directions they are made anew. Then a sheet has
its air above, and what is closed has it outside, whichever way its normals point.
"""

from dataclasses import dataclass
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Matrix
from mathutils.bvhtree import BVHTree

from ...solvers.rotation import Floats
from .. import channels

_SHEET = 0.5  # of what faces up or down, so much more one way than the other: it is open, a sheet
_UNEVEN = 1e-4  # scales that differ by less are the same


@dataclass(frozen=True, eq=False)
class Surface:
    """A mesh for rays, in a space of its own."""

    tree: BVHTree
    side: float  # 1 where normals point into the air, -1 where they point into what is solid
    centre: Floats  # [3], of a ball around it
    radius: float
    base: Floats  # [4, 4], from the mesh's own space to that of the tree


def is_even(world: Floats) -> bool:
    """Whether a matrix [4, 4] scales alike in all directions."""
    scales = world[:3, :3].T @ world[:3, :3]
    mean = float(np.trace(scales)) / 3.0
    return bool(np.abs(scales - mean * np.eye(3)).max() < _UNEVEN * mean)


def of(thing: bpy.types.Object, world: Floats, depsgraph: bpy.types.Depsgraph, real: bool) -> Surface | None:
    """The surface of an evaluated object that stands at `world` [4, 4]; None where it has none.

    An object that is scaled unevenly has the scale in its tree: the nearest place is another otherwise. `real` is
    whether the object is in the scene itself, and not only an instance: then Blender makes the tree, four times faster.
    """
    mesh: Any = thing.to_mesh()
    try:
        if mesh is None or not len(mesh.polygons) or abs(np.linalg.det(world[:3, :3])) < 1e-12:
            return None
        base = np.eye(4) if is_even(world) else world
        up: Floats = np.array(np.linalg.inv((np.eye(4) if base is world else world)[:3, :3])[:, 2], float)
        points = channels.floats(mesh.vertices, "co", 3) @ base[:3, :3].T + base[:3, 3]
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        radius = float(np.linalg.norm(points - centre, axis=1).max())
        if _is_consistent(mesh):
            tree = _tree(thing, mesh, points, depsgraph, real and base is not world)
            areas, normals, places = _faces(mesh, base)
        else:
            tree, areas, normals, places = _made_anew(mesh, base)
        return Surface(tree, _side(areas, normals, places - centre, up), centre, radius, base)
    finally:
        thing.to_mesh_clear()


def _tree(thing: bpy.types.Object, mesh: Any, points: Floats, depsgraph: bpy.types.Depsgraph, real: bool) -> BVHTree:  # noqa: ANN401
    own = thing.original
    if real and own is not None and own.type == "MESH":
        return BVHTree.FromObject(own, depsgraph)
    mesh.calc_loop_triangles()
    corners = np.zeros(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    return BVHTree.FromPolygons(points.tolist(), corners.reshape(-1, 3).tolist(), all_triangles=True)


def _is_consistent(mesh: Any) -> bool:  # noqa: ANN401
    """Whether no two faces go along an edge in the same direction: then their normals are on the same side."""
    corners = np.zeros(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    start = np.zeros(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", start)
    after = np.arange(1, len(corners) + 1)
    after[np.append(start[1:], len(corners)) - 1] = start
    edges = corners.astype(np.int64) * len(mesh.vertices) + corners[after]
    edges.sort()
    return not bool((edges[1:] == edges[:-1]).any())


def _faces(mesh: Any, base: Floats) -> tuple[Floats, Floats, Floats]:  # noqa: ANN401
    """Areas [n], normals [n, 3] and middles [n, 3] of faces, in the tree's space; areas as in the mesh's own."""
    areas = channels.floats(mesh.polygons, "area", 1)[:, 0].astype(float)
    normals = channels.floats(mesh.polygons, "normal", 3) @ np.linalg.inv(base[:3, :3])
    places = channels.floats(mesh.polygons, "center", 3) @ base[:3, :3].T + base[:3, 3]
    return areas, normals, places


def _made_anew(mesh: Any, base: Floats) -> tuple[BVHTree, Floats, Floats, Floats]:  # noqa: ANN401
    """The same of a mesh whose normals are made anew, with its tree."""
    own = bmesh.new()
    try:
        own.from_mesh(mesh)
        own.transform(Matrix(base.tolist()))
        bmesh.ops.recalc_face_normals(own, faces=own.faces[:])
        found = [(face.calc_area(), *face.normal[:], *face.calc_center_median()[:]) for face in own.faces]
        numbers = np.array(found, float)
        return BVHTree.FromBMesh(own), numbers[:, 0], numbers[:, 1:4], numbers[:, 4:]
    finally:
        own.free()


def _side(areas: Floats, normals: Floats, places: Floats, up: Floats) -> float:
    """On which side of the faces is the air: 1 where normals point to. `places` are from the middle of it all."""
    rising = areas * (normals @ up)
    total, sizes = float(rising.sum()), float(np.abs(rising).sum())
    if abs(total) > _SHEET * sizes:
        return 1.0 if total > 0.0 else -1.0
    volume = float((areas * (normals * places).sum(axis=1)).sum())
    return 1.0 if volume >= 0.0 else -1.0
