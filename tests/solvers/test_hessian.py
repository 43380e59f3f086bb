"""The cost's second derivative against finite differences of its gradient, with every kind of joint and goal."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posewright import solvers as ik
from posewright.solvers.evaluation import cost_at
from posewright.solvers.hessian import hessian_here
from posewright.solvers.hessian_room import new_hessian_room
from posewright.solvers.hessian_rows import join
from posewright.tests import naive
from posewright.tests.solvers.test_goals import MAKERS, random_tree

seeds = st.integers(0, 2**32 - 1)

# Goals that know how their pull changes as bodies move.
BENDING = [
    "position",
    "orientation",
    "pose",
    "look_at",
    "displacement",
    "joint_value",
    "centre_of_mass",
    "balance",
    "wire",
    "distance",
]


def matrix_of(problem: ik.Problem, q: naive.Floats, bending: bool) -> naive.Floats:
    room = new_hessian_room(len(problem.tree.names), len(q))
    cost_at(problem.evaluation, q)
    pull = problem.arrays.weight * problem.evaluation.values.pull
    hessian_here(problem.evaluation, q, pull, bending, room)
    lower: naive.Floats = np.tril(room.matrix)
    for variable in range(len(q)):
        known = {variable}
        while (above := int(room.above[min(known)])) >= 0:
            known.add(above)
        assert not lower[variable, [other for other in range(variable) if other not in known]].any()
    return lower + np.tril(lower, -1).T


def differences(problem: ik.Problem, q: naive.Floats, step: float = 1e-5) -> naive.Floats:
    changes = step * np.eye(len(q))
    return np.array([(problem.gradient(q + one) - problem.gradient(q - one)) / (2 * step) for one in changes])


def goal_of(kind: str, tree: ik.Tree, rng: np.random.Generator, shift: bool = True) -> ik.Problem:
    """A goal far from being met; what a multiplier has gathered pulls too."""
    problem = ik.Problem(tree, [MAKERS[kind](tree, rng)])
    problem.arrays.shift[:] = rng.normal(size=len(problem.arrays.shift)) * shift
    return problem


@pytest.mark.parametrize("kind", MAKERS)
@given(seed=seeds)
def test_without_bending_it_is_the_weighted_product_of_the_jacobian(kind: str, seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    problem, q = goal_of(kind, tree, rng), naive.random_pose(tree, seed, spread=0.9)
    jacobian = problem.jacobian(q)
    assert_allclose(matrix_of(problem, q, False), jacobian.T * problem.arrays.weight @ jacobian, atol=1e-11)


@pytest.mark.parametrize("kind", BENDING)
@given(seed=seeds)
def test_it_is_the_second_derivative_of_the_cost(kind: str, seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    problem, q = goal_of(kind, tree, rng), naive.random_pose(tree, seed, spread=0.9)
    matrix = matrix_of(problem, q, True)
    assert_allclose(matrix, differences(problem, q), atol=1e-6 * max(1.0, float(np.abs(matrix).max())))


@pytest.mark.parametrize("angle", [0.0, 1e-5, 1e-3, 0.0299, 0.0301, 1.0, 3.1, 4.0])
def test_rotation_vectors_of_any_length(angle: float) -> None:
    tree = ik.Tree([ik.Joint("a", motion=ik.Free()), ik.Joint("b", "a", naive.random_rest(np.random.default_rng(3)))])
    rng = np.random.default_rng(int(1e5 * angle))
    axis = rng.normal(size=3)
    q = np.concatenate([rng.normal(size=3), angle * axis / np.linalg.norm(axis), rng.normal(size=3)])
    problem = ik.Problem(tree, [ik.Position("b", rng.normal(size=3), point=(0.3, 0.2, 0.1))])
    assert_allclose(matrix_of(problem, q, True), differences(problem, q), atol=1e-7)


@pytest.mark.parametrize("error", [0.0, 1e-5, 0.0299, 0.0301, 1.0, 3.0])
def test_orientations_however_far_off(error: float) -> None:
    tree = ik.Tree([ik.Joint("a", motion=ik.EulerBall())])
    target = (math.cos(0.5 * error), 0.6 * math.sin(0.5 * error), 0.0, 0.8 * math.sin(0.5 * error))
    problem = ik.Problem(tree, [ik.Orientation("a", target, axes=(1.0, 0.3, 2.0))])
    q = np.zeros(3)
    assert_allclose(matrix_of(problem, q, True), differences(problem, q), atol=1e-7)


@pytest.mark.parametrize("region", ["ellipse", "box"])
@pytest.mark.parametrize("end", [1e-6, 0.5, math.pi])
def test_it_is_finite_in_the_corners_of_the_limits_and_at_a_half_turn(region: str, end: float) -> None:
    tree = ik.Tree([ik.Joint("a", motion=ik.Ball((-end, end), (-end, end), (-end, end), region=region))])
    problem = ik.Problem(tree, [ik.Position("a", (3.0, 2.0, 1.0), point=(0.1, 0.2, 0.3))])
    for x in (-end, 0.0, end):
        for z in (-end, 0.0, end):
            assert np.isfinite(matrix_of(problem, np.array([x, 0.1, z]), True)).all()


@pytest.mark.parametrize("swing", ["x", "z"])
def test_a_box_is_smooth_up_to_a_half_turn(swing: str) -> None:
    """The gradient too: it was off by all of its size where the cosine of half the swing is zero."""
    wide, narrow = (-math.inf, math.inf), (-1.0, 1.0)
    motion = ik.Ball(narrow, wide, (-1.0, 1.0)) if swing == "z" else ik.Ball(wide, narrow, (-1.0, 1.0))
    tree = ik.Tree([ik.Joint("a", motion=motion)])
    problem = ik.Problem(tree, [ik.Position("a", (3.0, 2.0, 1.0), point=(0.1, 0.2, 0.3))])
    q = np.array([0.3, 0.1, math.pi] if swing == "z" else [math.pi, 0.1, 0.3])
    changes = 1e-6 * np.eye(3)
    slopes = [(problem.cost(q + one) - problem.cost(q - one)) / 2e-6 for one in changes]
    assert_allclose(problem.gradient(q), slopes, atol=1e-8)
    assert_allclose(matrix_of(problem, q, True), differences(problem, q), atol=1e-7)


def test_it_keeps_its_digits_far_from_the_origin() -> None:
    """10 km away: with twists about the origin, eight digits would go."""
    matrices = []
    for away in (0.0, 1e4):
        rest = np.eye(4)
        rest[:3, 3] = away, away, 0.0
        tree = ik.Tree(
            [ik.Joint("a", None, rest, ik.EulerBall()), ik.Joint("b", "a", naive.random_rest(np.random.default_rng(1)))]
        )
        goal = ik.Position("b", (away + 0.5, away + 0.7, 0.1), point=(0.1, 0.2, 0.3))
        matrices.append(matrix_of(ik.Problem(tree, [goal]), np.full(6, 0.3), True))
    assert_allclose(matrices[0], matrices[1], atol=1e-10)


@given(seed=seeds)
def test_joined_branches_hold_all_that_a_factor_fills(seed: int) -> None:
    """Eliminating from the last variable to the first fills nothing outside what is above each variable."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    above = np.array([int(rng.integers(-1, i)) for i in range(count)])
    full = np.eye(count, dtype=bool)
    for i in range(count):
        line = [i]
        while above[line[-1]] >= 0:
            line.append(int(above[line[-1]]))
        full[i, line] = True
    for _ in range(int(rng.integers(0, 5))):
        row = np.sort(rng.choice(count, min(count, 3), replace=False))[::-1]
        full[np.ix_(row, row)] = True
        for low, high in itertools.pairwise(row):
            join(above, low, high)
    for i in range(count - 1, -1, -1):
        before, up = np.flatnonzero(full[i, :i]), int(above[i])
        full[np.ix_(before, before)] = True
        while up >= 0:
            before, up = before[before != up], int(above[up])
        assert not before.size


def test_a_wire_between_fingers_says_nothing_about_the_spine() -> None:
    joints = [ik.Joint("a", motion=ik.Free()), ik.Joint("b", "a", naive.random_rest(np.random.default_rng(1)))]
    joints += [ik.Joint(name, "b", naive.random_rest(np.random.default_rng(2)), ik.Hinge()) for name in ("c", "d")]
    wire = ik.Wire([("c", (0.1, 0.2, 0.3)), ("b", (1.0, 0.0, 0.0)), ("d", (0.4, -0.2, 0.1))], 0.1)
    tree = ik.Tree(joints)
    matrix = matrix_of(ik.Problem(tree, [wire]), naive.random_pose(tree, 1), True)
    first = tree.variable("c")
    assert_allclose(matrix[:first], 0.0, atol=1e-15)
    assert matrix[first:, first:].all()
