"""Move a relation up or down in the list."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_relation import OnRelation


class POSEWRIGHT_OT_relation_move(OnRelation, bpy.types.Operator):
    """The relation's keys and drivers go with it."""

    bl_idname = "posewright.relation_move"
    bl_label = "Move Relation"
    bl_description = "Move the relation up or down in the list, with its keys and drivers"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        direction: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bridge.relations.editing.move(character, self.index, 1 if self.direction == "DOWN" else -1)
        return ""


POSEWRIGHT_OT_relation_move.__annotations__ = {
    "direction": EnumProperty(
        name="Direction",
        description="Which way the relation goes",
        items=(("UP", "Up", "Toward the first relation"), ("DOWN", "Down", "Toward the last relation")),
    ),
}
