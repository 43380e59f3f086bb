"""Copy limits from the active bone to the selected ones."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_limits_copy(OnCharacter, bpy.types.Operator):
    """About the same axes of each bone: meant for fingers, tails, spines."""

    bl_idname = "posewright.limits_copy"
    bl_label = "Copy Limits"
    bl_description = "Give the other selected bones the limits and the habit of the active one"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.joints.editing.copy_active(character)
