"""Every hook through which Blender calls us by itself. May import bridge and properties."""

from contextlib import ExitStack

from . import bridge


def register(undo: ExitStack) -> None:
    """Begin to listen."""
    undo.callback(bridge.compilation.stop)
    bridge.compilation.start()
