"""Add a contact by hand."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, StringProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_contact_add(OnCharacter, bpy.types.Operator):
    """From the frame that is shown on."""

    bl_idname = "posewright.contact_add"
    bl_label = "Add Contact"
    bl_description = (
        "Have a part of a foot touch the ground from the present frame on: of the same foot as the active contact, or "
        "of the first foot"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        foot: str
        part: str

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        assert context.scene is not None
        return bridge.feet.contact_list.add(character, context.scene, self.foot, self.part)


POSEWRIGHT_OT_contact_add.__annotations__ = {
    "foot": StringProperty(
        name="Foot",
        description="The role of the foot: foot.L; empty for that of the active contact",
        options={"SKIP_SAVE"},
    ),
    "part": EnumProperty(
        name="Part",
        description="Which part of the sole touches the ground",
        items=(
            ("SAME", "Same", "The part of the active contact"),
            ("HEEL", "Heel", "The heel"),
            ("BALL", "Ball", "The ball of the foot, where the toes begin"),
            ("TOE", "Toe", "The tip of the toes"),
        ),
        options={"SKIP_SAVE"},
    ),
}
