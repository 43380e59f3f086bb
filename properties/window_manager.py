"""What is kept for the session, on the window manager: how the solvers run, whether the overlay is drawn."""

from typing import Any, cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty


def _redraw(session: "bpy.types.bpy_struct[Any]", _context: bpy.types.Context) -> None:
    """Show the change of a switch in every 3D view; whoever switches the overlay on has read why it was off."""
    stored = cast(Session, session)
    if stored.posewright_overlay:
        stored.posewright_overlay_note = ""
    for window in stored.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class Session(bpy.types.WindowManager):
    """The window manager with our properties: in no undo step, and gone with the next file (see handlers)."""

    posewright_solvers: str
    posewright_solvers_note: str
    posewright_overlay: bool
    posewright_overlay_note: str
    posewright_feet_graph: bool
    posewright_search: bool
    posewright_progress: float
    posewright_progress_words: str
    posewright_progress_job: str


SESSION = {
    "posewright_solvers": EnumProperty(
        name="Solvers",
        description="How the solvers run in this session",
        items=(
            ("UNKNOWN", "Not Looked at Yet", "Nothing is known yet"),
            ("COMPILING", "Compiling", "Solvers are being compiled; meanwhile bodies follow when they are let go"),
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
    "posewright_overlay": BoolProperty(
        name="Posewright Overlay",
        description="Draw goals, what they lack, the joints that stop them, and the limits of the active bone. "
        "An error in drawing switches it off",
        default=True,
        options={"SKIP_SAVE"},
        update=_redraw,
    ),
    "posewright_overlay_note": StringProperty(
        name="Overlay Note",
        description="Why the overlay was switched off by itself; empty if it was not",
        options={"SKIP_SAVE"},
    ),
    "posewright_feet_graph": BoolProperty(
        name="Graph",
        description="Draw heights and contacts of the feet over the frames, while a preview is shown",
        default=True,
        options={"SKIP_SAVE"},
        update=_redraw,
    ),
    "posewright_search": BoolProperty(
        name="Show Search",
        description="Draw the last search for variations: where its best candidates brought the goals' points, and "
        "over the view how good they were from generation to generation",
        options={"SKIP_SAVE"},
        update=_redraw,
    ),
    "posewright_progress": FloatProperty(
        name="Progress", description="How far a job is, from 0 to 1", options={"SKIP_SAVE"}
    ),
    "posewright_progress_words": StringProperty(
        name="Job", description="What a job that goes on does now; empty if none does", options={"SKIP_SAVE"}
    ),
    "posewright_progress_job": StringProperty(
        name="Whose Job",
        description="The operator that does it: the panel with its button shows how far it is",
        options={"SKIP_SAVE"},
    ),
}


def session(context: bpy.types.Context) -> Session:
    """The window manager with our properties."""
    return cast(Session, context.window_manager)
