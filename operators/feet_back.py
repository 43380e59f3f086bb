"""Go back to the clip as it was before its feet were placed."""

import bpy

from .. import bridge
from .on_placed import OnPlaced


class POSEWRIGHT_OT_feet_back(OnPlaced, bpy.types.Operator):
    """The action with placed feet stays in the file."""

    bl_idname = "posewright.feet_back"
    bl_label = "Back to the Clip"
    bl_description = "Give the character the action, slot and NLA strips from before its feet were placed"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        with bridge.watch.undisturbed():
            said = bridge.feet.switching.back(character)
        self.show_frame(context)
        return said
