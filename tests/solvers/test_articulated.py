"""The O(N) step against the dense system it stands for, on random trees with every kind of joint."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posewright.compiled import Kernel, kernel
from posewright.solvers import goals as g
from posewright.solvers.articulated import factor_sweep, solve_sweeps
from posewright.solvers.coupling import Bools, most_coupled
from posewright.solvers.derivatives import gradient_of, jacobian_of
from posewright.solvers.evaluation import Evaluation
from posewright.solvers.hessian import hessian_here
from posewright.solvers.hessian_room import new_hessian_room
from posewright.solvers.inertia import (
    Articulated,
    gather_bent,
    gather_inertia,
    mean_diagonal,
    new_articulated,
    times_sweeps,
)
from posewright.solvers.joints import Ball, Hinge, Joint
from posewright.solvers.problem import Problem
from posewright.solvers.tree import Tree
from posewright.tests import naive
from posewright.tests.solvers.test_goals import MAKERS, random_tree, seeds

Floats = naive.Floats
dampings = st.sampled_from([1.0, 1e-3, 1e-6, 1e-9, 1e-12, 0.0])
PRECISE = 1e-12
WEAKEST = 1e-13  # damping, of the mean diagonal; the solvers have ten times as much at least


@kernel
def articulated_step(
    problem: Evaluation, gradient: Floats, damping: Floats, free: Bools, room: Articulated, step: Floats
) -> bool:
    """Solve (H + diag(damping)) step = -gradient over the free variables, at the pose last gathered.

    All but the problem and the room are [V]; damping is zero or more. A variable that is not `free` gets exactly zero,
    and so does one whose pivot is nothing but rounding. False if the matrix is not positive.

    `damping` is raised to at least 1e-13 of the mean diagonal of what is free of H: no more than rounding does to it.
    With none at all, 600 variables and nine rows gave steps of 1e7 to 1e11 rad, 1e-11 off; so they are as long as the
    shortest, 1e-15 off.
    """
    mean_diagonal(problem.tree, room)  # makes the columns
    total, count = 0.0, 0
    for i in range(step.shape[0]):
        if free[i]:
            total, count = total + room.size[i], count + 1
            for j in range(6):
                total += room.axis[i, j] * room.column[i, j]
    least = WEAKEST * total / max(count, 1)
    for i in range(step.shape[0]):
        damping[i], step[i] = max(damping[i], least), -gradient[i]
    positive = factor_sweep(problem, damping, free, room)
    solve_sweeps(problem, free, room, step, step)
    return positive


def evaluated(tree: Tree, seed: int) -> Evaluation:
    """A random mix of goals at a random pose."""
    rng = np.random.default_rng(seed)
    names = rng.choice(list(MAKERS), int(rng.integers(1, 8)))
    problem = Problem(tree, [MAKERS[name](tree, rng) for name in names])
    problem.cost(naive.random_pose(tree, seed))
    return problem.evaluation


def couple(problem: Evaluation, seed: int, share: float = 0.3) -> None:
    """Give taps to other rows, so that rows pull on several bodies and variables, as loops and wires do."""
    rng, values = np.random.default_rng(seed), problem.values
    used = (rng.random(len(values.tap_row)) < share) & (values.tap_row >= 0)
    values.tap_row[used] = rng.integers(0, len(values.residual), int(used.sum()))


def gradient(problem: Evaluation) -> Floats:
    result = np.zeros(len(problem.lower))
    values = problem.values
    gradient_of(problem.tree, problem.goals, problem.pose, values, values.residual, problem.force, result)
    return result


def dense(problem: Evaluation, damping: Floats) -> Floats:
    """The matrix that the step never builds."""
    jacobian = np.zeros((len(problem.values.residual), len(damping)))
    jacobian_of(problem.tree, problem.pose, problem.values, jacobian)
    matrix: Floats = jacobian.T @ (problem.goals.weight[:, None] * jacobian) + np.diag(damping)
    return matrix


def take_step(problem: Evaluation, damping: Floats, free: np.ndarray) -> Floats:
    room = new_articulated(problem, len(problem.values.residual))
    step = np.full(len(damping), np.nan)
    gather_inertia(problem, room)
    articulated_step(problem, gradient(problem), damping.copy(), free, room, step)
    return step


def backward_error(problem: Evaluation, damping: Floats, free: np.ndarray, step: Floats) -> float:
    assert np.isfinite(step).all()
    assert not step[~free].any()
    matrix, right, x = dense(problem, damping)[np.ix_(free, free)], -gradient(problem)[free], step[free]
    scale = np.linalg.norm(matrix) * np.linalg.norm(x) + np.linalg.norm(right)
    return float(np.linalg.norm(matrix @ x - right) / scale) if scale > 0.0 else 0.0


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("frozen", [0.0, 0.4])
@given(seed=seeds, most=dampings)
def test_step_solves_the_dense_system(coupled: bool, frozen: float, seed: int, most: float) -> None:
    problem, rng = evaluated(random_tree(seed), seed), np.random.default_rng(seed)
    if coupled:
        couple(problem, seed)
    damping = most * rng.uniform(0.0, 1.0, len(problem.lower))
    free = rng.random(len(damping)) >= frozen
    assert backward_error(problem, damping, free, take_step(problem, damping, free)) < PRECISE


@given(seed=seeds)
def test_with_damping_the_step_is_the_dense_one(seed: int) -> None:
    problem = evaluated(random_tree(seed), seed)
    couple(problem, seed)
    damping = np.full(len(problem.lower), 0.1)
    step = take_step(problem, damping, np.ones(len(damping), bool))
    expected = np.linalg.solve(dense(problem, damping), -gradient(problem))
    np.testing.assert_allclose(step, expected, atol=1e-10 * max(1.0, float(np.abs(expected).max())))


@given(seed=seeds, most=dampings)
def test_rows_that_are_all_coupled_need_no_damping(seed: int, most: float) -> None:
    problem = evaluated(random_tree(seed), seed)
    couple(problem, seed, share=1.0)
    problem.values.tap_row[: len(problem.values.tap_row) // 2 * 2] //= 2  # pairs
    damping = np.full(len(problem.lower), most)
    free = np.ones(len(damping), bool)
    assert backward_error(problem, damping, free, take_step(problem, damping, free)) < PRECISE


def about_the_middle(problem: Evaluation) -> Evaluation:
    """The same places, twists and taps about the middle of the bodies: 1 km off, the reference would be no better.

    A twist (ω, v) has the velocity v + ω × c there, a tap (m, f) the moment m - c × f.
    """
    centre, axis, tap = problem.pose.position.mean(axis=0), problem.pose.axis.copy(), problem.values.tap.copy()
    axis[:, 3:] += np.cross(axis[:, :3], centre)
    on_bodies = problem.values.tap_body >= 0
    tap[on_bodies, :3] -= np.cross(centre, tap[on_bodies, 3:])
    pose = problem.pose._replace(position=problem.pose.position - centre, axis=axis)
    return problem._replace(pose=pose, values=problem.values._replace(tap=tap))


@pytest.mark.parametrize("coupled", [False, True])
@given(seed=seeds, most=dampings)
def test_a_kilometre_away_the_step_is_as_precise(coupled: bool, seed: int, most: float) -> None:
    away = np.eye(4)
    away[:3, 3] = 600.0, -700.0, 400.0
    joints = naive.random_joints(seed, 8)
    tree = Tree([one if one.parent else replace(one, rest=away @ np.asarray(one.rest)) for one in joints])
    if not tree.variables:
        return
    problem, damping, free = evaluated(tree, seed), np.full(len(tree.variables), most), tree.lower < np.inf
    if coupled:
        couple(problem, seed)
    middle, room, step = about_the_middle(problem), new_articulated(problem, len(problem.values.residual)), 0 * damping
    gather_inertia(problem, room)
    articulated_step(problem, gradient(middle), damping.copy(), free, room, step)
    assert backward_error(middle, damping, free, step) < PRECISE


BENT = sorted(set(MAKERS) - {"distance", "distance to a grid", "wire"})  # whose directions turn: not known here


@pytest.mark.parametrize("frozen", [0.0, 0.4])
@given(seed=seeds)
def test_with_curvature_it_solves_newtons_system(frozen: float, seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    problem = Problem(tree, [MAKERS[name](tree, rng) for name in rng.choice(BENT, int(rng.integers(1, 8)))])
    q = naive.random_pose(tree, seed, spread=0.9)
    problem.cost(q)
    here, count = problem.evaluation, len(q)
    pull = problem.arrays.weight * here.values.pull
    matrix = new_hessian_room(len(tree.names), count)
    hessian_here(here, q, pull, True, matrix)
    whole = np.tril(matrix.matrix) + np.tril(matrix.matrix, -1).T
    room, free, x = new_articulated(here, len(pull)), rng.random(count) >= frozen, rng.normal(size=count)
    gather_bent(here, q, pull, room)
    product = np.zeros(count)
    times_sweeps(here, room, x, product)
    size = float(np.linalg.norm(whole)) or 1.0
    np.testing.assert_allclose(product, whole @ x, atol=1e-12 * size * float(np.linalg.norm(x)))
    curved = whole - dense(here, np.zeros(count))
    lowest, least = (np.linalg.eigvalsh(one[np.ix_(free, free)]).min(initial=0.0) for one in (whole, curved))
    damping = np.full(count, 0.01 * size - least)  # positive also without the coupled rows
    step, right = np.zeros(count), rng.normal(size=count)
    assert articulated_step(here, -right, damping.copy(), free, room, step)
    damped = (whole + np.diag(damping))[np.ix_(free, free)]
    np.testing.assert_allclose(damped @ step[free], right[free], atol=1e-11)
    assert not step[~free].any()
    if lowest < -1e-9 * size:  # short of what makes it positive
        assert not articulated_step(here, -right, np.full(count, -0.9 * lowest), free, room, step)


def test_a_long_chain_is_solved_as_precisely_as_a_short_one() -> None:
    rest = np.eye(4)
    rest[1, 3] = 0.1
    tree = Tree([Joint(f"j{i}", f"j{i - 1}" if i else None, rest, Ball()) for i in range(200)])
    problem = Problem(tree, [g.Position(f"j{i}", (0.1, 0.01 * i, 0.0)) for i in (50, 120, 199)])
    problem.cost(naive.random_pose(tree, 1, spread=0.3))
    free = np.ones(600, bool)
    for most in (1.0, 1e-3, 1e-6, 1e-9, 1e-12, 0.0):
        damping = np.full(600, most)
        step = take_step(problem.evaluation, damping, free)
        assert backward_error(problem.evaluation, damping, free, step) < PRECISE


def test_without_damping_what_nothing_pulls_on_stays_where_it_is() -> None:
    tree = Tree([Joint(f"j{i}", f"j{i - 1}" if i else None, motion=Hinge("x")) for i in range(6)])
    problem = Problem(tree, [g.JointValue("j2", 1.0), g.Position("j3", (0, 0, 0))])  # every joint is at the origin
    problem.cost(tree.start())
    step = take_step(problem.evaluation, np.zeros(6), np.ones(6, bool))
    np.testing.assert_allclose(step, [0, 0, 1, 0, 0, 0], rtol=1e-12, atol=0.0)


def test_without_damping_a_redundant_chain_takes_a_step_of_sane_size() -> None:
    rest = np.eye(4)
    rest[1, 3] = 0.1
    tree = Tree([Joint(f"j{i}", f"j{i - 1}" if i else None, rest, Ball()) for i in range(30)])
    problem = Problem(tree, [g.Position("j29", (0.1, 0.2, 0.3))])
    problem.cost(naive.random_pose(tree, 1, spread=0.3))
    free = np.ones(90, bool)
    step = take_step(problem.evaluation, np.zeros(90), free)
    assert backward_error(problem.evaluation, np.zeros(90), free, step) < PRECISE
    shortest = np.linalg.lstsq(
        problem.jacobian(naive.random_pose(tree, 1, spread=0.3)), -problem.evaluation.values.residual
    )
    assert np.linalg.norm(step) < 1.001 * np.linalg.norm(shortest[0])


def test_damping_and_freedom_change_without_gathering_again() -> None:
    problem = evaluated(random_tree(3), 3)
    couple(problem, 3)
    count, room = len(problem.lower), new_articulated(problem, len(problem.values.residual))
    gather_inertia(problem, room)
    again = np.zeros(count)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        damping, free = rng.uniform(0.0, 1.0, count), rng.random(count) < 0.7
        articulated_step(problem, gradient(problem), damping.copy(), free, room, again)
        np.testing.assert_array_equal(again, take_step(problem, damping, free))


def test_several_taps_on_one_body_are_no_coupling() -> None:
    tree = random_tree(3)
    whole = Problem(tree, [g.Pose(tree.names[-1], (1, 2, 3), (1, 0, 0, 0))])
    whole.cost(naive.random_pose(tree, 3))
    values = whole.evaluation.values
    values.tap_row[:] = [0, 0, 1, 2, 2, 2]
    room = new_articulated(whole.evaluation, coupled=2)
    gather_inertia(whole.evaluation, room)
    assert room.coupling.counts.tolist() == [2, 0, 5]
    damping, free = np.full(len(tree.variables), 1e-3), np.ones(len(tree.variables), bool)
    step = take_step(whole.evaluation, damping, free)
    assert backward_error(whole.evaluation, damping, free, step) < PRECISE


def test_goals_with_a_tap_a_row_need_no_room_for_coupling_and_are_held_to_it() -> None:
    tree, rng = random_tree(5), np.random.default_rng(5)
    simple = ("position", "orientation", "pose", "look_at", "displacement", "joint_value")
    problem = Problem(tree, [MAKERS[name](tree, rng) for name in simple])
    problem.cost(tree.start())
    assert most_coupled(problem.arrays) == 0
    room = new_articulated(problem.evaluation, coupled=1)
    problem.evaluation.values.tap_row[:4] = 0, 0, 1, 1
    problem.arrays.weight[:2] = 1.0
    with pytest.raises(IndexError, match="two taps in one row"):
        gather_inertia(problem.evaluation, room)


def test_room_is_for_every_row_that_may_have_two_taps() -> None:
    problem = Problem(random_tree(5), [g.Position("j0", (0, 0, 0)), g.Position("j1", (0, 0, 0))])
    assert most_coupled(problem.arrays._replace(tap=np.array([0, 3, 8]))) == 2
    assert most_coupled(problem.arrays._replace(tap=np.array([0, 30, 33]))) == 3


def test_interpreted_and_compiled_steps_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = evaluated(random_tree(3), 3)
    couple(problem, 3)
    damping, free = np.full(len(problem.lower), 1e-3), np.arange(len(problem.lower)) % 3 > 0
    compiled = take_step(problem, damping, free)
    monkeypatch.setattr(Kernel, "__call__", lambda self, *given: self.function(*given))
    np.testing.assert_allclose(take_step(problem, damping, free), compiled, rtol=1e-9, atol=1e-12)
