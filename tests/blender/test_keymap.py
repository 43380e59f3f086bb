"""Our keys: there while the add-on is, in the way of none of Blender's, and at hand in the preferences."""

from types import SimpleNamespace
from typing import Any

import addon_utils
import bpy
import pytest

from .figures import figure
from .test_sidebar import Paper

# Those that Blender asks for a key in the 3D view in Pose Mode, before or after ours.
ASKED = ("Pose", "3D View", "3D View Generic", "Object Non-modal", "Screen", "Screen Editing", "Window", "Frames")
ASKED += ("User Interface", "Property Editor", "Animation Channels", "3D View Tool: Pose, Breakdowner")
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


@pytest.mark.usefixtures("bridge")
def test_none_of_our_keys_means_anything_to_blender_in_pose_mode() -> None:
    theirs = {
        combination(item): f"{name}: {item.idname}"
        for name in ASKED
        if name in configs().default.keymaps
        for item in configs().default.keymaps[name].keymap_items
    }
    assert len(theirs) > 150, "Blender's own keys were not found"
    assert ("G", "NONE", False, False, False, False) in theirs
    assert ours()
    for item in ours():
        assert combination(item) not in theirs, theirs[combination(item)]
        assert not item.any


def test_our_keys_go_with_the_add_on(add_on: Any) -> None:
    assert {item.idname for item in ours()} == {"wm.call_menu_pie", "posewright.pin_bones"}
    addon_utils.disable(add_on.__name__)
    assert not ours()
    addon_utils.enable(add_on.__name__)
    assert len(ours()) == 2


@pytest.mark.usefixtures("bridge")
def test_the_pie_has_eight_entries(bridge: Any) -> None:
    assert bridge
    owner = figure()
    owner.posewright_mode = "PART"
    menu: Any = bpy.types.POSEWRIGHT_MT_pie
    paper = Paper()
    menu.draw(SimpleNamespace(layout=SimpleNamespace(menu_pie=lambda: paper)), bpy.context)
    assert [text for text, _ in paper.notes] == [
        *("Pin Place", "Pin Turn", "Unpin All", "Pin Place and Turn"),
        *("Full Body", "Body Part", "Selection", "Mirror Pose"),
    ]
