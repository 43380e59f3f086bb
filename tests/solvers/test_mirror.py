"""Mirror descent: the paper's equations with their misprints put right, and what ours does better."""

import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from posewright import solvers as ik
from posewright.solvers import mirror as md
from posewright.solvers.derivatives import curvature_of
from posewright.tests import naive

ends = st.tuples(st.floats(-100.0, 100.0), st.floats(1e-3, 100.0)).map(lambda at: (at[0], at[0] + at[1]))
parts = st.floats(1e-6, 1.0 - 1e-6)


def moved(y: float) -> naive.Floats:
    matrix = np.eye(4)
    matrix[1, 3] = y
    return matrix


def arm(links: int, limits: tuple[float, float], axes: str = "xyz") -> ik.Tree:
    """A chain of hinges, 0.3 m each, along y, and a tip."""
    joints = [ik.Joint("0", motion=ik.Hinge(axes[0], limits))]
    for i in range(1, links):
        joints.append(ik.Joint(str(i), str(i - 1), moved(0.3), ik.Hinge(axes[i % len(axes)], limits)))
    return ik.Tree([*joints, ik.Joint("tip", str(links - 1), moved(0.3), ik.Fixed())])


def kept(search: object, which: int) -> naive.Floats:
    """One of the vectors in a search's memory: 0 the scale, 1 the paper's iterate, 2 its z."""
    size = len(search.q)  # type: ignore[attr-defined]
    begin = md.NUMBERS + which * size
    vector: naive.Floats = search.memory[begin : begin + size]  # type: ignore[attr-defined]
    return vector


@given(limits=ends, part=parts)
def test_the_mirror_map_and_its_inverse_undo_each_other(limits: tuple[float, float], part: float) -> None:
    lower, upper = limits
    q = lower + part * (upper - lower)
    assert_allclose(md.unmirrored(md.mirrored(q, lower, upper), lower, upper), q, atol=1e-9 * (upper - lower))


def test_images_zero_and_one_are_a_percent_inside_the_limits() -> None:
    """Eq. 13."""
    assert md.unmirrored(0.0, -1.0, 3.0) == pytest.approx(-1.0 + 0.01 * 4.0)
    assert md.unmirrored(1.0, -1.0, 3.0) == pytest.approx(3.0 - 0.01 * 4.0)


@pytest.mark.parametrize("width", [0.03, 3.0])
def test_the_papers_step_grows_with_the_range(width: float) -> None:
    """Eq. 12 says α g; in the variable, that is α · range · 9.19 / 4 · g at the middle of the range."""
    slope = 1e-5
    step = md.paper_descended(1.0, md.STEP * slope, 1.0 - width / 2, 1.0 + width / 2) - 1.0
    assert step == pytest.approx(-width * 2.0 * math.log(99.0) / 4.0 * slope, rel=1e-6)


@pytest.mark.parametrize("width", [0.03, 3.0])
def test_our_step_does_not_grow_with_the_range(width: float) -> None:
    assert md.descended(1.0, 1e-5, 1.0 - width / 2, 1.0 + width / 2) - 1.0 == pytest.approx(-1e-5, rel=1e-6)


def test_the_box_less_its_margin_is_shrunk_at_both_ends_alike() -> None:
    """Below eq. 14, the upper end is printed as (1 - ε) upper - ε lower, here 2.96."""
    assert md.within_margin(9.0, 1.0, 3.0, 0.01) == pytest.approx(2.98)
    assert md.within_margin(-9.0, 1.0, 3.0, 0.01) == pytest.approx(1.02)
    assert md.within_margin(1.5, 1.0, 3.0, 0.01) == 1.5


