"""Input that cannot be right: it does the sensible thing or says clearly why not, and pose and file stay intact.

| input | here, and in |
|---|---|
| the active object is no armature | a drag is refused; test_goals (cannot be posed), test_sidebar |
| an armature without bones | a drag is refused, all deleted; test_goals (cannot be posed), test_armature |
| a bone in two goals of the same kind | test_goals (a second goal is refused), test_live (told apart), test_sidebar |
| a target of the character's own, a cycle | runs after its own bone; test_live (moves with the character), test_goals |
| a linked armature without an override | a linked rig is not dragged; test_linked_rigs, test_goals |
| Edit Mode while live | made and deleted in edit mode, breaks off a drag; test_live (renamed) |
| the armature is replaced by another | is read anew |
| saved and loaded while live | in the middle of a drag; test_live (stay in the file), test_linked_rigs |
| the add-on is disabled while live | while the add-on is disabled |
| two objects share an armature | are posed apart |
| several rigs in Pose Mode | of several rigs; test_live (several characters), test_drag (picking) |
| a local and a linked rig of one name | of two rigs of one name; test_linked_rigs |
"""

import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import addon_utils
import bpy
import pytest
from mathutils import Matrix, Vector
from numpy.testing import assert_allclose

from .figures import channels, drag, figure, goal, off, pin, shown, update
from .test_linked_rigs import linked
from .test_sidebar import red

MILLIMETRE = 1e-3
operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def standing(bridge: Any) -> Any:
    """A figure with its foot pinned."""
    owner = figure(".L")
    pin(bridge, owner, "foot.L")
    update()
    return owner


def new_object(name: str, data: Any = None) -> Any:
    context: Any = bpy.context
    found = bpy.data.objects.new(name, data)
    context.scene.collection.objects.link(found)
    return found


def activate(thing: Any) -> None:
    context: Any = bpy.context
    context.view_layer.objects.active = thing


def test_a_drag_is_refused_with_the_reason_where_there_is_no_character(bridge: Any) -> None:
    owner = figure(".L")
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Only in Pose Mode and Object Mode"):
        call.drag(bone="hand.L")
    bpy.ops.object.mode_set(mode="OBJECT")
    for thing, said in (
        (None, "no armature"),
        (new_object("Prop"), "no armature"),
        (new_object("Bare", bpy.data.armatures.new("Bare")), "'Bare' has no bones"),
    ):
        activate(thing)
        with pytest.raises(RuntimeError, match=said):
            call.drag(bone="hand.L")
    assert not len(owner.posewright_goals)
    assert bridge


def test_goals_whose_bones_are_all_deleted_wait_for_them(bridge: Any, standing: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    bones = standing.data.edit_bones
    for bone in list(bones):
        bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    standing.update_tag()
    update()
    assert standing.posewright_live
    assert "has no bones" in bridge.ready.why_not(standing)
    bpy.ops.object.mode_set(mode="EDIT")
    made = standing.data.edit_bones.new("foot.L")
    made.tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="POSE")
    standing.posewright_goals[0].place = (0.2, 0.1, 0.3)
    update()
    assert off(bridge, standing, 0) < MILLIMETRE


def test_bones_made_and_deleted_in_edit_mode_while_live_change_nothing_else(bridge: Any, standing: Any) -> None:
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1)).dragged = False
    update()
    before = {bone.name: bone.matrix.copy() for bone in standing.pose.bones}
    bpy.ops.object.mode_set(mode="EDIT")
    bones = standing.data.edit_bones
    bones.remove(bones["hand.L"])
    made = bones.new("tail")
    made.head, made.tail, made.parent = (0, 0.1, 1.0), (0, 0.4, 1.0), bones["pelvis"]
    posed = channels(standing)
    standing.posewright_goals[0].place[2] += 0.1
    update()
    assert channels(standing) == posed, "it was posed in the middle of an edit"
    standing.posewright_goals[0].place[2] -= 0.1
    bpy.ops.object.mode_set(mode="POSE")
    update()
    after = {bone.name: bone.matrix for bone in standing.pose.bones}
    assert set(after) == set(before) - {"hand.L"} | {"tail"}
    for name in set(after) & set(before):
        assert_allclose(after[name], before[name], atol=1e-4)
    standing.posewright_goals[0].place[0] += 0.1
    update()
    assert standing.posewright_live
    assert off(bridge, standing, 0) < MILLIMETRE


