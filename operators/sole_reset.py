"""Find a sole anew."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge, properties
from .on_character import OnCharacter


class POSEWRIGHT_OT_sole_reset(OnCharacter, bpy.types.Operator):
    """By bones and mesh, over what was set by hand."""

    bl_idname = "posewright.sole_reset"
    bl_label = "Find Sole"
    bl_description = "Find heel, ball, toe and widths of a sole anew, by the bones and the mesh that they carry"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        foot: str

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not len(properties.character(context.object).posewright_soles):
            reason = f"{context.object.name!r} has no soles yet: find contacts first"
        return reason

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.feet.stored.reset_sole(context, character, self.foot)


POSEWRIGHT_OT_sole_reset.__annotations__ = {
    "foot": StringProperty(
        name="Foot", description="The role of the foot: foot.L; empty for all feet", options={"SKIP_SAVE"}
    ),
}