def test_our_step_ends_on_a_limit_leaves_it_and_is_never_wider_than_its_own_length() -> None:
    assert md.descended(0.001, 0.002, 0.0, 1.0) == 0.0
    assert md.descended(0.999, -0.002, 0.0, 1.0) == 1.0
    assert md.descended(0.003, 0.002, 0.0, 1.0) > 0.0
    assert md.descended(0.0, -0.002, 0.0, 1.0) == pytest.approx(0.002, rel=0.01)
    assert md.descended(0.5, 1e9, 0.0, 1.0) == pytest.approx(0.0, abs=0.01)


def straight_knee() -> ik.Problem:
    """A leg that its goals would bend the wrong way: the hip comes to rest between them, the knee straight."""
    tree = arm(2, (0.0, 2.5), "x")
    foot = (0.0, 0.6 * math.cos(0.2), 0.6 * math.sin(0.2))
    return ik.Problem(tree, [ik.JointValue("0", 0.4), ik.Position("tip", foot)])


@pytest.mark.parametrize("start", [(0.3, 0.9), (1.0, 2.5), (0.1, 0.0), (0.0, 1e-9)])
def test_ours_ends_with_a_straight_knee_exactly_on_its_limit(start: tuple[float, float]) -> None:
    result = ik.solve(straight_knee(), start, "mirror")
    assert result.status == ik.Status.CONVERGED
    assert result.q[1] == 0.0
    assert 0.2 < result.q[0] < 0.4
    assert [hit.joint for hit in result.limits_hit] == ["1"]
    assert_array_equal(ik.solve(straight_knee(), result.q, "mirror").q, result.q)


def test_the_papers_margin_keeps_a_straight_knee_bent() -> None:
    """Eq. 14 with ε = 1 %, in limits 0.03 rad wide, in which the paper's α = 1 is stable."""
    problem = straight_knee()
    problem.evaluation = problem.evaluation._replace(lower=np.array([0.3, 0.0]), upper=np.array([0.5, 0.03]))
    state = ik.State(problem, [0.4, 0.02], "mirror_paper")
    ik.step(problem, state, ik.Budget(2000, levels=False))
    assert state.search.q[1] > 0.0
    assert kept(state.search, 1)[1] == pytest.approx(0.01 * 0.03, rel=0.02)


def test_a_goal_out_of_reach_stretches_the_leg() -> None:
    """There the gradient vanishes with the knee's angle, and nothing presses; the paper's margin leaves 0.025 rad."""
    tree = arm(2, (0.0, 2.5), "x")
    problem = ik.Problem(tree, [ik.Position("tip", (0.0, 0.7 * math.cos(0.4), 0.7 * math.sin(0.4)))])
    assert_allclose(ik.solve(problem, [0.3, 0.9], "mirror").q, [0.4, 0.0], atol=1e-5)


def papers_rules(
    problem: ik.Problem, q: naive.Floats, z: naive.Floats, counts: Iterable[float]
) -> tuple[naive.Floats, naive.Floats]:
    """Eqs 12 to 16 as the paper has them, with table 1's numbers, for these k: the next pose and z."""
    lower, upper = problem.evaluation.lower, problem.evaluation.upper
    width, a = upper - lower, 2.0 * math.log(99.0)
    for k in counts:
        g = problem.gradient(q)
        part = (q - lower) / width
        image = 0.5 + np.log(part / (1.0 - part)) / a - 1.0 * g
        part = np.clip(1.0 / (1.0 + np.exp(-a * (image - 0.5))), 0.01, 0.99)
        z = np.clip(z - k * 1.0 / (5.0 * 2.0) * g, lower, upper)
        beta = 1.0 / (1.0 + k / 5.0)
        q = beta * z + (1.0 - beta) * (lower + width * part)
    return q, z


def narrow(problem: ik.Problem, q: naive.Floats) -> None:
    """Limits 0.03 rad to each side, as velocity limits make them."""
    problem.evaluation = problem.evaluation._replace(lower=q - 0.03, upper=q + 0.03)


