"""A straight limb is no trap: where no gradient shows the way, the curvature does."""

import numpy as np
import pytest

from posewright import solvers as ik
from posewright.solvers.methods import new_room
from posewright.solvers.solve import SOLVERS
from posewright.tests import naive
from posewright.tests.solvers.test_levels import at

LOCAL = [name for name in SOLVERS if not name.endswith(("_paper", "_sugihara")) and name != "memetic"]
LIVE = ik.Budget(iterations=20_000, restarts=0)


def leg(limits: tuple[float, float]) -> ik.Tree:
    hip, knee = ik.Hinge("y", (-1.5, 1.5)), ik.Hinge("y", limits)
    joints = [ik.Joint("hip", motion=hip), ik.Joint("knee", "hip", at(0, 0, -0.5), knee)]
    return ik.Tree([*joints, ik.Joint("foot", "knee", at(0, 0, -0.5), ik.Fixed())])


@pytest.mark.parametrize("solver", LOCAL)
@pytest.mark.parametrize("limits", [(0.0, 2.5), (-2.5, 0.0), (-2.5, 2.5)])
def test_a_straight_knee_bends_when_the_foot_is_to_come_up(limits: tuple[float, float], solver: str) -> None:
    problem = ik.Problem(leg(limits), [ik.Position("foot", (0, 0, -0.9))])
    result = ik.solve(problem, [0, 0], solver, LIVE)
    assert result.errors[0].reached, result.reason
    assert abs(result.q[1]) == pytest.approx(2.0 * np.arccos(0.9), abs=1e-3)


@pytest.mark.parametrize("solver", LOCAL)
def test_both_knees_of_a_body_bend_when_its_hips_come_straight_down(solver: str) -> None:
    ball, knee = ik.Ball((-1.5, 1.5), (-1.0, 1.0), (-1.0, 1.0)), ik.Hinge("x", (0, 2.5))
    joints = [ik.Joint("hips", rest=at(0, 0, 1), motion=ik.Free())]
    for side, x in (("L", 0.1), ("R", -0.1)):
        joints.append(ik.Joint(f"thigh.{side}", "hips", at(x, 0, 0), ball))
        joints.append(ik.Joint(f"shin.{side}", f"thigh.{side}", at(0, 0, -0.5), knee))
        joints.append(ik.Joint(f"foot.{side}", f"shin.{side}", at(0, 0, -0.5), ball))
    tree = ik.Tree(joints)
    feet = [ik.Position(f"foot.{side}", (x, 0, 0)) for side, x in (("L", 0.1), ("R", -0.1))]
    problem = ik.Problem(tree, [*feet, ik.Position("hips", (0, 0, 0.9)), ik.Displacement()])
    result = ik.solve(problem, tree.start(), solver, LIVE)
    assert all(error.reached for error in result.errors[:3]), result.reason
    bent = [result.q[[one.joint for one in tree.variables].index(f"shin.{side}")] for side in "LR"]
    assert min(bent) > np.radians(40)


@pytest.mark.parametrize("solver", LOCAL)
def test_a_limb_stretched_towards_a_goal_out_of_reach_stays_straight(solver: str) -> None:
    tree = leg((0.0, 2.5))
    start: naive.Floats = np.zeros(2)
    result = ik.solve(ik.Problem(tree, [ik.Position("foot", (0, 0, -1.2))]), start, solver, LIVE)
    assert result.iterations == 0
    assert (result.q == start).all()


@pytest.mark.parametrize("solver", LOCAL)
def test_a_body_that_cannot_move_at_all_is_left_alone(solver: str) -> None:
    problem = ik.Problem(ik.Tree([ik.Joint("a", motion=ik.Fixed())]), [ik.Position("a", (1, 0, 0))])
    result = ik.solve(problem, [], solver, LIVE)
    assert result.iterations == 0
    assert result.errors[0].metres == 1.0


def size(room: object) -> int:
    """Bytes of all arrays in nested tuples."""
    return sum(map(size, room)) if isinstance(room, tuple) else np.asarray(room).nbytes


@pytest.mark.parametrize("solver", ["pseudo_dynamics", "line_search", "mirror"])
def test_looking_for_saddles_takes_no_matrix_where_the_method_has_none(solver: str) -> None:
    joints = [ik.Joint(str(i), str(i - 1) if i else None, at(0, 0, 0.001), ik.Hinge("x")) for i in range(1000)]
    problem = ik.Problem(ik.Tree(joints), [ik.Position("999", (0, 0, 3))])
    room = new_room(problem.evaluation, SOLVERS[solver].number)
    assert size(room) < 1000 * 1000 * 8
