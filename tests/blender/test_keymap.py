"""Our keys: there while the add-on is, in the way of none of Blender's, and at hand in the preferences."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import addon_utils
import bpy

from .figures import figure
from .test_sidebar import Paper

# Those that Blender asks for a key in the 3D view in Pose Mode, before or after ours.
ASKED = {
    *("Pose", "3D View", "3D View Generic", "Object Non-modal", "Screen", "Screen Editing", "Window", "Frames"),
    *("User Interface", "Property Editor"),
}
HELD = ("shift", "ctrl", "alt", "oskey")


def configs() -> Any:
    context: Any = bpy.context
    return context.window_manager.keyconfigs


def combination(item: Any) -> tuple[Any, ...]:
    return (item.type, item.key_modifier, *(bool(getattr(item, name)) for name in HELD))


def ours() -> list[Any]:
    keymap = configs().addon.keymaps.get("Pose")
    items = list(keymap.keymap_items) if keymap else []
    return [
        item
        for item in items
        if item.idname.startswith("posewright.") or getattr(item.properties, "name", "").startswith("POSEWRIGHT_")
    ]


def blenders_own() -> dict[tuple[Any, ...], str]:
    """What Blender's default keymap has there; without a window none is loaded, so it is read as Blender reads it."""
    utils: Any = bpy.utils
    folder = Path(utils.system_resource("SCRIPTS"), "presets", "keyconfig", "keymap_data")
    values = runpy.run_path(str(folder / "blender_default.py"))
    found = {}
    for name, _, content in values["generate_keymaps"](values["Params"]()):
        if name in ASKED or name.startswith(("3D View Tool: Pose", "Generic Tool")):
            for operator, event, _ in content["items"]:
                held = (bool(event.get(one) or event.get("any")) for one in HELD)
                found[(event["type"], event.get("key_modifier", "NONE"), *held)] = f"{name}: {operator}"
    return found


def test_none_of_our_keys_means_anything_to_blender_in_pose_mode(add_on: Any) -> None:
    assert add_on
    theirs = blenders_own()
    assert len(theirs) > 150, "Blender's own keys were not found"
    assert ("G", "NONE", False, False, False, False) in theirs
    assert ours()
    for item in ours():
        assert combination(item) not in theirs, theirs[combination(item)]


def test_our_keys_go_with_the_add_on(add_on: Any) -> None:
    assert {item.idname for item in ours()} == {"wm.call_menu_pie", "posewright.pin_bones"}
    addon_utils.disable(add_on.__name__)
    assert not ours()
    addon_utils.enable(add_on.__name__)
    assert len(ours()) == 2


def test_the_pie_has_eight_entries(bridge: Any) -> None:
    assert bridge
    owner = figure()
    owner.posewright_mode = "PART"
    types: Any = bpy.types
    menu = types.POSEWRIGHT_MT_pie
    paper = Paper()
    menu.draw(SimpleNamespace(layout=SimpleNamespace(menu_pie=lambda: paper)), bpy.context)
    assert [text for text, _ in paper.notes] == [
        *("Pin Place", "Pin Turn", "Unpin All", "Pin Place and Turn"),
        *("Full Body", "Body Part", "Selection", "Mirror Pose"),
    ]
