"""What is wanted most while posing, round the mouse: pins, modes, the mirror."""

import bpy

from ..operators.mirror_pose import POSEWRIGHT_OT_mirror_pose
from ..operators.pin_bones import POSEWRIGHT_OT_pin_bones
from ..operators.unpin_all import POSEWRIGHT_OT_unpin_all
from .modes import draw_mode
from .tab import Layout, active_character, press


class POSEWRIGHT_MT_pie(bpy.types.Menu):
    """Eight entries, in the order of Blender's pies: left, right, below, above, and between them."""

    bl_label = "Posewright"
    bl_description = "Pin the selected bones, say how much of the body moves, mirror the pose"

    @classmethod
    def poll(cls, context: bpy.types.Context | None) -> bool:
        return context is not None and context.object is not None and context.object.type == "ARMATURE"

    def draw(self, context: bpy.types.Context | None) -> None:
        assert self.layout is not None
        assert context is not None
        pie: Layout = self.layout.menu_pie()
        character, pin = active_character(context), POSEWRIGHT_OT_pin_bones.bl_idname
        press(pie, pin, text="Pin Place", icon="PINNED", which="PLACE")
        press(pie, pin, text="Pin Turn", icon="PINNED", which="TURN")
        press(pie, POSEWRIGHT_OT_unpin_all.bl_idname, icon="UNPINNED")
        press(pie, pin, text="Pin Place and Turn", icon="PINNED", which="BOTH")
        for mode in ("FULL", "PART", "SELECTION"):
            draw_mode(pie, character, mode)
        press(pie, POSEWRIGHT_OT_mirror_pose.bl_idname, icon="MOD_MIRROR")
