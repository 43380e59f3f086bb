"""Where Blender meets the compiler: the watch over the child process, and what the panel shows of it."""

import importlib.metadata
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path

import bpy

from .. import compile_ahead, compiled, properties
from . import watch

PACKAGE = __package__.rpartition(".")[0]
PACKAGE_FILE = str(Path(__file__).parents[1] / "__init__.py")
INTERVAL = 0.25  # seconds between two looks at the child


@dataclass
class _State:
    child: compile_ahead.Child | None = None
    shown: tuple[str, str] | None = None  # what the panel is to say, and the note below it


_state = _State()


def start() -> None:
    """See to it that kernels run compiled, without making anyone wait for it."""
    compiled.hold()
    bpy.app.timers.register(_watch, persistent=True)


def stop() -> None:
    """End the watch and the child."""
    if bpy.app.timers.is_registered(_watch):
        bpy.app.timers.unregister(_watch)
    if _state.child:
        _state.child.stop()
    _state.child, _state.shown = None, None
    compiled.release()


def again() -> None:
    """Forget what is known and fill the cache anew; without a window, where no timer runs, wait for it."""
    stop()
    compiled.retry()
    compile_ahead.clear(compiled.cache_folder())
    start()
    while bpy.app.background and _watch():
        time.sleep(INTERVAL)


def compile_now() -> compile_ahead.Outcome:
    """Fill the cache in this process and wait for it: for the command line."""
    return compile_ahead.fill(PACKAGE)


def _watch() -> float | None:
    """The timer: begin or look at the compile, show how it stands. Returns the seconds until the next look."""
    outcome = _state.child.poll() if _state.child else _begin()
    if outcome is None:
        _show("COMPILING", "Once after an install or update; until then the body follows when you let go")
        return INTERVAL
    _state.child = None
    _conclude(outcome)
    return None


def _conclude(outcome: compile_ahead.Outcome) -> None:
    """Let kernels run the way that is possible from now on, and show which."""
    if outcome.problem:
        compiled.give_up(outcome.problem)
        _show("INTERPRETED", outcome.problem)
    else:
        _show("COMPILED", f"numba {outcome.numba}")
        watch.time_anew()  # who was slow without compiled kernels is not with them
    compiled.release()


def _begin() -> compile_ahead.Outcome | None:
    """Use the cache if it is filled, else start the child. None if it was started."""
    try:
        if importlib.util.find_spec("numba") is None:
            return compile_ahead.Outcome("numba is not installed")
        stored = compile_ahead.read_outcome(compiled.cache_folder())
        if stored and not stored.problem and stored.numba == importlib.metadata.version("numba"):
            return stored
        _state.child = compile_ahead.Child(PACKAGE, PACKAGE_FILE, compiled.cache_folder())
    except Exception as error:  # noqa: BLE001 - whatever it is, kernels must not stay held for ever
        return compile_ahead.Outcome(f"the compiling process could not be started: {error}")
    return None


def _show(state: str, note: str) -> None:
    """Show how the solvers run, and redraw the panel if that is news."""
    if _state.shown != (state, note):
        _state.shown = state, note
        show_again()


def show_again() -> None:
    """Store what the panel is to say where it reads it: a file that was loaded brought a new window manager."""
    if _state.shown is None:
        return
    session = properties.session(bpy.context)
    session.posewright_solvers, session.posewright_solvers_note = _state.shown
    for window in session.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
