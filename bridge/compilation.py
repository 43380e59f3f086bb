"""Where Blender meets the compiler: the watch over the child process, and what the panel shows of it."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import bpy

from .. import compile_ahead, compiled, properties

PACKAGE = __package__.rpartition(".")[0]
PACKAGE_FILE = str(Path(__file__).parents[1] / "__init__.py")
INTERVAL = 0.25  # seconds between two looks at the child


@dataclass
class _State:
    child: compile_ahead.Child | None = None


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
        _state.child = None
    compiled.release()


def again() -> None:
    """Forget what is known and fill the cache anew; without a window, where no timer runs, wait for it."""
    stop()
    compiled.retry()
    compile_ahead.clear(compiled.cache_folder())
    if bpy.app.background:
        _conclude(compile_now())
    else:
        start()


def compile_now() -> compile_ahead.Outcome:
    """Fill the cache in this process and wait for it: for the command line."""
    return compile_ahead.fill(PACKAGE)


def _watch() -> float | None:
    """The timer: begin or look at the compile, show how it stands. Returns the seconds until the next look."""
    outcome = _state.child.poll() if _state.child else _begin()
    if outcome is None:
        _show("COMPILING", "Once after an install or update")
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
    compiled.release()


def _begin() -> compile_ahead.Outcome | None:
    """Use the cache if it is filled, else start the child. None if it was started."""
    if importlib.util.find_spec("numba") is None:
        return compile_ahead.Outcome("numba is not installed")
    stored = compile_ahead.read_outcome(compiled.cache_folder())
    if stored and not stored.problem:
        return stored
    try:
        _state.child = compile_ahead.Child(PACKAGE, PACKAGE_FILE, compiled.cache_folder())
    except OSError as error:
        return compile_ahead.Outcome(f"the compiling process could not be started: {error}")
    return None


def _show(state: str, note: str) -> None:
    """Store how the solvers run where the panel reads it, and redraw the panel if that is news."""
    session = properties.session(bpy.context)
    if (session.posewright_solvers, session.posewright_solvers_note) == (state, note):
        return
    session.posewright_solvers = state
    session.posewright_solvers_note = note
    for window in session.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
