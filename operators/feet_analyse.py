"""Find out when the feet of a clip touch the ground."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import bpy

from .. import bridge
from .on_clip import OnClip

if TYPE_CHECKING:
    from ..bridge.baking.job import Progress


class POSEWRIGHT_OT_feet_analyse(OnClip, bpy.types.Operator):
    """Fills the list of contacts; what was made or changed there by hand stays."""

    bl_idname = "posewright.feet_analyse"
    bl_label = "Find Contacts"
    bl_description = (
        "Find out when heel, ball and toe of each foot touch the ground in the clip, and where the soles are. What was "
        "changed by hand stays. Esc stops"
    )
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}
    doing, stopped = "Finding contacts", "Stopped: the contacts are as they were"

    def steps(self, context: bpy.types.Context, character: bpy.types.Object) -> "Generator[Progress, None, str]":
        return (yield from bridge.feet.job.analyse(context, character))
