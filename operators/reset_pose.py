"""Back to the rest pose, or to the reference."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_reset_pose(OnCharacter, bpy.types.Operator):
    """What is pinned stays so while live posing is on."""

    bl_idname = "posewright.reset_pose"
    bl_label = "Reset Pose"
    bl_description = "Put bones back to their rest pose or the reference; pins hold while live posing is on"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bones: str
        to: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bones = None if self.bones == "ALL" else bridge.selection.selected(character)
        count = bridge.resetting.reset(character, bones, self.to)
        told = "1 bone was" if count == 1 else f"{count} bones were"
        return f"{told} put back to the {'reference' if self.to == 'REFERENCE' else 'rest pose'}"


POSEWRIGHT_OT_reset_pose.__annotations__ = {
    "bones": EnumProperty(
        name="Bones",
        description="Which bones go back",
        items=(("ALL", "All", "The whole character"), ("SELECTED", "Selected", "The selected bones")),
    ),
    "to": EnumProperty(
        name="To",
        description="Where they go back to",
        items=(
            ("REST", "Rest Pose", "As the armature was made"),
            ("REFERENCE", "Reference", "The last pose that was made by other means than goals"),
        ),
    ),
}
