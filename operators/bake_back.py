"""Go back from a bake to live posing."""

import bpy

from .. import bridge, properties
from .on_character import OnCharacter


class POSEWRIGHT_OT_bake_back(OnCharacter, bpy.types.Operator):
    """The baked action stays in the file."""

    bl_idname = "posewright.bake_back"
    bl_label = "Back to Live"
    bl_description = "Give the character the action, slot, NLA strips and live posing from before the bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not properties.character(context.object).posewright_bake:
            reason = f"{context.object.name!r} has no bake to go back from"
        return reason

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        with bridge.watch.undisturbed():
            said = bridge.baking.actions.go_back(character, keep=True)
        if context.scene is not None:  # the animation sets the pose anew, as on a new frame
            context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
        return said
