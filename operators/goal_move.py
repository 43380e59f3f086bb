"""Move a goal up or down in the list."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnGoal


class POSEWRIGHT_OT_goal_move(OnGoal, bpy.types.Operator):
    """The goal's keys and drivers go with it."""

    bl_idname = "posewright.goal_move"
    bl_label = "Move Goal"
    bl_description = "Move the goal up or down in the list, with its keys and drivers"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        direction: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        place, _ = bridge.goal_list.at(character, self.index)
        bridge.goal_list.move(character, place, place + (1 if self.direction == "DOWN" else -1))
        return ""


POSEWRIGHT_OT_goal_move.__annotations__ = {
    "direction": EnumProperty(
        name="Direction",
        description="Which way the goal goes",
        items=(("UP", "Up", "Toward the first goal"), ("DOWN", "Down", "Toward the last goal")),
    ),
}
