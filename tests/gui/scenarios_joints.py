"""The limits that set-up gives joints, as the sidebar tells them and the 3D view draws them; to look at."""

import importlib
import math
from typing import Any

import bpy
from mathutils import Euler, Vector

from .person import ADD_ON, body, build_bones, head_of, make_room, session, view_region

FORWARD = Vector((0.0, -1.0, 0.0))  # where the person looks
VIEWS = {"front": (90, 0), "left": (90, 90), "above": (60, 35)}  # degrees about X and Z


def set_up_person(hand: Any) -> Any:
    """A person without limits, set up by the button of the sidebar, in Pose Mode."""
    yield from make_room(hand)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        build_bones()
        bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.ed.undo_push(message="A person")
    yield from hand.sidebar("Posewright")
    yield from hand.find_button("posewright.set_up")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    assert {joint.name for joint in body().posewright_joints} >= {"forearm.L", "upper_arm.L", "shin.R"}


def show_panels(hand: Any, shown: set[str]) -> Any:
    """Have some panels of our tab open and the others closed, as they are in a new window."""
    ui = importlib.import_module(f"{ADD_ON}.ui")
    panels = [one for one in bpy.types.Panel.__subclasses__() if one.__module__.startswith(ui.__name__)]
    for panel in sorted(panels, key=lambda one: bool(getattr(one, "bl_parent_id", ""))):
        before = panel.bl_options
        bpy.utils.unregister_class(panel)
        panel.bl_options = set() if panel.__name__ in shown else {"DEFAULT_CLOSED"}
        bpy.utils.register_class(panel)
        panel.bl_options = before
    hand.area().tag_redraw()
    yield from hand.rest()


def activate(name: str) -> None:
    """Make a bone the active one, and it alone selected."""
    rig = body()
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == name
    rig.data.bones.active = rig.data.bones[name]


def look(hand: Any, at: Vector, about_x: float, about_z: float) -> None:
    view = hand.area().spaces.active.region_3d
    view.view_perspective = "ORTHO"
    view.view_location, view.view_distance = at, 1.6
    view.view_rotation = Euler((math.radians(about_x), 0, math.radians(about_z))).to_quaternion()
    hand.area().tag_redraw()


def drawn(name: str) -> list[tuple[str, list[Vector]]]:
    """The curves that bound a bone's direction: the axes, and unit vectors in the world."""
    shapes = importlib.import_module(f"{ADD_ON}.bridge.limit_shapes")
    bone = body().pose.bones[name]
    frame = shapes.frame(body(), bone)
    turn = frame.to_quaternion().inverted() @ (body().matrix_world @ bone.matrix).to_quaternion()
    shape = shapes.of(shapes.stored(bone), turn)
    return [
        (one.axes, [frame.to_3x3() @ Vector(point) for point in one.points.tolist()])
        for one in shape.curves
        if not one.twist
    ]


def test_limits_of_elbow_and_shoulder_are_drawn_where_they_are_and_told(hand: Any) -> Any:
    yield from set_up_person(hand)
    yield from hand.picture("joints-set-up")
    yield from show_panels(hand, {"POSEWRIGHT_PT_joints", "POSEWRIGHT_PT_solver"})
    for name in ("forearm.L", "upper_arm.L"):
        activate(name)
        for view, angles in VIEWS.items():
            look(hand, head_of("upper_arm.L"), *angles)
            yield from hand.picture(f"joints-{name.replace('.', '-')}-{view}")
    assert session().posewright_overlay_note == ""


def test_the_elbows_fan_opens_forward(hand: Any) -> Any:
    yield from set_up_person(hand)
    for name in ("forearm.L", "forearm.R"):
        ((axes, fan),) = drawn(name)
        bone = body().pose.bones[name]
        middle = sum(fan, Vector()).normalized()
        assert len(axes) == 1
        assert middle.dot(FORWARD) > 0.5, f"{name}: {middle[:]}"
        straight = (bone.parent.tail - bone.parent.head).normalized()
        assert min(point.angle(straight) for point in fan) < 0.2, "no end of the fan is near the straight arm"


def test_the_shoulders_cone_contains_the_arm_forward_and_up_but_not_behind_the_back(hand: Any) -> Any:
    yield from set_up_person(hand)
    for name, out in (("upper_arm.L", 1.0), ("upper_arm.R", -1.0)):
        ((axes, rim),) = drawn(name)
        assert axes == "XZ"
        bone = body().pose.bones[name]
        now = (bone.tail - bone.head).normalized()
        inside = sum(rim, Vector()).normalized()
        assert inside.dot(now) > 0.0, f"{name}: the cone looks away from the arm, {inside[:]}"
        assert inside.dot(FORWARD) > 0.0
        assert inside.x * out > 0.0
