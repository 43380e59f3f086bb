"""How much of the body moves."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_mode(OnCharacter, bpy.types.Operator):
    """Moves nothing by itself. Selection, taken again, takes the bones that are selected then."""

    bl_idname = "posewright.mode"
    bl_label = "Mode"
    bl_description = "How much of the body moves: all of it, the dragged limb, or the bones that are selected now"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        mode: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.modes.switch(character, self.mode)


POSEWRIGHT_OT_mode.__annotations__ = {
    "mode": EnumProperty(
        name="Mode",
        description="How much of the body moves",
        items=(
            ("FULL", "Full Body", "The whole body follows, pins hold"),
            ("PART", "Body Part", "Only the limb moves that is dragged: an arm, a leg, the spine"),
            ("SELECTION", "Selection", "Only the bones move that are selected now"),
        ),
    ),
}
