"""Add a figure to try things on."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty
from mathutils import Euler, Vector

from .. import bridge

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

TALL = 1.75  # metres


class POSEWRIGHT_OT_add_mannequin(bpy.types.Operator):
    """At the 3D cursor, as Blender's own objects are added."""

    bl_idname = "posewright.add_mannequin"
    bl_label = "Posewright Mannequin"
    bl_description = "Add a wooden figure with bones and skin, to be set up and posed. It is yours to use freely: CC0"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        height: float
        align: str
        location: Vector
        rotation: Euler

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Objects are added in Object Mode")
            return False
        return context.scene is not None and context.scene.library is None

    def execute(self, context: bpy.types.Context) -> "set[OperatorReturnItems]":
        assert context.scene is not None
        assert self.properties is not None
        given = self.properties.is_property_set
        if not given("height"):  # as tall in a scene in centimetres
            self.height = TALL / context.scene.unit_settings.scale_length
        if not given("align") and not given("rotation"):
            assert context.preferences is not None
            self.align = context.preferences.edit.object_align
        location = self.location if given("location") else None
        placed = bridge.mannequin.placing.placed(context, self.align, location, self.rotation.to_matrix().to_4x4())
        self.location = placed.translation
        bridge.mannequin.making.add(context, placed, self.height)
        return {"FINISHED"}


POSEWRIGHT_OT_add_mannequin.__annotations__ = {
    "height": FloatProperty(
        name="Height", description="How tall the figure stands", default=TALL, min=1e-3, soft_max=10.0, unit="LENGTH"
    ),
    "align": EnumProperty(
        name="Align",
        description="Which way the figure is turned",
        items=(
            ("WORLD", "World", "Upright in the world"),
            ("VIEW", "View", "Turned as the view is"),
            ("CURSOR", "3D Cursor", "Turned as the 3D cursor is"),
        ),
    ),
    "location": FloatVectorProperty(
        name="Location", description="Where the figure stands; the 3D cursor if nothing is said", subtype="TRANSLATION"
    ),
    "rotation": FloatVectorProperty(
        name="Rotation", description="How the figure is turned in the world", subtype="EULER"
    ),
}
