"""Remove a variable or a point of a relation."""

import bpy

from .. import bridge
from .on_relation import OnRelation


class POSEWRIGHT_OT_relation_part_remove(OnRelation, bpy.types.Operator):
    """The one that is chosen in the relation's own list."""

    bl_idname = "posewright.relation_part_remove"
    bl_label = "Remove Bone from Relation"
    bl_description = (
        "Remove the active variable of a coupling, the active point of a wire, or the active mass of a balance"
    )
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        editing = bridge.relations.editing
        editing.remove_part(character, editing.at(character, self.index)[1])
        return ""
