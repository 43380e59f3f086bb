"""Dragging: what the mouse does with goals and bones, what ends with it, and what Esc puts back."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion, Vector

ARM = "Arm"


def link(data: Any, name: str) -> Any:
    context: Any = bpy.context
    thing = bpy.data.objects.new(name, data)
    context.scene.collection.objects.link(thing)
    return thing


@pytest.fixture
def arms(bridge: Any) -> Any:
    """A chest with two arms of two bones each, in Pose Mode."""
    assert bridge
    context: Any = bpy.context
    data = bpy.data.armatures.new(ARM)
    thing = link(data, ARM)
    context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    chest = data.edit_bones.new("chest")
    chest.head, chest.tail = (0, 0, 0), (0, 0, 0.3)
    for side, sign in ((".L", 1.0), (".R", -1.0)):
        above = chest
        for name, begin, end in (("upper", 0.2, 0.5), ("lower", 0.5, 0.8)):
            bone = data.edit_bones.new(name + side)
            bone.head, bone.tail = (sign * begin, 0.02 * begin, 0.3), (sign * end, 0.02 * end, 0.3)
            bone.parent, above = above, bone
    bpy.ops.object.mode_set(mode="POSE")
    thing.pose.bones["upper.L"].rotation_mode = "ZYX"
    context.view_layer.update()
    return thing


def add_goal(thing: Any, bone: str, state: str = "IDLE", point: str = "TAIL") -> Any:
    goal = thing.posewright_goals.add()
    goal.name, goal.bone, goal.point = bone, bone, point
    goal.place = end_of(thing, bone, point)
    goal.state = state
    return goal


def end_of(thing: Any, bone: str, point: str = "TAIL") -> Vector:
    found = thing.pose.bones[bone]
    place: Vector = thing.matrix_world @ (found.tail if point == "TAIL" else found.head)
    return place


def channels(thing: Any) -> list[tuple[float, ...]]:
    names = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")
    return [tuple(getattr(bone, name)) for bone in thing.pose.bones for name in names]


def stored(thing: Any) -> list[Any]:
    """The goals and the reference as stored."""
    goals = [
        (goal.name, goal.state, goal.dragged, tuple(goal.place), tuple(goal.turn)) for goal in thing.posewright_goals
    ]
    names = ("reference_location", "reference_rotation", "left_location", "left_rotation", "held")
    blocks = [
        (one.name, *(np.ravel(getattr(one, name)).tolist() for name in names)) for one in thing.posewright_reference
    ]
    return [goals, blocks, thing.posewright_anchor]


def drag(**settings: Any) -> set[str]:
    operators: Any = bpy.ops
    found: set[str] = operators.posewright.drag(**settings)
    return found


def test_a_dragged_goal_arrives_pins_hold_and_it_is_idle_again(arms: Any) -> None:
    add_goal(arms, "lower.L")
    pin = add_goal(arms, "lower.R", "PINNED").place.copy()
    wanted = end_of(arms, "lower.L") + Vector((-0.2, 0.1, 0.1))
    assert drag(goal=0, value=(-0.2, 0.1, 0.1)) == {"FINISHED"}
    assert (end_of(arms, "lower.L") - wanted).length < 1e-3
    assert (end_of(arms, "lower.R") - pin).length < 1e-3
    assert [(goal.dragged, goal.state) for goal in arms.posewright_goals] == [(False, "IDLE"), (False, "PINNED")]


def test_a_bone_without_a_goal_is_dragged_by_its_point_and_has_none_afterwards(arms: Any) -> None:
    wanted = arms.matrix_world @ arms.pose.bones["lower.L"].matrix @ Vector((0.0, 0.1, 0.0)) + Vector((-0.1, 0.1, 0.0))
    assert drag(bone="lower.L", point=(0.0, 0.1, 0.0), value=(-0.1, 0.1, 0.0)) == {"FINISHED"}
    assert (arms.pose.bones["lower.L"].matrix @ Vector((0.0, 0.1, 0.0)) - wanted).length < 1e-3
    assert not len(arms.posewright_goals)


def test_a_bone_with_a_pin_takes_the_pin_along_and_it_holds_at_the_new_place(arms: Any) -> None:
    add_goal(arms, "lower.L", "PINNED")
    before = end_of(arms, "lower.L")
    drag(bone="lower.L", point=(0.0, 0.0, 0.0), value=(-0.1, 0.0, 0.1))
    assert len(arms.posewright_goals) == 1
    assert (arms.posewright_goals[0].place - before - Vector((-0.1, 0.0, 0.1))).length < 1e-5
    assert (end_of(arms, "lower.L") - arms.posewright_goals[0].place).length < 1e-3


def test_a_pin_dragged_out_of_reach_is_set_down_where_its_bone_came_to(arms: Any) -> None:
    arms.pose.bones["chest"].lock_location = (True, True, True)
    add_goal(arms, "lower.L", "PINNED")
    pin = add_goal(arms, "lower.R", "PINNED").place.copy()
    drag(goal=0, value=(3.0, 0.0, 0.0))
    assert (arms.posewright_goals[0].place - end_of(arms, "lower.L")).length < 1e-4
    assert (end_of(arms, "lower.R") - pin).length < 1e-3


def test_what_follows_a_target_keeps_its_new_distance_from_it(arms: Any) -> None:
    target = link(None, "Target")
    target.location = end_of(arms, "lower.L")
    goal = add_goal(arms, "lower.L")
    goal.target, goal.state = target, "FOLLOWING"
    drag(goal=0, value=(-0.1, 0.0, 0.1))
    assert (arms.posewright_goals[0].target_offset - Vector((-0.1, 0.0, 0.1))).length < 1e-4
    assert (end_of(arms, "lower.L") - target.location - Vector((-0.1, 0.0, 0.1))).length < 1e-3
    bpy.data.objects.remove(target)


def test_escape_puts_back_pose_goals_and_reference_to_the_last_bit(arms: Any, bridge: Any) -> None:
    context: Any = bpy.context
    add_goal(arms, "lower.L")
    add_goal(arms, "lower.R", "PINNED")
    arms.pose.bones["upper.R"].rotation_quaternion = Quaternion((0.9, 0.1, 0.3, -0.2)) * 1.5  # not of unit length
    context.view_layer.update()
    before = channels(arms), stored(arms)
    beginnings: list[Callable[[], Any]] = [
        lambda: bridge.dragging.drag.begin_goal(arms, 0),
        lambda: bridge.dragging.drag.begin_bone(arms, "chest", Vector()),
    ]
    for begin in beginnings:
        taken = begin()
        bridge.dragging.drag.move(
            arms, taken, bridge.places.Frame(taken.start.place + Vector((0.1, 0.1, 0.1)), taken.start.turn)
        )
        context.view_layer.update()
        assert channels(arms) != before[0]
        bridge.dragging.drag.put_back(arms, taken)
        assert (channels(arms), stored(arms)) == before
        context.view_layer.update()
        assert (channels(arms), stored(arms)) == before


def test_beginning_a_drag_moves_nothing(arms: Any, bridge: Any) -> None:
    context: Any = bpy.context
    before = channels(arms)
    bridge.dragging.drag.begin_bone(arms, "lower.L", Vector((0.0, 0.3, 0.0)))
    context.view_layer.update()
    assert channels(arms) == before


def test_turning_turns_the_bone_about_its_point(arms: Any) -> None:
    place, turn = end_of(arms, "lower.L", "HEAD"), arms.pose.bones["lower.L"].matrix.to_quaternion()
    drag(bone="lower.L", point=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.5))
    wanted = Quaternion((0.0, 0.0, 1.0), 0.5) @ turn
    assert (end_of(arms, "lower.L", "HEAD") - place).length < 1e-3
    assert arms.pose.bones["lower.L"].matrix.to_quaternion().rotation_difference(wanted).angle < 1e-2


def test_with_x_mirror_the_other_side_goes_to_the_mirrored_place(arms: Any) -> None:
    arms.pose.use_mirror_x = True
    drag(bone="lower.L", point=(0.0, 0.3, 0.0), value=(-0.1, 0.1, 0.1))
    left, right = end_of(arms, "lower.L"), end_of(arms, "lower.R")
    assert left.z > 0.35
    assert (Vector((-left.x, left.y, left.z)) - right).length < 1e-3
    assert not len(arms.posewright_goals)


def test_with_x_mirror_the_other_side_turns_the_mirrored_way(arms: Any) -> None:
    arms.pose.use_mirror_x = True
    drag(bone="lower.L", turn=(0.3, 0.5, -0.4))
    by = {}
    for side in "LR":
        bone = arms.pose.bones[f"lower.{side}"]
        by[side] = bone.matrix.to_quaternion() @ bone.bone.matrix_local.to_quaternion().inverted()
    assert by["L"].angle > 0.5
    mirrored = Quaternion((by["L"].w, by["L"].x, -by["L"].y, -by["L"].z))
    assert mirrored.rotation_difference(by["R"]).angle < 1e-2


def test_leftovers_of_a_drag_are_swept_away(arms: Any, bridge: Any) -> None:
    add_goal(arms, "lower.R", "PINNED")
    bridge.dragging.drag.begin_bone(arms, "lower.L", Vector((0.0, 0.3, 0.0)))
    assert [goal.temporary for goal in arms.posewright_goals] == [False, True]
    bridge.dragging.temporary_goals.sweep()
    assert [goal.name for goal in arms.posewright_goals] == ["lower.R"]


def test_switching_the_add_on_off_leaves_no_drag_behind(arms: Any, bridge: Any, installed: str) -> None:
    """Blender ends running operators of an add-on that is disabled without asking them."""
    add_goal(arms, "lower.L")
    bridge.dragging.temporary_goals.add(arms, "chest", Vector())
    for goal in arms.posewright_goals:
        goal.dragged = True
    bpy.ops.preferences.addon_disable(module=installed)
    bpy.ops.preferences.addon_enable(module=installed)
    assert [goal.dragged for goal in arms.posewright_goals] == [False]


def test_undo_leaves_no_drag_behind(arms: Any, bridge: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    bridge.dragging.drag.begin_bone(arms, "lower.L", Vector((0.0, 0.3, 0.0)))
    bpy.ops.ed.undo_push(message="in the middle")
    bpy.ops.ed.undo_push(message="and after")
    bpy.ops.ed.undo()
    again: Any = bpy.data.objects[ARM]
    assert not len(again.posewright_goals)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"bone": "nose"}, "no bone 'nose'"),
        ({"goal": 7}, "no goal number 7"),
        ({"bone": "chest"}, "switched off: press Live"),
    ],
)
def test_what_cannot_be_dragged_says_why(arms: Any, settings: dict[str, Any], said: str) -> None:
    arms.posewright_live = settings != {"bone": "chest"}
    before = channels(arms)
    with pytest.raises(RuntimeError, match=said):
        drag(**settings)
    assert channels(arms) == before
    assert not len(arms.posewright_goals)


def test_a_drag_of_what_is_baked_says_how_to_go_on(arms: Any) -> None:
    arms.posewright_live, arms.posewright_bake = False, "how it was"
    with pytest.raises(RuntimeError, match="plays what was baked: press Back to Live"):
        drag(bone="chest")


class TestKeys:
    @pytest.fixture
    def auto_key(self, bridge: Any) -> Iterator[Any]:
        assert bridge
        context: Any = bpy.context
        settings, edit = context.scene.tool_settings, context.preferences.edit
        before = edit.use_keyframe_insert_available  # since 5.2 it is on by itself
        settings.use_keyframe_insert_auto, edit.use_keyframe_insert_available = True, False
        yield settings
        settings.use_keyframe_insert_auto = settings.use_keyframe_insert_keyingset = False
        edit.use_keyframe_insert_available = before

    def test_without_auto_key_a_drag_leaves_no_key(self, arms: Any) -> None:
        drag(bone="lower.L", point=(0.0, 0.3, 0.0), value=(-0.1, 0.1, 0.0))
        assert not keyed(arms)

    @pytest.mark.usefixtures("auto_key")
    def test_only_bones_that_moved_are_keyed_in_their_own_mode(self, arms: Any) -> None:
        add_goal(arms, "upper.R", "PINNED", "HEAD")
        arms.pose.bones["chest"].lock_location = (True, True, True)
        for axis in "xyz":
            setattr(arms.pose.bones["chest"], f"lock_ik_{axis}", True)
        drag(bone="lower.L", point=(0.0, 0.3, 0.0), value=(-0.1, 0.1, 0.0))
        assert keyed(arms) == {("upper.L", "rotation_euler"), ("lower.L", "rotation_quaternion")}

    @pytest.mark.usefixtures("auto_key")
    def test_escape_leaves_no_key(self, arms: Any, bridge: Any) -> None:
        context: Any = bpy.context
        taken = bridge.dragging.drag.begin_bone(arms, "lower.L", Vector())
        bridge.dragging.drag.move(
            arms, taken, bridge.places.Frame(taken.start.place + Vector((0, 0.1, 0)), taken.start.turn)
        )
        context.view_layer.update()
        bridge.dragging.drag.put_back(arms, taken)
        assert not keyed(arms)

    @pytest.mark.usefixtures("auto_key")
    def test_only_insert_available_is_honoured(self, arms: Any, capfd: pytest.CaptureFixture[str]) -> None:
        context: Any = bpy.context
        context.preferences.edit.use_keyframe_insert_available = True
        arms.pose.bones["lower.L"].keyframe_insert("rotation_quaternion", frame=-10)
        drag(bone="lower.L", point=(0.0, 0.3, 0.0), value=(-0.1, 0.1, 0.0))
        assert keyed(arms) == {("lower.L", "rotation_quaternion")}
        said = capfd.readouterr()
        assert "F-Curve" not in said.out + said.err, "Blender warns of every channel that it is asked for in vain"

    def test_the_active_keying_set_is_honoured(self, arms: Any, auto_key: Any) -> None:
        context: Any = bpy.context
        chosen = context.scene.keying_sets.new(idname="Elbows", name="Elbows")
        chosen.paths.add(arms, 'pose.bones["lower.L"].rotation_quaternion')
        context.scene.keying_sets.active = chosen
        auto_key.use_keyframe_insert_keyingset = True
        drag(bone="lower.L", point=(0.0, 0.3, 0.0), value=(-0.1, 0.1, 0.0))
        assert keyed(arms) == {("lower.L", "rotation_quaternion")}

    def test_body_part_and_selection_are_keyed_on_request(self, arms: Any, bridge: Any) -> None:
        operators: Any = bpy.ops
        arms.data.bones.active = arms.data.bones["lower.L"]
        operators.posewright.key(which="PART")
        assert {bone for bone, _ in keyed(arms)} == {"upper.L", "lower.L"}
        bridge.selection.choose(arms, "chest")
        operators.posewright.key(which="SELECTION")
        assert ("chest", "location") in keyed(arms)
        operators.posewright.key(which="BODY")
        assert {bone for bone, _ in keyed(arms)} == {bone.name for bone in arms.pose.bones}


def test_a_click_selects_one_bone_and_with_shift_others_besides(arms: Any, bridge: Any) -> None:
    selection = bridge.selection
    for bone, beside, then in (
        ("lower.L", False, {"lower.L"}),
        ("lower.R", True, {"lower.L", "lower.R"}),
        ("lower.R", True, {"lower.L"}),
        ("lower.L", True, {"lower.L"}),  # only the active one is let go, as by Blender's own clicks
        ("lower.L", True, set()),
        ("chest", False, {"chest"}),
        ("chest", False, {"chest"}),
    ):
        assert selection.click(arms, bone, beside)
        assert set(selection.selected(arms)) == then, (bone, beside)
        assert selection.active(arms).name == bone
    assert not selection.click(arms, "gone", beside=False)
    bone = arms.pose.bones["lower.L"]
    (bone if hasattr(bone, "hide") else bone.bone).hide = True
    assert not selection.click(arms, "lower.L", beside=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not selection.click(arms, "lower.R", beside=False)
    bpy.ops.object.mode_set(mode="POSE")
    assert selection.selected(arms) == ["chest"]


def keyed(thing: Any) -> set[tuple[str, str]]:
    """The bones and channels that have a key at the present frame."""
    context: Any = bpy.context
    action = thing.animation_data.action if thing.animation_data else None
    if action is None:
        return set()
    curves = action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves
    frame = context.scene.frame_current
    at = [curve.data_path for curve in curves if any(key.co[0] == frame for key in curve.keyframe_points)]
    return {(path.split('"')[1], path.rpartition(".")[2]) for path in at}


class TestMouse:
    """Views and strokes need no window."""

    @pytest.fixture
    def front(self, bridge: Any) -> Any:
        """2 m wide, looking along Y, 200 pixels a metre."""
        camera = Matrix.Rotation(-math.pi / 2, 4, "X")
        return bridge.dragging.view.View(400, 400, camera, Matrix.Diagonal((1.0, 1.0, -0.01, 1.0)))

    @pytest.fixture
    def perspective(self, bridge: Any) -> Any:
        """From 5 m before the origin, slightly from above and from the left."""
        eye = Matrix.Translation((-1.0, -5.0, 1.0)) @ Matrix.Rotation(1.4, 4, "X")
        lens: Any = Matrix(((2.0, 0, 0.1, 0), (0, 2.0, -0.05, 0), (0, 0, -1.0, -0.2), (0, 0, -1.0, 0)))
        return bridge.dragging.view.View(640, 480, eye.inverted(), lens)

    def test_a_pixel_and_its_ray_agree(self, front: Any, perspective: Any) -> None:
        for view in (front, perspective):
            for pixel in ((0, 0), (100, 300), (399, 20)):
                ray = view.ray(Vector(pixel))
                seen = view.pixel(ray.origin + 3.0 * ray.direction)
                assert (seen - Vector(pixel)).length < 1e-2

    def stroke(self, bridge: Any, kind: str = "MOVE") -> Any:
        frame = bridge.places.Frame(Vector((0.1, 0.2, 0.3)), Quaternion())
        return bridge.dragging.strokes.Stroke(bridge.dragging.strokes.Kind[kind], frame, Vector((220.0, 260.0)))

    def test_the_point_follows_the_mouse_in_the_views_plane(self, bridge: Any, front: Any) -> None:
        stroke = self.stroke(bridge)
        stroke.follow(front, Vector((240.0, 300.0)), False)
        assert (stroke.displacement(front) - Vector((0.1, 0.0, 0.2))).length < 1e-5
        stroke.follow(front, Vector((260.0, 300.0)), True)
        assert (stroke.displacement(front) - Vector((0.11, 0.0, 0.2))).length < 1e-5, "Shift makes it a tenth"

    def test_in_perspective_the_grabbed_point_stays_under_the_mouse(self, bridge: Any, perspective: Any) -> None:
        stroke = self.stroke(bridge)
        stroke.begun = perspective.pixel(stroke.origin.place)
        stroke.mouse, stroke.last = stroke.begun.copy(), stroke.begun.copy()
        stroke.follow(perspective, Vector((400.0, 100.0)), False)
        seen = perspective.pixel(stroke.origin.place + stroke.displacement(perspective))
        assert (seen - Vector((400.0, 100.0))).length < 1e-2

    @pytest.mark.parametrize("plane", [False, True])
    @pytest.mark.parametrize("axis", [0, 1, 2])
    def test_constraints_hold_in_every_view(
        self, bridge: Any, front: Any, perspective: Any, axis: int, plane: bool
    ) -> None:
        for view in (front, perspective):
            stroke = self.stroke(bridge)
            stroke.constraint = bridge.dragging.strokes.Constraint(axis, plane, Matrix.Identity(3), "global")
            stroke.follow(view, Vector((240.0, 290.0)), False)
            moved = stroke.displacement(view)
            assert moved.length > 1e-3
            assert moved.length < 5.0
            kept = [index for index in range(3) if (index == axis) == plane]
            assert all(abs(moved[index]) < 1e-5 for index in kept)

    def test_an_axis_key_goes_from_the_scenes_axes_to_the_others_and_off(self, bridge: Any) -> None:
        scene, other = (Matrix.Identity(3), "global"), (Matrix.Rotation(1.0, 3, "X"), "local")
        first = bridge.dragging.strokes.next_constraint(None, 0, False, scene, other)
        second = bridge.dragging.strokes.next_constraint(first, 0, False, scene, other)
        assert (first.words, second.words) == ("global", "local")
        assert bridge.dragging.strokes.next_constraint(second, 0, False, scene, other) is None
        assert bridge.dragging.strokes.next_constraint(second, 0, True, scene, other).told() == "in the global YZ plane"

    def test_typed_numbers_go_along_the_free_axes(self, bridge: Any) -> None:
        stroke = self.stroke(bridge)
        stroke.constraint = bridge.dragging.strokes.Constraint(0, True, Matrix.Identity(3), "global")
        for letter in "1.55\b-\t2..5":
            stroke.typed.press(letter)
        assert stroke.typed.numbers() == [-1.5, 2.5]
        assert (stroke.typed_displacement() - Vector((0.0, -1.5, 2.5))).length < 1e-6

    def test_whole_increments_and_snapped_places_keep_to_the_constraint(self, bridge: Any) -> None:
        stroke = self.stroke(bridge)
        assert (stroke.stepped(Vector((0.13, 0.04, -0.28)), 0.1) - Vector((0.1, 0.0, -0.3))).length < 1e-6
        stroke.constraint = bridge.dragging.strokes.Constraint(2, False, Matrix.Identity(3), "global")
        assert (stroke.held(Vector((1.0, 1.0, 1.0))) - Vector((0.0, 0.0, 0.7))).length < 1e-6

    def test_turning_goes_round_with_the_mouse(self, bridge: Any, front: Any) -> None:
        stroke = self.stroke(bridge, "TURN")
        centre = stroke.begun - Vector((bridge.dragging.strokes.LEVER, 0.0))
        stroke.follow(front, centre + Vector((0.0, bridge.dragging.strokes.LEVER)), False)
        assert stroke.turn_angle(front) == pytest.approx(math.pi / 2)
        seen = stroke.turned(front, stroke.turn_angle(front)).turn @ Vector((1.0, 0.0, 0.0))
        assert (seen - Vector((0.0, 0.0, 1.0))).length < 1e-5, "what pointed right points up"


class TestPicking:
    @pytest.fixture
    def front(self, bridge: Any) -> Any:
        camera = Matrix.Rotation(-math.pi / 2, 4, "X")
        return bridge.dragging.view.View(400, 400, camera, Matrix.Diagonal((1.0, 1.0, -0.01, 1.0)))

    def at(self, view: Any, place: tuple[float, float, float]) -> Vector:
        found: Vector = view.pixel(Vector(place))
        return found

    def test_the_bone_under_the_mouse_is_found_with_the_point_of_it(self, arms: Any, bridge: Any, front: Any) -> None:
        found = bridge.dragging.picking.bone_under(front, [arms], self.at(front, (0.7, 0.0, 0.31)))
        assert (found.owner, found.bone) == (arms, "lower.L")
        assert (arms.pose.bones["lower.L"].matrix @ found.point).x == pytest.approx(0.7, abs=0.01)

    def test_beside_all_bones_there_is_none(self, arms: Any, bridge: Any, front: Any) -> None:
        assert bridge.dragging.picking.bone_under(front, [arms], self.at(front, (0.7, 0.0, 0.6))) is None

    def test_hidden_bones_and_collections_are_not_grabbed(self, arms: Any, bridge: Any, front: Any) -> None:
        bone = arms.pose.bones["lower.L"]
        (bone if hasattr(bone, "hide") else bone.bone).hide = True
        hidden = arms.data.collections.new("hidden")
        hidden.assign(arms.data.bones["lower.R"])
        hidden.is_visible = False
        for x in (0.75, -0.75):
            assert bridge.dragging.picking.bone_under(front, [arms], self.at(front, (x, 0.0, 0.3))) is None

    def test_of_bones_behind_each_other_the_front_one_is_taken(self, arms: Any, bridge: Any, front: Any) -> None:
        behind = link(arms.data, "Behind")
        behind.location.y = 1.0
        context: Any = bpy.context
        context.view_layer.update()
        for objects in ([arms, behind], [behind, arms]):
            assert bridge.dragging.picking.bone_under(front, objects, self.at(front, (0.7, 0.0, 0.3))).owner == arms
        bpy.data.objects.remove(behind)

    def test_a_custom_shape_is_grabbed_where_it_is_drawn(self, arms: Any, bridge: Any, front: Any) -> None:
        mesh = bpy.data.meshes.new("Ring")
        mesh.from_pydata([(1, 0, 1), (1, 0, 2), (2, 0, 2)], [(0, 1), (1, 2)], [])
        bone = arms.pose.bones["chest"]
        bone.custom_shape = shape = bpy.data.objects.new("Ring", mesh)
        place = (arms.matrix_world @ bone.matrix @ Vector((0.3, 0.0, 0.45)))[:]
        side = bridge.dragging.view.View(400, 400, Matrix.Identity(4), front.lens)  # from above
        found = bridge.dragging.picking.bone_under(side, [arms], self.at(side, place))
        assert found.bone == "chest"
        bone.custom_shape = None
        assert bridge.dragging.picking.bone_under(side, [arms], self.at(side, place)) is None
        bpy.data.objects.remove(shape)


def test_faces_and_vertices_of_other_meshes_are_snapped_to_and_the_own_skin_is_not(arms: Any, bridge: Any) -> None:
    context: Any = bpy.context
    corners = [(-1, -2, -1), (1, -2, -1), (1, -2, 1), (-1, -2, 1)]
    things = []
    for name, depth in (("Wall", 0.0), ("Skin", -0.2)):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([(x, y + depth, z) for x, y, z in corners], [], [(0, 1, 2, 3)])
        things.append(link(mesh, name))
    things[1].modifiers.new("Rig", "ARMATURE").object = arms
    context.view_layer.update()
    camera = Matrix.Translation((0.0, 0.0, -5.0)) @ Matrix.Rotation(-math.pi / 2, 4, "X")
    view = bridge.dragging.view.View(400, 400, camera, Matrix.Diagonal((1.0, 1.0, -0.01, 1.0)))
    graph, pixel = context.evaluated_depsgraph_get(), Vector((360.0, 340.0))

    def snapped(*elements: str) -> Any:
        return bridge.dragging.mesh_snapping.place_under(context.scene, graph, view, pixel, arms, set(elements))

    assert (snapped("FACE") - Vector((0.8, -2.0, 0.7))).length < 1e-4
    assert (snapped("VERTEX") - Vector((1.0, -2.0, 1.0))).length < 1e-4
    assert (snapped("EDGE") - Vector((1.0, -2.0, 0.7))).length < 1e-4
    assert (snapped("EDGE_MIDPOINT") - Vector((1.0, -2.0, 0.0))).length < 1e-4
    assert snapped("INCREMENT") is None
    for thing in things:
        bpy.data.objects.remove(thing)


def test_in_an_orthographic_view_meshes_between_the_viewer_and_the_middle_are_snapped_to(
    arms: Any, bridge: Any
) -> None:
    """There Blender's eye is in the middle of what is looked at, and what is before it is seen all the same."""
    context: Any = bpy.context
    mesh = bpy.data.meshes.new("Wall")
    mesh.from_pydata([(-1, -2, -1), (1, -2, -1), (1, -2, 1), (-1, -2, 1)], [], [(0, 1, 2, 3)])
    wall = link(mesh, "Wall")
    context.view_layer.update()
    lens = Matrix.Diagonal((1.0, 1.0, -0.001, 1.0))  # sees from 1000 m before the eye to 1000 m behind it
    view = bridge.dragging.view.View(400, 400, Matrix.Rotation(-math.pi / 2, 4, "X"), lens)
    graph, pixel = context.evaluated_depsgraph_get(), Vector((360.0, 340.0))
    found = bridge.dragging.mesh_snapping.place_under(context.scene, graph, view, pixel, arms, {"FACE"})
    assert found is not None
    assert (found - Vector((0.8, -2.0, 0.7))).length < 1e-4
    bpy.data.objects.remove(wall)
