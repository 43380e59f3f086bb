"""Give the other side of the body the same goal."""

import bpy

from .. import bridge
from .on_character import OnGoal


class POSEWRIGHT_OT_goal_mirror(OnGoal, bpy.types.Operator):
    """Left to right and back, across the armature's YZ plane."""

    bl_idname = "posewright.goal_mirror"
    bl_label = "Mirror Goal"
    bl_description = "Give the bone of the other side the same goal, with place and turn mirrored left to right"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        name = bridge.goal_mirroring.mirror(character, self.index, context.evaluated_depsgraph_get())
        return f"Mirrored to {name!r}"