def tip_problem(links: int = 4, metres: float = 0.01) -> tuple[ik.Problem, naive.Floats]:
    """A goal for the tip of an arm so far away, and the start."""
    tree = arm(links, (-2.0, 2.0))
    start = naive.random_pose(tree, 1, 0.3)
    target = tree.pose(start).positions[-1] + np.array([metres, 0.0, 0.0])
    return ik.Problem(tree, [ik.Position("tip", target), ik.Displacement(reference=start, weight=1e-3)]), start


def test_the_papers_rules_are_those_of_the_paper() -> None:
    problem, start = tip_problem()
    narrow(problem, start)
    state = ik.State(problem, start, "mirror_paper")
    ik.step(problem, state, ik.Budget(7, levels=False))
    q, z = papers_rules(problem, start, start, range(1, 8))
    assert_allclose(kept(state.search, 1), q, atol=1e-12)
    assert_allclose(kept(state.search, 2), z, atol=1e-12)


def test_the_papers_step_is_stable_in_a_velocity_box_and_not_in_wide_limits() -> None:
    problem, start = tip_problem()
    begun = problem.cost(start)
    wide = ik.State(problem, start, "mirror_paper")
    ik.step(problem, wide, ik.Budget(100, levels=False))
    assert problem.cost(kept(wide.search, 1)) > 10.0 * begun
    assert wide.search.cost[0] <= begun
    narrow(problem, start)
    boxed = ik.State(problem, start, "mirror_paper")
    ik.step(problem, boxed, ik.Budget(100, levels=False))
    assert problem.cost(kept(boxed.search, 1)) < 0.1 * begun


def test_the_smooth_reset_is_equation_17() -> None:
    """The text to the paper's fig. 3 calls it eq. 16."""
    problem, start = tip_problem()
    narrow(problem, start)
    state = ik.State(problem, start, "mirror_paper")
    ik.step(problem, state, ik.Budget(9, levels=False))
    search = state.search
    z, k, q = kept(search, 2).copy(), search.memory[md.COUNT], search.q.copy()
    assert k == 10.0
    assert np.abs(z - q).max() > 1e-3
    lower, upper = q - 1e-3, q + 1e-3  # the next frame's limits, which z must be brought into
    problem.evaluation = problem.evaluation._replace(lower=lower, upper=upper)
    md.smooth_reset(problem.evaluation, search)
    halved = 0.5 * z + 0.5 * q
    assert (halved != np.clip(halved, lower, upper)).any()
    assert_array_equal(kept(search, 2), np.clip(halved, lower, upper))
    assert search.memory[md.COUNT] == 5.0
    ik.step(problem, state, ik.Budget(2, levels=False))
    pose, z = papers_rules(problem, q, np.clip(halved, lower, upper), (5.0, 6.0))
    assert_allclose(kept(search, 1), pose, atol=1e-12)
    assert_allclose(kept(search, 2), z, atol=1e-12)


def test_with_our_rules_a_reset_is_a_beginning_at_the_last_pose() -> None:
    problem, start = tip_problem()
    state = ik.State(problem, start, "mirror")
    ik.step(problem, state, ik.Budget(9, levels=False))
    problem.change(0, ik.Position("tip", (0.2, 0.9, 0.4)))
    fresh = ik.State(problem, state.search.q, "mirror")
    md.smooth_reset(problem.evaluation, state.search)
    for one in (state, fresh):
        ik.step(problem, one, ik.Budget(9, levels=False))
    assert_array_equal(state.search.q, fresh.search.q)


@pytest.mark.parametrize("solver", ["mirror", "mirror_paper"])
def test_after_a_reset_a_new_target_is_followed_from_the_last_pose(solver: str) -> None:
    problem, start = tip_problem()
    narrow(problem, start)
    state = ik.State(problem, start, solver)
    ik.step(problem, state, ik.Budget(50, levels=False))
    target = problem.tree.pose(state.search.q).positions[-1] + np.array([0.0, 0.0, 0.01])
    problem.change(0, ik.Position("tip", target))
    narrow(problem, state.search.q.copy())
    md.smooth_reset(problem.evaluation, state.search)
    before = problem.errors(state.search.q)[0].metres
    ik.step(problem, state, ik.Budget(50, levels=False))
    assert problem.errors(state.search.q)[0].metres < 0.5 * before


