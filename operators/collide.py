"""Have the body keep off an object, or off itself."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, StringProperty

from .. import bridge
from ..properties import AGAINST
from .on_character import OnCharacter


class POSEWRIGHT_OT_collide(OnCharacter, bpy.types.Operator):
    """A relation of the kind collision; shapes are fitted if there are none."""

    bl_idname = "posewright.collide"
    bl_label = "Collide"
    bl_description = (
        "Have the body keep off itself or the other selected objects: hands do not go through them. Fits shapes to "
        "the skin if there are none"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        against: str
        thing: str

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        collide = bridge.collision.editing.collide
        if self.against == "SELF":
            return collide(character, None, "SELF")
        names = [self.thing] if self.thing else [one.name for one in context.selected_objects if one != character]
        if not names:
            raise bridge.errors.PosewrightError(
                "Select the object too: in Object Mode click it, Shift-click the character, go back to Pose Mode, and "
                "press this again"
            )
        things = [bridge.goal_states.object_named(name) for name in names]
        for thing in things:  # all before any: what is refused half-way could not be undone
            bridge.collision.editing.refuse(character, thing, self.against)
        return "; ".join(collide(character, thing, self.against) for thing in things)


POSEWRIGHT_OT_collide.__annotations__ = {
    "against": EnumProperty(name="Against", description="What the body keeps off", items=AGAINST),
    "thing": StringProperty(
        name="Object",
        description="The object that the body keeps off, by its name; empty for the other selected objects",
        options={"SKIP_SAVE"},
    ),
}
