"""What Blender stores for Posewright: here, what the session shows; on an armature, goals, joints and settings.

Every property is declared twice: to Blender in a table, to the type checker in a view. A view is what a data-block
looks like once the table is registered. Imports `registration` only.
"""

from contextlib import ExitStack
from typing import cast

import bpy
from bpy.props import EnumProperty, StringProperty

from . import registration


class Session(bpy.types.WindowManager):
    """The window manager with our properties: in no undo step, and gone with the next file (see handlers)."""

    posewright_solvers: str
    posewright_solvers_note: str


SESSION = {
    "posewright_solvers": EnumProperty(
        name="Solvers",
        description="How the solvers run in this session",
        items=(
            ("UNKNOWN", "Not Looked at Yet", "Nothing is known yet"),
            ("COMPILING", "Compiling", "The solvers are being compiled in the background; posing works, slowly"),
            ("COMPILED", "Compiled", "The solvers run at full speed"),
            ("INTERPRETED", "Interpreted", "The solvers work, but about a thousand times slower"),
        ),
        options={"SKIP_SAVE"},
    ),
    "posewright_solvers_note": StringProperty(
        name="Solvers Note",
        description="Numba's version, or why the solvers do not run compiled",
        options={"SKIP_SAVE"},
    ),
}


def session(context: bpy.types.Context) -> Session:
    """The window manager with our properties."""
    return cast(Session, context.window_manager)


def register(undo: ExitStack) -> None:
    """Add our properties to Blender's types."""
    registration.add_properties(bpy.types.WindowManager, SESSION, undo)
