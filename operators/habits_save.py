"""Save a character's habits as a small preset."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_habits_save(OnCharacter, ExportHelper, bpy.types.Operator):  # type: ignore[misc] # the stubs' invokes differ
    """A table of numbers that other characters can read."""

    bl_idname = "posewright.habits_save"
    bl_label = "Save Habits"
    bl_description = "Write the character's habits to a file that other characters can read"

    filename_ext = ".json"

    if TYPE_CHECKING:
        filepath: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        text = bridge.joints.learning.saved(character)
        try:
            Path(self.filepath).write_text(text, encoding="utf-8")
        except OSError as error:
            raise bridge.errors.PosewrightError(f"The file could not be written: {error}") from error
        return f"Habits were written to {self.filepath}"


POSEWRIGHT_OT_habits_save.__annotations__ = {
    "filter_glob": StringProperty(
        name="Files", description="Which files are shown", default="*.json", options={"HIDDEN"}
    ),
    "filepath": StringProperty(name="File", description="Where to write the habits", subtype="FILE_PATH"),
}
