"""How much of a body moves: all, a part, the chosen bones. Bones outside stay to the last bit."""

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from . import characters
from .figures import drag, figure, goal, off, pin, turn, update

operators: Any = bpy.ops
call = operators.posewright
ARM_L = {"arm.L", "forearm.L", "hand.L"}


@pytest.fixture
def owner(bridge: Any) -> Any:
    assert bridge
    return figure()


def own(owner: Any) -> dict[str, bytes]:
    """What each bone stores of its pose."""
    names = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    return {
        bone.name: b"".join(np.array(getattr(bone, name), np.float32).tobytes() for name in names)
        for bone in owner.pose.bones
    }


def changed(before: dict[str, bytes], owner: Any) -> set[str]:
    return {name for name, value in own(owner).items() if value != before[name]}


def select(owner: Any, *names: str) -> None:
    for bone in owner.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names


def test_a_body_moves_as_a_whole_unless_told_otherwise(bridge: Any, owner: Any) -> None:
    before = own(owner)
    drag(bridge, owner, "hand.L", (0.3, -0.2, 0.2))
    assert owner.posewright_mode == "FULL"
    assert {"pelvis", "spine"} <= changed(before, owner)


def test_in_the_mode_of_parts_only_the_dragged_limb_moves_and_the_others_stay_to_the_last_bit(
    bridge: Any, owner: Any
) -> None:
    for bone in ("pelvis", "spine"):
        owner.pose.bones[bone].rotation_mode = "YZX"
    owner.pose.bones["spine"].rotation_euler = (0.1, 0.2, -0.3)
    pin(bridge, owner, "foot.L")
    update()
    call.mode(mode="PART")
    before = own(owner)
    made = drag(bridge, owner, "hand.L", (-0.1, -0.2, 0.1))
    assert changed(before, owner) == {"arm.L", "forearm.L"}  # the goal is the hand's head: the hand need not turn
    index = list(owner.posewright_goals).index(made)
    assert off(bridge, owner, index) < 1e-3
    for way in ((0.2, 0.3, 0.0), (0.0, -0.3, 0.2), (-0.3, 0.0, 0.0)):
        drag(bridge, owner, "hand.L", way)
        assert changed(before, owner) <= ARM_L


def test_what_the_limb_cannot_reach_is_said(bridge: Any, owner: Any) -> None:
    call.mode(mode="PART")
    before = own(owner)
    made = drag(bridge, owner, "hand.L", (0.8, 0.0, 0.0))
    index = list(owner.posewright_goals).index(made)
    assert changed(before, owner) <= ARM_L
    assert not bridge.outcome.of(owner).goals[index].reached
    assert bridge.outcome.of(owner).goals[index].metres > 0.5


def test_a_limb_that_cannot_move_at_all_is_no_error(bridge: Any, owner: Any) -> None:
    for bone in ARM_L:
        for axis in "xyz":
            setattr(owner.pose.bones[bone], f"lock_ik_{axis}", True)
    call.mode(mode="PART")
    before = own(owner)
    drag(bridge, owner, "hand.L", (0.1, 0.1, 0.1))
    assert owner.posewright_live, bridge.outcome.of(owner).error
    assert not changed(before, owner)


def test_pins_hold_in_every_mode_and_the_drag_falls_short(bridge: Any, owner: Any) -> None:
    foot = pin(bridge, owner, "foot.L")
    update()
    call.mode(mode="PART")
    before, place = own(owner), owner.posewright_goals[foot].place.copy()
    made = drag(bridge, owner, "pelvis", (0.1, 0.0, 0.05))
    assert changed(before, owner) <= {"pelvis"}
    assert off(bridge, owner, foot) < 1e-3
    assert not bridge.outcome.of(owner).goals[list(owner.posewright_goals).index(made)].reached
    made.dragged = False
    update()
    assert changed(before, owner) <= {"pelvis"}, "what is let go does not move the limbs that were outside"
    assert owner.posewright_goals[foot].place == place


def test_with_pins_let_go_the_pelvis_goes_alone_and_carries_them_along(bridge: Any, owner: Any) -> None:
    foot = pin(bridge, owner, "foot.L")
    update()
    call.mode(mode="PART")
    before, place = own(owner), owner.posewright_goals[foot].place.copy()
    assert call.drag(bone="pelvis", value=(0.1, 0.0, 0.05), free_pins=True) == {"FINISHED"}
    assert changed(before, owner) == {"pelvis"}
    assert (owner.posewright_goals[foot].place - place - Vector((0.1, 0.0, 0.05))).length < 1e-4
    assert off(bridge, owner, foot) < 1e-5


def test_a_pin_that_holds_through_the_drag_stays_where_it_was(bridge: Any, owner: Any) -> None:
    foot = pin(bridge, owner, "foot.L")
    update()
    call.mode(mode="PART")
    place = owner.posewright_goals[foot].place.copy()
    call.drag(bone="hand.L", value=(-0.1, 0.0, 0.1))
    assert owner.posewright_goals[foot].place == place


def test_pins_hold_by_their_own_limbs_when_a_bone_is_turned_by_hand(bridge: Any, owner: Any) -> None:
    foot = pin(bridge, owner, "foot.L", orientation=0.0)
    update()
    call.mode(mode="PART")
    before = own(owner)
    turn(owner, "pelvis", 0, 8, 0)
    update()
    assert off(bridge, owner, foot) < 1e-3
    assert changed(before, owner) <= {"pelvis", "leg.L", "shin.L", "foot.L"}


def test_only_chosen_bones_move_whatever_is_selected_later(bridge: Any, owner: Any) -> None:
    select(owner, "forearm.L", "arm.L")
    assert call.mode(mode="SELECTION") == {"FINISHED"}
    select(owner, "pelvis")
    update()
    before = own(owner)
    drag(bridge, owner, "hand.L", (-0.1, -0.2, 0.1))
    assert changed(before, owner) == {"arm.L", "forearm.L"}


