"""Few keys instead of many: what plays stays within the bounds, on every frame, whatever the curves."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.motion import key_reduction
from posewright.motion.key_reduction import Goals, Group, reduce, reduce_all
from posewright.motion.keys import Keys, Kind, angle_between, apart, continuous, evaluate, handles
from posewright.solvers.errors import PosewrightError
from posewright.solvers.rotation import Floats

TOLERANCE = math.radians(0.5)


def turns(frames: int, seed: int = 0, noise: float = 0.0) -> Floats:
    """A bone that swings about: unit quaternions."""
    random = np.random.default_rng(seed)
    at = np.linspace(0.0, 6.0, frames)[:, None]
    vectors = (random.normal(size=3) + np.sin(at * random.uniform(0.5, 2.0, 3) + random.uniform(0.0, 6.0, 3))) * 0.6
    vectors = vectors + noise * random.normal(size=vectors.shape)
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), np.sin(angle / 2) * vectors / angle], axis=1)


def rotated(q: Floats, v: Floats) -> Floats:
    once = 2.0 * np.cross(q[:, 1:], v)
    return np.asarray(v + q[:, :1] * once + np.cross(q[:, 1:], once))


def multiplied(a: Floats, b: Floats) -> Floats:
    w = a[:, :1] * b[:, :1] - (a[:, 1:] * b[:, 1:]).sum(axis=1, keepdims=True)
    return np.concatenate([w, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])], axis=1)


def tip(played: Sequence[Floats], _frames: object = None) -> Floats:
    """Where two points of a chain of half-metre bones are: its middle and its end. The last group is its location."""
    at, turn, found = played[-1], np.tile([1.0, 0.0, 0.0, 0.0], (len(played[-1]), 1)), []
    for columns in played[:-1]:
        turn = multiplied(turn, columns / np.linalg.norm(columns, axis=1, keepdims=True))
        at = at + rotated(turn, np.array([0.0, 0.5, 0.0]))
        found.append(at)
    return np.stack([found[len(found) // 2], found[-1]], axis=1)


def chain(frames: int, noise: float = 0.0) -> list[Group]:
    bones = [Group(f"bone {n}", Kind.QUATERNION, turns(frames, n, noise), TOLERANCE) for n in range(5)]
    moved = np.stack([np.linspace(0.0, 2.0, frames), np.zeros(frames), 0.1 * np.sin(np.arange(frames) / 9)], axis=1)
    return [*bones, Group("root", Kind.LOCATION, moved, 0.01)]


def worst(kind: Kind, curves: Floats, keys: Keys, times: Floats) -> float:
    return float(apart(kind, evaluate(keys, times), curves).max())


@pytest.mark.parametrize("kind", list(Kind))
def test_every_frame_plays_within_the_tolerance(kind: Kind) -> None:
    times = np.arange(200.0) * 1.5 - 40.0
    q = turns(200)
    axes = q[:, 1:] / np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    curves = {
        Kind.QUATERNION: q,
        Kind.LOCATION: q[:, 1:],
        Kind.EULER: 2.0 * q[:, 1:],
        Kind.AXIS_ANGLE: np.concatenate([2 * np.arccos(q[:, :1]), axes], axis=1),
    }[kind]
    keys = reduce(curves, times, kind, TOLERANCE)
    assert worst(kind, curves, keys, times) <= TOLERANCE
    assert 2 < len(keys) < 40
    assert set(keys.times) <= set(times)


def test_a_constant_curve_has_one_key() -> None:
    assert len(reduce(np.tile([0.5, 0.5, 0.5, 0.5], (300, 1)), np.arange(300), Kind.QUATERNION, TOLERANCE)) == 1


def test_a_cubic_has_two_keys() -> None:
    at = np.linspace(-1.0, 1.0, 100)
    keys = reduce(np.stack([at**3 - at, at**2, at], axis=1), np.arange(100), Kind.LOCATION, 1e-4)
    assert len(keys) == 2


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_the_shortest_clips_are_keyed(frames: int) -> None:
    curves = np.arange(3.0 * frames).reshape(-1, 3)
    keys = reduce(curves, np.arange(frames), Kind.LOCATION, 1e-3)
    assert worst(Kind.LOCATION, curves, keys, np.arange(float(frames))) <= 1e-3
    assert len(keys) == min(frames, 2)


def test_a_jump_from_one_frame_to_the_next_stays_one() -> None:
    curves = np.where(np.arange(60)[:, None] < 30, 0.0, [1.0, 0.0, -2.0])
    keys = reduce(curves, np.arange(60), Kind.LOCATION, 1e-3)
    assert worst(Kind.LOCATION, curves, keys, np.arange(60.0)) <= 1e-3
    assert len(keys) < 20


def test_a_quaternion_that_changes_its_sign_is_the_same_rotation() -> None:
    q = turns(120)
    flipped = np.where(np.arange(120)[:, None] % 2, q, -q)
    assert len(reduce(flipped, np.arange(120), Kind.QUATERNION, TOLERANCE)) == len(
        reduce(-q, np.arange(120), Kind.QUATERNION, TOLERANCE)
    )


def test_angles_that_wrap_round_are_unwound() -> None:
    at = np.linspace(0.0, 12.0, 200)
    wrapped = np.stack([(at + np.pi) % (2 * np.pi) - np.pi, 0 * at, 0 * at], axis=1)
    assert len(reduce(wrapped, np.arange(200), Kind.EULER, TOLERANCE)) == 2


def test_an_axis_that_turns_over_is_the_same_rotation() -> None:
    angle = np.linspace(0.2, 1.0, 50)
    sign = np.where(np.arange(50) % 2, 1.0, -1.0)
    curves = np.stack([sign * angle, 0 * angle, sign, 0 * angle], axis=1)
    smooth = continuous(Kind.AXIS_ANGLE, curves)
    assert apart(Kind.AXIS_ANGLE, smooth, curves).max() < 1e-6
    assert len(reduce(curves, np.arange(50), Kind.AXIS_ANGLE, TOLERANCE)) == 2


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_is_refused_by_name_and_time(bad: float) -> None:
    curves = turns(10)
    curves[7, 2] = bad
    with pytest.raises(PosewrightError, match=r"upper_arm\.L .* time 107"):
        reduce_all([Group("upper_arm.L", Kind.QUATERNION, curves, 0.1)], np.arange(10) + 100)


@pytest.mark.parametrize(
    ("curves", "times", "tolerance", "told"),
    [
        (np.zeros((5, 4)), np.arange(5), 0.1, "all zeros"),
        (turns(5)[:, :3], np.arange(5), 0.1, "shape"),
        (turns(5), np.arange(4), 0.1, "shape"),
        (turns(5), [0, 1, 1, 2, 3], 0.1, "later than"),
        (turns(5), np.arange(5), 0.0, "above zero"),
    ],
)
def test_a_wrong_call_is_refused(curves: Floats, times: Floats, tolerance: float, told: str) -> None:
    with pytest.raises(PosewrightError, match=told):
        reduce(curves, times, Kind.QUATERNION, tolerance)


def bezier(keys: Keys, column: int, time: float) -> float:
    """What Blender plays: time and value are each a Bezier curve of a parameter, which time is solved for."""
    left, right = handles(keys)
    n = int(np.clip(np.searchsorted(keys.times, time, side="right") - 1, 0, len(keys) - 2))
    points = np.array(
        [
            [keys.times[n], keys.values[n, column]],
            right[n, column],
            left[n + 1, column],
            [keys.times[n + 1], keys.values[n + 1, column]],
        ]
    )
    low, high = 0.0, 1.0
    for _ in range(60):
        s = 0.5 * (low + high)
        at = points.T @ np.array([(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s * s * (1 - s), s**3])
        low, high = (s, high) if at[0] < time else (low, s)
    return float(at[1])


def test_what_is_evaluated_is_the_bezier_curve_of_the_handles() -> None:
    keys = reduce(turns(90), np.arange(90), Kind.QUATERNION, TOLERANCE)
    times = np.array([0.0, 0.3, 7.7, 41.0, 88.9])
    played = evaluate(keys, times)
    for row, time in zip(played, times, strict=True):
        assert [bezier(keys, column, time) for column in range(4)] == pytest.approx(row, abs=1e-9)


def test_outside_of_its_keys_a_curve_is_constant() -> None:
    keys = reduce(turns(50), np.arange(50), Kind.QUATERNION, TOLERANCE)
    assert evaluate(keys, np.array([-9.0, 99.0])) == pytest.approx(evaluate(keys, np.array([0.0, 49.0])))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 40),
    st.integers(0, 1000),
    st.sampled_from([1e-4, 1e-2, 0.3]),
    st.sampled_from([0.0, 0.02, 1.0]),
)
def test_any_curves_are_within_the_tolerance(frames: int, seed: int, tolerance: float, noise: float) -> None:
    q, times = turns(frames, seed, noise), np.cumsum(np.random.default_rng(seed).uniform(0.1, 3.0, frames))
    for kind, curves in ((Kind.QUATERNION, q), (Kind.LOCATION, 5.0 * q[:, 1:]), (Kind.EULER, q[:, 1:])):
        keys = reduce(curves, times, kind, tolerance)
        assert worst(kind, curves, keys, times) <= tolerance * (1.0 + 1e-9)
        assert len(keys) <= frames


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_joints_and_goals_are_within_their_bounds_on_every_frame(noise: float) -> None:
    groups, times = chain(240, noise), np.arange(1.0, 241.0)
    keys = reduce_all(groups, times, Goals(tip, 0.001))
    played = [evaluate(one, times) for one in keys]
    for group, columns in zip(groups, played, strict=True):
        assert apart(group.kind, columns, group.curves).max() <= group.tolerance
    off = np.linalg.norm(tip(played) - tip([group.curves for group in groups]), axis=2)
    assert off.max() <= 0.001


def test_bones_that_make_up_for_each_other_need_fewer_keys_than_a_tolerance_that_keeps_goals() -> None:
    groups, times = chain(240, 0.001), np.arange(240.0)
    wanted = tip([group.curves for group in groups])
    for tolerance in (0.002, 0.001, 0.0005, 0.00025):  # the same for all, tighter and tighter
        alone = reduce_all([Group(g.name, g.kind, g.curves, tolerance) for g in groups], times)
        off = np.linalg.norm(tip([evaluate(keys, times) for keys in alone]) - wanted, axis=2)
        if off.max() <= 0.001:
            break
    together = reduce_all(groups, times, Goals(tip, 0.001))
    assert sum(map(len, together)) < 0.7 * sum(map(len, alone))


def test_a_bone_that_keeps_still_is_not_moved_for_a_goal() -> None:
    groups = chain(120)
    groups[2] = Group("still", Kind.QUATERNION, np.tile([1.0, 0.0, 0.0, 0.0], (120, 1)), TOLERANCE)
    keys = reduce_all(groups, np.arange(120), Goals(tip, 0.001))[2]
    assert len(keys) == 1
    assert angle_between(keys.values[0], np.array([1.0, 0.0, 0.0, 0.0])) < 1e-6


def test_when_rounds_run_out_there_is_a_key_on_every_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_reduction, "ROUNDS", 1)
    groups, times = chain(60, noise=0.5), np.arange(60.0)
    keys = reduce_all(groups, times, Goals(tip, 1e-6))
    off = np.linalg.norm(tip([evaluate(one, times) for one in keys]) - tip([group.curves for group in groups]), axis=2)
    assert off.max() <= 1e-6
    assert len(keys[0]) == 60


def test_when_rounds_run_out_a_group_by_itself_has_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_reduction, "ROUNDS", 1)
    curves, times = turns(80, noise=0.5), np.arange(80.0)
    keys = reduce(curves, times, Kind.QUATERNION, 1e-5)
    assert worst(Kind.QUATERNION, curves, keys, times) <= 1e-5
    assert len(keys) > 70


def test_keys_that_nothing_needs_any_more_are_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    curves, times = turns(400, noise=0.01), np.arange(400.0)
    few = len(reduce(curves, times, Kind.QUATERNION, TOLERANCE))
    monkeypatch.setattr(key_reduction, "PASSES", 0)
    assert few < 0.9 * len(reduce(curves, times, Kind.QUATERNION, TOLERANCE))


def test_smooth_motion_keeps_its_goals_by_a_tighter_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    groups, times = chain(240), np.arange(240.0)
    few = sum(map(len, reduce_all(groups, times, Goals(tip, 0.001))))
    monkeypatch.setattr(key_reduction, "CROWDED", 0.0)  # the second try is given up at once
    assert few < 0.8 * sum(map(len, reduce_all(groups, times, Goals(tip, 0.001))))


def test_goals_that_only_bones_which_keep_still_move_are_kept() -> None:
    angle = np.where(np.arange(30) % 2, 0.001, -0.001)  # within the tolerance of a constant
    groups = [
        Group(
            "bone", Kind.QUATERNION, np.stack([np.cos(angle), 0 * angle, 0 * angle, np.sin(angle)], axis=1), TOLERANCE
        ),
        Group("root", Kind.LOCATION, np.zeros((30, 3)), 0.01),
    ]
    keys = reduce_all(groups, np.arange(30), Goals(tip, 0.0001))
    played, wanted = [evaluate(one, np.arange(30.0)) for one in keys], [group.curves for group in groups]
    assert np.linalg.norm(tip(played, np.arange(30)) - tip(wanted, np.arange(30)), axis=2).max() <= 0.0001
    assert len(keys[0]) > 1
    assert len(keys[1]) == 1
    assert len(reduce_all(groups, np.arange(30), Goals(tip, 0.01))[0]) == 1


def test_goals_without_a_place_are_refused() -> None:
    with pytest.raises(PosewrightError, match="no place"):
        reduce_all(chain(10), np.arange(10), Goals(lambda played, _: np.full((len(played[0]), 1, 3), np.nan), 0.001))


def test_nothing_to_key_is_no_keys() -> None:
    assert reduce_all([], np.arange(10)) == []


def test_a_bone_that_hardly_turns_but_carries_a_goal_far_away_gets_its_keys() -> None:
    times = np.arange(60.0)
    small = math.radians(0.45) * np.sin(0.3 * times)  # within its own tolerance: alone, one key would do
    shoulder = np.stack([np.cos(0.5 * small), np.zeros(60), np.zeros(60), np.sin(0.5 * small)], axis=1)
    large = 0.4 * np.sin(0.2 * times)
    elbow = np.stack([np.cos(0.5 * large), np.zeros(60), np.zeros(60), np.sin(0.5 * large)], axis=1)

    def places(columns: Sequence[Floats], _frames: Any) -> Floats:
        angles = [2.0 * np.arctan2(one[:, 3], one[:, 0]) for one in columns]
        first, both = angles[0], angles[0] + angles[1]
        x, y = np.cos(first) + 0.001 * np.cos(both), np.sin(first) + 0.001 * np.sin(both)
        return np.stack([x, y, np.zeros_like(x)], axis=-1)[:, None]

    groups = [Group(name, Kind.QUATERNION, one, math.radians(0.5)) for name, one in (("a", shoulder), ("b", elbow))]
    found = reduce_all(groups, times, Goals(places, 0.001))
    played = [evaluate(one, times) for one in found]
    there, wanted = places(played, times), places([shoulder, elbow], times)
    assert np.linalg.norm(there - wanted, axis=2).max() <= 0.001
    assert 1 < len(found[0]) < 40
    assert len(found[1]) < 40
