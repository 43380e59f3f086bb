"""Have a body keep its balance, by what its bones weigh."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_balance(OnCharacter, bpy.types.Operator):
    """Adds the relation, or takes the masses of the one that is there anew. As posed now it moves nothing."""

    bl_idname = "posewright.balance"
    bl_label = "Keep Balance"
    bl_description = "Keep the centre of mass over the feet that are pinned; or take its masses anew"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        masses: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.relations.balance.add(character, self.masses)


POSEWRIGHT_OT_balance.__annotations__ = {
    "masses": EnumProperty(
        name="Masses",
        description="What says how much bones weigh",
        items=(
            ("ROLES", "By Roles", "As people do, on the bones whose roles are known"),
            ("VOLUME", "By Volume", "By the volume of the meshes that hang on the bones, at rest. Open ones count too"),
        ),
    ),
}
