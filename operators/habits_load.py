"""Read habits from a preset."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ImportHelper

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_habits_load(OnCharacter, ImportHelper, bpy.types.Operator):  # type: ignore[misc] # the stubs' invokes differ
    """Anybody's file: it is read as numbers, and what is none is told."""

    bl_idname = "posewright.habits_load"
    bl_label = "Load Habits"
    bl_description = "Read habits from a file and have the character's joints tend to them"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".json"

    if TYPE_CHECKING:
        filepath: str

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        try:
            text = Path(self.filepath).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise bridge.errors.PosewrightError(f"The file could not be read: {error}") from error
        return bridge.joints.learning.load(character, text)


POSEWRIGHT_OT_habits_load.__annotations__ = {
    "filter_glob": StringProperty(
        name="Files", description="Which files are shown", default="*.json", options={"HIDDEN"}
    ),
    "filepath": StringProperty(name="File", description="The preset to read", subtype="FILE_PATH"),
}
