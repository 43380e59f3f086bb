"""Go to the frame of which a report speaks."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import IntProperty

from .on_character import OnCharacter


class POSEWRIGHT_OT_feet_go_to(OnCharacter, bpy.types.Operator):
    """A click on a line of the report."""

    bl_idname = "posewright.feet_go_to"
    bl_label = "Go to Frame"
    bl_description = "Go to this frame"

    if TYPE_CHECKING:
        frame: int

    def act(self, context: bpy.types.Context, _character: bpy.types.Object) -> str:
        if context.scene is not None:
            context.scene.frame_set(self.frame)
        return ""


POSEWRIGHT_OT_feet_go_to.__annotations__ = {
    "frame": IntProperty(name="Frame", description="The frame to show", options={"SKIP_SAVE"}),
}
