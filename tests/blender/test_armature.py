"""An armature as a tree and back: the tree stands where Blender shows the bones, and Blender shows what was solved."""

import itertools
import math
import os
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Quaternion, Vector
from numpy.testing import assert_allclose, assert_array_equal

Floats = Any
EXACT = 1e-5  # of the rig's height
AXES = "xyz"
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
MODES = ("QUATERNION", "AXIS_ANGLE", *ORDERS)
SCALES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")
CHANNELS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
PELVIS = "b1"

# What random armatures have: a name, and the switches of `random_armature`.
CASES: dict[str, set[str]] = {
    "connected": {"connected"},
    "unconnected": {"moved"},
    "every rotation mode": {"connected", "modes", "moved"},
    "no local location": {"modes", "moved", "no local location"},
    "steady": {"connected", "modes", "moved", "no local location", "steady"},
    "steady and scaled alike": {"connected", "moved", "inherit", "scaled alike", "no local location", "steady"},
    "steady and mirrored": {"connected", "moved", "inherit", "mirrored", "steady"},
    "steady and scaled unevenly": {"connected", "moved", "inherit", "uneven", "steady"},
    "scaled alike": {"connected", "modes", "moved", "inherit", "scaled alike", "no local location"},
    "mirrored": {"connected", "moved", "inherit", "mirrored"},
    "scaled unevenly": {"connected", "modes", "moved", "inherit", "uneven"},
    "limited": {"connected", "modes", "moved", "limits"},
    "limited and mirrored": {"connected", "modes", "moved", "limits", "inherit", "mirrored"},
    "all": {"connected", "modes", "moved", "no local location", "steady", "inherit", "uneven", "limits"},
}
SEEDS = range(4)


def update() -> None:
    context: Any = bpy.context
    context.view_layer.update()


def new_armature(bones: Callable[[Any], None]) -> Any:
    """An armature object whose edit bones `bones` makes."""
    context: Any = bpy.context
    found: Any = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    context.scene.collection.objects.link(found)
    context.view_layer.objects.active = found
    bpy.ops.object.mode_set(mode="EDIT")
    bones(found.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")
    return found


def chain(count: int, seed: int = 5) -> Any:
    """Connected bones b0, b1, …, one upon the other."""
    rng = random.Random(seed)

    def bones(edit: Any) -> None:
        place, parent = Vector(), None
        for index in range(count):
            bone = edit.new(f"b{index}")
            bone.head, bone.tail = place, place + Vector((rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), 1.0))
            bone.roll, bone.parent, bone.use_connect = rng.uniform(-1, 1), parent, parent is not None
            place, parent = bone.tail.copy(), bone

    found = new_armature(bones)
    update()
    return found


def some_vector(rng: random.Random, size: float) -> Vector:
    return Vector([rng.uniform(-size, size) for _ in range(3)])


def some_turn(rng: random.Random) -> Quaternion:
    turn = Quaternion([rng.gauss(0, 1) for _ in range(4)])
    turn.normalize()
    return turn


def some_scale(rng: random.Random, has: set[str]) -> tuple[float, float, float]:
    if not has & {"scaled alike", "mirrored", "uneven"} or rng.random() < 0.5:
        return 1.0, 1.0, 1.0
    size = rng.uniform(0.6, 1.5)
    if "uneven" in has:
        return size, rng.uniform(0.6, 1.5), rng.uniform(0.6, 1.5)
    signs = [rng.choice((-1.0, 1.0)) if "mirrored" in has else 1.0 for _ in AXES]
    return size * signs[0], size * signs[1], size * signs[2]


def random_armature(seed: int, has: set[str], count: int = 16) -> Any:
    """Bones b0, b1, … with random parents, flags and pose; b0 and b9 are roots."""
    rng = random.Random(seed)

    def bones(edit: Any) -> None:
        for index in range(count):
            bone = edit.new(f"b{index}")
            parent: Any = edit[f"b{rng.randrange(max(0, index - 4), index)}"] if index % 9 else None
            bone.parent = parent
            joined = parent is not None and "connected" in has and index != 1 and rng.random() < 0.5
            bone.head = parent.tail.copy() if joined else some_vector(rng, 1.0)
            bone.tail = bone.head + some_vector(rng, 0.5) + Vector((0, 0, 0.1))
            bone.roll, bone.use_connect = rng.uniform(-3, 3), joined

    found = new_armature(bones)
    for bone in found.data.bones:
        bone.use_local_location = "no local location" not in has or rng.random() < 0.5
        bone.use_inherit_rotation = "steady" not in has or rng.random() < 0.6
        bone.inherit_scale = rng.choice(SCALES) if "inherit" in has else "FULL"
    for bone in found.pose.bones:
        bone.rotation_mode = rng.choice(MODES) if "modes" in has else "QUATERNION"
        bone.matrix_basis = some_turn(rng).to_matrix().to_4x4()
        bone.scale = some_scale(rng, has)
        bone.location = some_vector(rng, 0.3 if "moved" in has else 0.0)
        if "limits" in has:
            some_limits(rng, bone)
    update()
    return found


def some_limits(rng: random.Random, bone: Any) -> None:
    """IK limits, a Limit Rotation, locks, or none of them."""
    kind = rng.choice(("ik", "constraint", "locks", "none"))
    if kind == "ik":
        limit(bone, rng.choice(LIMITED), rng.choice(("", "x", "y", "z", "xy", "yz", "xz")))
    elif kind == "constraint":
        constraint = bone.constraints.new("LIMIT_ROTATION")
        constraint.owner_space, constraint.euler_order = "LOCAL", rng.choice(("AUTO", *ORDERS))
        constraint.use_legacy_behavior = rng.random() < 0.5
        for axis in AXES:
            setattr(constraint, f"use_limit_{axis}", rng.random() < 0.7)
            setattr(constraint, f"min_{axis}", rng.choice((0.0, -rng.uniform(0.0, 1.5))))
            setattr(constraint, f"max_{axis}", rng.choice((0.0, rng.uniform(0.0, 1.5))))
    elif kind == "locks":
        bone.lock_rotation = [rng.random() < 0.4 for _ in AXES]
        bone.lock_location = [rng.random() < 0.4 for _ in AXES]


