"""Couplings of fingers or the back, by roles."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_couple_preset(OnCharacter, bpy.types.Operator):
    """As posed now they hold: adding them moves nothing."""

    bl_idname = "posewright.couple_preset"
    bl_label = "Couple by Roles"
    bl_description = "Couple the joints of all fingers, so that they curl as one, or those of the back, to bend evenly"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.relations.presets.add(character, self.which)


POSEWRIGHT_OT_couple_preset.__annotations__ = {
    "which": EnumProperty(
        name="Joints",
        description="Which joints are coupled",
        items=(
            ("FINGERS", "Fingers", "The curl of a finger's joint drives the next one"),
            ("SPINE", "Spine", "All bones of the back bend by the same angle"),
        ),
    ),
}
