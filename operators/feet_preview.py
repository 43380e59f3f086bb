"""Show where the feet of a clip would be put."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import bpy

from .. import bridge
from .on_clip import OnGround

if TYPE_CHECKING:
    from ..bridge.baking.job import Progress


class POSEWRIGHT_OT_feet_preview(OnGround, bpy.types.Operator):
    """Footprints, ways and heights, before anything is solved."""

    bl_idname = "posewright.feet_preview"
    bl_label = "Preview"
    bl_description = (
        "Show where the feet would stand and which way they would go, before and after, with a graph of their heights "
        "and contacts. The clip is not changed. Esc stops"
    )
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}
    doing, stopped = "Planning steps", "Stopped: nothing was changed"

    def steps(self, context: bpy.types.Context, character: bpy.types.Object) -> "Generator[Progress, None, str]":
        found = yield from bridge.feet.job.preview(context, character)
        kept = f", the clip is kept at {len(found.troubles)} places" if found.troubles else ""
        return f"{len(found.footprints)} footprints{kept}"
