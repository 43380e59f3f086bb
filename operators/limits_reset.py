"""Drop limits of ours."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_limits_reset(OnCharacter, bpy.types.Operator):
    """What Blender stores of a bone was never touched, so it counts again."""

    bl_idname = "posewright.limits_reset"
    bl_label = "Reset Limits"
    bl_description = "Have the selected bones go by their IK limits and constraints again"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.joints.editing.reset(character, bridge.selection.selected(character))
