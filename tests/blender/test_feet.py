"""Feet on a ground: what is below them, where they stand, what is kept, what is said, and the way back."""

import importlib.util
import json
import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from .characters import build
from .figures import Floats, channels, shown, update

FIRST, LAST = 1, 4
BODY = {  # name: parent, head, tail; metres
    "pelvis": ("", (0.0, 0.0, 0.95), (0.0, 0.0, 1.05)),
    "spine": ("pelvis", (0.0, 0.0, 1.05), (0.0, 0.0, 1.3)),
    "chest": ("spine", (0.0, 0.0, 1.3), (0.0, 0.0, 1.5)),
    "head": ("chest", (0.0, 0.0, 1.5), (0.0, 0.0, 1.7)),
    **{
        f"{part}.{side}": (f"{above}.{side}" if above != "pelvis" else above, (x * 0.1, *head), (x * 0.1, *tail))
        for side, x in (("L", 1.0), ("R", -1.0))
        for part, above, head, tail in (
            ("thigh", "pelvis", (0.0, 0.95), (-0.03, 0.5)),
            ("shin", "thigh", (-0.03, 0.5), (0.0, 0.08)),
            ("foot", "shin", (0.0, 0.08), (-0.13, 0.02)),
            ("toe", "foot", (-0.13, 0.02), (-0.2, 0.01)),
        )
    },
}


def _grounds() -> ModuleType:
    """The grounds of the benchmark: the package does not ship them."""
    path = Path(__file__).parents[2] / "benchmarks" / "grounds.py"
    spec = importlib.util.spec_from_file_location("posewright_test_grounds", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


grounds: Any = _grounds()


def scene() -> Any:
    found: Any = bpy.context.scene
    return found


def run(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def path() -> Any:
    return grounds.Path(np.zeros(3), np.array([0.0, -1.0, 0.0]), 0.0)


@pytest.fixture
def owner(bridge: Any) -> Any:  # noqa: ARG001 - the empty file
    """A body that stands for some frames and nods."""
    body: Any = build(BODY)
    for frame, angle in ((FIRST, 0.0), (LAST, 0.2)):
        body.pose.bones["head"].rotation_quaternion = (math.cos(angle), math.sin(angle), 0.0, 0.0)
        body.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=frame)
        body.pose.bones["pelvis"].keyframe_insert("location", frame=frame)
    scene().frame_start, scene().frame_end = FIRST, LAST
    scene().frame_set(FIRST)
    return body


def soles(bridge: Any, owner: Any) -> Floats:
    """Where Blender shows the points of both soles [feet, F, P, 3]."""
    feet = bridge.feet
    parts = feet.clip.Parts(owner, whole_body=True)
    with bridge.baking.sampling.stepping(owner, scene()):
        frames = range(FIRST, LAST + 1)
        shapes = feet.stored.soles(owner, parts.legs)
        found = run(feet.clip.read(bpy.context, owner, frames, parts, shapes, None))
    return np.array([foot.soles() for foot in found.walk.feet])


def ground_of(bridge: Any, owner: Any, thing: Any, frames: Any = range(FIRST, LAST + 1)) -> Any:
    watching = bridge.feet.ground.Watching(owner, [thing])
    for row, frame in enumerate(frames):
        scene().frame_set(frame)
        watching.look(bpy.context.evaluated_depsgraph_get(), row, last=frame == frames[-1])
    return watching.ground(), watching.notes


def flipped(thing: Any) -> Any:
    thing.data.flip_normals()
    return thing


def mixed(thing: Any) -> Any:
    """Every second face the other way round."""
    for face in list(thing.data.polygons)[::2]:
        face.flip()
    thing.data.update()
    return thing


def scaled(thing: Any) -> Any:
    thing.scale, thing.location = (1.0, 1.0, 2.0), (0.0, 0.0, 0.0)
    thing.data.transform(Matrix.Diagonal((1.0, 1.0, 0.5, 1.0)))
    return thing


@pytest.mark.parametrize("change", [lambda thing: thing, flipped, mixed, scaled])
def test_ground_is_found_below_whatever_its_normals(bridge: Any, owner: Any, change: Any) -> None:
    found, _ = ground_of(bridge, owner, change(grounds.stairs(path())))
    places = np.array([[0.0, 0.0, 0.5], [0.0, -1.15, 0.5], [0.0, -1.45, 0.5], [0.0, -1.15, 0.1], [0.0, 9.0, 0.5]])
    hits = found.below(places, np.zeros(5, np.int64), 1.0)
    assert hits.found.tolist() == [True, True, True, False, False]
    assert np.allclose(hits.places[:3, 2], [0.0, 0.17, 0.34], atol=1e-6)
    assert np.allclose(hits.normals[:3], [0.0, 0.0, 1.0])
    deep = found.depth(np.array([[0.0, -1.15, 0.14], [0.0, -1.02, 0.1], [0.0, -0.5, 0.01]]), np.zeros(3, np.int64))
    assert np.allclose(deep, [0.03, 0.02, 0.0], atol=1e-6), "the way to the nearest surface, a riser or a tread"


def test_a_solid_is_solid_and_a_table_is_not_ground_above_the_foot(bridge: Any, owner: Any) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.6))
    table: Any = bpy.context.object
    table.scale = (2.0, 2.0, 0.1)
    update()
    found, _ = ground_of(bridge, owner, table)
    places, frames = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.62], [0.0, 0.0, 0.9]]), np.zeros(3, np.int64)
    assert np.allclose(found.depth(places, frames), [0.0, 0.03, 0.0], atol=1e-6)
    assert found.below(places, frames, 1.0).found.tolist() == [False, True, True]


