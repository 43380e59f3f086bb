"""Posewright: pose and animate characters with the whole body, inside their joints' limits.

Blender calls `register` and `unregister`; nothing else is here, and bpy is imported only inside them, so that
`import posewright.solvers` works where Blender has never been.
"""

from contextlib import ExitStack

_registered = ExitStack()  # what `unregister` takes back, last in first out


def register() -> None:
    """Add every part to Blender. If one fails, what was added before it is taken back and the error goes on."""
    from . import cli, handlers, operators, properties, ui

    with ExitStack() as undo:
        for part in (properties, operators, ui, handlers, cli):
            part.register(undo)
        _registered.push(undo.pop_all())


def unregister() -> None:
    """Take back exactly what `register` added, in the reverse order."""
    _registered.close()
