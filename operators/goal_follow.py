"""Have a goal follow something."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty

from .. import bridge
from .on_character import OnGoal

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_goal_follow(OnGoal, bpy.types.Operator):
    """A hand that holds a prop, a head that looks at the camera."""

    bl_idname = "posewright.goal_follow"
    bl_label = "Follow Target"
    bl_description = "Have the goal follow an object, or a bone of another armature"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        target: str
        bone: str
        keep_offset: bool

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        others = [one.name for one in context.selected_objects if one != context.object]
        if others and not self.target:
            self.target = others[0]
        return context.window_manager.invoke_props_dialog(self) if context.window_manager else {"CANCELLED"}

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        column = self.layout.column()
        column.use_property_split = True
        if context.scene is not None:
            column.prop_search(self, "target", context.scene, "objects")
        column.prop(self, "bone")
        column.prop(self, "keep_offset")

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        states, depsgraph = bridge.goal_states, context.evaluated_depsgraph_get()
        target = states.object_named(self.target)
        return states.follow(character, self.index, target, self.bone, self.keep_offset, depsgraph)


POSEWRIGHT_OT_goal_follow.__annotations__ = {
    "target": StringProperty(name="Target", description="The object to follow, by its name"),
    "bone": StringProperty(name="Bone", description="A bone of that object; empty for the object itself"),
    "keep_offset": BoolProperty(
        name="Keep Offset",
        description="Follow at the distance and turn of now, instead of going there; a look-at has none",
        default=True,
    ),
}