def test_a_moving_platform_is_where_it_is_on_each_frame(bridge: Any, owner: Any) -> None:
    thing = grounds.platform(path(), FIRST, LAST, moved=(0.0, 0.0, 0.3))
    found, _ = ground_of(bridge, owner, thing)
    assert found.moves
    frames = np.arange(LAST - FIRST + 1)
    hits = found.below(np.tile([0.0, 0.0, 1.0], (len(frames), 1)), frames, 2.0)
    heights = []
    for frame in range(FIRST, LAST + 1):
        scene().frame_set(frame)
        heights.append(thing.matrix_world.translation[2])
    assert np.allclose(hits.places[:, 2], heights, atol=1e-6)
    assert np.ptp(heights) > 0.1
    assert found.motion(int(hits.things[0])).shape == (len(frames), 4, 4)


def test_instances_are_ground_and_the_character_is_not(bridge: Any, owner: Any) -> None:
    thing = grounds.made("Tile", np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float), [(0, 1, 2, 3)])
    group = bpy.data.collections.new("Tiles")
    scene().collection.objects.unlink(thing)
    group.objects.link(thing)
    copy: Any = bpy.data.objects.new("Copy", None)
    copy.instance_type, copy.instance_collection, copy.location = "COLLECTION", group, (0.0, 0.0, 0.25)
    scene().collection.objects.link(copy)
    update()
    found, _ = ground_of(bridge, owner, copy)
    assert np.allclose(found.below(np.array([[0.2, 0.1, 1.0]]), np.zeros(1, np.int64), 2.0).places[0, 2], 0.25)
    thing.parent = owner
    with pytest.raises(bridge.errors.PosewrightError, match="no surface"):
        ground_of(bridge, owner, copy)


