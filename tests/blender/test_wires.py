"""Wires: straps, ropes and muscles that cannot get longer."""

import itertools
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from .figures import channels, drag, figure, off, pin, update
from .test_bake import FIRST, LAST, moving_hand, same, seen
from .test_relations import MILLIMETRE, put, relation

operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def standing(bridge: Any) -> Any:
    owner = figure(".L")
    pin(bridge, owner, "foot.L")
    update()
    return owner


def length(owner: Any, bones: Any) -> float:
    """Through the heads of bones, as Blender shows them."""
    heads = [owner.pose.bones[bone].head for bone in bones]
    return float(sum((end - begin).length for begin, end in itertools.pairwise(heads)))


def select(bridge: Any, owner: Any, *bones: str) -> None:
    for bone in owner.pose.bones:
        bridge.selection._holder(bone).select = bone.name in bones


def test_a_wire_through_selected_bones_is_as_long_as_it_is_now_and_moves_nothing(bridge: Any, standing: Any) -> None:
    before = channels(standing)
    select(bridge, standing, "hand.L", "pelvis", "arm.L")
    assert call.wire_add("EXEC_DEFAULT") == {"FINISHED"}
    update()
    (made,) = standing.posewright_relations
    assert [part.bone for part in made.parts] == ["pelvis", "arm.L", "hand.L"]
    assert made.length == pytest.approx(length(standing, ["pelvis", "arm.L", "hand.L"]), abs=1e-6)
    assert channels(standing) == before


def test_a_slack_wire_leaves_a_drag_alone(bridge: Any, standing: Any) -> None:
    put(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    free = np.frombuffer(channels(standing), np.float32)
    relation(standing, "WIRE", ["pelvis", "hand.L"], length=3.0)
    update()
    assert bridge.outcome.of(standing).relations[0].reached
    np.testing.assert_allclose(np.frombuffer(channels(standing), np.float32), free, atol=1e-5)


def test_a_taut_wire_holds_before_what_is_dragged(bridge: Any, standing: Any) -> None:
    made = relation(standing, "WIRE", ["pelvis", "hand.L"], length=0.7)
    drag(bridge, standing, "hand.L", (0.1, 0, 0.2))
    assert length(standing, ["pelvis", "hand.L"]) == pytest.approx(0.7, abs=MILLIMETRE)
    assert off(bridge, standing, 1) > 0.05
    assert bridge.outcome.of(standing).relations[0].reached
    standing.posewright_goals[1].dragged = False
    made.level = "GOAL"
    standing.posewright_goals[1].state = "FOLLOWING"
    standing.posewright_goals[1].target = target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)  # type: ignore[union-attr]
    target.location = (0.9, 0, 1.7)
    update()
    assert length(standing, ["pelvis", "hand.L"]) > 0.7 + 10 * MILLIMETRE  # now it gives way as goals do
    assert bridge.outcome.of(standing).relations[0].metres > 10 * MILLIMETRE


def test_a_rod_keeps_its_ends_apart_too(bridge: Any, standing: Any) -> None:
    made = relation(standing, "WIRE", ["pelvis", "hand.L"], length=0.7)
    put(bridge, standing, "hand.L", (-0.5, -0.2, -0.2))
    assert length(standing, ["pelvis", "hand.L"]) < 0.6
    made.exact = True
    update()
    assert length(standing, ["pelvis", "hand.L"]) == pytest.approx(0.7, abs=MILLIMETRE)
    part = made.parts.add()
    part.name, part.bone = "c", "arm.L"
    update()
    there = ["pelvis", "hand.L", "arm.L"]
    for longer in (1.15, 1.0):  # through more points, all of it is as long
        made.length = longer
        update()
        assert length(standing, there) == pytest.approx(longer, abs=MILLIMETRE)
        assert bridge.outcome.of(standing).relations[0].reached


