"""Learn how a character holds itself from its actions."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty

from .. import bridge
from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_learn(OnCharacter, bpy.types.Operator):
    """Mean and spread of each joint: what is done often costs little."""

    bl_idname = "posewright.learn"
    bl_label = "Learn from Actions"
    bl_description = (
        "Have joints tend to what actions do with them, of this character or of another that is set up: "
        "poses take that manner"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        source: str
        action: str
        every: bool

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        assert context.window_manager is not None
        assert context.object is not None
        self.source = self.source or context.object.name
        animation = context.object.animation_data
        if not self.action and animation and animation.action:
            self.action = animation.action.name
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        assert self.layout is not None
        self.layout.prop_search(self, "source", bpy.data, "objects")
        self.layout.prop(self, "every")
        row = self.layout.row()
        row.active = not self.every
        row.prop_search(self, "action", bpy.data, "actions")

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.joints.learning.learn(character, self.source, "" if self.every else self.action, self.every)


POSEWRIGHT_OT_learn.__annotations__ = {
    "source": StringProperty(
        name="Character",
        description="Whose actions they are; empty for this one. It must be set up",
        options={"SKIP_SAVE"},
    ),
    "action": StringProperty(name="Action", description="The action to learn from"),
    "every": BoolProperty(name="Every Action", description="Learn from all actions in the file that turn its bones"),
}
