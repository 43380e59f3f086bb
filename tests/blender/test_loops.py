"""Loops: two bones that are held together, whatever is dragged."""

from types import ModuleType
from typing import Any

import bpy
import pytest
from mathutils import Vector

from .figures import channels, drag, figure, off, pin, turn, update
from .test_bake import moving_hand, same, scene, seen
from .test_relations import MILLIMETRE, put, relation
from .test_wires import select

operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def clasped(bridge: Any) -> Any:
    """A figure whose hands are in front of it, and are held together."""
    owner = figure()
    for side, sign in ((".L", 1), (".R", -1)):
        turn(owner, f"arm{side}", 0, 0, sign * 40)
        turn(owner, f"forearm{side}", sign * 0, 0, 0)
    pin(bridge, owner, "foot.L")
    pin(bridge, owner, "foot.R")
    relation(owner, "LOOP", ["hand.L", "hand.R"])
    owner.posewright_relations[0].parts[0].point = owner.posewright_relations[0].parts[1].point = "TAIL"
    update()
    return owner


def apart(owner: Any, first: str, second: str) -> float:
    bones = owner.pose.bones
    return float((bones[first].tail - bones[second].tail).length)


def test_hands_meet_and_stay_together_while_one_is_dragged(bridge: Any, clasped: Any) -> None:
    assert apart(clasped, "hand.L", "hand.R") < MILLIMETRE
    right = clasped.pose.bones["hand.R"].head.copy()
    drag(bridge, clasped, "hand.L", (0.1, -0.1, 0.1))
    assert off(bridge, clasped, 2) < MILLIMETRE
    assert apart(clasped, "hand.L", "hand.R") < MILLIMETRE
    assert (clasped.pose.bones["hand.R"].head - right).length > 0.05
    found = bridge.outcome.of(clasped)
    assert all(one.reached for one in (*found.goals.values(), *found.relations.values()))
    drag(bridge, clasped, "hand.L", (2.0, 0, 0))
    assert apart(clasped, "hand.L", "hand.R") < MILLIMETRE  # held before what is dragged


@pytest.mark.parametrize("turned", [False, True])
def test_a_hand_on_the_hip_stays_where_it_is_as_posed(bridge: Any, turned: bool) -> None:
    owner = figure(".L")
    pin(bridge, owner, "foot.L")
    put(bridge, owner, "hand.L", (-0.4, -0.1, -0.4))
    owner.posewright_goals[1].state = "IDLE"
    update()
    select(bridge, owner, "hand.L", "pelvis")
    owner.data.bones.active = owner.data.bones["hand.L"]
    before = channels(owner)
    assert call.hold_together("EXEC_DEFAULT", turned=turned) == {"FINISHED"}
    update()
    assert channels(owner) == before
    seen = owner.pose.bones["pelvis"].matrix.inverted() @ owner.pose.bones["hand.L"].matrix
    drag(bridge, owner, "pelvis", (0.1, -0.1, -0.2))
    drag(bridge, owner, "spine", (0, 0, 0))
    owner.posewright_goals[2].dragged = False
    owner.posewright_goals[2].state, owner.posewright_goals[2].orientation = "PINNED", 1.0
    owner.posewright_goals[2].turn = (0.92, 0.38, 0, 0)
    update()
    now = owner.pose.bones["pelvis"].matrix.inverted() @ owner.pose.bones["hand.L"].matrix
    middle = Vector((0, 0.05, 0))
    assert (now @ middle - seen @ middle).length < MILLIMETRE
    if turned:
        assert now.to_quaternion().rotation_difference(seen.to_quaternion()).angle < 2e-3


def test_bones_that_cannot_meet_say_how_far_they_are_apart_and_goals_are_still_met(bridge: Any) -> None:
    owner = figure()
    pin(bridge, owner, "pelvis")
    relation(owner, "LOOP", ["hand.L", "foot.R"], level="GOAL")
    for bone in ("spine", "arm.L", "forearm.L"):
        owner.pose.bones[bone].lock_rotation = (True, True, True)
        owner.pose.bones[bone].lock_rotation_w = True
    drag(bridge, owner, "foot.L", (0, -0.2, 0.2))
    found = bridge.outcome.of(owner)
    assert off(bridge, owner, 1) < MILLIMETRE
    assert not found.relations[0].reached
    bones = owner.pose.bones
    assert found.relations[0].metres == pytest.approx((bones["hand.L"].head - bones["foot.R"].head).length, abs=1e-3)


def stored(owner: Any) -> Any:
    """All that is kept of relations, and which one is active."""
    return owner.posewright_active_relation, [
        (one.name, one.turn[:], [(part.bone, part.point, part.offset[:]) for part in one.parts])
        for one in owner.posewright_relations
    ]


def test_a_relation_that_is_refused_is_not_added(bridge: Any) -> None:
    owner = figure(".L")
    relation(owner, "LOOP", ["foot.L", "spine"])
    select(bridge, owner, "hand.L", "pelvis")
    owner.scale = (0.0, 0.0, 0.0)
    update()
    before = stored(owner)
    for refused in (call.wire_add, call.hold_together):
        with pytest.raises(RuntimeError, match="scaled to nothing"):
            refused("EXEC_DEFAULT")
        assert stored(owner) == before


