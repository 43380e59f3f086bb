"""Copy a goal."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge
from .on_character import OnGoal


class POSEWRIGHT_OT_goal_copy(OnGoal, bpy.types.Operator):
    """A second goal with the same settings, idle."""

    bl_idname = "posewright.goal_copy"
    bl_label = "Copy Goal"
    bl_description = "Add an idle goal with the same settings, without its keys and drivers"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bone: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bridge.goal_list.copy(character, self.index, self.bone)
        return ""


POSEWRIGHT_OT_goal_copy.__annotations__ = {
    "bone": StringProperty(
        name="Bone", description="The bone of the new goal; empty for the same bone", options={"SKIP_SAVE"}
    ),
}