def test_points_of_bones_count_in_a_scaled_character(bridge: Any) -> None:
    owner = figure(".L")
    owner.scale = (0.1, 0.1, 0.1)
    pin(bridge, owner, "foot.L")
    made = relation(owner, "WIRE", ["pelvis", "hand.L"], length=0.7)
    made.parts[1].point = "TAIL"
    made.parts[0].point, made.parts[0].offset = "OFFSET", (0.1, 0.0, 0.0)
    drag(bridge, owner, "hand.L", (0.03, 0, 0.03))
    bones = owner.pose.bones
    there = bones["pelvis"].matrix @ Vector((0.1, 0, 0))
    assert (bones["hand.L"].tail - there).length == pytest.approx(0.7, abs=MILLIMETRE)


def test_bad_wires_say_what_is_wrong(bridge: Any, standing: Any) -> None:
    relation(standing, "WIRE", ["pelvis", "hand.L"], length=0.0)
    relation(standing, "WIRE", ["pelvis"], length=1.0)
    relation(standing, "WIRE", ["hand.L", "hand.L"], length=1.0)
    far = relation(standing, "WIRE", ["pelvis", "hand.L"], length=1.0)
    far.parts[0].point, far.parts[0].offset = "OFFSET", (float("nan"), 0, 0)
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    found = bridge.outcome.of(standing).relations
    for row, words in enumerate(
        ("length is zero", "two points or more", "all its points are on 'hand.L'", "no number")
    ):
        assert words in found[row].trouble
    assert off(bridge, standing, 1) < MILLIMETRE


def test_the_points_of_a_wire_are_a_list(bridge: Any, standing: Any) -> None:
    select(bridge, standing, "hand.L", "pelvis")
    call.wire_add("EXEC_DEFAULT")
    select(bridge, standing, "arm.L")
    call.relation_part_add("EXEC_DEFAULT")
    call.relation_part_move("EXEC_DEFAULT", direction="UP")
    (made,) = standing.posewright_relations
    assert [part.bone for part in made.parts] == ["pelvis", "arm.L", "hand.L"]
    assert len({part.name for part in made.parts}) == 3
    update()
    now = length(standing, ["pelvis", "arm.L", "hand.L"])
    call.relation_as_posed("EXEC_DEFAULT")
    assert made.length == pytest.approx(now, abs=1e-6)
    call.relation_part_remove("EXEC_DEFAULT")
    assert [part.bone for part in made.parts] == ["pelvis", "hand.L"]


def test_wires_are_drawn_and_taut_ones_are_told_apart(bridge: Any, standing: Any, add_on: ModuleType) -> None:
    shapes = add_on.ui.shapes
    made = relation(standing, "WIRE", ["pelvis", "hand.L"], length=0.75)
    relation(standing, "WIRE", ["pelvis", "gone"], length=0.75)
    relation(standing, "WIRE", ["pelvis", "arm.L", "hand.L"], length=5.0)
    relation(standing, "WIRE", ["pelvis", "hand.L"], length=5.0, mute=True)
    put(bridge, standing, "hand.L", (0.1, 0, 0.2))

    def strands() -> list[Any]:
        found = shapes.Shapes()
        shapes.add_character(found, standing, None, bpy.context.scene.unit_settings)  # type: ignore[union-attr]
        return list(found.strands)

    first, second = strands()
    assert (first.role.name, second.role.name) == ("TAUT", "SLACK")
    assert len(second.places) == 3
    hand = standing.matrix_world @ standing.pose.bones["hand.L"].head
    assert (first.places[1] - hand).length < 1e-5
    made.length, made.level = 0.3, "GOAL"
    update()
    assert strands()[0].role.name == "OUT_OF_REACH"


KEYED: dict[str, dict[int, Any]] = {"length": {FIRST: 0.75, LAST: 0.45}, "exact": {FIRST: False, 4: True, 7: False}}


@pytest.mark.parametrize("keyed", KEYED)
def test_a_bake_is_what_was_seen_of_a_wire_whose_settings_are_keyed(bridge: Any, keyed: str) -> None:
    owner = moving_hand(bridge, figure(".L"))
    made = relation(owner, "WIRE", ["pelvis", "hand.L"], length=0.75)
    for frame, value in KEYED[keyed].items():
        setattr(made, keyed, value)
        made.keyframe_insert(keyed, frame=frame)
    update()
    live = seen(owner)
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner), live)
