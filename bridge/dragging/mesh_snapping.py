"""Snapping: what a visible mesh offers under the mouse. The character's own skin is no place to snap to."""

import math
from collections.abc import Collection, Iterator
from typing import Any

import bpy
from mathutils import Matrix, Vector, geometry

from .view import Ray, View

SURFACES = {"VERTEX", "EDGE", "EDGE_MIDPOINT", "FACE", "FACE_PROJECT", "FACE_NEAREST", "EDGE_PERPENDICULAR"}
_REACH = 16.0  # pixels from which a vertex or edge draws the mouse to it while faces are snapped to as well
_PAST = 1e-4  # metres behind a surface that is passed through
_LAYERS = 64  # surfaces, one behind the other, that are passed through at most


def place_under(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    view: View,
    pixel: Vector,
    armature_object: bpy.types.Object,
    elements: Collection[str],
) -> Vector | None:
    """What a pixel shows of a mesh that is not the character's: a place on a face, or the vertex or edge nearest to it.

    None where nothing is hit, or `elements` (the scene's `snap_elements`) ask for no part of a mesh.
    """
    if SURFACES.isdisjoint(elements):
        return None
    hit = _hit(scene, depsgraph, view, pixel, armature_object)
    if hit is None:
        return None
    place, face, thing, world = hit
    best: Vector | None = place if any(name.startswith("FACE") for name in elements) else None
    reach = _REACH if best is not None else math.inf
    for offered in _parts(thing, face, world, view.ray(pixel), elements):
        seen = view.pixel(offered)
        if seen is not None and (seen - pixel).length < reach:
            best, reach = offered, (seen - pixel).length
    return best


def is_own(armature_object: bpy.types.Object, thing: bpy.types.Object) -> bool:
    """Whether a mesh moves with the character: deformed by it, or hanging from it."""
    if any(getattr(one, "object", None) == armature_object for one in thing.modifiers if one.type == "ARMATURE"):
        return True
    above = thing.parent
    while above is not None and above != armature_object:
        above = above.parent
    return above is not None


def _hit(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    view: View,
    pixel: Vector,
    armature_object: bpy.types.Object,
) -> tuple[Vector, int, bpy.types.Object, Matrix] | None:
    """Where a line of sight first meets something that is not the character's."""
    ray = view.ray(pixel)
    origin = view.beginning(ray)
    for _ in range(_LAYERS):
        found: Any = scene.ray_cast(depsgraph, origin, ray.direction)
        met, place, _normal, face, thing, world = found
        if not met:
            return None
        if not is_own(armature_object, thing.original):
            return place, face, thing, world
        origin = place + ray.direction * _PAST
    return None


def _parts(thing: bpy.types.Object, face: int, world: Matrix, ray: Ray, elements: Collection[str]) -> Iterator[Vector]:
    """Vertices, edges and their middles of the face that was hit, as far as they are wanted."""
    mesh: Any = thing.data
    if thing.type != "MESH" or not 0 <= face < len(mesh.polygons):
        return
    corners = [world @ mesh.vertices[index].co for index in mesh.polygons[face].vertices[:]]
    for index, corner in enumerate(corners):
        other = corners[index - 1]
        if "VERTEX" in elements:
            yield corner
        if "EDGE_MIDPOINT" in elements:
            yield 0.5 * (corner + other)
        if "EDGE" in elements:
            met = geometry.intersect_line_line(ray.origin, ray.origin + ray.direction, other, corner)
            along = corner - other
            if met is not None and along.length_squared:
                yield other + along * min(1.0, max(0.0, (met[1] - other).dot(along) / along.length_squared))