def test_taking_the_selection_again_chooses_anew_and_without_one_keeps_the_old(owner: Any) -> None:
    select(owner, "arm.L")
    call.mode(mode="SELECTION")
    select(owner, "hand.L", "forearm.L")
    call.mode(mode="SELECTION")
    assert {one.name for one in owner.posewright_chosen if one.moves} == {"hand.L", "forearm.L"}
    call.mode(mode="FULL")
    select(owner)
    call.mode(mode="SELECTION")
    assert {one.name for one in owner.posewright_chosen if one.moves} == {"hand.L", "forearm.L"}


def test_with_nothing_chosen_neither_mode_nor_drag_can_be_had_and_both_say_why(owner: Any) -> None:
    select(owner)
    with pytest.raises(RuntimeError, match="Select the bones"):
        call.mode(mode="SELECTION")
    assert owner.posewright_mode == "FULL"
    owner.posewright_mode = "SELECTION"  # as a script may
    with pytest.raises(RuntimeError, match="No bones are chosen"):
        call.drag(bone="hand.L", value=(0.1, 0.0, 0.0))


def test_pins_unmet_by_chosen_bones_are_shown_as_such_and_nothing_else_gives_way(bridge: Any, owner: Any) -> None:
    hand = pin(bridge, owner, "hand.L")
    update()
    select(owner, "shin.R")
    call.mode(mode="SELECTION")
    before = own(owner)
    turn(owner, "spine", 10, 0, 0)
    update()
    assert changed(before, owner) == {"spine"}
    assert not bridge.outcome.of(owner).goals[hand].reached


def test_taking_a_mode_moves_nothing_even_away_from_the_reference(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "foot.R")
    made = goal(owner, "hand.L", state="PINNED")
    bridge.places.put(owner, made, bridge.places.on_bone(owner, made))
    update()
    made = owner.posewright_goals[1]
    made.place = made.place + Vector((-0.1, -0.2, 0.1))
    update()
    before = own(owner)
    for mode in ("PART", "SELECTION", "PART"):
        select(owner, "spine")
        call.mode(mode=mode)
        update()
        assert not changed(before, owner)


def test_mode_and_chosen_bones_are_stored_and_come_back_with_undo(bridge: Any, owner: Any) -> None:
    assert bridge
    name = owner.name
    select(owner, "arm.L")
    bpy.ops.ed.undo_push(message="before")
    owner.posewright_mode = "PART"
    bpy.ops.ed.undo_push(message="part")
    bridge.modes.switch(owner, "SELECTION")
    bpy.ops.ed.undo_push(message="selection")
    bpy.ops.ed.undo()
    again: Any = bpy.data.objects[name]
    assert (again.posewright_mode, len(again.posewright_chosen)) == ("PART", 0)
    bpy.ops.ed.redo()
    again = bpy.data.objects[name]
    assert (again.posewright_mode, [one.name for one in again.posewright_chosen]) == ("SELECTION", ["arm.L"])


def test_searching_for_another_way_moves_only_what_may(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    call.mode(mode="PART")
    before = own(owner)
    bridge.live.solve_once(owner, None, bridge.searching.Elsewhere(seed=3))
    assert changed(before, owner)
    assert changed(before, owner) <= ARM_L


@pytest.mark.parametrize(
    ("bone", "wanted"),
    [
        ("hand.L", {"shoulder.L", "upper_arm.L", "forearm.L", "hand.L"}),
        ("shoulder.R", {"shoulder.R", "upper_arm.R", "forearm.R", "hand.R"}),
        ("foot.R", {"thigh.R", "shin.R", "foot.R", "toe.R"}),
        ("head", {"neck.1", "head"}),
        ("chest", {"spine.1", "spine.2", "chest"}),
        ("pelvis", {"pelvis"}),
        ("index.3.L", {"index.1.L", "index.2.L", "index.3.L"}),
        ("ring.1.R", {"ring.1.R", "ring.2.R", "ring.3.R"}),
    ],
)
def test_roles_say_which_limb_a_bone_belongs_to(bridge: Any, bone: str, wanted: set[str]) -> None:
    body = characters.build(characters.body())
    call.set_up()
    assert set(bridge.limbs.part(body, bone)) == wanted
    body.posewright_roles.clear()
    if bone not in {"chest", "head", "shoulder.R", "hand.L"}:  # where the body branches, it tells as much without
        assert set(bridge.limbs.part(body, bone)) == wanted


def test_bones_between_and_single_bones_belong_to_the_limb(bridge: Any) -> None:
    bones = characters.body()
    bones["twist.L"] = ("upper_arm.L", (0.3, 0.02, 1.44), (0.4, 0.02, 1.44))
    bones["half.L"] = ("forearm.L", (0.6, 0.02, 1.44), (0.7, 0, 1.44))
    bones["hand.L"] = ("half.L", *bones["hand.L"][1:])
    body = characters.build(bones)
    call.set_up()
    arm = {"shoulder.L", "upper_arm.L", "forearm.L", "half.L", "hand.L"}
    assert set(bridge.limbs.part(body, "hand.L")) == arm
    assert set(bridge.limbs.part(body, "half.L")) == arm
    assert set(bridge.limbs.part(body, "twist.L")) == arm | {"twist.L"}


def test_the_legs_of_a_creature_are_told_by_its_branches(bridge: Any) -> None:
    spider = characters.build(characters.eight_legs())
    call.set_up()
    assert set(bridge.limbs.part(spider, "leg1+2")) == {"leg1+0", "leg1+1", "leg1+2"}
