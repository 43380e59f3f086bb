"""Give joints limits: those of people, of an action, or what their bones store."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from .. import bridge
from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_limits_from(OnCharacter, bpy.types.Operator):
    """Of the selected bones, or of all where none is selected."""

    bl_idname = "posewright.limits_from"
    bl_label = "Set Limits"
    bl_description = "Give the joints of the selected bones limits, or those of all bones if none is selected"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        source: str
        action: str
        margin: float

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        if self.source != "ACTION" or context.window_manager is None or context.object is None:
            return self.execute(context)
        animation = context.object.animation_data
        if not self.action and animation and animation.action:
            self.action = animation.action.name
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        assert self.layout is not None
        self.layout.prop(self, "source")
        if self.source == "ACTION":
            self.layout.prop_search(self, "action", bpy.data, "actions")
            self.layout.prop(self, "margin")

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bones = bridge.selection.selected(character)
        return bridge.joints.editing.set_limits(character, bones, self.source, self.action, self.margin)


POSEWRIGHT_OT_limits_from.__annotations__ = {
    "source": EnumProperty(
        name="From",
        description="Where the limits come from",
        items=(
            ("HUMAN", "Human", "How far people bend, by the roles of the bones"),
            ("ACTION", "Action", "How far an action bends each joint, and a margin"),
            ("IK", "IK Limits", "What the bones have for Blender's own IK"),
            ("CONSTRAINT", "Limit Rotation", "What Limit Rotation constraints say; they are muted"),
        ),
    ),
    "action": StringProperty(name="Action", description="The action that shows how far joints bend"),
    "margin": FloatProperty(
        name="Margin",
        description="How much farther than in the action joints may bend",
        default=0.0873,
        min=0.0,
        max=3.1416,
        subtype="ANGLE",
    ),
}
