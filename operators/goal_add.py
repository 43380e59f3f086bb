"""Add goals for bones."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, StringProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_goal_add(OnCharacter, bpy.types.Operator):
    """An idle goal for each selected bone: nothing moves."""

    bl_idname = "posewright.goal_add"
    bl_label = "Add Goal"
    bl_description = "Give each selected bone a goal that can be dragged, pinned, or made to follow something"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bone: str
        kind: str
        point: str

    @classmethod
    def description(cls, _context: bpy.types.Context, given: bpy.types.OperatorProperties) -> str:
        if getattr(given, "kind", "") == "LOOK_AT":
            return "Give each selected bone a goal that points it at a place: a head that looks, an arm that points"
        return cls.bl_description

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        bones = [self.bone] if self.bone else bridge.selection.selected(character)
        added = bridge.goal_list.add_many(character, bones, self.kind, self.point)
        return f"Goals for {', '.join(added)}" if len(added) < 4 else f"{len(added)} goals"


POSEWRIGHT_OT_goal_add.__annotations__ = {
    "bone": StringProperty(
        name="Bone", description="The bone that gets a goal; empty for all selected bones", options={"SKIP_SAVE"}
    ),
    "kind": EnumProperty(
        name="Kind",
        description="What the goal asks of its bone",
        items=(
            ("POSE", "Place and Turn", "A point of the bone is to be somewhere, the bone turned some way, or both"),
            ("LOOK_AT", "Look At", "The bone is to point at a place: a head that looks, an arm that points"),
        ),
    ),
    "point": EnumProperty(
        name="Point",
        description="Which point of the bone is to be at the goal's place",
        items=(
            ("HEAD", "Head", "Where the bone begins"),
            ("TAIL", "Tail", "Where the bone ends"),
            ("OFFSET", "Any Point", "A point of your own, in the bone's axes"),
        ),
    ),
}
