"""Anatomical axes: the same angles for the same pose, whatever a skeleton's rest pose, roll and proportions."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.motion import anatomy, habits
from posewright.motion.anatomy import Bones, Floats
from posewright.solvers.errors import PosewrightError

ARM = ("upper_arm", "forearm", "hand")
LEG = ("thigh", "shin", "foot", "toe")


def about(axis: Floats | tuple[float, float, float], degrees: float) -> Floats:
    x, y, z = np.array(axis, float) / np.linalg.norm(axis)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    found: Floats = np.eye(3) + s * cross + (1.0 - c) * cross @ cross
    return found


def skeleton(arms_down: float = 0.0, roll: float = 0.0, size: float = 1.0, elbow: float = 0.0) -> Bones:
    """A person who faces -Y, z up, in a T-pose with the arms lowered by some degrees and the elbows bent forward.

    Bones have their y axes along themselves and any roll.
    """
    rows: list[tuple[str, str, tuple[float, float, float]]] = [
        ("pelvis", "", (0, 0, 1.0)),
        ("spine.1", "pelvis", (0, 0, 1.1)),
        ("chest", "spine.1", (0, 0, 1.3)),
        ("neck.1", "chest", (0, 0, 1.5)),
        ("head", "neck.1", (0, 0, 1.6)),
    ]
    ends = {"pelvis": (0, 0, 1.1), "spine.1": (0, 0, 1.3), "chest": (0, 0, 1.5), "neck.1": (0, 0, 1.6)}
    ends["head"] = (0, 0, 1.8)
    heads = {name: np.array(place, float) for name, _, place in rows}
    tails = {name: np.array(place, float) for name, place in ends.items()}
    parents = {name: parent for name, parent, _ in rows}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        down = about((0, 1, 0), sign * arms_down)
        out = down @ np.array([sign, 0.0, 0.0])
        bent = down @ about((0, 0, 1), -sign * elbow) @ np.array([sign, 0.0, 0.0])
        joints = [np.array([0.17 * sign, 0.0, 1.44])]
        for length, way in ((0.28, out), (0.25, bent), (0.1, bent)):
            joints.append(joints[-1] + length * way)
        legs = [np.array([0.1 * sign, y, z]) for y, z in ((0, 0.96), (0, 0.5), (0, 0.09), (-0.13, 0.02), (-0.2, 0.02))]
        for top, limb, places in (("chest", ARM, joints), ("pelvis", LEG, legs)):
            above = top
            for part, (head, tail) in zip(limb, itertools.pairwise(places), strict=True):
                name = f"{part}.{side}"
                heads[name], tails[name], parents[name], above = head, tail, above, name
    names = tuple(heads)
    straight = [_along(tails[name] - heads[name]) for name in names]
    turns = np.array([turn @ about((0, 1, 0), roll * row) for row, turn in enumerate(straight)])
    return Bones(
        names,
        [names.index(parents[name]) if parents[name] else -1 for name in names],
        size * np.array(list(heads.values())),
        size * np.array(list(tails.values())),
        turns,
        {name: name for name in names},
    )


def _along(way: Floats) -> Floats:
    """A rotation that takes y to a direction."""
    y = way / np.linalg.norm(way)
    x = np.cross(y, [0.3, 0.5, 0.8])
    x /= np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def angles_when(bones: Bones, world: dict[str, Floats]) -> dict[str, Floats]:
    """Bend, twist and side in degrees when limbs were turned in the world, out of this rest pose, by `world`."""
    found = {}
    for one in anatomy.measure(bones):
        row = bones.names.index(one.bone)
        above = bones.names[bones.parents[row]]
        rest, rest_above = bones.turns[row], bones.turns[bones.parents[row]]
        now, now_above = world.get(one.bone, np.eye(3)) @ rest, world.get(above, np.eye(3)) @ rest_above
        own = (rest_above.T @ rest).T @ now_above.T @ now
        found[one.role] = np.degrees(habits.angles(one, own[None])[0])
    return found


def lowered(degrees: float, side: str = "L") -> dict[str, Floats]:
    """Turns of a whole arm in the world that lower it."""
    return {f"{part}.{side}": about((0, 1, 0), degrees if side == "L" else -degrees) for part in ARM}


@pytest.mark.parametrize("roll", [0.0, 37.0])
@pytest.mark.parametrize(("rest", "size"), [(0.0, 1.0), (45.0, 0.01), (80.0, 100.0)])
def test_the_same_pose_has_the_same_angles_from_every_rest_pose_roll_and_size(
    rest: float, size: float, roll: float
) -> None:
    wanted = angles_when(skeleton(), lowered(60.0))
    found = angles_when(skeleton(rest, roll, size), lowered(60.0 - rest))
    for role in ("upper_arm.L", "forearm.L", "hand.L", "thigh.L", "shin.R", "chest"):
        assert np.abs(found[role] - wanted[role]).max() < 1e-6, role


def test_the_neutral_pose_is_arms_out_at_45_degrees() -> None:
    found = angles_when(skeleton(45.0), {})
    for role in ("upper_arm.L", "upper_arm.R", "forearm.L", "hand.R", "spine.1", "head", "shin.L"):
        assert np.abs(found[role]).max() < 1e-6, role


def test_standing_thighs_are_45_degrees_behind_their_neutral_pose() -> None:
    assert np.abs(angles_when(skeleton(), {})["thigh.L"] - [-45.0, 0.0, 0.0]).max() < 1e-6


@pytest.mark.parametrize(
    ("role", "axis", "wanted"),
    [
        ("forearm.L", (0, 0, -1), (30, 0, 0)),  # the forearm comes forward
        ("forearm.R", (0, 0, 1), (30, 0, 0)),
        ("shin.L", (1, 0, 0), (30, 0, 0)),  # the shin goes backward
        ("shin.R", (1, 0, 0), (30, 0, 0)),
        ("foot.L", (-1, 0, 0), (30, 0, 0)),  # the toes are lifted
        ("chest", (1, 0, 0), (30, 0, 0)),  # the trunk leans forward
        ("chest", (0, 0, 1), (0, 30, 0)),  # and turns to the left
        ("hand.L", (0, 1, 0), (30, 0, 0)),  # the palm goes down
        ("hand.R", (0, -1, 0), (30, 0, 0)),
    ],
)
def test_bending_is_positive_the_way_people_bend(
    role: str, axis: tuple[float, float, float], wanted: tuple[float, float, float]
) -> None:
    assert np.abs(angles_when(skeleton(), {role: about(axis, 30.0)})[role] - wanted).max() < 1e-6


def test_a_mirrored_pose_has_mirrored_angles() -> None:
    bones, turn = skeleton(20.0, 53.0), about((0.3, 0.5, -0.2), 40.0)
    flip = np.diag([-1.0, 1.0, 1.0])
    left = angles_when(bones, {"upper_arm.L": turn})["upper_arm.L"]
    right = angles_when(bones, {"upper_arm.R": flip @ turn @ flip})["upper_arm.R"]
    assert np.abs(right - left * anatomy.MIRROR).max() < 1e-6


def test_an_elbow_that_is_bent_at_rest_shows_its_axis_and_its_bend() -> None:
    found = angles_when(skeleton(30.0, 11.0, elbow=25.0), {})
    assert np.abs(found["forearm.L"] - [25.0, 0.0, 0.0]).max() < 1e-6
    assert np.abs(found["forearm.R"] - [25.0, 0.0, 0.0]).max() < 1e-6


@pytest.mark.parametrize("role", ["index.L", "hand", "spine", "thumb.x.R", "", "foot.1.L", "(axes)", "head.L"])
def test_roles_of_a_strangers_file_that_are_none_are_passed_over(role: str) -> None:
    bones = skeleton()
    odd = replace(bones, roles={**bones.roles, role: "hand.R"})
    assert {one.role for one in anatomy.measure(odd)} == set(bones.names) - {"pelvis"}


@settings(deadline=None, max_examples=60)
@given(st.sets(st.sampled_from(skeleton().names)))
def test_with_roles_missing_the_others_have_axes_or_it_says_why_not(left: set[str]) -> None:
    some = replace(skeleton(), roles={name: name for name in skeleton().names if name in left})
    try:
        found = anatomy.measure(some)
    except PosewrightError as error:
        assert "left" in str(error)  # noqa: PT017 - either is right
        return
    for one in found:
        for frame in (one.before, one.axes):
            assert np.abs(frame @ frame.T - np.eye(3)).max() < 1e-9
            assert np.linalg.det(frame) > 0.0
