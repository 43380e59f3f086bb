"""Move a point of a wire up or down."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_relation import OnRelation


class POSEWRIGHT_OT_relation_part_move(OnRelation, bpy.types.Operator):
    """A wire runs through its points in their order."""

    bl_idname = "posewright.relation_part_move"
    bl_label = "Move Point"
    bl_description = "Move the active point up or down: a wire runs through its points in their order"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        direction: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        editing = bridge.relations.editing
        step = 1 if self.direction == "DOWN" else -1
        editing.move_part(character, editing.at(character, self.index)[1], step)
        return ""


POSEWRIGHT_OT_relation_part_move.__annotations__ = {
    "direction": EnumProperty(
        name="Direction",
        description="Which way the point goes",
        items=(("UP", "Up", "Toward the first point"), ("DOWN", "Down", "Toward the last point")),
    ),
}
