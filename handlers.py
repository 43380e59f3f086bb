"""Every hook through which Blender calls us by itself. May import bridge, properties and the root's helpers."""

from contextlib import ExitStack
from pathlib import Path

import bpy

from . import bridge, compiled, registration


def register(undo: ExitStack) -> None:
    """Begin to listen."""
    compiled.use_cache(_cache_root())
    hooks = bpy.app.handlers
    registration.add_handler(hooks.load_post, _after_load, undo)
    registration.add_handler(hooks.depsgraph_update_post, _after_update, undo)
    registration.add_handler(hooks.frame_change_post, _after_frame, undo)
    registration.add_handler(hooks.undo_post, _after_undo, undo)
    registration.add_handler(hooks.redo_post, _after_undo, undo)
    undo.callback(_stop_posing)
    undo.callback(_stop_compiling)
    if not bpy.app.background:  # without a window nobody is kept waiting, and no timer runs: the first solve compiles
        compiled.hold()
        bpy.app.timers.register(_start_compiling, first_interval=0.1, persistent=True)


def _after_load(_path: str) -> None:
    """A file that was loaded brings a window manager of its own, without what the panel showed, and other objects."""
    bridge.compilation.show_again()
    bridge.watch.after_load()


def _after_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something in the scene changed and was evaluated. What is written here is evaluated without another call."""
    bridge.watch.after_update(scene, depsgraph)


def _after_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """The frame changed: no update is reported for that."""
    bridge.watch.after_frame(scene, depsgraph)


def _after_undo(_scene: bpy.types.Scene) -> None:
    """All objects were replaced; an update follows by itself. No drag goes on through an undo."""
    bridge.watch.forget()
    bridge.dragging.temporary_goals.sweep()


def _stop_posing() -> None:
    """Disabling the add-on ends its operators without asking them: what they dragged is let go here."""
    bridge.watch.stop()
    bridge.dragging.temporary_goals.sweep()


def _start_compiling() -> None:
    """A timer that runs once, when Blender has started: what it needs is not to be loaded at register."""
    bridge.compilation.start()


def _stop_compiling() -> None:
    if bpy.app.timers.is_registered(_start_compiling):
        bpy.app.timers.unregister(_start_compiling)
    bridge.compilation.stop()


def _cache_root() -> Path:
    """The extension's own user folder; outside the extension system, the user's cache folder."""
    try:
        return Path(bpy.utils.extension_path_user(__package__, path="compiled"))
    except ValueError:  # not installed as an extension
        return compiled.DEFAULT_CACHE_ROOT
