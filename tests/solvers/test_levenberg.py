"""Levenberg-Marquardt where goals are out of reach."""

import numpy as np
import pytest

from posewright import solvers as ik


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


@pytest.mark.parametrize("solver", ["auto", "pseudo_dynamics"])
@pytest.mark.parametrize("weight", [1e-2, 1e-4, 1e-6])
def test_a_goal_out_of_reach_takes_few_iterations(solver: str, weight: float) -> None:
    """12 to 19 here; Gauss-Newton alone is not at the minimum after 500."""
    goals = [ik.Position("1.tip", (4.0, 1.5, 1.0)), ik.Position("-1.tip", (-0.5, 0.3, 0.4))]
    problem = ik.Problem(two_arms(8), [*goals, ik.Displacement(weight=weight)])
    result = ik.solve(problem, solver=solver, budget=ik.Budget(40))
    assert result.status == ik.Status.CONVERGED, result.gradient


@pytest.mark.parametrize("solver", ["levenberg", "pseudo_dynamics"])
def test_many_wires_that_are_too_short_take_few_iterations(solver: str) -> None:
    """21 here; with no curvature of the wires 200 were not enough."""
    tree, rng = two_arms(8), np.random.default_rng(1)
    wires = []
    for _ in range(80):
        first, second = rng.choice(len(tree.names), 2, replace=False)
        points = [(tree.names[i], rng.normal(scale=0.1, size=3)) for i in (first, second, first)]
        length = ik.Problem(tree, [ik.Wire(points, 0.0)]).residual(tree.start())[0]
        wires.append(ik.Wire(points, length * rng.uniform(0.9, 1.1), weight=0.1))
    problem = ik.Problem(tree, [ik.Position("1.tip", (1.5, 0.5, 0.4)), *wires, ik.Displacement(weight=1e-3)])
    result = ik.solve(problem, tree.start() + 0.1, solver, ik.Budget(40, levels=False))
    assert result.status == ik.Status.CONVERGED, result.gradient
