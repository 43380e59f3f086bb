"""What the 3D view shows of goals and limits: the right shapes at the right places, and never an error twice."""

import json
import math
import os
import subprocess
import sys
from types import ModuleType
from typing import Any

import addon_utils
import bpy
import pytest
from mathutils import Euler, Quaternion, Vector

from .test_relations import relation
from .test_together import pair, tail

LONG = 0.4  # metres, upper arm and forearm
Floats = Any


@pytest.fixture
def rooms(bridge: Any, add_on: ModuleType) -> Any:
    """The whole package, as for `bridge`."""
    assert bridge
    return add_on


@pytest.fixture
def arm(rooms: Any) -> Any:
    """A shoulder that stands still, an upper arm, a forearm and a hand, straight up."""
    context: Any = bpy.context
    found: Any = bpy.data.objects.new("Arm", bpy.data.armatures.new("Arm"))
    context.scene.collection.objects.link(found)
    context.view_layer.objects.active = found
    bpy.ops.object.mode_set(mode="EDIT")
    height, parent = 0.0, None
    for name, length in (("shoulder", 0.2), ("upper", LONG), ("fore", LONG), ("hand", 0.1)):
        bone = found.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = (0, 0, height), (0, 0, height + length), parent
        bone.use_connect = parent is not None
        height, parent = height + length, bone
    bpy.ops.object.mode_set(mode="OBJECT")
    assert rooms
    found.pose.bones["shoulder"].lock_location = found.pose.bones["shoulder"].lock_rotation = (True, True, True)
    update()
    return found


def update() -> None:
    context: Any = bpy.context
    context.view_layer.update()


def goal_of(arm: Any, bone: str = "hand", **values: object) -> Any:
    goal = arm.posewright_goals.add()
    goal.name, goal.bone = bone, bone
    for name, value in values.items():
        setattr(goal, name, value)
    return goal


def shown(rooms: Any, arm: Any, bone: str = "") -> Any:
    """What is shown of the arm, with a bone of it active."""
    context: Any = bpy.context
    shapes = rooms.ui.shapes
    found = shapes.Shapes()
    active = arm.pose.bones[bone] if bone else None
    shapes.add_character(found, arm, active, context.scene.unit_settings)
    return found


def named(items: Any) -> list[tuple[str, str]]:
    return [(one.sign.name, one.role.name) for one in items]


def far(a: Any, b: Any) -> float:
    return float((Vector(a) - Vector(b)).length)


def wrist(arm: Any) -> Vector:
    place: Vector = arm.matrix_world @ arm.pose.bones["hand"].head
    return place


def test_an_idle_goal_is_a_ring_that_rides_on_its_bone(rooms: Any, arm: Any) -> None:
    goal_of(arm)
    arm.pose.bones["upper"].rotation_quaternion = Euler((0.5, 0, 0)).to_quaternion()
    arm.location = (1, 2, 3)
    update()
    found = shown(rooms, arm)
    assert named(found.marks) == [("RING", "IDLE")]
    assert far(found.marks[0].place, wrist(arm)) < 1e-6
    assert not [*found.lines, *found.arcs, *found.words]


def test_a_pin_that_holds_is_a_diamond_at_its_place(rooms: Any, arm: Any) -> None:
    goal_of(arm, state="PINNED", place=wrist(arm))
    update()
    found = shown(rooms, arm)
    assert named(found.marks) == [("DIAMOND", "PINNED")]
    assert not [*found.lines, *found.words]


