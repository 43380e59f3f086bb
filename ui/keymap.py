"""Our keys in Pose Mode. Blender lists them with its own in the preferences, and so do ours; there they are changed.

The keys of Pose Mode go for every tool, ours too. None of them means anything in Blender's own keymap there.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import bpy

from ..operators.pin_bones import POSEWRIGHT_OT_pin_bones
from .pie import POSEWRIGHT_MT_pie
from .tab import Layout

KEYMAP = "Pose"


class Key(NamedTuple):
    """An operator, a key with what is held beside it, and what the operator is given."""

    operator: str
    key: str
    held: dict[str, bool]
    given: dict[str, str]


KEYS = (
    Key("wm.call_menu_pie", "P", {}, {"name": POSEWRIGHT_MT_pie.__name__}),
    Key(POSEWRIGHT_OT_pin_bones.bl_idname, "P", {"shift": True, "alt": True}, {"which": "BOTH"}),
)


def register(undo: ExitStack) -> None:
    """Add our keys, where there are keys at all."""
    manager: Any = bpy.context.window_manager
    config = manager.keyconfigs.addon if manager else None
    if config is None:
        return
    keymap = config.keymaps.new(name=KEYMAP, space_type="EMPTY")
    for one in KEYS:
        item = keymap.keymap_items.new(one.operator, one.key, "PRESS", **one.held)
        for name, value in one.given.items():
            setattr(item.properties, name, value)
        undo.callback(keymap.keymap_items.remove, item)


def draw(context: bpy.types.Context, layout: Layout) -> None:
    """Our keys as the user has them, to be changed."""
    manager: Any = context.window_manager
    keymap = manager.keyconfigs.user.keymaps.get(KEYMAP)
    if keymap is None:
        return
    for item in _ours(keymap):
        row = layout.row()
        row.prop(item, "active", text=item.name)
        row.prop(item, "type", text="", full_event=True)


def _ours(keymap: Any) -> Iterator[Any]:  # noqa: ANN401 - a KeyMap and its items
    for item in keymap.keymap_items:
        pie = item.idname == "wm.call_menu_pie" and item.properties.name == POSEWRIGHT_MT_pie.__name__
        if pie or item.idname.startswith("posewright."):
            yield item
