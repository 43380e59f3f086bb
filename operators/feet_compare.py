"""Switch between the clip before and after its feet were placed."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_placed import OnPlaced


class POSEWRIGHT_OT_feet_compare(OnPlaced, bpy.types.Operator):
    """Both actions stay."""

    bl_idname = "posewright.feet_compare"
    bl_label = "Compare"
    bl_description = "Play the clip from before its feet were placed, or again the one with placed feet"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        room = bridge.feet.switching
        if self.which != "OTHER" and (self.which == "AFTER") == room.is_placed(character):
            return ""  # it plays already
        with bridge.watch.undisturbed():
            said = room.compare(character)
        self.show_frame(context)
        return said


POSEWRIGHT_OT_feet_compare.__annotations__ = {
    "which": EnumProperty(
        name="Play",
        description="Which of the two is played",
        items=(
            ("OTHER", "The Other", "The one that does not play now"),
            ("BEFORE", "Before", "The clip from before its feet were placed"),
            ("AFTER", "After", "The clip with placed feet"),
        ),
        options={"SKIP_SAVE"},
    ),
}
