"""Rigs that come from another file: what is added to an override stays, what is linked is left alone."""

from pathlib import Path
from typing import Any

import bpy
import pytest
from mathutils import Vector
from numpy.testing import assert_allclose, assert_array_equal

from .figures import channels, figure, goal, off, pin, shown, update

MILLIMETRE = 1e-3


def linked(folder: Path, pinned: Any = None, owner: Any = None) -> Any:
    """A figure that is linked from another file, where a foot may be pinned already."""
    owner = owner or figure(".L", "Hero")
    if pinned:
        pin(pinned, owner, "foot.L")
        update()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(folder / "library.blend"), link=True) as (_there, wanted):
        wanted.objects = ["Hero"]
    scene: Any = bpy.context.scene
    scene.collection.objects.link(wanted.objects[0])
    update()
    return wanted.objects[0]


def overridden(folder: Path, pinned: Any = None, owner: Any = None) -> Any:
    found = linked(folder, pinned, owner).override_create(remap_local_usages=True)
    update()
    return found


def reopened(folder: Path) -> Any:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    update()
    return next(one for one in bpy.data.objects if one.override_library and one.type == "ARMATURE")


def of_this_file() -> Any:
    """The armature of this file, where others are linked."""
    return next(one for one in bpy.data.objects if one.library is None and one.type == "ARMATURE")


def blocks(owner: Any) -> list[tuple[str, list[float]]]:
    """The stored reference, block by block."""
    return [(one.name, [value for row in one.left_rotation for value in row]) for one in owner.posewright_reference]


@pytest.mark.parametrize("many", [0, 70], ids=["of the same blocks", "with more blocks"])
def test_an_override_poses_on_when_its_library_has_stored_a_reference_for_other_bones(
    bridge: Any, tmp_path: Path, many: int
) -> None:
    owner = figure(".L", "Hero")
    pin(bridge, owner, "foot.L")
    update()
    with bridge.watch.undisturbed():
        owner.data.bones["hand.L"].name = "paw.L"
        while len(owner.posewright_reference) * 32 < many:  # bones that the rigger has removed since
            owner.posewright_reference.add().name = f"{len(owner.posewright_reference)}-gone"
        owner = overridden(tmp_path, owner=owner)
    stored_there = blocks(owner)
    pin(bridge, owner, "pelvis", orientation=0.0)
    update()
    for _ in range(2):
        owner.posewright_goals[1].place[2] -= 0.05
        update()
        assert owner.posewright_live, bridge.outcome.of(owner).error
        assert off(bridge, owner, 1) < MILLIMETRE
        before = bridge.reference.stored(owner)
        assert blocks(owner)[: len(stored_there)] == stored_there, "the library's blocks were changed"
        owner = reopened(tmp_path)
        after = bridge.reference.stored(owner)
        assert_array_equal(after.rotation, before.rotation)
        assert_array_equal(after.left_rotation, before.left_rotation)


def test_an_override_poses_on_when_its_library_has_new_bones_and_a_reference_for_them(
    bridge: Any, tmp_path: Path
) -> None:
    owner = overridden(tmp_path, bridge)
    pin(bridge, owner, "pelvis", orientation=0.0)
    update()
    assert any(name.endswith("+") for name, _ in blocks(owner)), "it has nothing of its own to become stale"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "library.blend"))
    there: Any = bpy.data.objects["Hero"]
    context: Any = bpy.context
    context.view_layer.objects.active = there
    bpy.ops.object.mode_set(mode="EDIT")
    for index in range(40):
        bone = there.data.edit_bones.new(f"hair {index}")
        bone.head, bone.tail = (0, index, 0), (0, index, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    update()
    bridge.reference.store(there, bridge.reference.of_pose(bridge.channels.read(there)))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    update()
    owner = of_this_file()
    for _ in range(2):
        owner.posewright_goals[1].place[2] -= 0.05
        update()
        assert owner.posewright_live, bridge.outcome.of(owner).error
        assert off(bridge, owner, 1) < MILLIMETRE
        assert_allclose(bridge.reference.stored(owner).left_rotation, bridge.channels.read(owner).turned, atol=1e-6)


def with_hair(count: int) -> Any:
    """A figure with so many bones more: its reference is more than one block."""
    owner = figure(".L", "Hero")
    context: Any = bpy.context
    context.view_layer.objects.active = owner
    bpy.ops.object.mode_set(mode="EDIT")
    for index in range(count):
        bone = owner.data.edit_bones.new(f"hair {index}")
        bone.head, bone.tail = (0, index, 0), (0, index, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    update()
    return owner


def test_an_override_that_is_made_local_poses_on_from_where_it_was_left(bridge: Any, tmp_path: Path) -> None:
    owner = overridden(tmp_path, bridge, with_hair(40))
    pin(bridge, owner, "pelvis", orientation=0.0)
    update()
    owner.posewright_goals[1].place[2] -= 0.05
    update()
    before = bridge.reference.stored(owner)
    with bridge.watch.undisturbed():
        owner = owner.make_local(clear_liboverride=True)
        update()
    assert owner.override_library is None
    assert len(owner.posewright_reference) == 4, "it has one set of blocks only: this shows nothing"
    assert_array_equal(bridge.reference.stored(owner).left_rotation, before.left_rotation)
    for far in (0.02, -0.02):
        owner.posewright_goals[1].place[2] += far
        update()
        assert owner.posewright_live, bridge.outcome.of(owner).error
        assert all(one.reached for one in bridge.outcome.of(owner).goals.values())
        assert_allclose(bridge.reference.stored(owner).left_rotation, bridge.channels.read(owner).turned, atol=1e-6)
    assert len(owner.posewright_reference) == 2


def moved(bridge: Any, file: Path, *ways: float) -> Any:
    """Open a file, move the goal of its pelvis up or down, and save it. Returns the reference that is left."""
    bpy.ops.wm.open_mainfile(filepath=str(file))
    update()
    owner = of_this_file()
    for far in ways:
        owner.posewright_goals[1].place[2] += far
        update()
        assert owner.posewright_live, bridge.outcome.of(owner).error
        assert all(one.reached for one in bridge.outcome.of(owner).goals.values())
    found = bridge.reference.stored(owner)
    assert_allclose(found.left_rotation, bridge.channels.read(owner).turned, atol=1e-6)
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    return found


def test_an_override_of_an_override_keeps_its_own_reference_whatever_the_others_store(
    bridge: Any, tmp_path: Path
) -> None:
    owner = overridden(tmp_path, bridge, with_hair(40))
    pin(bridge, owner, "pelvis", orientation=0.0)
    update()
    owner.name = "Middle"
    middle, shot = tmp_path / "middle.blend", tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(middle))
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(middle), link=True) as (_there, wanted):
        wanted.objects = ["Middle"]
    scene: Any = bpy.context.scene
    scene.collection.objects.link(wanted.objects[0])
    update()
    wanted.objects[0].override_create(remap_local_usages=True)
    update()
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    moved(bridge, shot, -0.05, 0.02)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "library.blend"))
    with bridge.watch.undisturbed():
        there: Any = bpy.data.objects["Hero"]
        there.data.bones["hair 3"].name = "curl 3"
        there.data.bones["hair 39"].name = "curl 39"
        update()
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    for _ in range(2):
        before = moved(bridge, shot, -0.02, 0.01)
        moved(bridge, middle, -0.03)
        bpy.ops.wm.open_mainfile(filepath=str(shot))
        owner = of_this_file()
        assert owner.override_library.reference.override_library, "the middle file overrides nothing"
        after = bridge.reference.stored(owner)
        assert_array_equal(after.left_rotation, before.left_rotation)
        assert_array_equal(after.rotation, before.rotation)


