"""Variations of a pose: browsed with wheel and keys, taken, put back, kept as assets; and the search, to look at."""

import itertools
from typing import Any

import bpy
from mathutils import Vector

from .person import (
    beyond_limits,
    body,
    build_bones,
    channels,
    goals,
    make_body,
    make_room,
    package,
    running,
    session,
    view_region,
    worst_pin,
)
from .scenarios_feet import aside, click
from .scenarios_joints import show_only
from .walker import look, make_boxes

operators: Any = bpy.ops
PANEL = ("POSEWRIGHT_PT_solver",)
REACH = Vector((-0.05, -0.25, 0.35))  # metres, from where the left hand hangs


def begin(hand: Any) -> Any:
    """A person that reaches for something, and the button pressed. Returns what puts the other panels back."""
    yield from make_body(hand)
    goal = body().posewright_goals[0]
    goal.place, goal.state = goal.place + REACH, "PINNED"
    yield from hand.rest()
    bpy.ops.ed.undo_push(message="A hand is pinned")
    put_back = yield from show_only(hand, PANEL)
    yield from hand.rest()
    return put_back


def look_for(hand: Any) -> Any:
    yield from click(hand, "posewright.vary()")
    yield from aside(hand)
    yield from hand.until(lambda: ghosts() is not None, "the poses", seconds=60)
    yield from hand.rest()
    assert running(hand) == ["POSEWRIGHT_OT_vary"]


def ghosts() -> Any:
    return package().bridge.variations.shown.ghosts_of(body())


def test_poses_are_browsed_and_one_is_taken_in_one_step_of_undo(hand: Any) -> Any:
    put_back = yield from begin(hand)
    before, stored = channels(), goals()
    yield from hand.picture("variations-1-before")
    yield from look_for(hand)
    seen = [channels()]
    assert len(ghosts().lines) == 6
    yield from hand.picture("variations-2-first")
    for key in ("WHEELDOWNMOUSE", "WHEELDOWNMOUSE", "RIGHT_ARROW", "DOWN_ARROW"):
        yield from hand.event(key, "PRESS")
        yield from hand.rest()
        seen.append(channels())
        assert worst_pin() < 1e-3
        assert beyond_limits() < 1e-4
    assert ghosts().current == 4
    assert all(one != other for one, other in itertools.combinations(seen, 2))
    yield from hand.picture("variations-3-browsed")
    yield from hand.event("WHEELUPMOUSE", "PRESS")
    yield from hand.rest()
    assert channels() == seen[3]
    yield from hand.press("RET")
    yield from hand.rest()
    assert not running(hand)
    assert ghosts() is None
    assert channels() == seen[3], "live posing has overwritten what was taken"
    yield from hand.picture("variations-4-taken")
    yield from hand.undo()
    assert (channels(), goals()) == (before, stored)
    yield from hand.press("Z", ctrl=True, shift=True)
    yield from hand.rest()
    assert channels() == seen[3]
    put_back()


def test_escape_and_the_right_button_leave_everything_as_it_was(hand: Any) -> Any:
    put_back = yield from begin(hand)
    before, stored, anchor = channels(), goals(), body().posewright_anchor
    for key in ("ESC", "RIGHTMOUSE"):
        yield from look_for(hand)
        yield from hand.event("WHEELDOWNMOUSE", "PRESS")
        yield from hand.rest()
        assert channels() != before
        yield from hand.press(key)
        yield from hand.rest()
        assert not running(hand)
        assert ghosts() is None
        assert (channels(), goals(), body().posewright_anchor) == (before, stored, anchor)
    put_back()


def test_more_poses_come_with_a_key_and_any_can_be_added_to_the_library(hand: Any) -> Any:
    put_back = yield from begin(hand)
    yield from look_for(hand)
    first, lines = channels(), ghosts().lines
    yield from hand.press("M")
    yield from hand.until(lambda: ghosts() is not None and ghosts().lines is not lines, "more poses", seconds=60)
    yield from hand.rest()
    assert channels() != first
    yield from hand.picture("variations-5-more")
    yield from hand.press("A")
    yield from hand.rest()
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    assert not running(hand)
    made = [action.name for action in bpy.data.actions if action.asset_data is not None]
    assert made == ["Body variation 2.1"]
    put_back()


def test_the_search_is_drawn_with_its_costs(hand: Any) -> Any:
    put_back = yield from begin(hand)
    yield from look_for(hand)
    yield from hand.press("ESC")
    session().posewright_search = True
    yield from hand.rest()
    yield from hand.picture("variations-6-search")
    session().posewright_search = False
    assert session().posewright_overlay, session().posewright_overlay_note
    put_back()


def test_a_body_with_human_limits_shows_its_poses_to_look_at(hand: Any) -> Any:
    yield from make_room(hand)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        thing = build_bones()
        make_boxes(thing)
        context.view_layer.objects.active = thing
        bpy.ops.object.mode_set(mode="POSE")
        operators.posewright.set_up()
    for goal in thing.posewright_goals:
        if goal.bone in {"foot.L", "foot.R", "hand.L"}:
            goal.place = thing.matrix_world @ thing.pose.bones[goal.bone].head
            goal.state = "PINNED"
    yield from hand.rest()
    next(goal for goal in thing.posewright_goals if goal.bone == "hand.L").place += REACH
    yield from hand.rest()
    look(hand, Vector((0.15, 0.0, 0.9)), 80.0, 32.0, 4.2)
    put_back = yield from show_only(hand, PANEL)
    yield from look_for(hand)
    for _ in range(2):
        yield from hand.event("WHEELDOWNMOUSE", "PRESS")
        yield from hand.rest()
    yield from hand.picture("variations-7-page")
    session().posewright_search = True
    yield from hand.press("ESC")
    yield from hand.rest()
    yield from hand.picture("variations-8-search-page")
    session().posewright_search = False
    put_back()