def test_a_drag_that_edit_mode_breaks_off_leaves_nothing_that_pulls(bridge: Any, standing: Any) -> None:
    taken = bridge.dragging.drag.begin_bone(standing, "hand.L", Vector((0.0, 0.05, 0.0)))
    bpy.ops.object.mode_set(mode="EDIT")
    assert bridge.dragging.drag.find(taken) is None
    operator: Any = bpy.types.POSEWRIGHT_OT_drag  # type: ignore[attr-defined]
    operator._end(SimpleNamespace(_gesture=SimpleNamespace(drag=taken)), bpy.context, put_back=False)
    assert [(one.name, one.dragged) for one in standing.posewright_goals] == [("foot.L", False)]
    bpy.ops.object.mode_set(mode="POSE")


def test_an_armature_that_is_replaced_by_another_is_read_anew(bridge: Any, standing: Any) -> None:
    other = figure("", "Other")
    bpy.ops.object.mode_set(mode="EDIT")
    other.data.edit_bones["shin.L"].tail.z -= 0.05
    other.data.edit_bones["foot.L"].head.z -= 0.05
    bpy.ops.object.mode_set(mode="OBJECT")
    standing.data = other.data
    update()
    assert len(standing.pose.bones) == len(other.data.bones)
    assert standing.posewright_live
    standing.posewright_goals[0].place[0] += 0.1
    update()
    assert off(bridge, standing, 0) < MILLIMETRE
    bare = bpy.data.armatures.new("Bare")
    standing.data = bare
    standing.update_tag()
    update()
    assert standing.posewright_live
    assert "has no bones" in bridge.ready.why_not(standing)


