"""Mirror limits to the other side of the body."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_limits_mirror(OnCharacter, bpy.types.Operator):
    """Bones may have any roll on either side."""

    bl_idname = "posewright.limits_mirror"
    bl_label = "Mirror Limits"
    bl_description = "Give the bones on the other side the limits and habits of the selected ones, in the mirror"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.joints.editing.mirror(character, bridge.selection.selected(character))
