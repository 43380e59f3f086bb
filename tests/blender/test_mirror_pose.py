"""The pose in the mirror: any roll, any rotation mode, names or roles; with goals or without."""

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from . import characters
from .figures import channels, figure, goal, off, pin, update

operators: Any = bpy.ops
call = operators.posewright
MIRROR = np.diag([-1.0, 1.0, 1.0, 1.0])


@pytest.fixture
def owner(bridge: Any) -> Any:
    """A figure whose bones have rolls and rotation modes of all kinds, in a pose of no symmetry."""
    assert bridge
    found = figure()
    bpy.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(found.data.edit_bones):
        bone.roll = 0.7 * number
    bpy.ops.object.mode_set(mode="POSE")
    modes = ("QUATERNION", "XYZ", "AXIS_ANGLE", "ZXY")
    for number, bone in enumerate(found.pose.bones):
        bone.matrix_basis = Euler((0.1 * number, 0.3 - 0.05 * number, 0.2)).to_matrix().to_4x4()
        bone.rotation_mode = modes[number % 4]
    found.pose.bones["pelvis"].location = (0.1, 0.2, -0.1)
    update()
    return found


def seen(owner: Any) -> dict[str, Any]:
    """By how much each bone has turned and moved away from its rest pose, in armature space."""
    return {bone.name: np.array(bone.matrix @ bone.bone.matrix_local.inverted()) for bone in owner.pose.bones}


def in_mirror(matrix: Any) -> Any:
    return MIRROR @ matrix @ MIRROR


def other(name: str) -> str:
    return name[:-1] + {"L": "R", "R": "L"}[name[-1]] if name[-2:] in {".L", ".R"} else name


def test_a_flipped_pose_is_the_mirror_image_whatever_roll_and_rotation_mode(owner: Any) -> None:
    before, modes = seen(owner), [bone.rotation_mode for bone in owner.pose.bones]
    assert call.mirror_pose(direction="FLIP") == {"FINISHED"}
    update()
    after = seen(owner)
    for name, matrix in before.items():
        assert np.abs(after[other(name)] - in_mirror(matrix)).max() < 1e-5, name
    assert [bone.rotation_mode for bone in owner.pose.bones] == modes


def test_flipping_twice_ends_where_it_began(owner: Any) -> None:
    before = seen(owner)
    for _ in range(2):
        call.mirror_pose(direction="FLIP")
    update()
    assert max(np.abs(seen(owner)[name] - before[name]).max() for name in before) < 1e-5


@pytest.mark.parametrize(("direction", "source"), [("LEFT", ".L"), ("RIGHT", ".R")])
def test_one_side_is_given_to_the_other_and_the_middle_stays(owner: Any, direction: str, source: str) -> None:
    for bone in ("pelvis", "spine"):  # only below a trunk that is straight, limbs look mirrored
        owner.pose.bones[bone].matrix_basis = Matrix()
    update()
    before = seen(owner)
    call.mirror_pose(direction=direction)
    update()
    after = seen(owner)
    for name, matrix in before.items():
        wanted = matrix if not name.endswith((".L", ".R")) or name.endswith(source) else in_mirror(before[other(name)])
        assert np.abs(after[name] - wanted).max() < 1e-5, name


def test_of_selected_bones_only_these_and_their_twins_change(owner: Any) -> None:
    for bone in owner.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "hand.L"
    before = {bone.name: bone.matrix_basis.copy() for bone in owner.pose.bones}
    call.mirror_pose(direction="LEFT", bones="SELECTED")
    assert [bone.name for bone in owner.pose.bones if bone.matrix_basis != before[bone.name]] == ["hand.R"]
    for bone in owner.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = False
    with pytest.raises(RuntimeError, match="Select the bones"):
        call.mirror_pose(bones="SELECTED")


def test_where_names_tell_nothing_roles_do(bridge: Any) -> None:
    body = characters.build(characters.body(fingers=False))
    call.set_up()
    old = characters.rename_to_nonsense(body)
    for role in body.posewright_roles:
        role.bone = next((new for new, name in old.items() if name == role.name), "")
    new = {name: bone for bone, name in old.items()}
    body.pose.bones[new["upper_arm.L"]].rotation_quaternion = Euler((0.3, 0.2, 0.5)).to_quaternion()
    body.pose.bones[new["chest"]].rotation_quaternion = Euler((0.0, 0.3, 0.1)).to_quaternion()
    update()
    before = seen(body)
    call.mirror_pose(direction="FLIP")
    update()
    for name, matrix in before.items():
        assert np.abs(seen(body)[new[other(old[name])]] - in_mirror(matrix)).max() < 1e-5, old[name]
    assert bridge.twins.twin(body, new["hand.L"]) == new["hand.R"]