def shown(armature: Any) -> Floats:
    """Where Blender shows the bones [bones, 4, 4]."""
    return np.array([bone.matrix for bone in armature.pose.bones], float)


def height(armature: Any) -> float:
    heads = np.array([bone.head for bone in armature.pose.bones])
    return float(np.ptp(heads, axis=0).max())


def rotation_matrices(quaternions: Floats) -> Floats:
    return np.array([Quaternion(row).to_matrix() for row in quaternions.tolist()], float)


def difference(armature: Any, rig: Any, q: Floats, only: Floats | None = None) -> float:
    """How far tree and Blender differ at most, heads in heights of the rig, rotations of unscaled bones as they are."""
    pose, matrices = rig.tree.pose(q), shown(armature)
    chosen = np.ones(len(rig.bones), bool) if only is None else only
    heads = np.abs(pose.positions[rig.body] / rig.scale - matrices[:, :3, 3])[chosen].max(initial=0.0) / height(
        armature
    )
    turns = matrices[:, :3, :3]
    unscaled = chosen & (np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max(axis=(1, 2)) < 1e-5)
    unscaled &= np.linalg.det(turns) > 0.0
    off = np.abs(rotation_matrices(pose.rotations[rig.body]) - turns).max(axis=(1, 2))
    # Below an uneven scale, Blender's own frames are up to 5e-6 from orthogonal, by another amount in every pose.
    off[[any(above.scale[:] != (1, 1, 1) for above in bone.parent_recursive) for bone in armature.pose.bones]] /= 3.0
    return float(max(heads, off[unscaled].max(initial=0.0)))


