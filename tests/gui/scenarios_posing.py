"""Posing with the mouse: a hand is dragged while feet and the other hand are pinned, by handle and by tool."""

from typing import Any

import bpy
from mathutils import Vector

from .person import (
    beyond_limits,
    body,
    channels,
    drag,
    goals,
    head_of,
    make_body,
    pixel,
    release,
    running,
    view_region,
    worst_pin,
)


def test_solvers_are_ready(hand: Any) -> Any:
    context: Any = bpy.context
    yield from hand.until(
        lambda: context.window_manager.posewright_solvers not in {"UNKNOWN", "COMPILING"}, "the solvers"
    )
    assert context.window_manager.posewright_solvers == "COMPILED"


def test_a_handle_is_dragged_pins_hold_and_one_undo_puts_the_pose_back(hand: Any) -> Any:
    yield from make_body(hand)
    before, stored = channels(), goals()
    yield from hand.picture("posing-handles")
    start = head_of("hand.L")
    worst = yield from drag(hand, "hand.L", Vector((-0.1, 0.0, 0.387)))
    hand.notes["worst pin during a drag of 40 cm, mm"] = round(1000 * worst, 4)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    assert worst < 1e-3
    assert abs((head_of("hand.L") - start).length - 0.4) < 0.01, "the hand did not follow the mouse"
    assert beyond_limits() < 1e-4
    yield from hand.picture("posing-dragged")
    yield from release(hand)
    after = channels()
    assert after != before
    assert [goal[1:3] for goal in goals()] == [("IDLE", False)] + 3 * [("PINNED", False)]
    assert worst_pin() < 1e-3
    yield from hand.picture("posing-released")
    yield from hand.undo()
    assert channels() == before
    assert [goal[:3] for goal in goals()] == [goal[:3] for goal in stored]
    yield from hand.press("Z", ctrl=True, shift=True)
    yield from hand.rest()
    assert channels() == after
    assert worst_pin() < 1e-3


def test_a_hand_dragged_out_of_reach_neither_moves_pins_nor_breaks_limits(hand: Any) -> Any:
    yield from make_body(hand)
    before = channels()
    worst = yield from drag(hand, "hand.L", Vector((1.3, 0.0, 0.8)))
    hand.notes["worst pin, dragged 1 m out of reach, mm"] = round(1000 * worst, 4)
    assert worst < 1e-3
    assert beyond_limits() < 1e-4
    yield from hand.picture("posing-out-of-reach")
    yield from release(hand)
    assert worst_pin() < 1e-3
    yield from hand.undo()
    assert channels() == before


def test_escape_and_the_right_button_put_everything_back(hand: Any) -> Any:
    yield from make_body(hand)
    yield from drag(hand, "hand.L", Vector((0.1, 0.0, 0.1)), steps=3)
    yield from release(hand)
    before, stored, anchor = channels(), goals(), body().posewright_anchor
    for key in ("ESC", "RIGHTMOUSE"):
        yield from drag(hand, "hand.L", Vector((-0.2, 0.0, 0.3)), steps=4)
        assert channels() != before
        yield from hand.press(key)
        yield from release(hand)
        assert not running(hand)
        assert (channels(), goals(), body().posewright_anchor) == (before, stored, anchor)


def test_the_tool_drags_any_bone_and_leaves_no_goal_behind(hand: Any) -> Any:
    yield from make_body(hand)
    before = channels()
    worst = yield from drag(hand, "head", Vector((0.15, 0.0, -0.15)), steps=5)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    assert worst < 1e-3
    assert body().data.bones.active.name in {"head", "neck"}
    yield from hand.press("R")
    yield from hand.move(hand.at[0] + 40, hand.at[1] + 30)
    yield from hand.picture("posing-tool")
    yield from release(hand)
    assert len(body().posewright_goals) == 4
    assert channels() != before
    assert worst_pin() < 1e-3
    yield from hand.undo()
    assert channels() == before
    assert len(body().posewright_goals) == 4


def test_numbers_and_axes_say_where_the_hand_goes(hand: Any) -> Any:
    yield from make_body(hand)
    start = head_of("hand.L")
    yield from drag(hand, "hand.L", Vector((0.02, 0.0, 0.02)), steps=2)
    for key in ("Z", "MINUS", "PERIOD", "ONE"):
        yield from hand.press(key)
    yield from hand.picture("posing-typed")
    yield from release(hand)
    assert (head_of("hand.L") - start - Vector((0.0, 0.0, -0.1))).length < 1e-4


def test_a_click_selects_and_a_drag_beside_all_bones_selects_a_box(hand: Any) -> Any:
    yield from make_body(hand)
    before = channels()
    yield from hand.move(*pixel(hand, 0.5 * (head_of("shin.L") + head_of("foot.L"))))
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    assert body().data.bones.active.name == "shin.L"
    yield from drag(hand, "head", Vector(), steps=0)  # the mouse comes near a bone, and is released on it
    yield from release(hand)
    corner = view_region(hand)
    yield from hand.move(corner.x + 150, corner.y + corner.height // 2)
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 4):
        yield from hand.move(corner.x + 150 + 30 * step, corner.y + corner.height // 2 + 30 * step)
    assert running(hand) == ["VIEW3D_OT_select_box"]
    yield from release(hand)
    assert channels() == before
