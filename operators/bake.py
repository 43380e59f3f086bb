"""Bake what was posed into keys."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import bpy

from .. import bridge
from .in_steps import InSteps
from .on_character import OnGoals

if TYPE_CHECKING:
    from ..bridge.baking.job import Progress


class POSEWRIGHT_OT_bake(InSteps, OnGoals, bpy.types.Operator):
    """In a window, with progress, and Esc stops it; from a script, at once."""

    bl_idname = "posewright.bake"
    bl_label = "Bake"
    bl_description = (
        "Turn what the goals do over a range of frames into keys that play without Posewright. Esc stops, and leaves "
        "everything as it was"
    )
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}
    doing, stopped = "Baking", "Stopped: nothing was baked"

    def steps(self, context: bpy.types.Context, character: bpy.types.Object) -> "Generator[Progress, None, str]":
        job = bridge.baking.job
        report = yield from job.bake(context, character, job.stored(character))
        return report.words()
