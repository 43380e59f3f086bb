"""Smoothing calms what shivers, and nothing else: limits hold, goals stay, and a calm clip stays as it is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright import solvers as ik
from posewright.motion import smoothing
from posewright.motion.smoothing import filtered, smooth
from posewright.solvers.clip import Clip, solve_many
from posewright.solvers.errors import PosewrightError
from posewright.solvers.rotation import Floats

SECONDS = 1.0 / 60.0
LIMITS = (-0.9, 1.2)


def a_tree() -> ik.Tree:
    """Six bones of 20 cm, one above the other."""
    rest = np.eye(4)
    joints, parent = [], None
    for number in range(6):
        ball = ik.Ball(swing_x=LIMITS, swing_z=LIMITS, twist=LIMITS, region="box")
        joints.append(ik.Joint(f"bone {number}", parent, rest, ball))
        parent, rest = f"bone {number}", np.eye(4)
        rest[1, 3] = 0.2
    return ik.Tree([*joints, ik.Joint("tip", parent, rest, ik.Fixed())])


TREE = a_tree()


def path(frames: int) -> Floats:
    """Where the tip is to be: well within reach."""
    at = np.arange(frames)[:, None] * SECONDS
    return np.asarray(np.array([0.3, 0.85, 0.1]) + 0.1 * np.sin(at * [2.0, 3.0, 1.3] + [0.0, 1.0, 2.0]))


def a_clip(frames: int, shiver: float, seed: int = 0) -> tuple[Clip, Floats]:
    """A clip whose posture shivers, and with it the solved poses."""
    random = np.random.default_rng(seed)
    references = np.clip(0.2 + shiver * random.normal(size=(frames, len(TREE.variables))), TREE.lower, TREE.upper)
    goals = [
        [ik.Position("tip", place), ik.Displacement(reference=tuple(reference.tolist()))]
        for place, reference in zip(path(frames), references, strict=True)
    ]
    clip = Clip(ik.Problem(TREE, goals[0]), goals)
    return clip, solve_many(clip, references, budget=ik.Budget(restarts=0)).q


def bending(q: Floats) -> float:
    return float(np.abs(np.diff(q, 2, axis=0)).mean())


def off(q: Floats) -> Floats:
    """How far the tip is from its path, in each frame."""
    places = np.array([TREE.pose(one).positions[-1] for one in q])
    return np.asarray(np.linalg.norm(places - path(len(q)), axis=1))


def test_what_shivers_becomes_calm_and_keeps_its_goals() -> None:
    clip, q = a_clip(90, shiver=0.05)
    calm = smooth(clip, q, SECONDS)
    assert bending(calm) < 0.2 * bending(q)
    assert off(calm).max() <= 0.0005
    assert np.abs(calm - q).max() < 0.3


def test_a_calm_clip_hardly_changes() -> None:
    clip, q = a_clip(90, shiver=0.0)
    assert np.abs(smooth(clip, q, SECONDS) - q).max() < 0.01
    assert np.ptp(q, axis=0).max() > 0.1  # it moves


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 40), st.integers(0, 1000), st.sampled_from([0.0, 0.1, 2.0]), st.sampled_from([0.0, 1e-5, 0.01]))
def test_limits_are_never_left_and_goals_never_lost(frames: int, seed: int, shiver: float, metres: float) -> None:
    clip, q = a_clip(frames, shiver, seed)
    calm = smooth(clip, q, SECONDS, metres=metres)
    assert (calm >= TREE.lower).all()
    assert (calm <= TREE.upper).all()
    assert (off(calm) <= np.maximum(off(q), metres) + 1e-9).all()


@pytest.mark.parametrize("frames", [1, 2])
def test_the_shortest_clips_have_nothing_to_calm(frames: int) -> None:
    clip, q = a_clip(frames, shiver=0.1)
    assert smooth(clip, q, SECONDS) == pytest.approx(q, abs=0.01)


def test_without_a_tolerance_goals_are_no_farther_off_than_before() -> None:
    clip, q = a_clip(60, shiver=0.1)
    assert (off(smooth(clip, q, SECONDS, metres=0.0)) <= off(q) + 1e-9).all()


def test_frames_that_go_back_take_their_neighbours_along_by_degrees(monkeypatch: pytest.MonkeyPatch) -> None:
    clip, q = a_clip(60, shiver=0.05)
    calm = smooth(clip, q, SECONDS, metres=1.0)
    really = smoothing._Twin.errors

    def at_one_frame(self: smoothing._Twin, poses: Floats) -> Floats:
        found = 0.0 * really(self, poses)
        found[30] = np.abs(poses[30] - q[30]).max()
        return found

    monkeypatch.setattr(smoothing._Twin, "errors", at_one_frame)
    mixed = smooth(clip, q, SECONDS, metres=0.001)
    share = ((mixed - q) * (calm - q)).sum(axis=1) / ((calm - q) ** 2).sum(axis=1)
    assert np.abs(mixed[30] - q[30]).max() <= 0.001 + 1e-9
    assert share[[0, 59]] == pytest.approx(1.0)
    assert 0.0 < share[33] < 0.5 < share[38] < 1.0


def test_the_clip_is_as_it_was_afterwards() -> None:
    clip, q = a_clip(20, shiver=0.1)
    smooth(clip, q, SECONDS)
    starts = np.tile(TREE.start(), (20, 1))
    again = solve_many(a_clip(20, shiver=0.1)[0], starts, budget=ik.Budget(restarts=0)).q
    assert (solve_many(clip, starts, budget=ik.Budget(restarts=0)).q == again).all()


def test_progress_is_told_to_the_end_and_cancelling_gives_the_clip_back() -> None:
    clip, q = a_clip(45, shiver=0.1)
    told = list[tuple[int, int]]()

    def go_on(done: int, count: int) -> bool:
        told.append((done, count))
        return True

    smooth(clip, q, SECONDS, progress=go_on)
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
    assert (smooth(clip, q, SECONDS, progress=lambda done, count: done < 0.3 * count) == q).all()


def test_a_line_stays_a_line() -> None:
    line = np.linspace(0.0, 3.0, 50)[:, None] * [1.0, -2.0]
    assert filtered(line, 100.0) == pytest.approx(line, abs=1e-9)


def test_a_movement_at_the_cutoff_is_halved_and_a_slow_one_stays() -> None:
    at = np.arange(600)[:, None] * SECONDS
    strength = (2.0 * math.sin(math.pi * 6.0 * SECONDS)) ** -4.0
    for hertz, left in ((6.0, 0.5), (1.0, 1.0), (20.0, 0.0)):
        wave = 0.3 * np.sin(2.0 * math.pi * hertz * at)
        middle = filtered(wave, strength)[200:400]
        assert float((middle * wave[200:400]).sum() / (wave[200:400] ** 2).sum()) == pytest.approx(left, abs=0.02)


def test_nothing_is_filtered_across_a_leap() -> None:
    turning = np.linspace(0.0, 8.0, 80)[:, None]
    leaping = (turning + math.pi) % (2.0 * math.pi) - math.pi
    assert filtered(leaping, 100.0) == pytest.approx(leaping, abs=1e-9)


def test_what_is_no_number_is_refused_by_frame_and_joint() -> None:
    clip, q = a_clip(5, shiver=0.0)
    q[3, 4] = math.nan
    with pytest.raises(PosewrightError, match=r"frame 3 .* bone 1\."):
        smooth(clip, q, SECONDS)


def test_a_wrong_call_is_refused() -> None:
    clip, q = a_clip(5, shiver=0.0)
    with pytest.raises(PosewrightError, match="shape"):
        smooth(clip, q[:4], SECONDS)
    with pytest.raises(PosewrightError, match="above zero"):
        smooth(clip, q, 0.0)
    with pytest.raises(PosewrightError, match="above zero"):
        smooth(clip, q, SECONDS, cutoff=math.nan)
    bare = [[ik.Position("tip", place)] for place in path(5)]
    with pytest.raises(PosewrightError, match="Displacement"):
        smooth(Clip(ik.Problem(TREE, bare[0]), bare), q, SECONDS)
