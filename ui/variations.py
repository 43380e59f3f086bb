"""Several poses for the same goals, and a look at the search for them."""

import bpy

from ..operators.search_report import POSEWRIGHT_OT_search_report
from ..operators.vary import POSEWRIGHT_OT_vary
from ..properties import session
from .tab import Layout, press


def draw_variations(layout: Layout, context: bpy.types.Context) -> None:
    """The button, and what the last search is shown and saved by."""
    press(layout, POSEWRIGHT_OT_vary.bl_idname, icon="OUTLINER_OB_POINTCLOUD")
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(session(context), "posewright_search", icon="GRAPH", toggle=True)
    press(row, POSEWRIGHT_OT_search_report.bl_idname, text="", icon="FILE_TICK")
