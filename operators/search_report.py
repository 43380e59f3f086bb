"""Save what the last search of variations went through."""

from pathlib import Path

import bpy

from .. import bridge
from .save_report import SaveReport


class POSEWRIGHT_OT_search_report(SaveReport, bpy.types.Operator):
    """Costs over generations, and the ways of the goals' points."""

    bl_idname = "posewright.search_report"
    bl_label = "Save Search"
    bl_description = (
        "Save the last search for variations as JSON: which poses it tried, generation by generation, and how good "
        "they were"
    )
    ending = "search"

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and bridge.variations.shown.search_of(context.object) is None:
            reason = f"No variations of {context.object.name!r} were looked for in this session"
        return reason

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.variations.report.save(character, Path(bpy.path.abspath(self.filepath)))
