"""Balance: the centre of mass stays over the feet that are pinned."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector
from numpy.testing import assert_allclose

from .figures import channels, drag, figure, off, pin, shown, update
from .test_bake import FIRST, LAST, scene, seen
from .test_linked_rigs import overridden, reopened
from .test_relations import MILLIMETRE, keyed, put
from .test_sidebar import red, said

operators: Any = bpy.ops
call = operators.posewright
REACH = (-0.6, -1.0, -0.7)  # of the left hand, down in front of the feet


def stand(bridge: Any, *feet: str) -> Any:
    """A figure that keeps its balance, with pinned feet."""
    owner = figure()
    for foot in feet:
        pin(bridge, owner, foot)
    assert call.balance("EXEC_DEFAULT") == {"FINISHED"}
    update()
    return owner


@pytest.fixture
def standing(bridge: Any) -> Any:
    return stand(bridge, "foot.L", "foot.R")


def inside(bridge: Any, owner: Any) -> float:
    """How far the centre of mass is within what is stood on, metres."""
    return float(bridge.relations.balance.seen(owner, owner.posewright_relations[0]).inside)


def centre(owner: Any) -> Any:
    """Of mass, as Blender shows the bones."""
    parts = owner.posewright_relations[0].parts
    places = [owner.matrix_world @ owner.pose.bones[part.bone].matrix @ part.offset for part in parts]
    masses = [part.mass for part in parts]
    return np.average(np.array(places), axis=0, weights=masses)


def reached(bridge: Any, owner: Any, **settings: float) -> float:
    """How far inside the centre is at the end of a reach with some settings; afterwards all is as before."""
    for name, value in settings.items():
        setattr(owner.posewright_relations[0], name, value)
    drag(bridge, owner, "hand.L", REACH)
    found = inside(bridge, owner)
    drag(bridge, owner, "hand.L").dragged = False
    update()
    return found


def trouble(bridge: Any, owner: Any) -> str:
    return str(bridge.outcome.of(owner).relations[0].trouble)


def test_a_leaning_reach_keeps_the_centre_over_the_feet_and_without_balance_it_leaves_them(
    bridge: Any, standing: Any
) -> None:
    assert inside(bridge, standing) > 0.02
    ways: list[list[float]] = []
    for mute in (True, False):
        standing.posewright_relations[0].mute = mute
        ways.append([])
        for step in range(9):
            drag(bridge, standing, "hand.L", step / 8 * Vector(REACH))
            ways[-1].append(inside(bridge, standing))
        drag(bridge, standing, "hand.L").dragged = False
        update()
    free, balanced = ways
    assert min(free) < -0.05
    assert min(balanced) > 0.01  # the share that it stays inside of the edge
    assert max(off(bridge, standing, row) for row in (0, 1)) < MILLIMETRE
    there = bridge.relations.balance.seen(standing, standing.posewright_relations[0])
    assert_allclose(there.centre, centre(standing), atol=1e-5)


def test_the_centre_is_free_inside_and_upwards(bridge: Any, standing: Any) -> None:
    small = (-0.1, -0.05, 0.05)
    drag(bridge, standing, "hand.L", small)
    with_it = shown(standing)
    standing.posewright_relations[0].mute = True
    update()
    assert_allclose(shown(standing), with_it, atol=1e-4)


def test_more_inside_brings_the_centre_nearer_to_the_middle(bridge: Any, standing: Any) -> None:
    before = reached(bridge, standing, inside=0.2)
    assert reached(bridge, standing, inside=0.6) > before + 0.02


def test_an_axis_of_no_weight_lets_it_fall_that_way(bridge: Any, standing: Any) -> None:
    assert reached(bridge, standing, along=0.0) < -0.03
    assert reached(bridge, standing, along=1.0, across=0.0) > 0.01


def test_pinning_and_releasing_a_foot_moves_nothing_and_a_drag_brings_it_over_the_other(
    bridge: Any, standing: Any
) -> None:
    before = shown(standing)
    standing.posewright_goals[1].state = "IDLE"
    update()
    assert_allclose(shown(standing), before, atol=1e-6)
    alone = inside(bridge, standing)
    assert alone < -0.01  # between the feet is not over one of them
    drag(bridge, standing, "hand.R", (0.002, 0, 0))
    assert np.abs(shown(standing) - before).max() < 0.01
    for step in range(1, 7):
        drag(bridge, standing, "hand.R", (0.1 * step, -0.02 * step, 0))
    assert inside(bridge, standing) > 0.0
    drag(bridge, standing, "hand.R", (0.6, -0.12, 0)).dragged = False
    update()
    before = shown(standing)
    foot = standing.posewright_goals[1]
    bridge.places.put(standing, foot, bridge.places.on_bone(standing, foot))
    foot.state = "PINNED"
    update()
    assert_allclose(shown(standing), before, atol=1e-4)


def test_there_and_back_is_no_journey(bridge: Any, standing: Any) -> None:
    before = shown(standing)
    drag(bridge, standing, "hand.L", REACH)
    assert np.abs(shown(standing) - before).max() > 0.1
    drag(bridge, standing, "hand.L", (0, 0, 0))
    assert_allclose(shown(standing), before, atol=5e-5)


def test_on_request_a_body_is_brought_into_balance_and_stays_so(bridge: Any) -> None:
    owner = stand(bridge, "foot.L")
    assert inside(bridge, owner) < -0.01
    assert call.balance_now("EXEC_DEFAULT") == {"FINISHED"}
    update()
    assert inside(bridge, owner) > 0.0
    assert off(bridge, owner, 0) < MILLIMETRE
    before = channels(owner)
    owner.update_tag()
    update()
    assert channels(owner) == before


def test_the_masses_of_people_add_up_and_are_alike_on_both_sides(standing: Any) -> None:
    mass = {part.bone: part.mass for part in standing.posewright_relations[0].parts}
    assert sum(mass.values()) == pytest.approx(70.0, rel=1e-3)
    assert mass["leg.L"] == mass["leg.R"] == pytest.approx(0.1447 * 70.0, rel=1e-3)
    assert set(mass) >= {"pelvis", "spine", "hand.L", "foot.R"}
    assert mass["spine"] == max(mass.values())  # with the head, which has no bone
    assert abs(centre(standing)[0]) < 1e-3


def box(owner: Any, bone: str, low: Any, high: Any, faces: slice = slice(None)) -> None:
    """A mesh from corner to corner that hangs on a bone."""
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(bone)
    mesh.from_pydata(corners, [], sides[faces])
    thing: Any = bpy.data.objects.new(bone, mesh)
    scene().collection.objects.link(thing)
    thing.vertex_groups.new(name=bone).add(range(8), 1.0, "REPLACE")
    thing.modifiers.new("Armature", "ARMATURE").object = owner


def test_masses_by_volume_are_those_of_the_skin_and_open_meshes_count(standing: Any) -> None:
    box(standing, "spine", (-0.2, -0.1, 1.1), (0.2, 0.1, 1.5))
    box(standing, "leg.L", (0.0, -0.1, 0.5), (0.2, 0.1, 1.0), slice(4))  # without lid and bottom
    assert call.balance("EXEC_DEFAULT", masses="VOLUME") == {"FINISHED"}
    (one,) = standing.posewright_relations
    found = {part.bone: part for part in one.parts}
    assert set(found) == {"spine", "leg.L"}
    assert found["spine"].mass == pytest.approx(32.0, rel=0.05)
    assert found["leg.L"].mass == pytest.approx(20.0, rel=0.05)
    rest = standing.data.bones["leg.L"].matrix_local
    assert_allclose(rest @ found["leg.L"].offset, (0.1, 0.0, 0.75), atol=0.01)


def test_keys_of_masses_go_with_their_bones_when_masses_are_taken_anew(bridge: Any, standing: Any) -> None:
    (one,) = standing.posewright_relations
    before = {part.bone: index for index, part in enumerate(one.parts)}
    for bone, mass in (("spine", 5.0), ("leg.L", 6.0), ("hand.R", 7.0)):
        one.parts[before[bone]].mass = mass
        one.parts[before[bone]].keyframe_insert("mass", frame=1)
    box(standing, "leg.L", (0.0, -0.1, 0.5), (0.2, 0.1, 1.0))
    box(standing, "spine", (-0.2, -0.1, 1.1), (0.2, 0.1, 1.5))
    assert call.balance("EXEC_DEFAULT", masses="VOLUME") == {"FINISHED"}
    after = {part.bone: index for index, part in enumerate(one.parts)}
    assert set(after) == {"spine", "leg.L"}
    assert after["leg.L"] != before["leg.L"]
    wanted = {f"posewright_relations[0].parts[{after[bone]}].mass": mass for bone, mass in (("spine", 5), ("leg.L", 6))}
    assert keyed(bridge, standing) == wanted


def test_without_a_mesh_masses_by_volume_say_so(standing: Any) -> None:
    with pytest.raises(RuntimeError, match="No mesh hangs on the bones of 'Figure': take the masses by roles"):
        call.balance("EXEC_DEFAULT", masses="VOLUME")
    box(standing, "spine", (-0.2, -0.1, 1.1), (0.2, 0.1, float("nan")))
    with pytest.raises(RuntimeError, match="place is no number"):
        call.balance("EXEC_DEFAULT", masses="VOLUME")
    assert len(standing.posewright_relations[0].parts) > 5


def test_bad_balances_say_what_is_wrong_and_all_else_is_solved(bridge: Any, standing: Any) -> None:
    (one,) = standing.posewright_relations
    part = next(part for part in one.parts if part.bone == "hand.R")
    part.bone = "gone"
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    assert "there is no bone 'gone'" in trouble(bridge, standing)
    assert off(bridge, standing, 2) < MILLIMETRE
    part.mass = 0.0  # nobody asks where nothing is
    update()
    drag(bridge, standing, "hand.L", (0, 0, 0)).dragged = False
    update()
    assert not trouble(bridge, standing)
    for part in one.parts:
        part.mass = -1.0
        assert part.mass == 0.0
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    assert "nothing has a mass" in trouble(bridge, standing)
    assert off(bridge, standing, 2) < MILLIMETRE


def test_with_no_foot_pinned_it_says_so(bridge: Any) -> None:
    owner = stand(bridge)
    drag(bridge, owner, "hand.L", (-0.2, -0.1, 0.1))
    assert "no foot is pinned" in trouble(bridge, owner)
    assert off(bridge, owner, 0) < MILLIMETRE


def test_feet_one_above_the_other_are_one_support(bridge: Any) -> None:
    owner = stand(bridge, "foot.L", "foot.R")
    left, right = owner.posewright_goals
    right.place = left.place + Vector((0, 0, 0.2))
    update()
    drag(bridge, owner, "hand.L", (-0.5, -0.4, -0.2))
    found = bridge.outcome.of(owner)
    assert not found.relations[0].trouble
    assert inside(bridge, owner) > 0.0
    assert np.isfinite(shown(owner)).all()


def test_support_is_a_polygon_even_of_a_line_or_a_place(bridge: Any) -> None:
    support = bridge.relations.support
    square = np.array([(0, 0, 0), (2, 0, 0), (2, 2, 1), (0, 2, 0), (1, 1, 5), (1, 0, 0)], float)
    corners = support.hull(square)
    assert sorted(map(tuple, corners[:, :2].tolist())) == [(0, 0), (0, 2), (2, 0), (2, 2)]
    assert support.inside(corners, (1, 0.25)) == pytest.approx(0.25)
    assert support.inside(corners, (3, 3)) == pytest.approx(-np.sqrt(2))
    assert support.inside(support.shrunk(corners, 0.5), (0.75, 1.0)) == pytest.approx(0.25)
    line = support.hull(np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0)], float))
    assert support.inside(line, (1, 0.5)) == pytest.approx(-0.5)
    assert support.inside(line, (3, 0)) == pytest.approx(-1.0)
    place = support.hull(np.array([(1, 1, 0), (1, 1, 1)], float))
    assert support.inside(place, (1, 3)) == pytest.approx(-2.0)
    assert len(support.sides(place, place)) == 4


def test_a_lifted_heel_carries_nothing_and_lets_go_little_by_little(bridge: Any) -> None:
    support = bridge.relations.support
    flat = np.array([(0, 0, 0), (0, 0.2, 0), (0, 0.25, 0)], float)
    backs = []
    for lift in np.linspace(0.0, 0.12, 25):
        backs.append(support.footprint(flat + np.array([(0, 0, lift), (0, 0, 0), (0, 0, 0)]))[:, 1].min())
    assert backs[0] == 0.0
    assert backs[-1] >= 0.2
    assert np.abs(np.diff(backs)).max() < 0.06


def test_centre_and_support_are_drawn_and_told_apart(bridge: Any, standing: Any, add_on: ModuleType) -> None:
    shapes = add_on.ui.shapes

    def look() -> Any:
        found = shapes.Shapes()
        shapes.add_character(found, standing, None, scene().unit_settings)
        return found

    (strand,) = look().strands
    assert strand.role.name == "HELD"
    assert len(strand.places) > 4
    assert any((mark.place - Vector(centre(standing))).length < 1e-4 for mark in look().marks)
    standing.posewright_relations[0].inside = 0.0
    standing.posewright_relations[0].level = "GOAL"
    standing.posewright_relations[0].weight = 1e-6
    put(bridge, standing, "hand.L", REACH)
    (strand,) = look().strands
    assert strand.role.name == "OUT_OF_REACH"
    assert any("cm" in words.words for words in look().words)


def test_redraws_of_a_pose_that_stays_look_once_and_of_one_that_changes_again(
    standing: Any, add_on: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes, asked = add_on.ui.shapes, list[str]()
    assert call.shapes_fit("EXEC_DEFAULT") == {"FINISHED"}
    for room, name in ((add_on.bridge.relations.balance, "seen"), (add_on.bridge.collision.touching, "of")):
        looks = getattr(room, name)

        def counted(*given: Any, looks: Any = looks) -> Any:
            asked.append("")
            return looks(*given)

        monkeypatch.setattr(room, name, counted)

    def drawn(owner: Any) -> Any:
        found = shapes.Shapes()
        shapes.add_character(found, owner, None, scene().unit_settings)
        return found

    def is_new() -> bool:
        before = len(asked)
        owner: Any = bpy.data.objects["Figure"]
        marks = [drawn(owner).marks for _ in range(3)][-1]
        assert any((mark.place - Vector(centre(owner))).length < 1e-4 for mark in marks)
        return len(asked) == before + 2  # balance, and shapes that touch

    update()
    assert is_new()
    operators.ed.undo_push(message="before")
    standing.pose.bones["arm.L"].rotation_quaternion = (0.9, 0.4, 0.0, 0.0)
    update()
    assert is_new()
    standing.location.x += 1.0
    update()
    assert is_new()
    standing.posewright_relations[0].parts[0].mass += 20.0
    update()
    assert is_new()
    whole = len(drawn(standing).strands)
    standing.posewright_goals[0].mute = standing.posewright_goals[1].mute = True
    update()
    assert is_new()
    assert len(drawn(standing).strands) < whole
    scene().frame_set(7)
    assert is_new()
    operators.ed.undo_push(message="after")
    operators.ed.undo()
    assert is_new()


def test_the_panel_shows_masses_and_settings(bridge: Any, standing: Any) -> None:
    for name in ("inside", "across", "along"):
        assert f"{name}: " in said("Relations")
    for foot in standing.posewright_goals:
        foot.mute = True
    drag(bridge, standing, "hand.L", (-0.1, 0, 0))
    assert "Left out: no foot is pinned" in " ".join(red("Relations").split())


def test_a_bake_is_what_was_seen(bridge: Any, standing: Any) -> None:
    made = drag(bridge, standing, "hand.L")
    made.dragged, made.state = False, "PINNED"
    begun = made.place.copy()
    for frame, share in ((FIRST, 0.0), (LAST, 1.0)):
        made.place = begun + share * Vector(REACH)
        made.keyframe_insert("place", frame=frame)
    foot = standing.posewright_goals[1]
    for frame, muted in ((FIRST, False), (LAST, True)):  # at last it stands on one foot
        foot.mute = muted
        foot.keyframe_insert("mute", frame=frame)
    scene().frame_start, scene().frame_end = FIRST, LAST
    scene().frame_set(FIRST)
    update()
    live = seen(standing)
    assert inside(bridge, standing) > 0.0
    scene().frame_set(LAST - 1)
    assert inside(bridge, standing) > 0.01
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    for frame, pose in seen(standing).items():
        assert_allclose(pose, live[frame], atol=1e-5, err_msg=f"frame {frame}")


@pytest.mark.parametrize("begins", [0.0, 5.0])
def test_a_bake_is_what_was_seen_with_a_mass_that_comes_or_goes(bridge: Any, standing: Any, begins: float) -> None:
    put(bridge, standing, "hand.L", REACH)
    part = next(one for one in standing.posewright_relations[0].parts if one.bone == "foot.L")
    for frame, mass in ((FIRST, begins), (4, 5.0 - begins), (LAST, 5.0)):
        part.mass = mass
        part.keyframe_insert("mass", frame=frame)
    scene().frame_start, scene().frame_end = FIRST, LAST
    scene().frame_set(FIRST)
    update()
    live = seen(standing)
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    for frame, pose in seen(standing).items():
        assert_allclose(pose, live[frame], atol=1e-5, err_msg=f"frame {frame}")


def test_undo_and_redo_of_a_reach(bridge: Any, standing: Any) -> None:
    before = shown(standing)
    operators.ed.undo_push(message="before")
    put(bridge, standing, "hand.L", REACH)
    operators.ed.undo_push(message="reached")
    balanced = shown(standing)
    operators.ed.undo()
    update()
    assert_allclose(shown(bpy.data.objects["Figure"]), before, atol=1e-5)
    operators.ed.redo()
    update()
    assert_allclose(shown(bpy.data.objects["Figure"]), balanced, atol=1e-5)


def test_it_is_there_when_the_file_is_opened_again(bridge: Any, standing: Any, tmp_path: Path) -> None:
    one = standing.posewright_relations[0]
    one.inside, one.across, one.parts[0].mass = 0.4, 2.0, 12.5
    put(bridge, standing, "hand.L", REACH)
    before = shown(standing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    update()
    again: Any = bpy.data.objects["Figure"]
    one = again.posewright_relations[0]
    assert (one.inside, one.across, one.parts[0].mass) == pytest.approx((0.4, 2.0, 12.5))
    assert_allclose(shown(again), before, atol=1e-4)


@pytest.mark.usefixtures("bridge")
def test_the_balance_of_an_override_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    owner = overridden(tmp_path)
    bpy.context.view_layer.objects.active = owner  # type: ignore[union-attr]
    assert call.balance("EXEC_DEFAULT") == {"FINISHED"}
    owner.posewright_relations[0].parts[0].mass = 33.0
    count = len(owner.posewright_relations[0].parts)
    again = reopened(tmp_path)
    assert again.posewright_relations[0].kind == "BALANCE"
    assert len(again.posewright_relations[0].parts) == count
    assert again.posewright_relations[0].parts[0].mass == pytest.approx(33.0)
