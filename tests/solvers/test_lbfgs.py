"""The bounded L-BFGS: scipy's is its twin; inside the limits, downhill only, interruptible."""

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from posewright.solvers import goals as g
from posewright.solvers import lbfgs as lb
from posewright.solvers.evaluation import projected_gradient
from posewright.solvers.joints import Hinge, Joint
from posewright.solvers.problem import Problem
from posewright.solvers.tree import Tree
from posewright.tests import naive

seeds = st.integers(0, 2**32 - 1)


def random_problem(seed: int, joints: int = 8, posture: float = 1e-3) -> Problem:
    """A random tree with goals that some pose meets, give or take the posture."""
    tree = next(tree for at in range(100) if (tree := Tree(naive.random_joints(seed + at, joints))).variables)
    pose, last = tree.pose(naive.random_pose(tree, seed + 1)), len(tree.names) - 1
    return Problem(
        tree,
        [
            g.Pose(tree.names[last], pose.positions[last], pose.rotations[last]),
            g.Position(tree.names[last // 2], pose.positions[last // 2], weight=0.3),
            g.Displacement(weight=posture, on=posture > 0.0),
        ],
    )


def arm(count: int = 3, limits: tuple[float, float] = (-2.5, 2.5)) -> Tree:
    """A planar arm with links of 1 m along x; the last body is its tip."""
    rest = np.eye(4)
    rest[0, 3] = 1.0
    joints = [Joint("j0", motion=Hinge("z", limits))]
    joints += [Joint(f"j{i}", f"j{i - 1}", rest, Hinge("z", limits)) for i in range(1, count)]
    return Tree(joints)


@pytest.mark.parametrize("seed", range(12))
def test_ends_where_scipys_l_bfgs_b_ends(optimize: ModuleType, seed: int) -> None:
    problem = random_problem(seed, posture=0.05)  # strong enough for one minimum near the start
    tree = problem.tree
    start = naive.random_pose(tree, seed + 1, spread=0.8) * 0.9
    ours = lb.lbfgs(problem, start, 2000)
    theirs = optimize.minimize(
        problem.cost,
        np.clip(start, tree.lower, tree.upper),
        jac=problem.gradient,
        method="L-BFGS-B",
        bounds=list(zip(tree.lower, tree.upper, strict=True)),
        options={"maxiter": 5000, "maxfun": 10000, "ftol": 0.0, "gtol": 1e-11},
    )
    assert ours.cost[0] == pytest.approx(theirs.fun, rel=1e-7, abs=1e-12)
    assert_allclose(problem.residual(ours.q), problem.residual(theirs.x), atol=1e-4)


@given(seed=seeds, iterations=st.integers(0, 30), spread=st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=60)
def test_stays_inside_the_limits_and_never_ends_above_the_projected_start(
    seed: int, iterations: int, spread: float
) -> None:
    problem = random_problem(seed, joints=1 + seed % 12)
    start = naive.random_pose(problem.tree, seed + 2, spread)  # outside the limits, with a spread of 3
    room = lb.lbfgs(problem, start, iterations)
    assert np.isfinite(room.q).all()
    assert (room.q >= problem.tree.lower).all()
    assert (room.q <= problem.tree.upper).all()
    assert room.cost[0] <= problem.cost(np.clip(start, problem.tree.lower, problem.tree.upper))
    assert room.cost[0] == pytest.approx(problem.cost(room.q), rel=1e-12, abs=1e-300)


def test_rests_on_a_limit_that_bars_the_way() -> None:
    tree = arm(1, (-0.5, 0.5))
    room = lb.lbfgs(Problem(tree, [g.JointValue("j0", 2.0)]), [0.0])
    assert room.q[0] == 0.5
    assert room.state[lb.STATUS] == lb.CONVERGED


def test_ends_at_a_small_projected_gradient() -> None:
    problem = random_problem(3, posture=0.05)
    room = lb.lbfgs(problem, problem.tree.start(), 2000)
    assert projected_gradient(problem.evaluation, room.q, room.gradient) < 1e-7
    assert room.state[lb.STATUS] in {lb.CONVERGED, lb.STALLED}


@pytest.mark.parametrize("slices", [(1,) * 20, (7, 13), (20,)])
def test_a_descent_in_slices_is_the_same_descent_to_the_last_bit(slices: tuple[int, ...]) -> None:
    problem = random_problem(5)
    start = naive.random_pose(problem.tree, 4)
    whole = lb.lbfgs(problem, start, 20)
    room = lb.lbfgs(problem, start, 0)
    for iterations in slices:
        problem.cost(problem.tree.start())  # whatever is evaluated in between
        lb.descend(problem.evaluation, room, iterations, False)
    assert_array_equal(room.q, whole.q)


def test_stops_as_soon_as_every_goal_is_reached() -> None:
    tree = arm(3)
    problem = Problem(tree, [g.Position("j2", (1.0, 1.0, 0.0))])
    early, late = (lb.lbfgs(problem, [0.1, 0.2, 0.3], 500, stop_when_reached=stop) for stop in (True, False))
    assert early.state[lb.STATUS] == lb.REACHED
    assert problem.errors(early.q)[0].reached
    assert late.cost[0] < early.cost[0]


@pytest.mark.parametrize(
    ("tree", "goals"),
    [
        (arm(3, (0.3, 0.3)), [g.Position("j2", (1.0, 1.0, 0.0))]),
        (arm(3), [g.Position("j2", (1.0, 1.0, 0.0), weight=0.0)]),
        (arm(3), [g.Position("j2", (1.0, 1.0, 0.0), on=False)]),
        (arm(3), [g.Position("j0", (1.0, 1.0, 0.0))]),
        (arm(3), [g.Position("j2", (1e6, 0.0, 0.0))]),
        (arm(3), [g.Position("j2", (1e200, 0.0, 0.0))]),
        (arm(1), [g.Orientation("j0", (0.0, 0.0, 0.0, 1.0))]),
        (arm(2), []),
        (Tree([Joint("only", motion=Hinge("z"))]), [g.JointValue("only", 3.0)]),
    ],
)
def test_a_degenerate_problem_ends_in_finite_numbers(tree: Tree, goals: list[g.Goal]) -> None:
    problem = Problem(tree, goals)
    start = np.clip(np.full(len(tree.variables), 0.1), tree.lower, tree.upper)
    room = lb.lbfgs(problem, start, 50)
    assert np.isfinite(room.q).all()
    assert room.cost[0] <= problem.cost(start)
