"""Fit spheres and capsules to the body."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_shapes_fit(OnCharacter, bpy.types.Operator):
    """One click: the body as collisions see it."""

    bl_idname = "posewright.shapes_fit"
    bl_label = "Fit Shapes"
    bl_description = (
        "Give the bones spheres and capsules that fit the skin at rest, in the place of those that are there; without "
        "a skin, by the bones' lengths and roles"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        selected: bool

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        only = bridge.selection.selected(character) if self.selected else []
        if self.selected and not only:
            raise bridge.errors.PosewrightError("Select the bones in Pose Mode that are to get shapes")
        return bridge.collision.editing.fit(character, only)


POSEWRIGHT_OT_shapes_fit.__annotations__ = {
    "selected": BoolProperty(
        name="Selected Bones",
        description="Only for the selected bones, thin ones too, as those of fingers; other shapes stay",
        options={"SKIP_SAVE"},
    ),
}
