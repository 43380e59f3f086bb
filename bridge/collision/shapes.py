"""The shapes of a body as they are stored: which can be used, and what is wrong with the others."""

import math
from typing import Any, NamedTuple

import bpy
from mathutils import Vector

from ... import properties
from ...properties import POSEWRIGHT_PG_shape

Point = tuple[float, float, float]


class Shape(NamedTuple):
    """All that is within a radius of the line between two points of a bone, in its axes and units of the armature."""

    bone: str
    start: Point
    end: Point
    radius: float

    @property
    def length(self) -> float:
        """Of the line between the two points; zero for a sphere."""
        return math.dist(self.start, self.end)


def stored(armature_object: bpy.types.Object) -> list[Shape]:
    """The shapes that can be used."""
    return [
        Shape(one.bone, _point(one.start), _point(one.end), one.radius)
        for one in properties.character(armature_object).posewright_shapes
        if not one.mute and not trouble(armature_object, one)
    ]


def _point(place: Vector) -> Point:
    return place.x, place.y, place.z


def trouble(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_shape) -> str:
    """Why a shape cannot be used; empty if it can."""
    data: Any = armature_object.data
    if one.bone not in data.bones:
        return f"there is no bone {one.bone!r}" if one.bone else "it names no bone"
    if not 0.0 < one.radius < math.inf:
        return "its radius is zero"
    if not all(map(math.isfinite, (*one.start[:], *one.end[:]))):
        return "its ends are no numbers: set them anew"
    return ""


def row_of_spheres(one: Shape) -> list[Point]:
    """Centres of spheres along a shape, from end to end, no farther apart than its radius."""
    steps = max(1, math.ceil(one.length / one.radius)) if one.length > 1e-6 * one.radius else 0
    if not steps:
        return [one.start]
    return [
        tuple(a + (b - a) * step / steps for a, b in zip(one.start, one.end, strict=True))  # type: ignore[misc]
        for step in range(steps + 1)
    ]
