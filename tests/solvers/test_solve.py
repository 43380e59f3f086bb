"""Every solver on every kind of problem: inside the limits, never worse than its start, and honest about the rest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from posewright import solvers as ik
from posewright.solvers.solve import SOLVERS
from posewright.tests import naive

seeds = st.integers(0, 2**32 - 1)


def arm(links: int = 6, limits: tuple[float, float] = (-2.0, 2.0)) -> ik.Tree:
    """A chain of hinges about alternating axes, 0.3 m each, and a tip."""
    joints = [ik.Joint("0", motion=ik.Hinge("z", limits))]
    for i in range(1, links):
        joints.append(ik.Joint(str(i), str(i - 1), moved(0.3), ik.Hinge("xyz"[i % 3], limits)))
    return ik.Tree([*joints, ik.Joint("tip", str(links - 1), moved(0.3), ik.Fixed())])


def moved(y: float) -> naive.Floats:
    matrix = np.eye(4)
    matrix[1, 3] = y
    return matrix


def random_problem(seed: int, size: int) -> tuple[ik.Problem, naive.Floats]:
    """Goals reachable and not, of unequal weights, on a random tree; and a start that may be outside the limits."""
    rng = np.random.default_rng(seed)
    tree = ik.Tree(naive.random_joints(seed, size))
    place = tree.pose(naive.random_pose(tree, seed + 1))
    goals: list[ik.Goal] = [ik.Displacement(weight=float(rng.choice([0.0, 1e-6, 1e-2])))]
    for _ in range(int(rng.integers(1, 5))):
        body = int(rng.integers(size))
        name, far = tree.names[body], float(rng.choice([0.0, 1.0, 1e6]))
        weight = float(rng.choice([0.0, 1e-3, 1.0, 100.0]))
        target = place.positions[body] + far * rng.normal(size=3)
        kind = int(rng.integers(3))
        if kind == 0:
            goals.append(ik.Position(name, target, weight=weight, point=rng.normal(size=3) * rng.choice([0.0, 0.2])))
        elif kind == 1:
            goals.append(ik.Pose(name, target, place.rotations[body], weight=weight))
        else:
            goals.append(ik.LookAt(name, target, weight=weight))
    return ik.Problem(tree, goals), naive.random_pose(tree, seed + 2, spread=float(rng.choice([1.0, 1.5])))


@pytest.mark.parametrize("solver", SOLVERS)
@given(seed=seeds, size=st.integers(1, 60))
def test_whatever_the_problem_the_answer_is_sound(solver: str, seed: int, size: int) -> None:
    problem, start = random_problem(seed, size)
    tree = problem.tree
    result = ik.solve(problem, start, solver, ik.Budget(iterations=30))
    assert np.isfinite(result.q).all()
    assert (result.q >= tree.lower).all()
    assert (result.q <= tree.upper).all()
    assert result.cost <= problem.cost(np.clip(start, tree.lower, tree.upper))
    assert result.cost == problem.cost(result.q)
    assert_array_equal(result.q, ik.solve(problem, start, solver, ik.Budget(iterations=30)).q)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_reachable_pose_is_reached(solver: str) -> None:
    tree = arm(9)
    for seed in range(5):
        goal = tree.pose(naive.random_pose(tree, seed, 0.5))
        problem = ik.Problem(tree, [ik.Position("tip", goal.positions[-1])])
        budget = ik.Budget(iterations=20_000, until_reached=True)
        result = ik.solve(problem, naive.random_pose(tree, seed + 100, 0.5), solver, budget)
        assert result.errors[0].reached, (seed, result.reason)


def test_solvers_agree_where_the_answer_is_unique_also_on_a_limit() -> None:
    tree = arm(4, (-0.5, 0.8))
    goals = [ik.Position("tip", (0.9, 0.4, 0.3)), ik.Displacement(weight=0.1)]
    answers = {name: ik.solve(ik.Problem(tree, goals), solver=name, budget=ik.Budget(100_000)) for name in SOLVERS}
    assert {result.status for result in answers.values()} == {ik.Status.CONVERGED}
    assert answers["levenberg"].limits_hit
    for result in answers.values():
        assert_allclose(result.q, answers["levenberg"].q, atol=1e-4)


def test_the_joint_that_stops_a_goal_is_named() -> None:
    tree = arm(1, (-0.5, 0.5))
    result = ik.solve(ik.Problem(tree, [ik.Position("tip", (-1.0, 0.0, 0.0))]))
    assert result.status == ik.Status.CONVERGED
    assert [(hit.joint, hit.axis, hit.upper) for hit in result.limits_hit] == [("0", "angle", True)]
    # The cost by the angle there: the tip 0.3 m out, the target 1 m to the side, at 0.5 rad: 0.3 · cos 0.5.
    assert result.limits_hit[0].multiplier == pytest.approx(0.3 * math.cos(0.5))
    assert "stopped by 0.angle" in result.reason


@pytest.mark.parametrize("distance", [0.1, 0.3, 0.4999, 0.5, 0.5001, 0.7, 1.0, 10.0, 1000.0])
def test_levenberg_ends_at_the_least_distance_for_reachable_and_unreachable_targets(distance: float) -> None:
    """Sugihara's sweep (his figs 3 to 6) in a plane: an arm that reaches 0.5 m."""
    joints = [ik.Joint("a", motion=ik.Hinge("z")), ik.Joint("b", "a", moved(0.25), ik.Hinge("z"))]
    tree = ik.Tree([*joints, ik.Joint("tip", "b", moved(0.25), ik.Fixed())])
    problem = ik.Problem(tree, [ik.Position("tip", (distance, 0.0, 0.0))])
    result = ik.solve(problem, [0.3, 0.4], "levenberg", ik.Budget(iterations=200, gradient=1e-10))
    assert result.errors[0].metres == pytest.approx(max(0.0, distance - 0.5), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_going_on_in_slices_is_the_same_as_going_in_one(solver: str) -> None:
    tree = arm()
    problem = ik.Problem(tree, [ik.Position("tip", (0.5, 0.7, 0.3)), ik.Displacement(weight=1e-3)])
    whole = ik.State(problem, tree.start(), solver)
    sliced = ik.State(problem, tree.start(), solver)
    ik.step(problem, whole, ik.Budget(12))
    for _ in range(4):
        ik.step(problem, sliced, ik.Budget(3))
    assert_array_equal(sliced.search.q, whole.search.q)
    assert sliced.iterations == whole.iterations


def test_out_of_iterations_and_out_of_time_are_told_apart() -> None:
    tree = arm()
    problem = ik.Problem(tree, [ik.Position("tip", (0.5, 0.7, 0.3))])
    assert ik.solve(problem, solver="line_search", budget=ik.Budget(2)).status == ik.Status.OUT_OF_ITERATIONS
    hurried = ik.solve(problem, solver="line_search", budget=ik.Budget(10_000, seconds=0.0))
    assert hurried.status == ik.Status.OUT_OF_TIME
    assert hurried.iterations <= 10


def test_a_tree_without_variables_and_a_problem_without_goals_are_no_trouble() -> None:
    fixed = ik.Tree([ik.Joint("a", motion=ik.Fixed())])
    assert ik.solve(ik.Problem(fixed, [ik.Position("a", (1, 0, 0))])).status == ik.Status.CONVERGED
    assert ik.solve(ik.Problem(arm(), [])).status == ik.Status.CONVERGED
    assert ik.solve(ik.Problem(ik.Tree([]), [])).status == ik.Status.CONVERGED


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: ik.solve(p, solver="magic"), "unknown solver 'magic'; the solvers are levenberg"),
        (lambda p: ik.solve(p, [0.0]), r"the start has shape \(1,\); this tree has 6 variables"),
        (lambda p: ik.solve(p, [math.nan] * 6), "the start is not finite at 0.angle"),
        (lambda p: ik.solve(p, budget=ik.Budget(-1)), "a budget is not negative"),
        (lambda p: p.change(0, ik.Position("tip", (math.inf, 0, 0))), "target takes 3 finite numbers"),
    ],
)
def test_a_wrong_call_raises_one_clear_error(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ik.PosewrightError, match=message):
        call(ik.Problem(arm(), [ik.Position("tip", (0, 0, 0))]))
