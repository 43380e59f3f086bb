"""Operators on goals: the same from a script as from a button, refused with a reason, undone in one step."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector
from numpy.testing import assert_allclose

from .figures import channels, drag, figure, goal, off, pin, shown, turn, update

MILLIMETRE = 1e-3
operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def owner(bridge: Any) -> Any:
    """A figure with a left side only, in Pose Mode, its bones unselected."""
    assert bridge
    found = figure(".L")
    select(found)
    return found


def select(owner: Any, *bones: str) -> None:
    for bone in owner.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in bones


def refused(operator: Any, **given: Any) -> str:
    """What is said by an operator that refuses; a script sees it as an error."""
    with pytest.raises(RuntimeError) as error:
        operator(**given)
    return str(error.value)


def states(owner: Any) -> list[tuple[str, str]]:
    return [(one.name, one.state) for one in owner.posewright_goals]


def undo() -> Any:
    bpy.ops.ed.undo()
    update()
    return bpy.data.objects["Figure"]


# Adding and removing


def test_every_selected_bone_gets_an_idle_goal_of_its_name_and_nothing_moves(owner: Any) -> None:
    before = channels(owner)
    select(owner, "hand.L", "foot.L")
    assert call.goal_add() == {"FINISHED"}
    update()
    assert states(owner) == [("hand.L", "IDLE"), ("foot.L", "IDLE")]
    assert [one.bone for one in owner.posewright_goals] == ["hand.L", "foot.L"]
    assert owner.posewright_active_goal == 1
    assert channels(owner) == before


def test_a_bone_can_be_named(owner: Any) -> None:
    call.goal_add(bone="hand.L", kind="LOOK_AT")
    call.goal_add(bone="hand.L", point="TAIL")
    assert [(one.kind, one.point) for one in owner.posewright_goals] == [("LOOK_AT", "HEAD"), ("POSE", "TAIL")]
    assert [one.name for one in owner.posewright_goals] == ["hand.L", "hand.L.001"]


def test_a_second_goal_for_the_same_point_is_refused_by_name(owner: Any) -> None:
    call.goal_add(bone="hand.L")
    owner.posewright_goals[0].name = "Wrist"
    assert "'Wrist'" in refused(call.goal_add, bone="hand.L")
    assert "'nobody'" in refused(call.goal_add, bone="nobody")
    assert "Select bones" in refused(call.goal_add)
    select(owner, "hand.L", "foot.L")
    call.goal_add()
    assert [one.bone for one in owner.posewright_goals] == ["hand.L", "foot.L"]
    assert "All 2" in refused(call.goal_add)


def test_adding_can_be_undone(owner: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    call.goal_add("EXEC_DEFAULT", True, bone="hand.L")
    assert len(owner.posewright_goals) == 1
    assert not len(undo().posewright_goals)


def test_removing_keeps_the_others_and_the_active_one(bridge: Any, owner: Any) -> None:
    for bone in ("hand.L", "foot.L", "pelvis"):
        goal(owner, bone)
    owner.posewright_active_goal = 2
    call.goal_remove(index=0)
    assert [one.name for one in owner.posewright_goals] == ["foot.L", "pelvis"]
    assert bridge.goal_list.at(owner, -1)[1].name == "pelvis"
    call.goal_remove()
    assert owner.posewright_active_goal == 0
    assert "has no goal 5" in refused(call.goal_remove, index=5)
    call.goal_remove()
    assert "no goals yet: set it up" in refused(call.goal_remove)


def test_a_new_goal_does_not_find_the_reference_of_one_that_was_removed(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "hand.L")
    update()
    call.goal_remove(index=0)
    turn(owner, "spine", 30, 0, 0)
    update()
    before = shown(owner)
    pin(bridge, owner, "hand.L")
    update()
    assert_allclose(shown(owner), before, atol=1e-5)
    assert not bridge.reference.stored(owner).held.any(), "what was turned before it is held, as if turned since"


# Order, copies, groups


def test_goals_move_up_and_down_and_stop_at_the_ends(owner: Any) -> None:
    for bone in ("hand.L", "foot.L", "pelvis"):
        goal(owner, bone)
    owner.posewright_active_goal = 0
    call.goal_move(index=2, direction="UP")
    assert [one.name for one in owner.posewright_goals] == ["hand.L", "pelvis", "foot.L"]
    call.goal_move(direction="DOWN")
    assert [one.name for one in owner.posewright_goals] == ["pelvis", "hand.L", "foot.L"]
    assert owner.posewright_active_goal == 1
    call.goal_move(index=0, direction="UP")
    call.goal_move(index=2, direction="DOWN")
    assert [one.name for one in owner.posewright_goals] == ["pelvis", "hand.L", "foot.L"]


def test_a_copy_has_all_settings_and_is_idle(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "hand.L", weight=3.0, use_axis=(True, False, True), group="arms")
    goal(owner, "foot.L")
    call.goal_copy(index=0)
    first, twin, last = owner.posewright_goals
    assert (twin.name, twin.bone, twin.state, twin.weight, twin.group) == ("hand.L.001", "hand.L", "IDLE", 3.0, "arms")
    assert tuple(twin.use_axis) == (True, False, True)
    assert twin.place == first.place
    assert (first.state, last.name, owner.posewright_active_goal) == ("PINNED", "foot.L", 1)
    call.goal_copy(index=0, bone="arm.L")
    assert owner.posewright_goals[1].bone == "arm.L"
    assert "asks the same" in refused(call.goal_copy, index=0, bone="foot.L")


def test_goals_are_put_into_groups(owner: Any) -> None:
    goal(owner, "hand.L")
    call.goal_group(index=0, group="Arms")
    assert owner.posewright_goals[0].group == "Arms"
    call.goal_group(group="")
    assert owner.posewright_goals[0].group == ""


def test_a_goal_whose_bone_was_renamed_is_given_its_bone_again_and_holds(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "hand.L")
    goal(owner, "foot.L")
    owner.data.bones["hand.L"].name = "paw.L"
    update()
    assert bridge.outcome.of(owner).goals[0].trouble == "there is no bone 'hand.L'"
    assert "'foot.L'" in refused(call.goal_rebind, index=0, bone="foot.L")
    assert "'hand.L'" in refused(call.goal_rebind, index=0, bone="hand.L")
    call.goal_rebind(index=0, bone="paw.L")
    update()
    assert (owner.posewright_goals[0].bone, owner.posewright_goals[0].name) == ("paw.L", "paw.L")
    assert bridge.outcome.of(owner).goals[0].reached


def test_no_two_goals_of_a_character_have_one_name(owner: Any) -> None:
    for bone in ("hand.L", "foot.L", "pelvis"):
        goal(owner, bone)
    owner.posewright_goals[2].name = "hand.L"
    owner.posewright_goals[1].name = "hand.L"
    assert [one.name for one in owner.posewright_goals] == ["hand.L", "hand.L.002", "hand.L.001"]
    assert owner.posewright_goals["hand.L.002"].bone == "foot.L"


# Pins


@pytest.mark.parametrize(("which", "influences"), [("PLACE", (1, 0)), ("TURN", (0, 1)), ("BOTH", (1, 1))])
def test_pinning_holds_what_is_seen_and_again_lets_it_go(owner: Any, which: str, influences: tuple[int, int]) -> None:
    turn(owner, "arm.L", 20, 10, 5)
    update()
    before = shown(owner)
    goal(owner, "hand.L")
    call.goal_pin(index=0, which=which)
    update()
    pinned = owner.posewright_goals[0]
    assert (pinned.state, (pinned.position, pinned.orientation)) == ("PINNED", influences)
    assert (pinned.place - owner.pose.bones["hand.L"].head).length < 1e-6
    assert_allclose(shown(owner), before, atol=1e-5)
    call.goal_pin(index=0, which=which)
    update()
    assert pinned.state == "IDLE"
    assert_allclose(shown(owner), before, atol=1e-5)


def test_place_and_turn_are_pinned_and_unpinned_apart(owner: Any) -> None:
    one = goal(owner, "hand.L")
    call.goal_pin(which="PLACE")
    call.goal_pin(which="TURN")
    assert (one.state, one.position, one.orientation) == ("PINNED", 1.0, 1.0)
    call.goal_pin(which="PLACE")
    assert (one.state, one.position, one.orientation) == ("PINNED", 0.0, 1.0)
    call.goal_pin(which="BOTH")
    assert (one.state, one.position, one.orientation) == ("PINNED", 1.0, 1.0)
    call.goal_pin(which="BOTH")
    assert one.state == "IDLE"


def test_a_pinned_look_at_looks_where_the_bone_points(owner: Any) -> None:
    turn(owner, "hand.L", 0, 0, 25)
    update()
    before = shown(owner)
    call.goal_add(bone="hand.L", kind="LOOK_AT")
    call.goal_pin()
    update()
    assert_allclose(shown(owner), before, atol=1e-5)
    call.goal_pin()
    assert states(owner) == [("hand.L", "IDLE")]


def test_a_missing_bone_cannot_be_pinned_and_is_named(owner: Any) -> None:
    goal(owner, "tentacle")
    assert "'tentacle'" in refused(call.goal_pin, index=0)
    assert states(owner) == [("tentacle", "IDLE")]


def test_a_pin_whose_bone_is_gone_has_no_handle(bridge: Any) -> None:
    owner = figure(".L")
    index = pin(bridge, owner, "hand.L")
    update()
    found = owner.posewright_goals[index]
    assert bridge.places.handle_matrix(owner, found) is not None
    found.bone = "tentacle"
    assert bridge.places.handle_matrix(owner, found) is None


def test_pinning_is_undone_in_one_step(owner: Any) -> None:
    goal(owner, "hand.L")
    bpy.ops.ed.undo_push(message="before")
    call.goal_pin("EXEC_DEFAULT", True, index=0)
    update()
    assert states(owner) == [("hand.L", "PINNED")]
    again = undo()
    assert states(again) == [("hand.L", "IDLE")]
    bpy.ops.ed.redo()
    update()
    assert states(bpy.data.objects["Figure"]) == [("hand.L", "PINNED")]


def test_all_pins_are_let_go_and_followers_stay(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "hand.L")
    pin(bridge, owner, "foot.L")
    goal(owner, "pelvis", state="FOLLOWING", target=empty((0, 0, 1.0)))
    call.unpin_all()
    assert [state for _, state in states(owner)] == ["IDLE", "IDLE", "FOLLOWING"]
    call.goal_release(index=2)
    assert [state for _, state in states(owner)] == ["IDLE"] * 3
    call.goal_pin(index=0)
    owner.posewright_goals[1].dragged = True
    call.goal_release(every=True)
    assert not [one.name for one in owner.posewright_goals if one.dragged or one.state != "IDLE"]


# Following, spaces


def empty(place: tuple[float, float, float], name: str = "Prop") -> Any:
    context: Any = bpy.context
    found = bpy.data.objects.new(name, None)
    context.scene.collection.objects.link(found)
    found.location = place
    update()
    return found


def test_following_keeps_the_offset_and_goes_along(bridge: Any, owner: Any) -> None:
    prop = empty((0.5, -0.3, 1.2))
    prop.rotation_euler = (0.3, 0.2, 0.1)
    pin(bridge, owner, "pelvis")
    goal(owner, "hand.L")
    update()
    before = shown(owner)
    call.goal_follow(index=1, target="Prop")
    update()
    assert states(owner)[1] == ("hand.L", "FOLLOWING")
    assert_allclose(shown(owner), before, atol=1e-5)
    hand = owner.pose.bones["hand.L"].head.copy()
    prop.location.x -= 0.1
    update()
    assert (owner.pose.bones["hand.L"].head - hand - Vector((-0.1, 0, 0))).length < MILLIMETRE


def test_following_without_offset_goes_to_the_target(bridge: Any, owner: Any) -> None:
    empty((0.5, -0.2, 1.3))
    goal(owner, "hand.L")
    call.goal_follow(target="Prop", keep_offset=False)
    update()
    assert off(bridge, owner, 0) < MILLIMETRE
    assert (owner.pose.bones["hand.L"].head - Vector((0.5, -0.2, 1.3))).length < MILLIMETRE


def test_what_cannot_be_followed_is_refused(owner: Any) -> None:
    goal(owner, "hand.L")
    child = empty((0, 0, 0), "Child")
    child.parent = owner
    assert "'Child'" in refused(call.goal_follow, target="Child")
    assert "'Figure'" in refused(call.goal_follow, target="Figure")
    assert "'nobody'" in refused(call.goal_follow, target="nobody")
    empty((0, 0, 0))
    assert "'nose'" in refused(call.goal_follow, target="Prop", bone="nose")
    assert states(owner) == [("hand.L", "IDLE")]
    assert owner.posewright_goals[0].target is None


def test_a_pin_stays_where_it_is_when_its_space_changes_and_moves_with_it_then(bridge: Any, owner: Any) -> None:
    car = empty((1, 2, 3), "Car")
    car.rotation_euler.z = 0.7
    update()
    index = pin(bridge, owner, "pelvis")
    update()
    before = shown(owner)
    call.goal_space(index=index, space="OBJECT", object="Car")
    update()
    assert_allclose(shown(owner), before, atol=1e-5)
    car.location.x += 0.5
    update()
    assert owner.pose.bones["pelvis"].head.x == pytest.approx(0.5, abs=MILLIMETRE)
    call.goal_space(index=index, space="WORLD")
    update()
    car.location.x += 0.5
    update()
    assert owner.pose.bones["pelvis"].head.x == pytest.approx(0.5, abs=MILLIMETRE)
    assert "is the character itself" in refused(call.goal_space, index=index, space="OBJECT", object="Figure")
    assert "with which the goal's place moves" in refused(call.goal_space, index=index, space="OBJECT")


# Mirror


def test_a_goal_is_mirrored_to_the_other_side_in_place_and_turn(bridge: Any) -> None:
    owner = figure()
    owner.matrix_world = owner.matrix_world.Translation((3, 1, 0)) @ owner.matrix_world.Rotation(0.6, 4, "Z")
    turn(owner, "arm.L", 20, 30, -15)
    turn(owner, "hand.L", 10, -20, 5)
    update()
    pin(bridge, owner, "hand.L", weight=2.0, group="arm.L")
    call.goal_mirror(index=0)
    update()
    assert states(owner) == [("hand.L", "PINNED"), ("hand.R", "PINNED")]
    assert owner.posewright_goals[1].weight == 2.0
    assert owner.posewright_goals[1].group == "arm.R"
    left, right = (np.array(owner.pose.bones[name].matrix, float) for name in ("hand.L", "hand.R"))
    mirror = np.diag([-1.0, 1.0, 1.0, 1.0])
    assert bridge.outcome.of(owner).goals[1].reached
    assert_allclose(right[:3, 3], (mirror @ left)[:3, 3], atol=MILLIMETRE)
    assert_allclose(right[:3, 1], (mirror @ left)[:3, 1], atol=1e-2)


def test_mirroring_again_changes_the_goal_that_is_there(owner: Any) -> None:
    other = figure(name="Both")
    goal(other, "hand.L", point="OFFSET", offset=(0.01, 0.02, 0.03))
    call.goal_mirror(index=0)
    other.posewright_goals[0].weight = 5.0
    call.goal_mirror(index=0)
    assert [(one.bone, one.weight) for one in other.posewright_goals] == [("hand.L", 5.0), ("hand.R", 5.0)]
    bones = other.data.bones
    for index, side in enumerate((1, -1)):
        one = other.posewright_goals[index]
        point = bones[one.bone].matrix_local @ one.offset
        assert point.x == pytest.approx(side * (bones["hand.L"].matrix_local @ other.posewright_goals[0].offset).x)
    assert owner


def test_what_has_no_other_side_is_not_mirrored(owner: Any) -> None:
    goal(owner, "spine")
    goal(owner, "hand.L")
    assert "no left or right" in refused(call.goal_mirror, index=0)
    assert "'hand.R'" in refused(call.goal_mirror, index=1)
    assert len(owner.posewright_goals) == 2


# Solving and live


def test_solving_on_request_works_while_live_is_off(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    owner.posewright_live = False
    owner.posewright_goals[0].place = (0.4, -0.2, 1.2)
    update()
    assert off(bridge, owner, 0) > 0.1
    call.solve()
    update()
    assert off(bridge, owner, 0) < MILLIMETRE
    call.unpin_all()
    assert "nothing to solve" in refused(call.solve)


def test_another_way_meets_the_same_goals_by_another_pose_and_stays(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "pelvis")
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    before = shown(owner)
    call.solve(elsewhere=True, seed=4, strength=0.5)
    update()
    found = shown(owner)
    assert np.abs(found - before).max() > 0.05
    assert off(bridge, owner, 0) < MILLIMETRE
    assert off(bridge, owner, 1) < MILLIMETRE
    owner.update_tag()
    update()
    assert_allclose(shown(owner), found, atol=1e-4)


def test_switching_live_moves_no_bone_whatever_happened_meanwhile(bridge: Any, owner: Any) -> None:
    prop = empty((0.7, 0, 1.45))
    pin(bridge, owner, "pelvis")
    goal(owner, "hand.L", state="FOLLOWING", target=prop)
    update()
    before = shown(owner)
    call.live_toggle()
    update()
    assert not owner.posewright_live
    call.live_toggle()
    update()
    assert_allclose(shown(owner), before, atol=1e-6)
    assert owner.posewright_goals[1].target_offset.length < 1e-6, "nothing had changed"
    call.live_toggle()
    prop.location.x -= 0.2
    turn(owner, "spine", 20, 0, 0)
    update()
    before = shown(owner)
    call.live_toggle()
    update()
    assert owner.posewright_live
    assert_allclose(shown(owner), before, atol=1e-5)


def test_a_drag_that_went_out_of_reach_is_kept_through_switching(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "pelvis")
    drag(bridge, owner, "hand.L", (3.0, 0.0, 0.0))
    place = owner.posewright_goals[1].place.copy()
    call.live_toggle()
    call.live_toggle()
    update()
    assert owner.posewright_goals[1].place == place


# Reset


def test_the_pose_goes_back_to_rest_but_for_what_is_locked(owner: Any) -> None:
    turn(owner, "arm.L", 20, 10, 5)
    turn(owner, "spine", 20, 10, 5)
    owner.pose.bones["pelvis"].location = (0.1, 0.2, 0.3)
    owner.pose.bones["pelvis"].lock_location = (True, False, False)
    owner.pose.bones["foot.L"].scale = (2, 2, 2)
    select(owner, "arm.L")
    call.reset_pose(bones="SELECTED")
    assert owner.pose.bones["arm.L"].rotation_quaternion.angle == 0.0
    assert owner.pose.bones["spine"].rotation_quaternion.angle > 0.1
    call.reset_pose()
    assert owner.pose.bones["spine"].rotation_quaternion.angle == 0.0
    assert_allclose(owner.pose.bones["pelvis"].location, (0.1, 0, 0), atol=1e-7)
    assert tuple(owner.pose.bones["foot.L"].scale) == (1, 1, 1)
    select(owner)
    assert "Select" in refused(call.reset_pose, bones="SELECTED")


def test_pins_hold_while_the_pose_is_reset(bridge: Any, owner: Any) -> None:
    turn(owner, "arm.L", 0, 0, 30)
    update()
    hand = owner.pose.bones["hand.L"].head.copy()
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    call.reset_pose()
    update()
    assert (owner.pose.bones["hand.L"].head - hand).length < MILLIMETRE


def test_the_pose_goes_back_to_the_reference(bridge: Any, owner: Any) -> None:
    assert "no reference" in refused(call.reset_pose, to="REFERENCE")
    turn(owner, "arm.L", 0, 0, 10)
    update()
    before = shown(owner)
    drag(bridge, owner, "hand.L", (-0.1, -0.1, 0.1))
    assert np.abs(shown(owner) - before).max() > 0.01
    owner.posewright_live = False
    call.reset_pose(to="REFERENCE")
    update()
    assert_allclose(shown(owner), before, atol=1e-5)


# Bones that something else moves


def test_bones_that_something_else_moves_are_taken_over_as_they_are_seen_and_given_back(
    bridge: Any, owner: Any
) -> None:
    target = empty((0.4, -0.3, 1.3))
    bones = owner.pose.bones
    ik = bones["forearm.L"].constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    mine = bones["foot.L"].constraints.new("COPY_ROTATION")
    mine.target, mine.mute = target, True
    limit = bones["foot.L"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.owner_space = True, "LOCAL"
    bones["spine"].rotation_mode = "XYZ"
    driver = bones["spine"].driver_add("rotation_euler", 0).driver
    driver.type, driver.expression = "SCRIPTED", "0.2"
    update()
    before = shown(owner)
    call.find_frozen()
    assert set(bridge.outcome.frozen_of(owner)) == {"arm.L", "forearm.L", "spine"}
    call.snap_and_mute()
    update()
    assert_allclose(shown(owner), before, atol=1e-4)
    assert ik.mute
    assert not limit.mute
    assert not bridge.armature.read(owner).frozen
    assert len(owner.posewright_muted) == 2
    target.location.x += 0.2
    update()
    assert_allclose(shown(owner), before, atol=1e-4)
    call.restore_constraints()
    update()
    assert not ik.mute
    assert mine.mute
    assert not len(owner.posewright_muted)
    assert np.abs(shown(owner) - before).max() > 0.01
    assert "Nothing was muted" in refused(call.restore_constraints)


def test_taking_over_is_undone_in_one_step_and_has_to_have_something_to_do(owner: Any) -> None:
    assert "Nothing else moves" in refused(call.snap_and_mute)
    owner.pose.bones["hand.L"].constraints.new("COPY_ROTATION").target = empty((0, 0, 0))
    update()
    bpy.ops.ed.undo_push(message="before")
    call.snap_and_mute("EXEC_DEFAULT", True)
    assert owner.pose.bones["hand.L"].constraints[0].mute
    again = undo()
    assert not again.pose.bones["hand.L"].constraints[0].mute
    assert not len(again.posewright_muted)


def test_a_bone_may_be_moved_once_it_is_switched_on(bridge: Any, owner: Any) -> None:
    assert "'pelvis' is a root" in refused(call.joint_moves, bone="pelvis")
    assert "connected" in refused(call.joint_moves, bone="hand.L")
    call.joint_moves(bone="leg.L")
    assert bridge.pelvis.movers(owner).translating == {"leg.L"}
    call.joint_moves(bone="leg.L")
    assert not bridge.pelvis.movers(owner).translating
    assert not any(one.translates for one in owner.posewright_joints)


def test_a_root_that_carries_a_pelvis_may_be_moved_instead_of_it(bridge: Any, owner: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    ground = owner.data.edit_bones.new("ground")
    ground.tail = (0, 0.2, 0)
    owner.data.edit_bones["pelvis"].parent = ground
    bpy.ops.object.mode_set(mode="POSE")
    bones = owner.data.bones
    assert [bridge.pelvis.moves(owner, bones[name]) for name in ("ground", "pelvis")] == [False, True]
    call.joint_moves(bone="ground")
    assert [bridge.pelvis.moves(owner, bones[name]) for name in ("ground", "pelvis")] == [True, False]
    call.joint_moves(bone="ground")
    assert [bridge.pelvis.moves(owner, bones[name]) for name in ("ground", "pelvis")] == [False, True]


# Whom they work on


def test_objects_that_cannot_be_posed_are_refused_with_the_reason(owner: Any) -> None:
    context: Any = bpy.context
    bpy.ops.object.mode_set(mode="EDIT")
    assert "is in Edit Mode" in refused(call.goal_add, bone="hand.L")
    bpy.ops.object.mode_set(mode="OBJECT")
    owner.data.pose_position = "REST"
    assert "rest position: switch" in refused(call.goal_add, bone="hand.L")
    context.view_layer.objects.active = empty((0, 0, 0))
    assert "is no armature" in refused(call.goal_add, bone="hand.L")
    context.view_layer.objects.active = None
    assert "no active object" in refused(call.goal_add, bone="hand.L")
    none: Any = bpy.data.objects.new("None", bpy.data.armatures.new("None"))
    context.scene.collection.objects.link(none)
    context.view_layer.objects.active = none
    assert "has no bones" in refused(call.live_toggle)


def linked_figure(folder: Path) -> Any:
    """A figure with two goals, linked from another file and active."""
    owner = figure(".L", "Hero")
    goal(owner, "hand.L")
    goal(owner, "foot.L")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    context: Any = bpy.context
    with libraries.load(str(folder / "library.blend"), link=True) as (_there, wanted):
        wanted.objects = ["Hero"]
    found: Any = wanted.objects[0]
    context.scene.collection.objects.link(found)
    context.view_layer.objects.active = found
    update()
    return found


def test_a_linked_rig_is_refused_with_the_way_out(bridge: Any, tmp_path: Path) -> None:
    assert bridge
    linked_figure(tmp_path)
    assert "make a library override" in refused(call.goal_add, bone="pelvis")
    assert "make a library override" in refused(call.goal_pin, index=0)


def test_goals_of_an_override_are_added_moved_and_removed_but_linked_ones_stay(bridge: Any, tmp_path: Path) -> None:
    assert bridge
    owner = linked_figure(tmp_path).override_create(remap_local_usages=True)
    context: Any = bpy.context
    context.view_layer.objects.active = owner
    update()
    for bone in ("pelvis", "spine", "arm.L"):
        call.goal_add(bone=bone)
    assert "is linked" in refused(call.goal_remove, index=0)
    assert "are linked" in refused(call.goal_move, index=0, direction="DOWN")
    call.goal_move(index=1, direction="DOWN")
    assert [one.name for one in owner.posewright_goals] == ["hand.L", "pelvis", "foot.L", "spine", "arm.L"]
    call.goal_remove(index=3)
    call.goal_pin(index=1)
    call.goal_pin(index=2)
    update()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    again = next(one for one in bpy.data.objects if one.override_library and one.type == "ARMATURE")
    assert states(again) == [("hand.L", "IDLE"), ("pelvis", "PINNED"), ("foot.L", "PINNED"), ("arm.L", "IDLE")]


def test_what_was_muted_of_an_override_is_known_when_the_file_is_opened_again(bridge: Any, tmp_path: Path) -> None:
    assert bridge
    owner = linked_figure(tmp_path).override_create(remap_local_usages=True)
    context: Any = bpy.context
    context.view_layer.objects.active = owner
    for bone in ("hand.L", "foot.L"):
        owner.pose.bones[bone].constraints.new("COPY_ROTATION").target = empty((0, 0, 0), f"Target of {bone}")
    update()
    call.snap_and_mute()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    again: Any = next(one for one in bpy.data.objects if one.override_library and one.type == "ARMATURE")
    assert [one.bone for one in again.posewright_muted] == ["hand.L", "foot.L"]
    context.view_layer.objects.active = again
    call.restore_constraints()
    assert not any(again.pose.bones[bone].constraints[0].mute for bone in ("hand.L", "foot.L"))