def test_x_mirror_drags_the_other_side_by_roles_too(bridge: Any) -> None:
    assert bridge
    body = characters.build(characters.body(fingers=False))
    call.set_up()
    old = characters.rename_to_nonsense(body)
    new = {name: bone for bone, name in old.items()}
    for role in body.posewright_roles:
        role.bone = new.get(role.name, "")
    body.posewright_goals.clear()
    body.pose.use_mirror_x = True
    call.drag(bone=new["hand.L"], value=(-0.1, -0.1, 0.1))
    left, right = (body.pose.bones[new[f"hand.{side}"]].head for side in "LR")
    assert left.z > 1.5
    assert (Vector((-left.x, left.y, left.z)) - right).length < 1e-3


def test_without_any_sides_it_says_so(bridge: Any) -> None:
    assert bridge
    body = characters.build(characters.body(fingers=False))
    characters.rename_to_nonsense(body)
    with pytest.raises(RuntimeError, match="neither names nor roles"):
        call.mirror_pose(direction="LEFT")


def test_goals_change_sides_with_the_pose_and_live_posing_has_nothing_to_add(bridge: Any) -> None:
    owner = figure()
    pin(bridge, owner, "foot.L")
    goal(owner, "foot.R")
    pin(bridge, owner, "hand.R", orientation=0.0)
    pin(bridge, owner, "pelvis")
    update()
    call.drag(bone="hand.L", value=(0.0, -0.3, 0.1))
    places = {one.bone: one.place.copy() for one in owner.posewright_goals}
    before = seen(owner)
    call.mirror_pose(direction="FLIP", goals=True)
    update()
    states = {one.bone: one.state for one in owner.posewright_goals}
    assert states == {"foot.L": "IDLE", "foot.R": "PINNED", "hand.R": "IDLE", "hand.L": "PINNED", "pelvis": "PINNED"}
    for bone in ("foot.L", "hand.R", "pelvis"):
        index = next(i for i, one in enumerate(owner.posewright_goals) if one.bone == other(bone))
        x, y, z = places[bone]
        assert (owner.posewright_goals[index].place - Vector((-x, y, z))).length < 1e-5
        assert off(bridge, owner, index) < 1e-4
    for name, matrix in before.items():
        assert np.abs(seen(owner)[other(name)] - in_mirror(matrix)).max() < 1e-4, name


def test_one_sides_goals_become_those_of_the_other(bridge: Any) -> None:
    owner = figure()
    pin(bridge, owner, "foot.L")
    pin(bridge, owner, "hand.R")
    update()
    call.mirror_pose(direction="LEFT", goals=True)
    states = {one.bone: one.state for one in owner.posewright_goals}
    assert states == {"foot.L": "PINNED", "foot.R": "PINNED", "hand.R": "IDLE"}


def test_without_goals_they_stay_and_pins_hold(bridge: Any) -> None:
    owner = figure()
    foot = pin(bridge, owner, "foot.L")
    update()
    place = owner.posewright_goals[foot].place.copy()
    owner.pose.bones["arm.L"].rotation_quaternion = Euler((0.0, 0.0, 0.5)).to_quaternion()
    update()
    call.mirror_pose(direction="FLIP", goals=False)
    update()
    assert owner.posewright_goals[foot].place == place
    assert off(bridge, owner, foot) < 1e-3
    assert len(owner.posewright_goals) == 1


def test_locked_channels_stay(owner: Any) -> None:
    owner.pose.bones["pelvis"].lock_location = (True, True, True)
    for axis in range(3):
        owner.pose.bones["hand.R"].lock_rotation[axis] = True
    before = owner.pose.bones["pelvis"].location.copy(), owner.pose.bones["hand.R"].matrix_basis.copy()
    data = channels(owner)
    call.mirror_pose(direction="FLIP")
    assert channels(owner) != data
    assert owner.pose.bones["pelvis"].location == before[0]
    now = owner.pose.bones["hand.R"].matrix_basis
    assert (
        max(abs(a - b) for one, two in zip(now, before[1], strict=True) for a, b in zip(one, two, strict=True)) < 1e-6
    )
