"""Give the other side of the body the same relation."""

import bpy

from .. import bridge
from .on_relation import OnRelation


class POSEWRIGHT_OT_relation_mirror(OnRelation, bpy.types.Operator):
    """Left to right and back, across the armature's YZ plane."""

    bl_idname = "posewright.relation_mirror"
    bl_label = "Mirror Relation"
    bl_description = "Give the bones of the other side the same relation, mirrored left to right"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return f"Mirrored to {bridge.relations.mirroring.mirror(character, self.index)!r}"
