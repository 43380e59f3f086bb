"""LM-PFD's system in the bodies' twists, which the O(N) step is compared with: it tends to the dense step."""

import itertools

import numpy as np
import pytest

from posewright import solvers as ik
from posewright.benchmarks import avd
from posewright.tests import naive

PENALTIES = (1e-4, 1e-5, 1e-6)


def tree_of(seed: int, count: int = 9) -> ik.Tree:
    """A random tree of hinges, slides, balls and bodies held fast: none with two variables that do the same."""
    rng = np.random.default_rng(seed)
    joints = []
    for index in range(count):
        motions = [ik.Hinge(rng.normal(size=3).tolist()), ik.Prismatic("x"), ik.Ball(), ik.Fixed(), ik.Free()]
        motion = motions[int(rng.choice(5, p=[0.4, 0.1, 0.3, 0.1, 0.1]))]
        parent = f"j{int(rng.integers(max(0, index - 3), index))}" if index else None
        rest = np.eye(4)
        rest[:3, :3], rest[:3, 3] = naive.turn(rng.normal(size=3)), rng.normal(scale=0.3, size=3)
        joints.append(ik.Joint(f"j{index}", parent, rest, motion))
    return ik.Tree(joints)


def problem_of(seed: int) -> tuple[ik.Problem, naive.Floats]:
    """Positions, a pose, wires taut and slack, a loop, posture, on a random tree; and a pose."""
    tree, rng = tree_of(seed), np.random.default_rng(seed)
    q = naive.random_pose(tree, seed)
    wire: list[tuple[str | None, naive.Floats]] = [
        (name, rng.normal(size=3)) for name in (None, "j2", "j5", str(tree.names[-1]))
    ]
    goals: list[ik.Goal] = [
        ik.Position("j4", rng.normal(size=3), point=rng.normal(size=3), axes=(1.0, 0.3, 2.0)),
        ik.Pose("j8", rng.normal(size=3), rng.normal(size=4), axes=(1.0, 1.0, 1.0, 0.2, 0.5, 1.0)),
        ik.Wire(wire, 0.1, weight=3.0),
        ik.Wire(wire[1:], 1e3),
        ik.Loop("j6", "j7", rotation=rng.normal(size=4), weight=2.0),
        ik.Displacement(weight=0.1),
    ]
    return ik.Problem(tree, goals), q


def off(seed: int, penalty: float) -> float:
    """How far the step is from the dense one, as part of that."""
    problem, q = problem_of(seed)
    damping = np.random.default_rng(seed).uniform(0.05, 0.2, len(q))
    dense = avd.dense_step(problem, q, damping)
    return float(np.linalg.norm(avd.avd_step(problem, q, damping, penalty) - dense) / np.linalg.norm(dense))


@pytest.mark.parametrize("seed", range(10))
def test_the_step_is_off_from_the_dense_one_in_proportion_to_the_penalty(seed: int) -> None:
    """Eq. 66, put right."""
    errors = [off(seed, penalty) for penalty in PENALTIES]
    assert errors[0] < 0.1
    for larger, smaller in itertools.pairwise(errors):
        assert larger / smaller == pytest.approx(10.0, rel=0.1)


def test_bodies_that_no_wire_joins_are_eliminated_without_filling_in() -> None:
    tree = tree_of(3)
    problem = ik.Problem(tree, [ik.Position(name, (1.0, 2.0, 3.0)) for name in tree.names])
    bodies = avd.bodies_of(problem, naive.random_pose(tree, 3))
    blocks = avd.matrix_of(bodies, np.ones(len(tree.variables)), 1e-6)
    right = avd.momentum_of(bodies, -bodies.gradient)
    assert avd.solve_blocks(blocks, avd.order_of(blocks), right)[1] == 0
    assert avd.solve_blocks(blocks, range(len(tree.names)), right)[1] > 0  # from the root on


def test_blocks_are_solved_as_the_whole_matrix_is() -> None:
    problem, q = problem_of(1)
    bodies = avd.bodies_of(problem, q)
    blocks = avd.matrix_of(bodies, np.ones(len(q)), 0.1)
    whole = np.zeros((6 * len(bodies.parent), 6 * len(bodies.parent)))
    for (first, second), block in blocks.items():
        whole[6 * first : 6 * first + 6, 6 * second : 6 * second + 6] = block
    right = avd.momentum_of(bodies, -bodies.gradient)
    for order in (avd.order_of(blocks), range(len(bodies.parent)), range(len(bodies.parent) - 1, -1, -1)):
        found = avd.solve_blocks(blocks, order, right)[0]
        np.testing.assert_allclose(found.ravel(), np.linalg.solve(whole, right.ravel()), rtol=1e-9, atol=1e-9)
