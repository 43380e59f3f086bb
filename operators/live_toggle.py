"""Switch live posing on or off."""

import bpy

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_live_toggle(OnCharacter, bpy.types.Operator):
    """Moves no bone: goals that ask for something else than what is seen, ask for what is seen from then on."""

    bl_idname = "posewright.live_toggle"
    bl_label = "Live Posing"
    bl_description = "Have the body follow whenever a goal moves, or leave it alone; switching moves no bone"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        on = bridge.goal_states.switch_live(character, context.evaluated_depsgraph_get())
        return "Live posing is on" if on else "Live posing is off"
