"""Pins on selected bones, and pins that are let go for a moment of a drag."""

from typing import Any

import bpy
import pytest
from mathutils import Vector

from .figures import channels, figure, goal, off, pin, update
from .test_drag import stored

operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def owner(bridge: Any) -> Any:
    assert bridge
    return figure()


def select(owner: Any, *names: str) -> None:
    for bone in owner.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names


def pins(owner: Any) -> dict[str, tuple[str, bool, bool]]:
    return {one.bone: (one.state, one.position > 0.0, one.orientation > 0.0) for one in owner.posewright_goals}


@pytest.mark.parametrize(
    ("which", "parts"), [("PLACE", (True, False)), ("TURN", (False, True)), ("BOTH", (True, True))]
)
def test_selected_bones_are_pinned_and_unpinned_by_the_same_key(
    owner: Any, which: str, parts: tuple[bool, bool]
) -> None:
    select(owner, "foot.L", "foot.R")
    before = channels(owner)
    assert call.pin_bones(which=which) == {"FINISHED"}
    update()
    assert pins(owner) == {"foot.L": ("PINNED", *parts), "foot.R": ("PINNED", *parts)}
    assert channels(owner) == before
    call.pin_bones(which=which)
    assert {one.state for one in owner.posewright_goals} == {"IDLE"}
    assert len(owner.posewright_goals) == 2


def test_an_idle_goal_of_the_bone_is_used_again_even_one_that_is_off(owner: Any) -> None:
    goal(owner, "hand.R")
    goal(owner, "foot.L", point="TAIL", mute=True)
    select(owner, "foot.L")
    call.pin_bones(which="PLACE")
    assert [(one.bone, one.point, one.state, one.mute) for one in owner.posewright_goals] == [
        ("hand.R", "HEAD", "IDLE", False),
        ("foot.L", "TAIL", "PINNED", False),
    ]
    assert (owner.posewright_goals[1].place - owner.pose.bones["foot.L"].tail).length < 1e-5
    assert owner.posewright_active_goal == 1


def test_where_some_are_pinned_the_others_follow_and_pinned_ones_keep_their_place(bridge: Any, owner: Any) -> None:
    first = pin(bridge, owner, "foot.L", orientation=0.0)
    place = owner.posewright_goals[first].place.copy()
    select(owner, "foot.L", "foot.R")
    call.pin_bones(which="PLACE")
    assert pins(owner) == {"foot.L": ("PINNED", True, False), "foot.R": ("PINNED", True, False)}
    assert owner.posewright_goals[first].place == place
    call.pin_bones(which="TURN")
    assert pins(owner) == {"foot.L": ("PINNED", True, True), "foot.R": ("PINNED", True, True)}
    call.pin_bones(which="PLACE")
    assert pins(owner) == {"foot.L": ("PINNED", False, True), "foot.R": ("PINNED", False, True)}


def test_with_nothing_selected_it_says_what_to_do(owner: Any) -> None:
    select(owner)
    with pytest.raises(RuntimeError, match="Select the bones in Pose Mode"):
        call.pin_bones(which="BOTH")
    assert not len(owner.posewright_goals)


def drag_of(bridge: Any, owner: Any, bone: str) -> Any:
    return bridge.dragging.drag.begin_bone(owner, bone, Vector())


def move(bridge: Any, owner: Any, taken: Any, *by: float) -> None:
    place = bridge.places.Frame(taken.start.place + Vector(by), taken.start.turn)
    bridge.dragging.drag.move(owner, taken, place)
    update()


def test_pins_let_go_for_a_moment_come_along_and_hold_where_they_have_come_to(bridge: Any, owner: Any) -> None:
    foot, drags = pin(bridge, owner, "foot.L"), bridge.dragging.drag
    update()
    begun = owner.posewright_goals[foot].place.copy()
    taken = drag_of(bridge, owner, "pelvis")
    move(bridge, owner, taken, 0.05, 0.0, 0.0)
    assert off(bridge, owner, foot) < 1e-3
    held = channels(owner)
    drags.let_pins_go(owner, taken)
    update()
    assert channels(owner) == held, "letting go moves nothing by itself"
    move(bridge, owner, taken, 0.6, 0.0, 0.0)
    there = bridge.places.on_bone(owner, owner.posewright_goals[foot]).place
    assert (there - begun).length > 0.3, "the foot was left behind"
    drags.take_pins_again(owner, taken)
    update()
    goal_now = owner.posewright_goals[foot]
    assert (goal_now.state, goal_now.loose) == ("PINNED", False)
    assert (goal_now.place - there).length < 1e-5
    move(bridge, owner, taken, 0.55, 0.0, 0.0)
    assert (bridge.places.on_bone(owner, goal_now).place - there).length < 1e-3, "it holds again"
    drags.let_go(owner, taken)
    assert (owner.posewright_goals[foot].place - there).length < 1e-5


def test_a_drag_that_ends_while_pins_are_let_go_leaves_them_holding(bridge: Any, owner: Any) -> None:
    foot = pin(bridge, owner, "foot.L")
    update()
    begun = owner.posewright_goals[foot].place.copy()
    assert call.drag(bone="pelvis", value=(0.6, 0.0, 0.0), free_pins=True) == {"FINISHED"}
    made = owner.posewright_goals[foot]
    assert (made.state, made.loose) == ("PINNED", False)
    assert (made.place - begun).length > 0.3
    assert off(bridge, owner, foot) < 1e-5


@pytest.mark.parametrize("again", [False, True])
def test_escape_puts_pins_that_were_let_go_back_to_the_last_bit(bridge: Any, owner: Any, again: bool) -> None:
    foot, drags = pin(bridge, owner, "foot.L"), bridge.dragging.drag
    update()
    before = channels(owner), stored(owner)
    taken = drag_of(bridge, owner, "hand.L")
    drags.let_pins_go(owner, taken)
    move(bridge, owner, taken, 0.4, 0.0, 0.3)
    if again:
        drags.take_pins_again(owner, taken)
        update()
    drags.put_back(owner, taken)
    update()
    assert (channels(owner), stored(owner)) == before
    assert not owner.posewright_goals[foot].loose


def test_pins_that_are_off_and_goals_that_follow_are_no_business_of_the_key(bridge: Any, owner: Any) -> None:
    pin(bridge, owner, "foot.L", mute=True)
    target = bpy.data.objects.new("Target", None)
    target.location = owner.pose.bones["hand.R"].head
    goal(owner, "hand.R", target=target, state="FOLLOWING")
    place = owner.posewright_goals[0].place.copy()
    taken = drag_of(bridge, owner, "pelvis")
    bridge.dragging.drag.let_pins_go(owner, taken)
    assert [one.loose for one in owner.posewright_goals][:2] == [False, False]
    move(bridge, owner, taken, 0.2, 0.0, 0.0)
    bridge.dragging.drag.take_pins_again(owner, taken)
    assert owner.posewright_goals[0].place == place
    bridge.dragging.drag.put_back(owner, taken)


def test_a_pin_that_was_let_go_when_a_file_was_saved_holds_after_loading(bridge: Any, owner: Any) -> None:
    foot = pin(bridge, owner, "foot.L")
    owner.posewright_goals[foot].loose = True
    bridge.dragging.temporary_goals.sweep()
    assert not owner.posewright_goals[foot].loose