def some_values(rig: Any, seed: int, widest: float = 2.0) -> Floats:
    """A random pose inside the limits."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(rig.tree.lower, -widest), np.minimum(rig.tree.upper, widest)
    return np.clip(rng.uniform(np.minimum(low, high), np.maximum(low, high)), rig.tree.lower, rig.tree.upper)


def exact_bones(rig: Any) -> Floats:
    return np.array([name not in rig.inexact for name in rig.bones])


def stored(armature: Any, kept_out: Callable[[Any, str], bool] = lambda _bone, _name: False) -> dict[str, object]:
    """All that pose bones and bones store, but for what is derived from the pose."""
    derived = {"matrix", "matrix_basis", "matrix_channel", "head", "tail", "length", "vector", "center", "x_axis"}
    found: dict[str, object] = {}
    for bone in armature.pose.bones:
        for part in (bone, bone.bone):
            for item in part.bl_rna.properties:
                name = item.identifier
                if item.type in {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"} and name not in derived:
                    value = getattr(part, name)
                    if not (part == bone and kept_out(bone, name)):
                        plain = tuple(map(str, value)) if getattr(item, "is_array", False) else str(value)
                        found[f"{bone.name}.{type(part).__name__}.{name}"] = plain
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", CASES)
def test_the_tree_stands_where_blender_shows_the_bones(bridge: Any, case: str, seed: int) -> None:
    armature = random_armature(seed, CASES[case])
    rig = bridge.armature.read(armature, {PELVIS})
    assert difference(armature, rig, rig.q) < EXACT
    assert tuple(bone.name for bone in armature.pose.bones) == rig.bones


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", CASES)
def test_blender_shows_the_pose_that_was_written(bridge: Any, case: str, seed: int) -> None:
    armature = random_armature(seed, CASES[case])
    rig = bridge.armature.read(armature, {PELVIS})
    exact = exact_bones(rig)
    if "limits" not in CASES[case]:
        assert exact.all(), rig.inexact
    for attempt in range(3):
        q = some_values(rig, 10 * seed + attempt)
        assert bridge.pose.write(rig, armature, q)
        update()
        assert difference(armature, rig, q, exact) < EXACT
        assert difference(armature, rig, bridge.pose.values(rig, armature), exact) < EXACT
        again = bridge.armature.read(armature, {PELVIS})
        assert difference(armature, again, again.q) < EXACT
    assert bridge.pose.write(rig, armature, q) == 0, "what is there already was written again"


@pytest.mark.parametrize("case", CASES)
def test_many_poses_at_once_are_each_by_itself_to_the_last_bit(bridge: Any, case: str) -> None:
    armature = random_armature(2, CASES[case])
    rig, poses = bridge.armature.read(armature, {PELVIS}), []
    for seed in range(4):
        if seed:
            bridge.pose.write(rig, armature, some_values(rig, seed))
        if seed == 2:  # what no limit allows
            for bone in armature.pose.bones:
                bone.rotation_quaternion, bone.rotation_euler = some_turn(random.Random(seed)), (2.0, 1.0, -2.5)
                bone.rotation_axis_angle = (2.5, 0.3, 0.2, 0.9)
        poses.append(bridge.channels.read(armature))
    many = bridge.channels.stacked(poses)
    values, (q, fits) = bridge.rig.values(rig, many), bridge.rig.fitted(rig, many)
    wanted = np.array([some_values(rig, 20 + frame) for frame in range(4)])
    wanted[3] = values[3]  # where it is already
    after = bridge.pose.posed(rig, wanted, many)
    first = bridge.reference.of_pose(poses[0])
    references = first.repeated((4,)).channels(many)
    for frame, pose in enumerate(poses):
        assert_array_equal(values[frame], bridge.rig.values(rig, pose))
        assert_array_equal(q[frame], values[frame])
        assert fits[frame] == bridge.rig.fitted(rig, pose)[1]
        assert_array_equal(many.turned[frame], pose.turned)
        assert after.at(frame).same(bridge.pose.posed(rig, wanted[frame], pose))
        assert references.at(frame).same(first.channels(pose))
    assert fits[0]
    assert "limits" not in CASES[case] or not fits.all()


@pytest.mark.parametrize("case", CASES)
def test_reading_twice_gives_the_same_bits(bridge: Any, case: str) -> None:
    armature = random_armature(1, CASES[case])
    one, two = (bridge.armature.read(armature, {PELVIS}) for _ in range(2))
    assert_array_equal(one.q, two.q)
    for first, second in zip(one.tree.arrays, two.tree.arrays, strict=True):
        assert_array_equal(first, second)


@pytest.mark.parametrize("case", ["connected", "unconnected", "every rotation mode", "no local location", "steady"])
def test_where_nothing_is_scaled_the_tree_does_not_depend_on_the_pose(bridge: Any, case: str) -> None:
    armature = random_armature(1, CASES[case])
    before = bridge.armature.read(armature, {PELVIS})
    bridge.pose.write(before, armature, some_values(before, 3))
    update()
    after = bridge.armature.read(armature, {PELVIS})
    for first, second in zip(before.tree.arrays, after.tree.arrays, strict=True):
        assert_array_equal(first, second)
    rests = [np.array(bone.matrix_local, float) for bone in armature.data.bones]
    for bone in armature.data.bones:
        if bone.use_connect:
            rows = [armature.data.bones.find(one.name) for one in (bone.parent, bone)]
            offset = np.linalg.inv(rests[rows[0]]) @ rests[rows[1]]
            found = after.tree.arrays.rest_position[after.tree.index(bone.name)]
            assert_array_equal(found, after.scale * offset[:3, 3])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", CASES)
def test_writing_what_was_read_changes_no_channel(bridge: Any, case: str, seed: int) -> None:
    armature = random_armature(seed, CASES[case])
    before = stored(armature)
    rig = bridge.armature.read(armature, {PELVIS})
    assert bridge.pose.write(rig, armature, rig.q) == 0
    assert stored(armature) == before
    assert_array_equal(bridge.pose.values(rig, armature), rig.q)


@pytest.mark.parametrize("case", ["every rotation mode", "all"])
def test_writing_touches_only_the_rotations_of_each_mode_and_the_locations_of_what_translates(
    bridge: Any, case: str
) -> None:
    armature = random_armature(2, CASES[case])
    rig = bridge.armature.read(armature, {PELVIS})
    movers = {name for name, body in zip(rig.bones, rig.mover, strict=True) if body >= 0}
    assert {"b0", "b9"} <= movers <= {"b0", "b9", PELVIS}

    def written(bone: Any, name: str) -> bool:
        channel = CHANNELS.get(bone.rotation_mode, "rotation_euler")
        return name == channel or (name == "location" and bone.name in movers)

    before, everything = stored(armature, written), stored(armature)
    bridge.pose.write(rig, armature, some_values(rig, 4))
    assert stored(armature, written) == before
    assert stored(armature) != everything


@pytest.mark.parametrize("mode", MODES)
def test_what_is_written_is_next_to_what_was_there(bridge: Any, mode: str) -> None:
    """No turn more or less, no other sign, however often a bone was turned round."""
    armature, rng = chain(2), random.Random(7)
    bone, channel = armature.pose.bones["b1"], CHANNELS.get(mode, "rotation_euler")
    bone.rotation_mode = mode
    for _ in range(40):
        given = [rng.uniform(-9, 9) for _ in range(3)]
        if mode == "QUATERNION":
            given = [*some_turn(rng)[:]]
        elif mode == "AXIS_ANGLE":
            given = [rng.uniform(-9, 9), *some_vector(rng, 1.0).normalized()[:]]
        setattr(bone, channel, given)
        update()
        rig = bridge.armature.read(armature)
        q = rig.q.copy()
        q[rig.tree.variable("b1", "ry")] += 1e-3
        assert bridge.pose.write(rig, armature, q) == 1
        update()
        assert difference(armature, rig, q) < EXACT
        moved = np.abs(np.array(getattr(bone, channel)) - given).max()
        assert 1e-5 < moved < 0.1, (given, list(getattr(bone, channel)))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("second", [0.5 * math.pi, -0.5 * math.pi])
def test_at_gimbal_lock_the_rotation_is_right_and_the_third_angle_stays(bridge: Any, order: str, second: float) -> None:
    armature = chain(2)
    bone = armature.pose.bones["b1"]
    bone.rotation_mode = order
    first_axis, second_axis, third_axis = (AXES.index(axis.lower()) for axis in order)
    bone.rotation_euler[third_axis] = 0.4
    rig = bridge.armature.read(armature)
    angles = [0.0, 0.0, 0.0]
    angles[first_axis], angles[second_axis], angles[third_axis] = 0.7, second, -0.2
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    turned[1] = Euler(angles, order).to_quaternion()
    q = rig.tree.values(np.zeros((2, 3)), turned / np.linalg.norm(turned, axis=1, keepdims=True))
    bridge.pose.write(rig, armature, q)
    update()
    assert difference(armature, rig, q) < 1e-3  # what float32 leaves of an angle whose sine is 1
    assert bone.rotation_euler[second_axis] == pytest.approx(second, abs=2e-3)


# Joints and limits.

LIMITS = {"x": (-40, 25), "y": (-30, 20), "z": (-35, 50)}  # degrees


def limit(bone: Any, axes: str, locks: str = "") -> None:
    """Limits of Blender's own IK."""
    for axis in AXES:
        setattr(bone, f"lock_ik_{axis}", axis in locks)
        setattr(bone, f"use_ik_limit_{axis}", axis in axes)
        setattr(bone, f"ik_min_{axis}", math.radians(LIMITS[axis][0]))
        setattr(bone, f"ik_max_{axis}", math.radians(LIMITS[axis][1]))


