"""Remove a relation."""

import bpy

from .. import bridge
from .on_relation import OnRelation


class POSEWRIGHT_OT_relation_remove(OnRelation, bpy.types.Operator):
    """The relation goes with its keys and drivers."""

    bl_idname = "posewright.relation_remove"
    bl_label = "Remove Relation"
    bl_description = "Remove the relation with its keys and drivers"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return f"Removed {bridge.relations.editing.remove(character, self.index)!r}"
