"""Habits: the angles are the solvers' own, chains share what they have, presets are read as numbers only."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright import solvers as ik
from posewright.motion import habits
from posewright.motion.anatomy import Axes
from posewright.motion.habits import Habit
from posewright.presets import human_limits
from posewright.solvers.errors import PosewrightError

HALF = (-math.pi, math.pi)
ROLES = ["spine.1", "chest", "neck.1", "head", "upper_arm.L", "forearm.L", "hand.L", "forearm.R", "hand.R", "thigh.R"]


def matrices(turned: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    w, x, y, z = turned.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def test_angles_are_the_variables_of_a_ball_with_its_swing_in_a_box() -> None:
    rng = np.random.default_rng(3)
    turned = rng.normal(size=(200, 4))
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    found = habits.angles(Axes("", "", np.eye(3), np.eye(3)), matrices(turned))
    tree = ik.Tree([ik.Joint("bone", motion=ik.Ball(HALF, HALF, HALF, region="box"))])
    for turn, angles in zip(turned, found, strict=True):
        assert np.abs(tree.values(np.zeros((1, 3)), turn[None]) - angles).max() < 1e-6


def table() -> dict[str, Habit]:
    rng = np.random.default_rng(5)
    return habits.table_of({role: rng.normal(size=(50, 3)) * 0.2 for role in ROLES})


@settings(deadline=None)
@given(st.integers(1, 7))
def test_however_many_bones_a_spine_has_its_mean_and_variance_are_the_same_in_all(count: int) -> None:
    known = table()
    roles = [f"spine.{number + 1}" for number in range(count - 1)] + ["chest"]
    found = habits.for_roles(known, roles)
    parts = [known[f"spine.{place}"] for place in (1, 2, 3)]
    assert np.abs(sum(found[role].mean for role in roles) - sum(one.mean for one in parts)).max() < 1e-12
    spread = sum(found[role].spread ** 2 for role in roles)
    assert np.abs(spread - sum(one.spread**2 for one in parts)).max() < 1e-12


def test_forearm_and_hand_share_the_twist_that_the_hand_alone_had() -> None:
    known = table()
    known["forearm"].spread[1] = known["forearm"].mean[1] = 0.0
    found = habits.for_roles(known, ROLES)
    assert found["forearm.L"].mean[1] == found["hand.L"].mean[1] == 0.5 * known["hand"].mean[1]
    assert found["forearm.L"].spread[1] ** 2 * 2 == pytest.approx(known["hand"].spread[1] ** 2)
    assert found["forearm.R"].mean[1] == -found["forearm.L"].mean[1]


def test_a_habit_on_the_right_is_one_on_the_left_in_the_mirror() -> None:
    known = habits.for_roles({"thigh": table()["thigh"]}, ["thigh.L", "thigh.R"])
    assert np.array_equal(known["thigh.R"].mean, known["thigh.L"].mean * [1, -1, -1])
    assert np.array_equal(known["thigh.R"].low[1:], -known["thigh.L"].high[1:])


def test_what_strays_much_is_willing_and_what_strays_little_is_stiff() -> None:
    stiffness = Habit(np.zeros(3), np.array([0.2, 0.0, 0.8]), np.zeros(3), np.zeros(3)).stiffness
    assert stiffness[2] < stiffness[0] < stiffness[1] == pytest.approx(100.0)
    assert stiffness[0] == pytest.approx(1.0, rel=0.02)


def test_a_table_that_is_written_and_read_is_the_same() -> None:
    found = habits.parsed(habits.written(table(), "a test"))
    for key, habit in table().items():
        assert np.abs(np.array(found[key]) - np.array(habit)).max() < 1e-4  # written to a hundredth of a degree


GOOD: dict[str, Any] = {"mean": [0, 0, 0], "spread": [1, 1, 1], "low": [0, 0, 0], "high": [1, 1, 1]}


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("[" * 100_000, "no table"),
        ("nonsense", "no table"),
        ("[]", "joints"),
        (json.dumps({"joints": {"hand": GOOD}}), "unit"),
        (json.dumps({"unit": "degrees", "joints": {"hand": {}}}), "'hand': 'mean'"),
        (json.dumps({"unit": "degrees", "joints": {"hand": GOOD | {"low": [0, 0]}}}), "'hand': 'low'"),
        (json.dumps({"unit": "degrees", "joints": {"hand": GOOD | {"mean": [0, True, 0]}}}), "'hand': 'mean'"),
        (json.dumps({"unit": "degrees", "joints": {"hand": GOOD | {"mean": [0, math.nan, 0]}}}), "'hand': 'mean'"),
        (json.dumps({"unit": "degrees", "joints": {"hand": GOOD | {"spread": [-1, 1, 1]}}}), "negative"),
        (json.dumps({"unit": "degrees", "joints": {"hand": GOOD | {"high": [-1, 1, 1]}}}), "upside down"),
        (" " * (1 << 21), "too long"),
    ],
)
def test_a_preset_that_makes_no_sense_is_refused_and_the_culprit_named(text: str, culprit: str) -> None:
    with pytest.raises(PosewrightError, match=culprit):
        habits.parsed(text)


def test_every_human_limit_has_a_source_for_both_its_ends() -> None:
    for role, joint in human_limits.JOINTS.items():
        named = dict(part.split(" ", 1) for part in joint.sources.split(", "))
        for axis, ends in zip(("bend", "twist", "side"), joint[:3], strict=True):
            assert (ends is not None) == (axis in named), role
            if ends is not None:
                assert ends[0] < ends[1]
                assert all(source in "ABKCR" for source in named[axis].split())
