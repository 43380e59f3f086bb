"""What a drag can do: axes, numbers, precision, snapping, turning; several rigs, custom shapes, two windows.

Seen from the front: X to the right, Z up.
"""

import math
from collections.abc import Sequence
from typing import Any

import bpy
from mathutils import Quaternion, Vector

from .person import (
    BODY,
    body,
    channels,
    drag,
    drag_from,
    head_of,
    make_body,
    pixel,
    release,
    running,
    view_region,
    worst_pin,
)

OTHER = "Other"
WAY = Vector((0.07, 0.0, 0.12))
PIXEL = 0.003  # metres: what the mouse can tell apart
EXACT = 2e-4  # metres: what the solvers are asked for


def moved(start: Vector) -> Vector:
    found: Vector = head_of("hand.L") - start
    return found


def near(found: Vector, wanted: Sequence[float], within: float) -> bool:
    return bool((found - Vector(wanted)).length < within)


def slide(hand: Any, place: Vector, **modifiers: bool) -> Any:
    """Move the mouse to where a place is seen, with Shift or Ctrl held."""
    hand.at = pixel(hand, place)
    yield from hand.event("MOUSEMOVE", "NOTHING", **modifiers)
    yield


def hand_turn() -> Quaternion:
    found: Quaternion = (body().matrix_world @ body().pose.bones["hand.L"].matrix).to_quaternion()
    return found


def turned(before: Quaternion) -> Quaternion:
    """By how much the hand has turned in the world."""
    return hand_turn() @ before.inverted()


def add_wall(y: float) -> None:
    """A square across the view, 1 m wide, beside the person's left hand."""
    mesh = bpy.data.meshes.new("Wall")
    mesh.from_pydata([(0.3, y, 0.6), (1.3, y, 0.6), (1.3, y, 1.6), (0.3, y, 1.6)], [], [(0, 1, 2, 3)])
    context: Any = bpy.context
    context.scene.collection.objects.link(bpy.data.objects.new("Wall", mesh))


def test_axis_keys_hold_to_an_axis_and_with_shift_to_a_plane(hand: Any) -> Any:
    yield from make_body(hand)
    start, before = head_of("hand.L"), channels()
    yield from drag(hand, "hand.L", WAY, steps=3)
    x, z = moved(start).x, moved(start).z
    assert near(moved(start), WAY[:], PIXEL)
    # An axis that points at the viewer goes by what the mouse goes up, away from the viewer for down.
    wanted = {"X": (x, 0.0, 0.0), "Z": (0.0, 0.0, z), "Y": (0.0, -z, 0.0)}
    for key, there in wanted.items():
        yield from hand.press(key)
        assert near(moved(start), there, EXACT), f"{key}: {moved(start)}"
    for key, there in {"X": (0.0, 0.0, z), "Y": (x, 0.0, z), "Z": (x, 0.0, 0.0)}.items():
        yield from hand.press(key, shift=True)
        assert near(moved(start), there, EXACT), f"Shift+{key}: {moved(start)}"
        assert worst_pin() < 1e-3
    yield from hand.press("X")
    yield from hand.press("X")
    along = body().data.bones["hand.L"].matrix_local.to_3x3().col[0].normalized()
    assert moved(start).length > 0.005
    assert abs(moved(start).normalized().dot(along)) > 0.98, "the second X is not along the bone's own"
    yield from hand.press("X")
    assert near(moved(start), (x, 0.0, z), EXACT), "the third X lets go"
    yield from hand.press("ESC")
    yield from release(hand)
    assert channels() == before


def test_typed_numbers_end_with_enter_where_they_say(hand: Any) -> Any:
    yield from make_body(hand)
    before = channels()
    typed = {
        ("X", "ZERO", "PERIOD", "ONE"): (0.1, 0.0, 0.0),
        ("NUMPAD_PERIOD", "NUMPAD_0", "NUMPAD_5", "TAB", "TAB", "PERIOD", "ONE"): (0.05, 0.0, 0.1),
    }
    for keys, there in typed.items():
        start = head_of("hand.L")
        yield from drag(hand, "hand.L", WAY, steps=2)
        for key in (*keys, "RET"):
            yield from hand.press(key)
        yield from hand.rest()
        assert not running(hand)
        assert near(moved(start), there, EXACT), f"{keys}: {moved(start)}"
        yield from release(hand)
        assert near(moved(start), there, EXACT)
        yield from hand.undo()
        assert channels() == before


