"""Put the feet of a clip onto the ground."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import bpy

from .. import bridge
from .on_clip import OnGround

if TYPE_CHECKING:
    from ..bridge.baking.job import Progress


class POSEWRIGHT_OT_place_feet(OnGround, bpy.types.Operator):
    """In a window, with progress, and Esc stops it; from a script, at once."""

    bl_idname = "posewright.place_feet"
    bl_label = "Place Feet"
    bl_description = (
        "Make a new action of the clip in which the feet stand on the ground without sinking, floating or sliding. The "
        "old action is kept. Esc stops, and leaves everything as it was"
    )
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}
    doing, stopped = "Placing feet", "Stopped: no foot was placed"

    def steps(self, context: bpy.types.Context, character: bpy.types.Object) -> "Generator[Progress, None, str]":
        report = yield from bridge.feet.job.place(context, character)
        return report.words()
