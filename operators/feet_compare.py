"""Switch between the clip before and after its feet were placed."""

import bpy

from .. import bridge
from .on_placed import OnPlaced


class POSEWRIGHT_OT_feet_compare(OnPlaced, bpy.types.Operator):
    """Both actions stay."""

    bl_idname = "posewright.feet_compare"
    bl_label = "Compare"
    bl_description = "Play the clip from before its feet were placed, or again the one with placed feet"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        with bridge.watch.undisturbed():
            said = bridge.feet.switching.compare(character)
        self.show_frame(context)
        return said