@pytest.mark.parametrize("how", ["POSED", "HEADS"])
def test_a_hold_of_another_character_that_is_refused_is_not_added(bridge: Any, how: str) -> None:
    owner, other = figure(".L"), figure(".R", "Other")
    relation(owner, "LOOP", ["foot.L", "spine"])
    before = stored(owner)
    with pytest.raises(bridge.errors.PosewrightError, match="'Other' has no bone"):
        bridge.relations.editing.hold_each_other(owner, "hand.L", other, "hand.L", how)
    assert stored(owner) == before


def test_a_loop_that_cannot_be_taken_from_the_pose_keeps_what_it_had(bridge: Any) -> None:
    owner = figure(".L")
    select(bridge, owner, "hand.L", "pelvis")
    call.hold_together("EXEC_DEFAULT", how="TAILS")
    owner.posewright_live = False
    turn(owner, "arm.L", 10, 20, 30)
    owner.pose.bones["pelvis"].scale = (0.0, 0.0, 0.0)
    owner.posewright_relations[0].parts.move(0, 1)  # the pelvis is the second, which is looked at last
    for bone in owner.pose.bones:
        bone.bone.inherit_scale = "NONE"
    update()
    assert [part.bone for part in owner.posewright_relations[0].parts] == ["hand.L", "pelvis"]
    before = stored(owner)
    with pytest.raises(RuntimeError, match="scaled to nothing"):
        call.relation_as_posed("EXEC_DEFAULT")
    assert stored(owner) == before


def test_both_hands_on_one_prop_go_with_it(bridge: Any) -> None:
    owner = figure()
    context: Any = bpy.context
    prop: Any = bpy.data.objects.new("Sword", None)
    context.scene.collection.objects.link(prop)
    prop.location = (0, -0.3, 1.2)
    update()
    select(bridge, owner, "hand.L", "hand.R")
    before = channels(owner)
    with pytest.raises(RuntimeError, match="prop too"):
        call.hold_prop("EXEC_DEFAULT")
    prop.select_set(True)
    owner.select_set(True)
    assert call.hold_prop("EXEC_DEFAULT") == {"FINISHED"}
    update()
    assert channels(owner) == before
    seen = [prop.matrix_world.inverted() @ owner.pose.bones[bone].matrix for bone in ("hand.L", "hand.R")]
    prop.location, prop.rotation_euler = (0.05, -0.35, 1.25), (0.0, 0.1, 0.1)
    update()
    now = [prop.matrix_world.inverted() @ owner.pose.bones[bone].matrix for bone in ("hand.L", "hand.R")]
    for one, other in zip(now, seen, strict=True):
        assert (one.translation - other.translation).length < MILLIMETRE
    assert channels(owner) != before


@pytest.mark.parametrize("wrong", ["carried", "flat"])
def test_a_prop_that_is_refused_changes_nothing(bridge: Any, wrong: str) -> None:
    owner = figure()
    context: Any = bpy.context
    prop: Any = bpy.data.objects.new("Sword", None)
    context.scene.collection.objects.link(prop)
    if wrong == "carried":
        prop.parent, prop.parent_type, prop.parent_bone = owner, "BONE", "hand.L"
    else:
        prop.scale = (0, 0, 0)
    pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    select(bridge, owner, "hand.L", "hand.R")
    with pytest.raises(RuntimeError, match="'Sword' is a child of" if wrong == "carried" else "'Sword' is scaled to"):
        call.hold_prop("EXEC_DEFAULT", prop="Sword")
    assert [(one.bone, one.state, one.orientation) for one in owner.posewright_goals] == [("hand.L", "PINNED", 0.0)]
    with pytest.raises(bridge.errors.PosewrightError, match="no bone 'nose'"):
        bridge.holding.hold(owner, ["hand.L", "nose"], bpy.data.objects.new("Stick", None))
    assert owner.posewright_goals[0].state == "PINNED"


def test_bad_loops_say_what_is_wrong(bridge: Any, clasped: Any) -> None:
    relation(clasped, "LOOP", ["hand.L", "hand.L"])
    relation(clasped, "LOOP", ["hand.L", "hand.R", "spine"])
    relation(clasped, "LOOP", ["hand.L", "spine"], turned=True, turn=(0, 0, 0, 0))
    drag(bridge, clasped, "hand.L", (0.1, -0.1, 0.1))
    found = bridge.outcome.of(clasped).relations
    assert found[0].reached
    assert "both its points are on 'hand.L'" in found[1].trouble
    assert "two points together, and has 3" in found[2].trouble
    assert "no rotation" in found[3].trouble


def test_loops_are_drawn(bridge: Any, clasped: Any, add_on: ModuleType) -> None:
    shapes = add_on.ui.shapes
    found = shapes.Shapes()
    relation(clasped, "LOOP", ["hand.L", "gone"])
    shapes.add_character(found, clasped, None, bpy.context.scene.unit_settings)  # type: ignore[union-attr]
    marks = [mark for mark in found.marks if mark.role is shapes.Role.HELD]
    assert [mark.sign for mark in marks] == [shapes.Sign.RING, shapes.Sign.DOT]
    assert (marks[0].place - clasped.pose.bones["hand.L"].tail).length < 1e-5
    assert bridge


def test_a_bake_is_what_was_seen_of_hands_that_are_held_together(bridge: Any) -> None:
    owner = moving_hand(bridge, figure())
    made = relation(owner, "LOOP", ["hand.L", "hand.R"])
    made.parts[0].point = made.parts[1].point = "TAIL"
    update()
    scene().frame_end = 4
    live = seen(owner, range(1, 5))
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner, live), live)
    for frame in live:
        scene().frame_set(frame)
        assert apart(owner, "hand.L", "hand.R") < MILLIMETRE, frame
