"""Limits and habits of joints: by people, actions, IK settings and constraints; nothing moves by them, they hold."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from .characters import body, build, load
from .figures import Floats, channels, drag, pin, shown, turn, update
from .test_linked_rigs import overridden, reopened
from .test_roles import set_up
from .test_sidebar import said

operators: Any = bpy.ops
call = operators.posewright
SOME = ("makehuman_game_engine.glb", "cryptovoxels.vrm", "07_01.bvh", "Rigify metarig")


@pytest.fixture
def owner(bridge: Any) -> Any:
    assert bridge
    made = build(body(fingers=False))
    bpy.ops.object.mode_set(mode="POSE")
    set_up(made)
    return made


def choose(owner: Any, *bones: str) -> None:
    """Select bones; the last is the active one."""
    for bone in owner.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name in bones
    owner.data.bones.active = owner.data.bones[bones[-1]]


def angles(bridge: Any, owner: Any, bone: str) -> Floats:
    """Bend, twist and side of a bone now, in degrees."""
    joint = bridge.own_joints.read(owner)[bone]
    now = bridge.joints.anatomical.own_turns(owner)[bone]
    found: Floats = np.degrees(bridge.joints.anatomical.angles(joint.before, joint.axes, now[None])[0])
    return found


def degrees(vector: Any) -> list[float]:
    return [round(math.degrees(value), 3) for value in vector]


def drawn_pose(rig: Any, rng: np.random.Generator, share: float) -> Floats:
    """A pose part of the way to one drawn from inside the limits; the body stays where it is."""
    tree = rig.tree
    limited = np.isfinite(tree.lower)  # what is not, is a rotation vector: there are two for a turn beyond half a one
    drawn = rng.uniform(np.where(limited, tree.lower, -1.5), np.where(limited, tree.upper, 1.5))
    lengths = np.array([variable.unit == "m" for variable in tree.variables])
    found: Floats = np.where(lengths, rig.q, rig.q + share * (drawn - rig.q))
    return found


@pytest.mark.parametrize("name", [*SOME, "KayKit_Knight.glb", "Fox.glb"])
def test_of_a_body_with_limits_the_tree_shows_what_blender_shows_and_set_up_moves_nothing(
    bridge: Any, tmp_path: Path, name: str
) -> None:
    owner = load(name, tmp_path)
    update()
    before = channels(owner)
    set_up(owner)
    update()
    assert channels(owner) == before
    rig = bridge.armature.read(owner, bridge.pelvis.movers(owner).translating)
    assert any(one.source in {"HUMAN", "GENERIC"} for one in owner.posewright_joints)
    rng = np.random.default_rng(7)
    for share in (0.0, 0.3, 0.9):
        q = drawn_pose(rig, rng, share)
        bridge.pose.write(rig, owner, q)
        update()
        placed = rig.tree.pose(q)
        apart = np.abs(placed.positions[rig.shown] - rig.scale * shown(owner)[:, :3, 3]).max()
        assert apart < 2e-5 * bridge.armature.PERSON
        assert np.abs(bridge.pose.values(rig, owner) - q).max() < 1e-4


@pytest.mark.parametrize("name", SOME)
def test_a_hand_that_is_dragged_far_gets_there_inside_the_limits(bridge: Any, tmp_path: Path, name: str) -> None:
    owner = load(name, tmp_path)
    owner.animation_data_clear()
    for bone in owner.pose.bones:
        bone.matrix_basis.identity()
    update()
    set_up(owner)
    rig = bridge.armature.read(owner, bridge.pelvis.movers(owner).translating)
    roles = {role.name: role.bone for role in owner.posewright_roles}
    bone, rng = roles["hand.L"], np.random.default_rng(11)
    body_of_it = rig.tree.index(rig.frame_names[bone])
    there = rig.tree.pose(drawn_pose(rig, rng, 0.6)).positions[body_of_it] / rig.scale
    by = owner.matrix_world.to_3x3() @ (Vector(there) - owner.pose.bones[bone].head)
    drag(bridge, owner, bone)
    goal = drag(bridge, owner, bone, by)
    assert goal
    size = max(owner.dimensions)
    assert (owner.matrix_world @ owner.pose.bones[bone].head - owner.matrix_world @ Vector(there)).length < 1e-3 * size
    wide = {one.bone: math.degrees(one.by) for one in rig.widened}
    for one in owner.posewright_joints:
        if one.source == "HUMAN" and one.name in rig.bones:
            found, slack = angles(bridge, owner, one.name), wide.get(one.name, 0.0) + 1e-2
            for axis in range(3):
                if one.free[axis]:
                    low, high = math.degrees(one.lower[axis]), math.degrees(one.upper[axis])
                    assert low - slack < found[axis] < high + slack, (one.name, axis)
    for role in ("forearm.L", "forearm.R", "shin.L", "shin.R"):
        assert angles(bridge, owner, roles[role])[0] > -0.5 - wide.get(roles[role], 0.0)


def test_a_drag_that_goes_nowhere_moves_nothing_though_joints_have_habits(bridge: Any, owner: Any) -> None:
    owner.posewright_habit = 1.0
    turn(owner, "forearm.L", 0, 0, 20)
    update()
    before = shown(owner)
    drag(bridge, owner, "hand.L")
    assert np.abs(shown(owner) - before).max() < 1e-5


def test_dragged_far_a_body_takes_the_manner_of_its_habits_as_far_as_it_is_told(bridge: Any, owner: Any) -> None:
    found = []
    for strength in (0.0, 1.0):
        owner.posewright_habit = strength
        drag(bridge, owner, "hand.L")
        drag(bridge, owner, "hand.L", (-0.45, -0.1, -0.4))
        away = 0.0
        for joint in owner.posewright_joints:
            off = np.where(joint.free, angles(bridge, owner, joint.name) - degrees(joint.rest), 0.0)
            away += float(np.array(joint.stiffness) @ off**2)
        found.append(away)
        call.goal_release(index=0)
        for goal in list(owner.posewright_goals):
            goal.dragged = False
        for bone in owner.pose.bones:
            bone.matrix_basis.identity()
        update()
    assert found[1] < 0.7 * found[0]


def test_limits_that_the_rigger_set_stay(bridge: Any) -> None:
    assert bridge
    owner = build(body(fingers=False))
    owner.pose.bones["shin.L"].use_ik_limit_x = True
    owner.pose.bones["shin.R"].constraints.new("LIMIT_ROTATION")
    set_up(owner)
    joints = owner.posewright_joints
    assert "shin.L" not in joints
    assert "shin.R" not in joints
    assert joints["thigh.L"].source == "HUMAN"
    assert "2 keep their own" in owner.posewright_set_up_done


def test_a_limit_changed_by_hand_stays_when_set_up_is_run_again(owner: Any) -> None:
    joint = owner.posewright_joints["forearm.L"]
    joint.upper[0] = 1.0
    joint.upper = joint.upper[:]  # a single number of a vector tells nobody
    assert joint.source == "HAND"
    set_up(owner)
    assert owner.posewright_joints["forearm.L"].upper[0] == pytest.approx(1.0)
    call.set_up(forget=True)
    assert owner.posewright_joints["forearm.L"].source == "HUMAN"
    assert owner.posewright_joints["forearm.L"].upper[0] > 2.0


def test_a_pose_outside_the_limits_is_told_and_does_not_move(bridge: Any) -> None:
    assert bridge
    owner = build(body(fingers=False))
    bpy.ops.object.mode_set(mode="POSE")
    bone = owner.pose.bones["forearm.L"]
    axis = bone.bone.matrix_local.to_3x3().inverted() @ Vector((0, 0, 1))
    bone.rotation_mode = "AXIS_ANGLE"
    bone.rotation_axis_angle = (math.radians(20.0), *axis)  # backward
    update()
    before = channels(owner)
    set_up(owner)
    update()
    assert channels(owner) == before
    assert "widened to the present pose: forearm.L by" in owner.posewright_set_up_done


def keyed(owner: Any, bone: str, values: list[tuple[float, float, float]], name: str = "Bending") -> Any:
    """An action that turns a bone to Euler angles in degrees, one a frame."""
    posed = owner.pose.bones[bone]
    posed.rotation_mode = "XYZ"
    for frame, value in enumerate(values):
        posed.rotation_euler = [math.radians(angle) for angle in value]
        posed.keyframe_insert("rotation_euler", frame=frame + 1)
    action = owner.animation_data.action
    action.name = name
    return action


def test_limits_from_an_action_hold_all_that_it_does_and_the_margin(bridge: Any, owner: Any) -> None:
    action = keyed(owner, "hand.L", [(10.0 * step - 30.0, 5.0, 4.0 * step) for step in range(7)])
    choose(owner, "hand.L")
    call.limits_from(source="ACTION", action=action.name, margin=math.radians(3.0))
    joint = owner.posewright_joints["hand.L"]
    assert joint.source == "ACTION"
    seen = []
    for frame in range(1, 8):
        bpy.context.scene.frame_set(frame)  # type: ignore[union-attr]
        seen.append(angles(bridge, owner, "hand.L"))
    assert np.abs(np.array(degrees(joint.lower)) - (np.min(seen, axis=0) - 3.0)).max() < 0.01
    assert np.abs(np.array(degrees(joint.upper)) - (np.max(seen, axis=0) + 3.0)).max() < 0.01


def test_an_action_that_does_not_turn_the_bones_is_told(owner: Any) -> None:
    action = keyed(owner, "hand.L", [(0, 0, 0), (1, 0, 0)])
    choose(owner, "shin.L")
    with pytest.raises(RuntimeError, match="turns none of these bones"):
        call.limits_from(source="ACTION", action=action.name)
    with pytest.raises(RuntimeError, match="There is no action 'Gone'"):
        call.limits_from(source="ACTION", action="Gone")


def test_ik_limits_taken_over_are_the_same_limits(bridge: Any, owner: Any) -> None:
    bone = owner.pose.bones["shin.L"]
    for axis, ends in zip("xyz", ((-1.0, 0.5), (-0.3, 0.2), (-0.1, 0.4)), strict=True):
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", ends[0])
        setattr(bone, f"ik_max_{axis}", ends[1])
    choose(owner, "shin.L")
    call.limits_reset()
    plain = bridge.armature.read(owner)
    call.limits_from(source="IK")
    taken = bridge.armature.read(owner)
    assert owner.posewright_joints["shin.L"].source == "IK"
    for one, other in zip(plain.tree.variables, taken.tree.variables, strict=True):
        if one.joint == "shin.L":
            assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=1e-6)


def test_a_constraint_taken_over_is_muted_and_holds_the_same_angles(bridge: Any, owner: Any) -> None:
    constraint: Any = owner.pose.bones["shin.L"].constraints.new("LIMIT_ROTATION")
    constraint.use_limit_x, constraint.min_x, constraint.max_x = True, -0.2, 1.1
    constraint.owner_space = "LOCAL"
    update()
    choose(owner, "shin.L")
    call.limits_from(source="CONSTRAINT")
    joint = owner.posewright_joints["shin.L"]
    assert constraint.mute
    assert joint.order == "XYZ"
    assert (joint.lower[0], joint.upper[0]) == pytest.approx((-0.2, 1.1))
    rig = bridge.armature.read(owner)
    found = rig.tree.variables[rig.tree.variable("shin.L", "x")]
    assert (found.lower, found.upper) == pytest.approx((-0.2, 1.1))


def test_bones_without_such_limits_are_told(owner: Any) -> None:
    choose(owner, "shin.L")
    for source, words in (("IK", "IK limits"), ("CONSTRAINT", "Limit Rotation")):
        with pytest.raises(RuntimeError, match=words):
            call.limits_from(source=source)


def test_mirrored_limits_allow_the_mirrored_pose_whatever_the_roll(bridge: Any, owner: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    owner.data.edit_bones["thigh.R"].roll += 1.0
    bpy.ops.object.mode_set(mode="POSE")
    joint = owner.posewright_joints["thigh.L"]
    joint.lower, joint.upper = (-1.0, -0.1, -0.2), (0.3, 0.7, 0.5)
    choose(owner, "thigh.L")
    call.limits_mirror()
    flipped = owner.posewright_joints["thigh.R"]
    assert degrees(flipped.lower) == pytest.approx(degrees((-1.0, -0.7, -0.5)), abs=1e-3)
    assert degrees(flipped.upper) == pytest.approx(degrees((0.3, 0.1, 0.2)), abs=1e-3)
    turn(owner, "thigh.L", 20, 10, -30)
    update()
    call.mirror_pose(direction="LEFT", goals=False)
    update()
    left, right = angles(bridge, owner, "thigh.L"), angles(bridge, owner, "thigh.R")
    assert np.abs(right - left * [1, -1, -1]).max() < 1e-2


def test_copied_limits_are_those_of_the_active_bone(owner: Any) -> None:
    owner.posewright_joints["shin.L"].upper = (1.5, 0.2, 0.1)
    choose(owner, "foot.L", "shin.L")
    call.limits_copy()
    assert degrees(owner.posewright_joints["foot.L"].upper) == degrees((1.5, 0.2, 0.1))
    assert degrees(owner.posewright_joints["foot.R"].upper) != degrees((1.5, 0.2, 0.1))


def test_reset_bones_go_by_their_ik_limits_again(bridge: Any, owner: Any) -> None:
    choose(owner, "shin.L")
    call.limits_reset()
    assert "shin.L" not in bridge.own_joints.read(owner)
    assert "shin.R" in bridge.own_joints.read(owner)
    with pytest.raises(RuntimeError, match="limits of Posewright's own"):
        call.limits_reset()


def test_a_hinge_about_an_axis_of_its_bone_is_written_back_exactly(owner: Any) -> None:
    joint = owner.posewright_joints["shin.L"]
    joint.before = joint.axes = (1.0, 0.0, 0.0, 0.0)
    joint.free, joint.lower, joint.upper = (True, False, False), (-0.3, 0.0, 0.0), (1.2, 0.0, 0.0)
    choose(owner, "shin.L")
    call.limits_write()
    bone = owner.pose.bones["shin.L"]
    assert (bone.ik_min_x, bone.ik_max_x) == pytest.approx((-0.3, 1.2), abs=1e-4)
    assert (bone.ik_min_z, bone.ik_max_z) == pytest.approx((0.0, 0.0), abs=1e-4)
    assert bone.use_ik_limit_x
    assert bone.use_ik_limit_y


def test_learnt_habits_are_what_the_action_does_and_reset_gives_back_those_of_people(owner: Any) -> None:
    people = degrees(owner.posewright_joints["hand.L"].rest)
    action = keyed(owner, "hand.L", [(20.0 + step % 3, 0.0, 0.0) for step in range(20)])
    said_then = call.learn(action=action.name)
    assert said_then == {"FINISHED"}
    learnt = owner.posewright_joints["hand.L"]
    assert degrees(learnt.rest) != people
    assert owner.posewright_joints["thigh.L"].natural
    assert action.name in owner.posewright_habits
    call.habits_reset()
    assert degrees(owner.posewright_joints["hand.L"].rest) == people


def test_habits_go_from_one_character_to_another_by_a_file(owner: Any, tmp_path: Path) -> None:
    action = keyed(owner, "hand.L", [(20.0 + step % 3, 0.0, 0.0) for step in range(20)])
    call.learn(action=action.name)
    wanted = degrees(owner.posewright_joints["hand.L"].rest)
    call.habits_save(filepath=str(tmp_path / "manner.json"))
    call.habits_reset()
    call.habits_load(filepath=str(tmp_path / "manner.json"))
    assert np.abs(np.array(degrees(owner.posewright_joints["hand.L"].rest)) - wanted).max() < 0.02
    (tmp_path / "bad.json").write_text('{"joints": 3}', encoding="utf-8")
    with pytest.raises(RuntimeError, match="no table of habits"):
        call.habits_load(filepath=str(tmp_path / "bad.json"))
    with pytest.raises(RuntimeError, match="could not be read"):
        call.habits_load(filepath=str(tmp_path / "gone.json"))


def test_too_short_an_action_teaches_nothing_and_says_so(owner: Any) -> None:
    action = keyed(owner, "hand.L", [(0, 0, 0), (5, 0, 0)])
    with pytest.raises(RuntimeError, match="fewer than 10 frames"):
        call.learn(action=action.name)


def test_who_cannot_learn_keeps_what_it_had(bridge: Any, owner: Any) -> None:
    action = keyed(owner, "hand.L", [(20.0 + step % 3, 0.0, 0.0) for step in range(20)])
    kept = bridge.joints.learning.saved(owner)
    owner.posewright_habits = kept
    owner.posewright_joints.clear()
    with pytest.raises(RuntimeError, match="No joint of the character is counted by its role"):
        call.learn(action=action.name)
    assert owner.posewright_habits == kept


@pytest.mark.parametrize("bad", [("before", (0, 0, 0, 0)), ("lower", (math.nan, 0, 0)), ("upper", (-3.0, 0, 0))])
def test_what_a_strangers_file_has_for_limits_is_passed_over_and_told(
    bridge: Any, owner: Any, bad: tuple[str, Any]
) -> None:
    joint = owner.posewright_joints["shin.L"]
    joint["lower"] = (0.0, 0.0, 0.0)
    setattr(joint, bad[0], bad[1])
    assert "shin.L" not in bridge.own_joints.read(owner)
    pin(bridge, owner, "foot.L")
    drag(bridge, owner, "pelvis", (0, 0, -0.05))
    choose(owner, "shin.L")
    assert "reset" in said("Joints")


def test_nonsense_stored_as_habits_leaves_those_of_people(bridge: Any, owner: Any) -> None:
    people = degrees(owner.posewright_joints["thigh.L"].rest)
    owner.posewright_habits = '{"unit": "degrees", "joints": {"thigh": "import os"}}'
    assert bridge.joints.human.put_habits(owner) > 10
    assert degrees(owner.posewright_joints["thigh.L"].rest) == people


def test_limits_of_joints_are_undone_in_one_step(owner: Any) -> None:
    operators.ed.undo_push(message="before")
    choose(owner, "shin.L")
    call.limits_reset()
    operators.ed.undo_push(message="after")
    operators.ed.undo()
    context: Any = bpy.context
    assert context.view_layer.objects.active.posewright_joints["shin.L"].source == "HUMAN"


def test_an_override_keeps_its_limits_over_save_and_reload(bridge: Any, tmp_path: Path) -> None:

    owner = overridden(tmp_path, bridge)
    bridge.joints.anatomical.joint_of(owner, "hips").source = "HAND"
    owner.posewright_joints["hips"].upper = (0.5, 0.25, 0.125)
    opened = reopened(tmp_path)
    assert opened.posewright_joints["hips"].upper[:] == (0.5, 0.25, 0.125)
    assert opened.posewright_joints["hips"].source == "HAND"


def test_what_blender_does_not_save_of_an_override_is_told_only_where_it_counts(bridge: Any, tmp_path: Path) -> None:
    owner = overridden(tmp_path)
    bpy.context.view_layer.objects.active = owner  # type: ignore[union-attr]
    bpy.ops.object.mode_set(mode="POSE")
    choose(owner, "shin.L")
    assert "saves no IK limits" in said("Joints")
    bridge.joints.anatomical.joint_of(owner, "shin.L").source = "HAND"
    assert "IK limits" not in said("Joints")


def test_a_pose_that_meets_its_goals_already_is_told_as_met(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "foot.L")
    update()
    assert bridge.outcome.of(owner).words == "Every goal is met"
    assert bridge.outcome.of(owner).iterations == 0
