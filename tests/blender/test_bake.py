"""Baking: what was seen becomes keys that play without us; the rest is left alone, and there is a way back."""

import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from .figures import BONES, Floats, channels, figure, goal, pin, shown, turn, update
from .test_linked_rigs import linked, overridden
from .test_sidebar import Paper
from .test_sidebar import said as panel_says

operators: Any = bpy.ops
call = operators.posewright
FIRST, LAST = 1, 9
MODES = {"spine": "ZYX", "arm.L": "XYZ", "forearm.L": "AXIS_ANGLE"}


def scene() -> Any:
    found: Any = bpy.context.scene
    return found


def moving_hand(bridge: Any, owner: Any) -> Any:
    """A hand that follows an Empty which goes forth and back, and a pelvis that is pinned."""
    target = bpy.data.objects.new("Target", None)
    scene().collection.objects.link(target)
    for frame, place in ((FIRST, (0.65, -0.1, 1.4)), (5, (0.3, -0.4, 1.2)), (LAST, (0.5, -0.3, 1.7))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    goal(owner, "hand.L", target=target, state="FOLLOWING")
    pin(bridge, owner, "pelvis")
    scene().frame_start, scene().frame_end = FIRST, LAST
    scene().frame_set(FIRST)
    update()
    return owner


@pytest.fixture
def owner(bridge: Any) -> Any:
    return moving_hand(bridge, figure(".L"))


def key(owner: Any, bone: str, name: str, values: dict[int, Any]) -> None:
    """Key a bone's property."""
    for frame, value in values.items():
        setattr(owner.pose.bones[bone], name, value)
        owner.pose.bones[bone].keyframe_insert(name, frame=frame, group=bone)


def seen(owner: Any, frames: Any = range(FIRST, LAST + 1)) -> dict[int, Floats]:
    """The poses that Blender shows on frames."""
    found = {}
    for frame in frames:
        scene().frame_set(frame)
        update()
        found[frame] = shown(owner)
    return found


def same(one: dict[int, Floats], other: dict[int, Floats], within: float = 1e-4) -> None:
    """Rotations of all bones within 0.006°, places within 0.1 mm."""
    for frame, poses in one.items():
        assert np.abs(poses - other[frame]).max() < within, f"frame {frame}"


def curves(owner: Any, action: Any = None) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """All keys of an action, by path and index."""
    bridge: Any = __import__("importlib").import_module("bl_ext.user_default.posewright").bridge
    action = action or owner.animation_data.action
    return {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in bridge.action_curves.of_action(action, owner)
    }


def bones_of(found: dict[tuple[str, int], Any]) -> set[str]:
    return {path.split('"')[1] for path, _ in found if path.startswith("pose.bones")}


def test_the_pose_of_a_frame_does_not_depend_on_the_way_there(owner: Any) -> None:
    key(owner, "spine", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.96, 0.28, 0, 0)})
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    first = seen(owner)
    same(seen(owner, [7, 2, 9, 1, 5, 8, 3]), first, 1e-5)


