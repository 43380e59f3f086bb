"""What is stored of a body's shapes: spheres and capsules on bones, which collisions keep apart."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from .kept import KEPT, KEPT_LIST, tell
from .names import apart_in

if TYPE_CHECKING:
    from mathutils import Vector


class POSEWRIGHT_PG_shape(bpy.types.PropertyGroup):
    """All that is within a radius of the line between two points of a bone."""

    if TYPE_CHECKING:
        bone: str
        start: Vector
        end: Vector
        radius: float
        mute: bool


POSEWRIGHT_PG_shape.__annotations__ = {
    "name": StringProperty(
        name="Name",
        description="The shape's name; no two of them share one",
        update=apart_in("posewright_shapes"),
        override=KEPT,
    ),
    "bone": StringProperty(name="Bone", description="The bone that carries the shape", update=tell, override=KEPT),
    "start": FloatVectorProperty(
        name="Start",
        description="Where the middle line begins, from the bone's head, along its own axes",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "end": FloatVectorProperty(
        name="End",
        description="Where the middle line ends. The same place as its start makes a sphere",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "radius": FloatProperty(
        name="Radius",
        description="How thick it is: the distance from its middle line to its surface, in units of the armature",
        min=0.0,
        unit="LENGTH",
        precision=4,
        update=tell,
        override=KEPT,
    ),
    "mute": BoolProperty(
        name="Mute", description="Leave the shape out: it goes through everything", update=tell, override=KEPT
    ),
}

SHAPES = {
    "posewright_shapes": CollectionProperty(
        name="Body Shapes",
        description="Spheres and capsules on bones: the body as collisions see it",
        type=POSEWRIGHT_PG_shape,
        override=KEPT_LIST,
    ),
    "posewright_active_shape": IntProperty(
        name="Active Shape", description="The shape whose settings are shown", min=0, override=KEPT
    ),
    "posewright_show_shapes": BoolProperty(
        name="Show Shapes",
        description="Draw the shapes of the body in the 3D view",
        default=True,
        override=KEPT,
    ),
}
