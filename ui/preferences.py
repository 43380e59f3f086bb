"""The add-on's preferences."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import FloatProperty

from .. import bridge
from ..operators.open_docs import POSEWRIGHT_OT_open_docs
from . import keymap
from .sidebar import draw_solvers
from .tab import Layout, press

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
        layout: Layout = self.layout
        press(layout, POSEWRIGHT_OT_open_docs.bl_idname, icon="HELP")
        box = _group(layout, "Live Posing")
        box.use_property_split = True
        box.prop(self, "allowed")
        draw_solvers(_group(layout, "Solvers"), context)
        keymap.draw(context, _group(layout, "Keys in Pose Mode"))


def _group(layout: Layout, title: str) -> Layout:
    """A box with a title."""
    box = layout.box()
    box.label(text=title)
    return box.column()


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
