"""Add a shape to bones."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_shape_add(OnCharacter, bpy.types.Operator):
    """For each selected bone, or for one that is named."""

    bl_idname = "posewright.shape_add"
    bl_label = "Add Shape"
    bl_description = "Add a shape to each selected bone: fitted to its skin, or along the bone where it has none"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bone: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bones = [self.bone] if self.bone else bridge.selection.selected(character) or [""]
        said = [bridge.collision.editing.add(character, bone) for bone in bones]
        return said[0] if len(said) == 1 else f"Shapes on {len(said)} bones"


POSEWRIGHT_OT_shape_add.__annotations__ = {
    "bone": StringProperty(name="Bone", description="The bone; empty for all selected bones", options={"SKIP_SAVE"}),
}
