"""Run a wire through bones."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_wire_add(OnCharacter, bpy.types.Operator):
    """As long as it is now: adding it moves nothing."""

    bl_idname = "posewright.wire_add"
    bl_label = "Add Wire"
    bl_description = (
        "Run a strap, rope or muscle through the heads of the selected bones, from parents to children. It cannot get "
        "longer than it is now"
    )
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.relations.editing.strap(character, bridge.selection.selected(character))
