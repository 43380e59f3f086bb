"""Set-up as an action: one step, nothing moves, what was decided by hand stays."""

import math
from pathlib import Path
from typing import Any

import bpy
import pytest

from .characters import Bones, body, build, load, rename_to_nonsense, renamed, without
from .figures import channels, drag, goal, off, pin, turn, update
from .known_skeletons import on_the_ground
from .test_linked_rigs import reopened
from .test_roles import doubts, goals, roles, set_up
from .test_sidebar import drawn, red, said

operators: Any = bpy.ops
call = operators.posewright
ENDS = {"pelvis", "chest", "head", "hand.L", "hand.R", "foot.L", "foot.R"}


@pytest.fixture
def owner(bridge: Any) -> Any:
    assert bridge
    return build(body(fingers=False))


def undo() -> Any:
    operators.ed.undo()
    context: Any = bpy.context
    return context.view_layer.objects.active


def test_set_up_adds_idle_goals_for_hands_feet_head_pelvis_and_chest(owner: Any) -> None:
    set_up(owner)
    assert set(goals(owner)) == ENDS
    assert {one.state for one in owner.posewright_goals} == {"IDLE"}
    assert owner.posewright_active_goal == 0, "the list is not shown from its top"


def test_run_again_nothing_comes_twice(owner: Any) -> None:
    first = set_up(owner)
    count = len(owner.posewright_goals), len(owner.posewright_roles)
    assert set_up(owner) == first
    assert (len(owner.posewright_goals), len(owner.posewright_roles)) == count


def test_goals_that_are_there_are_kept_as_they_are(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "foot.L", weight=3.0)
    goal(owner, "spine.1")
    owner.posewright_active_goal = 1
    update()
    set_up(owner)
    assert goals(owner)[:2] == ["foot.L", "spine.1"]
    assert sorted(goals(owner)) == sorted([*ENDS, "spine.1"])
    assert (owner.posewright_goals[0].state, owner.posewright_goals[0].weight) == ("PINNED", 3.0)
    assert owner.posewright_active_goal == 1


def test_no_bone_moves_in_a_pose_with_pins_either(bridge: Any, owner: Any) -> None:
    turn(owner, "thigh.L", 20, 5, 3)
    turn(owner, "upper_arm.R", 0, 30, 10)
    pin(bridge, owner, "hand.R")
    update()
    before = channels(owner)
    set_up(owner)
    update()
    assert channels(owner) == before


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_set_up_is_undone_in_one_step(owner: Any, mode: str) -> None:
    operators.object.mode_set(mode=mode)
    operators.ed.undo_push(message="before")
    assert call.set_up("EXEC_DEFAULT", True) == {"FINISHED"}
    assert len(owner.posewright_roles)
    owner = undo()
    assert owner.name == "Body"
    assert not len(owner.posewright_roles)
    assert not len(owner.posewright_goals)


def test_a_bone_that_was_chosen_by_hand_stays_and_has_no_other_role(owner: Any) -> None:
    set_up(owner)
    owner.posewright_roles["hand.L"].bone = "forearm.L"
    assert owner.posewright_roles["hand.L"].source == "HAND"
    found = set_up(owner)
    assert found["hand.L"] == "forearm.L"
    assert "forearm.L" not in found
    assert "by hand" in owner.posewright_roles["forearm.L"].reason
    assert "forearm.L" in goals(owner)


def test_a_role_that_was_cleared_by_hand_stays_empty_until_it_is_to_be_forgotten(owner: Any) -> None:
    set_up(owner)
    owner.posewright_roles["chest"].bone = ""
    assert "chest" not in set_up(owner)
    assert owner.posewright_roles["chest"].source == "HAND"
    call.set_up(forget=True)
    assert roles(owner)["chest"] == "chest"
    assert owner.posewright_roles["chest"].source == "NAME"


def test_choosing_a_doubtful_bone_by_hand_settles_it(bridge: Any) -> None:
    assert bridge
    owner = build(renamed(body(), {"hand.L": "foot.L", "foot.L": "hand.L"}))
    set_up(owner)
    assert "hand.L" in doubts(owner)
    owner.posewright_roles["hand.L"].bone = "foot.L"
    owner.posewright_roles["foot.L"].bone = "hand.L"
    set_up(owner)
    assert not {"hand.L", "foot.L"} & set(doubts(owner))
    assert {"hand.L", "foot.L"} <= set(goals(owner))


def test_roles_are_in_the_file(owner: Any, tmp_path: Path) -> None:
    found = set_up(owner)
    owner.posewright_roles["head"].bone = "neck.1"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "set_up.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "set_up.blend"))
    again = bpy.data.objects["Body"]
    assert roles(again) == found | {"head": "neck.1"}
    assert again.posewright_roles["head"].source == "HAND"  # type: ignore[attr-defined]


