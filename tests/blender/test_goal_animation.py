"""Keys and drivers of goals: they know a goal by its place, and go with it when that changes."""

from types import ModuleType
from typing import Any

import bpy
import pytest

from .figures import figure, goal, update

operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def owner(bridge: Any) -> Any:
    """A figure with three goals: the weight of each is keyed with 1, 2, 3 and the influence of the last is driven."""
    assert bridge
    found = figure(".L")
    for index, bone in enumerate(("hand.L", "foot.L", "pelvis")):
        goal(found, bone)
        key(found, f"posewright_goals[{index}].weight", float(index + 1))
    curve = found.driver_add("posewright_goals[2].position")
    curve.driver.type, curve.driver.expression = "SCRIPTED", "weight / 10"
    variable = curve.driver.variables.new()
    variable.name, variable.targets[0].id = "weight", found
    variable.targets[0].data_path = "posewright_goals[2].weight"
    found.keyframe_insert('pose.bones["arm.L"].location', frame=1)
    return found


def key(owner: Any, path: str, value: float) -> None:
    """Key a property with a value at the first and another at the tenth frame."""
    item, _, name = path.rpartition(".")
    for frame, number in ((1, value), (10, 10.0 * value)):
        setattr(owner.path_resolve(item), name, number)
        owner.keyframe_insert(path, frame=frame)


def weights(owner: Any, frame: int = 10) -> dict[str, float]:
    """What the animation gives the goals at a frame, by their bones."""
    for one in owner.posewright_goals:
        one.weight = 0.0
    scene: Any = bpy.context.scene
    scene.frame_set(frame)
    update()
    return {one.bone: round(one.weight, 4) for one in owner.posewright_goals}


def paths(owner: Any, bridge: Any) -> list[str]:
    return sorted(curve.data_path for curves, _ in bridge.action_curves.of(owner) for curve in curves)


def test_keys_and_drivers_go_with_a_goal_that_is_moved(owner: Any) -> None:
    call.goal_move(index=2, direction="UP")
    call.goal_move(index=1, direction="UP")
    assert [one.bone for one in owner.posewright_goals] == ["pelvis", "hand.L", "foot.L"]
    assert weights(owner) == {"pelvis": 30.0, "hand.L": 10.0, "foot.L": 20.0}
    assert owner.posewright_goals[0].position == pytest.approx(1.0)
    assert weights(owner, 1) == {"pelvis": 3.0, "hand.L": 1.0, "foot.L": 2.0}
    assert owner.posewright_goals[0].position == pytest.approx(0.3), "the driver, or what it reads, was left behind"
    assert [one.data_path for one in owner.animation_data.drivers] == ["posewright_goals[0].position"]


def test_keys_and_drivers_of_a_removed_goal_go_and_others_stay_with_theirs(owner: Any, add_on: ModuleType) -> None:
    call.goal_remove(index=0)
    assert weights(owner) == {"foot.L": 20.0, "pelvis": 30.0}
    call.goal_remove(index=1)
    assert weights(owner) == {"foot.L": 20.0}
    left = {"posewright_goals[0].weight", 'pose.bones["arm.L"].location'}
    assert set(paths(owner, add_on.bridge)) == left
    assert not len(owner.animation_data.drivers)


def test_a_copy_has_no_animation_and_takes_none_away(owner: Any, add_on: ModuleType) -> None:
    before = len(paths(owner, add_on.bridge))
    call.goal_copy(index=0)
    assert len(paths(owner, add_on.bridge)) == before
    owner.posewright_goals[1].bone = "spine"
    found = weights(owner)
    assert found == {"hand.L": 10.0, "spine": 0.0, "foot.L": 20.0, "pelvis": 30.0}


def test_keys_in_nla_strips_go_along(owner: Any) -> None:
    data = owner.animation_data
    track = data.nla_tracks.new()
    strip = track.strips.new("old", 1, data.action)
    if hasattr(strip, "action_slot") and strip.action_slot is None:
        strip.action_slot = data.action_slot
    data.action = None
    key(owner, "posewright_goals[1].orientation", 0.05)
    call.goal_move(index=1, direction="UP")
    assert weights(owner) == {"foot.L": 20.0, "hand.L": 10.0, "pelvis": 30.0}
    assert owner.posewright_goals[0].orientation == pytest.approx(0.5)
    assert owner.posewright_goals[1].orientation == 0.0


def test_another_object_in_the_same_action_keeps_its_curves(owner: Any) -> None:
    if not hasattr(bpy.types, "ActionSlot"):
        return  # before Blender 4.4 objects that share an action share all of it
    other = figure(".L", "Other")
    for bone in ("hand.L", "foot.L"):
        goal(other, bone)
    data = other.animation_data_create()
    data.action = owner.animation_data.action
    data.action_slot = data.action.slots.new(id_type="OBJECT", name="Other")
    key(other, "posewright_goals[1].weight", 0.7)
    context: Any = bpy.context
    context.view_layer.objects.active = owner
    call.goal_remove(index=0)
    assert weights(other) == {"hand.L": 0.0, "foot.L": 7.0}
    assert weights(owner) == {"foot.L": 20.0, "pelvis": 30.0}


def test_moving_an_animated_goal_is_undone_in_one_step(owner: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    call.goal_move("EXEC_DEFAULT", True, index=0, direction="DOWN")
    assert owner.posewright_goals[1].bone == "hand.L"
    bpy.ops.ed.undo()
    update()
    again: Any = bpy.data.objects["Figure"]
    assert [one.bone for one in again.posewright_goals] == ["hand.L", "foot.L", "pelvis"]
    assert weights(again) == {"hand.L": 10.0, "foot.L": 20.0, "pelvis": 30.0}