@pytest.mark.parametrize(
    "keyed", ["nothing", "some bones", "a location's x", "one angle", "beyond a limit", "half of the way"]
)
def test_what_is_baked_is_what_was_seen(owner: Any, keyed: str) -> None:
    for bone, mode in MODES.items():
        owner.pose.bones[bone].rotation_mode = mode
    if keyed == "some bones":
        key(owner, "spine", "rotation_euler", {FIRST: (0, 0, 0), LAST: (0.4, 0.2, 0.1)})
        key(owner, "shin.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0.4, 0, 0)})
    elif keyed == "a location's x":
        for frame, value in ((FIRST, 0.0), (LAST, 0.2)):
            owner.pose.bones["pelvis"].location[0] = value
            owner.pose.bones["pelvis"].keyframe_insert("location", index=0, frame=frame)
        owner.posewright_goals[1].mute = True
    elif keyed == "one angle":
        for frame, value in ((FIRST, 0.0), (LAST, 0.5)):
            owner.pose.bones["spine"].rotation_euler[1] = value
            owner.pose.bones["spine"].keyframe_insert("rotation_euler", index=1, frame=frame)
    elif keyed == "beyond a limit":
        arm = owner.pose.bones["forearm.L"]
        arm.rotation_mode, arm.use_ik_limit_x, arm.ik_min_x, arm.ik_max_x = "QUATERNION", True, -0.2, 0.3
        beyond = {FIRST: 0.1, 3: 0.2, 4: 0.9, 5: 1.2, 6: 0.8, 7: 0.1, LAST: -0.1}
        key(
            owner,
            arm.name,
            "rotation_quaternion",
            {at: (math.cos(x / 2), math.sin(x / 2), 0, 0) for at, x in beyond.items()},
        )
    elif keyed == "half of the way":
        key(owner, "spine", "rotation_euler", {FIRST: (0, 0, 0), LAST: (0.4, 0.2, 0.1)})
        owner.posewright_goals[0].position = 0.5
    live = seen(owner)
    scene().frame_set(4)
    assert call.bake() == {"FINISHED"}
    assert scene().frame_current == 4
    assert not owner.posewright_live
    same(seen(owner), live)


def test_a_bake_plays_where_the_add_on_is_not(owner: Any) -> None:
    live = seen(owner)
    call.bake()
    owner.posewright_goals.clear()  # as for a Blender that does not know them
    same(seen(owner), live)


def test_only_bones_that_goals_move_get_keys(owner: Any) -> None:
    call.bake()
    found = curves(owner)
    assert bones_of(found) <= {"spine", "arm.L", "forearm.L", "hand.L", "pelvis"}
    assert {"arm.L", "forearm.L"} <= bones_of(found)
    assert not any(path.endswith(("location", "scale")) for path, _ in found), (
        "the pelvis is pinned: nothing translates"
    )


def test_keys_are_in_the_mode_of_their_bone_and_grouped_by_it(bridge: Any, owner: Any) -> None:
    for bone, mode in MODES.items():
        owner.pose.bones[bone].rotation_mode = mode
    call.bake()
    names = {path.split('"')[1]: path.rpartition(".")[2] for path, _ in curves(owner)}
    assert names["arm.L"] == "rotation_euler"
    assert names["forearm.L"] == "rotation_axis_angle"
    for curve in bridge.action_curves.of_action(owner.animation_data.action, owner):
        assert curve.group.name == curve.data_path.split('"')[1]


def test_the_former_action_is_what_it_was_and_is_kept(owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    key(owner, "foot.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0.4, 0, 0)})
    owner.keyframe_insert("posewright_goals[0].weight", frame=1)
    former = owner.animation_data.action
    before = curves(owner)
    call.bake()
    assert owner.animation_data.action != former
    assert former.use_fake_user
    assert curves(owner, former) == before
    now = curves(owner)
    assert 'pose.bones["foot.L"].rotation_quaternion' in {path for path, _ in now}, "what else plays is kept"
    assert not any(path.startswith("posewright") for path, _ in now)


def test_one_undo_takes_a_bake_back(owner: Any) -> None:
    name = owner.name
    operators.ed.undo_push(message="before")
    before = seen(owner)
    call.bake()
    operators.ed.undo_push(message="Bake")
    operators.ed.undo()
    owner = bpy.data.objects[name]
    assert owner.posewright_live
    assert owner.animation_data is None or owner.animation_data.action is None
    same(seen(owner), before)


@pytest.mark.parametrize("where", ["NEW", "OVER", "NLA"])
def test_one_click_leads_back_to_what_was_before(owner: Any, where: str) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    owner.keyframe_insert("posewright_goals[0].weight", frame=1)
    animation, before = owner.animation_data, curves(owner)
    name, slot = animation.action.name, getattr(animation, "action_slot_handle", 0)
    live = seen(owner)
    owner.posewright_bake_where = where
    assert call.bake() == {"FINISHED"}
    same(seen(owner), live)
    before_back = set(bpy.data.actions)
    assert call.bake_back() == {"FINISHED"}
    assert all(action.users for action in before_back), "what was baked would be gone from the saved file"
    assert owner.posewright_live
    assert not call.bake_back.poll()
    assert animation.action.name == name
    assert getattr(animation, "action_slot_handle", 0) == slot
    assert curves(owner) == before
    assert not len(animation.nla_tracks)
    same(seen(owner), live)


WRONG = {  # by name: what may be stored of a bake, of another kind
    "where": 3,
    "name": None,
    "baked": 5,
    "slot": [],
    "live": "no",
    "had": 1,
    "tracks": [1, None],
    "partners": {"a": "b"},
    "action_blend_type": "nonsense",
    "action_influence": math.nan,
    "action_extrapolation": 2,
    "use_nla": "yes",
}


def test_what_a_stranger_stored_of_a_bake_is_told_and_passed_over(bridge: Any, owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    animation, former = owner.animation_data, owner.animation_data.action
    live = seen(owner)
    call.bake()
    kept, baked = json.loads(owner.posewright_bake), animation.action
    one_each = [json.dumps(kept | {name: value}) for name, value in WRONG.items()]
    for stored in ("no JSON", "[]", "3", "null", "[" * 100_000, json.dumps(WRONG), *one_each):
        animation.action, owner.posewright_live = baked, False
        owner.posewright_bake, owner.posewright_before_bake = stored, former
        with bridge.watch.undisturbed():
            assert "cannot be read" in bridge.baking.actions.go_back(owner), stored[:200]
        assert owner.posewright_live
        assert not call.bake_back.poll()
        assert animation.action == former
        assert (animation.action_blend_type, animation.action_influence, animation.use_nla) == ("REPLACE", 1.0, True)
    same(seen(owner), live)


def test_where_nobody_knows_what_played_before_a_bake_it_plays_on(owner: Any) -> None:
    call.bake()
    baked = owner.animation_data.action
    owner.posewright_bake = "no JSON"
    assert call.bake_back() == {"FINISHED"}
    assert owner.animation_data.action == baked
    assert owner.posewright_live


def test_the_way_back_from_keys_over_an_action_leaves_one_alone_that_was_looked_at_since(owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    walk, before = owner.animation_data.action, curves(owner)
    walk.name = "Walk"
    owner.posewright_bake_where = "OVER"
    call.bake()
    run = bpy.data.actions.new("Run")
    owner.animation_data.action = run
    assert call.bake_back() == {"FINISHED"}
    assert (run.name, walk.name, owner.animation_data.action.name) == ("Run", "Walk baked", "Walk")
    assert walk.use_fake_user
    assert curves(owner) == before


def test_once_another_action_was_chosen_for_a_deleted_one_a_bake_can_be_left(owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    owner.posewright_bake_where = "NLA"
    call.bake()
    bpy.data.actions.remove(owner.posewright_before_bake)
    with pytest.raises(RuntimeError, match="choose one by hand, and switch Live on"):
        call.bake_back()
    owner.animation_data.action, owner.posewright_live = bpy.data.actions.new("Chosen"), True
    assert call.bake_back() == {"FINISHED"}
    assert owner.animation_data.action.name == "Chosen"
    assert f"{owner.name} baked (Posewright)" not in owner.animation_data.nla_tracks
    assert not call.bake_back.poll()
    assert owner.posewright_live


def test_a_way_back_that_is_refused_changes_nothing(owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    owner.posewright_bake_where = "NLA"
    call.bake()
    bpy.data.actions.remove(owner.posewright_before_bake)
    tracks = [track.name for track in owner.animation_data.nla_tracks]
    with pytest.raises(RuntimeError, match="was deleted: choose one by hand"):
        call.bake_back()
    assert [track.name for track in owner.animation_data.nla_tracks] == tracks
    assert not owner.posewright_live


def test_over_the_present_action_keys_outside_the_range_stay(owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {-20: (0.9, 0.4, 0, 0), 3: (0.8, 0.6, 0, 0), 40: (1, 0, 0, 0)})
    action = owner.animation_data.action
    owner.posewright_bake_where = "OVER"
    live = seen(owner)
    call.bake()
    assert owner.animation_data.action == action
    frames = [frame for frame, _ in curves(owner)['pose.bones["arm.L"].rotation_quaternion', 0]]
    assert frames == [-20, *range(FIRST, LAST + 1), 40]
    same(seen(owner), live)


def test_as_a_strip_it_plays_above_the_others(owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    owner.posewright_bake_where = "NLA"
    call.bake()
    assert owner.animation_data.action is None
    top = owner.animation_data.nla_tracks[-1].strips[0]
    assert (top.blend_type, top.frame_start, top.frame_end) == ("REPLACE", FIRST, LAST)
    assert len(owner.animation_data.nla_tracks) == 2


def test_in_a_strip_that_is_tweaked_keys_are_in_its_time(owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {0: (1, 0, 0, 0), 20: (0.9, 0, 0.4, 0.1)})
    animation = owner.animation_data
    slot = getattr(animation, "action_slot", None)
    track = animation.nla_tracks.new()
    strip = track.strips.new("stretched", 0, animation.action)
    if slot is not None:
        strip.action_slot = slot
    strip.scale = 0.5  # the action plays twice as fast
    animation.action = None
    animation.nla_tracks.active = track
    strip.select = True
    animation.use_tweak_mode = True
    live = seen(owner)
    owner.posewright_bake_where = "OVER"
    assert call.bake() == {"FINISHED"}
    frames = [frame for frame, _ in curves(owner)['pose.bones["arm.L"].rotation_quaternion', 0]]
    assert frames[1] - frames[0] == pytest.approx(2.0)
    animation.use_tweak_mode = False
    same(seen(owner), live)


def test_stopped_in_the_middle_it_leaves_everything_as_it_was(bridge: Any, owner: Any) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    scene().frame_set(4, subframe=0.5)
    update()
    turn(owner, "spine", 3, 2, 1)
    update()
    before, keys, actions = channels(owner), curves(owner), len(bpy.data.actions)
    for stop in (1, 5, 11):
        steps = bridge.baking.job.bake(bpy.context, owner, bridge.baking.job.stored(owner))
        for _ in range(stop):
            next(steps)
        steps.close()
        assert channels(owner) == before
        assert (scene().frame_current, scene().frame_subframe) == (4, 0.5)
        assert (curves(owner), len(bpy.data.actions)) == (keys, actions)
        assert owner.posewright_live
        assert not owner.posewright_bake


def test_a_pose_comes_back_where_a_linked_character_has_the_same_name(bridge: Any, tmp_path: Path) -> None:
    other = linked(tmp_path)
    owner = moving_hand(bridge, figure(".L", "Hero"))
    assert owner.name == other.name
    key(owner, "spine", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.96, 0.28, 0, 0)})
    scene().frame_set(4)
    update()
    turn(owner, "spine", 3, 2, 1)
    update()
    before = channels(owner), channels(other)
    job = bridge.baking.job
    assert job.finish(job.look(bpy.context, owner, job.stored(owner))).frames == LAST
    assert (channels(owner), channels(other)) == before


def test_a_roll_of_two_turns_has_no_jump_in_any_mode(owner: Any) -> None:
    target = bpy.data.objects.new("Roll", None)
    scene().collection.objects.link(target)
    target.rotation_mode = "XYZ"
    scene().frame_end = 41
    for frame, angle in ((1, 0.0), (41, 4.0 * math.pi)):
        target.location, target.rotation_euler = (0, 0, 1.0), (0, 0, angle)
        target.keyframe_insert("rotation_euler", frame=frame)
    for curve in _curves_of(target):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    owner.posewright_goals[0].mute = True
    pelvis = owner.posewright_goals[1]
    pelvis.target, pelvis.state, pelvis.orientation = target, "FOLLOWING", 1.0
    upright = pelvis.target_turn = owner.data.bones["pelvis"].matrix_local.to_quaternion()
    for mode in ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE"):
        owner.pose.bones["pelvis"].rotation_mode = mode
        update()
        assert call.bake() == {"FINISHED"}
        for (path, _), points in curves(owner).items():
            if '"pelvis"' in path and "rotation" in path:
                steps = np.abs(np.diff([value for _, value in points]))
                assert steps.max() < 0.7, f"{mode}: {path} jumps by {steps.max():.2f}"
        for frame in (6, 11, 30):  # 6 and 11 are where the first order of angles locks
            scene().frame_set(frame)
            update()
            wanted, found = (
                target.matrix_world.to_quaternion() @ upright,
                owner.pose.bones["pelvis"].matrix.to_quaternion(),
            )
            assert math.sin(0.5 * wanted.rotation_difference(found).angle) < 1e-4
        call.bake_back()


def _curves_of(thing: Any) -> Any:
    bridge: Any = __import__("importlib").import_module("bl_ext.user_default.posewright").bridge
    return bridge.action_curves.of_action(thing.animation_data.action, thing)


def test_a_solver_that_draws_at_random_bakes_what_was_seen(bridge: Any, owner: Any) -> None:
    loop = owner.posewright_relations.add()
    loop.kind = "LOOP"
    for name, bone in (("a", "hand.L"), ("b", "spine")):
        part = loop.parts.add()
        part.name, part.bone = name, bone
    owner.posewright_solver, owner.posewright_iterations = "memetic", 40
    frames = range(3, 6)
    live = seen(owner, frames)
    assert not bridge.outcome.of(owner).goals[0].reached
    owner.posewright_bake_range, owner.posewright_bake_first, owner.posewright_bake_last = "CUSTOM", 3, 5
    assert call.bake() == {"FINISHED"}
    same(seen(owner, frames), live)


def test_frames_on_which_no_goal_asks_show_the_reference(owner: Any) -> None:
    rest = shown(owner)
    owner.posewright_goals[1].mute = True
    hand = owner.posewright_goals[0]
    for frame, off in ((1, True), (4, False), (7, True)):
        hand.mute = off
        owner.keyframe_insert("posewright_goals[0].mute", frame=frame)
    live = seen(owner)
    same({2: live[2]}, {2: live[9]})
    assert np.abs(live[5] - live[2]).max() > 0.1
    same(seen(owner, [8, 5, 1, 6, 2]), live, 1e-5)
    assert rest.shape == live[2].shape
    call.bake()
    same(seen(owner), live)


@pytest.mark.parametrize("what", ["goals", "relations"])
def test_bones_that_a_goal_or_relation_of_other_frames_moves_show_the_reference(
    bridge: Any, owner: Any, what: str
) -> None:
    if what == "goals":
        row = pin(bridge, owner, "foot.L")
        owner.posewright_goals[row].place[2] += 0.2
    else:
        row, coupling = 0, owner.posewright_relations.add()
        coupling.kind, coupling.bone, coupling.axis, coupling.expression = "COUPLING", "shin.L", "X", "0.5"
    for frame, off in ((1, True), (4, False), (7, True)):
        getattr(owner, f"posewright_{what}")[row].mute = off
        owner.keyframe_insert(f"posewright_{what}[{row}].mute", frame=frame)
    live = seen(owner)
    shin = owner.pose.bones.find("shin.L")
    assert np.abs(live[5][shin] - live[2][shin]).max() > 0.1
    same({2: live[2][shin]}, {2: live[9][shin]}, 1e-5)
    same(seen(owner, range(LAST, FIRST - 1, -1)), live, 1e-5)
    call.bake()
    same(seen(owner), live)


def test_frames_on_which_the_character_is_scaled_to_nothing_show_the_reference(bridge: Any, owner: Any) -> None:
    for frame, scale in ((FIRST, 0.0), (FIRST + 3, 0.0), (FIRST + 4, 1.0)):
        owner.scale = (scale, scale, scale)
        owner.keyframe_insert("scale", frame=frame)
    before = seen(owner)
    assert owner.posewright_live, bridge.outcome.of(owner).error
    assert np.abs(before[FIRST] - before[FIRST + 5]).max() > 0.01
    assert call.bake() == {"FINISHED"}
    same(before, seen(owner))


def test_a_step_leaves_frames_out_but_not_the_last(owner: Any) -> None:
    owner.posewright_bake_step = 3
    scene().frame_end = 9
    call.bake()
    frames = [frame for frame, _ in curves(owner)['pose.bones["arm.L"].rotation_quaternion', 0]]
    assert frames == [1, 4, 7, 9]


@pytest.mark.parametrize(("name", "of_blender"), [("BEZIER", "BEZIER"), ("LINEAR", "LINEAR"), ("CONSTANT", "CONSTANT")])
def test_curves_go_from_key_to_key_as_asked(owner: Any, name: str, of_blender: str) -> None:
    owner.posewright_bake_interpolation = name
    call.bake()
    assert {point.interpolation for curve in _curves_of(owner) for point in curve.keyframe_points} == {of_blender}


def test_carrying_on_begins_where_the_last_frame_ended_and_holds_the_goals(bridge: Any, owner: Any) -> None:
    owner.posewright_bake_carry_on = True
    call.bake()
    report = json.loads(owner.posewright_bake_report)
    assert report["worst_cm"] < 0.1
    assert bridge


def test_the_report_says_what_came_of_it(owner: Any, tmp_path: Path) -> None:
    target = bpy.data.objects["Target"]
    target.animation_data_clear()
    target.location = (9, 0, 1)
    lost = goal(owner, "foot.L", state="FOLLOWING")
    assert lost
    update()
    call.bake()
    report = json.loads(owner.posewright_bake_report)
    assert (report["frames"], report["first"], report["last"]) == (9, FIRST, LAST)
    assert report["keys"] == 9 * report["bones"]
    hand = next(one for one in report["goals"] if one["name"] == "hand.L")
    assert hand["missed"] == 9
    assert hand["worst_cm"] > 500
    assert "target" in report["left_out"]["foot.L"]
    path = tmp_path / "report.json"
    assert call.bake_report(filepath=str(path)) == {"FINISHED"}
    assert json.loads(path.read_text()) == report
    with pytest.raises(RuntimeError, match="cannot be saved"):
        call.bake_report(filepath=str(tmp_path / "no such folder" / "report.json"))


def test_a_stored_report_of_a_stranger_is_shown_as_far_as_it_can_be_read(add_on: ModuleType, owner: Any) -> None:
    scene().frame_end = 2
    call.bake()
    report = json.loads(owner.posewright_bake_report)
    paper = Paper()
    add_on.ui.bake.draw_report(paper, json.dumps(report | {"notes": [3, None, ["x"]]}))
    assert {"3", "None", "['x']"} <= {text for text, _ in paper.notes}
    wrong = [json.dumps(report | {name: 3}) for name in ("goals", "limits", "left_out", "notes")]
    for stored in ("", "no JSON", "[]", "[" * 100_000, *wrong):
        paper = Paper()
        add_on.ui.bake.draw_report(paper, stored)
        assert [text for text, _ in paper.notes] == ["The stored report cannot be read"], stored[:200]


@pytest.mark.parametrize("reached", [True, False])
def test_a_bake_in_which_nothing_moves_says_why_and_what_to_do(bridge: Any, reached: bool) -> None:
    owner = figure(".L")
    pin(bridge, owner, "hand.L")
    scene().frame_start, scene().frame_end = FIRST, 3
    update()
    if not reached:
        owner.posewright_goals[0].place[0] += 5.0
        for bone in owner.pose.bones:
            bone.lock_rotation = bone.lock_location = (True, True, True)
            bone.lock_rotation_w = True
        update()
    job = bridge.baking.job
    report = job.finish(job.bake(bpy.context, owner, job.stored(owner)))
    assert report.keys == 0
    wanted = "as it is. Animate a goal" if reached else "brings 'hand.L' nearer. Look at limits"
    assert wanted in report.words()
    assert wanted in " ".join(panel_says("Bake").split())
    assert wanted in json.loads(owner.posewright_bake_report)["notes"][0]


def refused(owner: Any, words: str) -> None:
    """A bake that ends with an error, and changes nothing."""
    scene().frame_set(3)
    update()
    before, actions = channels(owner), len(bpy.data.actions)
    keys = curves(owner) if owner.animation_data and owner.animation_data.action else None
    with pytest.raises(RuntimeError, match=words):
        call.bake()
    assert (channels(owner), len(bpy.data.actions), scene().frame_current) == (before, actions, 3)
    assert keys is None or curves(owner) == keys
    assert owner.posewright_live
    assert not owner.posewright_bake


def test_what_cannot_be_baked_is_said_and_changes_nothing(owner: Any) -> None:
    owner.posewright_bake_range = "CUSTOM"
    owner.posewright_bake_first, owner.posewright_bake_last = 10, 5
    refused(owner, "ends before it begins: 10 to 5")
    owner.posewright_bake_range = "PREVIEW"
    refused(owner, "no preview range")
    owner.posewright_bake_range = "ACTION"
    refused(owner, "has no action")
    owner.posewright_bake_range = "SCENE"
    for one in owner.posewright_goals:
        one.state = "IDLE"
    refused(owner, "No goal is pinned or follows anything")
    owner.posewright_goals[0].state, owner.posewright_goals[0].target = "FOLLOWING", None
    refused(owner, "The goal 'hand.L'.*no target")
    strap = owner.posewright_relations.add()
    strap.kind, strap.name = "WIRE", "strap"
    owner.posewright_goals[0].mute = True
    owner.posewright_goals[1].state, owner.posewright_goals[1].position = "PINNED", 0.0
    owner.posewright_goals[1].orientation = 0.0
    refused(owner, "The relation 'strap'.*two points or more")


@pytest.mark.parametrize("what", ["lock", "mute", "group.lock", "group.mute", "modifiers"])
def test_curves_that_are_locked_or_would_not_play_are_not_written_over(owner: Any, what: str) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    for curve in _curves_of(owner):
        if what == "modifiers":
            curve.modifiers.new("NOISE")
        else:
            setattr(curve.group if "group" in what else curve, what[-4:], True)
    owner.posewright_bake_where = "OVER"
    refused(owner, "arm.L.*(locked|muted|modifiers)")
    owner.posewright_bake_where = "NEW"
    live = seen(owner)
    assert call.bake() == {"FINISHED"}
    same(seen(owner), live)


def test_a_baked_character_is_not_baked_again_by_mistake(owner: Any) -> None:
    call.bake()
    action = owner.animation_data.action
    with pytest.raises(RuntimeError, match="go back to live first"):
        call.bake()
    assert owner.animation_data.action == action
    owner.posewright_live = True
    owner.posewright_goals[1].mute = True
    update()
    live = seen(owner)
    assert call.bake() == {"FINISHED"}
    same(seen(owner), live)
    call.bake_back()
    assert owner.animation_data.action == action


@pytest.mark.skipif(not hasattr(bpy.types, "ActionSlot"), reason="slots came with Blender 4.4")
def test_an_action_of_another_slot_is_not_written_over(owner: Any) -> None:
    other: Any = bpy.data.actions.new("Other")
    other.slots.new(id_type="CAMERA", name="Camera")
    owner.animation_data_create().action = other
    assert owner.animation_data.action_slot is None
    owner.posewright_bake_where = "OVER"
    refused(owner, "'Other' has no slot")
    owner.posewright_bake_where = "NEW"
    live = seen(owner)
    assert call.bake() == {"FINISHED"}
    same(seen(owner), live)


def test_a_linked_action_is_not_written_over(owner: Any, tmp_path: Path) -> None:
    key(owner, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    action = owner.animation_data.action
    name = action.name
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {action})
    owner.animation_data.action = None
    bpy.data.actions.remove(action)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(tmp_path / "library.blend"), link=True) as (_, into):
        into.actions = [name]
    linked = bpy.data.actions[name]
    owner.animation_data.action = linked
    if hasattr(linked, "slots"):
        owner.animation_data.action_slot = linked.slots[0]
    update()
    owner.posewright_bake_where = "OVER"
    refused(owner, "is linked")
    owner.posewright_bake_where = "NEW"
    live = seen(owner)
    assert call.bake() == {"FINISHED"}
    assert owner.animation_data.action.library is None
    same(seen(owner), live)


def test_an_override_is_baked(bridge: Any, tmp_path: Path) -> None:
    context: Any = bpy.context
    owner = context.view_layer.objects.active = overridden(tmp_path)
    moving_hand(bridge, owner)
    live = seen(owner)
    assert call.bake() == {"FINISHED"}
    same(seen(owner), live)
    assert call.bake_back() == {"FINISHED"}
    same(seen(owner), live)


def test_a_bake_of_one_who_follows_another_has_the_others_pose(bridge: Any, owner: Any) -> None:
    other = figure(".L", "Other")
    hand = goal(other, "hand.L", target=owner, target_bone="hand.L", state="FOLLOWING")
    assert hand
    update()
    call.bake()
    report = json.loads(other.posewright_bake_report)
    assert report["worst_cm"] < 0.1
    for frame in (2, 5, 8):
        scene().frame_set(frame)
        update()
        assert np.abs(other.pose.bones["hand.L"].head - owner.pose.bones["hand.L"].head).max() < 1e-3
    assert set(BONES)
    assert bridge


def printed(capsys: Any) -> Any:
    """The report among the lines that Blender itself has written."""
    return json.loads("{" + capsys.readouterr().out.partition("\n{")[2])


class TestBatch:
    """The same from a shell; the functions that `blender --command posewright` calls."""

    def saved(self, owner: Any, folder: Path) -> Path:
        update()
        path = folder / "shot.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        assert owner
        return path

    def test_a_file_is_baked_and_the_first_one_stays(self, add_on: Any, owner: Any, tmp_path: Path) -> None:
        live, name = seen(owner), owner.name
        path, made, report = self.saved(owner, tmp_path), tmp_path / "baked.blend", tmp_path / "report.json"
        before = path.read_bytes()
        words = ["bake", str(path), "--output", str(made), "--frames", "2", "7", "--json", str(report)]
        assert add_on.cli.run(words) == 0
        assert path.read_bytes() == before
        assert json.loads(report.read_text())[name]["frames"] == 6
        bpy.ops.wm.open_mainfile(filepath=str(made))
        same(seen(bpy.data.objects[name], range(2, 8)), live)

    def test_a_report_changes_nothing(self, add_on: Any, owner: Any, tmp_path: Path, capsys: Any) -> None:
        path, name = self.saved(owner, tmp_path), owner.name
        before = path.read_bytes()
        assert add_on.cli.run(["report", str(path), "--step", "4"]) == 0
        assert printed(capsys)[name]["frames"] == 3
        assert path.read_bytes() == before
        assert [one.name for one in tmp_path.iterdir()] == [path.name]

    def test_a_frame_is_solved(self, add_on: Any, owner: Any, tmp_path: Path, capsys: Any) -> None:
        live, name = seen(owner, [5]), owner.name
        path = self.saved(owner, tmp_path)
        assert add_on.cli.run(["solve", str(path), "--overwrite", "--frame", "5"]) == 0
        assert printed(capsys)[name]["goals"]["hand.L"]["met"]
        bpy.ops.wm.open_mainfile(filepath=str(path))
        update()
        same({5: shown(bpy.data.objects[name])}, live)

    def test_relations_alone_are_solved_and_by_name_refused_where_nothing_is_to_bake(
        self, add_on: Any, bridge: Any, tmp_path: Path, capsys: Any
    ) -> None:
        assert bridge
        one = figure(".L", "Tied")
        loop = one.posewright_relations.add()
        loop.kind, loop.name = "LOOP", "hand on leg"
        for bone in ("hand.L", "leg.L"):
            part = loop.parts.add()
            part.name = part.bone = bone
            part.point = "TAIL"
        path = self.saved(one, tmp_path)
        assert add_on.cli.run(["solve", str(path), "--overwrite"]) == 0
        assert printed(capsys)["Tied"]["relations"]["hand on leg"]["met"]
        for words, told in ((["--character", "Tied"], "nothing to bake"), ([], "no character with goals")):
            assert add_on.cli.run(["report", str(path), *words]) == 1
            assert told in capsys.readouterr().err
        bpy.data.objects["Tied"].posewright_relations[0].mute = True  # type: ignore[attr-defined]
        self.saved(one, tmp_path)
        assert add_on.cli.run(["solve", str(path), "--overwrite"]) == 1
        assert "no character with goals or relations" in capsys.readouterr().err

    def test_errors_are_told_with_an_exit_code(self, add_on: Any, owner: Any, tmp_path: Path, capsys: Any) -> None:
        path = self.saved(owner, tmp_path)
        there = ["--output", str(tmp_path / "out.blend")]
        for words, said in (
            (["bake", str(tmp_path / "none.blend"), *there], "no file"),
            (["bake", str(path), *there, "--character", "Nobody"], "no character 'Nobody'"),
            (["bake", str(path), *there, "--frames", "9", "1"], "ends before it begins"),
            (["bake", str(path), "--output", str(tmp_path / "no" / "out.blend")], "no folder"),
        ):
            assert add_on.cli.run(words) == 1
            assert said in capsys.readouterr().err
        assert add_on.cli.run(["bake", str(path)]) == 2
        assert not (tmp_path / "out.blend").exists()


def test_fewer_keys_play_the_same_within_the_given_error(owner: Any) -> None:
    scene().frame_end = 40
    target = bpy.data.objects["Target"]
    for frame, place in ((20, (0.2, -0.5, 1.1)), (40, (0.65, -0.1, 1.4))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    owner.pose.bones["arm.L"].rotation_mode = "YXZ"
    owner.pose.bones["forearm.L"].rotation_mode = "AXIS_ANGLE"
    frames = range(1, 41)
    live = seen(owner, frames)
    owner.posewright_bake_reduce = True
    call.bake()
    report = json.loads(owner.posewright_bake_report)
    assert report["keys"] < 0.5 * report["every_frame"]
    hand = list(owner.pose.bones).index(owner.pose.bones["hand.L"])
    for frame, poses in seen(owner, frames).items():
        assert np.linalg.norm(poses[hand, :3, 3] - live[frame][hand, :3, 3]) < 0.00102, f"frame {frame}"
    for row, bone in enumerate(owner.pose.bones):
        above = owner.pose.bones.find(bone.parent.name) if bone.parent else None
        for frame, poses in seen(owner, frames).items():
            one, other = (own(found, row, above) for found in (poses, live[frame]))
            sine = float(np.linalg.norm(one - other)) / math.sqrt(8.0)
            assert 2.0 * math.asin(min(1.0, sine)) < math.radians(0.505), f"{bone.name}, frame {frame}"


def own(poses: Floats, row: int, above: int | None) -> Floats:
    """How a bone is turned in its parent."""
    turn = poses[row, :3, :3]
    return turn if above is None else poses[above, :3, :3].T @ turn


def test_a_body_that_turns_around_keeps_its_pose(bridge: Any) -> None:
    owner = figure()
    carrier = bpy.data.objects.new("Carrier", None)
    scene().collection.objects.link(carrier)
    carrier.rotation_mode = "XYZ"
    for frame, angle in ((FIRST, 0.0), (LAST, 2.0 * math.pi)):
        carrier.rotation_euler, carrier.location = (0, 0, angle), (0.5 * frame, 0, 0)
        carrier.keyframe_insert("rotation_euler", frame=frame)
        carrier.keyframe_insert("location", frame=frame)
    scene().frame_start, scene().frame_end = FIRST, LAST
    scene().frame_set(FIRST)
    turn(owner, "arm.L", 0, 20, -30)
    update()
    for bone in ("pelvis", "hand.L", "foot.L", "foot.R"):
        made = goal(owner, bone, target=carrier, orientation=float(bone == "pelvis"))
        there = bridge.places.on_bone(owner, made)
        made.state = "FOLLOWING"
        bridge.places.put(owner, made, there)
    update()
    first = np.linalg.inv(np.array(carrier.matrix_world)) @ shown(owner)
    for frame in (5, 4, 9, 7, 2):
        scene().frame_set(frame)
        update()
        now = np.linalg.inv(np.array(carrier.matrix_world)) @ shown(owner)
        assert np.abs(now - first).max() < 2e-3, f"frame {frame}"
    assert call.bake() == {"FINISHED"}
    assert json.loads(owner.posewright_bake_report)["worst_cm"] < 0.05


def test_joints_turn_no_faster_than_they_may(owner: Any) -> None:
    owner.posewright_bake_speed = 2.0  # radians a second, 0.083 a frame
    call.bake()
    report = json.loads(owner.posewright_bake_report)
    assert report["worst_cm"] > 1.0, "the hand is asked to go faster"
    for (path, _), points in curves(owner).items():
        if "quaternion" in path:
            assert np.abs(np.diff([value for _, value in points])).max() < 0.13, path  # three axes at once


def test_smoothing_calms_what_shivers_and_keeps_goals_within_what_is_allowed(owner: Any) -> None:
    scene().render.fps, scene().frame_end = 60, 30
    rng = np.random.default_rng(3)
    for bone in ("spine", "arm.L"):  # what is free follows a clip that shivers
        noise = {frame: (1.0, *rng.normal(0.0, 0.01, 3)) for frame in range(1, 31)}
        key(owner, bone, "rotation_quaternion", noise)

    def shivers() -> float:
        values = np.array(
            [[value for _, value in points] for (path, _), points in curves(owner).items() if "arm" in path]
        )
        return float(np.abs(np.diff(values, 2, axis=1)).mean())

    call.bake()
    before = shivers()
    call.bake_back()
    owner.posewright_bake_smooth, owner.posewright_bake_smooth_far = True, 0.001
    call.bake()
    assert shivers() < 0.7 * before
    assert json.loads(owner.posewright_bake_report)["worst_cm"] < 0.101
