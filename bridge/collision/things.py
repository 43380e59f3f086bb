"""Other objects that a body keeps off: as spheres, planes, boxes, or by the distance to their mesh."""

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...solvers import Box, Grid, Plane, Sphere
from ...solvers.errors import PosewrightError
from .. import places
from ..asked import Setting
from ..together import partners
from . import fields

Solid = Sphere | Plane | Box | Grid
_ROUND = ("SPHERE", "BOX")


def refuse(armature_object: bpy.types.Object, thing: bpy.types.Object | None, against: str) -> None:
    """Raise an error that says why a body cannot keep off an object."""
    if thing is None:
        raise PosewrightError("it has no object: choose what the body keeps off")
    if not thing.users_scene:
        raise PosewrightError(f"{thing.name!r} is in no scene any more: choose another object")
    if _moves_with(thing, armature_object):
        raise PosewrightError(f"{thing.name!r} moves with the character itself: it would run away from it")
    tied = thing.type == "ARMATURE" or thing.parent or len(thing.constraints) or len(thing.modifiers)  # few are
    for other in partners.group(armature_object) if tied else ():
        if other != armature_object and _moves_with(thing, other):
            why = f"{thing.name!r} moves with {other.name!r}, which is held together with the character"
            raise PosewrightError(f"{why}: it would run away from them")
    if against == "MESH" and not isinstance(thing.data, bpy.types.Mesh):
        raise PosewrightError(f"{thing.name!r} has no mesh: take it as a sphere, plane or box")


def _moves_with(thing: bpy.types.Object, armature_object: bpy.types.Object) -> bool:
    """Whether an object is a character, is carried by it, or is a mesh that it deforms."""
    try:
        places.refuse_own_body(armature_object, thing)
    except PosewrightError:
        return True
    return any(isinstance(one, bpy.types.ArmatureModifier) and one.object == armature_object for one in thing.modifiers)


def solid(where: Setting, thing: bpy.types.Object, against: str, reach: float) -> Solid:
    """An object as it is now, in the tree's space and size; a mesh by distances that are exact up to `reach`."""
    world = places.world_matrix(thing, where.depsgraph)
    seen = where.inverse @ world
    if not np.isfinite(np.array(seen, float)).all():
        raise PosewrightError(f"{thing.name!r} is nowhere: its place or scale is no number")
    if against == "PLANE":
        normal = seen.to_3x3().inverted_safe().transposed() @ Vector((0.0, 0.0, 1.0))
        if not normal.length > 0.0:
            raise PosewrightError(f"{thing.name!r} is scaled to nothing")
        return Plane(seen.translation[:], normal.normalized()[:])
    turn = places.turn_of(seen)
    evaluated = thing.evaluated_get(where.depsgraph) if where.depsgraph is not None else thing
    if against in _ROUND:
        (low, high), columns = _bounds(evaluated), seen.to_3x3().transposed()
        half = [0.5 * (high[axis] - low[axis]) * columns[axis].length for axis in range(3)]
        middle = (seen @ (0.5 * (low + high)))[:]
        if not max(half) > 0.0:
            raise PosewrightError(f"{thing.name!r} has no size")
        return Sphere(None, max(half), middle) if against == "SPHERE" else Box(middle, tuple(half), turn[:])
    mesh = evaluated.data
    if not isinstance(mesh, bpy.types.Mesh):
        raise PosewrightError(f"{thing.name!r} has no mesh: take it as a sphere, plane or box")
    stretch: Matrix = turn.inverted().to_matrix() @ seen.to_3x3()
    return Grid(fields.of(thing, mesh, np.array(stretch, float), reach), seen.translation[:], turn[:])


def _bounds(thing: bpy.types.Object) -> tuple[Vector, Vector]:
    """The least and the greatest corner of an object's bounds, in its own space."""
    if thing.type == "EMPTY":
        size = thing.empty_display_size
        return Vector((-size, -size, -size)), Vector((size, size, size))
    corners = np.array(thing.bound_box, float)
    return Vector(corners.min(axis=0).tolist()), Vector(corners.max(axis=0).tolist())
