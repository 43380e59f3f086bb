"""Find the soles anew."""

import bpy

from .. import bridge, properties
from .on_character import OnCharacter


class POSEWRIGHT_OT_sole_reset(OnCharacter, bpy.types.Operator):
    """By bones and mesh, over what was set by hand."""

    bl_idname = "posewright.sole_reset"
    bl_label = "Find Soles Again"
    bl_description = "Find heel, ball, toe and widths of all soles anew, over what was changed by hand"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not len(properties.character(context.object).posewright_soles):
            reason = f"{context.object.name!r} has no soles yet: find contacts first"
        return reason

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.feet.stored.reset_soles(character)
