"""How a part adds itself to Blender: each step is put on a stack together with the call that takes it back.

A part has one function, `register(undo)`. Unregistering is closing that stack, so the way out cannot differ from
the way in. Imports nothing of Posewright.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any

import bpy


def add_classes(classes: Iterable[type], undo: ExitStack) -> None:
    """Register Blender classes in the order given."""
    for cls in classes:
        bpy.utils.register_class(cls)
        undo.callback(bpy.utils.unregister_class, cls)


def add_properties(owner: type, properties: Mapping[str, object], undo: ExitStack) -> None:
    """Give every data-block of the type `owner` (`bpy.types.Object`, say) these top-level properties."""
    for name, definition in properties.items():
        setattr(owner, name, definition)
        undo.callback(delattr, owner, name)


def add_handler(handlers: list[Any], function: Callable[..., None], undo: ExitStack) -> None:
    """Have Blender call `function` through one of the lists of `bpy.app.handlers`, also after a file was loaded."""
    handlers.append(bpy.app.handlers.persistent(function))
    undo.callback(handlers.remove, function)
