"""The add-on's preferences."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import FloatProperty

from .. import bridge
from . import keymap

PACKAGE = __package__.rpartition(".")[0]
ALLOWED = 4.0  # milliseconds


def _tell(preferences: "POSEWRIGHT_AP_preferences", _context: bpy.types.Context) -> None:
    bridge.watch.allow(preferences.allowed)


class POSEWRIGHT_AP_preferences(bpy.types.AddonPreferences):
    """What goes for all files of a user."""

    bl_idname = PACKAGE

    if TYPE_CHECKING:
        allowed: float

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        self.layout.use_property_split = True
        self.layout.prop(self, "allowed")
        keymap.draw(context, self.layout.column())


POSEWRIGHT_AP_preferences.__annotations__ = {
    "allowed": FloatProperty(
        name="Time for a Solve (ms)",
        description="A character that takes longer is not solved while something moves, but when it is let go",
        default=ALLOWED,
        min=0.1,
        soft_max=50.0,
        max=10000.0,
        precision=1,
        update=_tell,
    ),
}


def register(undo: ExitStack) -> None:
    """Let the preferences apply, if the add-on was enabled as one and has any."""
    preferences: Any = bpy.context.preferences
    added = preferences.addons.get(PACKAGE) if preferences else None
    bridge.watch.allow(added.preferences.allowed if added and added.preferences else ALLOWED)
    undo.callback(_back_to_usual)


def _back_to_usual() -> None:
    bridge.watch.allow(ALLOWED)
