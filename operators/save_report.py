"""What saving a report has in common, whatever it is on: a file is asked for, JSON is written."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SaveReport(OnCharacter):
    """An action that saves something as JSON."""

    ending = "report"  # of the file's name, after the character's

    if TYPE_CHECKING:
        filepath: str
        filter_glob: str

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        assert context.window_manager is not None
        assert context.object is not None
        self.filepath = self.filepath or f"{bpy.path.clean_name(context.object.name)}-{self.ending}.json"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


SaveReport.__annotations__ = {
    "filepath": StringProperty(name="File", description="Where the report is saved", subtype="FILE_PATH"),
    "filter_glob": StringProperty(default="*.json", description="Which files are shown", options={"HIDDEN"}),
}
