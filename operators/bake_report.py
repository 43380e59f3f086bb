"""Save what the last bake came to."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import bridge, properties
from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_bake_report(OnCharacter, bpy.types.Operator):
    """Frames, bones, keys, how far each goal was off, which joints were at their limits."""

    bl_idname = "posewright.bake_report"
    bl_label = "Save Report"
    bl_description = "Save the report on the last bake as JSON"

    if TYPE_CHECKING:
        filepath: str
        filter_glob: str

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not properties.character(context.object).posewright_bake_report:
            reason = f"{context.object.name!r} was not baked yet"
        return reason

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        assert context.window_manager is not None
        assert context.object is not None
        self.filepath = self.filepath or f"{bpy.path.clean_name(context.object.name)}-bake.json"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.baking.report.save(character, Path(bpy.path.abspath(self.filepath)))


POSEWRIGHT_OT_bake_report.__annotations__ = {
    "filepath": StringProperty(name="File", description="Where the report is saved", subtype="FILE_PATH"),
    "filter_glob": StringProperty(default="*.json", description="Which files are shown", options={"HIDDEN"}),
}
