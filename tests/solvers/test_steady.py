"""Steady joints, which their parents carry and do not turn. Random trees everywhere else have them too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from posewright import solvers as ik
from posewright.solvers.derivatives import change_of, curvature_of
from posewright.solvers.evaluation import mark_unmet
from posewright.solvers.steady import carried_inertia, carried_sizes
from posewright.tests import naive
from posewright.tests.solvers.test_goals import MAKERS, random_tree

FIVE = ("levenberg", "pseudo_dynamics", "line_search", "mirror", "memetic")


def moved(x: float, y: float, z: float, turn: naive.Floats | None = None) -> naive.Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    if turn is not None:
        matrix[:3, :3] = turn
    return matrix


def arm() -> ik.Tree:
    """A shoulder, an elbow and a hand; the forearm and the hand do not turn with what carries them."""
    wide = (-2.5, 2.5)
    return ik.Tree(
        [
            ik.Joint("arm", motion=ik.Ball(wide, wide, wide)),
            ik.Joint("forearm", "arm", moved(0.3, 0, 0, naive.about(1, 0.7)), ik.Ball(wide, wide, wide), steady=True),
            ik.Joint("wrist", "forearm", moved(0.3, 0, 0), ik.Hinge("z", wide)),
            ik.Joint("hand", "wrist", moved(0.1, 0, 0.1, naive.about(0, 0.3)), ik.Ball(wide, wide, wide), steady=True),
            ik.Joint("tip", "hand", moved(0.1, 0, 0), ik.Fixed()),
        ]
    )


def test_a_steady_body_is_carried_and_turned_by_itself_alone() -> None:
    tree = arm()
    q = naive.random_pose(tree, 1)
    pose = tree.pose(q)
    turns = [naive.matrix_of(one) for one in pose.rotations]
    assert_allclose(pose.positions[1], turns[0] @ (0.3, 0, 0), atol=1e-15)
    above = np.arange(len(q)) < tree.variable("hand", "swing_x")
    other = tree.pose(np.where(above, naive.random_pose(tree, 2), q))
    assert_allclose(other.rotations[3:], pose.rotations[3:], atol=1e-15)
    assert np.abs(other.positions[3:] - pose.positions[3:]).max() > 0.1
    at_rest = naive.matrix_of(tree.pose(np.where(above, q, 0.0)).rotations[3])
    assert_allclose(at_rest, naive.about(0, 0.3), atol=1e-15)


def test_a_steady_root_is_a_root() -> None:
    trees = [ik.Tree([ik.Joint("a", None, moved(1, 2, 3, naive.about(0, 1.0)), steady=on)]) for on in (True, False)]
    for one, other in zip(trees[0].arrays, trees[1].arrays, strict=True):
        assert_array_equal(one, other)


def test_a_steady_link_without_variables_still_holds_what_is_below_it_level() -> None:
    level = naive.about(2, 0.4)
    joints = [
        ik.Joint("base", None, moved(0, 0, 1, naive.about(0, 0.5)), ik.Fixed()),
        ik.Joint("still", "base", moved(1, 0, 0, level), ik.Fixed(), steady=True),  # its parent never turns
        ik.Joint("mast", "still", moved(0, 0, 1), ik.Hinge("x")),
        ik.Joint("boom", "mast", moved(0, 1, 0, naive.about(1, 0.2)), ik.Fixed()),
        ik.Joint("deck", "boom", moved(0, 1, 0, level), ik.Fixed(), steady=True),
        ik.Joint("chair", "deck", moved(1, 0, 0, naive.about(0, 0.1)), ik.Fixed()),
    ]
    tree = ik.Tree(joints)
    assert tree.arrays.parent.tolist() == [-1, -1, -1, 2, 2, 4]
    assert tree.arrays.steady.tolist() == [0, 0, 0, 0, 1, 0]
    places = naive.forward(joints, np.array([0.8]))
    pose = tree.pose([0.8])
    assert_allclose(pose.positions, [one[:3, 3] for one in places], atol=1e-14)
    assert_allclose([naive.matrix_of(one) for one in pose.rotations], [one[:3, :3] for one in places], atol=1e-14)


def test_what_is_above_a_steady_body_cannot_turn_it() -> None:
    tree = arm()
    problem = ik.Problem(tree, [ik.Orientation("tip", (1, 0, 0, 0))])
    q = naive.random_pose(tree, 3)
    above = np.arange(len(q)) < tree.variable("hand", "swing_x")
    assert not problem.jacobian(q)[:, above].any()
    assert not problem.gradient(q)[above].any()
    mark = np.zeros(len(q))
    problem.cost(q)
    mark_unmet(problem.evaluation, mark)
    assert_array_equal(mark, np.where(above, 0.0, 2.0))


@pytest.mark.parametrize("seed", range(20))
def test_the_change_of_the_rows_is_the_jacobian_times_the_step(seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    problem = ik.Problem(tree, [maker(tree, rng) for maker in MAKERS.values()])
    q, step = naive.random_pose(tree, seed), rng.normal(size=len(tree.variables))
    jacobian, here = problem.jacobian(q), problem.evaluation
    change = np.zeros(len(here.values.residual))
    change_of(here.tree, here.pose, here.values, step, np.zeros((len(tree.names), 6)), change)
    assert_allclose(change, jacobian @ step, atol=1e-12)


def test_the_curvature_is_the_diagonal_of_the_normal_matrix() -> None:
    tree = arm()
    problem = ik.Problem(tree, [ik.Pose("tip", (0.1, 0.2, 0.3), (1, 0, 0, 0)), ik.Displacement(weight=0.1)])
    jacobian, found = problem.jacobian(naive.random_pose(tree, 4)), np.zeros(len(tree.variables))
    here = problem.evaluation
    curvature_of(here.tree, here.goals, here.pose, here.values, found)
    assert_allclose(found, np.diag(jacobian.T * problem.arrays.weight @ jacobian), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_what_a_steady_body_is_to_its_parent_is_a_point_with_a_force_on_it(seed: int) -> None:
    """And no larger than is said: by that, a pivot is told from rounding."""
    rng = np.random.default_rng(seed)
    rows, h, f = rng.normal(size=(4, 6)), rng.normal(size=3) * 10.0 ** rng.integers(-2, 2), rng.normal(size=3)
    inertia, below = rows.T @ rows, np.zeros((6, 6))
    below[3:] = np.hstack([-naive.cross_matrix(h), np.eye(3)])
    turned = np.zeros((6, 6))
    turned[:3] = np.hstack([np.outer(h, f) - f @ h * np.eye(3), -naive.cross_matrix(f)])
    expected = below.T @ inertia @ below + 0.5 * (turned + turned.T)
    place, force = (h[0], h[1], h[2]), (f[0], f[1], f[2])
    upper = np.triu_indices(6)
    found = carried_inertia.function(inertia[upper], place, force)
    assert_allclose(found, expected[upper], rtol=1e-12, atol=1e-12 * float(np.abs(expected).max()))
    sizes = carried_sizes.function(float(np.trace(inertia[3:, 3:])), place, force)
    assert sizes[0] >= np.trace(np.abs(expected[:3, :3]))
    assert sizes[1] >= np.trace(np.abs(expected[3:, 3:])) * (1.0 - 1e-12)


@pytest.mark.parametrize("solver", FIVE)
def test_every_solver_takes_a_hand_below_steady_joints_where_it_can_go(solver: str) -> None:
    tree = arm()
    for seed in range(5):
        there = tree.pose(naive.random_pose(tree, seed, spread=0.6))
        goals = [ik.Pose("tip", there.positions[-1], there.rotations[-1]), ik.Displacement(weight=1e-4)]
        found = ik.solve(ik.Problem(tree, goals), solver=solver, budget=ik.Budget(iterations=2000, seed=1))
        assert found.errors[0].metres < 1e-3, (seed, found.reason)  # line search is slow over the last of it
        assert found.errors[0].radians < 1e-2
        assert_allclose(tree.pose(found.q).positions[-1], there.positions[-1], atol=1e-3)
