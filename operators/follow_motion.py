"""Have the character follow the motion of another armature."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty

from .. import bridge
from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_follow_motion(OnCharacter, bpy.types.Operator):
    """Motion capture, or another character, on this body."""

    bl_idname = "posewright.follow_motion"
    bl_label = "Follow Motion of…"
    bl_description = (
        "Have hands, feet, head and pelvis follow those of another armature: motion capture, another character. "
        "The motion is scaled to this body's legs and arms. Nothing is changed on the other one"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        source: str
        same_spot: bool
        chest: bool
        turns: bool
        posture: bool
        hands: bool
        width: bool
        play: bool

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        others = [one for one in context.selected_objects if one.type == "ARMATURE" and one != context.object]
        if len(others) == 1:
            self.source = others[0].name
        return context.window_manager.invoke_props_dialog(self) if context.window_manager else {"CANCELLED"}

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        column = self.layout.column()
        # A dialog opens with the mouse on its first line: on the armature's ×, Enter would clear it.
        column.label(text=f"{context.object.name if context.object else 'The character'} is to follow:")
        column.use_property_split = True
        if context.scene is not None:
            column.prop_search(self, "source", context.scene, "objects", icon="ARMATURE_DATA")
        for name in ("same_spot", "chest", "turns", "posture", "hands", "width", "play"):
            column.prop(self, name)

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        room = bridge.follow_motion
        choice = room.Choice(self.same_spot, self.chest, self.turns, self.posture, self.hands, self.width, self.play)
        source = room.other_armature(context, self.source)
        return room.follow(character, source, choice, context.evaluated_depsgraph_get())


POSEWRIGHT_OT_follow_motion.__annotations__ = {
    "source": StringProperty(
        name="Armature",
        description="The armature whose motion is followed, by its name; empty for the other selected one",
        options={"SKIP_SAVE"},
    ),
    "same_spot": BoolProperty(
        name="Over the Same Ground",
        description="Go where the other one goes, its way scaled about its origin, instead of beginning where this "
        "character stands and going the way that it faces",
    ),
    "chest": BoolProperty(
        name="Chest",
        description="Have the chest follow, too, and the head be turned only: shoulders are then where the arms' "
        "motion wants them. Without it the place of the head alone bends the back",
        default=True,
    ),
    "turns": BoolProperty(
        name="Turn Pelvis, Feet, Head",
        description="Have pelvis, feet and head turned as the other's, and not only be where they are",
        default=True,
    ),
    "posture": BoolProperty(
        name="Posture",
        description="Have elbows, knees and back held as the other's where hands and feet leave them free. Without it "
        "joints tend to the reference pose and their habits, and the place of the chest bends the back",
        default=True,
    ),
    "hands": BoolProperty(
        name="Turn Hands",
        description="Have hands turned as the other's. Of many captures that was not recorded",
    ),
    "width": BoolProperty(
        name="Own Stance Width",
        description="Have feet as far apart as this character's hips ask for: for bodies with very broad or narrow "
        "hips. Feet then slide a little where the pelvis turns over them",
    ),
    "play": BoolProperty(
        name="While Playing",
        description="Follow on every frame while the animation plays, not only while scrubbing",
        default=True,
    ),
}