def test_a_goal_out_of_reach_has_a_line_from_the_bone_and_the_distance_in_centimetres(rooms: Any, arm: Any) -> None:
    goal_of(arm, state="PINNED", place=(0.6, 0, 0.9))
    update()
    found = shown(rooms, arm)
    assert named(found.marks) == [("DIAMOND", "OUT_OF_REACH"), ("DOT", "OUT_OF_REACH")]
    off = math.hypot(0.6, 0.9 - 0.2) - 2 * LONG
    assert abs(far(wrist(arm), (0.6, 0, 0.9)) - off) < 1e-4, "the arm does not point at its goal"
    (line,) = found.lines
    assert far(line.begin, wrist(arm)) < 1e-6
    assert far(line.end, (0.6, 0, 0.9)) < 1e-6
    assert [(one.words, one.role.name) for one in found.words] == [(f"{100 * off:.1f} cm", "OUT_OF_REACH")]
    arm.posewright_live = False  # then nothing is known of a solve, and what is seen counts
    assert [one.words for one in shown(rooms, arm).words] == [f"{100 * off:.1f} cm"]
    arm.posewright_bake = "how it was"  # what is baked plays by itself: a goal that was keyed is not missed then
    assert not shown(rooms, arm).words
    assert named(shown(rooms, arm).marks) == [("DIAMOND", "PINNED")]


def test_the_joint_that_stops_a_goal_is_marked_with_its_axis_and_its_limit(rooms: Any, arm: Any) -> None:
    for name in ("upper", "fore"):
        bone = arm.pose.bones[name]
        bone.lock_ik_y = bone.lock_ik_z = bone.use_ik_limit_x = True
        bone.ik_min_x, bone.ik_max_x = -0.1, 0.5
    for axis in "xyz":
        setattr(arm.pose.bones["upper"], f"lock_ik_{axis}", True)
    goal_of(arm, dragged=True, place=(0, -0.4, 0.6))
    update()
    stopped = rooms.bridge.outcome.of(arm).stopped_by
    assert stopped == (("fore", "angle"),)
    found = shown(rooms, arm)
    assert named(found.marks) == [("TARGET", "STOPPED"), ("DOT", "STOPPED"), ("JOINT", "STOPPED")]
    assert far(found.marks[2].place, arm.matrix_world @ arm.pose.bones["fore"].head) < 1e-6
    assert found.words[1].words == "X limit"
    (arc,) = found.arcs
    assert arc.role.name == "STOPPED"
    ends = [arc.frame @ Vector(arc.curve.points[i]) for i in (0, -1)]
    assert min(far(end, wrist(arm)) for end in ends) < 1e-4, "the forearm is not at the end of its arc"


