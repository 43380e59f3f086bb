"""Unpin every goal."""

import bpy

from .. import bridge
from .on_character import OnGoals


class POSEWRIGHT_OT_unpin_all(OnGoals, bpy.types.Operator):
    """The pose stays."""

    bl_idname = "posewright.unpin_all"
    bl_label = "Unpin All"
    bl_description = "Unpin all goals of the character; the pose stays as it is"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return f"{bridge.goal_states.unpin_all(character)} goals unpinned"