def overridden(folder: Path) -> Any:
    """The object "Hero" of this file as an override in another, active."""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(folder / "library.blend"), link=True) as (_there, wanted):
        wanted.objects = ["Hero"]
    context: Any = bpy.context
    context.scene.collection.objects.link(wanted.objects[0])
    owner = wanted.objects[0].override_create(remap_local_usages=True)
    context.view_layer.objects.active = owner
    update()
    return owner


@pytest.mark.parametrize("in_library", [False, True])
def test_an_override_of_a_linked_rig_keeps_its_roles(bridge: Any, tmp_path: Path, in_library: bool) -> None:
    assert bridge
    here = build(body(fingers=False), "Hero")
    if in_library:
        set_up(here)
    owner = overridden(tmp_path)
    found = set_up(owner)
    owner.posewright_roles["head"].bone = "neck.1"
    again = reopened(tmp_path)
    assert roles(again) == found | {"head": "neck.1"}
    names = [one.name for one in again.posewright_roles]
    assert len(names) == len(set(names))
    context: Any = bpy.context
    context.view_layer.objects.active = again
    assert set_up(again)["head"] == "neck.1"
    assert set(goals(again)) == ENDS | {"neck.1"}
    found = roles(again)
    last = reopened(tmp_path)
    assert [one.name for one in last.posewright_roles] == names
    assert roles(last) == found


def everything(owner: Any) -> dict[str, tuple[str, str, str, bool]]:
    """All that is stored of roles."""
    return {one.name: (one.bone, one.source, one.reason, one.doubtful) for one in owner.posewright_roles}


@pytest.mark.parametrize("change", ["a bone less", "a bone more", "another order"])
def test_roles_from_a_library_that_no_longer_fit_do_not_come_back(bridge: Any, tmp_path: Path, change: str) -> None:
    """Set up, then changed in the library; then set up where it is linked. Blender removes no item of a library."""
    assert bridge
    here = build(body(fingers=False), "Hero")
    set_up(here)
    if change == "another order":
        here.posewright_roles.move(0, 9)
        here.posewright_roles.move(12, 3)
    else:
        operators.object.mode_set(mode="EDIT")
        bones = here.data.edit_bones
        if change == "a bone less":
            bones["chest"].parent = bones["spine.1"]
            bones.remove(bones["spine.2"])
        else:
            bones.new("neck.2").head, bones["neck.2"].tail = (0.0, 0.01, 1.55), bones["head"].head
            bones["neck.2"].parent, bones["head"].parent = bones["neck.1"], bones["neck.2"]
        operators.object.mode_set(mode="OBJECT")
    owner = overridden(tmp_path)
    found = set_up(owner)
    assert set(found.values()) <= {bone.name for bone in owner.data.bones}
    stored = everything(owner)
    again = reopened(tmp_path)
    assert everything(again) == stored
    assert roles(again) == found


def test_an_override_s_own_role_that_no_longer_fits_is_gone(bridge: Any, tmp_path: Path) -> None:
    assert bridge
    set_up(build(body(fingers=False), "Hero"))
    owner = overridden(tmp_path)
    owner.posewright_roles.add().name = "spine.7"
    set_up(owner)
    assert "spine.7" not in owner.posewright_roles
    assert "spine.7" not in reopened(tmp_path).posewright_roles


