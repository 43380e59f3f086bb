"""Take over bones that something else moves."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_snap_and_mute(OnCharacter, bpy.types.Operator):
    """What is seen stays the same."""

    bl_idname = "posewright.snap_and_mute"
    bl_label = "Snap and Mute"
    bl_description = (
        "Give bones that constraints, drivers or built-in IK move the pose that is seen, and mute what moves them"
    )
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        bones, muted = bridge.snapping.snap_and_mute(character, context.evaluated_depsgraph_get())
        return f"{bones} bones taken over, {muted} constraints and drivers muted"
