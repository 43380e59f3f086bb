"""Pin a goal where it is, or unpin it."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnGoal


class POSEWRIGHT_OT_goal_pin(OnGoal, bpy.types.Operator):
    """What is pinned is what is seen: nothing moves."""

    bl_idname = "posewright.goal_pin"
    bl_label = "Pin Goal"
    bl_description = (
        "Hold the goal where it is now, its place (location), its turn (rotation) or both, whatever else moves; once "
        "more lets it go"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.goal_states.pin(character, self.index, self.which, context.evaluated_depsgraph_get())


POSEWRIGHT_OT_goal_pin.__annotations__ = {
    "which": EnumProperty(
        name="What",
        description="What of the bone is pinned, or unpinned",
        items=(
            ("BOTH", "Place and Turn", "The bone stays as it is"),
            ("PLACE", "Place", "The goal's point stays where it is, the bone may turn about it"),
            ("TURN", "Turn", "The bone stays turned as it is, wherever it goes"),
        ),
    ),
}
