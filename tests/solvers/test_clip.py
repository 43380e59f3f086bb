"""Clips: each frame is what `solve` finds, in whatever slices; progress, cancelling, velocity limits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from posewright import solvers as ik
from posewright.benchmarks.frame_by_frame import frame_by_frame
from posewright.solvers import clip as module
from posewright.tests import naive
from posewright.tests.solvers.test_solve import arm


def clip_of(count: int = 30, tree: ik.Tree | None = None) -> tuple[ik.Problem, list[list[ik.Goal]]]:
    """A tip that goes once around a circle, partly out of reach."""
    posture = ik.Displacement(weight=1e-3)
    turns = np.linspace(0, 2 * np.pi, count)
    frames: list[list[ik.Goal]] = [
        [ik.Position("tip", (1.2 + 0.9 * np.cos(t), 0.8 * np.sin(t), 0.3)), posture] for t in turns
    ]
    return ik.Problem(tree or arm(), frames[0]), frames


@pytest.mark.parametrize("solver", ["auto", "levenberg", "line_search"])
def test_a_frame_is_what_solve_finds(solver: str) -> None:
    problem, frames = clip_of()
    budget = ik.Budget(iterations=300, restarts=5)
    found = ik.solve_many(ik.Clip(problem, frames), solver=solver, budget=budget)
    for frame in (0, 7, 15):
        alone = ik.solve(ik.Problem(problem.tree, frames[frame]), solver=solver, budget=budget)
        if solver != "auto":  # restarts draw from a sequence of their own in each frame
            assert_array_equal(found.q[frame], alone.q)
            assert (found.status[frame], found.iterations[frame]) == (alone.status, alone.iterations)
            assert found.cost[frame] == alone.cost
        assert found.errors[frame, 0, 0] == pytest.approx(alone.errors[0].metres, abs=2e-4)


@pytest.mark.parametrize("carry_on", [False, True])
def test_slices_do_not_show(carry_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, frames = clip_of()
    clip = ik.Clip(problem, frames)
    whole = ik.solve_many(clip, carry_on=carry_on)
    monkeypatch.setattr(module, "SLICE", 7)
    calls: list[tuple[int, int]] = []

    def progress(done: int, count: int) -> bool:
        calls.append((done, count))
        return True

    sliced = ik.solve_many(clip, carry_on=carry_on, progress=progress)
    assert_array_equal(sliced.q, whole.q)
    assert calls == [(7, 30), (14, 30), (21, 30), (28, 30), (30, 30)]


@pytest.mark.parametrize("carry_on", [False, True])
def test_timing_each_frame_does_not_show(carry_on: bool) -> None:
    problem, frames = clip_of()
    clip = ik.Clip(problem, frames)
    whole = ik.solve_many(clip, carry_on=carry_on)
    with frame_by_frame() as timed:
        found = ik.solve_many(clip, carry_on=carry_on, progress=timed)
    assert_array_equal(found.q, whole.q)
    assert len(timed.seconds()) == len(frames)


@pytest.mark.parametrize("solver", ["auto", "memetic", "mirror"])
@pytest.mark.parametrize("carry_on", [False, True])
def test_threads_do_not_show(solver: str, carry_on: bool) -> None:
    problem, frames = clip_of(9)
    clip, budget = ik.Clip(problem, frames), ik.Budget(iterations=40, restarts=3)
    alone = ik.solve_many(clip, solver=solver, budget=budget, carry_on=carry_on)
    for threads in (2, 4, 20):
        options = ik.MemeticOptions(threads=threads)
        found = ik.solve_many(clip, solver=solver, budget=budget, carry_on=carry_on, options=options)
        assert_array_equal(found.q, alone.q)
        assert_array_equal(found.errors, alone.errors)
        assert_array_equal(found.iterations, alone.iterations)


def test_frames_that_wait_for_each_other_are_solved_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, frames = clip_of(6)
    used: list[int] = []
    monkeypatch.setattr(module, "_run", lambda lanes, *_: used.append(len(lanes)))
    for waits in ({}, {"carry_on": True}, {"frame_seconds": 0.1}):
        ik.solve_many(ik.Clip(problem, frames), options=ik.MemeticOptions(threads=3), **waits)
    assert used == [3, 1, 1]


def test_references_of_all_frames_at_once_are_those_of_goals_one_by_one() -> None:
    problem, frames = clip_of(5)
    references = np.random.default_rng(1).uniform(-1.0, 1.0, (5, 6))
    for goals, reference in zip(frames, references, strict=True):
        goals[1] = ik.Displacement(reference=reference, weight=1e-3)
    usual, clip = ik.Clip(problem, frames), ik.Clip(problem, [problem.goals] * 5)
    clip.put(0, [goals[0] for goals in frames])
    clip.put_references(1, references)
    for name in ("on", "floats", "pool", "weight"):
        assert_array_equal(getattr(clip.frames, name), getattr(usual.frames, name))
    for wrong in (references[:4], references[:, :5], np.full((5, 6), np.nan)):
        with pytest.raises(ik.PosewrightError, match="finite references of 5 frames"):
            clip.put_references(1, wrong)
    with pytest.raises(ik.PosewrightError, match="Position goal: has no reference"):
        clip.put_references(0, references)


def test_a_pin_is_as_heavy_in_a_clip_as_alone() -> None:
    problem, frames = clip_of(3)
    for goals in frames:
        goals[0].level = ik.Level.PIN
    clip = ik.Clip(ik.Problem(problem.tree, frames[0]), frames)
    assert_array_equal(clip.frames.weight[2], ik.Problem(problem.tree, frames[2]).arrays.weight)


def test_cancelling_keeps_what_was_solved_and_leaves_the_problem_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, frames = clip_of()
    before = problem.cost(problem.tree.start())
    monkeypatch.setattr(module, "SLICE", 7)
    found = ik.solve_many(ik.Clip(problem, frames), progress=lambda done, _all: done < 14)
    assert found.q.shape == (14, 6)
    assert len(found.status) == len(found.errors) == len(found.cost) == 14
    assert problem.cost(problem.tree.start()) == before
    assert problem.goals[0] is frames[0][0]


def test_carrying_on_begins_where_the_last_frame_ended() -> None:
    problem, frames = clip_of()
    still = ik.Clip(problem, [frames[3]] * 3)
    start, plain = naive.random_pose(problem.tree, 5), ik.Budget(levels=False)
    found = ik.solve_many(still, start, "levenberg", plain, carry_on=True)
    assert found.iterations[0] > 0
    assert_array_equal(found.iterations[1:], 0)
    assert (ik.solve_many(still, start, "levenberg", plain).iterations > 0).all()


def test_no_joint_is_faster_than_its_velocity_limit() -> None:
    joints = [ik.Joint("0", motion=ik.Hinge("z", (-2, 2)), velocity=1.5)]
    joints.append(ik.Joint("tip", "0", np.eye(4), ik.Hinge("x", (-2, 2)), velocity=0.5))
    tree = ik.Tree(joints)
    rng = np.random.default_rng(2)
    frames = [[ik.JointValue("0", rng.uniform(-2, 2)), ik.JointValue("tip", rng.uniform(-2, 2))] for _ in range(40)]
    clip = ik.Clip(ik.Problem(tree, frames[0]), frames)
    limited = ik.solve_many(clip, frame_seconds=0.1).q
    assert np.abs(np.diff(limited, axis=0)).max(axis=0) == pytest.approx([0.15, 0.05], abs=1e-12)
    free = ik.solve_many(clip).q
    assert (np.abs(np.diff(free, axis=0)).max(axis=0) > 1.0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, f: ik.Clip(p, [*f, f[0][:1]]), "frame 30 has 1 goals; the problem has 2"),
        (lambda p, f: ik.Clip(p, [f[0], [f[0][1], f[0][0]]]), "frame 1: Displacement goal: cannot take the place"),
        (lambda p, f: ik.solve_many(ik.Clip(p, f), np.zeros((2, 6))), r"shape \(2, 6\), not \(30, 6\)"),
        (lambda p, f: ik.solve_many(ik.Clip(p, f), np.full(6, np.nan)), "the start of frame 0 is not finite"),
        (lambda p, f: ik.solve_many(ik.Clip(p, f), frame_seconds=0.0), "above zero"),
        (lambda p, f: ik.solve_many(ik.Clip(p, f), budget=ik.Budget(seconds=1.0)), "no budget of seconds"),
        (lambda p, f: ik.solve_many(ik.Clip(p, f), solver="magic"), "unknown solver 'magic'"),
    ],
)
def test_a_wrong_call_raises_one_clear_error(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ik.PosewrightError, match=message):
        call(*clip_of())


def test_a_clip_without_frames_is_no_trouble() -> None:
    problem, _ = clip_of()
    assert ik.solve_many(ik.Clip(problem, [])).q.shape == (0, 6)
