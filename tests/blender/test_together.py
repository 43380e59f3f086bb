"""Two characters that hold hands: solved as one, whoever of them is dragged."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector
from numpy.testing import assert_allclose

from .figures import channels, drag, figure, goal, off, pin, shown, turn, update
from .test_relations import MILLIMETRE
from .test_sidebar import red
from .test_wires import select

operators: Any = bpy.ops
call = operators.posewright


def hold(owner: Any, bone: str, other: Any, its_bone: str, **settings: Any) -> Any:
    """A loop from a bone's tail to that of another character's, stored on the first."""
    made = owner.posewright_relations.add()
    made.kind, made.name = "LOOP", f"{bone} and {its_bone} of {other.name}"
    for name, whose, which in (("a", None, bone), ("b", other, its_bone)):
        part = made.parts.add()
        part.name, part.bone, part.point = name, which, "TAIL"
        part.other, part.character = whose is not None, whose
    for name, value in settings.items():
        setattr(made, name, value)
    owner.update_tag()
    return made


def tail(owner: Any, bone: str) -> Vector:
    """Where a bone ends in the world, as Blender shows it."""
    found: Vector = owner.matrix_world @ owner.pose.bones[bone].tail
    return found


def apart(owner: Any, bone: str, other: Any, its_bone: str) -> float:
    return float((tail(owner, bone) - tail(other, its_bone)).length)


def pair(bridge: Any, **settings: Any) -> tuple[Any, Any]:
    """Ann and, a step to her left, Ben, who stand on one foot each."""
    ann, ben = figure(".L", "Ann"), figure(".R", "Ben")
    ben.location = (1.5, 0, 0)
    update()
    pin(bridge, ann, "foot.L")
    pin(bridge, ben, "foot.R")
    update()
    hold(ann, "hand.L", ben, "hand.R", **settings)
    update()
    return ann, ben


@pytest.fixture
def both(bridge: Any) -> tuple[Any, Any]:
    return pair(bridge)


def clasped(ann: Any, ben: Any) -> float:
    return apart(ann, "hand.L", ben, "hand.R")


def inside(owner: Any) -> bool:
    """Whether hinges turn about their axes only: what the figures have for limits."""
    return all(
        abs(owner.pose.bones[bone].rotation_quaternion[axis]) < 1e-5
        for bone in ("forearm.L", "shin.L", "forearm.R", "shin.R")
        if bone in owner.pose.bones
        for axis in (2, 3)
    )


def test_hands_meet_and_stay_together_whoever_is_dragged(bridge: Any, both: Any) -> None:
    ann, ben = both
    assert clasped(ann, ben) < MILLIMETRE
    for owner, bone, other in ((ann, "hand.L", ben), (ben, "spine", ann), (ben, "hand.R", ann)):
        before = shown(other)
        made = drag(bridge, owner, bone, (0.05, -0.15, -0.1))
        index = list(owner.posewright_goals).index(made)
        assert off(bridge, owner, index) < MILLIMETRE
        assert clasped(ann, ben) < MILLIMETRE
        assert np.abs(shown(other) - before).max() > 0.02
        assert all(off(bridge, one, 0) < MILLIMETRE for one in both)
        assert all(inside(one) for one in both)
        found = [bridge.outcome.of(one) for one in both]
        assert all(each.reached for one in found for each in (*one.goals.values(), *one.relations.values()))
        made.dragged = False
        update()


@pytest.mark.parametrize("scale", [1.0, 0.6, 25.0])
def test_partners_may_be_turned_and_of_another_size(bridge: Any, scale: float) -> None:
    ann, ben = figure(".L", "Ann"), figure(".R", "Ben")
    ben.scale = (scale,) * 3
    ben.rotation_euler = (0.1, 0.2, 0.7)
    update()
    ben.location += tail(ann, "hand.L") - tail(ben, "hand.R") + Vector((0.05, 0.05, 0))
    update()
    pin(bridge, ann, "foot.L")
    pin(bridge, ben, "foot.R")
    hold(ann, "hand.L", ben, "hand.R")
    update()
    for owner, bone in ((ben, "hand.R"), (ann, "hand.L")):
        made = drag(bridge, owner, bone, (0.0, -0.1, -0.1))
        assert clasped(ann, ben) < MILLIMETRE
        assert off(bridge, owner, 1) < MILLIMETRE
        assert off(bridge, ann, 0) < MILLIMETRE
        assert off(bridge, ben, 0) < MILLIMETRE * max(1.0, scale)
        made.dragged = False
        update()


def test_the_turn_is_held_too(bridge: Any) -> None:
    ann, ben = pair(bridge)
    made = ann.posewright_relations[0]
    drag(bridge, ann, "hand.L", (0, -0.1, -0.2)).dragged = False
    update()
    made.turned, made.turn = True, bridge.relations.loops.turn_now(ann, made)
    ben.rotation_euler = (0, 0, 0.1)
    update()
    drag(bridge, ann, "hand.L", (0.05, -0.05, 0.05))
    first, second = (one.matrix_world @ one.pose.bones[bone].matrix for one, bone in ((ann, "hand.L"), (ben, "hand.R")))
    seen_from = second.to_quaternion().inverted() @ first.to_quaternion()
    assert seen_from.rotation_difference(made.turn).angle < 3e-3
    assert clasped(ann, ben) < MILLIMETRE


@pytest.mark.usefixtures("bridge")
def test_with_nothing_asked_nobody_moves() -> None:
    ann, ben = figure(".L", "Ann"), figure(".R", "Ben")
    ben.location = (1.7, 0, 0)
    goal(ann, "hand.L")
    update()
    before = channels(ann), channels(ben)
    hold(ann, "hand.L", ben, "hand.R")
    update()
    assert (channels(ann), channels(ben)) == before
    assert clasped(ann, ben) > 0.05
    bpy.context.view_layer.objects.active = ann  # type: ignore[union-attr]
    assert call.solve("EXEC_DEFAULT") == {"FINISHED"}
    update()
    assert clasped(ann, ben) < MILLIMETRE


def test_a_second_call_changes_nothing_whoever_it_is_about(bridge: Any, both: Any) -> None:
    ann, ben = both
    drag(bridge, ben, "spine", (0.05, -0.15, -0.1))
    before = channels(ann), channels(ben)
    for one in (ann, ben, ann):
        one.update_tag()
        update()
        assert (channels(ann), channels(ben)) == before
    bridge.watch.forget()
    for one in (ben, ann):
        one.update_tag()
        update()
    for one, was in zip(both, before, strict=True):
        assert_allclose(np.frombuffer(channels(one), np.float32), np.frombuffer(was, np.float32), atol=1e-5)


def test_there_and_back_is_no_journey_for_either(bridge: Any, both: Any) -> None:
    ann, ben = both
    drag(bridge, ben, "hand.R", (0, 0, 0))
    before = shown(ann), shown(ben)
    for step in range(1, 4):
        drag(bridge, ben, "hand.R", (-0.05 * step, -0.05 * step, 0.02 * step))
    assert np.abs(shown(ann) - before[0]).max() > 0.05
    drag(bridge, ben, "hand.R", (0, 0, 0))
    assert_allclose(shown(ann), before[0], atol=1e-4)
    assert_allclose(shown(ben), before[1], atol=1e-4)


def test_one_without_goals_comes_along(bridge: Any) -> None:
    ann, ben = figure(".L", "Ann"), figure(".R", "Ben")
    ben.location = (1.6, 0, 0)
    update()
    pin(bridge, ann, "foot.L")
    hold(ann, "hand.L", ben, "hand.R")
    update()
    before = tail(ben, "hand.R")
    drag(bridge, ann, "hand.L", (-0.1, -0.1, -0.1))
    assert clasped(ann, ben) < MILLIMETRE
    assert (tail(ben, "hand.R") - before).length > 0.05


def test_a_bone_turned_by_hand_stays_and_the_other_follows(bridge: Any, both: Any) -> None:
    ann, ben = both
    drag(bridge, ann, "hand.L", (0, -0.05, -0.05)).dragged = False
    update()
    turn(ben, "arm.R", 0, 0, -25)
    kept = ben.pose.bones["arm.R"].rotation_quaternion.copy()
    update()
    assert ben.pose.bones["arm.R"].rotation_quaternion.rotation_difference(kept).angle < 1e-5
    assert clasped(ann, ben) < MILLIMETRE
    assert off(bridge, ann, 0) < MILLIMETRE


def test_escape_puts_both_back_to_the_last_bit(bridge: Any, both: Any) -> None:
    ann, ben = both
    before = (
        channels(ann),
        channels(ben),
        ben.posewright_anchor,
        [np.ravel(one.left_location).tolist() for one in ben.posewright_reference],
    )
    dragging = bridge.dragging.drag
    made = dragging.begin_bone(ann, "forearm.L", Vector((0, 0.1, 0)))
    update()
    start = dragging.now(ann, made)
    for step in range(1, 4):
        dragging.move(ann, made, start._replace(place=start.place + step * Vector((0, -0.05, -0.05))))
        update()
    assert channels(ben) != before[1]
    dragging.put_back(ann, made)
    update()
    after = (
        channels(ann),
        channels(ben),
        ben.posewright_anchor,
        [np.ravel(one.left_location).tolist() for one in ben.posewright_reference],
    )
    assert after == before


def test_undo_and_redo_of_a_drag(bridge: Any, both: Any) -> None:
    operators.ed.undo_push(message="before")
    before = [channels(one) for one in both]
    drag(bridge, both[1], "hand.R", (0, -0.1, -0.1)).dragged = False
    update()
    operators.ed.undo_push(message="dragged")
    after = [channels(one) for one in both]
    operators.ed.undo()
    update()
    again = [bpy.data.objects[name] for name in ("Ann", "Ben")]
    for one, was in zip(again, before, strict=True):
        assert_allclose(np.frombuffer(channels(one), np.float32), np.frombuffer(was, np.float32), atol=1e-5)
    operators.ed.redo()
    update()
    again = [bpy.data.objects[name] for name in ("Ann", "Ben")]
    for one, was in zip(again, after, strict=True):
        assert_allclose(np.frombuffer(channels(one), np.float32), np.frombuffer(was, np.float32), atol=1e-5)


def test_a_file_that_is_opened_again_goes_on(bridge: Any, both: Any, tmp_path: Path) -> None:
    drag(bridge, both[0], "hand.L", (0, -0.1, -0.1)).dragged = False
    both[0].posewright_goals[1].state = "PINNED"
    update()
    before = [shown(one) for one in both]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "two.blend"))
    ann, ben = (bpy.data.objects[name] for name in ("Ann", "Ben"))
    update()
    for one, was in zip((ann, ben), before, strict=True):
        assert_allclose(shown(one), was, atol=1e-5)
    drag(bridge, ben, "spine", (0.05, -0.1, -0.1))
    assert clasped(ann, ben) < MILLIMETRE


def test_what_cannot_be_had_is_told_and_the_rest_is_solved(bridge: Any, both: Any) -> None:
    ann, ben = both
    made = ann.posewright_relations[0]

    def told() -> str:
        ann.update_tag()
        update()
        drag(bridge, ann, "spine", (0.0, 0.05, 0.0)).dragged = False
        update()
        drag(bridge, ann, "spine", (0.0, -0.05, 0.0))
        assert off(bridge, ann, 1) < MILLIMETRE
        found = bridge.outcome.of(ann).relations[0]
        assert not found.reached
        ann.posewright_goals[1].dragged = False
        update()
        return str(found.trouble)

    before = channels(ben)
    ben.posewright_live = False
    assert "not live" in told()
    assert channels(ben) == before
    ben.posewright_live = True
    made.parts[1].bone = "tail"
    assert "no bone 'tail'" in told()
    made.parts[1].bone = "hand.R"
    ben.scale = (1, 1, 2)
    assert "unevenly" in told()
    ben.scale = (1, 1, 1)
    made.parts[1].character = ann
    assert "the character itself" in told()
    made.parts[1].character = None
    assert "deleted" in told()
    made.parts[1].character = ben
    made.parts[0].other, made.parts[0].character = True, ben
    assert "own" in told()
    made.parts[0].other = False
    bpy.data.armatures[ben.data.name].pose_position = "REST"
    assert "rest position" in told()
    ben.data.pose_position = "POSE"
    bpy.context.scene.collection.objects.unlink(ben)  # type: ignore[union-attr]
    assert "not in the scene" in told()
    bpy.data.objects.remove(ben)
    assert "deleted" in told()
    assert not bridge.outcome.of(ann).error


def test_a_loop_that_could_not_be_had_for_a_while_is_told_again_of_both(bridge: Any, both: Any) -> None:
    ann, ben = both
    for scale, told in ((0.0, ("No goal can be had", False)), (1.0, ("Every goal is met", True))):
        ann.scale = (scale, scale, scale)
        update()
        found = bridge.outcome.of(ann)
        assert (found.words.partition(":")[0], found.relations[0].reached) == told
        assert bridge.outcome.of(ben).words == "Every goal is met"
    assert clasped(ann, ben) < MILLIMETRE


@pytest.mark.parametrize("kind", ["MESH", "EMPTY"])
def test_a_panel_shows_a_loop_whose_other_character_is_none(bridge: Any, both: Any, kind: str) -> None:
    ann, _ = both
    ann.posewright_relations[0].parts[1].character = bpy.data.objects.new(
        "Prop", bpy.data.meshes.new("Prop") if kind == "MESH" else None
    )
    context: Any = bpy.context
    bpy.ops.object.mode_set(mode="OBJECT")
    context.view_layer.objects.active = ann
    bpy.ops.object.mode_set(mode="POSE")
    assert "'Prop' is no armature" in " ".join(red("Relations").split())
    assert bridge.outcome.of(ann).goals[0].reached


def test_three_in_a_row_and_in_a_ring_are_one(bridge: Any) -> None:
    names = ("Ann", "Ben", "Cid")
    ring = [figure("", name) for name in names]
    for index, one in enumerate(ring):
        angle = 2 * np.pi * index / 3
        one.location = (0.75 * np.cos(angle), 0.75 * np.sin(angle), 0)
        one.rotation_euler = (0, 0, angle - np.pi / 2)
    update()
    for one in ring:
        pin(bridge, one, "pelvis")
    for index in range(3):
        hold(ring[index], "hand.L", ring[(index + 1) % 3], "hand.R")
    update()
    for count in (3, 2):
        drag(bridge, ring[1], "hand.L", (0.0, 0.0, 0.1 * count)).dragged = False
        for index in range(count):
            assert apart(ring[index], "hand.L", ring[(index + 1) % 3], "hand.R") < MILLIMETRE
        ring[2].posewright_relations[0].mute = True
        update()


def test_a_goal_that_follows_the_partner_is_refused(bridge: Any, both: Any) -> None:
    ann, ben = both
    goal(ann, "spine", target=ben, target_bone="spine", state="FOLLOWING")
    update()
    assert "held together" in bridge.outcome.of(ann).goals[1].trouble
    assert clasped(ann, ben) < MILLIMETRE


def test_selected_bones_of_two_characters_are_held_together(bridge: Any) -> None:
    ann, ben = figure(".L", "Ann"), figure(".R", "Ben")
    ben.location = (1.65, 0, 0)
    bpy.ops.object.mode_set(mode="OBJECT")
    for one in (ann, ben):
        one.select_set(True)
    bpy.context.view_layer.objects.active = ann  # type: ignore[union-attr]
    bpy.ops.object.mode_set(mode="POSE")
    select(bridge, ann, "hand.L")
    select(bridge, ben, "hand.R", "arm.R")
    with pytest.raises(RuntimeError, match="one bone of 'Ann' and one of another"):
        call.hold_together("EXEC_DEFAULT")
    select(bridge, ben, "hand.R")
    pin(bridge, ann, "foot.L")
    update()
    before = channels(ann), channels(ben)
    apart_before = clasped(ann, ben)
    assert call.hold_together("EXEC_DEFAULT") == {"FINISHED"}
    update()
    assert (channels(ann), channels(ben)) == before  # as posed
    (made,) = ann.posewright_relations
    assert [(part.bone, part.other, part.character) for part in made.parts] == [
        ("hand.L", False, None),
        ("hand.R", True, ben),
    ]
    drag(bridge, ann, "hand.L", (-0.1, -0.1, 0))
    assert abs(clasped(ann, ben) - apart_before) < 0.1
    assert bridge.outcome.of(ann).relations[0].metres < MILLIMETRE
    made.mute = True
    assert call.hold_together("EXEC_DEFAULT", how="TAILS") == {"FINISHED"}
    update()
    assert clasped(ann, ben) < MILLIMETRE


def test_another_way_is_found_for_both_and_variations_say_that_they_are_of_one(bridge: Any, both: Any) -> None:
    ann, ben = both
    bpy.context.view_layer.objects.active = ann  # type: ignore[union-attr]
    before = shown(ann)
    assert call.solve("EXEC_DEFAULT", elsewhere=True, seed=3, strength=0.5) == {"FINISHED"}
    update()
    assert clasped(ann, ben) < MILLIMETRE
    assert np.abs(shown(ann) - before).max() > 0.01
    posed = channels(ann), channels(ben)
    ben.update_tag()
    update()
    assert (channels(ann), channels(ben)) == posed
    with pytest.raises(bridge.errors.PosewrightError, match="hold each other"):
        bridge.variations.search.find(ann)