def test_of_several_armatures_only_the_active_one_is_set_up_and_that_is_said(
    owner: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    other = build(body(fingers=False), "Other")
    owner.select_set(True)
    set_up(other)
    assert "only 'Other' was set up" in capfd.readouterr().out
    assert not len(owner.posewright_roles)


def test_the_report_says_in_a_sentence_what_was_found_and_what_not_and_why(
    bridge: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    assert bridge
    set_up(build(without(body(fingers=False), "neck.1", "thigh.R")))
    report = capfd.readouterr().out
    assert "by name" in report
    assert "added 5 goals" in report
    assert "head (" in report
    assert "right thigh" in report
    assert "thumb, index, middle, ring, little (" in report, "what is missing on both sides comes twice"


def test_the_pelvis_is_who_translates_and_the_root_above_it_stays(bridge: Any, tmp_path: Path) -> None:
    owner = load("KayKit_Knight.glb", tmp_path)
    assert "hips" not in bridge.pelvis.movers(owner).translating
    set_up(owner)
    assert bridge.pelvis.movers(owner).translating == {"hips"}
    assert bridge.pelvis.movers(owner).staying == {"root"}


def test_what_was_said_by_hand_of_who_translates_comes_before_the_role(bridge: Any, tmp_path: Path) -> None:
    owner = load("KayKit_Knight.glb", tmp_path)
    owner.posewright_joints.add().name = "hips"
    set_up(owner)
    assert "hips" not in bridge.pelvis.movers(owner).translating


def crouching(bridge: Any, bones: Bones) -> Any:
    """A character with feet and a hand pinned and its pelvis lowered; the hand was then pinned farther in front.

    So the pose is not what it settles toward.
    """
    owner = build(bones)
    for bone in ("foot.L", "foot.R", "hand.R"):
        pin(bridge, owner, bone)
    update()
    drag(bridge, owner, "pelvis", (0.04, 0.0, -0.08)).dragged = False
    update()
    owner.posewright_goals["hand.R"].place[1] -= 0.15
    update()
    return owner


def most_turned(owner: Any, before: Any) -> float:
    """By how much the bone that turned most has turned, degrees."""
    turns = [
        was.to_quaternion().rotation_difference(bone.matrix.to_quaternion()).angle
        for was, bone in zip(before, owner.pose.bones, strict=True)
    ]
    return math.degrees(max(min(turn, math.tau - turn) for turn in turns))


def farthest(owner: Any, before: Any) -> float:
    """How far the bone went that went farthest, metres."""
    pairs = zip(before, owner.pose.bones, strict=True)
    return max(float((was.translation - bone.matrix.translation).length) for was, bone in pairs)


def stands_still(owner: Any, before: Any) -> None:
    """At once, and with whatever happens next."""
    for _ in range(3):
        update()
        assert most_turned(owner, before) < 0.01
        assert farthest(owner, before) < 1e-4
        owner.update_tag()
    owner.posewright_goals["hand.R"].place[2] += 1e-5
    update()
    assert most_turned(owner, before) < 0.01


@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("chosen", ["spine.1", "chest", "thigh.L", "head", ""])
def test_nothing_jumps_when_another_bone_is_made_the_pelvis_while_pins_hold(
    bridge: Any, root: bool, chosen: str
) -> None:
    bones = body(fingers=False)
    owner = crouching(bridge, on_the_ground(bones, "root") if root else bones)
    set_up(owner)
    owner.posewright_goals["hand.R"].place[1] += 0.1
    update()
    before = [bone.matrix.copy() for bone in owner.pose.bones]
    owner.posewright_roles["pelvis"].bone = chosen
    stands_still(owner, before)
    owner.posewright_goals["hand.R"].place[2] += 0.01
    update()
    for bone in ("hand.R", "foot.L", "foot.R"):
        assert off(bridge, owner, owner.posewright_goals.find(bone)) < 1e-3


def test_nothing_jumps_when_set_up_finds_another_pelvis_than_was_taken_for_it(bridge: Any) -> None:
    bones = on_the_ground(body(fingers=False), "root")
    bones["sword"] = ("root", (0.5, 0, 0), (0.5, 0, 0.5))
    owner = crouching(bridge, bones)
    taken = bridge.pelvis.movers(owner)
    before = [bone.matrix.copy() for bone in owner.pose.bones]
    set_up(owner)
    assert bridge.pelvis.movers(owner) != taken
    stands_still(owner, before)


def test_nothing_jumps_when_a_bone_is_let_move_while_pins_hold(bridge: Any) -> None:
    owner = crouching(bridge, body(fingers=False))
    before = [bone.matrix.copy() for bone in owner.pose.bones]
    call.joint_moves(bone="chest")
    assert "chest" in bridge.pelvis.movers(owner).translating
    stands_still(owner, before)


def test_after_set_up_a_drag_moves_the_hips_and_not_the_root(bridge: Any, tmp_path: Path) -> None:
    owner = load("KayKit_Knight.glb", tmp_path)
    set_up(owner)
    foot = next(one for one in owner.posewright_goals if one.bone == "hips")
    bridge.places.put(owner, foot, bridge.places.on_bone(owner, foot))
    foot.dragged = True
    update()
    foot.place.z -= 0.05
    update()
    assert owner.pose.bones["root"].location.length == 0.0
    assert owner.pose.bones["hips"].location.length > 0.04


def test_the_panel_has_the_button_and_then_the_list(owner: Any) -> None:
    assert said("Set Up") == "Set Up Character"
    assert "Press Set Up Character" in said("Goals")
    set_up(owner)
    texts = [text for text, _ in drawn()["Set Up"]]
    assert {"pelvis", "hand.L", "toe.R"} <= set(texts)
    assert "pelvis: by name" in texts
    assert not red("Set Up")


def test_the_panel_tells_a_doubt_and_a_bone_that_is_gone_in_red(bridge: Any) -> None:
    assert bridge
    owner = build(renamed(body(), {"hand.L": "foot.L", "foot.L": "hand.L"}))
    set_up(owner)
    assert "2 doubtful" in red("Set Up")
    call.set_up(forget=True)
    owner.posewright_active_role = owner.posewright_roles.find("hand.L")
    assert "belongs to the left leg" in said("Set Up")
    owner.data.bones["head"].name = "skull"
    owner.posewright_active_role = owner.posewright_roles.find("head")
    assert "There is no bone 'head'" in red("Set Up")


def test_set_up_is_grey_with_a_reason_where_it_makes_no_sense(bridge: Any) -> None:
    assert bridge
    with pytest.raises(RuntimeError, match="no active object"):
        call.set_up()
    owner = build(body(fingers=False))
    operators.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Edit Mode"):
        call.set_up()
    operators.object.mode_set(mode="OBJECT")
    rename_to_nonsense(owner)
    assert call.set_up() == {"FINISHED"}
