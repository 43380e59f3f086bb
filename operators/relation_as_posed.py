"""Take over for a relation what it is in the present pose."""

import bpy

from .. import bridge
from .on_relation import OnRelation


class POSEWRIGHT_OT_relation_as_posed(OnRelation, bpy.types.Operator):
    """The length of a wire, the place and turn of a loop."""

    bl_idname = "posewright.relation_as_posed"
    bl_label = "As Posed"
    bl_description = "Have a wire be as long as it is now, or a loop hold its bones as they are now"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        editing = bridge.relations.editing
        return editing.as_posed(character, editing.at(character, self.index)[1])
