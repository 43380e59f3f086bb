"""Have a joint follow others."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_couple(OnCharacter, bpy.types.Operator):
    """The active bone follows the other selected ones."""

    bl_idname = "posewright.couple"
    bl_label = "Couple Joints"
    bl_description = (
        "Have the joint of the active bone follow those of the other selected bones, by an expression that can be "
        "changed afterwards"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        axis: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        editing = bridge.relations.editing
        return editing.couple(character, editing.from_selected(character), self.axis)


POSEWRIGHT_OT_couple.__annotations__ = {
    "axis": EnumProperty(
        name="Axis",
        description="About which axis of their joints",
        items=(
            ("X", "X: Bend", "About the X axis of the joints; by anatomical axes, how far they bend"),
            ("Y", "Y: Twist", "About the Y axis of the joints, along the bones"),
            ("Z", "Z: Side", "About the Z axis of the joints; by anatomical axes, to the side"),
        ),
    ),
}
