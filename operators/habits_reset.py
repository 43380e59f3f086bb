"""Forget what was learnt from actions."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_habits_reset(OnCharacter, bpy.types.Operator):
    """Limits stay."""

    bl_idname = "posewright.habits_reset"
    bl_label = "Reset Habits"
    bl_description = "Have the habits of people again instead of learnt ones"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.joints.learning.reset(character)
