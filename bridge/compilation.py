"""Where Blender meets the compiler: its cache folder, the watch over the child process, what the panel shows.

No numpy here: this room is entered at every start of Blender.
"""

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
    """See to it that kernels run compiled, without making anyone wait for it.

    With a window, a child process fills the cache if need be and a timer watches it. Without one there is nobody to
    keep waiting, and no timer runs: the first solve compiles.
    """
    compiled.use_cache(cache_root())
    if not bpy.app.background:
        compiled.hold()
        bpy.app.timers.register(_watch, first_interval=INTERVAL, persistent=True)


def stop() -> None:
    """End the watch and the child."""
    if bpy.app.timers.is_registered(_watch):
        bpy.app.timers.unregister(_watch)
    if _state.child:
        _state.child.stop()
        _state.child = None
    compiled.release()


def again() -> None:
    """Forget what is known and fill the cache anew."""
    stop()
    compiled.retry()
    (compiled.cache_folder(cache_root()) / compile_ahead.OUTCOME).unlink(missing_ok=True)
    start()


def compile_now() -> compile_ahead.Outcome:
    """Fill the cache in this process and wait for it: for the command line."""
    return compile_ahead.fill(PACKAGE, cache_root())


def cache_root() -> Path:
    """The extension's own user folder; outside the extension system, the user's cache folder."""
    try:
        return Path(bpy.utils.extension_path_user(PACKAGE, path="compiled"))
    except ValueError:  # not installed as an extension
        return compiled.DEFAULT_CACHE_ROOT


def _watch() -> float | None:
    """The timer: begin or look at the compile, show how it stands. Returns the seconds until the next look."""
    outcome = _state.child.poll() if _state.child else _begin()
    if outcome is None:
        _show("COMPILING", "Once after an install or update")
        return INTERVAL
    _state.child = None
    if outcome.problem:
        compiled.give_up(outcome.problem)
        _show("INTERPRETED", outcome.problem)
    else:
        _show("COMPILED", f"numba {outcome.numba}")
    compiled.release()
    return None


def _begin() -> compile_ahead.Outcome | None:
    """Use the cache if it is filled, else start the child. None if it was started."""
    root = cache_root()
    folder = compiled.cache_folder(root)
    if importlib.util.find_spec("numba") is None:
        return compile_ahead.Outcome("numba is not installed")
    stored = compile_ahead.read_outcome(folder)
    if stored and not stored.problem:
        return stored
    try:
        _state.child = compile_ahead.Child(PACKAGE, PACKAGE_FILE, root, folder)
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
