"""Two windows that show two scenes: what is dragged in one leaves the other alone."""

from typing import Any

import bpy
from mathutils import Vector

from .person import BODY, add_goal, body, channels, drag, goals, head_of, make_body, release, running, worst_pin

OTHER = "Other"


def second_window(hand: Any) -> Any:
    """A second scene in a second window; the mouse stays in the first."""
    context: Any = bpy.context
    first = context.scene
    with context.temp_override(window=hand.window, area=hand.area()):
        bpy.ops.wm.window_new_main()
    yield from hand.rest(10)
    scene = bpy.data.scenes.new(OTHER)
    windows = context.window_manager.windows
    assert len(windows) == 2
    windows[1].scene = scene
    yield from hand.rest(10)
    assert windows[0].scene == first
    return scene


def close(hand: Any) -> Any:
    context: Any = bpy.context
    with context.temp_override(window=context.window_manager.windows[1]):
        bpy.ops.wm.window_close()
    yield from hand.rest()


def seen_in(scene: str, rig: str, bone: str) -> Vector:
    """Where a bone is as another scene shows it."""
    there = bpy.data.scenes[scene]
    thing = body(rig).evaluated_get(there.view_layers[0].depsgraph)
    found: Vector = thing.matrix_world @ thing.pose.bones[bone].head
    return found


def test_a_character_of_two_scenes_is_dragged_in_one_and_seen_in_both(hand: Any) -> Any:
    yield from make_body(hand)
    scene = yield from second_window(hand)
    scene.collection.objects.link(body())
    bpy.ops.ed.undo_push(message="Two windows")
    yield from hand.rest()
    before, start = channels(), head_of("hand.L")
    worst = yield from drag(hand, "hand.L", Vector((-0.1, 0.0, 0.3)), steps=6)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    assert worst < 1e-3
    yield from hand.picture("windows-shared")
    yield from release(hand)
    after = channels()
    assert abs((head_of("hand.L") - start).length - 0.316) < 0.005
    assert (seen_in(OTHER, BODY, "hand.L") - head_of("hand.L")).length < 1e-4
    yield from hand.rest(20)
    assert channels() == after, "the pose goes on changing after the release"
    yield from hand.undo()
    assert channels() == before
    assert (seen_in(OTHER, BODY, "hand.L") - start).length < 1e-4
    yield from close(hand)


def test_a_character_of_another_scene_stays_as_it_is(hand: Any) -> Any:
    yield from make_body(hand)
    scene = yield from second_window(hand)
    other = body().copy()
    other.data, other.name = body().data.copy(), OTHER
    scene.collection.objects.link(other)
    add_goal(other, "head", "PINNED")
    bpy.ops.ed.undo_push(message="Two windows")
    yield from hand.rest()
    before, rest, stored = channels(), channels(OTHER), goals()
    yield from drag(hand, "hand.L", Vector((-0.1, 0.0, 0.3)), steps=6)
    yield from release(hand)
    assert channels() != before
    assert worst_pin() < 1e-3
    assert channels(OTHER) == rest
    yield from hand.undo()
    assert (channels(), channels(OTHER)) == (before, rest)
    assert [goal[:3] for goal in goals()] == [goal[:3] for goal in stored]
    yield from close(hand)
