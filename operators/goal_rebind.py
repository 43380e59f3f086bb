"""Give a goal another bone."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge
from .on_character import OnGoal

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_goal_rebind(OnGoal, bpy.types.Operator):
    """For a bone that was renamed."""

    bl_idname = "posewright.goal_rebind"
    bl_label = "Choose Bone"
    bl_description = "Give the goal another bone, for one that was renamed or removed"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bone: str

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        active = bridge.selection.active(context.object) if context.object else None
        self.bone = self.bone or (active.name if active else "")
        return context.window_manager.invoke_props_dialog(self) if context.window_manager else {"CANCELLED"}

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        if context.object is not None and context.object.data is not None:
            self.layout.prop_search(self, "bone", context.object.data, "bones")

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bridge.goal_list.rebind(character, self.index, self.bone)
        return ""


POSEWRIGHT_OT_goal_rebind.__annotations__ = {
    "bone": StringProperty(name="Bone", description="The goal's new bone", options={"SKIP_SAVE"}),
}
