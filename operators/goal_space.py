"""Choose in what a goal stays put."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, StringProperty

from .. import bridge
from .on_character import OnGoal

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_goal_space(OnGoal, bpy.types.Operator):
    """The goal stays where it is in the world: nothing moves."""

    bl_idname = "posewright.goal_space"
    bl_label = "Goal Space"
    bl_description = (
        "Choose what the pin moves with: nothing, the character, or another object. It stays where it is now"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        space: str
        object: str
        bone: str

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        if self.space != "OBJECT" or not context.window_manager:
            return self.execute(context)
        others = [one.name for one in context.selected_objects if one != context.object]
        self.object = self.object or (others[0] if others else "")
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        column = self.layout.column()
        column.use_property_split = True
        column.prop(self, "space")
        if self.space == "OBJECT" and context.scene is not None:
            column.prop_search(self, "object", context.scene, "objects")
            column.prop(self, "bone")

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        states = bridge.goal_states
        wanted = "with which the goal's place moves"
        inside = states.object_named(self.object, wanted) if self.space == "OBJECT" else None
        states.change_space(character, self.index, self.space, inside, self.bone, context.evaluated_depsgraph_get())
        return ""


POSEWRIGHT_OT_goal_space.__annotations__ = {
    "space": EnumProperty(
        name="Space",
        description="In what the goal's place stays put",
        items=(
            ("WORLD", "World", "The place stays where it is in the scene"),
            ("CHARACTER", "Character", "The place moves with the armature object"),
            ("OBJECT", "Object", "The place moves with another object, or one of its bones"),
        ),
    ),
    "object": StringProperty(name="Object", description="The object with which the goal's place moves, by its name"),
    "bone": StringProperty(name="Bone", description="A bone of that object; empty for the object itself"),
}
