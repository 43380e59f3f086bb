"""A rig that Rigify has generated: limbs are put on their FK controls, nothing that is seen moves, and drags show."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from .characters import load, rename_to_nonsense
from .figures import channels, drag, pin, shown, update
from .test_roles import goals, reasons, roles, set_up
from .test_set_up import undo
from .test_sidebar import said

operators: Any = bpy.ops
SWITCHES = ("thigh_parent.L", "thigh_parent.R", "upper_arm_parent.L", "upper_arm_parent.R")  # in the order of bones
LIMBS = ("left arm", "right arm", "left leg", "right leg")
FIRST = ("upper_arm_fk.L", "upper_arm_fk.R", "thigh_fk.L", "thigh_fk.R")
ALLOWED = 0.01  # degrees that a bone may turn by


@pytest.fixture
def rig(bridge: Any, tmp_path: Path) -> Any:
    assert bridge
    return load("Rigify rig", tmp_path)


def switches(rig: Any) -> list[float]:
    return [bone["IK_FK"] for bone in rig.pose.bones if "IK_FK" in bone.keys()]  # noqa: SIM118 - no dictionary


def other_settings(rig: Any) -> dict[str, Any]:
    """All custom properties but the switches: parents, followers, stretch."""
    return {
        f"{bone.name} {key}": value
        for bone in rig.pose.bones
        for key, value in bone.items()
        if key != "IK_FK" and isinstance(value, int | float)
    }


def done(rig: Any) -> list[str]:
    return list(rig.posewright_set_up_done.split("\n"))


def said_of(rig: Any, limb: str) -> str:
    return next(line for line in done(rig) if line.startswith(limb))


def turned(rig: Any, before: Any) -> tuple[float, float]:
    """How far bones have turned (degrees) and moved at most, but for the FK controls and what hangs on them."""
    controls = {bone.name for name in FIRST for bone in (rig.pose.bones[name],)}
    controls |= {below.name for name in FIRST for below in rig.pose.bones[name].children_recursive}
    rows = [row for row, bone in enumerate(rig.pose.bones) if bone.name not in controls]
    now, before = shown(rig)[rows], before[rows]
    unit = [one[:, :3, :3] / np.linalg.norm(one[:, :3, :3], axis=1, keepdims=True) for one in (before, now)]
    angle = 2.0 * np.arcsin(np.linalg.norm(unit[0] - unit[1], axis=1).clip(max=2.0) / 2.0)
    return float(np.degrees(angle.max())), float(np.linalg.norm(before[:, :3, 3] - now[:, :3, 3], axis=1).max())


def at_rest(_rig: Any) -> None:
    pass


def bent(rig: Any) -> None:
    rig.pose.bones["hand_ik.L"].location = (0.05, 0.2, 0.1)
    rig.pose.bones["hand_ik.L"].rotation_quaternion = Quaternion((1, 2, 0), 0.5)
    rig.pose.bones["foot_ik.R"].location = (0, -0.1, 0.3)
    rig.pose.bones["toe_ik.L"].rotation_quaternion = Quaternion((1, 0, 0), 0.3)
    rig.pose.bones["foot_heel_ik.R"].rotation_euler = (0.4, 0, 0.2)
    rig.pose.bones["torso"].location = (0.05, 0.1, -0.15)
    rig.pose.bones["chest"].rotation_quaternion = Quaternion((1, 0.3, 0), 0.2)


def stretched(rig: Any) -> None:
    rig.pose.bones["hand_ik.R"].location = (0.5, 0.2, 0.6)
    rig.pose.bones["foot_ik.L"].location = (0.3, -0.5, -0.4)
    rig.pose.bones["foot_ik.L"].scale = (1.2, 1.2, 1.2)


def half_way(rig: Any) -> None:
    bent(rig)
    for name, value in zip(SWITCHES, (0.25, 0.9, 0.5, 0.0), strict=True):
        rig.pose.bones[name]["IK_FK"] = value
    rig.pose.bones["upper_arm_fk.L"].rotation_quaternion = Quaternion((0, 1, 1), 0.4)


def in_euler_angles(rig: Any) -> None:
    for name in ("upper_arm_fk.L", "forearm_fk.L", "shin_fk.R"):
        rig.pose.bones[name].rotation_mode = "ZYX"
    rig.pose.bones["hand_fk.L"].rotation_mode = "AXIS_ANGLE"
    bent(rig)


def with_a_pole(rig: Any) -> None:
    rig.pose.bones["upper_arm_parent.L"]["pole_vector"] = True
    rig.pose.bones["upper_arm_parent.R"]["FK_limb_follow"] = 1.0
    rig.pose.bones["hand_ik.L"].location = (-0.1, 0.2, 0.1)
    rig.pose.bones["upper_arm_ik_target.L"].location = (0.2, 0.2, 0.3)
    rig.pose.bones["hand_ik.R"].location = (0.1, 0.1, 0.1)


@pytest.mark.parametrize("posed", [at_rest, bent, stretched, half_way, in_euler_angles, with_a_pole])
def test_limbs_are_put_on_their_fk_controls_and_nothing_that_is_seen_moves(
    rig: Any, posed: Callable[[Any], None]
) -> None:
    posed(rig)
    rig.update_tag()
    update()
    before, settings, stored = shown(rig), other_settings(rig), channels(rig)
    set_up(rig)
    update()
    assert switches(rig) == [1.0] * 4
    angle, away = turned(rig, before)
    assert angle < ALLOWED
    assert away < 1e-4
    assert other_settings(rig) == settings
    assert (channels(rig) == stored) == (posed is at_rest)
    assert {said_of(rig, limb).split(" (")[0] for limb in LIMBS} == {f"{limb}: switched to FK" for limb in LIMBS}
    for control, follower in (("hand_fk.L", "ORG-hand.L"), ("toe_fk.R", "ORG-toe.R")):
        apart = np.array(rig.pose.bones[control].matrix) - np.array(rig.pose.bones[follower].matrix)
        assert np.abs(apart).max() < 1e-5


def test_the_pose_that_the_ik_controls_made_would_be_lost_without_snapping(rig: Any) -> None:
    """The test before this one can fail."""
    bent(rig)
    update()
    before = shown(rig)
    for name in SWITCHES:
        rig.pose.bones[name]["IK_FK"] = 1.0
    rig.update_tag()
    update()
    assert turned(rig, before)[0] > 10.0


def test_all_of_it_is_undone_in_one_step(rig: Any) -> None:
    bent(rig)
    update()
    operators.ed.undo_push(message="before")
    before, stored = shown(rig), channels(rig)
    assert operators.posewright.set_up("EXEC_DEFAULT", True) == {"FINISHED"}
    assert switches(rig) == [1.0] * 4
    rig = undo()
    update()
    assert switches(rig) == [0.0] * 4
    assert channels(rig) == stored
    assert np.array_equal(shown(rig), before)
    assert not rig.posewright_set_up_done
    assert not len(rig.posewright_roles)


def test_run_again_it_says_that_limbs_are_at_fk_and_changes_nothing(rig: Any) -> None:
    bent(rig)
    update()
    set_up(rig)
    update()
    stored = channels(rig)
    set_up(rig)
    assert channels(rig) == stored
    assert "is at FK ('IK_FK' of 'upper_arm_parent.L')" in said_of(rig, "left arm")
    assert len(goals(rig)) == 7


def keyed(rig: Any) -> str:
    rig.pose.bones["upper_arm_parent.L"].keyframe_insert('["IK_FK"]', frame=1)
    return "is keyed"


def driven(rig: Any) -> str:
    rig.pose.bones["upper_arm_parent.L"].driver_add('["IK_FK"]').driver.expression = "0"
    return "is driven"


def animated(rig: Any) -> str:
    rig.pose.bones["torso"].keyframe_insert("location", frame=1)
    return "the rig is animated"


def locked(rig: Any) -> str:
    rig.pose.bones["forearm_fk.L"].lock_rotation = (True, True, True)
    return "the rotation of 'forearm_fk.L' is locked"


def limited(rig: Any) -> str:
    limit: Any = rig.pose.bones["upper_arm_fk.L"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    limit.owner_space = "LOCAL"
    return "cannot show the pose that is seen"


def muted(rig: Any) -> str:
    for name in ("upper_arm", "forearm", "hand"):
        rig.pose.bones[f"ORG-{name}.L"].constraints[0].mute = True
    return "no single switch"


@pytest.mark.parametrize("hinder", [keyed, driven, animated, locked, limited, muted])
def test_what_is_animated_locked_or_cannot_be_shown_is_left_and_listed(rig: Any, hinder: Callable[[Any], str]) -> None:
    bent(rig)
    why = hinder(rig)
    update()
    before, stored = shown(rig), channels(rig)
    set_up(rig)
    update()
    assert rig.pose.bones["upper_arm_parent.L"]["IK_FK"] == 0.0
    assert why in said_of(rig, "left arm")
    assert why in said("Set Up")
    assert turned(rig, before)[0] < ALLOWED
    assert "hand_fk.L" not in goals(rig)  # a drag of it would not be seen
    if hinder is animated:
        assert channels(rig) == stored
        assert switches(rig) == [0.0] * 4
    else:
        assert switches(rig) == [1.0, 1.0, 0.0, 1.0] or hinder is keyed
        assert "hand_fk.R" in goals(rig) or hinder is keyed


def test_a_limb_whose_fk_control_is_pinned_is_left_and_the_pin_is_named(bridge: Any, rig: Any) -> None:
    pin(bridge, rig, "hand_fk.L")
    bent(rig)
    update()
    before = shown(rig)
    set_up(rig)
    update()
    assert "the goal 'hand_fk.L' holds 'hand_fk.L': release it" in said_of(rig, "left arm")
    assert switches(rig) == [1.0, 1.0, 0.0, 1.0]
    assert turned(rig, before)[0] < ALLOWED


def test_a_limb_with_a_bone_that_was_chosen_by_hand_is_left(rig: Any) -> None:
    set_up(rig)
    for name in SWITCHES:
        rig.pose.bones[name]["IK_FK"] = 0.0
    rig.posewright_roles["hand.L"].bone = "hand_ik.L"
    set_up(rig)
    assert "chosen by hand" in said_of(rig, "left arm")
    assert switches(rig) == [1.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("posed", [at_rest, bent])
@pytest.mark.parametrize(
    ("bone", "deform"),
    [
        ("hand_fk.L", "DEF-hand.L"),
        ("foot_fk.R", "DEF-foot.R"),
        ("spine_fk.003", "DEF-spine.003"),
        ("torso", "DEF-spine"),
    ],
)
def test_what_is_dragged_takes_the_deforming_bones_along_and_other_trunk_controls_stay(
    bridge: Any, rig: Any, bone: str, deform: str, posed: Callable[[Any], None]
) -> None:
    posed(rig)
    update()
    set_up(rig)
    update()
    staying = [rig.pose.bones[name] for name in bridge.roles.rigify.staying(rig.pose.bones)]
    assert len(staying) == 8
    before, own = rig.pose.bones[deform].head.copy(), [one.matrix_basis.copy() for one in staying]
    by = (0.03, -0.12, 0.06)
    drag(bridge, rig, bone)
    drag(bridge, rig, bone, by)
    moved = np.array(rig.pose.bones[deform].head - before)
    assert np.abs(moved - by).max() < 2e-3
    assert [one.matrix_basis for one in staying] == own
    assert all(one.name in done(rig)[-1] for one in staying)


def test_the_panel_lists_what_was_switched_and_what_stays(rig: Any) -> None:
    set_up(rig)
    text = said("Set Up")
    assert "left arm: switched to FK" in text
    assert "stay put: chest, hips" in text
    rig.posewright_active_role = rig.posewright_roles.find("hand.L")
    assert "an FK control; left arm: switched to FK" in said("Set Up")


def test_without_its_names_a_generated_rig_is_not_guessed_at_and_the_reasons_are_listed(rig: Any) -> None:
    rename_to_nonsense(rig)
    set_up(rig)
    assert not roles(rig)
    assert not goals(rig)
    assert "lie upon others" in reasons(rig)["hand.L"]
    assert switches(rig) == [0.0] * 4
