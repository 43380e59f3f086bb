"""Bake what was posed into keys."""

import sys
import time
from typing import TYPE_CHECKING, Any

import bpy

from .. import bridge, properties
from .on_character import OnGoals

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    from ..bridge.baking.job import Steps

SLICE = 0.04  # seconds of work between two looks at the keyboard
LINES = 20  # lines of progress that a whole job writes where there is no window


class POSEWRIGHT_OT_bake(OnGoals, bpy.types.Operator):
    """In a window, with progress, and Esc stops it; from a script, at once."""

    bl_idname = "posewright.bake"
    bl_label = "Bake"
    bl_description = (
        "Turn what the goals do over a range of frames into keys that play without Posewright. Esc stops, and leaves "
        "everything as it was"
    )
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}

    if TYPE_CHECKING:
        _steps: Steps
        _timer: bpy.types.Timer
        _began: float

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        steps = bridge.baking.job.bake(context, character, bridge.baking.job.stored(character))
        said = 0
        while True:
            try:
                now = next(steps)
            except StopIteration as end:
                return str(end.value.words())
            if bpy.app.background and int(LINES * now.part) > said:
                said = int(LINES * now.part)
                sys.stdout.write(f"posewright: baking, {100 * now.part:.0f} %, {now.words}\n")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        assert context.window_manager is not None
        assert context.object is not None
        self._steps = bridge.baking.job.bake(context, context.object, bridge.baking.job.stored(context.object))
        self._began = time.perf_counter()
        self._timer = context.window_manager.event_timer_add(0.001, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> "set[OperatorReturnItems]":
        if event.type == "ESC" and event.value == "PRESS":
            self._steps.close()
            self._end(context)
            self.report({"INFO"}, "Stopped: nothing was baked")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            self._work(context)
        except StopIteration as end:
            self._end(context)
            self.report({"INFO"}, end.value.words())
            return {"FINISHED"}
        except bridge.errors.PosewrightError as error:
            self._end(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except Exception:
            self._end(context)
            raise
        return {"RUNNING_MODAL"}

    def _work(self, context: bpy.types.Context) -> None:
        """Do some steps, and show how far it is."""
        until = time.perf_counter() + SLICE
        while True:
            now = next(self._steps)
            if time.perf_counter() > until:
                break
        spent = time.perf_counter() - self._began
        left = f", {spent * (1.0 - now.part) / now.part:.0f} s left" if now.part > 0.02 else ""
        _show(context, now.part, f"{now.words}{left}")

    def _end(self, context: bpy.types.Context) -> None:
        assert context.window_manager is not None
        context.window_manager.event_timer_remove(self._timer)
        _show(context, 0.0, "")

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends it: a file is opened, or Blender is closed."""
        self._steps.close()
        self._end(context)


def _show(context: bpy.types.Context, part: float, words: str) -> None:
    """Show in panel and status bar how far it is; empty words for the end."""
    stored: Any = properties.session(context)
    stored.posewright_progress, stored.posewright_progress_words = part, words
    if context.workspace is not None:
        context.workspace.status_text_set(f"Baking: {100 * part:.0f} %, {words}     Esc: Stop" if words else None)
    for window in stored.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
