"""What long actions on a character have in common: done in small steps, with progress, and Esc stops them.

In a window a timer takes some steps, and in between Blender looks at the keyboard; from a script all are done at once.
"""

import sys
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import bpy

from .. import bridge, properties
from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    from ..bridge.baking.job import Progress

SLICE = 0.04  # seconds of work between two looks at the keyboard
LINES = 20  # lines of progress that a whole job writes where there is no window


class InSteps(OnCharacter):
    """A long action on the active armature object. Its file says in `steps` what is done.

    Until their last step they change nothing: closed before, everything is as it was.
    """

    doing = "Working"  # what the status bar says of it
    stopped = "Stopped: nothing was changed"  # what is said after Esc

    if TYPE_CHECKING:
        _steps: Generator[Progress, None, str]
        _timer: bpy.types.Timer
        _began: float

    def steps(self, context: bpy.types.Context, character: bpy.types.Object) -> "Generator[Progress, None, str]":
        """Do it, and return what to say. Raises a PosewrightError that says why not."""
        raise NotImplementedError

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        steps, said = self.steps(context, character), 0
        while True:
            try:
                now = next(steps)
            except StopIteration as end:
                return str(end.value)
            if bpy.app.background and int(LINES * now.part) > said:
                said = int(LINES * now.part)
                sys.stdout.write(f"posewright: {self.doing.lower()}, {100 * now.part:.0f} %, {now.words}\n")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        assert context.window_manager is not None
        assert context.object is not None
        self._steps = self.steps(context, context.object)
        self._began = time.perf_counter()
        self._timer = context.window_manager.event_timer_add(0.001, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> "set[OperatorReturnItems]":
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, self.stopped)
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            self._work(context)
        except StopIteration as end:
            self._end(context)
            self.report({"INFO"}, str(end.value))
            return {"FINISHED"}
        except bridge.errors.PosewrightError as error:
            self._end(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except Exception:
            self._end(context)
            raise
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Leave off: Esc, or Blender ends it, as it opens a file or is closed."""
        self._steps.close()
        self._end(context)

    def _work(self, context: bpy.types.Context) -> None:
        """Do some steps, and show how far it is."""
        until = time.perf_counter() + SLICE
        while True:
            now = next(self._steps)
            if time.perf_counter() > until:
                break
        spent = time.perf_counter() - self._began
        left = f", {spent * (1.0 - now.part) / now.part:.0f} s left" if now.part > 0.02 else ""
        self._show(context, now.part, f"{now.words}{left}")

    def _end(self, context: bpy.types.Context) -> None:
        assert context.window_manager is not None
        context.window_manager.event_timer_remove(self._timer)
        self._show(context, 0.0, "")

    def _show(self, context: bpy.types.Context, part: float, words: str) -> None:
        """Show in panel and status bar how far it is; empty words for the end."""
        stored: Any = properties.session(context)
        stored.posewright_progress, stored.posewright_progress_words = part, words
        stored.posewright_progress_job = type(self).bl_idname if words else ""  # Blender's own for `self` is another
        if context.workspace is not None:
            told = f"{self.doing}: {100 * part:.0f} %, {words}     Esc: Stop"
            context.workspace.status_text_set(told if words else None)
        for window in stored.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()
