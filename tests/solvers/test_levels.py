"""Pins before goals, goals before posture; and what was held by multipliers leaves no trace in the problem."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from posewright import solvers as ik
from posewright.solvers.solve import SOLVERS
from posewright.tests import naive

LOCAL = [name for name in SOLVERS if not name.endswith(("_paper", "_sugihara"))]
MANY = ik.Budget(iterations=20_000, restarts=0)


def at(x: float, y: float, z: float) -> naive.Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def figure() -> ik.Tree:
    """A pelvis that moves freely, two legs, and an arm on a spine."""
    ball = ik.Ball((-1.5, 1.5), (-1.0, 1.0), (-1.0, 1.0))
    knee = ik.Hinge("x", (0, 2.5))
    joints = [ik.Joint("pelvis", rest=at(0, 0, 1), motion=ik.Free())]
    for side, x in (("L", 0.1), ("R", -0.1)):
        joints.append(ik.Joint(f"thigh.{side}", "pelvis", at(x, 0, 0), ball))
        joints.append(ik.Joint(f"shin.{side}", f"thigh.{side}", at(0, 0, -0.45), knee, rest_values=0.5))
        joints.append(ik.Joint(f"foot.{side}", f"shin.{side}", at(0, 0, -0.45), ball))
    joints.append(ik.Joint("spine", "pelvis", at(0, 0, 0.2), ball))
    joints.append(ik.Joint("arm", "spine", at(0.2, 0, 0.3), ball))
    joints.append(ik.Joint("forearm", "arm", at(0.3, 0, 0), ik.Hinge("z", (0, 2.5)), rest_values=0.7))
    return ik.Tree([*joints, ik.Joint("hand", "forearm", at(0.25, 0, 0), ik.Fixed())])


def feet(tree: ik.Tree, level: ik.Level) -> list[ik.Goal]:
    pose = tree.pose(tree.start())
    return [ik.Position(name, pose.positions[tree.index(name)], level=level) for name in ("foot.L", "foot.R")]


@pytest.mark.parametrize("away", [0.6, 1.0, 1000.0])
@pytest.mark.parametrize("solver", LOCAL)
def test_a_pin_holds_to_its_tolerance_while_a_goal_is_out_of_reach(solver: str, away: float) -> None:
    tree = figure()
    hand = tree.pose(tree.start()).positions[tree.index("hand")] + (away, 0.5 * away, 0.5)
    problem = ik.Problem(tree, [*feet(tree, ik.Level.PIN), ik.Position("hand", hand), ik.Displacement(weight=1e-2)])
    result = ik.solve(problem, solver=solver, budget=MANY)
    assert [error.reached for error in result.errors[:3]] == [True, True, False], result.reason
    loose = ik.Problem(tree, [*feet(tree, ik.Level.GOAL), ik.Position("hand", hand), ik.Displacement(weight=1e-2)])
    assert not ik.solve(loose, solver=solver, budget=MANY).errors[0].reached


@pytest.mark.parametrize("solver", LOCAL)
def test_posture_pulls_no_goal_in_reach_off(solver: str) -> None:
    tree = figure()
    hand = tree.pose(tree.start()).positions[tree.index("hand")] + (-0.1, 0.1, 0.2)
    goals = [*feet(tree, ik.Level.GOAL), ik.Position("hand", hand), ik.Displacement(weight=1e-2)]
    result = ik.solve(ik.Problem(tree, goals), solver=solver, budget=MANY)
    assert all(error.reached for error in result.errors[:3]), result.reason
    plain = ik.solve(ik.Problem(tree, goals), solver=solver, budget=ik.Budget(100_000, levels=False))
    assert not plain.errors[2].reached


@pytest.mark.parametrize("solver", ["auto", "levenberg", "pseudo_dynamics"])
def test_a_stiff_posture_that_holds_goals_off_by_centimetres_gives_way(solver: str) -> None:
    tree = figure()
    hand = tree.pose(tree.start()).positions[tree.index("hand")] + (0.2, 0.0, 0.0)
    goals = [*feet(tree, ik.Level.PIN), ik.Position("hand", hand), ik.Displacement(weight=0.1)]
    problem = ik.Problem(tree, goals)
    plain = ik.solve(problem, solver=solver, budget=ik.Budget(restarts=0, levels=False))
    assert plain.errors[2].metres > 0.03
    result = ik.solve(problem, solver=solver, budget=ik.Budget(restarts=0))
    assert all(error.reached for error in result.errors[:3]), result.reason


def test_two_goals_that_exclude_each_other_give_way_by_their_weights() -> None:
    tree = ik.Tree([ik.Joint("a", motion=ik.Prismatic("x", (-5, 5)))])
    problem = ik.Problem(tree, [ik.Position("a", (1, 0, 0), weight=3.0), ik.Position("a", (0, 0, 0), weight=1.0)])
    assert_allclose(ik.solve(problem).q, 0.75, atol=1e-6)


def excluded(apart: float, posture: float, gradient: float = 1e-7) -> ik.Result:
    """Pinned feet, a hand in reach, and two goals for the spine that are so many metres apart."""
    tree = figure()
    hand, spine = (tree.pose(tree.start()).positions[tree.index(name)] for name in ("hand", "spine"))
    both = [ik.Position("spine", spine), ik.Position("spine", spine + np.array((0, 0, apart)))]
    goals = [*feet(tree, ik.Level.PIN), ik.Position("hand", hand + np.array((-0.1, 0.1, 0.2))), *both]
    problem = ik.Problem(tree, [*goals, ik.Displacement(weight=posture)])
    return ik.solve(problem, solver="levenberg", budget=ik.Budget(500, gradient=gradient, restarts=0))


@pytest.mark.parametrize("apart", [0.0005, 0.001, 0.002, 0.003])
@pytest.mark.parametrize("posture", [1e-3, 1e-2, 0.1])
def test_goals_that_exclude_each_other_by_millimetres_share_the_error(posture: float, apart: float) -> None:
    """They get heavier near the end, as all that are off do, and must do so alike."""
    result = excluded(apart, posture)
    assert all(error.reached for error in result.errors[:3]), result.reason
    assert_allclose([error.metres for error in result.errors[3:5]], 0.5 * apart, atol=2e-5)


def test_goals_that_cannot_be_met_end_the_search_soon() -> None:
    """Neither heavier goals nor an eased posture bring two together that are 2 mm apart; trying took 14 iterations."""
    result = excluded(0.002, 1e-3)
    assert result.status == ik.Status.CONVERGED
    assert result.iterations <= 10


def test_a_search_that_has_eased_posture_in_vain_ends_as_the_one_before_it() -> None:
    """With no gradient small enough for a minimum, it said that it was at one."""
    assert excluded(0.01, 1e-3).status == ik.Status.CONVERGED
    assert excluded(0.01, 1e-3, gradient=0.0).status == ik.Status.STALLED


@pytest.mark.parametrize("posture", [1e-2, 0.1])
def test_a_goal_comes_into_reach_without_a_jump(posture: float) -> None:
    """The hand goes through the edge of its reach in steps of 2 mm; no joint moves by more than 3° at a step."""
    tree = figure()
    base, last = tree.pose(tree.start()).positions[tree.index("hand")], None
    for x in np.arange(0.0, 0.6, 0.002):
        hand = ik.Position("hand", base + np.array((x, 0, 0)))
        goals = [*feet(tree, ik.Level.PIN), hand, ik.Displacement(weight=posture)]
        q = ik.solve(ik.Problem(tree, goals), budget=MANY).q
        assert last is None or np.abs(q - last).max() < np.radians(3), x
        last = q


def test_solving_leaves_neither_shifts_nor_other_weights_behind() -> None:
    tree = figure()
    problem = ik.Problem(tree, [*feet(tree, ik.Level.PIN), ik.Position("hand", (1000, 0, 0)), ik.Displacement()])
    weight = problem.arrays.weight.copy()
    for budget in (MANY, ik.Budget(3)):
        ik.solve(problem, budget=budget)
        assert_array_equal(problem.arrays.weight, weight)
        assert_array_equal(problem.arrays.shift, 0.0)
