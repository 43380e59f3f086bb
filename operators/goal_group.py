"""Put a goal into a group."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge
from .on_character import OnGoal

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_goal_group(OnGoal, bpy.types.Operator):
    """Groups order the list: arms, legs, face."""

    bl_idname = "posewright.goal_group"
    bl_label = "Group Goal"
    bl_description = "Put the goal into a group, by which the list can be filtered"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        group: str

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        return context.window_manager.invoke_props_dialog(self) if context.window_manager else {"CANCELLED"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bridge.goal_list.group(character, [self.index], self.group)
        return ""


POSEWRIGHT_OT_goal_group.__annotations__ = {
    "group": StringProperty(name="Group", description="The group's name; empty to take the goal out of its group"),
}