def test_a_file_saved_in_the_middle_of_a_drag_opens_without_it(bridge: Any, standing: Any, tmp_path: Path) -> None:
    taken = bridge.dragging.drag.begin_bone(standing, "hand.L", Vector((0.0, 0.05, 0.0)))
    wanted = bridge.places.Frame(taken.start.place + Vector((-0.2, -0.1, 0.1)), taken.start.turn)
    bridge.dragging.drag.move(standing, taken, wanted)
    update()
    before = shown(standing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "dragged.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "dragged.blend"))
    update()
    again: Any = bpy.data.objects["Figure"]
    assert [one.name for one in again.posewright_goals] == ["foot.L"]
    assert_allclose(shown(again), before, atol=1e-5)
    assert bridge.dragging.drag.find(taken) is None
    again.posewright_goals[0].place[0] += 0.05
    update()
    assert off(bridge, again, 0) < MILLIMETRE


def test_while_the_add_on_is_disabled_the_pose_stays_and_goals_are_there_again_afterwards(
    bridge: Any, standing: Any, add_on: ModuleType
) -> None:
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    before = channels(standing)
    addon_utils.disable(add_on.__name__)
    update()
    assert channels(standing) == before
    assert not hasattr(standing, "posewright_goals")
    standing.update_tag()
    update()
    assert channels(standing) == before
    addon_utils.enable(add_on.__name__)
    add_on.compiled.hold()
    assert [one.bone for one in standing.posewright_goals] == ["foot.L", "hand.L"]
    standing.update_tag()
    update()
    assert channels(standing) == before
    standing.posewright_goals[0].place[0] += 0.05
    update()
    assert off(bridge, standing, 0) < MILLIMETRE


def test_two_objects_that_share_an_armature_are_posed_apart(bridge: Any, standing: Any) -> None:
    second = new_object("Second", standing.data)
    second.location.x = 2.0
    update()
    pin(bridge, second, "hand.L", orientation=0.0)
    update()
    before = channels(standing)
    second.posewright_goals[0].place[2] += 0.1
    update()
    assert off(bridge, second, 0) < MILLIMETRE
    assert channels(standing) == before
    before = channels(second)
    standing.posewright_goals[0].place[0] += 0.1
    update()
    assert off(bridge, standing, 0) < MILLIMETRE
    assert channels(second) == before
    activate(standing)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "is in Edit Mode: press Tab" in bridge.ready.why_not(second)
    standing.data.edit_bones.remove(standing.data.edit_bones["foot.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    second.posewright_goals[0].place[2] -= 0.1
    update()
    assert off(bridge, second, 0) < MILLIMETRE
    assert second.posewright_live
    assert "no bone 'foot.L'" in bridge.outcome.of(standing).goals[0].trouble


def test_bones_that_another_object_with_the_same_armature_loses_are_noticed_in_a_drag(
    bridge: Any, standing: Any
) -> None:
    second = new_object("Second", standing.data)
    update()
    drag(bridge, second, "hand.L", (-0.1, 0, 0))
    second.posewright_live = False
    activate(standing)
    bpy.ops.object.mode_set(mode="EDIT")
    standing.data.edit_bones.remove(standing.data.edit_bones["foot.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    second.posewright_live = True
    update()
    drag(bridge, second, "hand.L", (-0.2, 0, 0))
    assert second.posewright_live, bridge.outcome.of(second).error
    assert off(bridge, second, 0) < MILLIMETRE


def test_of_several_rigs_in_pose_mode_an_action_concerns_the_active_one(bridge: Any) -> None:
    first, second = figure(".L", "First"), figure(".L", "Second")
    bpy.ops.object.mode_set(mode="OBJECT")
    for owner in (first, second):
        owner.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    assert (first.mode, second.mode) == ("POSE", "POSE")
    call.goal_add(bone="foot.L")
    call.goal_pin(which="BOTH")
    assert (len(first.posewright_goals), len(second.posewright_goals)) == (0, 1)
    activate(first)
    call.goal_add(bone="hand.L")
    update()
    before = channels(second)
    call.drag(goal=0, value=(-0.1, -0.1, 0.1))
    assert channels(second) == before
    assert first.pose.bones["hand.L"].head.z > 1.5
    drag(bridge, second, "pelvis", (0.05, 0, -0.1))
    assert off(bridge, second, 0) < MILLIMETRE


def test_of_two_rigs_of_one_name_the_local_one_is_dragged(bridge: Any, tmp_path: Path) -> None:
    away = linked(tmp_path, bridge)
    here = figure(".L", "Hero")
    assert here.name == away.name
    before = channels(away)
    call.drag(bone="hand.L", value=(-0.1, -0.1, 0.1))
    assert here.pose.bones["hand.L"].head.z > 1.5
    assert not len(here.posewright_goals)
    assert channels(away) == before
    assert len(away.posewright_goals) == 1
    camera = Matrix.Rotation(-0.5 * math.pi, 4, "X") @ Matrix.Translation((0.0, 0.0, -1.45))
    front = bridge.dragging.view.View(400, 400, camera, Matrix.Diagonal((1.0, 1.0, -0.01, 1.0)))
    for owner in (here, away):
        pixel = front.pixel(owner.pose.bones["forearm.L"].center)
        assert bridge.dragging.picking.bone_under(front, [owner], pixel).owner == owner


def test_a_linked_rig_is_not_dragged_and_the_way_out_is_said(bridge: Any, tmp_path: Path) -> None:
    away = linked(tmp_path, bridge)
    activate(away)
    before = channels(away)
    with pytest.raises(RuntimeError, match="make a library override"):
        call.drag(bone="hand.L", value=(-0.1, -0.1, 0.1))
    assert "make a library override" in red("Character")
    assert channels(away) == before
    assert len(away.posewright_goals) == 1


def by_parent(owner: Any, target: Any) -> None:
    target.parent, target.parent_type, target.parent_bone = owner, "BONE", "hand.L"


def by_parents(owner: Any, target: Any) -> None:
    target.parent = between = new_object("Between")
    by_parent(owner, between)


def by_constraint(owner: Any, target: Any) -> None:
    tied = target.constraints.new("COPY_LOCATION")
    tied.target, tied.subtarget = owner, "hand.L"


def by_many_constraints(owner: Any, target: Any) -> None:
    tied = target.constraints.new("ARMATURE").targets.new()
    tied.target, tied.subtarget = owner, "hand.L"


HOW: dict[Callable[[Any, Any], None], str] = {
    by_parent: "is a child of",
    by_parents: "is a child of",
    by_constraint: "is tied by its constraint 'Copy Location' to",
    by_many_constraints: "is tied by its constraint 'Armature' to",
}


@pytest.mark.parametrize("tie", HOW)
def test_a_goal_that_would_run_after_its_own_bone_is_left_out_and_says_so(
    bridge: Any, standing: Any, tie: Callable[[Any, Any], None]
) -> None:
    target = new_object("Target")
    tie(standing, target)
    goal(standing, "hand.L", target=target, target_offset=(0.0, 0.0, 0.1), state="FOLLOWING")
    before = channels(standing)
    for _ in range(3):
        standing.update_tag()
        update()
    assert standing.posewright_live
    assert f"'Target' {HOW[tie]} the character" in bridge.outcome.of(standing).goals[1].trouble
    assert channels(standing) == before
    assert bridge.outcome.of(standing).goals[0].reached