def test_a_limit_in_one_body_does_not_stop_the_goals_of_another(rooms: Any, arm: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    other = arm.data.edit_bones.new("other")
    other.head, other.tail = (1, 0, 0), (1, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    update()
    goal_of(arm, state="PINNED", place=(0, 0, 3))
    goal_of(arm, "other", state="PINNED", place=(1, 0, 2))
    limit(arm.pose.bones["fore"], x=(-0.1, 0.1))
    outcome = rooms.bridge.outcome
    missed = outcome.GoalOutcome(1.0, 0.0, reached=False)
    outcome.note(arm, outcome.Outcome({0: missed, 1: missed}, stopped_by=(("fore", "swing_x"), ("gone", "x"))))
    found = shown(rooms, arm)
    assert [(one.words, one.role.name) for one in found.words] == [
        ("1.00 m", "STOPPED"),
        ("1.00 m", "OUT_OF_REACH"),
        ("X limit", "STOPPED"),
    ]


def test_a_limit_is_called_what_the_panel_of_joints_calls_its_axis(rooms: Any, arm: Any) -> None:
    goal_of(arm, state="PINNED", place=(0, 0, 3))
    own = arm.posewright_joints.add()
    own.name, own.source, own.order = "fore", "HAND", "SWING"
    outcome = rooms.bridge.outcome
    missed = {0: outcome.GoalOutcome(1.0, 0.0, reached=False)}
    said = {}
    for order in ("SWING", "XYZ"):
        own.order = order
        outcome.note(arm, outcome.Outcome(missed, stopped_by=(("fore", "swing_z"), ("fore", "twist"), ("fore", "tx"))))
        said[order] = shown(rooms, arm).words[-1].words
    assert said == {"SWING": "X, Twist, Side limit", "XYZ": "X, Y, Z limit"}


def test_a_following_goal_has_a_dashed_line_to_its_target(rooms: Any, arm: Any) -> None:
    context: Any = bpy.context
    target: Any = bpy.data.objects.new("Target", None)
    context.scene.collection.objects.link(target)
    target.location = wrist(arm) + Vector((0.2, 0, 0))
    update()
    goal_of(arm, target=target, target_offset=(-0.2, 0, 0), state="FOLLOWING")
    update()
    found = shown(rooms, arm)
    assert named(found.marks) == [("RING", "FOLLOWING")]
    assert [(one.dashed, one.role.name) for one in found.lines] == [(True, "FOLLOWING")]
    assert far(found.lines[0].end, target.location) < 1e-6
    context.view_layer.objects.active = target
    assert rooms.ui.shapes.characters(context) == [arm], "moving the target does not show who follows it"
    bpy.data.objects.remove(target)
    assert not shown(rooms, arm).marks


def test_a_goal_that_looks_has_a_dashed_line_from_its_bone(rooms: Any, arm: Any) -> None:
    arm.posewright_live = False
    goal_of(arm, kind="LOOK_AT", state="PINNED", place=(1, 0, 1))
    found = shown(rooms, arm)
    assert named(found.marks) == [("DIAMOND", "PINNED")]
    (line,) = found.lines
    assert line.dashed
    assert far(line.begin, wrist(arm)) < 1e-6
    assert far(line.end, (1, 0, 1)) < 1e-6


def test_turns_that_are_missing_are_said_in_degrees(rooms: Any, arm: Any) -> None:
    goal_of(arm, state="PINNED", place=wrist(arm), orientation=1.0)
    outcome = rooms.bridge.outcome
    outcome.note(arm, outcome.Outcome({0: outcome.GoalOutcome(0.0, math.radians(12), reached=False)}))
    assert [one.words for one in shown(rooms, arm).words] == ["12°"]
    outcome.note(arm, outcome.Outcome({0: outcome.GoalOutcome(0.034, math.radians(12), reached=False)}))
    assert [one.words for one in shown(rooms, arm).words] == ["3.4 cm  12°"]
    outcome.note(arm, outcome.Outcome({0: outcome.GoalOutcome(0.034, 0.0, reached=True)}))
    assert not shown(rooms, arm).words


def test_of_the_active_coupling_dashed_lines_lead_from_what_it_follows(rooms: Any, arm: Any) -> None:
    relation(arm, "COUPLING", ["upper", "fore"], bone="hand", axis="X", expression="a + b")
    relation(arm, "COUPLING", ["upper", "gone"], bone="hand", axis="Z", expression="a")
    arm.location.x = 1.0
    update()
    heads = [arm.matrix_world @ arm.pose.bones[bone].head for bone in ("upper", "fore")]
    lines = shown(rooms, arm).lines
    assert [(line.role.name, line.dashed) for line in lines] == [("HELD", True)] * 2
    for line, head in zip(lines, heads, strict=True):
        assert far(line.begin, head) < 1e-6
        assert far(line.end, wrist(arm)) < 1e-6
    arm.posewright_active_relation = 1
    assert not shown(rooms, arm).lines
    arm.posewright_active_relation = 0
    arm.posewright_relations[0].mute = True
    assert not shown(rooms, arm).lines


def test_a_loop_of_two_characters_is_shown_once_and_where_it_cannot_be_had_how_far_it_is_off(
    bridge: Any, rooms: Any
) -> None:
    ann, ben = pair(bridge)
    ann.rotation_euler.z = 0.2
    update()

    def held(owner: Any, *places: Vector) -> list[tuple[str, str]]:
        there = shown(rooms, owner).marks
        return [named([one])[0] for place in places for one in there if far(one.place, place) < 1e-5]

    ends = tail(ann, "hand.L"), tail(ben, "hand.R")
    both = [("RING", "HELD"), ("DOT", "HELD")]
    assert far(*ends) < 1e-3
    assert sorted(set(held(ann, *ends))) == sorted(both)
    assert not held(ben, *ends)
    ben.posewright_goals[0].place.x += 5.0
    update()
    ends = tail(ann, "hand.L"), tail(ben, "hand.R")
    assert far(*ends) > 0.5
    assert held(ann, *ends) == [("RING", "OUT_OF_REACH"), ("DOT", "OUT_OF_REACH")]
    (line,) = (line for line in shown(rooms, ann).lines if far(line.begin, ends[0]) < 1e-5)
    assert far(line.end, ends[1]) < 1e-5
    assert [words.words for words in shown(rooms, ann).words if far(words.place, ends[0]) < 1e-5]
    bpy.data.objects.remove(ben)
    update()
    assert not held(ann, tail(ann, "hand.L"))


def test_goals_that_cannot_be_placed_are_not_shown(rooms: Any, arm: Any) -> None:
    goal_of(arm, bone="nobody", state="PINNED")
    goal_of(arm, bone="")
    goal_of(arm, mute=True)
    goal_of(arm, state="FOLLOWING")
    found = shown(rooms, arm)
    assert not [*found.marks, *found.lines, *found.words, *found.arcs]


def test_distances_are_in_the_units_of_the_scene(rooms: Any, arm: Any) -> None:
    context: Any = bpy.context
    units, said = context.scene.unit_settings, rooms.ui.shapes.distance
    assert arm
    assert [said(metres, units) for metres in (0.0432, 0.9, 1.234)] == ["4.3 cm", "90.0 cm", "1.23 m"]
    units.system = "IMPERIAL"
    assert said(0.0254, units) == '1"'
    units.system = "NONE"
    assert said(0.0432, units) == "0.0432"
    units.system, units.scale_length = "METRIC", 0.01
    assert said(5.0, units) == "5.0 cm"
    units.scale_length = 1.0


def limit(bone: Any, **axes: tuple[float, float]) -> None:
    for axis, (low, high) in axes.items():
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", low)
        setattr(bone, f"ik_max_{axis}", high)


def curves(rooms: Any, bone: Any, turn: Quaternion | None = None) -> Any:
    shapes = rooms.bridge.limit_shapes
    known = shapes.stored(bone)
    return shapes.of(known, turn or Quaternion()).curves if known else ()


def swing_of(direction: Floats) -> Quaternion:
    """The shortest turn from the bone's axis to a direction."""
    return Vector((0, 1, 0)).rotation_difference(Vector(direction))


def test_a_bone_without_limits_has_no_curves(rooms: Any, arm: Any) -> None:
    bone = arm.pose.bones["upper"]
    assert not curves(rooms, bone)
    limit(bone, y=(-math.pi, math.pi))
    assert not curves(rooms, bone)


def test_swing_limits_are_an_ellipse_for_each_quadrant(rooms: Any, arm: Any) -> None:
    """In the sine of the half angle, as Blender's own inverse kinematics has them."""
    bone = arm.pose.bones["upper"]
    limit(bone, x=(-0.9, 0.4), z=(-0.3, 1.4))
    (curve,) = curves(rooms, bone)
    assert (curve.closed, curve.filled, curve.twist, curve.axes) == (True, True, False, "XZ")
    assert curve.points.shape[0] > 60
    quadrants = set()
    for point in curve.points:
        swing = swing_of(point)
        assert abs(Vector(point).length - 1.0) < 1e-6
        a, b = (0.4 if swing.x > 0 else 0.9), (1.4 if swing.z > 0 else 0.3)
        assert abs((swing.x / math.sin(a / 2)) ** 2 + (swing.z / math.sin(b / 2)) ** 2 - 1.0) < 1e-5
        quadrants.add((swing.x > 0, swing.z > 0))
    assert len(quadrants) == 4


@pytest.mark.parametrize("axis", ["x", "z"])
def test_one_limited_axis_beside_a_free_one_has_two_edges(rooms: Any, arm: Any, axis: str) -> None:
    bone = arm.pose.bones["upper"]
    limit(bone, **{axis: (-0.7, 0.5)})
    low, high = curves(rooms, bone)
    for curve, end in ((low, -0.7), (high, 0.5)):
        assert (curve.closed, curve.filled, curve.axes) == (True, False, axis.upper())
        swings = [swing_of(point) for point in curve.points if point[1] > -0.9]  # backwards, there is no shortest
        assert len(swings) > 60
        assert all(abs(getattr(swing, axis) - math.sin(end / 2)) < 1e-5 for swing in swings)


@pytest.mark.parametrize(("axis", "other"), [("x", "z"), ("z", "x")])
def test_a_hinge_is_an_arc_between_its_limits(rooms: Any, arm: Any, axis: str, other: str) -> None:
    bone = arm.pose.bones["upper"]
    bone.lock_ik_y = True
    setattr(bone, f"lock_ik_{other}", True)
    limit(bone, **{axis: (-0.2, 2.4)})
    (curve,) = curves(rooms, bone)
    assert (curve.closed, curve.filled, curve.twist, curve.axes) == (False, True, False, axis.upper())
    for point, angle in ((curve.points[0], -0.2), (curve.points[-1], 2.4)):
        turned = Quaternion((axis == "x", 0, axis == "z"), angle) @ Vector((0, 1, 0))
        assert far(turned, point) < 1e-6


def test_twist_is_an_arc_about_the_bone(rooms: Any, arm: Any) -> None:
    bone = arm.pose.bones["upper"]
    limit(bone, x=(-0.9, 0.4), z=(-0.3, 1.4), y=(-0.6, 1.1))
    _, curve = curves(rooms, bone)
    assert (curve.closed, curve.twist, curve.axes) == (False, True, "Y")
    for point, angle in ((curve.points[0], -0.6), (curve.points[-1], 1.1)):
        assert far(Quaternion((0, 1, 0), angle) @ Vector((0, 0, 1)), point) < 1e-6


@pytest.mark.parametrize("twist", [0.0, 0.4])
def test_limits_about_axes_beside_the_bone_bound_where_the_bone_itself_points(
    rooms: Any, arm: Any, twist: float
) -> None:
    """A foot's joint bends along the sole, its bone points down to the toes: the cone is about the bone."""
    bone, tilt = arm.pose.bones["upper"], Quaternion((1, 0, 0), 0.5)
    own = arm.posewright_joints.add()
    own.name, own.source, own.order, own.before, own.axes = bone.name, "HAND", "SWING", tilt, tilt
    own.free, own.lower, own.upper = (True, True, True), (-0.7, -0.5, -0.4), (0.6, 0.5, 0.4)
    for end in (-0.7, 0.6):
        turn = Quaternion((1, 0, 0), end) @ Quaternion((0, 1, 0), twist) @ tilt.inverted()
        rim, _ = curves(rooms, bone, turn)
        assert rim.axes == "XZ"
        assert min(far(turn @ Vector((0, 1, 0)), point) for point in rim.points) < 1e-4


def test_limits_wider_than_half_a_sphere_are_a_dome_and_no_cone_about_where_the_bone_must_not_go(
    rooms: Any, arm: Any
) -> None:
    bone = arm.pose.bones["upper"]
    limit(bone, x=(-2.4, 2.4), z=(-2.4, 2.4))
    rim, *ribs = curves(rooms, bone)
    assert (rim.closed, rim.filled) == (True, False)
    assert [(rib.closed, rib.filled, rib.axes) for rib in ribs] == 2 * [(False, False, "XZ")]
    for rib in ribs:
        assert far(Vector((0, 1, 0)), rib.points[len(rib.points) // 2]) < 1e-6
    limit(bone, x=(-1.2, 1.2), z=(-1.2, 1.2))
    assert [curve.filled for curve in curves(rooms, bone)] == [True]


def test_limits_of_a_constraint_are_those_of_its_euler_angles(rooms: Any, arm: Any) -> None:
    """With the third angle as it is now: the region is the slice through the present pose."""
    bone = arm.pose.bones["upper"]
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space, constraint.euler_order = "LOCAL", "XYZ"
    ends = {"x": (-0.4, 0.8), "y": (-0.3, 0.5), "z": (0.1, 0.9)}
    for axis, (low, high) in ends.items():
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", low)
        setattr(constraint, f"max_{axis}", high)
    now = Euler((0.2, 0.3, 0.5))
    region, about_y = curves(rooms, bone, now.to_quaternion())
    count = len(region.points) // 4
    corners = [(-0.4, 0.1), (0.8, 0.1), (0.8, 0.9), (-0.4, 0.9)]
    for corner, (x, z) in enumerate(corners):
        direction = Euler((x, 0.3, z)).to_matrix() @ Vector((0, 1, 0))
        assert far(direction, region.points[corner * count]) < 2e-4, "not in the corner, to what is rounded"
    for point, angle in ((about_y.points[0], -0.3), (about_y.points[-1], 0.5)):
        assert far(Euler((0.2, angle, 0.5)).to_matrix() @ Vector((0, 0, 1)), point) < 2e-4


def test_a_locked_axis_keeps_its_angle_in_the_arc_of_another(rooms: Any, arm: Any) -> None:
    bone = arm.pose.bones["upper"]
    bone.lock_ik_y = bone.lock_ik_x = True
    limit(bone, z=(-0.5, 0.5))
    now = Quaternion((1, 0, 0), 0.4)
    (curve,) = curves(rooms, bone, now)
    middle = curve.points[len(curve.points) // 2]
    assert far(now @ Vector((0, 1, 0)), middle) < 2e-4


def test_limits_are_drawn_as_stored_where_the_pose_is_outside_and_say_so(rooms: Any, arm: Any) -> None:
    bone, shapes = arm.pose.bones["upper"], rooms.bridge.limit_shapes
    limit(bone, x=(-0.5, 0.5), z=(-0.5, 0.5), y=(-0.5, 0.5))
    known = shapes.stored(bone)
    inside, outside = shapes.of(known, Quaternion((1, 0, 0), 0.1)), shapes.of(known, Quaternion((1, 0, 0), 1.5))
    assert inside.curves is outside.curves
    assert inside.at_limit == ""
    assert outside.at_limit == "X"
    assert shapes.of(known, Quaternion((0, 1, 0), -0.7)).at_limit == "Y"


def test_curves_are_made_once_for_the_same_limits_and_anew_for_others(rooms: Any, arm: Any) -> None:
    bone = arm.pose.bones["upper"]
    limit(bone, x=(-0.9, 0.4), z=(-0.3, 1.4))
    first = curves(rooms, bone)
    assert curves(rooms, bone, Quaternion((1, 0, 0), 0.2)) is first
    bone.ik_max_x = 0.5
    second = curves(rooms, bone)
    assert second is not first
    assert abs(second[0].points - first[0].points).max() > 0.01


@pytest.mark.parametrize("inherits", [True, False])
def test_limits_turn_with_the_parent_and_not_with_the_bone(rooms: Any, arm: Any, inherits: bool) -> None:
    arm.rotation_euler, arm.location, arm.scale = (0.3, -0.2, 1.0), (1, 2, 3), (2, 2, 2)
    arm.data.bones["fore"].use_inherit_rotation = inherits
    arm.pose.bones["upper"].rotation_quaternion = Euler((0.4, 0.3, -0.6)).to_quaternion()
    bone, own = arm.pose.bones["fore"], Euler((-0.3, 0.8, 0.5)).to_quaternion()
    update()
    before = rooms.bridge.limit_shapes.frame(arm, bone, rooms.bridge.limit_shapes.stored(bone))
    bone.rotation_quaternion = own
    update()
    after = rooms.bridge.limit_shapes.frame(arm, bone, rooms.bridge.limit_shapes.stored(bone))
    assert far(after.translation, arm.matrix_world @ bone.head) < 1e-5
    assert before.to_quaternion().rotation_difference(after.to_quaternion()).angle < 1e-3
    seen = (arm.matrix_world @ bone.matrix).to_quaternion()
    assert (after.to_quaternion() @ own).rotation_difference(seen).angle < 1e-3


def test_the_active_bone_shows_its_limits_in_its_own_size(rooms: Any, arm: Any) -> None:
    goal_of(arm)
    arm.scale = (2, 2, 2)
    update()
    bone = arm.pose.bones["upper"]
    limit(bone, x=(-0.9, 0.4), z=(-0.3, 1.4), y=(-0.5, 0.5))
    found = shown(rooms, arm, "upper")
    assert [(arc.curve.axes, arc.role.name) for arc in found.arcs] == [("XZ", "LIMIT"), ("Y", "LIMIT")]
    head = arm.matrix_world @ bone.head
    rim = [found.arcs[0].frame @ Vector(point) for point in found.arcs[0].curve.points]
    assert all(abs(far(point, head) - 2 * LONG) < 1e-5 for point in rim)
    assert far(found.lines[0].end, arm.matrix_world @ bone.tail) < 1e-5, "the present direction"
    assert not shown(rooms, arm).arcs


def test_an_error_in_drawing_switches_the_overlay_off_and_is_told_once(
    rooms: Any, arm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    context: Any = bpy.context
    session, calls = context.window_manager, []

    def fail(_context: object) -> None:
        calls.append(1)
        raise RuntimeError("on purpose")

    assert arm
    monkeypatch.setattr(rooms.ui.shapes, "of_view", fail)
    rooms.ui.overlay._draw_geometry()
    assert not session.posewright_overlay
    assert "on purpose" in session.posewright_overlay_note
    rooms.ui.overlay._draw_geometry()
    assert len(calls) == 1
    session.posewright_overlay = True
    assert session.posewright_overlay_note == ""


def test_the_switch_is_among_the_overlays_of_bones_while_the_add_on_is_on(add_on: ModuleType) -> None:
    popover: Any = bpy.types.VIEW3D_PT_overlay_bones
    ours = [one for one in popover._dyn_ui_initialize() if one.__module__.startswith(add_on.__name__)]
    assert [one.__name__ for one in ours] == ["draw_switch"]
    addon_utils.disable(add_on.__name__)
    left = [one for one in popover._dyn_ui_initialize() if one.__module__.startswith(add_on.__name__)]
    assert not left


# Paints every kind of shape into an off-screen buffer, seen from the front, and tells which colours came out where.
PAINT = """
import bpy, json, os, sys, tempfile, addon_utils
import gpu
scene = bpy.context.scene
scene.render.engine = "BLENDER_WORKBENCH"
scene.render.resolution_x = scene.render.resolution_y = 16
scene.render.filepath = os.path.join(tempfile.mkdtemp(), "first.png")
bpy.ops.render.render(write_still=True)  # before Blender 5.2 there is no other way to a graphics context
addon_utils.enable({add_on!r})
package = sys.modules[{add_on!r}]
from mathutils import Matrix, Vector
shapes, paint = package.ui.shapes, package.ui.paint
Role, Sign = shapes.Role, shapes.Sign
ob = bpy.data.objects.new("Arm", bpy.data.armatures.new("Arm")); scene.collection.objects.link(ob)
bpy.context.view_layer.objects.active = ob
bpy.ops.object.mode_set(mode="EDIT")
edit = ob.data.edit_bones.new("bone"); edit.head, edit.tail = (0.5, 0, -0.5), (0.5, 0, 0)
bpy.ops.object.mode_set(mode="OBJECT")
bone = ob.pose.bones["bone"]
for axis in "xz":
    setattr(bone, "use_ik_limit_" + axis, True)
    setattr(bone, "ik_min_" + axis, -0.6); setattr(bone, "ik_max_" + axis, 0.6)
bpy.context.view_layer.update()
found = shapes.Shapes()
shapes._add_limits(found, ob, bone, Role.LIMIT)
for sign, x in ((Sign.RING, -0.8), (Sign.DIAMOND, -0.4), (Sign.TARGET, 0.0), (Sign.DOT, 0.4), (Sign.JOINT, 0.8)):
    found.marks.append(shapes.Mark(sign, Vector((x, 0, 0.6)), Role.PINNED, 0.1))
found.lines.append(shapes.Line(Vector((-0.9, 0, 0)), Vector((-0.1, 0, 0)), Role.OUT_OF_REACH))
found.lines.append(shapes.Line(Vector((-0.9, 0, -0.3)), Vector((-0.1, 0, -0.3)), Role.FOLLOWING, dashed=True))
size = 400
view = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, -5), (0, 0, 0, 1)))  # from the front, X to the right, Z up
window = Matrix(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, -0.1, 0), (0, 0, 0, 1)))
red, green, blue, white = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)
colours = {{role: white for role in Role}} | {{
    Role.PINNED: green, Role.OUT_OF_REACH: red, Role.FOLLOWING: blue}}
seen = paint.View((size, size), view, window, 1.0, 1.0, colours, white, (0.0, 0.0, 0.0))
off = gpu.types.GPUOffScreen(size, size)
with off.bind():
    buffer = gpu.state.active_framebuffer_get()
    buffer.clear(color=(0.0, 0.0, 0.0, 1.0), depth=1.0)
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(view)
        gpu.matrix.load_projection_matrix(window)
        state = gpu.state.blend_get(), gpu.state.depth_test_get(), gpu.state.depth_mask_get()
        paint.paint(seen, found)
        made = [one.cache_info().misses for one in (paint._ring, paint._strokes, paint._rim, paint._fan)]
        paint.paint(seen, found)
        again = [one.cache_info().misses for one in (paint._ring, paint._strokes, paint._rim, paint._fan)]
        same = state == (gpu.state.blend_get(), gpu.state.depth_test_get(), gpu.state.depth_mask_get())
    pixels = buffer.read_color(0, 0, size, size, 4, 0, "UBYTE").to_list()
def count(x0, x1, z0, z1, colour):
    columns = range(int((x0 + 1) * size / 2), int((x1 + 1) * size / 2))
    rows = range(int((z0 + 1) * size / 2), int((z1 + 1) * size / 2))
    return sum(all((pixels[r][c][i] > 100) == (colour[i] > 0.5) for i in range(3)) for r in rows for c in columns)
answer = dict(
    signs=[count(x - 0.1, x + 0.1, 0.5, 0.7, green) for x in (-0.8, -0.4, 0.0, 0.4, 0.8)],
    line=count(-1, 0, -0.05, 0.05, red),
    dashes=count(-1, 0, -0.35, -0.25, blue),
    rim=count(0.1, 0.9, -0.45, 0.1, white),
    elsewhere=count(-1, 1, -1, -0.6, green) + count(-1, 1, 0.75, 1, green),
    same=same,
    new=[after - before for before, after in zip(made, again)],
)
print("ANSWER", json.dumps(answer), flush=True)
os._exit(0)
"""


def test_every_shape_is_painted_where_it_belongs(installed: str) -> None:
    """In a Blender of its own: a machine without EGL cannot make a picture at all, and Blender aborts."""
    run = subprocess.run(
        [sys.executable, "-c", PAINT.format(add_on=installed)],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    lines = [line for line in run.stdout.splitlines() if line.startswith("ANSWER")]
    assert lines, run.stdout + run.stderr
    answer = json.loads(lines[-1].removeprefix("ANSWER"))
    ring, diamond, target, dot, joint = answer["signs"]
    assert ring > 30
    assert diamond > 30
    assert target > ring
    assert joint > ring
    assert dot > 15
    assert answer["line"] > 150
    assert 60 < answer["dashes"] < answer["line"]
    assert answer["rim"] > 100
    assert answer["elsewhere"] == 0
    assert answer["new"] == [0, 0, 0, 0], "a second redraw made something new"
    assert answer["same"], "the state of the graphics card was changed"
