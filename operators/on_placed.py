"""What actions on a clip whose feet were placed have in common."""

import bpy

from .. import properties
from .on_character import OnCharacter


class OnPlaced(OnCharacter):
    """An action that needs a clip with placed feet."""

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and properties.character(context.object).posewright_feet_placed is None:
            reason = f"The feet of {context.object.name!r} were not placed yet"
        return reason

    def show_frame(self, context: bpy.types.Context) -> None:
        """The animation sets the pose anew, as on a new frame."""
        if context.scene is not None:
            context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
