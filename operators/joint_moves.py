"""Let a bone be moved, not only turned."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_joint_moves(OnCharacter, bpy.types.Operator):
    """Imported rigs leave every bone free to move, so none but the pelvis does, or a root that carries none."""

    bl_idname = "posewright.joint_moves"
    bl_label = "Bone Moves"
    bl_description = "Let the bone be moved by goals, not only turned; once more forbids it. The pelvis may by itself"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bone: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        active = bridge.selection.active(character)
        bone = self.bone or (active.name if active else "")
        moves = bridge.joint_settings.toggle_moving(character, bone)
        return f"{bone!r} {'may' if moves else 'may not'} be moved by goals"


POSEWRIGHT_OT_joint_moves.__annotations__ = {
    "bone": StringProperty(name="Bone", description="The bone; empty for the active one", options={"SKIP_SAVE"}),
}
