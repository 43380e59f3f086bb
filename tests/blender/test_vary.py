"""Several poses for the same goals: exact, apart, repeatable; taken or put back to the last bit; kept as assets."""

import importlib
import itertools
import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from .figures import channels, figure, goal, off, pin, turn, update
from .test_collision import shape, thing
from .test_linked_rigs import overridden
from .test_relations import relation

FEW = {"number": 3, "apart": 0.06, "generations": 1}
THERE = 1e-3  # metres: how near a goal is met
SIZE = 1.7 / 1.5  # of a person, to the figure's
operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def reaching(bridge: Any) -> Any:
    """A figure with a foot and a hand pinned, the hand a little way off."""
    return reach(bridge, figure(only=".L"))


@pytest.fixture
def soon_tired(bridge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that give up soon: interpreted, 96 solves take half a minute."""
    monkeypatch.setattr(bridge.variations.search, "BOLDNESS", (1.0, 2.0))


def reach(bridge: Any, owner: Any) -> Any:
    pin(bridge, owner, "foot.L")
    index = pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    owner.posewright_goals[index].place += Vector((0.0, -0.15, 0.1))
    update()
    return owner


def find(bridge: Any, owner: Any, **given: Any) -> Any:
    search, context = bridge.variations.search, bpy.context
    return search.find(owner, context.evaluated_depsgraph_get(), search.Wanted(**(FEW | given)))


def show(bridge: Any, owner: Any, found: Any, index: int) -> None:
    bridge.variations.browsing.show(owner, found, index)
    update()


def heads(owner: Any) -> Any:
    return np.array([bone.head for bone in owner.pose.bones])


def stored(owner: Any) -> Any:
    """All that live posing keeps on the object, and the pose."""
    names = ("reference_location", "reference_rotation", "left_location", "left_rotation", "held")
    blocks = [
        (one.name, *(np.ravel(getattr(one, name)).tolist() for name in names)) for one in owner.posewright_reference
    ]
    return channels(owner), blocks, owner.posewright_anchor


def refused(**given: Any) -> str:
    with pytest.raises(RuntimeError) as caught:
        call.vary(**given)
    return str(caught.value)


def test_poses_meet_the_goals_and_differ_and_live_posing_leaves_them(bridge: Any, reaching: Any) -> None:
    before = stored(reaching)
    found = find(bridge, reaching)
    assert stored(reaching) == before, "looking for poses changed the character"
    assert found.complete
    assert found.reached
    assert len(found.poses) == 3
    there = [heads(reaching)]
    for index in range(3):
        bridge.variations.browsing.show(reaching, found, index)
        wanted = channels(reaching)
        update()
        assert channels(reaching) == wanted, "live posing changed the pose"
        assert max(off(bridge, reaching, row) for row in range(2)) < THERE
        there.append(heads(reaching))
        ghost = np.array(found.lines[index])[:, 0]
        assert np.linalg.norm(ghost[:, None] - there[-1][None], axis=2).min(axis=1).max() < 1e-4, "a ghost is elsewhere"
    for one, other in itertools.combinations(there, 2):
        assert SIZE * np.linalg.norm(one - other, axis=1).max() >= FEW["apart"] - 1e-4


def test_poses_are_inside_the_limits(bridge: Any, reaching: Any) -> None:
    reaching.posewright_live = False
    low, high = -0.4, 0.3
    for name in ("spine", "arm.L"):
        bone = reaching.pose.bones[name]
        bone.use_ik_limit_x = bone.use_ik_limit_y = bone.use_ik_limit_z = True
        bone.ik_min_x = bone.ik_min_y = bone.ik_min_z = low
        bone.ik_max_x = bone.ik_max_y = bone.ik_max_z = high
    update()
    found = find(bridge, reaching)
    for index in range(len(found.poses)):
        show(bridge, reaching, found, index)
        for name in ("spine", "arm.L"):
            turned = reaching.pose.bones[name].rotation_quaternion.normalized()
            twist = 2.0 * np.arctan2(turned.y, turned.w)
            assert low - 1e-4 < twist < high + 1e-4, name


def test_the_same_seed_gives_the_same_poses_and_another_gives_others(bridge: Any, reaching: Any) -> None:
    def of(seed: int) -> list[bytes]:
        poses = find(bridge, reaching, seed=seed).poses
        return [one.location.tobytes() + one.quaternion.tobytes() for one in poses]

    first = of(5)
    assert of(5) == first
    assert not set(of(6)) & set(first)


def test_bones_turned_by_hand_and_bones_outside_of_the_mode_stay(bridge: Any, reaching: Any) -> None:
    turn(reaching, "spine", 10.0, 5.0, 0.0)
    update()
    held = bridge.reference.stored(reaching).held
    assert [bone.name for bone, one in zip(reaching.pose.bones, held, strict=True) if one] == ["spine"]
    kept = reaching.pose.bones["spine"].rotation_quaternion.copy()
    found = find(bridge, reaching, apart=0.04)
    for index in range(len(found.poses)):
        bridge.variations.browsing.show(reaching, found, index)
        assert reaching.pose.bones["spine"].rotation_quaternion == kept
    bridge.modes.choose(reaching, ["arm.L", "forearm.L", "hand.L"])
    reaching.posewright_mode = "SELECTION"
    update()
    outside = {bone.name: bone.matrix_basis.copy() for bone in reaching.pose.bones if "L" not in bone.name}
    found = find(bridge, reaching, apart=0.03, number=2)
    bridge.variations.browsing.show(reaching, found, 0)
    assert all(reaching.pose.bones[name].matrix_basis == was for name, was in outside.items())


def test_a_frozen_bone_stays(bridge: Any, reaching: Any) -> None:
    bone = reaching.pose.bones["forearm.L"]
    bone.constraints.new("COPY_ROTATION").target = figure(only=".L", name="Other")
    update()
    before = bone.matrix_basis.copy()
    found = find(bridge, reaching, apart=0.03, number=1)
    bridge.variations.browsing.show(reaching, found, 0)
    assert bone.matrix_basis == before


def test_feet_without_a_goal_stay_or_go_along_where_it_must_be(bridge: Any) -> None:
    owner = figure(only=".L")
    index = pin(bridge, owner, "hand.L", orientation=0.0)
    update()
    foot = owner.pose.bones["foot.L"].head.copy()
    found = find(bridge, owner)
    for row in range(len(found.poses)):
        show(bridge, owner, found, row)
        assert (owner.pose.bones["foot.L"].head - foot).length < THERE
    assert "go along" not in found.words
    owner.posewright_goals[index].place += Vector((1.0, 0.0, 0.0))
    update()
    assert off(bridge, owner, index) < THERE
    foot = owner.pose.bones["foot.L"].head.copy()
    owner.posewright_live = False
    owner.posewright_goals[index].place += Vector((1.0, 0.0, 0.0))
    update()
    found = find(bridge, owner, apart=0.02, number=1)
    assert "Feet that are not pinned go along" in found.words
    show(bridge, owner, found, 0)
    assert off(bridge, owner, index) < THERE
    assert (owner.pose.bones["foot.L"].head - foot).length > 0.1


@pytest.mark.usefixtures("soon_tired")
def test_out_of_reach_all_poses_come_as_near_as_the_best_and_it_is_said(bridge: Any, reaching: Any) -> None:
    context: Any = bpy.context
    prop = bpy.data.objects.new("Prop", None)
    context.scene.collection.objects.link(prop)
    prop.location = (2.2, 0.0, 1.9)
    hand = reaching.posewright_goals[1]
    hand.target, hand.state = prop, "FOLLOWING"
    pelvis = pin(bridge, reaching, "pelvis")
    reaching.posewright_goals[pelvis].place = (0.0, 0.0, 0.85)  # low: the knee has some freedom
    update()
    best = off(bridge, reaching, 1)
    assert best > 0.5
    reaching.posewright_live = False
    with pytest.raises(bridge.errors.PosewrightError, match=r"No other pose was found: 'hand\.L' is out of reach by"):
        find(bridge, reaching, number=1, apart=2.0)
    found = find(bridge, reaching, number=2, apart=0.03)
    assert not found.reached
    assert "'hand.L' is out of reach by" in found.words
    for index in range(len(found.poses)):
        show(bridge, reaching, found, index)
        assert off(bridge, reaching, 1) < best + 0.021
        assert max(off(bridge, reaching, row) for row in (0, pelvis)) < THERE


@pytest.mark.usefixtures("soon_tired")
def test_where_fewer_are_found_it_is_said_why(bridge: Any, reaching: Any) -> None:
    found = find(bridge, reaching, number=40, apart=0.25)
    assert not found.complete
    assert 0 < len(found.poses) < 40
    assert f"{len(found.poses)} of 40 poses" in found.words
    assert "less than 25 cm from another pose" in found.words
    assert "a smaller Difference" in found.words


@pytest.mark.usefixtures("soon_tired")
def test_the_operator_takes_a_pose_and_says_what_is_wrong(bridge: Any, reaching: Any) -> None:
    found = bridge.variations.search.find(reaching, None, bridge.variations.search.Wanted(3, 0.06, 2))
    assert call.vary(count=3, difference=0.06, seed=2, pose=2) == {"FINISHED"}
    update()
    shown = bridge.channels.read(reaching)
    assert shown.quaternion.tobytes() == found.poses[1].quaternion.tobytes()
    assert "There is no pose 3" in refused(count=2, difference=0.06, pose=3)
    assert "No other pose was found" in refused(count=2, difference=2.0)
    for one in reaching.posewright_goals:
        one.state = "IDLE"
    assert "No goal is pinned or follows anything" in refused()
    lost = goal(reaching, "hand.L", state="PINNED", name="Lost")
    lost.bone = "nobody"
    assert "'Lost': there is no bone 'nobody'" in refused()


def test_one_undo_takes_a_pose_back(reaching: Any) -> None:
    name, before = reaching.name, channels(reaching)
    bpy.ops.ed.undo_push(message="before")
    call.vary(count=2, difference=0.06)
    update()
    after = channels(reaching)
    assert after != before
    bpy.ops.ed.undo_push(message="Variations")
    bpy.ops.ed.undo()
    update()
    assert channels(bpy.data.objects[name]) == before
    bpy.ops.ed.redo()
    update()
    assert channels(bpy.data.objects[name]) == after


def browsed(bridge: Any, owner: Any, seed: int = 1) -> Any:
    rooms, context = bridge.variations.browsing, bpy.context
    wanted = bridge.variations.search.Wanted(**(FEW | {"seed": seed}))
    browsing = rooms.begin(owner, context.evaluated_depsgraph_get(), wanted)
    assert rooms.go_on(owner, browsing, 600.0)
    update()
    return browsing


def test_browsing_shows_each_pose_in_turn_and_puts_back_to_the_last_bit(bridge: Any, reaching: Any) -> None:
    rooms, kept, before = bridge.variations.browsing, bridge.variations.shown, stored(reaching)
    browsing = browsed(bridge, reaching)
    seen = []
    for step in range(4):
        rooms.browse(reaching, browsing, step)
        update()
        seen.append(channels(reaching))
        assert kept.ghosts_of(reaching).current == step % 3
    assert seen[3] == seen[0]
    assert len(set(seen)) == 3
    assert "Pose 1 of 3, seed 1" in rooms.told(browsing)
    rooms.put_back(reaching, browsing)
    update()
    assert stored(reaching) == before
    assert kept.ghosts_of(reaching) is None


def test_more_looks_again_from_the_pose_that_was_there_at_first(bridge: Any, reaching: Any) -> None:
    wanted = find(bridge, reaching, seed=2)
    rooms, context = bridge.variations.browsing, bpy.context
    browsing = browsed(bridge, reaching)
    rooms.browse(reaching, browsing, 2)
    update()
    rooms.more(reaching, browsing, context.evaluated_depsgraph_get())
    assert rooms.go_on(reaching, browsing, 600.0)
    assert browsing.found.wanted.seed == 2
    assert [one.quaternion.tobytes() for one in browsing.found.poses] == [
        one.quaternion.tobytes() for one in wanted.poses
    ]


def test_a_character_that_goes_away_is_noticed(bridge: Any, reaching: Any) -> None:
    browsing = browsed(bridge, reaching)
    assert bridge.variations.browsing.find(browsing) == reaching
    bpy.data.objects.remove(reaching)
    figure(only=".L")
    assert bridge.variations.browsing.find(browsing) is None


def test_a_pose_in_the_library_gives_the_same_pose_again(reaching: Any) -> None:
    reaching.pose.bones["spine"].rotation_mode = "XYZ"
    reaching.pose.bones["arm.L"].rotation_mode = "AXIS_ANGLE"
    update()
    call.vary(count=2, difference=0.06, pose=2, seed=3, library=True)
    update()
    made: Any
    (made,) = (action for action in bpy.data.actions if action.asset_data)
    assert made.name == "Figure variation 3.2"
    assert "foot.L, hand.L" in made.asset_data.description
    assert [tag.name for tag in made.asset_data.tags] == ["Posewright"]
    assert reaching.animation_data is None or reaching.animation_data.action is None, "it plays on the character"
    reaching.posewright_live = False
    wanted = heads(reaching)
    for bone in reaching.pose.bones:
        bone.matrix_basis.identity()
    update()
    assert np.abs(heads(reaching) - wanted).max() > 0.02
    reaching.pose.apply_pose_from_action(made)
    update()
    assert np.abs(heads(reaching) - wanted).max() < 1e-5


def test_the_other_of_two_characters_stays(bridge: Any, reaching: Any) -> None:
    other = reach(bridge, figure(only=".L", name="Other"))
    context: Any = bpy.context
    context.view_layer.objects.active = reaching
    before, was = stored(other), channels(reaching)
    call.vary(count=1, difference=0.05)
    update()
    assert channels(reaching) != was
    assert stored(other) == before


def test_a_library_override_is_varied_and_put_back(bridge: Any, tmp_path: Path) -> None:
    owner = reach(bridge, overridden(tmp_path))
    before = stored(owner)
    browsing = browsed(bridge, owner)
    assert max(off(bridge, owner, row) for row in range(2)) < THERE
    assert channels(owner) != before[0]
    bridge.variations.browsing.put_back(owner, browsing)
    update()
    assert stored(owner) == before


def problem_of(add_on: Any) -> Any:
    """An arm that has two ways to where it is to be."""
    ik = add_on.solvers
    at = np.eye(4)
    at[1, 3] = 1.0
    joints = [ik.Joint("a", motion=ik.Hinge("x", (-2.0, 2.0)))]
    joints += [ik.Joint("b", "a", at, ik.Hinge("x", (-2.5, 2.5))), ik.Joint("c", "b", at, ik.Fixed())]
    return ik.Problem(ik.Tree(joints), [ik.Position("c", (0.0, 1.2, 0.3))])


def test_a_search_is_the_same_while_it_is_watched(bridge: Any, add_on: Any) -> None:
    history = bridge.variations.history.History()
    problem = problem_of(add_on)
    for _ in bridge.variations.history.watched(problem, np.array([0.1, 0.1]), 3, 2, 20, history):
        pass
    assert len(history.solutions) == 2
    assert history.found[-1] == 2
    state = add_on.solvers.State(problem, [0.1, 0.1], "memetic", 3, None, 2)
    budget = add_on.solvers.Budget(iterations=40, until_reached=True, seed=3)
    while state.status == 0 and state.iterations < 20:
        add_on.solvers.step(problem, state, budget, 1)
    evolution = importlib.import_module(f"{add_on.__name__}.solvers.evolution")
    found = evolution.population_of.function(state.colony, state.search.chance[1])
    assert found.solutions[:2].tobytes() == history.solutions.tobytes()
    assert (found.tally[evolution.GENERATIONS]) == len(history.best)
    for begun, ended in zip(history.begun_costs, history.ended_costs, strict=True):
        assert (ended <= begun).all()
    for poses, costs in zip(history.ended, history.ended_costs, strict=True):
        for q, cost in zip(poses, costs, strict=True):
            assert np.isclose(problem.cost(q), cost)


def test_the_last_search_is_kept_and_saved(bridge: Any, reaching: Any, tmp_path: Path) -> None:
    path = tmp_path / "search.json"
    with pytest.raises(RuntimeError, match="No variations"):
        call.search_report(filepath=str(path))
    find(bridge, reaching, seed=4, generations=2)
    assert call.search_report(filepath=str(path)) == {"FINISHED"}
    found = json.loads(path.read_text(encoding="utf-8"))
    assert (found["seed"], found["character"]) == (4, "Figure")
    count = found["generations"]
    assert count >= 1
    assert {one["name"] for one in found["goals"]} == {"foot.L", "hand.L"}
    hand = next(one for one in found["goals"] if one["name"] == "hand.L")
    assert np.allclose(hand["target"], reaching.posewright_goals[1].place, atol=1e-5)
    begun, ended = (np.array(hand[f"elites_{when}_descent"]) for when in ("before", "after"))
    assert begun.shape == ended.shape == (count, 3, 3)
    assert np.array(found["elite_costs_after_descent"]).shape == (count, 3)
    assert np.linalg.norm(ended[0] - hand["target"], axis=1).min() < THERE, "no elite came to its goal"
    assert np.linalg.norm(begun[0] - hand["target"], axis=1).max() > 0.01
    with pytest.raises(RuntimeError, match="cannot be saved"):
        call.search_report(filepath=str(tmp_path / "nowhere" / "search.json"))
    bpy.ops.wm.read_homefile(use_empty=True)
    assert bridge.variations.shown.search_of(figure(only=".L")) is None


def test_what_is_drawn_of_a_search_is_all_of_it(bridge: Any, add_on: Any, reaching: Any) -> None:
    find(bridge, reaching, generations=2)
    ghosts, shapes = (importlib.import_module(f"{add_on.__name__}.ui.{name}") for name in ("ghosts", "shapes"))
    search = bridge.variations.shown.search_of(reaching)
    course, count = ghosts.course(search), len(search.best)
    assert course.generations == count
    best, begun, ended = course.curves
    assert [one.role for one in course.curves] == [shapes.Role.SHOWN, shapes.Role.BEGUN, shapes.Role.ENDED]
    assert len(best.points) == count
    assert len(begun.points) == search.begun.size
    assert len(ended.points) == np.count_nonzero(search.begun != search.ended)
    assert len(course.ways.ends) == 2 * len(search.ways) * search.begun.size
    assert np.allclose(course.ways.ends[1], search.ways[0].ended[0, 0])
    heights = [height for curve in course.curves for _, height in curve.points]
    assert course.low <= min(heights) <= max(heights) <= course.high


@pytest.mark.usefixtures("soon_tired")
def test_hands_that_are_held_together_are_so_in_every_variation(bridge: Any) -> None:
    owner = figure()
    pin(bridge, owner, "foot.L")
    pin(bridge, owner, "foot.R")
    relation(owner, "LOOP", ["hand.L", "hand.R"])
    update()
    owner.posewright_live = False  # or what is shown would be solved again, and meet them in any case
    found = find(bridge, owner)
    assert found.poses
    for index in range(len(found.poses)):
        show(bridge, owner, found, index)
        hands = [owner.pose.bones[name].head for name in ("hand.L", "hand.R")]
        assert (hands[0] - hands[1]).length < THERE


@pytest.mark.usefixtures("soon_tired")
def test_in_every_variation_the_body_keeps_off_a_wall(bridge: Any, reaching: Any) -> None:
    radius, behind = 0.05, 0.02
    for bone in ("arm.L", "forearm.L"):
        shape(reaching, bone, radius)
    wall = thing("empty", (0.0, behind, 0.0))
    wall.rotation_euler.x = np.pi / 2  # its Z axis looks at the body
    one = relation(reaching, "COLLISION", against="PLANE", thing=wall)
    reaching.posewright_live = False  # or what is shown would be solved again, and keep off in any case
    update()
    farthest = {}
    for mute in (True, False):
        one.mute = mute
        found = find(bridge, reaching)
        assert len(found.poses) > 1
        farthest[mute] = list[float]()
        for index in range(len(found.poses)):
            show(bridge, reaching, found, index)
            ends = [bone.head for bone in map(reaching.pose.bones.get, ("arm.L", "forearm.L", "hand.L"))]
            farthest[mute].append(max(end.y for end in ends) + radius)
    assert max(farthest[False]) < behind + THERE
    assert max(farthest[True]) > behind + 0.02, "no variation would go there"
