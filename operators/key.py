"""Key what was posed: the whole body, a part of it, or the selected bones."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_key(OnCharacter, bpy.types.Operator):
    """At the present frame, by the keying set if one is in use."""

    bl_idname = "posewright.key"
    bl_label = "Key Pose"
    bl_description = "Key the whole body, the limb of the active bone or goal, or the selected bones at this frame"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        assert context.scene is not None
        count = bridge.keying.key(character, self.which, context.scene)
        return f"{count} bones were keyed at frame {context.scene.frame_current}"


POSEWRIGHT_OT_key.__annotations__ = {
    "which": EnumProperty(
        name="Which",
        description="Which bones get keys",
        items=(
            ("BODY", "Body", "All bones of the character"),
            ("PART", "Part", "The limb of the active bone, or else of the active goal"),
            ("SELECTION", "Selection", "The selected bones"),
        ),
    ),
}
