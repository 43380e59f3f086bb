"""What is stored of single bones: the reference, which may move, what was muted on them."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, BoolVectorProperty, FloatVectorProperty, IntProperty, StringProperty

from .kept import KEPT, begin_anew

# So many bones are one item of the stored reference. Blender copies all that is stored on an object each time it
# evaluates it, number by number: with an item for each of 70 bones that took longer than the pose itself (0.3 ms).
BLOCK = 32


class POSEWRIGHT_PG_bones(bpy.types.PropertyGroup):
    """Some bones' part of the reference, and their pose as live posing left it; in the order of the pose's bones."""

    if TYPE_CHECKING:
        reference_location: list[float]
        reference_rotation: list[float]
        left_location: list[float]
        left_rotation: list[float]
        held: list[bool]


POSEWRIGHT_PG_bones.__annotations__ = {
    "reference_location": FloatVectorProperty(
        name="Reference Locations",
        description="The bones' locations in the reference pose",
        size=(BLOCK, 3),
        override=KEPT,
    ),
    "reference_rotation": FloatVectorProperty(
        name="Reference Rotations",
        description="The bones' rotations in the reference pose",
        size=(BLOCK, 4),
        override=KEPT,
    ),
    "left_location": FloatVectorProperty(
        name="Locations Left Behind",
        description="The bones' locations as live posing left them",
        size=(BLOCK, 3),
        override=KEPT,
    ),
    "left_rotation": FloatVectorProperty(
        name="Rotations Left Behind",
        description="The bones' rotations as live posing left them",
        size=(BLOCK, 4),
        override=KEPT,
    ),
    "held": BoolVectorProperty(
        name="Held", description="Which bones keep the values that they were given by hand", size=BLOCK, override=KEPT
    ),
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
