"""Collisions: the shapes of the body keep off an object, or off each other."""

from collections.abc import Mapping, Sequence

import bpy

from ... import properties
from ...properties import POSEWRIGHT_PG_relation
from ...solvers import Capsule, Distance, Goal, Sphere
from ...solvers.errors import PosewrightError
from ..asked import Setting
from ..collision import pairs, shapes, things
from ..collision.shapes import Point, Shape
from .points import FARTHEST
from .relation import UNKNOWN, Relation, level_of


def read(armature_object: bpy.types.Object, rows: Mapping[int, POSEWRIGHT_PG_relation]) -> dict[int, Relation | str]:
    """Collisions that can be had, by row; of the others, why not."""
    found, body = dict[int, Relation | str](), shapes.stored(armature_object)
    for row, one in rows.items():
        try:
            if not body:
                raise PosewrightError("the body has no shapes yet: press Fit Shapes")
            _refuse_settings(one)
            found[row] = (_self if one.against == "SELF" else _thing)(armature_object, body, row, one)
        except PosewrightError as error:
            found[row] = str(error)
    return found


def _refuse_settings(one: POSEWRIGHT_PG_relation) -> None:
    """Raise an error that says which setting nothing can be made of."""
    if not one.against:
        raise PosewrightError(f"what it is against is {UNKNOWN}: choose it under Against")
    for name, value in (("gap", one.gap), ("softness", one.softness)):
        if not abs(value) < FARTHEST:
            raise PosewrightError(f"its {name} is too large or no number: set it anew")


def _self(armature_object: bpy.types.Object, body: Sequence[Shape], row: int, one: POSEWRIGHT_PG_relation) -> Relation:
    """The body against itself."""
    gap, softness, weight, level = one.gap, one.softness, one.weight, level_of(one)
    both = pairs.find(armature_object, body, max(gap + softness, 0.0))
    if not both:
        raise PosewrightError("no two shapes of the body could meet: all are neighbours, or overlap at rest")

    def make(where: Setting) -> Sequence[Goal]:
        scale = where.rig.scale
        return [
            Distance(
                _capsule(where, first),
                _capsule(where, second),
                gap=scale * gap,
                margin=scale * softness,
                weight=weight,
                level=level,
            )
            for first, second in both
        ]

    return Relation(row, frozenset(shape.bone for pair in both for shape in pair), make)


def _thing(armature_object: bpy.types.Object, body: Sequence[Shape], row: int, one: POSEWRIGHT_PG_relation) -> Relation:
    """The body against an object, which may move: its place is asked for at every solve."""
    things.refuse(armature_object, one.thing, one.against)
    against = one.against
    gap, softness, weight, level = one.gap, one.softness, one.weight, level_of(one)
    spheres = [(shape, shapes.row_of_spheres(shape)) for shape in body]
    reach = max(shape.radius for shape in body) + max(gap + softness, 0.0)

    def make(where: Setting) -> Sequence[Goal]:
        scale = where.rig.scale
        stored = properties.character(where.character).posewright_relations  # no reference is kept
        thing = stored[row].thing if row < len(stored) else None  # a script may remove it in the middle of a drag
        if thing is None:
            raise PosewrightError("its object is gone: choose another")
        there = things.solid(where, thing, against, scale * reach)
        mine: list[Sphere | Capsule] = [_capsule(where, shape) for shape in body]
        if not isinstance(there, Sphere):  # a row of spheres; of a plane the two at the ends are enough
            mine = [
                _sphere(where, shape, place)
                for shape, places in spheres
                for place in (places if against != "PLANE" else dict.fromkeys((places[0], places[-1])))
            ]
        far, soft = scale * gap, scale * softness
        return [Distance(one, there, gap=far, margin=soft, weight=weight, level=level) for one in mine]

    return Relation(row, frozenset(shape.bone for shape in body), make, steady=False)


def _capsule(where: Setting, shape: Shape) -> Capsule:
    scale, body = where.rig.scale, where.rig.frame_names[shape.bone]
    return Capsule(body, scale * shape.radius, _scaled(scale, shape.end), _scaled(scale, shape.start))


def _sphere(where: Setting, shape: Shape, place: Point) -> Sphere:
    scale = where.rig.scale
    return Sphere(where.rig.frame_names[shape.bone], scale * shape.radius, _scaled(scale, place))


def _scaled(scale: float, point: Point) -> Point:
    return scale * point[0], scale * point[1], scale * point[2]