def own_rotation(bone: Any) -> Any:
    """A bone's own rotation as it is shown."""
    above = bone.parent
    given = {"parent_matrix": above.matrix, "parent_matrix_local": above.bone.matrix_local} if above else {}
    own = bone.bone.convert_local_to_pose(bone.matrix, bone.bone.matrix_local, invert=True, **given)
    turn: Any = own.to_3x3().normalized().to_quaternion()
    return turn if turn.w >= 0.0 else -turn


def swing_and_twist(turn: Quaternion) -> dict[str, float]:
    """Angles in radians, with the sines of half the swing as "sx" and "sz"."""
    twist = 2.0 * math.atan2(turn.y, turn.w)
    swing = turn @ Quaternion((math.cos(0.5 * twist), 0.0, -math.sin(0.5 * twist), 0.0))
    x, z = (2.0 * math.asin(max(-1.0, min(1.0, sine))) for sine in (swing.x, swing.z))
    return {"x": x, "y": twist, "z": z, "sx": swing.x, "sz": swing.z}


def ellipse(found: dict[str, float]) -> float:
    """How far out a swing is in the ellipse of its quadrant; 1 on the edge."""
    ends = [math.radians(LIMITS[axis][found[f"s{axis}"] > 0.0]) for axis in "xz"]
    return math.hypot(found["sx"] / math.sin(0.5 * ends[0]), found["sz"] / math.sin(0.5 * ends[1]))


LIMITED = ["xyz", "xz", "xy", "yz", "x", "y", "z"]
LOCKED = {"yz": "x", "xy": "z", "xz": "y", "y": "xz", "z": "xy", "x": "yz"}  # and what is limited then


@pytest.mark.parametrize(("axes", "locks"), [*((axes, "") for axes in LIMITED), *((b, a) for a, b in LOCKED.items())])
def test_ik_limits_hold_as_swing_and_twist_up_to_their_edge(bridge: Any, axes: str, locks: str) -> None:
    armature = chain(3)
    for bone in armature.pose.bones:
        limit(bone, axes, locks)
    rig = bridge.armature.read(armature)
    assert not rig.widened
    far = dict.fromkeys([*axes, "ellipse"], 0.0)
    for seed in range(60):
        q = some_values(rig, seed)
        ends = np.random.default_rng(seed).integers(0, 3, len(q))  # many on their limits
        q = np.where((ends == 0) & (rig.tree.lower > -2), rig.tree.lower, q)
        q = np.where((ends == 1) & (rig.tree.upper < 2), rig.tree.upper, q)
        bridge.pose.write(rig, armature, q)
        update()
        assert difference(armature, rig, q) < EXACT
        for bone in armature.pose.bones:
            found = swing_and_twist(own_rotation(bone))
            for axis in axes:
                low, high = (math.radians(end) for end in LIMITS[axis])
                assert low - 1e-5 < found[axis] < high + 1e-5
                far[axis] = max(far[axis], found[axis] / high)
            assert all(abs(found[axis]) < 1e-5 for axis in locks)
            if {"x", "z"} <= set(axes):
                assert ellipse(found) < 1.0 + 1e-5
                far["ellipse"] = max(far["ellipse"], ellipse(found))
    assert all(far[axis] > 0.99 for axis in axes), "the limits are narrower than Blender's"
    assert far["ellipse"] > 0.99 or not {"x", "z"} <= set(axes)


@pytest.mark.parametrize(
    ("axes", "locks"), [("xyz", ""), ("xz", ""), ("xy", ""), ("x", "yz"), ("xz", "y"), ("xy", "z")]
)
def test_what_blenders_own_ik_finds_is_inside_the_limits(bridge: Any, axes: str, locks: str) -> None:
    armature, rng = chain(3), random.Random(3)
    context: Any = bpy.context
    goal = bpy.data.objects.new("goal", None)
    context.scene.collection.objects.link(goal)
    constraint = armature.pose.bones["b2"].constraints.new("IK")
    constraint.target, constraint.chain_count = goal, 3
    for bone in armature.pose.bones:
        limit(bone, axes, locks)
    for _ in range(20):
        constraint.mute = False
        for bone in armature.pose.bones:
            bone.rotation_quaternion = (1, 0, 0, 0)
        goal.location = some_vector(rng, 2.0) + Vector((0, 0, 0.5))
        update()
        found = [own_rotation(bone) for bone in armature.pose.bones]
        constraint.mute = True
        for bone, turn in zip(armature.pose.bones, found, strict=True):
            bone.rotation_quaternion = turn
        update()
        rig = bridge.armature.read(armature)
        assert all(wide.by < 1e-4 for wide in rig.widened), rig.widened
        assert difference(armature, rig, rig.q) < EXACT


