"""Which bone is under the mouse, and where on it: as Blender draws bones, custom shapes too.

Bones are drawn in front of everything in Pose Mode, so meshes hide none; of bones, the front-most one is taken.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from typing import Any, NamedTuple

import bpy
from mathutils import Euler, Matrix, Vector, geometry

from .. import selection
from .view import View

REACH = 12.0  # pixels, at a resolution scale of 1, from which a bone is still caught
_ON_IT = 3.0  # pixels within which a bone counts as hit: of those that are, the front-most is taken
_RING = 0.1  # of its length: where an octahedral bone is widest, and how wide from its middle
_BOX = [(a, b) for a, b in product(range(8), repeat=2) if a < b and (a ^ b).bit_count() == 1]  # its edges

Segment = tuple[Vector, Vector]


class Grabbed(NamedTuple):
    """A bone, and the point of it that was grabbed."""

    owner: bpy.types.Object  # itself: a local and a linked one may share a name
    bone: str
    point: Vector  # in the bone's frame, in units of armature space


class _Shape(NamedTuple):
    """How a bone is drawn, in the world."""

    edges: list[Segment]
    solid: list[list[Vector]]  # bodies that are hit anywhere inside of what is seen of them


def bone_under(
    view: View, armature_objects: Iterable[bpy.types.Object], pixel: Vector, reach: float = REACH
) -> Grabbed | None:
    """The visible bone nearest to a pixel, within `reach` pixels; of those that are hit, the front-most."""
    best, found = (float("inf"), float("inf")), None
    for armature_object in armature_objects:
        for pose_bone in armature_object.pose.bones if armature_object.pose else ():
            if not selection.is_visible(pose_bone):
                continue
            off = _distance(view, _shape(armature_object, pose_bone), pixel)
            if off > reach:
                continue
            world = armature_object.matrix_world @ pose_bone.matrix
            along = _nearest_on_bone(view, world, pose_bone.bone.length, pixel)
            rank = max(0.0, off - _ON_IT), view.depth(world @ along)
            if rank < best:
                best, found = rank, Grabbed(armature_object, pose_bone.name, along)
    return found


def _shape(armature_object: bpy.types.Object, pose_bone: bpy.types.PoseBone) -> _Shape:
    """How a bone is drawn."""
    data: Any = armature_object.data
    if pose_bone.custom_shape is not None and data.show_bone_custom_shapes:
        return _custom(armature_object, pose_bone, pose_bone.custom_shape)
    world, length = armature_object.matrix_world @ pose_bone.matrix, pose_bone.bone.length
    spine = [(world @ Vector(), world @ Vector((0.0, length, 0.0)))]
    own = getattr(pose_bone.bone, "display_type", "ARMATURE_DEFINED")  # since 5.0
    match data.display_type if own == "ARMATURE_DEFINED" else own:
        case "OCTAHEDRAL":
            wide = _RING * length
            ring = [Vector((x, wide, z)) for x in (-wide, wide) for z in (-wide, wide)]
            body = [Vector(), Vector((0.0, length, 0.0)), *ring]
        case "BBONE":
            x, z = pose_bone.bone.bbone_x, pose_bone.bone.bbone_z
            body = [Vector(corner) for corner in product((-x, x), (0.0, length), (-z, z))]
        case _:
            body = []
    return _Shape(spine, [[world @ point for point in body]] if body else [])


def _custom(armature_object: bpy.types.Object, pose_bone: bpy.types.PoseBone, shape: bpy.types.Object) -> _Shape:
    """A custom shape: its edges and, unless it is drawn as a wire, its faces."""
    placed = pose_bone.custom_shape_transform or pose_bone
    size = pose_bone.bone.length if pose_bone.use_custom_shape_bone_size else 1.0
    turn: Any = pose_bone.custom_shape_rotation_euler
    scale = size * pose_bone.custom_shape_scale_xyz
    own = Matrix.LocRotScale(pose_bone.custom_shape_translation[:], Euler(turn), scale[:])
    world = armature_object.matrix_world @ placed.matrix @ own
    mesh: Any = shape.data
    if shape.type != "MESH":  # a curve, say: its box will do
        low, high = _ends(shape)
        corners = [world @ Vector(corner) for corner in product(*((low[axis], high[axis]) for axis in range(3)))]
        return _Shape([(corners[a], corners[b]) for a, b in _BOX], [])
    points = [world @ vertex.co for vertex in mesh.vertices]
    edges = [(points[edge.vertices[0]], points[edge.vertices[1]]) for edge in mesh.edges]
    faces = [] if pose_bone.bone.show_wire else [face.vertices[:] for face in mesh.polygons]
    return _Shape(edges, [[points[index] for index in face] for face in faces])


def _ends(shape: bpy.types.Object) -> tuple[Vector, Vector]:
    """The lowest and the highest corner of an object's box, in its own axes."""
    corners: Any = shape.bound_box
    return Vector(corners[0]), Vector(corners[6])


def _distance(view: View, shape: _Shape, pixel: Vector) -> float:
    """How far a pixel is from what is seen of a shape, in pixels."""
    for body in shape.solid:
        seen = [view.pixel(point) for point in body]
        flat = [point for point in seen if point is not None]
        if len(flat) == len(seen) and _is_inside(flat, pixel):
            return 0.0
    return min((_to_edge(pixel, *edge) for edge in _seen(view, shape.edges)), default=float("inf"))


def _seen(view: View, edges: list[Segment]) -> Iterator[Segment]:
    for edge in edges:
        first, second = (view.pixel(point) for point in edge)
        if first is not None and second is not None:
            yield first, second


def _to_edge(pixel: Vector, first: Vector, second: Vector) -> float:
    along = second - first
    part = (pixel - first).dot(along) / along.length_squared if along.length_squared else 0.0
    return float((first + along * min(1.0, max(0.0, part)) - pixel).length)


def _is_inside(points: list[Vector], pixel: Vector) -> bool:
    """Whether a pixel lies in the hull of some points."""
    hull = [points[index] for index in geometry.convex_hull_2d([point[:] for point in points])]
    if len(hull) < 3:
        return False
    sides = [(b - a).x * (pixel - a).y - (b - a).y * (pixel - a).x for a, b in pairwise([*hull, hull[0]])]
    return all(side >= 0.0 for side in sides) or all(side <= 0.0 for side in sides)


def _nearest_on_bone(view: View, world: Matrix, length: float, pixel: Vector) -> Vector:
    """The point on a bone's own line, from head to tail, that is nearest to what the pixel shows; in its frame."""
    head, tail = world @ Vector(), world @ Vector((0.0, length, 0.0))
    ray = view.ray(pixel)
    met = geometry.intersect_line_line(ray.origin, ray.origin + ray.direction, head, tail)
    along = tail - head
    if met is None or not along.length_squared:
        return Vector((0.0, 0.5 * length, 0.0))
    part = (met[1] - head).dot(along) / along.length_squared
    return Vector((0.0, length * min(1.0, max(0.0, part)), 0.0))
