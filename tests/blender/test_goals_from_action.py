"""Goals from an animation: the clip plays as before, and its hands and feet can be moved by their goals' curves."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from numpy.testing import assert_allclose

from .characters import activate, body, build, load
from .figures import channels, turn, update

operators: Any = bpy.ops
call = operators.posewright
LIMBS = ("hand.L", "hand.R", "foot.L", "foot.R")
FRAMES = range(1, 21)
Floats = Any


@pytest.fixture
def owner(bridge: Any) -> Any:
    """A person who turns somersaults and waves: keys on every fifth frame, in quaternions and Euler angles."""
    assert bridge
    found = build(body(fingers=False), "Hero")
    found.location, found.rotation_euler.z = (0.5, -0.3, 0.1), 0.7
    found.pose.bones["forearm.R"].rotation_mode = "XYZ"
    call.set_up(limits=False)
    for frame in (1, 6, 11, 16, 20):
        turn(found, "pelvis", 36 * frame, 0, 0)
        turn(found, "upper_arm.L", 20 * math.sin(frame), 10, 3 * frame)
        turn(found, "thigh.R", -30 * math.cos(frame), 0, 5)
        found.pose.bones["forearm.R"].rotation_euler = (0.02 * frame, 0.0, -0.05 * frame)
        found.pose.bones["pelvis"].location = (0.02 * frame, 0.3 * math.sin(frame / 5), 0.0)
        for bone, name in (
            ("pelvis", "rotation_quaternion"),
            ("pelvis", "location"),
            ("upper_arm.L", "rotation_quaternion"),
            ("thigh.R", "rotation_quaternion"),
            ("forearm.R", "rotation_euler"),
        ):
            found.pose.bones[bone].keyframe_insert(name, frame=frame)
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    scene.frame_set(7)
    return found


def show(frame: int) -> None:
    scene: Any = bpy.context.scene
    scene.frame_set(frame)


def played(owner: Any, frames: Any = FRAMES) -> Floats:
    """What is seen of all bones [frames, bones, 4, 4], in the world."""
    found = []
    for frame in frames:
        show(frame)
        found.append([np.array(owner.matrix_world @ bone.matrix) for bone in owner.pose.bones])
    return np.array(found)


def assert_same(one: Floats, other: Floats) -> None:
    """The same to 0.01° and 0.1 mm at all joints."""
    assert_allclose(one[..., :3, 3], other[..., :3, 3], atol=1e-4)
    chord = np.linalg.norm(one[..., :3, :3] - other[..., :3, :3], axis=(-1, -2)) / math.sqrt(2.0)
    assert chord.max() < math.radians(0.01)


def curves(bridge: Any, owner: Any, bone: str, name: str) -> list[Any]:
    index = next(place for place, one in enumerate(owner.posewright_goals) if one.bone == bone)
    found = bridge.action_curves.of_action(owner.animation_data.action, owner)
    wanted = f"posewright_goals[{index}].{name}"
    return sorted((one for one in found if one.data_path == wanted), key=lambda one: one.array_index)


def keys(curve: Any) -> Floats:
    found = np.zeros((len(curve.keyframe_points), 2), np.float32)
    curve.keyframe_points.foreach_get("co", found.ravel())
    return found


def test_the_clip_plays_as_before_and_the_frame_stays(bridge: Any, owner: Any) -> None:
    before = played(owner)
    show(7)
    assert call.goals_from_action() == {"FINISHED"}
    scene: Any = bpy.context.scene
    assert scene.frame_current == 7
    update()
    assert_same(played(owner), before)
    pinned = [one for one in owner.posewright_goals if one.state == "PINNED"]
    assert {one.bone for one in pinned} == set(LIMBS)
    assert all((one.space, one.position, one.orientation) == ("WORLD", 1.0, 1.0) for one in pinned)
    assert all(one.reached for one in bridge.outcome.of(owner).goals.values())


def test_every_frame_has_a_key_and_turns_never_flip(bridge: Any, owner: Any) -> None:
    call.goals_from_action()
    for bone in LIMBS:
        places, turns = curves(bridge, owner, bone, "place"), curves(bridge, owner, bone, "turn")
        assert (len(places), len(turns)) == (3, 4)
        assert all(keys(curve)[:, 0].tolist() == list(FRAMES) for curve in (*places, *turns))
        quaternions = np.stack([keys(curve)[:, 1] for curve in turns], axis=1)
        assert ((quaternions[1:] * quaternions[:-1]).sum(axis=1) > 0.0).all()
        assert_allclose(np.linalg.norm(quaternions, axis=1), 1.0, atol=1e-5)


def test_moving_a_curve_moves_the_limb_and_the_others_hold(bridge: Any, owner: Any) -> None:
    call.goals_from_action()
    before = played(owner, (5, 13))
    curve = curves(bridge, owner, "hand.R", "place")[2]
    moved = keys(curve)
    moved[:, 1] += 0.05
    curve.keyframe_points.foreach_set("co", moved.ravel())
    curve.update()
    moved_by = played(owner, (5, 13))[..., :3, 3] - before[..., :3, 3]
    names = [bone.name for bone in owner.pose.bones]
    assert_allclose(moved_by[:, names.index("hand.R")], [[0.0, 0.0, 0.05]] * 2, atol=1e-3)
    for bone in ("hand.L", "foot.L", "foot.R"):
        assert_allclose(moved_by[:, names.index(bone)], 0.0, atol=1e-3)


def test_the_range_is_the_one_that_was_chosen(bridge: Any, owner: Any) -> None:
    scene: Any = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 4, 9
    scene.frame_end = 12
    ranges = {"SCENE": (1, 12), "PREVIEW": (4, 9), "ACTION": (1, 20), "CUSTOM": (-3, 2)}
    for over, ends in ranges.items():
        call.goals_from_action(over=over, start=-3, end=2)
        curve = curves(bridge, owner, "foot.L", "place")[0]
        found = keys(curve)[:, 0]
        assert set(range(ends[0], ends[1] + 1)) <= set(found.tolist()), over
        for one in list(curves(bridge, owner, "foot.L", "place")):
            one.keyframe_points.clear()


def test_steps_leave_frames_out_but_never_the_last(bridge: Any, owner: Any) -> None:
    call.goals_from_action(over="CUSTOM", start=1, end=9, step=3)
    assert keys(curves(bridge, owner, "foot.L", "place")[0])[:, 0].tolist() == [1, 4, 7, 9]
    before = played(owner, (4, 7))
    owner.posewright_live = False
    assert_same(played(owner, (4, 7)), before)


def test_keys_outside_of_the_range_stay(bridge: Any, owner: Any) -> None:
    call.goals_from_action(over="CUSTOM", start=1, end=20)
    curve = curves(bridge, owner, "hand.L", "place")[0]
    moved = keys(curve)
    moved[:, 1] += 1.0
    curve.keyframe_points.foreach_set("co", moved.ravel())
    curve.update()
    call.goals_from_action(over="CUSTOM", start=5, end=8)
    again = keys(curves(bridge, owner, "hand.L", "place")[0])
    assert again[:, 0].tolist() == list(FRAMES)
    apart = np.abs(again[:, 1] - moved[:, 1])
    assert_allclose(apart, [1.0 if 5 <= frame <= 8 else 0.0 for frame in FRAMES], atol=1e-4)


@pytest.mark.parametrize(
    ("which", "bones"),
    [("ACTIVE", {"head"}), ("BONES", {"chest", "shin.L"}), ("ALL", {"pelvis", "chest", "head", *LIMBS})],
)
def test_which_goals_get_the_motion_can_be_chosen(bridge: Any, owner: Any, which: str, bones: set[str]) -> None:
    assert bridge
    owner.posewright_active_goal = next(place for place, one in enumerate(owner.posewright_goals) if one.bone == "head")
    bpy.ops.object.mode_set(mode="POSE")
    for bone in owner.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in {"chest", "shin.L"}
    before = played(owner, (3, 12))
    call.goals_from_action(which=which)
    assert {one.bone for one in owner.posewright_goals if one.state == "PINNED"} == bones
    assert_same(played(owner, (3, 12)), before)


def test_a_character_without_roles_gets_its_goals_by_what_its_bones_are(bridge: Any, owner: Any) -> None:
    assert bridge
    owner.posewright_roles.clear()
    owner.posewright_goals.clear()
    call.goals_from_action()
    assert {one.bone for one in owner.posewright_goals} == set(LIMBS)
    assert not len(owner.posewright_roles)


def snapshot(bridge: Any, owner: Any) -> tuple[Any, ...]:
    action = owner.animation_data.action if owner.animation_data else None
    listed = list(bridge.action_curves.of_action(action, owner)) if action else []
    found = [(one.data_path, one.array_index, keys(one).tobytes()) for one in listed]
    scene: Any = bpy.context.scene
    goals = [(one.name, one.state, one.place[:]) for one in owner.posewright_goals]
    return found, goals, scene.frame_current, channels(owner)


def refused(bridge: Any, owner: Any, words: str, **given: Any) -> None:
    before = snapshot(bridge, owner)
    with pytest.raises(RuntimeError, match=words):
        call.goals_from_action(**given)
    assert snapshot(bridge, owner) == before


def test_bad_input_is_told_and_changes_nothing(bridge: Any, owner: Any) -> None:
    refused(bridge, owner, "ends before it begins", over="CUSTOM", start=10, end=9)
    refused(bridge, owner, "no preview range", over="PREVIEW")
    refused(bridge, owner, "No bone is selected", which="BONES")
    refused(bridge, owner, "more than 100000: choose a shorter one", over="CUSTOM", start=0, end=1_000_000)
    call.goals_from_action()
    for name in ("lock", "mute"):
        curve = curves(bridge, owner, "foot.R", "turn")[1]
        setattr(curve, name, True)
        refused(bridge, owner, "locked or muted")
        setattr(curve, name, False)
    index = next(place for place, one in enumerate(owner.posewright_goals) if one.bone == "foot.L")
    owner.driver_add(f"posewright_goals[{index}].place", 0)
    show(7)
    refused(bridge, owner, "is driven")
    owner.driver_remove(f"posewright_goals[{index}].place", 0)
    owner.animation_data_clear()
    refused(bridge, owner, "'Hero' has no action")


def test_a_linked_action_is_refused(bridge: Any, owner: Any, tmp_path: Path) -> None:
    owner.animation_data.action.name = "Somersault"
    for name in ("library", "shot"):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / f"{name}.blend"))
    libraries: Any = bpy.data.libraries
    with libraries.load(str(tmp_path / "library.blend"), link=True) as (_there, wanted):
        wanted.actions = ["Somersault"]
    linked = wanted.actions[0]
    owner.animation_data.action = linked
    if hasattr(linked, "slots"):
        owner.animation_data.action_slot = linked.slots[0]
    update()
    refused(bridge, owner, "is linked")


def test_goals_from_an_animation_are_undone_in_one_step(bridge: Any, owner: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    before = snapshot(bridge, owner)
    call.goals_from_action("EXEC_DEFAULT", True)
    assert snapshot(bridge, owner) != before
    bpy.ops.ed.undo()
    update()
    assert snapshot(bridge, bpy.data.objects["Hero"]) == before


def test_they_are_there_when_the_file_is_opened_again(bridge: Any, owner: Any, tmp_path: Path) -> None:
    assert bridge
    call.goals_from_action()
    before = played(owner, (3, 12))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert_same(played(bpy.data.objects["Hero"], (3, 12)), before)


def test_an_override_gets_goals_from_its_own_action(bridge: Any, owner: Any, tmp_path: Path) -> None:
    assert bridge
    owner.animation_data.action = None
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(tmp_path / "library.blend"), link=True) as (_there, wanted):
        wanted.objects = ["Hero"]
    context: Any = bpy.context
    context.scene.collection.objects.link(wanted.objects[0])
    found = wanted.objects[0].override_create(remap_local_usages=True)
    activate(found)
    for frame, degrees in ((1, 0.0), (5, 40.0)):
        turn(found, "upper_arm.L", 0, 0, degrees)
        found.pose.bones["upper_arm.L"].keyframe_insert("rotation_quaternion", frame=frame)
    before = played(found, (1, 3, 5))
    call.goals_from_action(over="ACTION")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    objects: Any = bpy.data.objects
    again = next(one for one in objects if one.override_library and one.type == "ARMATURE")
    assert sum(one.state == "PINNED" for one in again.posewright_goals) == 4
    assert_same(played(again, (1, 3, 5)), before)


def test_a_captured_clip_plays_as_before_though_it_goes_beyond_its_limits(bridge: Any, tmp_path: Path) -> None:
    assert bridge
    owner = load("07_01.bvh", tmp_path)
    owner.matrix_world = Matrix.Scale(0.05644, 4)
    update()
    call.set_up()
    frames = (30, 31, 90, 150)
    before = played(owner, frames)
    call.goals_from_action(over="CUSTOM", start=28, end=152, step=1)
    assert_same(played(owner, frames), before)
