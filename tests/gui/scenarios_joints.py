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


def panels() -> list[Any]:
    """Our panels, those inside others last."""
    found = [one for one in bpy.types.Panel.__subclasses__() if one.__module__.startswith(f"{ADD_ON}.ui")]
    found += [two for one in bpy.types.Panel.__subclasses__() for two in one.__subclasses__()]
    ours = {one for one in found if one.__module__.startswith(f"{ADD_ON}.ui") and one.is_registered}
    return sorted(ours, key=lambda one: bool(getattr(one, "bl_parent_id", "")))


def show_only(hand: Any, shown: tuple[str, ...]) -> Any:
    """Have some panels of our tab alone in it, and open: by other names, under which nobody has closed them.

    A panel comes after the one that it is part of.
    """
    every = panels()
    by_name = {one.__name__: one for one in every}
    kept = [by_name[name] for name in shown]
    were = {one.__name__: {name: getattr(one, name, None) for name in ("bl_options", "bl_parent_id")} for one in kept}
    for one in reversed(every):
        bpy.utils.unregister_class(one)
    for one in kept:
        one.bl_idname, one.bl_options = f"{one.__name__}_open", set()
        if were[one.__name__]["bl_parent_id"]:
            one.bl_parent_id += "_open"
        bpy.utils.register_class(one)
    yield from hand.sidebar("Posewright")

    def put_back() -> None:
        for one in reversed(kept):
            bpy.utils.unregister_class(one)
            one.bl_idname, one.bl_options = one.__name__, were[one.__name__]["bl_options"] or set()
            if were[one.__name__]["bl_parent_id"]:
                one.bl_parent_id = were[one.__name__]["bl_parent_id"]
        for one in every:
            bpy.utils.register_class(one)

    return put_back


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
    known = shapes.stored(bone)
    frame = shapes.frame(body(), bone, known)
    turn = frame.to_quaternion().inverted() @ (body().matrix_world @ bone.matrix).to_quaternion()
    shape = shapes.of(known, turn)
    return [
        (one.axes, [frame.to_3x3() @ Vector(point) for point in one.points.tolist()])
        for one in shape.curves
        if not one.twist
    ]


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


def test_the_shoulders_dome_is_on_the_arms_side_outward_and_forward(hand: Any) -> Any:
    yield from set_up_person(hand)
    for name, out in (("upper_arm.L", 1.0), ("upper_arm.R", -1.0)):
        (axes, _rim), *ribs = drawn(name)
        assert axes == "XZ"
        assert len(ribs) == 2
        bone = body().pose.bones[name]
        inside = sum((point for _, rib in ribs for point in rib), Vector()).normalized()
        assert inside.dot((bone.tail - bone.head).normalized()) > 0.5, f"{name}: {inside[:]}"
        assert inside.dot(FORWARD) > 0.0
        assert inside.x * out > 0.0


def test_limits_of_elbow_and_shoulder_are_drawn_where_they_are_and_told(hand: Any) -> Any:
    yield from set_up_person(hand)
    yield from hand.picture("joints-set-up")
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_joints", "POSEWRIGHT_PT_solver"))
    for name in ("forearm.L", "upper_arm.L"):
        activate(name)
        for view, angles in VIEWS.items():
            look(hand, head_of("upper_arm.L"), *angles)
            yield from hand.picture(f"joints-{name.replace('.', '-')}-{view}")
    put_back()
    assert session().posewright_overlay_note == ""