def test_a_locked_axis_keeps_its_present_value_and_a_hinge_is_one(bridge: Any) -> None:
    armature = chain(4)
    turned = Euler((0.2, 0.4, 0.3)).to_quaternion()
    for name, locks in (("b1", "y"), ("b2", "yz"), ("b3", "yz")):
        limit(armature.pose.bones[name], "", locks)
        armature.pose.bones[name].rotation_quaternion = turned if name != "b3" else Quaternion((1, 0, 0), 0.3)
    update()
    rig = bridge.armature.read(armature)
    assert [one.axis for one in rig.tree.variables if one.joint != "b0"] == ["swing_x", "swing_z", "swing_x", "angle"]
    before = {name: swing_and_twist(own_rotation(armature.pose.bones[name])) for name in ("b1", "b2")}
    q = rig.q + 0.5
    bridge.pose.write(rig, armature, q)
    update()
    assert difference(armature, rig, q) < EXACT
    after = {name: swing_and_twist(own_rotation(armature.pose.bones[name])) for name in ("b1", "b2")}
    assert after["b1"]["y"] == pytest.approx(before["b1"]["y"], abs=1e-5)
    assert after["b2"]["y"] == pytest.approx(before["b2"]["y"], abs=1e-5)
    assert abs(after["b2"]["x"] - before["b2"]["x"]) > 0.1


@pytest.mark.parametrize("order", ORDERS)
def test_locked_euler_channels_are_not_written(bridge: Any, order: str) -> None:
    armature = chain(3)
    for name, locks in (("b1", (False, True, False)), ("b2", (True, False, True))):
        bone = armature.pose.bones[name]
        bone.rotation_mode, bone.rotation_euler, bone.lock_rotation = order, (0.3, 0.2, -7.0), locks
    update()
    rig = bridge.armature.read(armature)
    assert difference(armature, rig, rig.q) < EXACT
    before = {name: tuple(armature.pose.bones[name].rotation_euler) for name in ("b1", "b2")}
    assert rig.q[rig.tree.variable("b1", "z")] == -7.0, "the variable is not the channel"
    for size in (0.3, 3.0, 3.0, 3.0):
        q = rig.q + np.random.default_rng(int(size)).uniform(-size, size, len(rig.q))
        bridge.pose.write(rig, armature, q)
        update()
        assert difference(armature, rig, q) < EXACT
        for name, axes in (("b1", (1,)), ("b2", (0, 2))):
            now = tuple(armature.pose.bones[name].rotation_euler)
            assert [now[axis] for axis in axes] == [before[name][axis] for axis in axes]
            assert now != before[name]


def test_a_locked_axis_of_a_limit_rotation_keeps_its_angle(bridge: Any) -> None:
    armature = chain(3)
    bone = armature.pose.bones["b1"]
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space, constraint.use_limit_x, constraint.max_x, constraint.min_x = "LOCAL", True, 0.5, -1.0
    bone.rotation_quaternion, bone.lock_ik_y = Euler((0.9, 0.4, 0.2)).to_quaternion(), True
    update()
    rig = bridge.armature.read(armature)
    assert [one.axis for one in rig.tree.variables if one.joint == "b1"] == ["x", "z"]
    q = some_values(rig, 2, 1.0)
    bridge.pose.write(rig, armature, q)
    update()
    assert difference(armature, rig, q) < EXACT
    assert own_rotation(bone).to_euler("XYZ").y == pytest.approx(0.4, abs=1e-5)


def test_stiffness_grows_and_is_one_where_nothing_is_set(bridge: Any) -> None:
    armature = chain(2)
    bone = armature.pose.bones["b1"]
    bone.ik_stiffness_x, bone.ik_stiffness_y = 0.5, 0.99
    tree = bridge.armature.read(armature).tree
    found = [one.stiffness for one in tree.variables if one.joint == "b1"]
    assert found == pytest.approx([2.0, 100.0, 1.0], rel=1e-4)


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("order", ["AUTO", *ORDERS])
def test_limit_rotation_holds_as_euler_angles(bridge: Any, order: str, legacy: bool) -> None:
    armature, rng = chain(3), random.Random(11)
    bone = armature.pose.bones["b1"]
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space, constraint.euler_order, constraint.use_legacy_behavior = "LOCAL", order, legacy
    exact = 0
    for attempt, mode in itertools.product(range(8), ("QUATERNION", "AXIS_ANGLE", "XYZ", "YXZ", "ZYX")):
        bone.rotation_mode = mode
        bone.matrix_basis = some_turn(rng).to_matrix().to_4x4()
        for axis in AXES:
            ends = sorted((rng.uniform(-3, 1), rng.uniform(-1, 3)))
            if attempt % 2 == 0:
                ends = [-rng.uniform(0.1, 1.5), rng.uniform(0.1, 1.5)]
            setattr(constraint, f"use_limit_{axis}", rng.random() < 0.8)
            setattr(constraint, f"min_{axis}", ends[0])
            setattr(constraint, f"max_{axis}", ends[1])
        update()
        rig = bridge.armature.read(armature)
        assert difference(armature, rig, rig.q) < EXACT, "the clamped rotation is not the one that is shown"
        kept = stored(armature)
        assert bridge.pose.write(rig, armature, rig.q) == 0
        assert stored(armature) == kept
        for axis in AXES:
            if getattr(constraint, f"use_limit_{axis}") and "angle" not in {v.axis for v in rig.tree.variables}:
                variable = rig.tree.variables[rig.tree.variable("b1", axis)]
                ends = [getattr(constraint, f"min_{axis}"), getattr(constraint, f"max_{axis}")]
                assert [variable.lower, variable.upper] == ends
        if "b1" not in rig.inexact:
            exact += 1
            q = some_values(rig, attempt, math.pi)
            bridge.pose.write(rig, armature, q)
            update()
            assert difference(armature, rig, q) < EXACT
    assert exact > 15