@pytest.mark.parametrize("solver", ["mirror", "mirror_paper"])
@pytest.mark.parametrize("slices", [(1,) * 30, (7, 23), (3, 0, 27)])
def test_slices_give_the_same_bits_also_where_the_papers_cost_rises(solver: str, slices: tuple[int, ...]) -> None:
    problem, start = tip_problem(metres=0.3)
    whole, sliced = ik.State(problem, start, solver), ik.State(problem, start, solver)
    ik.step(problem, whole, ik.Budget(30, levels=False))
    for iterations in slices:
        problem.cost(problem.tree.start())  # whatever is evaluated in between
        ik.step(problem, sliced, ik.Budget(iterations, levels=False))
    assert_array_equal(sliced.search.q, whole.search.q)
    assert_array_equal(sliced.search.memory, whole.search.memory)
    if solver == "mirror_paper":
        assert (kept(whole.search, 1) != whole.search.q).any()


@pytest.mark.parametrize("seed", range(8))
def test_ends_where_levenberg_ends_on_limits_and_off(seed: int) -> None:
    tree = ik.Tree(naive.random_joints(seed + 20, 12))
    body = len(tree.names) - 1
    target = tree.pose(naive.random_pose(tree, seed)).positions[body]
    # Posture as heavy as the goal: one minimum.
    problem = ik.Problem(tree, [ik.Position(tree.names[body], target), ik.Displacement(weight=1.0)])
    ours, theirs = (ik.solve(problem, solver=name) for name in ("mirror", "levenberg"))
    assert ours.status == theirs.status == ik.Status.CONVERGED
    assert_allclose(ours.q, theirs.q, atol=1e-5)
    assert {hit[:3] for hit in ours.limits_hit} == {hit[:3] for hit in theirs.limits_hit}


@pytest.mark.parametrize("limits", [(-math.inf, math.inf), (0.0, math.inf), (-math.inf, 0.5), (0.2, 0.2)])
def test_variables_without_two_limits_or_without_room_are_no_trouble(limits: tuple[float, float]) -> None:
    tree = ik.Tree([ik.Joint("a", motion=ik.Prismatic("x", limits)), ik.Joint("b", "a", motion=ik.Hinge("z", limits))])
    problem = ik.Problem(tree, [ik.JointValue("a", 0.7), ik.JointValue("b", -0.3)])
    result = ik.solve(problem, solver="mirror")
    assert result.status == ik.Status.CONVERGED
    assert_allclose(result.q, np.clip([0.7, -0.3], *limits), atol=1e-6)


def test_a_centimetre_takes_few_iterations() -> None:
    iterations = []
    for seed in range(20):
        tree = arm(9, (-2.0, 2.0))
        start = naive.random_pose(tree, seed, 0.5)
        rng = np.random.default_rng(seed)
        target = tree.pose(start).positions[-1] + 0.006 * rng.normal(size=3)
        problem = ik.Problem(tree, [ik.Position("tip", target, metres=1e-3), ik.Displacement(reference=start)])
        result = ik.solve(problem, start, "mirror", ik.Budget(until_reached=True))
        assert result.status == ik.Status.REACHED
        iterations.append(result.iterations)
    assert np.median(iterations) <= 8  # 7 as measured


def test_the_curvature_is_the_diagonal_of_the_normal_matrix() -> None:
    problem, start = tip_problem()
    jacobian = problem.jacobian(start)
    found = np.zeros(len(start))
    room = problem.evaluation
    curvature_of(room.tree, room.goals, room.pose, room.values, found)
    assert_allclose(found, np.diag(jacobian.T @ np.diag(problem.arrays.weight) @ jacobian), atol=1e-12)
