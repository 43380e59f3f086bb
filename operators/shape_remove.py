"""Remove a shape of the body."""

import bpy

from .. import bridge, properties
from .on_character import OnCharacter


class POSEWRIGHT_OT_shape_remove(OnCharacter, bpy.types.Operator):
    """The active one."""

    bl_idname = "posewright.shape_remove"
    bl_label = "Remove Shape"
    bl_description = "Remove the active shape; collisions then do not see this part of the body"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not len(properties.character(context.object).posewright_shapes):
            reason = f"{context.object.name!r} has no shapes yet"
        return reason

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return f"Removed {bridge.collision.editing.remove(character)!r}"
