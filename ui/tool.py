"""The tool for Pose Mode: press on a bone and drag it; a plain click selects, a drag beside all bones selects a box."""

from contextlib import ExitStack

import bpy

from ..operators.drag import POSEWRIGHT_OT_drag
from ..properties import character
from .modes import draw_modes
from .tab import Layout

DRAG = {"type": "LEFTMOUSE", "value": "CLICK_DRAG"}


class PoseTool(bpy.types.WorkSpaceTool):
    """In the toolbar of the 3D view."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "POSE"
    bl_idname = "posewright.pose"
    bl_label = "Posewright"
    bl_description = (
        "Drag any bone: the body follows inside its limits, and pins hold.\n"
        "X, Y, Z keep to an axis, R turns, Shift is precise, Ctrl snaps, D lets pins go, Esc puts back"
    )
    bl_icon = "ops.transform.bone_size"  # a bone that is pulled; Blender has it in Edit Mode only
    # Blender asks an add-on's keys from the last to the first: a drag beside all bones is left to box selection.
    # Its own fallback to that selection would come before the tool's keys, and leave no bone to be dragged.
    bl_keymap = (
        ("view3d.select_box", DRAG | {"ctrl": True}, {"properties": [("mode", "SUB"), ("wait_for_input", False)]}),
        ("view3d.select_box", DRAG | {"shift": True}, {"properties": [("mode", "ADD"), ("wait_for_input", False)]}),
        ("view3d.select_box", DRAG, {"properties": [("wait_for_input", False)]}),
        (POSEWRIGHT_OT_drag.bl_idname, DRAG, None),
    )

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: Layout, _tool: object) -> None:
        """How much of the body moves, in the header."""
        if context.object is not None and context.object.type == "ARMATURE":
            draw_modes(layout, character(context.object))


def register(undo: ExitStack) -> None:
    """Put the tool below Blender's own for posing."""
    bpy.utils.register_tool(PoseTool, after={"builtin.transform"}, separator=True)
    undo.callback(bpy.utils.unregister_tool, PoseTool)
