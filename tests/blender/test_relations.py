"""What all relations have in common: the list, how they take part in solves, and what happens to one in trouble."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

from .figures import channels, drag, figure, goal, off, pin, shown, update
from .test_bake import LAST, moving_hand, scene, seen
from .test_linked_rigs import overridden, reopened
from .test_sidebar import drawn, red, said

operators: Any = bpy.ops
call = operators.posewright
MILLIMETRE = 1e-3
TENTH = 0.1 * np.pi / 180.0


def relation(owner: Any, kind: str, bones: Any = (), **settings: Any) -> Any:
    """A new relation of a figure, with a part for each bone."""
    made = owner.posewright_relations.add()
    made.kind, made.name = kind, settings.pop("name", kind.lower())
    for letter, bone in zip("abcdefgh", bones, strict=False):
        part = made.parts.add()
        part.name, part.bone = letter, bone
    for name, value in settings.items():
        setattr(made, name, value)
    owner.update_tag()
    return made


def elbow_as_knee(owner: Any, factor: float = 0.5, **settings: Any) -> Any:
    """The elbow bends by a part of what the knee does, and some more."""
    given = {"bone": "forearm.L", "axis": "X", "expression": f"{factor} * a + 0.3"} | settings
    return relation(owner, "COUPLING", ["shin.L"], **given)


def angle(owner: Any, bone: str) -> float:
    """Of a hinge, radians."""
    return float(owner.pose.bones[bone].rotation_quaternion.to_euler().x)


def is_coupled(owner: Any) -> bool:
    """Whether it does."""
    return abs(angle(owner, "forearm.L") - 0.5 * angle(owner, "shin.L") - 0.3) < TENTH


def put(bridge: Any, owner: Any, bone: str, by: Any) -> None:
    """Drag a bone, and pin it there."""
    made = drag(bridge, owner, bone, by)
    made.dragged, made.state = False, "PINNED"
    update()


def parts(owner: Any) -> list[list[tuple[str, str]]]:
    return [[(part.name, part.bone) for part in one.parts] for one in owner.posewright_relations]


@pytest.fixture
def standing(bridge: Any) -> Any:
    owner = figure(".L")
    pin(bridge, owner, "foot.L")
    update()
    return owner


def test_with_no_goal_that_asks_relations_write_nothing(bridge: Any) -> None:
    owner = figure(".L")
    goal(owner, "hand.L")
    owner.pose.bones["shin.L"].rotation_quaternion = (0.966, 0.259, 0, 0)
    update()
    before = channels(owner)
    elbow_as_knee(owner)
    update()
    assert channels(owner) == before
    assert not bridge.outcome.of(owner).relations


@pytest.mark.usefixtures("bridge")
def test_on_request_relations_are_solved_by_themselves_and_stay_so() -> None:
    owner = figure(".L")
    owner.pose.bones["shin.L"].rotation_quaternion = (0.966, 0.259, 0, 0)
    elbow_as_knee(owner)
    update()
    assert call.solve("EXEC_DEFAULT") == {"FINISHED"}
    assert is_coupled(owner)
    before = channels(owner)
    update()
    scene().frame_set(scene().frame_current + 1)
    assert channels(owner) == before


def test_a_drag_keeps_relations_and_a_second_call_changes_nothing(bridge: Any, standing: Any) -> None:
    elbow_as_knee(standing)
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    found = bridge.outcome.of(standing)
    assert all(one.reached for one in (*found.goals.values(), *found.relations.values()))
    assert off(bridge, standing, 1) < MILLIMETRE
    assert is_coupled(standing)
    before = channels(standing)
    for _ in range(2):
        standing.update_tag()
        update()
    assert channels(standing) == before
    bridge.watch.forget()
    standing.update_tag()
    update()
    assert_allclose(np.frombuffer(channels(standing), np.float32), np.frombuffer(before, np.float32), atol=1e-5)


def test_there_and_back_is_no_journey_with_relations(bridge: Any, standing: Any) -> None:
    elbow_as_knee(standing)
    update()
    before = shown(standing)
    for step in range(1, 4):
        drag(bridge, standing, "hand.L", (-0.05 * step, 0.05, 0.02 * step))
    assert np.abs(shown(standing) - before).max() > 0.05
    drag(bridge, standing, "hand.L", (0, 0, 0))
    assert_allclose(shown(standing), before, atol=5e-5)


def test_a_muted_relation_and_one_of_no_weight_ask_for_nothing(bridge: Any, standing: Any) -> None:
    elbow_as_knee(standing, mute=True)
    put(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    assert not bridge.outcome.of(standing).relations
    free = shown(standing)
    standing.posewright_relations[0].mute = False
    update()
    assert bridge.outcome.of(standing).relations[0].reached
    assert np.abs(shown(standing) - free).max() > MILLIMETRE
    standing.posewright_relations[0].weight = 0.0
    update()
    assert not bridge.outcome.of(standing).relations
    assert_allclose(shown(standing), free, atol=1e-4)


def test_another_way_keeps_relations(bridge: Any, standing: Any) -> None:
    elbow_as_knee(standing)
    put(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    before = shown(standing)
    call.solve("EXEC_DEFAULT", elsewhere=True, seed=3)
    assert np.abs(shown(standing) - before).max() > MILLIMETRE
    assert is_coupled(standing)


def test_other_words_are_taken_over_at_once(bridge: Any, standing: Any) -> None:
    one = elbow_as_knee(standing)
    put(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    one.expression = "0.25 * a + 0.1 - 0.05"
    update()
    assert angle(standing, "forearm.L") == pytest.approx(0.25 * angle(standing, "shin.L") + 0.05, abs=TENTH)


def test_one_in_trouble_is_told_about_and_left_out_and_all_else_is_solved(bridge: Any, standing: Any) -> None:
    elbow_as_knee(standing)
    relation(standing, "COUPLING", ["nowhere"], name="lost", bone="arm.L", expression="a")
    relation(standing, "WIRE", ["hand.L", "foot.L"], name="short", length=0.0)
    relation(standing, "LOOP", ["hand.L"], name="half")
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    found = bridge.outcome.of(standing)
    assert off(bridge, standing, 1) < MILLIMETRE
    assert found.relations[0].reached
    assert "there is no bone 'nowhere'" in found.relations[1].trouble
    assert "length is zero" in found.relations[2].trouble
    assert "two points" in found.relations[3].trouble
    assert "3 of 4 relations not met" in found.words
    assert standing.posewright_live


def tamper(item: Any, name: str) -> None:
    """Store a number of which an enum has no item, as a newer version may."""
    stored = item.bl_system_properties_get(do_create=True) if hasattr(item, "bl_system_properties_get") else item
    stored[name] = 99
    assert getattr(item, name) == ""
    item.id_data.update_tag()


def test_what_a_newer_version_stored_is_that_relations_trouble_alone(bridge: Any, standing: Any) -> None:
    elbow_as_knee(standing)
    tamper(relation(standing, "WIRE", ["hand.L", "foot.L"], length=1.0), "kind")
    tamper(relation(standing, "WIRE", ["hand.L", "foot.L"], length=1.0), "level")
    tamper(relation(standing, "LOOP", ["hand.L", "pelvis"]), "level")
    tamper(elbow_as_knee(standing, bone="hand.L"), "axis")
    tamper(elbow_as_knee(standing, bone="arm.L").parts[0], "axis")
    made = relation(standing, "COLLISION", against="BOX")
    assert call.shapes_fit("EXEC_DEFAULT") == {"FINISHED"}
    tamper(made, "against")
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    assert standing.posewright_live, bridge.outcome.of(standing).error
    found = bridge.outcome.of(standing).relations
    assert found[0].reached
    assert [row for row in range(1, 7) if "unknown to this version" not in found[row].trouble] == []
    assert off(bridge, standing, 1) < MILLIMETRE
    for row in range(7):
        standing.posewright_active_relation = row
        assert drawn()
    other = figure("", "Other")
    tamper(elbow_as_knee(other), "axis")
    with pytest.raises(RuntimeError, match="unknown to this version"):
        call.relation_mirror("EXEC_DEFAULT", index=0)


def test_trouble_is_told_before_anything_is_asked(bridge: Any) -> None:
    owner = figure(".L")
    relation(owner, "WIRE", ["hand.L", "gone"], length=1.0)
    update()
    assert "'gone'" in bridge.outcome.of(owner).relations[0].trouble


def test_bones_of_relations_are_a_part_of_the_rig_though_no_goal_moves_them(bridge: Any) -> None:
    owner = figure()
    pin(bridge, owner, "foot.L")
    relation(owner, "COUPLING", ["shin.L"], bone="forearm.R", axis="X", expression="a")
    drag(bridge, owner, "pelvis", (0, 0, -0.2))
    assert abs(angle(owner, "shin.L")) > 0.2
    assert angle(owner, "forearm.R") == pytest.approx(angle(owner, "shin.L"), abs=TENTH)


@pytest.mark.parametrize("animated", [False, True])
def test_a_bake_is_what_was_seen(bridge: Any, animated: bool) -> None:
    owner = moving_hand(bridge, figure(".L"))
    one = elbow_as_knee(owner)
    relation(owner, "WIRE", ["pelvis", "hand.L"], length=0.55)
    relation(owner, "WIRE", ["pelvis"], name="one end")
    if animated:  # off, then on, then with another weight
        for frame, mute in ((1, True), (4, False)):
            one.mute = mute
            one.keyframe_insert("mute", frame=frame)
        for frame, weight in ((5, 1.0), (LAST, 0.2)):
            one.weight = weight
            one.keyframe_insert("weight", frame=frame)
    live = seen(owner)
    assert is_coupled(owner)
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    for frame, pose in seen(owner).items():
        assert_allclose(pose, live[frame], atol=1e-5, err_msg=f"frame {frame}")
    report = owner.posewright_bake_report
    assert '"one end"' in report
    assert '"coupling"' in report


def test_undo_and_redo_of_a_relation(bridge: Any, standing: Any) -> None:
    operators.ed.undo_push(message="before")
    put(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    operators.ed.undo_push(message="pinned")
    free = shown(standing)
    elbow_as_knee(standing)
    update()
    operators.ed.undo_push(message="coupled")
    coupled = shown(standing)
    assert np.abs(coupled - free).max() > MILLIMETRE
    name = standing.name
    operators.ed.undo()
    update()
    again = bpy.data.objects[name]
    assert not len(again.posewright_relations)
    assert_allclose(shown(again), free, atol=1e-5)
    operators.ed.redo()
    update()
    assert_allclose(shown(bpy.data.objects[name]), coupled, atol=1e-5)


def test_relations_are_there_when_the_file_is_opened_again(bridge: Any, standing: Any, tmp_path: Path) -> None:
    elbow_as_knee(standing)
    relation(standing, "LOOP", ["hand.L", "pelvis"], turned=True, turn=(0, 1, 0, 0), mute=True)
    put(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    before, named = shown(standing), parts(standing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    update()
    again: Any = bpy.data.objects["Figure"]
    assert parts(again) == named
    assert again.posewright_relations[1].turn[:] == (0, 1, 0, 0)
    assert_allclose(shown(again), before, atol=1e-5)


@pytest.mark.usefixtures("bridge")
def test_relations_of_an_override_are_all_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    owner = overridden(tmp_path)
    elbow_as_knee(owner)
    relation(owner, "WIRE", ["pelvis", "spine", "hand.L"], length=0.75)
    again = reopened(tmp_path)
    assert [one.kind for one in again.posewright_relations] == ["COUPLING", "WIRE"]
    assert parts(again) == [[("a", "shin.L")], [("a", "pelvis"), ("b", "spine"), ("c", "hand.L")]]
    assert again.posewright_relations[1].length == pytest.approx(0.75)


def test_names_differ_and_keys_go_with_their_relation(bridge: Any, standing: Any) -> None:
    for name in ("first", "second", "second"):
        elbow_as_knee(standing, name=name)
    names = [one.name for one in standing.posewright_relations]
    assert names == ["first", "second", "second.001"]
    standing.posewright_relations[2].keyframe_insert("weight", frame=1)
    call.relation_remove("EXEC_DEFAULT", index=0)
    call.relation_move("EXEC_DEFAULT", index=1, direction="UP")
    assert [one.name for one in standing.posewright_relations] == ["second.001", "second"]
    (curves, _) = next(iter(bridge.action_curves.of(standing)))
    assert [curve.data_path for curve in curves] == ["posewright_relations[0].weight"]
    assert standing.posewright_active_relation == 0


def keyed(bridge: Any, owner: Any) -> dict[str, float]:
    """By path, what the curves of an object begin with; of drivers, nothing."""
    return {
        curve.data_path: round(curve.keyframe_points[0].co[1], 3) if len(curve.keyframe_points) else 0.0
        for curves, _ in bridge.action_curves.of(owner)
        for curve in curves
    }


def test_keys_and_drivers_of_parts_go_with_their_part(bridge: Any, standing: Any) -> None:
    relation(standing, "WIRE", ["pelvis", "foot.L"], length=2.0)
    one = relation(standing, "WIRE", ["pelvis", "spine", "arm.L", "hand.L"], length=2.0)
    for index, part in enumerate(one.parts):
        part.mass = 1.0 + index
        part.keyframe_insert("mass", frame=1)
    standing.posewright_relations[0].parts[1].keyframe_insert("mass", frame=1)
    curve = one.parts[3].driver_add("offset", 0)
    variable = curve.driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = standing, "posewright_relations[1].parts[2].mass"
    other = "posewright_relations[0].parts[1].mass"
    parts_of, kept = "posewright_relations[1].parts", {other: 1.0}
    one.active_part = 1
    assert call.relation_part_remove("EXEC_DEFAULT", index=1) == {"FINISHED"}
    found = keyed(bridge, standing)
    masses = {f"{parts_of}[0].mass": 1.0, f"{parts_of}[1].mass": 3.0, f"{parts_of}[2].mass": 4.0}
    assert found == kept | masses | {f"{parts_of}[2].offset": 0.0}
    assert variable.targets[0].data_path == f"{parts_of}[1].mass"
    one = standing.posewright_relations[1]
    one.active_part = 2
    assert call.relation_part_move("EXEC_DEFAULT", index=1, direction="UP") == {"FINISHED"}
    masses = {f"{parts_of}[0].mass": 1.0, f"{parts_of}[2].mass": 3.0, f"{parts_of}[1].mass": 4.0}
    assert keyed(bridge, standing) == kept | masses | {f"{parts_of}[1].offset": 0.0}
    assert variable.targets[0].data_path == f"{parts_of}[2].mass"


def test_the_panel_shows_every_kind_and_what_each_lacks(bridge: Any, standing: Any) -> None:
    assert "Hold bones together" in said("Relations")
    elbow_as_knee(standing)
    relation(standing, "WIRE", ["pelvis", "hand.L"], length=0.3)
    relation(standing, "LOOP", ["hand.L", "pelvis"], mute=True)
    relation(standing, "COUPLING", ["shin.L"], name="evil", bone="hand.L", expression="__import__('os')")
    put(bridge, standing, "hand.L", (-0.1, 0, 0))
    for index, shown_of in enumerate(("expression", "length", "turned", "expression")):
        standing.posewright_active_relation = index
        assert f"{shown_of}: " in said("Relations")
        assert ("Left out: unknown function" in red("Relations").replace("  ", " ")) == (index == 3)
    standing.posewright_active_relation = 1
    lacks = bridge.outcome.of(standing).relations[1].metres
    assert f"{100 * lacks:.1f} cm" in said("Relations") or f"{100 * lacks:.0f} cm" in said("Relations")
    assert lacks > 0.01
    standing.posewright_relations[1].parts[0].bone = "gone"
    update()
    assert "there is no bone 'gone'" in " ".join(red("Relations").split())
    assert drawn()


def test_of_things_to_keep_off_one_that_is_refused_refuses_all(bridge: Any) -> None:
    assert bridge
    owner, things = figure(), [bpy.data.objects.new(name, None) for name in ("Ball", "Hat")]
    for thing in things:
        scene().collection.objects.link(thing)
        thing.select_set(True)
    things[1].parent = owner
    update()
    with pytest.raises(RuntimeError, match="'Hat' moves with the character itself"):
        call.collide("EXEC_DEFAULT", against="SPHERE")
    assert (len(owner.posewright_relations), len(owner.posewright_shapes)) == (0, 0)
    things[1].parent = None
    assert call.collide("EXEC_DEFAULT", against="SPHERE") == {"FINISHED"}
    assert [one.thing for one in owner.posewright_relations] == things
    things[0].select_set(False)
    for given, words in (({"against": "BOX"}, "keeps off 'Hat' already"), ({"against": "SELF"}, "keeps off itself")):
        if given["against"] == "SELF":
            assert call.collide("EXEC_DEFAULT", **given) == {"FINISHED"}
        with pytest.raises(RuntimeError, match=words):
            call.collide("EXEC_DEFAULT", **given)
    assert [one.name for one in owner.posewright_relations] == ["Ball", "Hat", "Body"]
