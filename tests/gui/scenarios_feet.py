"""Feet on stairs by their buttons: before, preview, after, to look at; Esc stops, undo takes back."""

import time
from typing import Any

import bpy
from mathutils import Vector

from .person import body, channels, package, session
from .scenarios_joints import show_only
from .walker import clip, look, make_walker

PANELS = ("POSEWRIGHT_PT_feet", "POSEWRIGHT_PT_feet_settings", "POSEWRIGHT_PT_contacts", "POSEWRIGHT_PT_soles")
WALK = 78  # frames: three cycles, up to the fourth stair
STANDS = 47  # a frame on which a foot is on the stairs


def scene() -> Any:
    found: Any = bpy.context.scene
    return found


def shown(hand: Any, panels: tuple[str, ...]) -> Any:
    """The stairs from the side, with some panels alone in our tab. Returns what puts the others back."""
    look(hand, Vector((0.0, -1.35, 0.85)), 70.0, 58.0, 5.0)
    put_back = yield from show_only(hand, panels)
    scene().frame_set(STANDS)
    yield from hand.rest()
    return put_back


def click(hand: Any, command: str, across: float = 0.5) -> Any:
    yield from hand.find_button(command, across)
    yield from hand.press("LEFTMOUSE")


def is_working() -> bool:
    return bool(session().posewright_progress_words)


def preview() -> Any:
    return package().bridge.feet.preview.of(body())


def is_well() -> bool:
    return bool(session().posewright_overlay) and session().posewright_overlay_note == ""


def aside(hand: Any) -> Any:
    """Put the mouse where it hides nothing and where keys go to the 3D view."""
    yield from hand.move(hand.area().x + 200, hand.area().y + hand.area().height - 200)


def test_a_preview_shows_footprints_ways_and_a_graph_and_moves_nothing(hand: Any) -> Any:
    yield from make_walker(hand, WALK)
    put_back = yield from shown(hand, PANELS[:1])
    yield from aside(hand)
    yield from hand.picture("feet-1-before")
    before = channels()
    yield from click(hand, "posewright.feet_preview()")
    yield from hand.until(lambda: preview() is not None, "the preview", seconds=300)
    yield from aside(hand)
    yield from hand.picture("feet-2-preview")
    assert is_well(), session().posewright_overlay_note
    assert channels() == before
    assert len(preview().footprints) >= 4
    put_back()
    put_back = yield from shown(hand, PANELS)
    yield from aside(hand)
    yield from hand.picture("feet-3-contacts")
    put_back()


def test_placed_feet_stand_on_the_stairs_and_one_undo_takes_them_back(hand: Any) -> Any:
    yield from make_walker(hand, WALK)
    name = clip().name
    put_back = yield from shown(hand, PANELS[:1])
    yield from click(hand, "posewright.place_feet()")
    yield from hand.until(lambda: body().posewright_feet_placed is not None and not is_working(), "the feet", 300)
    yield from hand.rest()
    yield from aside(hand)
    yield from hand.picture("feet-4-after")
    assert clip() == body().posewright_feet_placed
    yield from click(hand, "posewright.feet_compare(which='BEFORE')", across=0.2)
    yield from hand.rest()
    assert clip().name == name
    yield from click(hand, "posewright.feet_compare(which='AFTER')")
    yield from hand.rest()
    assert clip() == body().posewright_feet_placed
    yield from aside(hand)
    for _ in range(3):
        yield from hand.undo()
    assert clip().name == name
    assert body().posewright_feet_placed is None
    put_back()


def test_esc_while_feet_are_placed_leaves_everything(hand: Any) -> Any:
    yield from make_walker(hand, 1500)
    put_back = yield from shown(hand, PANELS[:1])
    before, frame, actions, name = channels(), scene().frame_current, len(bpy.data.actions), clip().name
    yield from click(hand, "posewright.place_feet()")
    yield from hand.until(lambda: session().posewright_progress > 0.05, "a part of the work", seconds=120)
    yield from hand.picture("feet-5-progress")
    assert is_working()
    assert session().posewright_progress_job == "posewright.place_feet", "the panel does not know whose it is"
    began = time.monotonic()
    yield from hand.event("ESC", "PRESS")
    yield from hand.until(lambda: not is_working(), "the end of the work", seconds=30)
    hand.notes["placing feet on 1,500 frames stops after Esc, s"] = round(time.monotonic() - began, 2)
    yield from hand.event("ESC", "RELEASE")
    yield from hand.rest()
    put_back()
    assert (channels(), scene().frame_current) == (before, frame)
    assert (clip().name, len(bpy.data.actions)) == (name, actions)
    assert not len(body().posewright_contacts)
    assert not len(body().posewright_soles)
    assert preview() is None
