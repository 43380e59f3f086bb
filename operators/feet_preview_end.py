"""Show no preview of placed feet any longer."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_feet_preview_end(OnCharacter, bpy.types.Operator):
    """Only what is drawn goes away; nothing is stored of it."""

    bl_idname = "posewright.feet_preview_end"
    bl_label = "Close Preview"
    bl_description = "Take footprints, ways and graph out of the 3D view; nothing else changes"

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        bridge.feet.preview.forget(character)
        for area in context.screen.areas if context.screen is not None else ():
            area.tag_redraw()
        return ""
