"""Have hands hold a prop."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_hold_prop(OnCharacter, bpy.types.Operator):
    """Both hands on a sword: two goals that follow it."""

    bl_idname = "posewright.hold_prop"
    bl_label = "Hold Prop"
    bl_description = (
        "Have the selected bones follow the other selected object as they are now, place and turn: both hands on one "
        "prop, which carries them along"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        prop: str

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        others = [one.name for one in context.selected_objects if one != character]
        name = self.prop or (others[0] if others else "")
        if not name:
            raise bridge.errors.PosewrightError(
                "Select the prop too: in Object Mode click it, Shift-click the character, go back to Pose Mode, and "
                "press this again"
            )
        prop, depsgraph = bridge.goal_states.object_named(name), context.evaluated_depsgraph_get()
        return bridge.holding.hold(character, bridge.selection.selected(character), prop, depsgraph)


POSEWRIGHT_OT_hold_prop.__annotations__ = {
    "prop": StringProperty(
        name="Prop",
        description="The object that is held, by its name; empty for the other selected object",
        options={"SKIP_SAVE"},
    ),
}