def test_a_mesh_that_changes_is_said_to(bridge: Any, owner: Any) -> None:
    thing = grounds.flat(path())
    thing.shape_key_add(name="Basis")
    key = thing.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 0.3
    for frame, value in ((FIRST, 0.0), (LAST, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    _, notes = ground_of(bridge, owner, thing)
    assert any("'Ground' changes" in one for one in notes)


def test_soles_are_those_of_the_bones(bridge: Any, owner: Any) -> None:
    found = soles(bridge, owner)[:, 0]
    assert np.allclose(found[..., 2], 0.0, atol=1e-6), "it stands on its origin"
    assert np.isclose(found[0, :, 1].min(), -0.2, atol=1e-6), "the tip of the toe"
    assert 0.03 < found[0, :, 1].max() < 0.12, "the heel is behind the ankle"
    assert found[0, :, 0].mean() > 0.0 > found[1, :, 0].mean()


def test_soles_are_those_of_the_skin(bridge: Any, owner: Any) -> None:
    """A shoe: a box from 6 cm behind the ankle to 25 cm before it, 9 cm wide, its sole 1 cm under the ground."""
    along, across = np.linspace(0.06, -0.25, 32), np.linspace(0.055, 0.145, 6)
    points = np.array([[x, y, z] for y in along for x in across for z in (-0.01, 0.05)])
    shoe = grounds.made("Shoe", points, [])
    group = shoe.vertex_groups.new(name="foot.L")
    group.add(range(len(points)), 1.0, "REPLACE")
    modifier = shoe.modifiers.new("Armature", "ARMATURE")
    modifier.object = owner
    found = soles(bridge, owner)[0, 0]
    assert np.allclose(found[:, 2], -0.01, atol=1e-5)
    assert np.allclose([found[:, 1].min(), found[:, 1].max()], [-0.25, 0.06], atol=1e-5)
    assert np.allclose(found[2:4, 1], -0.13, atol=1e-5), "the ball is below the joint of the toes"
    assert np.allclose([found[:, 0].min(), found[:, 0].max()], [0.055, 0.145], atol=1e-5)


def test_limits_give_way_to_the_whole_clip(bridge: Any, owner: Any) -> None:
    bone = owner.pose.bones["shin.L"]
    bone.use_ik_limit_x = bone.use_ik_limit_z = True
    bone.ik_min_x, bone.ik_max_x, bone.ik_min_z, bone.ik_max_z = -0.2, 0.3, -0.1, 0.1
    for frame, angles in ((FIRST, (0.0, 0.0)), (2, (0.7, 0.2)), (LAST, (-0.5, -0.3))):
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = (angles[0], 0.0, angles[1])
        bone.keyframe_insert("rotation_euler", frame=frame)
    feet = bridge.feet
    parts = feet.clip.Parts(owner, whole_body=False)
    with bridge.baking.sampling.stepping(owner, scene()):
        shapes = feet.stored.soles(owner, parts.legs)
        clip = run(feet.clip.read(bpy.context, owner, range(FIRST, LAST + 1), parts, shapes, None))
    assert {one.bone for one in clip.gave_way} == {"shin.L"}
    again = feet.clip.walked(clip, clip.q)
    for one, other in zip(again.feet, clip.walk.feet, strict=True):
        assert np.abs(one.ankle.places - other.ankle.places).max() < 1e-5
        assert np.abs(one.ankle.turns - other.ankle.turns).max() < 1e-5


def hinged(owner: Any, *names: str) -> None:
    """Bones that bend about x only, and a clip that turns them about all axes."""
    for name in names:
        bone = owner.pose.bones[name]
        bone.use_ik_limit_x = bone.lock_ik_y = bone.lock_ik_z = True
        bone.ik_min_x, bone.ik_max_x, bone.rotation_mode = -1.0, 2.5, "XYZ"
        for frame, angles in ((FIRST, (0.2, 0.05, -0.04)), (LAST, (0.21, 0.06, -0.05))):
            bone.rotation_euler = angles
            bone.keyframe_insert("rotation_euler", frame=frame)


def test_a_hinge_that_the_clip_turns_about_other_axes_opens_as_far_as_it_does(bridge: Any, owner: Any) -> None:
    hinged(owner, "shin.L", "toe.L", "shin.R")
    bridge.roles.stored.set_up(owner)
    feet = bridge.feet
    parts = feet.clip.Parts(owner, whole_body=False)
    with bridge.baking.sampling.stepping(owner, scene()):
        shapes = feet.stored.soles(owner, parts.legs)
        clip = run(feet.clip.read(bpy.context, owner, range(FIRST, LAST + 1), parts, shapes, None))
    gave = {(one.bone, one.axis): one.by for one in clip.gave_way}
    assert {("shin.L", "twist"), ("shin.L", "swing_z"), ("toe.L", "twist"), ("shin.R", "swing_z")} <= set(gave)
    assert max(gave.values()) < 0.08, "radians: no farther than the clip turns"
    assert not any("thigh" in bone for bone, _ in gave)
    again = feet.clip.walked(clip, clip.q)
    for one, other in zip(again.feet, clip.walk.feet, strict=True):
        assert np.abs(one.ankle.places - other.ankle.places).max() < 1e-5
        assert one.hinge is not None or one.name == "right foot", "a toe that turns a little beside its axis has one"
    found = place_higher(bridge, owner, float(clip.walk.feet[0].soles()[0, :, 2].min()) + 0.03)
    assert found.after.worst_slide_cm < 0.1
    assert found.after.worst_depth_cm < 0.5
    assert found.gave_way["shin.L twist"] == pytest.approx(math.degrees(gave["shin.L", "twist"]))


def test_a_plan_that_is_the_clip_changes_nothing(bridge: Any, owner: Any) -> None:
    owner.posewright_feet_ground = "FLAT"
    found = run(bridge.feet.job.place(bpy.context, owner))
    assert found.bones == 0, "no bone gets keys"
    assert found.moved_cm == 0.0
    assert found.troubles == []


def test_a_clip_on_a_floor_that_slopes_is_put_onto_that_or_onto_a_level_one(bridge: Any, owner: Any) -> None:
    slope, count = math.tan(math.radians(1.0)), 9
    owner.animation_data_clear()
    for step in range(count):  # it stands, then it is somewhere else: one way of 2.4 m up a floor of one degree
        for frame in (20 * step + 1, 20 * step + 12):
            owner.location = (0.0, -0.3 * step, 0.3 * step * slope)
            owner.keyframe_insert("location", frame=frame)
            owner.pose.bones["pelvis"].keyframe_insert("location", frame=frame)
    scene().frame_end = 20 * count
    heights = dict[bool, Floats]()
    for own in (True, False):
        owner.posewright_feet_own_slope = own
        drawn = run(bridge.feet.job.preview(bpy.context, owner))
        heights[own] = np.array([one.outline[:, 2].mean() for one in drawn.footprints if one.foot == "foot.L"])
    assert np.ptp(heights[True]) == pytest.approx(2.4 * slope, abs=0.005)
    assert np.abs(heights[False] - np.median(heights[False])).max() < 0.007, "steps that are nearly right are kept"


def place_higher(bridge: Any, owner: Any, height: float = 0.06) -> Any:
    owner.posewright_feet_ground, owner.posewright_feet_own_height = "FLAT", False
    owner.posewright_feet_height = height
    return run(bridge.feet.job.place(bpy.context, owner))


def test_feet_stand_on_the_ground_and_the_clip_is_kept(bridge: Any, owner: Any) -> None:
    former, slid = owner.animation_data.action, channels(owner)
    before = soles(bridge, owner)
    found = place_higher(bridge, owner)
    assert scene().frame_current == FIRST
    after = soles(bridge, owner)
    assert np.abs(after[..., 2] - 0.06).max() < 0.001
    assert np.abs(after[..., :2] - before[..., :2]).max() < 0.001
    action = owner.animation_data.action
    assert action != former
    assert (owner.posewright_feet_placed, owner.posewright_feet_before) == (action, former)
    assert former.use_fake_user
    assert json.loads(owner.posewright_feet_report)["after"]["worst_depth_cm"] < 0.1
    assert found.after.contacts == len(owner.posewright_contacts) > 0
    keyed = {one.data_path.split('"')[1] for one in bridge.action_curves.of_action(action, owner)}
    assert "chest" not in keyed, "a bone that does not move gets no keys"
    bridge.feet.switching.compare(owner)
    assert owner.animation_data.action == former
    bridge.feet.switching.compare(owner)
    assert owner.animation_data.action == action
    bridge.feet.switching.back(owner)
    scene().frame_set(FIRST)
    assert owner.animation_data.action == former
    assert channels(owner) == slid
    assert not owner.posewright_feet_was


def test_while_an_nla_strip_is_tweaked_the_clip_before_can_be_looked_at_and_gone_back_to(
    bridge: Any, owner: Any
) -> None:
    former, animation = owner.animation_data.action, owner.animation_data
    place_higher(bridge, owner)
    placed = animation.action
    track = animation.nla_tracks.new()
    track.strips.new("wave", FIRST, bpy.data.actions.new("Wave")).select = True
    animation.nla_tracks.active = track
    for switch, playing in (
        (bridge.feet.switching.compare, former),
        (bridge.feet.switching.compare, placed),
        (bridge.feet.switching.back, former),
    ):
        animation.use_tweak_mode = True
        assert animation.action.name == "Wave"
        switch(owner)
        assert animation.action == playing
        assert [strip.action.name for strip in track.strips] == ["Wave"]


def test_what_a_stranger_stored_of_the_clip_before_is_passed_over(bridge: Any, owner: Any) -> None:
    animation, former = owner.animation_data, owner.animation_data.action
    for was in (
        {"action_blend_type": "nonsense", "action_influence": math.nan, "use_nla": 3, "slot": [], "had": True},
        {"still": 3},
        {"still": [["chest", "location", "far"]]},
        {"still": [[5, 6, 7], [8]]},
    ):
        owner.posewright_feet_before, owner.posewright_feet_was = former, json.dumps(was)
        bridge.feet.switching.back(owner)
        assert (animation.action, owner.posewright_feet_was) == (former, "")
        assert (animation.action_blend_type, animation.action_influence, animation.use_nla) == ("REPLACE", 1.0, True)
    owner.posewright_feet_was = "[" * 100_000
    with pytest.raises(bridge.errors.PosewrightError, match="cannot be read: choose its action by hand"):
        bridge.feet.switching.back(owner)


def test_placing_again_begins_with_the_clip(bridge: Any, owner: Any) -> None:
    former = owner.animation_data.action
    place_higher(bridge, owner)
    again = place_higher(bridge, owner, 0.03)
    assert owner.posewright_feet_before == former
    assert again.before.worst_depth_cm == pytest.approx(3.0, abs=0.01), "measured from the clip on"
    assert np.abs(soles(bridge, owner)[..., 2] - 0.03).max() < 0.001


def test_a_job_that_is_stopped_leaves_everything(bridge: Any, owner: Any) -> None:
    bridge.roles.stored.set_up(owner)
    scene().frame_set(3)
    before = channels(owner), shown(owner).tobytes(), owner.animation_data.action, len(bpy.data.actions)
    for steps in range(3, 9):
        owner.posewright_feet_ground, owner.posewright_feet_own_height = "FLAT", False
        going = bridge.feet.job.place(bpy.context, owner)
        for _ in range(steps):
            next(going)
        going.close()
        update()
        now = channels(owner), shown(owner).tobytes(), owner.animation_data.action, len(bpy.data.actions)
        assert now == before
        assert scene().frame_current == 3
        assert not len(owner.posewright_contacts)


def ours(owner: Any) -> dict[str, object]:
    """All that is stored of ours with an object, lists by their lengths."""
    names = [one.identifier for one in owner.bl_rna.properties if one.identifier.startswith("posewright_")]
    values = {name: getattr(owner, name) for name in names}
    return {name: len(value) if hasattr(value, "__len__") else value for name, value in values.items()}


@pytest.mark.parametrize("do", ["analyse", "preview", "place"])
def test_a_character_that_was_never_set_up_is_not_after_a_job_that_was_stopped(
    bridge: Any, owner: Any, do: str
) -> None:
    before = ours(owner), channels(owner), shown(owner).tobytes()
    for steps in (1, LAST, LAST + 1):
        going = getattr(bridge.feet.job, do)(bpy.context, owner)
        for _ in range(steps):
            next(going, None)
        if do == "analyse" and steps > LAST:
            break
        assert len(owner.posewright_roles) > 0, "else this tests nothing"
        going.close()
        update()
        assert (ours(owner), channels(owner), shown(owner).tobytes()) == before
    run(getattr(bridge.feet.job, do)(bpy.context, owner))
    assert len(owner.posewright_roles) > 0
    assert len(owner.posewright_contacts) > 0


def test_one_that_is_refused_is_not_set_up_either(bridge: Any, owner: Any) -> None:
    before = ours(owner)
    owner.scale = (1.0, 1.0, -1.0)
    update()
    assert "mirrored" in refused(bridge, owner)
    assert ours(owner) == before


def test_contacts_by_hand_survive_and_muted_ones_do_not_count(bridge: Any, owner: Any) -> None:
    run(bridge.feet.job.analyse(bpy.context, owner))
    rows = owner.posewright_contacts
    assert {(one.foot, one.part) for one in rows} == {(f"foot.{s}", p) for s in "LR" for p in ("HEEL", "BALL", "TOE")}
    assert not any(one.by_hand for one in rows)
    for one in rows:
        if one.foot == "foot.L":
            one.mute = True
    changed = next(one for one in rows if (one.foot, one.part) == ("foot.R", "HEEL"))
    changed.last = 2
    run(bridge.feet.job.analyse(bpy.context, owner))
    stored, parts = bridge.feet.stored, bridge.feet.clip.Parts(owner, whole_body=True)
    held = stored.held(stored.rows(owner), parts.legs, np.arange(FIRST, LAST + 1))
    assert not held[0].any(), "all contacts of the left foot are muted"
    assert held[1][:, 0].tolist() == [True, True, True, True], "what was found beyond the row by hand comes back"
    assert sum(one.by_hand for one in rows) == 4
    added = stored.add(owner, stored.Row("foot.L", "BALL", 2, 3))
    assert rows[added].by_hand


def test_soles_by_hand_survive(bridge: Any, owner: Any) -> None:
    run(bridge.feet.job.analyse(bpy.context, owner))
    row = owner.posewright_soles["foot.L"]
    row.width_ball = 0.2
    run(bridge.feet.job.analyse(bpy.context, owner))
    assert math.isclose(row.width_ball, 0.2, rel_tol=1e-6)
    bridge.feet.stored.reset_soles(owner)
    assert row.width_ball < 0.15


def test_contacts_are_shown_in_the_timeline_and_go_again(bridge: Any, owner: Any) -> None:
    scene().timeline_markers.new("mine", frame=3)
    run(bridge.feet.job.analyse(bpy.context, owner))
    bridge.feet.markers.add(bpy.context, owner)
    assert len(scene().timeline_markers) == 5, "where each foot touches the ground, and where it leaves it"
    bridge.feet.markers.remove(bpy.context, owner)
    assert [one.name for one in scene().timeline_markers] == ["mine"]


def test_a_preview_is_kept_to_be_drawn_and_nothing_moves(bridge: Any, owner: Any) -> None:
    before, action = channels(owner), owner.animation_data.action
    owner.posewright_feet_ground, owner.posewright_feet_object = "OBJECT", grounds.ramp(path(), begin=-1.0)
    found = run(bridge.feet.job.preview(bpy.context, owner))
    assert bridge.feet.preview.of(owner) is found
    assert len(found.footprints) == 2
    assert {way.foot for way in found.ways} == {"foot.L", "foot.R"}
    for way in found.ways:
        assert way.before.shape == way.after.shape == (LAST - FIRST + 1, 3)
        assert (way.after[:, 2] > way.before[:, 2] + 0.2).all(), "up on the ramp"
        assert np.nanmax(np.abs(way.height_after)) < 0.02
    assert (channels(owner), owner.animation_data.action) == (before, action)
    bridge.watch.forget()
    assert bridge.feet.preview.of(owner) is None


BAD: dict[str, Any] = {
    "a hole": lambda: grounds.sheet(path(), [(3.0, 0.0), (9.0, 0.0)]),
    "a step too high": lambda: grounds.sheet(path(), [(-5.0, 1.6), (9.0, 1.6)]),
    "a pit": lambda: grounds.sheet(path(), [(-5.0, -1.5), (9.0, -1.5)]),
    "above the head": lambda: grounds.sheet(path(), [(-5.0, 3.0), (9.0, 3.0)]),
    "a wall": lambda: grounds.sheet(path(), [(-0.1, -1.0), (-0.1, 3.0)]),
}


@pytest.mark.parametrize("name", list(BAD))
def test_where_there_is_no_ground_the_clip_is_kept_and_it_says_so(bridge: Any, owner: Any, name: str) -> None:
    before = soles(bridge, owner)
    owner.posewright_feet_ground, owner.posewright_feet_object = "OBJECT", BAD[name]()
    found = run(bridge.feet.job.place(bpy.context, owner))
    assert np.abs(soles(bridge, owner) - before).max() < 0.002
    assert {one.foot for one in found.troubles} >= {"left foot", "right foot"}
    assert all(one.words and FIRST <= one.frame <= LAST for one in found.troubles)


def test_a_clip_of_one_frame_and_one_without_contacts_are_kept(bridge: Any, owner: Any) -> None:
    owner.posewright_feet_own_height = False
    owner.posewright_feet_range, owner.posewright_feet_first, owner.posewright_feet_last = "CUSTOM", 2, 2
    found = run(bridge.feet.job.place(bpy.context, owner))
    assert found.frames == 1
    assert found.bones == 0
    assert found.troubles
    bridge.feet.switching.back(owner)
    for frame in range(FIRST, LAST + 1):  # flies by
        owner.pose.bones["pelvis"].location = (frame * 1.0, 0.0, 0.0)
        owner.pose.bones["pelvis"].keyframe_insert("location", frame=frame)
    owner.posewright_feet_range = "ACTION"
    found = run(bridge.feet.job.place(bpy.context, owner))
    assert found.bones == 0
    assert {one.foot for one in found.troubles} == {"left foot", "right foot"}


def test_one_foot_will_do(bridge: Any, owner: Any) -> None:
    bridge.roles.stored.set_up(owner)
    for part in ("thigh", "shin", "foot", "toe"):
        owner.posewright_roles[f"{part}.R"].bone = ""
    found = place_higher(bridge, owner, 0.03)
    assert {one.foot for one in owner.posewright_contacts} == {"foot.L"}
    assert found.after.worst_depth_cm < 0.1


def refused(bridge: Any, owner: Any) -> str:
    with pytest.raises(bridge.errors.PosewrightError) as caught:
        run(bridge.feet.job.place(bpy.context, owner))
    return str(caught.value)


def test_what_cannot_be_done_is_refused_with_a_reason(bridge: Any, owner: Any) -> None:
    bridge.roles.stored.set_up(owner)
    owner.posewright_feet_ground = "OBJECT"
    assert "No object is chosen" in refused(bridge, owner)
    thing = grounds.flat(path())
    owner.posewright_feet_object = thing
    thing.hide_viewport = True
    update()
    assert "no surface" in refused(bridge, owner)
    thing.hide_viewport = False
    owner.posewright_feet_ground = "COLLECTION"
    assert "No collection is chosen" in refused(bridge, owner)
    owner.posewright_feet_ground = "FLAT"
    owner.scale = (1.0, 1.0, -1.0)
    update()
    assert "mirrored" in refused(bridge, owner)
    owner.scale = (1.0, 1.0, 1.0)
    update()
    limit: Any = owner.pose.bones["shin.L"].constraints.new("COPY_ROTATION")
    target: Any = bpy.data.objects.new("Target", None)
    scene().collection.objects.link(target)
    limit.target = target
    for frame, angle in ((FIRST, 0.0), (LAST, 1.0)):
        target.rotation_euler[0] = angle
        target.keyframe_insert("rotation_euler", frame=frame)
    assert "'shin.L'" in refused(bridge, owner)
    assert "Visual Keying" in refused(bridge, owner)
    owner.pose.bones["shin.L"].constraints.remove(limit)
    owner.posewright_live = True
    goal = next(one for one in owner.posewright_goals if one.bone == "foot.L")
    goal.state = "PINNED"
    assert "live" in refused(bridge, owner)
    goal.state = "IDLE"
    owner.animation_data_clear()
    assert "no animation" in refused(bridge, owner)


@pytest.fixture
def saved(owner: Any, tmp_path: Path) -> Iterator[Path]:
    assert owner.animation_data.action
    grounds.flat(path()).location = (0.0, 0.0, 0.05)
    file = tmp_path / "clip.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    yield file
    bpy.ops.wm.read_homefile(use_empty=True)


def test_the_command_line_places_feet(add_on: Any, saved: Path, tmp_path: Path) -> None:
    out, told = tmp_path / "placed.blend", tmp_path / "report.json"
    words = ["feet", str(saved), "--ground", "Ground", "--output", str(out), "--json", str(told)]
    assert add_on.cli.run(words) == 0
    (found,) = json.loads(told.read_text()).values()
    assert found["frames"] == LAST - FIRST + 1
    assert found["after"]["worst_depth_cm"] < 0.1
    assert out.is_file()
    assert add_on.cli.run(["feet", str(saved), "--ground", "Nothing", "--output", str(out)]) == 1
    assert add_on.cli.run(["feet", str(saved), "--character", "Nobody", "--output", str(out)]) == 1