def test_a_limit_that_locks_two_axes_at_zero_makes_a_hinge(bridge: Any) -> None:
    armature = chain(3)
    constraint = armature.pose.bones["b1"].constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    constraint.use_limit_x = constraint.use_limit_y = constraint.use_limit_z = True
    constraint.max_x = 2.5
    armature.pose.bones["b1"].rotation_quaternion = Euler((3.0, 0.5, 0.5)).to_quaternion()
    update()
    rig = bridge.armature.read(armature)
    (found,) = (one for one in rig.tree.variables if one.joint == "b1")
    assert (found.axis, found.lower, found.upper) == ("angle", 0.0, 2.5)
    assert difference(armature, rig, rig.q) < EXACT


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("name", ["b0", PELVIS])
def test_limit_location_holds_and_locked_axes_stay(bridge: Any, name: str, local: bool) -> None:
    armature = random_armature(3, {"moved"})
    bone = armature.pose.bones[name]
    bone.bone.use_local_location, bone.location, bone.lock_location = local, (0.5, 0.2, 0.3), (False, True, False)
    constraint = bone.constraints.new("LIMIT_LOCATION")
    constraint.owner_space, constraint.use_max_x, constraint.max_x = "LOCAL", True, 0.1
    constraint.use_min_z, constraint.min_z = True, -0.2
    update()
    rig = bridge.armature.read(armature, {PELVIS})
    assert difference(armature, rig, rig.q) < EXACT
    found = {one.axis: one for one in rig.tree.variables if one.joint.startswith(name) and one.unit == "m"}
    found = {axis: one for axis, one in found.items() if one.joint in {name, f"{name} (location)"}}
    assert {axis: (one.lower, one.upper) for axis, one in found.items()} == {
        "tx": (-math.inf, pytest.approx(0.1 * rig.scale)),
        "tz": (pytest.approx(-0.2 * rig.scale), math.inf),
    }
    q = some_values(rig, 1)
    bridge.pose.write(rig, armature, q)
    update()
    assert difference(armature, rig, q) < EXACT
    assert bone.location[1] == np.float32(0.2)


@pytest.mark.parametrize("size", [0.01, 1.0, 250.0])
def test_every_tree_is_as_large_as_a_person(bridge: Any, size: float) -> None:
    def two_bones(edit: Any) -> None:
        hip, knee = edit.new("hip"), edit.new("knee")
        hip.head, hip.tail, knee.tail = (0, 0, 2 * size), (0, 0.1 * size, size), (0, 0, 0)
        knee.parent, knee.use_connect = hip, True

    armature = new_armature(two_bones)
    update()
    rig = bridge.armature.read(armature)
    assert rig.scale * 2.0 * size == pytest.approx(1.7)
    assert np.linalg.norm(rig.tree.arrays.rest_position[1]) == pytest.approx(0.85, rel=0.01)
    assert difference(armature, rig, rig.q) < EXACT


def test_only_roots_and_the_named_pelvis_translate(bridge: Any) -> None:
    armature = random_armature(1, {"moved"})
    armature.pose.bones["b9"].lock_location = (True, True, True)
    rig = bridge.armature.read(armature, {PELVIS, "b9"})
    assert {one.joint for one in rig.tree.variables if one.unit == "m"} == {"b0", PELVIS}
    assert difference(armature, rig, rig.q) < EXACT


def test_a_pose_outside_its_limits_widens_them_and_says_by_how_much(bridge: Any) -> None:
    armature = chain(4)
    for name in ("b1", "b2", "b3"):
        limit(armature.pose.bones[name], "xyz" if name != "b3" else "x", "" if name != "b3" else "yz")
    armature.pose.bones["b1"].rotation_quaternion = Quaternion((0, 1, 0), 0.6)
    armature.pose.bones["b2"].rotation_quaternion = Euler((0.4, 0.0, 0.8)).to_quaternion()
    armature.pose.bones["b3"].rotation_quaternion = Quaternion((1, 0, 0), -1.0)
    update()
    rig = bridge.armature.read(armature)
    assert difference(armature, rig, rig.q) < EXACT
    assert (rig.q >= rig.tree.lower).all()
    assert (rig.q <= rig.tree.upper).all()
    found = {(one.bone, one.axis): one.by for one in rig.widened}
    assert found[("b1", "twist")] == pytest.approx(0.6 - math.radians(20), abs=1e-5)
    assert found[("b3", "swing_x")] == pytest.approx(1.0 - math.radians(40), abs=1e-5)
    assert {"swing_x", "swing_z"} == {axis for bone, axis in found if bone == "b2"}
    assert len(found) == 4
    swung = swing_and_twist(own_rotation(armature.pose.bones["b2"]))
    ends = [rig.tree.upper[rig.tree.variable("b2", f"swing_{axis}")] for axis in "xz"]
    reach = math.hypot(*(swung[f"s{axis}"] / math.sin(0.5 * end) for axis, end in zip("xz", ends, strict=True)))
    assert reach == pytest.approx(1.0, abs=1e-5), "the ellipse is wider than the pose needs"
    upper = rig.tree.upper[rig.tree.variable("b1", "swing_x")]
    assert upper == pytest.approx(math.radians(25)), "a limit gave way that had no need to"


def test_solving_on_a_limit_does_not_make_it_creep(bridge: Any) -> None:
    armature = chain(3)
    for bone in armature.pose.bones:
        limit(bone, "xyz")
    first = bridge.armature.read(armature)
    rig = first
    for _ in range(5):
        bridge.pose.write(rig, armature, np.where(np.isfinite(rig.tree.upper), rig.tree.upper, 0.0))
        update()
        rig = bridge.armature.read(armature)
        assert not rig.widened
        assert_array_equal(rig.tree.upper, first.tree.upper)


