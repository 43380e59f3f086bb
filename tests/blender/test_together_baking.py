"""A bake of characters that hold each other: both are baked, as they were seen."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from .figures import figure, goal, pin, update
from .test_bake import FIRST, LAST, moving_hand, same, scene, seen
from .test_relations import MILLIMETRE
from .test_together import clasped, hold

operators: Any = bpy.ops
call = operators.posewright


def walking(bridge: Any, keyed: bool) -> tuple[Any, Any]:
    """Ann's hand follows an Empty, Ben's object moves; the loop may be on in some frames only."""
    ann = moving_hand(bridge, figure(".L", "Ann"))
    ben = figure(".R", "Ben")
    for frame, place in ((FIRST, (1.3, 0, 0)), (LAST, (1.35, -0.1, 0))):
        ben.location = place
        ben.keyframe_insert("location", frame=frame)
    hold(ann, "hand.L", ben, "hand.R")
    if keyed:
        for frame, mute in ((FIRST, True), (4, False), (7, True)):
            ann.posewright_relations[0].mute = mute
            ann.posewright_relations[0].keyframe_insert("mute", frame=frame)
    bpy.context.view_layer.objects.active = ann  # type: ignore[union-attr]
    scene().frame_set(4)
    update()
    return ann, ben


@pytest.mark.parametrize("keyed", [False, True])
def test_a_bake_of_one_bakes_both_as_they_were_seen_and_leads_back(bridge: Any, keyed: bool) -> None:
    both = walking(bridge, keyed)
    live = [seen(one) for one in both]
    for one, was in zip(both, live, strict=True):
        same(seen(one, [7, 2, 9, 1, 5, 8, 3, 4, 6]), was, 1e-5)
    held = [frame for frame in range(FIRST, LAST + 1) if not keyed or 4 <= frame < 7]
    for frame in held:
        scene().frame_set(frame)
        assert clasped(*both) < MILLIMETRE, frame
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    assert not any(one.posewright_live for one in both)
    for one, was in zip(both, live, strict=True):
        same(seen(one), was, 1e-4)
        assert "Baked together" in one.posewright_bake_report
    assert call.bake_back("EXEC_DEFAULT") == {"FINISHED"}
    assert all(one.posewright_live and not one.posewright_bake for one in both)
    for one, was in zip(both, live, strict=True):
        same(seen(one), was, 1e-4)


def test_fewer_keys_keep_the_hands_together(bridge: Any) -> None:
    ann, ben = walking(bridge, keyed=False)
    ann.posewright_bake_reduce = True
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    for frame in range(FIRST, LAST + 1):
        scene().frame_set(frame)
        assert clasped(ann, ben) < 2.5 * MILLIMETRE, frame


def test_all_characters_are_baked_from_the_command_line_each_once(bridge: Any) -> None:
    ann, ben = walking(bridge, keyed=False)
    goal(ben, "spine")
    found = bridge.batch.bake("", lambda settings: settings)
    assert set(found) == {"Ann", "Ben"}
    assert found["Ben"]["keys"] > 0
    assert not ann.posewright_live
    assert not ben.posewright_live


def with_a_linked(bridge: Any, name: str, folder: Path) -> Any:
    """An empty scene but for a linked character of a name, which has a goal."""
    owner = figure(".R", name)
    pin(bridge, owner, "spine")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(folder / "library.blend"), link=True) as (_there, wanted):
        wanted.objects = [name]
    scene().collection.objects.link(wanted.objects[0])
    update()
    return wanted.objects[0]


@pytest.mark.parametrize("who", ["", "Ben"])
def test_from_the_command_line_a_linked_character_of_the_same_name_is_left_alone(
    bridge: Any, tmp_path: Path, who: str
) -> None:
    linked = with_a_linked(bridge, "Ben", tmp_path)
    ann, ben = walking(bridge, keyed=False)
    goal(ben, "spine")
    assert ben.name == linked.name
    assert clasped(ann, ben) < MILLIMETRE
    found = bridge.batch.bake(who, lambda settings: settings)
    assert set(found) == {"Ann", "Ben"}
    assert found["Ben"]["keys"] > 0
    assert bridge.baking.actions.partners_of(ann) == [ben]
    assert not linked.posewright_bake
    assert call.bake_back("EXEC_DEFAULT") == {"FINISHED"}
    assert all(one.posewright_live and not one.posewright_bake for one in (ann, ben))


def test_from_the_command_line_feet_are_those_of_this_file_where_a_linked_character_has_the_same_name(
    bridge: Any, tmp_path: Path
) -> None:
    linked = with_a_linked(bridge, "Ben", tmp_path)
    ben = figure(".L", "Ben")
    assert ben.name == linked.name
    assert bridge.batch._animated("Ben") == ben


def test_a_linked_character_by_itself_is_said_to_be_linked(bridge: Any, tmp_path: Path) -> None:
    with_a_linked(bridge, "Ben", tmp_path)
    with pytest.raises(bridge.errors.PosewrightError, match="'Ben' is linked: make a library override"):
        bridge.batch.bake("", lambda settings: settings)


def test_who_cannot_go_back_does_not_keep_the_other_from_it(bridge: Any) -> None:
    ann, ben = walking(bridge, keyed=False)
    call.bake("EXEC_DEFAULT")
    bpy.data.actions.remove(ben.posewright_before_bake)
    said = bridge.baking.actions.go_back(ann)
    assert "'Ben' stays as it is: The action from before the bake was deleted" in said
    assert ann.posewright_live
    assert not ann.posewright_bake
    assert not ben.posewright_live
    assert ben.posewright_bake


def test_who_has_the_loop_and_no_goal_goes_along_in_a_bake_in_the_mode_of_parts_too(bridge: Any) -> None:
    ann, ben = figure(".L", "Ann"), figure(".R", "Ben")
    ann.location.x = -1.5
    ann.posewright_mode = "PART"
    pin(bridge, ben, "pelvis")
    target: Any = bpy.data.objects.new("Target", None)
    scene().collection.objects.link(target)
    frames = range(FIRST, 4)
    for frame, place in ((FIRST, (-0.7, -0.1, 1.45)), (3, (-0.75, -0.2, 1.35))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    goal(ben, "hand.R", target=target, state="FOLLOWING")
    hold(ann, "hand.L", ben, "hand.R")
    scene().frame_start, scene().frame_end = FIRST, 3
    scene().frame_set(FIRST)
    update()
    live = [seen(one, frames) for one in (ann, ben)]
    assert clasped(ann, ben) < MILLIMETRE
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    for one, was in zip((ann, ben), live, strict=True):
        same(seen(one, frames), was)
