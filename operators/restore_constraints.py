"""Give bones back to what moved them."""

import bpy

from .. import bridge, properties
from .on_character import OnCharacter


class POSEWRIGHT_OT_restore_constraints(OnCharacter, bpy.types.Operator):
    """Exactly those that were muted by us."""

    bl_idname = "posewright.restore_constraints"
    bl_label = "Restore Constraints"
    bl_description = "Switch the constraints and drivers on again that Snap and Mute has muted, and no others"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not len(properties.character(context.object).posewright_muted):
            reason = "Nothing was muted"
        return reason

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return f"{bridge.snapping.restore(character)} constraints and drivers are on again"