# Bones that others move.


def constrain(kind: str, **settings: object) -> Callable[[Any], None]:
    def apply(armature: Any) -> None:
        context: Any = bpy.context
        target = bpy.data.objects.new("target", None)
        context.scene.collection.objects.link(target)
        target.location, target.rotation_euler = (0.5, 0.3, 1.0), (0.3, 0.5, 0.1)
        constraint = armature.pose.bones["b2"].constraints.new(kind)
        if hasattr(constraint, "target"):
            constraint.target = target
        for name, value in settings.items():
            setattr(constraint, name, value)

    return apply


def drive(path: str) -> Callable[[Any], None]:
    def apply(armature: Any) -> None:
        curve = armature.pose.bones["b2"].driver_add(path, 1)
        curve.driver.expression = "0.3"

    return apply


LIMITED_X = {"use_limit_x": True, "max_x": 0.1, "name": "Held"}
FROZEN: dict[str, tuple[Callable[[Any], None], dict[str, str]]] = {
    "constraint": (constrain("COPY_ROTATION", name="Copy"), {"b2": "'Copy'"}),
    "stretch": (constrain("STRETCH_TO", name="Stretch"), {"b2": "'Stretch'"}),
    "driver": (drive("rotation_quaternion"), {"b2": "driver sets its rotation_quaternion"}),
    "driven location": (drive("location"), {"b2": "driver sets its location"}),
    "ik": (constrain("IK", chain_count=2, name="Reach"), {"b2": "'Reach'", "b1": "'Reach' of 'b2'"}),
    "ik without tail": (
        constrain("IK", chain_count=1, use_tail=False, name="Reach"),
        {"b2": "'Reach'", "b1": "'Reach' of 'b2'"},
    ),
    "limit in the world": (constrain("LIMIT_ROTATION", owner_space="WORLD", **LIMITED_X), {"b2": "another space"}),
    "half a limit": (
        constrain("LIMIT_ROTATION", owner_space="LOCAL", influence=0.5, **LIMITED_X),
        {"b2": "part of its influence"},
    ),
    "muted": (constrain("COPY_ROTATION", mute=True), {}),
    "muted ik": (constrain("IK", mute=True), {}),
    "without influence": (constrain("COPY_ROTATION", influence=0.0), {}),
    "without target": (constrain("COPY_ROTATION", target=None), {}),
    "limit without limits": (constrain("LIMIT_ROTATION", owner_space="WORLD"), {}),
    "limit": (constrain("LIMIT_ROTATION", owner_space="LOCAL", **LIMITED_X), {}),
}


@pytest.mark.parametrize("what", FROZEN)
def test_a_bone_that_something_else_moves_is_taken_as_it_stands_and_named(bridge: Any, what: str) -> None:
    armature, (apply, expected) = chain(5), FROZEN[what]
    for index, bone in enumerate(armature.pose.bones):
        bone.rotation_quaternion = some_turn(random.Random(index))
    apply(armature)
    update()
    rig = bridge.armature.read(armature)
    assert set(rig.frozen) == set(expected)
    for name, words in expected.items():
        assert words in rig.frozen[name]
        assert name in rig.inexact
        assert name not in {one.joint for one in rig.tree.variables}
    assert difference(armature, rig, rig.q) < EXACT
    before = [tuple(armature.pose.bones[name].rotation_quaternion) for name in expected]
    bridge.pose.write(rig, armature, some_values(rig, 1))
    assert [tuple(armature.pose.bones[name].rotation_quaternion) for name in expected] == before


def test_a_limited_rotation_on_a_mirrored_bone_is_left_alone(bridge: Any) -> None:
    armature = chain(3)
    bone = armature.pose.bones["b1"]
    bone.scale = (-1, 1, 1)
    constrain("LIMIT_ROTATION", owner_space="LOCAL", **LIMITED_X)(armature)
    assert not bridge.armature.read(armature).frozen
    armature.pose.bones["b2"].scale = (1, 1, -1)
    update()
    rig = bridge.armature.read(armature)
    assert "mirrors" in rig.frozen["b2"]
    assert difference(armature, rig, rig.q) < EXACT


def test_a_bone_with_every_axis_locked_is_frozen_and_still_exact(bridge: Any) -> None:
    armature = chain(4)
    armature.pose.bones["b1"].rotation_quaternion = Euler((0.3, 0.2, 0.5)).to_quaternion()
    limit(armature.pose.bones["b1"], "", "xyz")
    update()
    rig = bridge.armature.read(armature)
    assert "locked" in rig.frozen["b1"]
    assert not rig.inexact
    q = some_values(rig, 1)
    bridge.pose.write(rig, armature, q)
    update()
    assert difference(armature, rig, q) < EXACT


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("steady", [{"b2"}, {"b1", "b2", "b4"}, {"b1", "b2", "b3", "b4", "b5"}])
def test_bones_that_do_not_turn_with_their_parents_are_exact_in_every_pose(
    bridge: Any, steady: set[str], mode: str
) -> None:
    armature = chain(6)
    for bone in armature.pose.bones:
        bone.bone.use_inherit_rotation, bone.rotation_mode = bone.name not in steady, mode
        bone.matrix_basis = Euler((0.3, 0.2, 0.5)).to_matrix().to_4x4()
    update()
    rig = bridge.armature.read(armature)
    assert not rig.inexact
    assert {name for name, on in zip(rig.tree.names, rig.tree.arrays.steady, strict=True) if on} == steady
    assert difference(armature, rig, rig.q) < EXACT
    for seed in range(5):
        q = some_values(rig, seed, 1.5)
        bridge.pose.write(rig, armature, q)
        update()
        assert difference(armature, rig, q) < EXACT
        assert_allclose(bridge.pose.values(rig, armature), q, atol=1e-4)


