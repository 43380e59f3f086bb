"""A character follows another one, who is larger and walks: by the dialog of the sidebar; Esc leaves all as it was."""

import math
from typing import Any

import bpy
from mathutils import Quaternion, Vector

from .person import BODY, body, build_bones, channels, head_of, make_room, package, view_region
from .scenarios_joints import show_only

LEADER = "Leader"
LARGER = 1.25
PANELS = ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_motion", "POSEWRIGHT_PT_active_goal")


def make_pair(hand: Any) -> Any:
    """A person, the active object, and beside it a larger one who takes a step in 20 frames; both selected."""
    yield from make_room(hand)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        leader = build_bones()
        leader.name = leader.data.name = LEADER
        leader.scale = (LARGER, LARGER, LARGER)
        leader.location.x = 1.2
        for frame, degrees in ((1, 0.0), (10, 25.0), (20, 0.0)):
            for name, sign in (("thigh.L", 1.0), ("thigh.R", -1.0), ("upper_arm.L", -1.0), ("upper_arm.R", 1.0)):
                bone = leader.pose.bones[name]
                bone.rotation_quaternion = Quaternion((1.0, 0.0, 0.0), math.radians(-sign * degrees))
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            leader.pose.bones["hips"].location = (0.0, 0.0, 0.02 * frame)
            leader.pose.bones["hips"].keyframe_insert("location", frame=frame)
        thing = build_bones()
        leader.select_set(True)
        thing.select_set(True)
        context.view_layer.objects.active = thing
        bpy.ops.view3d.view_axis(type="RIGHT")
        bpy.ops.view3d.view_all()
    package().bridge.watch.allow(1000.0)
    context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Two people")
    yield from hand.rest()


def open_dialog(hand: Any) -> Any:
    yield from hand.find_button("posewright.follow_motion")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest(10)


def test_a_person_follows_a_larger_one_by_the_dialog(hand: Any) -> Any:
    yield from make_pair(hand)
    put_back = yield from show_only(hand, PANELS)
    try:
        yield from _follow(hand)
    finally:
        put_back()


def _follow(hand: Any) -> Any:
    scene: Any = bpy.context.scene
    stored = channels()
    yield from open_dialog(hand)
    yield from hand.picture("motion-dialog")
    yield from hand.press("ESC")
    yield from hand.rest()
    assert channels() == stored
    assert not len(body().posewright_goals), "Esc has made goals"
    assert not len(body().posewright_roles), "Esc has made roles"

    yield from open_dialog(hand)
    yield from hand.press("RET")
    yield from hand.rest(10)
    following = [goal.bone for goal in body().posewright_goals if goal.state == "FOLLOWING"]
    assert len(following) == 7, following
    body().posewright_active_goal = next(
        place for place, goal in enumerate(body().posewright_goals) if goal.bone == "hand.L"
    )
    for frame in (1, 10):
        scene.frame_set(frame)
        yield from hand.rest()
        yield from hand.picture(f"motion-frame-{frame}")
        for bone in ("foot.L", "foot.R"):
            way = head_of(bone, LEADER) - Vector((1.2, 0.0, LARGER * 0.09))
            off = (head_of(bone) - way / LARGER - Vector((0.0, 0.0, 0.09))).length
            hand.notes[f"{bone} at frame {frame} off by mm"] = round(1000 * off, 3)
            assert off < 2e-3
    assert not len(body(LEADER).posewright_goals)

    yield from hand.undo()
    assert not len(body().posewright_goals), "one undo does not take it back"
    assert body().name == BODY
