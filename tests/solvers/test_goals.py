"""Every goal: its derivative against finite differences on random trees, its error in words that can be checked."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posewright.solvers import goals as g
from posewright.solvers.errors import PosewrightError
from posewright.solvers.problem import Problem
from posewright.solvers.tree import Tree
from posewright.tests import naive

Maker = Callable[[Tree, np.random.Generator], g.Goal]


def body(tree: Tree, rng: np.random.Generator) -> str:
    return str(rng.choice(tree.names))


def quaternion(rng: np.random.Generator) -> naive.Floats:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def joint_value(tree: Tree, rng: np.random.Generator) -> g.Goal:
    one = tree.variables[int(rng.integers(len(tree.variables)))]
    return g.JointValue(one.joint, float(rng.normal()), axis=one.axis, weight=float(rng.uniform(0, 2)))


MAKERS: dict[str, Maker] = {
    "position": lambda tree, rng: g.Position(
        body(tree, rng), rng.normal(size=3), point=rng.normal(size=3), axes=rng.uniform(0, 2, 3)
    ),
    "orientation": lambda tree, rng: g.Orientation(body(tree, rng), quaternion(rng), axes=rng.uniform(0, 2, 3)),
    "pose": lambda tree, rng: g.Pose(
        body(tree, rng), rng.normal(size=3), quaternion(rng), point=rng.normal(size=3), axes=rng.uniform(0, 2, 6)
    ),
    "look_at": lambda tree, rng: g.LookAt(
        body(tree, rng), rng.normal(size=3), point=rng.normal(size=3), direction=rng.normal(size=3)
    ),
    "displacement": lambda tree, rng: g.Displacement(reference=rng.normal(size=len(tree.variables)), weight=0.7),
    "joint_value": joint_value,
}

seeds = st.integers(0, 2**32 - 1)


def random_tree(seed: int) -> Tree:
    for attempt in range(100):
        tree = Tree(naive.random_joints(seed + attempt, 8))
        if tree.variables:
            return tree
    raise AssertionError("no tree with variables")


@pytest.mark.parametrize("name", MAKERS)
@given(seed=seeds)
def test_jacobian_and_gradient_agree_with_finite_differences(name: str, seed: int) -> None:
    tree = random_tree(seed)
    problem = Problem(tree, [MAKERS[name](tree, np.random.default_rng(seed))])
    q = naive.random_pose(tree, seed, spread=0.9)
    jacobian, gradient, step = problem.jacobian(q), problem.gradient(q), 1e-6
    assert_allclose(gradient, jacobian.T @ (problem.arrays.weight * problem.residual(q)), atol=1e-12, rtol=1e-12)
    if np.linalg.norm(problem.residual(q)[-3:]) > 3.0 and name in {"orientation", "pose"}:
        return  # at a half turn the rotation vector jumps: no difference is meaningful there
    for variable in range(len(q)):
        change = np.zeros(len(q))
        change[variable] = step
        difference = (problem.residual(q + change) - problem.residual(q - change)) / (2 * step)
        assert_allclose(jacobian[:, variable], difference, atol=1e-6, rtol=1e-5)
        slope = (problem.cost(q + change) - problem.cost(q - change)) / (2 * step)
        assert_allclose(gradient[variable], slope, atol=1e-6, rtol=1e-5)


def test_every_kind_of_goal_is_tested_and_has_its_own_number() -> None:
    kinds = {getattr(g, name).kind for name in g.__all__ if hasattr(getattr(g, name), "kind")}
    assert kinds == set(range(len(MAKERS)))


@given(seed=seeds)
def test_goals_add_up(seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    several = [maker(tree, rng) for maker in MAKERS.values()]
    q = naive.random_pose(tree, seed)
    alone = [Problem(tree, [goal]) for goal in several]
    together = Problem(tree, several)
    assert together.cost(q) == pytest.approx(sum(problem.cost(q) for problem in alone))
    assert_allclose(together.gradient(q), sum(problem.gradient(q) for problem in alone), atol=1e-12)


@pytest.mark.parametrize("name", MAKERS)
def test_a_goal_that_is_off_costs_nothing(name: str) -> None:
    tree = random_tree(5)
    goal = MAKERS[name](tree, np.random.default_rng(1))
    goal.on = False
    problem = Problem(tree, [goal])
    q = naive.random_pose(tree, 3)
    assert problem.cost(q) == 0.0
    assert not problem.gradient(q).any()


@pytest.mark.parametrize("name", MAKERS)
def test_a_goal_changed_in_place_is_a_goal_built_anew(name: str) -> None:
    tree = random_tree(7)
    old, new = (MAKERS[name](tree, np.random.default_rng(seed)) for seed in (1, 2))
    problem, q = Problem(tree, [old]), naive.random_pose(tree, 3)
    problem.change(0, new)
    assert problem.cost(q) == Problem(tree, [new]).cost(q)


def test_one_goal_does_not_take_the_place_of_another_kind() -> None:
    tree = random_tree(7)
    problem = Problem(tree, [g.Position(tree.names[0], (0, 0, 0))])
    with pytest.raises(PosewrightError, match="LookAt goal: cannot take the place of goal 0, a Position"):
        problem.change(0, g.LookAt(tree.names[0], (0, 0, 0)))


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (g.Position("nose", (0, 0, 0)), "unknown joint: 'nose'; the joints are j0"),
        (g.Position("j0", (0, 0, float("nan"))), "Position goal: target takes 3 finite numbers"),
        (g.Position("j0", (0, 0)), "Position goal: target takes 3 finite numbers"),
        (g.Position("j0", (0, 0, 0), weight=-1.0), "weights are finite and not negative"),
        (g.Position("j0", (0, 0, 0), axes=(1, -1, 1)), "weights are finite and not negative"),
        (g.Orientation("j0", (0, 0, 0, 0)), "length zero"),
        (g.LookAt("j0", (0, 0, 0), direction=(0, 0, 0)), "length zero"),
        (g.JointValue("j0", 1.0, axis="w"), "has no variable 'w'"),
    ],
)
def test_a_wrong_goal_is_named(goal: g.Goal, message: str) -> None:
    with pytest.raises(PosewrightError, match=message):
        Problem(random_tree(7), [goal])


def test_looking_at_the_eye_itself_is_no_error() -> None:
    tree = random_tree(7)
    q = naive.random_pose(tree, 3)
    problem = Problem(tree, [g.LookAt("j3", tree.pose(q).positions[3])])
    assert problem.cost(q) == 0.0
    assert not problem.gradient(q).any()
