"""Baking by its button: how far it is can be seen, Esc stops it, what it bakes is what was seen, undo takes it back."""

import math
import time
from typing import Any

import bpy

from .person import BODY, body, channels, make_body, session
from .scenarios_joints import show_only

FRAMES = 60


def scene() -> Any:
    found: Any = bpy.context.scene
    return found


def hand_on_a_path(hand: Any, last: int) -> Any:
    """The person whose left hand follows an Empty that goes around, feet and the other hand pinned."""
    yield from make_body(hand)
    target = bpy.data.objects.new("Path", None)
    context: Any = bpy.context
    context.scene.collection.objects.link(target)
    for frame in range(0, last + 11, 10):
        turn = 0.1 * frame
        target.location = (0.45 + 0.15 * math.cos(turn), -0.25, 1.15 + 0.2 * math.sin(turn))
        target.keyframe_insert("location", frame=frame)
    goal = body().posewright_goals[0]
    goal.target, goal.state = target, "FOLLOWING"
    context.scene.frame_start, context.scene.frame_end = 1, last
    context.scene.frame_set(7)
    bpy.ops.ed.undo_push(message="A path")
    yield from hand.rest()


def press_bake(hand: Any) -> Any:
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_bake",))
    yield from hand.find_button("posewright.bake()")
    yield from hand.press("LEFTMOUSE")
    return put_back


def is_baking() -> bool:
    return bool(session().posewright_progress_words)


def poses(frames: Any, rig: str = BODY) -> dict[int, list[Any]]:
    """Bones' matrices on some frames."""
    context: Any = bpy.context
    found = {}
    for frame in frames:
        context.scene.frame_set(frame)
        context.view_layer.update()
        found[frame] = [bone.matrix.copy() for bone in body(rig).pose.bones]
    return found


def apart(one: dict[int, list[Any]], other: dict[int, list[Any]]) -> float:
    """The largest difference of a rotation, degrees."""
    pairs = [pair for frame in one for pair in zip(one[frame], other[frame], strict=True)]
    sines = [
        0.5 * math.sqrt(sum((a - b).length_squared for a, b in zip(m.to_3x3(), n.to_3x3(), strict=True)) / 2)
        for m, n in pairs
    ]
    return math.degrees(2.0 * math.asin(min(1.0, max(sines))))


def test_esc_stops_a_long_bake_and_leaves_everything(hand: Any) -> Any:
    yield from hand_on_a_path(hand, 5000)
    before, frame, actions = channels(), scene().frame_current, len(bpy.data.actions)
    put_back = yield from press_bake(hand)
    yield from hand.until(lambda: session().posewright_progress > 0.1, "a tenth of the bake", seconds=120)
    yield from hand.picture("bake-progress")
    assert is_baking()
    assert session().posewright_progress_job == "posewright.bake", "the panel does not know whose it is"
    began = time.monotonic()
    yield from hand.event("ESC", "PRESS")
    yield from hand.until(lambda: not is_baking(), "the end of the bake", seconds=20)
    hand.notes["a bake of 5,000 frames stops after Esc, s"] = round(time.monotonic() - began, 2)
    yield from hand.event("ESC", "RELEASE")
    yield from hand.rest()
    put_back()
    assert channels() == before
    assert scene().frame_current == frame
    assert len(bpy.data.actions) == actions
    assert body().posewright_live
    assert not body().posewright_bake


def test_what_is_baked_was_seen_and_one_undo_takes_it_back(hand: Any) -> Any:
    yield from hand_on_a_path(hand, FRAMES)
    frames = range(1, FRAMES + 1)
    live = poses(frames)
    scene().frame_set(7)
    bpy.ops.ed.undo_push(message="Seen")
    yield from hand.rest()
    put_back = yield from press_bake(hand)
    yield from hand.until(lambda: bool(body().posewright_bake) and not is_baking(), "the bake", seconds=120)
    yield from hand.rest()
    yield from hand.picture("bake-report")
    put_back()
    hand.notes["bake against live, degrees"] = round(apart(live, poses(frames)), 5)
    assert apart(live, poses(frames)) < 0.01
    scene().frame_set(7)
    assert not body().posewright_live
    yield from hand.rest()
    hand.at = (hand.area().x + 300, hand.area().y + 300)
    yield from hand.undo()
    assert body().posewright_live
    assert not body().posewright_bake
    assert body().animation_data is None or body().animation_data.action is None
    assert apart(live, poses(frames)) < 0.01