@pytest.mark.parametrize("local", [True, False])
def test_a_steady_pelvis_moves_along_axes_that_its_parent_turns(bridge: Any, local: bool) -> None:
    armature = chain(4)
    armature.data.bones["b1"].use_inherit_rotation = False
    armature.data.bones["b1"].use_local_location = local
    detach(armature, "b1")
    armature.pose.bones["b0"].rotation_quaternion = Euler((0.3, 0.2, 0.5)).to_quaternion()
    armature.pose.bones["b0"].scale = (1.3, 1.3, 1.3)
    armature.pose.bones["b1"].location = (0.1, -0.2, 0.3)
    update()
    rig = bridge.armature.read(armature, {"b1"})
    assert rig.mover[1] >= 0
    assert difference(armature, rig, rig.q) < EXACT
    for seed in range(5):
        q = some_values(rig, seed)
        bridge.pose.write(rig, armature, q)
        update()
        assert difference(armature, rig, q) < EXACT


def detach(armature: Any, bone: str) -> None:
    """Let a bone translate."""
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones[bone].use_connect = False
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("steady", [False, True])
@pytest.mark.parametrize("inherit", SCALES)
def test_what_would_be_sheared_is_taken_as_it_stands_and_says_what_to_do(
    bridge: Any, inherit: str, steady: bool
) -> None:
    armature = chain(5)
    armature.pose.bones["b1"].scale = (0.7, 1.4, 1.1)
    sheared = armature.pose.bones["b2"]
    sheared.rotation_quaternion = Euler((0.5, 0.4, 0.8)).to_quaternion()
    limit(sheared, "", "xyz")
    armature.data.bones["b3"].inherit_scale = inherit
    armature.data.bones["b3"].use_inherit_rotation = not steady
    update()
    rig = bridge.armature.read(armature)
    q = some_values(rig, 1)
    bridge.pose.write(rig, armature, q)
    update()
    stands = {"b2"}  # inside the scale of b1
    if inherit in {"FULL", "FIX_SHEAR"} or (inherit == "NONE_LEGACY" and not steady):
        stands |= {"b3", "b4"}
        assert "sheared by the uneven scale of 'b2': set its Inherit Scale" in rig.frozen["b3"]
    elif inherit == "ALIGNED":  # scaled unevenly itself, but not sheared
        stands |= {"b4"}
    assert set(rig.frozen) == stands
    assert not rig.inexact
    assert difference(armature, rig, q) < EXACT


def test_a_bone_scaled_to_nothing_can_be_read(bridge: Any) -> None:
    armature = chain(4)
    armature.pose.bones["b1"].scale = (0, 0, 0)
    update()
    rig = bridge.armature.read(armature)
    assert difference(armature, rig, rig.q) < EXACT


def test_an_armature_without_bones_is_a_tree_without_joints(bridge: Any) -> None:
    armature = new_armature(lambda _edit: None)
    rig = bridge.armature.read(armature)
    assert (rig.bones, len(rig.q)) == ((), 0)
    assert bridge.pose.write(rig, armature, rig.q) == 0


def test_what_does_not_fit_is_refused_by_name(bridge: Any, add_on: ModuleType) -> None:
    rig = bridge.armature.read(chain(3))
    error = add_on.solvers.PosewrightError
    with pytest.raises(error, match="4 bones, but 3 were read"):
        bridge.pose.write(rig, chain(4), rig.q)
    with pytest.raises(error, match="'empty' is no armature"):
        bridge.armature.read(bpy.data.objects.new("empty", None))


def test_an_animated_bone_shows_what_was_written_until_the_frame_changes(bridge: Any) -> None:
    armature, context = chain(4), bpy.context
    scene: Any = context.scene
    for bone in armature.pose.bones:
        bone.keyframe_insert("rotation_quaternion", frame=1)
    scene.frame_set(1)
    rig = bridge.armature.read(armature)
    assert not rig.frozen
    q = some_values(rig, 1)
    bridge.pose.write(rig, armature, q)
    update()
    assert difference(armature, rig, q) < EXACT
    scene.frame_set(2)
    assert difference(armature, rig, q) > 0.1


def test_a_pose_that_was_changed_by_hand_is_read_as_variables(bridge: Any) -> None:
    armature = random_armature(5, CASES["every rotation mode"])
    rig = bridge.armature.read(armature, {PELVIS})
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = some_turn(random.Random(bone.name))
    update()
    q = bridge.pose.values(rig, armature)
    assert np.abs(q - rig.q).max() > 0.1
    assert difference(armature, rig, q) < EXACT


# Real characters.


def data_folder() -> Path:
    given = os.environ.get("POSEWRIGHT_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.mark.parametrize("name", ["Fox.glb", "KayKit_Knight.glb", "RiggedFigure.glb", "makehuman_game_engine.glb"])
def test_a_character_from_elsewhere_is_read_and_posed_exactly(bridge: Any, name: str) -> None:
    path = data_folder() / "characters" / name
    if not path.exists():
        pytest.skip(f"{name} is not below {data_folder()}; POSEWRIGHT_DATA says where the characters are")
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=str(path))
    update()
    (armature,) = (item for item in set(bpy.data.objects) - before if item.type == "ARMATURE")
    rig = bridge.armature.read(armature)
    assert difference(armature, rig, rig.q) < EXACT
    assert bridge.pose.write(rig, armature, rig.q) == 0
    for seed in range(3):
        q = some_values(rig, seed)
        bridge.pose.write(rig, armature, q)
        update()
        assert difference(armature, rig, q, exact_bones(rig)) < EXACT
