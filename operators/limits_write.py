"""Write limits of ours to the bones' IK settings."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_limits_write(OnCharacter, bpy.types.Operator):
    """Exact for hinges about an axis of their bone, else the least that hold all of ours."""

    bl_idname = "posewright.limits_write"
    bl_label = "Write to IK Limits"
    bl_description = (
        "Write the limits of the selected bones to their IK settings, about the bones' own axes: for Blender's own IK "
        "and for export"
    )
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.joints.write_back.write(character, bridge.selection.selected(character))
