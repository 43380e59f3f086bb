"""Clips: each frame is what `solve` finds, in whatever slices; progress, cancelling, velocity limits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from posewright import solvers as ik
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
