"""What is stored of single bones: the reference, which may move, what was muted on them."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, FloatVectorProperty, IntProperty, StringProperty

from .kept import KEPT, NO_TURN, begin_anew

if TYPE_CHECKING:
    from mathutils import Quaternion, Vector


class POSEWRIGHT_PG_bone(bpy.types.PropertyGroup):
    """A bone's part of the reference, and its pose as live posing left it; in the order of the pose's bones."""

    if TYPE_CHECKING:
        reference_location: Vector
        reference_rotation: Quaternion
        left_location: Vector
        left_rotation: Quaternion
        held: bool


POSEWRIGHT_PG_bone.__annotations__ = {
    "reference_location": FloatVectorProperty(
        name="Reference Location", description="The bone's location in the reference pose", override=KEPT
    ),
    "reference_rotation": FloatVectorProperty(
        name="Reference Rotation",
        description="The bone's rotation in the reference pose",
        size=4,
        default=NO_TURN,
        override=KEPT,
    ),
    "left_location": FloatVectorProperty(
        name="Location Left Behind", description="The bone's location as live posing left it", override=KEPT
    ),
    "left_rotation": FloatVectorProperty(
        name="Rotation Left Behind",
        description="The bone's rotation as live posing left it",
        size=4,
        default=NO_TURN,
        override=KEPT,
    ),
    "held": BoolProperty(name="Held", description="Keeps the value that it was given by hand", override=KEPT),
}


class POSEWRIGHT_PG_chosen(bpy.types.PropertyGroup):
    """A bone that may move where only chosen ones do; its name is the bone's."""

    if TYPE_CHECKING:
        moves: bool


POSEWRIGHT_PG_chosen.__annotations__ = {
    "moves": BoolProperty(name="Moves", description="It is one of the chosen bones", update=begin_anew, override=KEPT),
}


class POSEWRIGHT_PG_muted(bpy.types.PropertyGroup):
    """A constraint or driver that was muted so that its bone can be posed."""

    if TYPE_CHECKING:
        bone: str
        constraint: str
        driver: str
        driver_index: int
        restored: bool


POSEWRIGHT_PG_muted.__annotations__ = {
    "bone": StringProperty(name="Bone", description="The bone that has the constraint", override=KEPT),
    "constraint": StringProperty(name="Constraint", description="The constraint that was muted", override=KEPT),
    "driver": StringProperty(name="Driver", description="Path of the channel whose driver was muted", override=KEPT),
    "driver_index": IntProperty(name="Index", description="Which number of that channel it drives", override=KEPT),
    "restored": BoolProperty(name="Restored", description="It was switched on again", override=KEPT),
}
