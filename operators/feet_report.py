"""Save how the feet of a clip stood before and after they were placed."""

from pathlib import Path

import bpy

from .. import bridge, properties
from .save_report import SaveReport


class POSEWRIGHT_OT_feet_report(SaveReport, bpy.types.Operator):
    """How deep, how high, how far they slid; what changed; where the clip was kept, and why."""

    bl_idname = "posewright.feet_report"
    bl_label = "Save Report"
    bl_description = "Save the report on the placed feet as JSON"
    ending = "feet"

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not properties.character(context.object).posewright_feet_report:
            reason = f"The feet of {context.object.name!r} were not placed yet"
        return reason

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.feet.report.save(character, Path(bpy.path.abspath(self.filepath)))
