"""Live posing: the pose follows from what is stored, and from nothing else."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from numpy.testing import assert_allclose

from .figures import channels, drag, figure, goal, off, pin, shown, turn, update

MILLIMETRE = 1e-3


@pytest.fixture
def standing(bridge: Any) -> Any:
    """A figure on one leg, with its foot pinned, and a right hand or none."""
    owner = figure(".L")
    pin(bridge, owner, "foot.L")
    update()
    return owner


def own_turn(owner: Any, bone: str) -> Any:
    return owner.pose.bones[bone].rotation_quaternion.copy()


def test_with_nothing_pinned_or_following_live_writes_nothing(bridge: Any) -> None:
    owner = figure(".L")
    goal(owner, "hand.L")
    turn(owner, "arm.L", 20, 10, 5)
    before = channels(owner)
    update()
    owner.location.x = 1.0
    update()
    assert channels(owner) == before
    assert not bridge.outcome.of(owner).goals


def test_pinning_moves_no_bone(bridge: Any) -> None:
    owner = figure(".L")
    turn(owner, "arm.L", 20, 10, 5)
    update()
    before = shown(owner)
    pin(bridge, owner, "foot.L")
    pin(bridge, owner, "hand.L")
    update()
    assert_allclose(shown(owner), before, atol=1e-6)


def test_a_dragged_hand_arrives_and_the_pinned_foot_stays(bridge: Any, standing: Any) -> None:
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    assert off(bridge, standing, 1) < MILLIMETRE
    assert off(bridge, standing, 0) < 0.1 * MILLIMETRE
    assert all(one.reached for one in bridge.outcome.of(standing).goals.values())


def test_a_pinned_hand_stays_below_bones_that_do_not_turn_with_their_parents_and_nothing_is_read_again(
    bridge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, read, reads = figure(".L"), bridge.armature.read, list[Any]()

    def counted(*given: Any) -> Any:
        reads.append(given)
        return read(*given)

    for bone in ("spine", "forearm.L", "leg.L"):
        owner.data.bones[bone].use_inherit_rotation = False
    turn(owner, "spine", 10, 5, 20)
    turn(owner, "arm.L", 20, 10, 5)
    update()
    monkeypatch.setattr(bridge.armature, "read", counted)
    for bone in ("hand.L", "foot.L"):
        pin(bridge, owner, bone)
    update()
    before = shown(owner)
    for step in range(1, 5):
        drag(bridge, owner, "pelvis", (0.02 * step, 0.01 * math.sin(step), -0.03 * step))
        assert all(one.reached for one in bridge.outcome.of(owner).goals.values())
        assert max(off(bridge, owner, index) for index in range(3)) < MILLIMETRE
    assert np.abs(shown(owner) - before).max() > 0.1
    assert len(reads) == 1


def test_a_pin_holds_while_a_hand_is_dragged_out_of_reach(bridge: Any, standing: Any) -> None:
    drag(bridge, standing, "hand.L", (2.0, 0.0, 0.0))
    found = bridge.outcome.of(standing)
    assert off(bridge, standing, 0) < MILLIMETRE
    assert found.goals[0].reached
    assert not found.goals[1].reached
    assert found.goals[1].metres == pytest.approx(off(bridge, standing, 1), abs=MILLIMETRE)


def test_hinges_stay_hinges_and_limits_hold(bridge: Any, standing: Any) -> None:
    knee = standing.pose.bones["shin.L"]
    knee.use_ik_limit_x, knee.ik_min_x, knee.ik_max_x = True, math.radians(-20), math.radians(20)
    drag(bridge, standing, "pelvis", (0, 0, -0.4))
    angles = knee.rotation_quaternion.to_euler()
    assert abs(angles.x) <= math.radians(20) + 1e-5
    assert abs(angles.y) < 1e-5
    assert abs(angles.z) < 1e-5
    assert bridge.outcome.of(standing).stopped_by[0][0] == "shin.L"


def test_there_and_back_is_no_journey(bridge: Any, standing: Any) -> None:
    before = shown(standing)
    for step in range(1, 5):
        drag(bridge, standing, "hand.L", (-0.05 * step, 0.05 * math.sin(step), 0.02 * step))
    assert np.abs(shown(standing) - before).max() > 0.05
    drag(bridge, standing, "hand.L", (0, 0, 0))
    assert_allclose(shown(standing), before, atol=2e-5)


def test_a_second_call_changes_nothing(bridge: Any, standing: Any) -> None:
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    before = channels(standing)
    for _ in range(3):
        standing.update_tag()
        update()
    assert channels(standing) == before
    bridge.watch.forget()  # as after an undo: nothing that matters may have been there
    standing.update_tag()
    update()
    assert_allclose(np.frombuffer(channels(standing), np.float32), np.frombuffer(before, np.float32), atol=1e-5)


def test_letting_go_moves_no_bone(bridge: Any, standing: Any) -> None:
    made = drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    before = shown(standing)
    made.dragged = False
    update()
    assert_allclose(shown(standing), before, atol=1e-5)


def test_a_bone_turned_by_hand_keeps_its_value_and_the_pin_holds(bridge: Any) -> None:
    owner = figure(".L")
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    turn(owner, "arm.L", 0, 0, 25)
    wanted = own_turn(owner, "arm.L")
    update()
    assert own_turn(owner, "arm.L") == wanted
    assert off(bridge, owner, 0) < 0.1 * MILLIMETRE


def test_a_bone_turned_by_hand_lets_go_when_a_goal_moves(bridge: Any) -> None:
    owner = figure(".L")
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    turn(owner, "arm.L", 0, 0, 25)
    update()
    before, turned = shown(owner), own_turn(owner, "arm.L")
    owner.posewright_goals[0].place[2] += 1e-4
    update()
    assert_allclose(shown(owner), before, atol=1e-3)  # it goes on from there
    owner.posewright_goals[0].place[2] += 0.2
    update()
    assert own_turn(owner, "arm.L").rotation_difference(turned).angle > 0.05


def test_turning_by_hand_and_back_as_esc_does_ends_where_it_began(bridge: Any) -> None:
    owner = figure(".L")
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    before, at_first = shown(owner), own_turn(owner, "forearm.L")
    for degrees in (5, 15, 30):
        turn(owner, "forearm.L", degrees, 0, 0)
        update()
    assert np.abs(shown(owner) - before).max() > 0.01
    owner.pose.bones["forearm.L"].rotation_quaternion = at_first
    update()
    assert_allclose(shown(owner), before, atol=2e-5)


def test_a_pin_holds_even_if_every_bone_that_could_help_was_turned_by_hand(bridge: Any) -> None:
    owner = figure(".L")
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    for bone in owner.pose.bones:
        bone.rotation_quaternion = (1, 0.1, 0.05, 0)
    update()
    assert off(bridge, owner, 0) < MILLIMETRE


def test_a_bone_turned_beyond_its_limits_by_hand_stays_there(bridge: Any, standing: Any) -> None:
    arm = standing.pose.bones["arm.L"]
    arm.use_ik_limit_x, arm.ik_min_x, arm.ik_max_x = True, -0.1, 0.1
    update()
    turn(standing, "arm.L", 40, 0, 0)
    wanted = own_turn(standing, "arm.L")
    update()
    assert own_turn(standing, "arm.L") == wanted
    turn(standing, "arm.L", 3, 0, 0)
    update()
    drag(bridge, standing, "hand.L", (0, 0, 0.5))
    swing = own_turn(standing, "arm.L").to_swing_twist("Y")[0]
    assert abs(swing.x) < math.sin(0.05) + 1e-6  # and back inside, the limit is what it was


def test_clearing_the_pose_keeps_pins(bridge: Any) -> None:
    owner = figure(".L")
    turn(owner, "arm.L", 30, 0, 40)
    turn(owner, "forearm.L", -30, 0, 0)
    update()
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    for bone in owner.pose.bones:
        bone.rotation_quaternion = (1, 0, 0, 0)
    update()
    assert off(bridge, owner, 0) < MILLIMETRE


def test_a_goal_follows_its_target_and_what_it_lacks_is_said_when_the_target_is_gone(bridge: Any) -> None:
    owner, empty = figure(".L"), bpy.data.objects.new("Ball", None)
    scene: Any = bpy.context.scene
    scene.collection.objects.link(empty)
    empty.location = (0.5, -0.3, 1.4)
    goal(owner, "hand.L", target=empty, state="FOLLOWING")
    update()
    assert off(bridge, owner, 0) < MILLIMETRE
    empty.location = (0.4, -0.4, 1.2)
    update()
    assert off(bridge, owner, 0) < MILLIMETRE
    before = channels(owner)
    bpy.data.objects.remove(empty)
    owner.update_tag()
    update()
    assert "deleted" in bridge.outcome.of(owner).goals[0].trouble
    assert owner.posewright_live
    assert channels(owner) == before


def test_a_goal_follows_a_bone_of_another_armature(bridge: Any) -> None:
    leader = figure(".L", "Leader")
    follower = figure(".L", "Follower")
    follower.location.x = 0.3
    goal(follower, "hand.L", target=leader, target_bone="hand.L", state="FOLLOWING")
    update()
    turn(leader, "arm.L", 0, 0, 30)
    update()
    assert off(bridge, follower, 0) < MILLIMETRE


def test_a_target_that_moves_with_the_character_is_refused_by_name(bridge: Any) -> None:
    owner, child = figure(".L"), bpy.data.objects.new("Sword", None)
    scene: Any = bpy.context.scene
    scene.collection.objects.link(child)
    child.parent, child.parent_type, child.parent_bone = owner, "BONE", "hand.L"
    goal(owner, "hand.L", target=child, state="FOLLOWING")
    before = channels(owner)
    update()
    assert "'Sword' is a child of the character" in bridge.outcome.of(owner).goals[0].trouble
    assert channels(owner) == before


def test_a_missing_bone_is_said_and_the_other_goals_are_met(bridge: Any, standing: Any) -> None:
    drag(bridge, standing, "hand.L", (-0.1, -0.1, 0))
    standing.posewright_goals[0].bone = "tail"
    update()
    found = bridge.outcome.of(standing).goals
    assert found[0].trouble == "there is no bone 'tail'"
    assert found[1].reached


def test_two_goals_that_ask_the_same_of_a_bone_are_told_apart(bridge: Any, standing: Any) -> None:
    pin(bridge, standing, "foot.L")
    update()
    found = bridge.outcome.of(standing).goals
    assert found[0].reached
    assert "'foot.L' asks the same of 'foot.L'" in found[1].trouble


@pytest.mark.parametrize("space", ["WORLD", "CHARACTER"])
def test_moving_the_object_leaves_pins_of_the_world_and_carries_those_of_the_character(bridge: Any, space: str) -> None:
    owner = figure(".L")
    index = pin(bridge, owner, "foot.L", space=space)
    update()
    before = bridge.places.on_bone(owner, owner.posewright_goals[index]).place
    owner.location = (0.1, 0.05, 0.0)
    update()
    after = bridge.places.on_bone(owner, owner.posewright_goals[index]).place
    moved = Vector((0.1, 0.05, 0.0)) if space == "CHARACTER" else Vector()
    assert (after - before - moved).length < 0.1 * MILLIMETRE


@pytest.mark.parametrize("scale", [(1, 1, 1), (0.01, 0.01, 0.01), (2, 1, 0.5), (-1, 1, 1)])
def test_a_turned_and_scaled_armature_reaches_places_of_the_world(bridge: Any, scale: tuple[float, ...]) -> None:
    owner = figure(".L")
    owner.rotation_euler, owner.scale, owner.location = (0.3, -0.4, 2.0), scale, (3, -2, 1)
    update()
    pin(bridge, owner, "foot.L")
    update()
    begun = bridge.places.on_bone(owner, owner.posewright_goals[0]).place
    made = drag(bridge, owner, "hand.L")
    size = min(map(abs, scale))
    made.place = Vector(made.place) + 0.1 * size * Vector((1, 1, -1))
    update()
    assert off(bridge, owner, 1) < MILLIMETRE * size
    assert (bridge.places.on_bone(owner, owner.posewright_goals[0]).place - begun).length < MILLIMETRE * size


def test_a_place_counts_along_the_worlds_axes_however_the_character_is_turned(bridge: Any) -> None:
    owner = figure(".L")
    owner.rotation_euler = (0.0, 0.0, 1.0)
    update()
    made = goal(owner, "hand.L", use_axis=(False, False, True))
    at = bridge.places.on_bone(owner, made)
    bridge.places.put(owner, made, at._replace(place=at.place + Vector((5, 5, -0.2))))
    made.state = "PINNED"
    update()
    after = bridge.places.on_bone(owner, made).place
    assert after.z == pytest.approx(at.place.z - 0.2, abs=MILLIMETRE)
    assert (after - at.place).to_2d().length < 0.5


def test_half_of_the_influence_goes_half_of_the_way(bridge: Any) -> None:
    owner = figure(".L")
    made = goal(owner, "hand.L", position=0.5)
    at = bridge.places.on_bone(owner, made)
    wanted = at.place + Vector((-0.2, -0.2, 0.0))
    bridge.places.put(owner, made, at._replace(place=wanted))
    made.state = "PINNED"
    update()
    assert (bridge.places.on_bone(owner, made).place - at.place.lerp(wanted, 0.5)).length < MILLIMETRE


def test_a_head_looks_at_its_target(bridge: Any) -> None:
    owner = figure(".L")
    made = goal(owner, "hand.L", kind="LOOK_AT", direction="Y", place=(1.0, -2.0, 2.0), state="PINNED")
    update()
    hand = owner.matrix_world @ owner.pose.bones["hand.L"].matrix
    along = (hand.to_3x3() @ Vector((0, 1, 0))).normalized()
    assert along.angle(Vector(made.place) - hand.translation) < 1e-3
    assert bridge.outcome.of(owner).goals[0].reached


def test_turning_live_off_and_on_moves_no_bone(bridge: Any, standing: Any) -> None:
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1)).dragged = False
    update()
    before = shown(standing)
    standing.posewright_live = False
    update()
    turn(standing, "arm.L", 10, 0, 0)
    update()
    in_between = shown(standing)
    standing.posewright_live = True
    update()
    assert np.abs(in_between - before).max() > 1e-3
    assert_allclose(shown(standing), in_between, atol=1e-5)


def test_while_live_is_off_nothing_is_written(bridge: Any, standing: Any) -> None:
    standing.posewright_live = False
    before = channels(standing)
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    assert channels(standing) == before


def test_an_error_switches_live_off_and_is_said_once(bridge: Any, standing: Any) -> None:
    standing.pose.bones["pelvis"].location.x = math.nan
    update()
    assert not standing.posewright_live
    assert bridge.outcome.of(standing).error == "the pose of 'pelvis' is no number: clear it with Alt G and Alt R"


@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 1), (math.nan, 1, 1), (math.inf, 1, 1)])
def test_a_character_that_is_scaled_to_nothing_for_a_while_waits_and_goes_on(
    bridge: Any, standing: Any, scale: tuple[float, ...]
) -> None:
    put_there = pin(bridge, standing, "hand.L")
    before = channels(standing)
    standing.scale = scale
    update()
    assert standing.posewright_live
    found = bridge.outcome.of(standing).goals
    assert {one.trouble for one in found.values()} == {"'Figure' is scaled to nothing"}
    assert channels(standing) == before
    standing.scale = (1, 1, 1)
    standing.posewright_goals[put_there].place[2] -= 0.1
    update()
    assert off(bridge, standing, put_there) < MILLIMETRE


def test_a_goal_that_is_muted_and_back_is_told_again(bridge: Any, standing: Any) -> None:
    update()
    before = bridge.outcome.of(standing).words, set(bridge.outcome.of(standing).goals)
    assert before == ("Every goal is met", {0})
    for mute in (True, False):
        standing.posewright_goals[0].mute = mute
        update()
        found = bridge.outcome.of(standing)
        assert ((found.words, set(found.goals)) == before) != mute


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_place_that_is_no_number_is_left_out(bridge: Any, standing: Any, bad: float) -> None:
    drag(bridge, standing, "hand.L", (-0.1, 0, 0))
    standing.posewright_goals[0].place[1] = bad
    standing.update_tag()
    update()
    found = bridge.outcome.of(standing).goals
    assert found[0].trouble.startswith("its place is not a number")
    assert found[1].reached


def test_in_edit_mode_and_in_rest_position_live_waits(bridge: Any, standing: Any) -> None:
    before = channels(standing)
    standing.data.pose_position = "REST"
    standing.posewright_goals[0].place[2] += 0.1
    update()
    assert channels(standing) == before
    standing.data.pose_position = "POSE"
    bpy.ops.object.mode_set(mode="EDIT")
    standing.data.edit_bones["hand.L"].name = "paw.L"
    bpy.ops.object.mode_set(mode="POSE")
    standing.update_tag()
    update()
    assert standing.posewright_live
    assert off(bridge, standing, 0) < MILLIMETRE


def test_an_animated_character_settles_toward_its_clip_whichever_way_one_scrubs(bridge: Any) -> None:
    owner = figure(".L")
    scene: Any = bpy.context.scene
    arm = owner.pose.bones["arm.L"]
    for frame, degrees in ((1, 0), (11, 40)):
        turn(owner, "arm.L", 0, 0, degrees)
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    scene.frame_set(1)
    pin(bridge, owner, "foot.L")
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    found: dict[int, Any] = {}
    for frame in (1, 6, 11, 6, 1):
        scene.frame_set(frame)
        assert off(bridge, owner, 1) < MILLIMETRE
        if frame in found:
            assert_allclose(shown(owner), found[frame], atol=1e-3)
        found[frame] = shown(owner)


def test_goals_reference_and_settings_stay_in_the_file(bridge: Any, standing: Any, tmp_path: Path) -> None:
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    before, goals = shown(standing), len(standing.posewright_goals)
    standing.posewright_solver = "levenberg"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "posed.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "posed.blend"))
    again: Any = bpy.data.objects["Figure"]
    assert (len(again.posewright_goals), again.posewright_solver) == (goals, "levenberg")
    assert not again.posewright_goals[1].dragged  # a drag ends with the session
    again.update_tag()
    update()
    assert_allclose(shown(again), before, atol=1e-5)


def test_undo_and_redo_end_where_they_should(standing: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    before = shown(standing)
    standing.posewright_goals[0].place[0] += 0.1
    update()
    bpy.ops.ed.undo_push(message="after")
    after = shown(standing)
    assert np.abs(after - before).max() > 0.05
    bpy.ops.ed.undo()
    update()
    assert_allclose(shown(bpy.data.objects["Figure"]), before, atol=1e-5)
    bpy.ops.ed.redo()
    update()
    assert_allclose(shown(bpy.data.objects["Figure"]), after, atol=1e-5)


def test_several_characters_are_solved_and_renaming_one_changes_nothing(bridge: Any) -> None:
    first, second = figure(".L", "One"), figure(".L", "Two")
    for owner in (first, second):
        pin(bridge, owner, "foot.L")
    update()
    first.name = "Three"
    for owner in (first, second):
        owner.posewright_goals[0].place[0] += 0.05
        update()
        assert off(bridge, owner, 0) < MILLIMETRE


def test_bones_that_constraints_move_are_taken_as_they_stand(bridge: Any) -> None:
    owner, empty = figure(".L"), bpy.data.objects.new("Lead", None)
    scene: Any = bpy.context.scene
    scene.collection.objects.link(empty)
    copied = owner.pose.bones["spine"].constraints.new("COPY_ROTATION")
    copied.target = empty
    copied.mix_mode = "AFTER"
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    for angle in (0.1, 0.2):
        empty.rotation_euler.x = angle
        update()
        owner.update_tag()
        update()
        assert off(bridge, owner, 0) < MILLIMETRE


def test_a_goal_that_a_script_makes_is_met_when_the_frame_changes_next(bridge: Any) -> None:
    scene: Any = bpy.context.scene
    owner = figure(".L")
    index = pin(bridge, owner, "hand.L", orientation=0.0)
    owner.posewright_goals[index].place[2] -= 0.1
    scene.frame_set(2)  # with no update before it
    assert off(bridge, owner, index) < MILLIMETRE


def test_a_render_beside_windows_leaves_the_pose_alone_unless_the_interface_is_locked(
    bridge: Any, standing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene: Any = bpy.context.scene

    class Rendering:
        mode = "RENDER"
        updates = ()

    before = channels(standing)
    standing.posewright_live = False
    standing.posewright_goals[0].place[0] += 0.1
    update()
    standing.posewright_live = True
    monkeypatch.setattr(bridge.watch, "_has_windows", lambda: True)
    scene.render.use_lock_interface = False
    bridge.watch.after_frame(scene, Rendering())
    assert channels(standing) == before


def test_a_render_without_windows_shows_the_solved_pose_of_every_frame(bridge: Any, tmp_path: Path) -> None:
    scene: Any = bpy.context.scene
    owner, lead = figure(".L"), bpy.data.objects.new("Lead", None)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    for thing in (lead, camera):
        scene.collection.objects.link(thing)
    hand = owner.posewright_goals[pin(bridge, owner, "hand.L", orientation=0.0)]
    for frame, lower in ((1, 0.0), (3, 0.6)):
        lead.location = hand.place - Vector((0.0, 0.0, lower))
        lead.keyframe_insert("location", frame=frame)
    hand.target, hand.target_offset, hand.state = lead, (0.0, 0.0, 0.0), "FOLLOWING"
    scene.camera, scene.frame_start, scene.frame_end = camera, 1, 3
    scene.render.engine, scene.cycles.samples, scene.render.filepath = "CYCLES", 1, str(tmp_path / "frame")
    scene.render.resolution_x = scene.render.resolution_y = 8
    update()
    poses, rendered = [], []
    for frame in (1, 2, 3):
        scene.frame_set(frame)
        poses.append(owner.pose.bones["pelvis"].location.copy())
    scene.frame_set(1)

    def note(_scene: Any, _graph: Any) -> None:
        rendered.append(owner.pose.bones["pelvis"].location.copy())

    after_each: list[Any] = bpy.app.handlers.render_post
    after_each.append(note)
    bpy.ops.render.render(animation=True)
    after_each.remove(note)
    assert (poses[2] - poses[0]).length > 0.02
    assert_allclose(rendered, poses, atol=MILLIMETRE)


def test_matrices_come_apart_and_together_again(bridge: Any) -> None:
    sheared = Matrix(((1, 0.3, 0, 1), (0, 2, 0.1, 2), (0.2, 0, 0.5, 3), (0, 0, 0, 1)))
    for above in (sheared, sheared @ Matrix.Diagonal((-1, 1, 1, 1))):
        frame = bridge.places.frame_of(Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.7, 4, (1, 2, 3)))
        again = frame.seen_from(above).seen_with(above)
        assert (again.place - frame.place).length < 1e-5
        assert again.turn.rotation_difference(frame.turn).angle < 1e-3


def with_a_root_on_the_ground() -> Any:
    """The figure, with a root below its pelvis."""
    owner = figure(".L")
    bpy.ops.object.mode_set(mode="EDIT")
    root = owner.data.edit_bones.new("root")
    root.head, root.tail = (0, 0, 0), (0, 0.3, 0)
    owner.data.edit_bones["pelvis"].parent = root
    bpy.ops.object.mode_set(mode="POSE")
    update()
    return owner


def test_the_pelvis_moves_and_a_root_on_the_ground_stays(bridge: Any) -> None:
    owner = with_a_root_on_the_ground()
    pin(bridge, owner, "foot.L")
    drag(bridge, owner, "pelvis", (0.05, -0.1, -0.1))
    assert off(bridge, owner, 0) < MILLIMETRE
    assert off(bridge, owner, 1) < MILLIMETRE
    root = owner.pose.bones["root"]
    assert (root.location.length, root.rotation_quaternion.angle) == (0.0, 0.0)


def test_a_root_moves_when_it_is_dragged_itself_or_is_said_to_move(bridge: Any) -> None:
    owner = with_a_root_on_the_ground()
    drag(bridge, owner, "root", (0.3, 0.0, 0.0)).dragged = False
    assert owner.pose.bones["root"].location.length == pytest.approx(0.3, abs=MILLIMETRE)
    owner.posewright_joints.add().name = "root"
    owner.posewright_joints["root"].translates = True
    drag(bridge, owner, "hand.L", (1.0, 0.0, 0.0))
    assert owner.pose.bones["root"].location.length > 0.35
