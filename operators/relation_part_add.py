"""Add a variable or a point to a relation."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge
from .on_relation import OnRelation


class POSEWRIGHT_OT_relation_part_add(OnRelation, bpy.types.Operator):
    """For each selected bone, or for one that is named."""

    bl_idname = "posewright.relation_part_add"
    bl_label = "Add Bone to Relation"
    bl_description = (
        "Add each selected bone: to a coupling as a variable, to a wire as a point it runs through, "
        "to a balance as a mass"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bone: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        editing = bridge.relations.editing
        _, relation = editing.at(character, self.index)
        for bone in [self.bone] if self.bone else bridge.selection.selected(character) or [""]:
            editing.add_part(character, relation, bone)
        return ""


POSEWRIGHT_OT_relation_part_add.__annotations__ = {
    "bone": StringProperty(name="Bone", description="The bone; empty for all selected bones", options={"SKIP_SAVE"}),
}