def test_shift_slows_the_mouse_down_tenfold_and_ctrl_snaps_to_increments(hand: Any) -> Any:
    yield from make_body(hand)
    context: Any = bpy.context
    context.scene.tool_settings.snap_elements = {"INCREMENT"}
    start = head_of("hand.L")
    aim = start + Vector((0.07, 0.0, 0.18))
    yield from drag(hand, "hand.L", WAY, steps=2)
    yield from slide(hand, aim, ctrl=True)
    assert near(moved(start), (0.1, 0.0, 0.2), EXACT), moved(start)
    yield from slide(hand, aim)
    assert near(moved(start), (0.07, 0.0, 0.18), PIXEL), moved(start)
    yield from slide(hand, aim + Vector((0.1, 0.0, -0.1)), shift=True)
    assert near(moved(start), (0.08, 0.0, 0.17), PIXEL), moved(start)
    yield from release(hand)
    assert near(moved(start), (0.08, 0.0, 0.17), PIXEL), "the release jumps"


def test_ctrl_snaps_to_faces_and_vertices_of_a_mesh(hand: Any) -> Any:
    yield from make_body(hand)
    add_wall(-0.15)
    context: Any = bpy.context
    settings = context.scene.tool_settings
    start = head_of("hand.L")
    aim = start + Vector((0.05, 0.0, 0.2))
    settings.snap_elements = {"FACE"}
    yield from drag(hand, "hand.L", WAY, steps=2)
    yield from slide(hand, aim, ctrl=True)
    assert near(head_of("hand.L"), (aim.x, -0.15, aim.z), PIXEL), head_of("hand.L")
    assert abs(head_of("hand.L").y + 0.15) < EXACT
    settings.snap_elements = {"VERTEX"}
    yield from slide(hand, Vector((0.33, 0.0, 1.45)), ctrl=True)
    yield from hand.picture("drag-snapped")
    assert near(head_of("hand.L"), (0.3, -0.15, 1.6), EXACT), head_of("hand.L")
    yield from hand.press("Z", ctrl=True)  # means nothing during a drag: no axis, and nothing is undone
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    assert near(head_of("hand.L"), (0.3, -0.15, 1.6), EXACT), head_of("hand.L")
    yield from hand.press("ESC")
    yield from release(hand)
    assert near(moved(start), (0.0, 0.0, 0.0), 1e-6)


def test_r_turns_by_number_and_by_mouse_and_g_moves_on(hand: Any) -> Any:
    yield from make_body(hand)
    before = channels()
    start = head_of("hand.L")
    yield from drag(hand, "hand.L", WAY, steps=3)
    there, unturned = moved(start), hand_turn()
    for key in ("R", "Y", "THREE", "ZERO"):
        yield from hand.press(key)
    yield from hand.rest(2)
    by = turned(unturned)
    assert math.degrees((by @ Quaternion((0.0, 1.0, 0.0), math.radians(30)).inverted()).angle) < 1.0, by
    assert near(moved(start), there[:], EXACT), "a turn moves the hand"
    yield from hand.press("G")
    yield from slide(hand, start + WAY + Vector((0.0, 0.0, 0.1)))
    assert near(moved(start), (there.x, there.y, there.z + 0.1), PIXEL), moved(start)
    assert math.degrees((turned(unturned) @ by.inverted()).angle) < 1.0, "a move after a turn turns back"
    yield from hand.press("R")
    yield from slide(hand, start + WAY + Vector((0.0, 0.0, 0.2)))
    assert math.degrees((turned(unturned) @ by.inverted()).angle) > 10.0, "the mouse does not turn"
    assert worst_pin() < 1e-3
    yield from release(hand)
    assert body().posewright_goals[0].orientation == 0.0
    yield from hand.undo()
    assert channels() == before


