"""The Posewright tab in the 3D view's sidebar."""

import textwrap

import bpy

from ..operators.compile_solvers import POSEWRIGHT_OT_compile_solvers
from ..properties import session

WIDTH = 34  # letters in a line of the sidebar at its first width


class POSEWRIGHT_PT_sidebar(bpy.types.Panel):
    """How the solvers run."""

    bl_label = "Posewright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Posewright"

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        stored = session(context)
        column = self.layout.column(align=True)
        match stored.posewright_solvers:
            case "COMPILED":
                column.label(text="Solvers are compiled", icon="CHECKMARK")
                column.label(text=stored.posewright_solvers_note, icon="BLANK1")
            case "COMPILING":
                column.label(text="Compiling the solvers…", icon="SORTTIME")
                column.label(text=stored.posewright_solvers_note, icon="BLANK1")
            case "INTERPRETED":
                column.alert = True
                column.label(text="Solvers run slowly", icon="ERROR")
                for line in textwrap.wrap(stored.posewright_solvers_note, WIDTH):
                    column.label(text=line, icon="BLANK1")
                self.layout.operator(POSEWRIGHT_OT_compile_solvers.bl_idname, icon="FILE_REFRESH")
