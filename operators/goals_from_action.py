"""Make goals of what the animation does with hands and feet."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, IntProperty

from .. import bridge
from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_goals_from_action(OnCharacter, bpy.types.Operator):
    """A clip, with handles on its hands and feet."""

    bl_idname = "posewright.goals_from_action"
    bl_label = "Goals from Animation"
    bl_description = (
        "Key goals with what the animation does with hands and feet, or with others. Nothing moves by it; moving a "
        "goal's curve then moves its limb, and the clip stays what the rest of the body keeps to"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str
        over: str
        start: int
        end: int
        step: int

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        if context.window_manager is None or context.scene is None:
            return {"CANCELLED"}
        if not self.properties.is_property_set("start"):
            self.start, self.end = context.scene.frame_start, context.scene.frame_end
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        assert self.layout is not None
        column = self.layout.column()
        column.use_property_split = True
        column.prop(self, "which")
        column.prop(self, "over")
        if self.over == "CUSTOM":
            column.prop(self, "start")
            column.prop(self, "end")
        column.prop(self, "step")

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        room = bridge.goals_from_action
        return room.make(character, context, room.Choice(self.which, self.over, self.start, self.end, self.step))


POSEWRIGHT_OT_goals_from_action.__annotations__ = {
    "which": EnumProperty(
        name="Goals",
        description="Which goals get the motion",
        items=(
            ("LIMBS", "Hands and Feet", "Goals of both hands and both feet; made where there are none"),
            ("BONES", "Selected Bones", "Goals of the bones that are selected in Pose Mode; made where there are none"),
            ("ACTIVE", "Active Goal", "The goal that is active in the list"),
            ("ALL", "All Goals", "Every goal of the character that is about a place and turn"),
        ),
    ),
    "over": EnumProperty(
        name="Range",
        description="Over which frames. Before and after them goals stay where they are at its ends",
        items=(
            ("SCENE", "Scene", "From the scene's first frame to its last"),
            ("PREVIEW", "Preview", "The preview range of the timeline"),
            ("ACTION", "Action", "As far as the action has keys"),
            ("CUSTOM", "Custom", "From one frame to another"),
        ),
    ),
    "start": IntProperty(name="Start", description="The first frame of a custom range", default=1),
    "end": IntProperty(name="End", description="The last frame of a custom range", default=250),
    "step": IntProperty(
        name="Step", description="A key for every so many frames; at 1 nothing of the clip is lost", default=1, min=1
    ),
}