def test_of_two_rigs_in_pose_mode_only_the_dragged_one_moves(hand: Any) -> Any:
    yield from make_body(hand)
    context: Any = bpy.context
    other = body().copy()
    other.data = body().data.copy()
    other.name, other.location = OTHER, (1.3, 0.0, 0.0)
    context.scene.collection.objects.link(other)
    for goal in other.posewright_goals:
        goal.place.x += 1.3
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.object.mode_set(mode="OBJECT")
        for thing in bpy.data.objects:
            thing.select_set(True)
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.view3d.view_all()
    bpy.ops.ed.undo_push(message="Two people")
    yield from hand.rest()
    assert [thing.mode for thing in bpy.data.objects] == ["POSE", "POSE"]
    for name, still in ((OTHER, BODY), (BODY, OTHER)):
        before, rest, unturned = channels(name), channels(still), head_of("head", name)
        yield from drag_from(hand, unturned, Vector((0.1, 0.0, -0.12)), 4)
        assert running(hand) == ["POSEWRIGHT_OT_drag"]
        if name == OTHER:
            yield from hand.picture("drag-two-rigs")
        yield from release(hand)
        assert (head_of("head", name) - unturned).length > 0.05
        assert (channels(still), context.object.name) == (rest, name)
        assert worst_pin() < 1e-3
        yield from hand.undo()
        assert (channels(name), channels(still)) == (before, rest)


def test_a_bone_is_taken_by_its_custom_shape(hand: Any) -> Any:
    yield from make_body(hand)
    mesh = bpy.data.meshes.new("Square")
    mesh.from_pydata([(-1, 0, 0), (1, 0, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1), (1, 2), (2, 3), (3, 0)], [])
    head = body().pose.bones["head"]
    head.custom_shape = bpy.data.objects.new("Square", mesh)
    head.custom_shape_translation = (0.0, 0.1, 0.0)
    yield from hand.rest()
    world = body().matrix_world @ head.matrix
    edge = world @ (Vector((0.0, 0.1, 0.0)) + head.bone.length * Vector((1.0, 0.6, 0.0)))
    start, before = head_of("head"), channels()
    yield from drag_from(hand, edge, Vector((0.1, 0.0, -0.1)), 4)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    yield from hand.picture("drag-custom-shape")
    yield from release(hand)
    assert body().data.bones.active.name == "head"
    assert (head_of("head") - start).length > 0.03
    assert worst_pin() < 1e-3
    yield from hand.undo()
    assert channels() == before


def test_a_drag_whose_view_goes_away_is_put_back(hand: Any) -> Any:
    """Without a step of undo, a pose that stayed would be lost with the next one."""
    yield from make_body(hand)
    before, context = channels(), bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.screen.screen_full_area()
    yield from hand.rest()
    yield from drag(hand, "hand.L", WAY, steps=2)
    assert channels() != before
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.screen.screen_full_area()
    yield from hand.rest()
    yield from hand.move(hand.at[0] + 9, hand.at[1] + 9)
    yield from release(hand)
    assert not running(hand)
    assert channels() == before


def second_window(hand: Any) -> Any:
    """A second scene in a second window; the mouse stays in the first."""
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area()):
        bpy.ops.wm.window_new_main()
    yield from hand.rest()
    scene = bpy.data.scenes.new(OTHER)
    windows = context.window_manager.windows
    windows[1].scene = scene
    yield from hand.rest()
    assert [window.scene.name for window in windows] == ["Scene", OTHER]
    return scene


def seen_in(scene: str, bone: str) -> Vector:
    """Where a bone is as a scene shows it."""
    thing = body().evaluated_get(bpy.data.scenes[scene].view_layers[0].depsgraph)
    found: Vector = thing.matrix_world @ thing.pose.bones[bone].head
    return found


def test_with_two_scenes_in_two_windows_only_the_dragged_character_moves_and_both_show_it(hand: Any) -> Any:
    yield from make_body(hand)
    scene = yield from second_window(hand)
    other = body().copy()
    other.data, other.name = body().data.copy(), OTHER
    for thing in (body(), other):
        scene.collection.objects.link(thing)
    bpy.ops.ed.undo_push(message="Two windows")
    yield from hand.rest()
    before, rest, start = channels(), channels(OTHER), head_of("hand.L")
    worst = yield from drag(hand, "hand.L", WAY, steps=4)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    assert worst < 1e-3
    yield from hand.picture("drag-two-windows")  # the other window has been drawn by then
    assert (seen_in(OTHER, "hand.L") - head_of("hand.L")).length < EXACT
    yield from release(hand)
    after = channels()
    assert near(moved(start), WAY[:], PIXEL)
    yield from hand.rest(10)
    assert (channels(), channels(OTHER)) == (after, rest), "the scenes pull at the pose after the release"
    yield from hand.undo()
    assert (channels(), channels(OTHER)) == (before, rest)
    assert (seen_in(OTHER, "hand.L") - start).length < EXACT
    context: Any = bpy.context
    with context.temp_override(window=context.window_manager.windows[1]):
        bpy.ops.wm.window_close()
    yield from hand.rest()
