"""What an animator relies on, on a body of 70 variables: no drift, no flips, pins that hold, solvers that agree."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose

from posewright import solvers as ik
from posewright.benchmarks.posing import GOALS, body
from posewright.tests import naive

LIVE = ik.Budget(iterations=500, restarts=0)
FIVE = ("levenberg", "pseudo_dynamics", "line_search", "mirror", "memetic")


def goals_here(tree: ik.Tree, q: naive.Floats, pins: tuple[str, ...] = ()) -> list[ik.Goal]:
    """Position goals where the six bodies are, and posture towards `q`."""
    pose = tree.pose(q)
    goals: list[ik.Goal] = [
        ik.Position(name, pose.positions[tree.index(name)], level=ik.Level.PIN if name in pins else ik.Level.GOAL)
        for name in GOALS
    ]
    return [*goals, ik.Displacement(reference=q, weight=1e-2)]


def moved(goal: ik.Goal, by: naive.Floats) -> ik.Goal:
    assert isinstance(goal, ik.Position)
    return dataclasses.replace(goal, target=np.asarray(goal.target) + by)


@pytest.mark.parametrize("radius", [0.1, 0.5])
def test_a_goal_that_goes_around_and_back_leaves_every_variable_within_a_tenth_of_a_degree(radius: float) -> None:
    """200 steps on a circle, with 0.5 m far out of reach; each begins where the last one ended."""
    tree = body()
    start = tree.start()
    problem = ik.Problem(tree, goals_here(tree, start, ("foot.L", "foot.R")))
    hand, q, farthest = problem.goals[0], start, 0.0
    first = ik.solve(problem, start, budget=LIVE).q
    for turn in np.linspace(0.0, 2.0 * np.pi, 201):
        by = radius * np.array([1.0 - np.cos(turn), np.sin(turn), 0.5 * np.sin(2.0 * turn)])
        problem.change(0, moved(hand, by))
        result = ik.solve(problem, q, budget=LIVE)
        kept = "an earlier pose was kept" in result.reason
        assert result.status == (ik.Status.STALLED if kept else ik.Status.CONVERGED)
        assert all(error.metres < 1e-3 for error in result.errors[2:4])
        assert np.abs(result.q - q).max() < np.radians(25)  # no flips: a step moves the goal by 3 to 16 mm
        q, farthest = result.q, max(farthest, result.errors[0].metres)
    assert_allclose(q, first, atol=np.radians(0.1))
    assert (farthest > 0.2) == (radius == 0.5)


def test_feet_that_are_pinned_stay_within_a_millimetre_while_a_hand_is_dragged_a_metre_too_far() -> None:
    tree = body()
    problem = ik.Problem(tree, goals_here(tree, tree.start(), ("foot.L", "foot.R")))
    for index in (1, 4, 5):  # only the feet and the hand
        problem.change(index, dataclasses.replace(problem.goals[index], on=False))
    hand, q = problem.goals[0], tree.start()
    for away in np.linspace(0.0, 2.0, 21):
        problem.change(0, moved(hand, np.array([away, 0.0, 0.3 * away])))
        result = ik.solve(problem, q, budget=LIVE)
        assert max(error.metres for error in result.errors[2:4]) < 1e-3, away
        q = result.q
    assert result.errors[0].metres > 1.0


@pytest.mark.parametrize("on_a_limit", [False, True])
def test_the_five_solvers_agree_where_the_answer_is_unique(on_a_limit: bool) -> None:
    tree = body()
    start = tree.start()
    problem = ik.Problem(tree, [*goals_here(tree, start)[:-1], ik.Displacement(reference=start, weight=0.02)])
    by = np.array([2.0, 0.0, 0.0]) if on_a_limit else np.array([0.05, 0.03, 0.02])
    problem.change(0, moved(problem.goals[0], by))
    answers = {}
    for solver in FIVE:
        budget = ik.Budget(iterations=100 if solver == "memetic" else 100_000, levels=False)
        answers[solver] = ik.solve(problem, start, solver, budget)
        assert answers[solver].status == ik.Status.CONVERGED, (solver, answers[solver].gradient)
    assert bool(answers["levenberg"].limits_hit) == on_a_limit
    for result in answers.values():
        assert_allclose(result.q, answers["levenberg"].q, atol=1e-4)
