"""Key what was posed: the whole body, a part of it, or the selected bones."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import bridge

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_key(bpy.types.Operator):
    """At the present frame, by the keying set if one is in use."""

    bl_idname = "posewright.key"
    bl_label = "Key Pose"
    bl_description = "Key the whole body, the limb of the active bone or goal, or the selected bones at this frame"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        which: str

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.object is None or context.object.type != "ARMATURE":
            cls.poll_message_set("The active object is no armature")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> "set[OperatorReturnItems]":
        assert context.object is not None
        assert context.scene is not None
        try:
            count = bridge.keying.key(context.object, self.which, context.scene)
        except bridge.errors.PosewrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{count} bones were keyed at frame {context.scene.frame_current}")
        return {"FINISHED"}


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
