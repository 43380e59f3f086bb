"""Remove a goal."""

import bpy

from .. import bridge
from .on_character import OnGoal


class POSEWRIGHT_OT_goal_remove(OnGoal, bpy.types.Operator):
    """The goal goes with its keys and drivers; the pose stays."""

    bl_idname = "posewright.goal_remove"
    bl_label = "Remove Goal"
    bl_description = "Remove the goal with its keys and drivers; the pose stays as it is"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        name = bridge.goal_list.remove(character, self.index)
        muted = bridge.snapping.still_muted(character)
        return f"Removed {name!r}" + (f"; {muted} constraints and drivers are still muted" if muted else "")
