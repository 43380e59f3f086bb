"""Save what the last bake came to."""

from pathlib import Path

import bpy

from .. import bridge, properties
from .save_report import SaveReport


class POSEWRIGHT_OT_bake_report(SaveReport, bpy.types.Operator):
    """Frames, bones, keys, how far each goal was off, which joints were at their limits."""

    bl_idname = "posewright.bake_report"
    bl_label = "Save Report"
    bl_description = "Save the report on the last bake as JSON"
    ending = "bake"

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not properties.character(context.object).posewright_bake_report:
            reason = f"{context.object.name!r} was not baked yet"
        return reason

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.baking.report.save(character, Path(bpy.path.abspath(self.filepath)))
