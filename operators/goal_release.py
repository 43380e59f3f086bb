"""Let goals go."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from .. import bridge
from .on_character import OnGoal


class POSEWRIGHT_OT_goal_release(OnGoal, bpy.types.Operator):
    """Neither pinned nor following: its handle rides on the bone again."""

    bl_idname = "posewright.goal_release"
    bl_label = "Release Goal"
    bl_description = "Let the goal go: neither pinned nor following, it asks for nothing; the pose stays"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        every: bool

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        released = bridge.goal_states.release(character, None if self.every else self.index)
        return f"{released} goals released" if released != 1 else "Released"


POSEWRIGHT_OT_goal_release.__annotations__ = {
    "every": BoolProperty(name="All", description="Release all goals of the character", options={"SKIP_SAVE"}),
}
