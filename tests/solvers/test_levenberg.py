"""The matrix that Levenberg-Marquardt solves with, against finite differences, and its step against the limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posewright import solvers as ik
from posewright.solvers.evaluation import cost_at
from posewright.solvers.levenberg import add_bending, new_normal_room, normal_matrix
from posewright.tests import naive


def hinges(seed: int, size: int) -> ik.Tree:
    """A random tree of joints whose axes follow one another: the second derivative of a point is then exact."""
    rng = np.random.default_rng(seed)
    joints = [ik.Joint("0", motion=ik.Hinge(rng.normal(size=3).tolist()))]
    for i in range(1, size):
        parent = str(int(rng.integers(max(0, i - 3), i)))
        axis = rng.normal(size=3).tolist()
        motion = ik.Hinge(axis) if rng.random() < 0.7 else ik.Prismatic(axis)
        joints.append(ik.Joint(str(i), parent, naive.random_rest(rng), motion))
    return ik.Tree(joints)


def matrix_of(problem: ik.Problem, q: naive.Floats, bending: bool) -> naive.Floats:
    room = new_normal_room(len(problem.arrays.weight), len(q))
    cost_at(problem.evaluation, q)
    normal_matrix(problem.evaluation, room)
    if bending:
        add_bending(problem.evaluation, room)
    lower: naive.Floats = np.tril(room.matrix)
    return lower + np.tril(lower, -1).T


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_normal_matrix_is_the_weighted_product_of_the_jacobian(seed: int, size: int) -> None:
    tree, rng = hinges(seed, size), np.random.default_rng(seed)
    goals = [ik.Position(str(size - 1), rng.normal(size=3), axes=rng.uniform(0, 2, 3)), ik.Displacement(weight=0.3)]
    problem, q = ik.Problem(tree, goals), rng.normal(size=size)
    jacobian = problem.jacobian(q)
    assert_allclose(matrix_of(problem, q, False), jacobian.T * problem.arrays.weight @ jacobian, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_with_what_points_bend_it_is_the_second_derivative_of_the_cost(seed: int, size: int) -> None:
    tree, rng = hinges(seed, size), np.random.default_rng(seed)
    goals = [ik.Position(str(int(rng.integers(size))), rng.normal(size=3), axes=rng.uniform(0, 2, 3)) for _ in range(2)]
    problem, q = ik.Problem(tree, goals), rng.normal(size=size)
    matrix, step = matrix_of(problem, q, True), 1e-5
    for variable in range(size):
        change = np.zeros(size)
        change[variable] = step
        difference = (problem.gradient(q + change) - problem.gradient(q - change)) / (2 * step)
        assert_allclose(matrix[variable], difference, atol=1e-7)


def two_arms(links: int) -> ik.Tree:
    """Two chains of hinges on one turning root, 0.25 m a link."""
    joints = [ik.Joint("root", motion=ik.Hinge("z", (-2.0, 2.0)))]
    for side in (1, -1):
        rest, parent = np.eye(4), "root"
        rest[0, 3] = 0.25 * side
        for i in range(links):
            joints.append(ik.Joint(f"{side}.{i}", parent, rest, ik.Hinge("xyz"[i % 3], (-2.0, 2.0))))
            parent = f"{side}.{i}"
        joints.append(ik.Joint(f"{side}.tip", parent, rest, ik.Fixed()))
    return ik.Tree(joints)


@pytest.mark.parametrize("weight", [1e-2, 1e-4, 1e-6])
def test_a_goal_out_of_reach_takes_few_iterations(weight: float) -> None:
    """10 to 15 here; Gauss-Newton alone, as in pseudo_dynamics, is not at the minimum after 500."""
    goals = [ik.Position("1.tip", (4.0, 1.5, 1.0)), ik.Position("-1.tip", (-0.5, 0.3, 0.4))]
    problem = ik.Problem(two_arms(8), [*goals, ik.Displacement(weight=weight)])
    result = ik.solve(problem, budget=ik.Budget(40))
    assert result.status == ik.Status.CONVERGED, result.gradient
