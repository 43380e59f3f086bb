"""The pose in the mirror."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_mirror_pose(OnCharacter, bpy.types.Operator):
    """Bones may have any roll and rotation mode; left and right by names, or by roles."""

    bl_idname = "posewright.mirror_pose"
    bl_label = "Mirror Pose"
    bl_description = "Exchange the left and the right side of the pose, or give one side's to the other"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        direction: str
        bones: str
        goals: bool

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        bones = None if self.bones == "ALL" else bridge.selection.selected(character)
        graph = context.evaluated_depsgraph_get()
        return bridge.mirroring.mirror(character, self.direction, bones, self.goals, graph)


POSEWRIGHT_OT_mirror_pose.__annotations__ = {
    "direction": EnumProperty(
        name="Direction",
        description="Which side is looked at",
        items=(
            ("FLIP", "Flip", "Exchange left and right; what is in the middle is mirrored, too"),
            ("LEFT", "Left to Right", "The right side becomes the mirror image of the left"),
            ("RIGHT", "Right to Left", "The left side becomes the mirror image of the right"),
        ),
    ),
    "bones": EnumProperty(
        name="Bones",
        description="Which bones are mirrored",
        items=(
            ("ALL", "All", "The whole character"),
            ("SELECTED", "Selected", "The selected bones and those on their other side"),
        ),
    ),
    "goals": BoolProperty(
        name="Goals Too",
        description="Mirror pins and other goals as well; without that, pins hold and pull the pose back",
        default=True,
    ),
}