def test_escape_puts_the_reference_of_an_override_back(bridge: Any, tmp_path: Path) -> None:
    owner = overridden(tmp_path, bridge)
    drag = bridge.dragging.drag
    for _ in range(2):  # first with what its library has stored, then with its own
        before = blocks(owner)
        made = drag.begin_bone(owner, "hand.L", Vector())
        update()
        start = drag.now(owner, made)
        drag.move(owner, made, start._replace(place=start.place - Vector((0.0, 0.0, 0.1))))
        update()
        assert blocks(owner) != before
        drag.put_back(owner, made)
        update()
        assert blocks(owner) == before
        pin(bridge, owner, "pelvis", orientation=0.0)
        update()


@pytest.mark.parametrize("in_library", [False, True])
def test_goals_of_an_override_are_all_there_when_the_file_is_opened_again(
    bridge: Any, tmp_path: Path, in_library: bool
) -> None:
    owner = overridden(tmp_path, bridge if in_library else None)
    first = len(owner.posewright_goals)
    pin(bridge, owner, "pelvis", orientation=0.0)
    pin(bridge, owner, "hand.L", orientation=0.5, weight=3.0, use_axis=(True, True, False))
    update()
    owner.posewright_goals[first].place[2] -= 0.1
    owner.posewright_solver = "levenberg"
    update()
    assert off(bridge, owner, first) < MILLIMETRE
    posed, places = shown(owner), [one.place[:] for one in owner.posewright_goals]
    again = reopened(tmp_path)
    assert [one.bone for one in again.posewright_goals] == [*["foot.L"] * first, "pelvis", "hand.L"]
    assert [one.place[:] for one in again.posewright_goals] == places
    hand = again.posewright_goals[first + 1]
    assert (hand.state, hand.orientation, hand.weight, tuple(hand.use_axis)) == (
        "PINNED",
        0.5,
        3.0,
        (True, True, False),
    )
    assert again.posewright_solver == "levenberg"
    again.update_tag()
    update()
    assert_allclose(shown(again), posed, atol=1e-4)
    again.posewright_goals[first].place[2] += 0.05
    update()
    assert off(bridge, again, first) < MILLIMETRE


def test_a_linked_rig_without_an_override_is_left_alone_and_the_reason_is_said(bridge: Any, tmp_path: Path) -> None:
    owner = linked(tmp_path, bridge)
    before = channels(owner)
    owner.posewright_goals[0].place[0] += 0.2
    owner.update_tag()
    update()
    assert channels(owner) == before
    assert "make a library override" in bridge.live.why_not(owner)


def test_a_local_and_a_linked_rig_of_the_same_name_are_told_apart(bridge: Any, tmp_path: Path) -> None:
    away = linked(tmp_path, bridge)
    here = figure(".L", "Hero")
    assert here.name == away.name
    pin(bridge, here, "foot.L")
    update()
    before = channels(away)
    here.posewright_goals[0].place[0] += 0.1
    update()
    assert off(bridge, here, 0) < MILLIMETRE
    assert channels(away) == before


def test_a_target_may_be_a_bone_of_a_linked_rig(bridge: Any, tmp_path: Path) -> None:
    leader = linked(tmp_path)
    owner = figure(".L", "Follower")
    owner.location.x = 0.2
    goal(owner, "hand.L", target=leader, target_bone="hand.L", state="FOLLOWING")
    update()
    assert off(bridge, owner, 0) < MILLIMETRE
