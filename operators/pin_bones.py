"""Pin the selected bones where they are, or unpin them."""

from typing import TYPE_CHECKING

import bpy

from .. import bridge
from .goal_pin import POSEWRIGHT_OT_goal_pin
from .on_character import OnCharacter


class POSEWRIGHT_OT_pin_bones(OnCharacter, bpy.types.Operator):
    """Select a foot, press a key: it stays. Bones without a goal get one."""

    bl_idname = "posewright.pin_bones"
    bl_label = "Pin Bones"
    bl_description = (
        "Hold the selected bones where they are now, their place (location), their turn (rotation) or both, whatever "
        "else moves; once more lets them go"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        bones = bridge.selection.selected(character)
        return bridge.goal_states.pin_bones(character, bones, self.which, context.evaluated_depsgraph_get())


POSEWRIGHT_OT_pin_bones.__annotations__ = {"which": POSEWRIGHT_OT_goal_pin.__annotations__["which"]}
