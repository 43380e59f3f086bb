"""Look for bones that something else moves."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_find_frozen(OnCharacter, bpy.types.Operator):
    """For the list in the panel, which only shows what was found before."""

    bl_idname = "posewright.find_frozen"
    bl_label = "Look Again"
    bl_description = (
        "List the bones that goals leave alone, because a constraint, a driver, built-in IK or locks hold them"
    )
    bl_options = {"INTERNAL"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bridge.snapping.look(character)
        return ""
