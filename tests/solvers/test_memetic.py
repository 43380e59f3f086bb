"""The memetic solver: repeatable, inside the limits, through to solutions that a local search misses."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from posewright.solvers import breeding, chance
from posewright.solvers import goals as g
from posewright.solvers.errors import PosewrightError
from posewright.solvers.joints import Fixed, Free, Hinge, Joint
from posewright.solvers.lbfgs import lbfgs
from posewright.solvers.memetic import MemeticOptions, begin, memetic, restart, result_of, step
from posewright.solvers.problem import Problem
from posewright.solvers.tree import Tree
from posewright.tests import naive

seeds = st.integers(0, 2**32 - 1)


def random_problem(seed: int, joints: int = 8) -> Problem:
    tree = next(tree for at in range(100) if (tree := Tree(naive.random_joints(seed + at, joints))).variables)
    rng, pose = np.random.default_rng(seed), tree.pose(naive.random_pose(tree, seed + 1))
    bodies = rng.integers(len(tree.names), size=3)
    return Problem(
        tree,
        [
            g.Pose(tree.names[bodies[0]], pose.positions[bodies[0]], pose.rotations[bodies[0]]),
            g.Position(tree.names[bodies[1]], pose.positions[bodies[1]] * rng.choice([1.0, 1e6])),
            g.LookAt(tree.names[bodies[2]], rng.normal(size=3), weight=float(rng.choice([0.0, 1.0]))),
            g.Displacement(),
        ],
    )


def arm(count: int = 3, limits: tuple[float, float] = (-2.5, 2.5)) -> Tree:
    """A planar arm with links of 1 m along x, and a tip."""
    rest = np.eye(4)
    rest[0, 3] = 1.0
    joints = [Joint("j0", motion=Hinge("z", limits))]
    joints += [Joint(f"j{i}", f"j{i - 1}", rest, Hinge("z", limits)) for i in range(1, count)]
    return Tree([*joints, Joint("tip", f"j{count - 1}", rest, Fixed())])


@given(seed=seeds, generations=st.integers(0, 6), stop=st.booleans(), spread=st.sampled_from([1.0, 3.0]))
@settings(max_examples=60)
def test_inside_the_limits_no_worse_than_the_start_and_the_same_twice(
    seed: int, generations: int, stop: bool, spread: float
) -> None:
    problem = random_problem(seed, joints=1 + seed % 14)
    start, tree = naive.random_pose(problem.tree, seed + 2, spread), problem.tree
    options = MemeticOptions(population=2 + seed % 9, elites=1 + seed % 2, seed=seed)
    first, second = (memetic(problem, start, options, generations, stop) for _ in range(2))
    assert np.isfinite(first.q).all()
    assert (first.q >= tree.lower).all()
    assert (first.q <= tree.upper).all()
    assert first.cost <= problem.cost(np.clip(start, tree.lower, tree.upper))
    assert first.cost == pytest.approx(problem.cost(first.q), rel=1e-12, abs=1e-300)
    assert_array_equal(first.q, second.q)
    assert first.reached == all(one.reached for one in problem.errors(first.q)[:3])


def test_another_seed_searches_elsewhere() -> None:
    problem = random_problem(3)
    start = naive.random_pose(problem.tree, 5)
    found = [memetic(problem, start, MemeticOptions(seed=seed), 2, False).cost for seed in range(3)]
    assert len(set(found)) > 1


@pytest.mark.parametrize("slices", [(1,) * 12, (5, 7)])
def test_a_search_in_slices_is_the_same_search_to_the_last_bit(slices: tuple[int, ...]) -> None:
    problem = random_problem(11)
    start, options = naive.random_pose(problem.tree, 5), MemeticOptions(seed=4)
    whole = memetic(problem, start, options, 12, False)
    state = begin(problem, start, options)
    for generations in slices:
        problem.cost(problem.tree.start())  # whatever is evaluated in between
        step(problem, state, generations, False)
    found = result_of(state)
    assert_array_equal(found.q, whole.q)
    assert found.generations == whole.generations == 12


def test_a_search_begun_anew_in_the_same_room_is_as_one_in_its_own() -> None:
    tree = arm()
    problem = Problem(tree, [g.Position("tip", (1.0, 1.0, 0.0))])
    state = begin(problem, tree.start(), MemeticOptions(seed=1))
    step(problem, state, 5, False)
    problem.change(0, g.Position("tip", (-1.0, 1.5, 0.0), metres=1e-6))
    restart(problem, state, [0.1, 0.2, 0.3], seed=9)
    step(problem, state, 50)
    alone = memetic(problem, [0.1, 0.2, 0.3], MemeticOptions(seed=9), 50)
    assert_array_equal(result_of(state).q, alone.q)
    assert problem.errors(alone.q)[0].metres <= 1e-6


def caught() -> tuple[Problem, list[float]]:
    """A stiff arm that points backwards and is to point backwards on the other side: its limit bars the short way."""
    rest = np.eye(4)
    rest[0, 3] = 1.0
    tree = Tree(
        [
            Joint("shoulder", motion=Hinge("z", (-3.0, 3.0))),
            Joint("elbow", "shoulder", rest, Hinge("z", (-0.2, 0.2))),
            Joint("tip", "elbow", rest, Fixed()),
        ]
    )
    return Problem(tree, [g.Position("tip", tree.pose([-2.7, 0.1]).positions[2])]), [2.9, 0.1]


def test_reaches_what_a_local_search_cannot() -> None:
    problem, start = caught()
    assert not problem.errors(lbfgs(problem, start, 500).q)[0].reached
    for seed in range(50):
        found = memetic(problem, start, MemeticOptions(seed=seed), 200)
        assert found.reached
        assert problem.errors(found.q)[0].reached


def test_a_pose_that_reaches_every_goal_comes_before_a_cheaper_one_that_does_not() -> None:
    # A loose angle and a tight place: what is just within them may cost more than what is just outside.
    tree = arm(4)
    for seed in range(300):
        pose = tree.pose(naive.random_pose(tree, seed))
        goals = g.Pose("tip", pose.positions[-1], pose.rotations[-1], metres=1e-6, radians=0.1)
        problem = Problem(tree, [goals])
        found = memetic(problem, naive.random_pose(tree, seed + 1), MemeticOptions(seed=seed), 200)
        assert found.reached == bool(len(found.solutions))
        assert problem.errors(found.q)[0].reached


def test_wipes_out_when_stuck_and_keeps_the_best() -> None:
    tree = arm()
    problem = Problem(tree, [g.Position("tip", (5.0, 0.0, 0.0))])  # 2 m out of reach
    found = memetic(problem, [1.0, 1.0, 1.0], MemeticOptions(), 40)
    assert not found.reached
    assert found.wipe_outs > 5
    assert found.cost == pytest.approx(2.0, rel=1e-9)  # ½ · 2²: stretched towards it
    assert found.solutions.shape == (0, 3)


def test_several_solutions_are_distinct_and_each_reaches_the_goals() -> None:
    problem = Problem(arm(2), [g.Position("tip", (1.0, 1.0, 0.0))])
    found = memetic(problem, [0.1, 0.1], MemeticOptions(solutions=2), 200)
    assert len(found.solutions) == 2  # elbow up and elbow down: there are no others
    assert sorted(np.sign(found.solutions[:, 1])) == [-1.0, 1.0]
    more = memetic(problem, [0.1, 0.1], MemeticOptions(solutions=3), 100)
    assert len(more.solutions) == 2
    redundant = Problem(arm(5), [g.Position("tip", (1.0, 1.0, 0.0))])
    many = memetic(redundant, redundant.tree.start(), MemeticOptions(solutions=6), 200).solutions
    assert len(many) == 6
    assert all(redundant.errors(q)[0].reached for q in many)
    assert all(np.abs(a - b).max() > 0.5 for a, b in itertools.combinations(many, 2))  # 10 % of 5 rad


def test_a_turn_more_is_no_other_solution() -> None:
    tree = Tree([Joint("only", motion=Hinge("z", (-9.0, 9.0)))])
    problem = Problem(tree, [g.Orientation("only", (np.cos(0.5), 0.0, 0.0, np.sin(0.5)))])
    assert len(memetic(problem, [0.0], MemeticOptions(solutions=3), 50).solutions) == 1


def test_the_start_is_the_answer_where_it_reaches_everything() -> None:
    problem = Problem(arm(), [g.Position("tip", (3.0, 0.0, 0.0))])
    found = memetic(problem, np.zeros(3))
    assert_array_equal(found.q, np.zeros(3))
    assert found.generations == 0
    assert_array_equal(found.solutions, np.zeros((1, 3)))


def test_without_stopping_the_best_goes_on_improving() -> None:
    problem = Problem(arm(), [g.Position("tip", (1.0, 1.0, 0.0))])
    stopped, not_stopped = (memetic(problem, [0.3] * 3, None, 20, stop) for stop in (True, False))
    assert not_stopped.reached
    assert not_stopped.generations == 20
    assert not_stopped.cost < stopped.cost


def test_without_limits_it_looks_half_a_turn_and_the_trees_span_around_the_start() -> None:
    rest = np.eye(4)
    rest[1, 3] = 2.0
    tree = Tree([Joint("hips", motion=Free()), Joint("knee", "hips", rest, Hinge("x"))])
    state = begin(Problem(tree, []), [10.0, 0, 0, 1.0, 0, 0, 5.0])
    step(Problem(tree, []), state, 0)
    assert_array_equal(state.box.high - state.box.low, [4.0] * 3 + [2 * np.pi] * 4)
    assert state.box.low[0] == 8.0


@pytest.mark.parametrize(
    ("tree", "goals"),
    [
        (arm(3, (0.3, 0.3)), [g.Position("tip", (1.0, 1.0, 0.0))]),
        (arm(3), [g.Position("tip", (1.0, 1.0, 0.0), weight=0.0)]),
        (arm(3), [g.Position("tip", (1.0, 1.0, 0.0), on=False)]),
        (arm(3), [g.Position("j0", (1.0, 1.0, 0.0))]),
        (arm(3), [g.Position("tip", (1e6, 0.0, 0.0))]),
        (arm(3), [g.Position("tip", (1e200, 0.0, 0.0))]),
        (arm(2), []),
        (Tree([Joint("only", motion=Hinge("z"))]), [g.JointValue("only", 1.0)]),
        (Tree([Joint("only", motion=Fixed())]), [g.Position("only", (1.0, 0.0, 0.0))]),
    ],
)
@pytest.mark.parametrize("solutions", [1, 3])
def test_a_degenerate_problem_ends_in_finite_numbers(tree: Tree, goals: list[g.Goal], solutions: int) -> None:
    problem = Problem(tree, goals)
    start = np.clip(np.full(len(tree.variables), 0.1), tree.lower, tree.upper)
    for stop in (True, False):
        found = memetic(problem, start, MemeticOptions(solutions=solutions), 10, stop)
        assert np.isfinite(found.q).all()
        assert np.isfinite(found.solutions).all()
        assert found.cost <= problem.cost(start)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"population": 1}, "two individuals or more, not 1"),
        ({"elites": 0}, "not 0"),
        ({"population": 4, "elites": 5}, "1 to 4 of the population, not 5"),
        ({"solutions": 0}, "one solution or more"),
    ],
)
def test_wrong_options_are_named(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(PosewrightError, match=message):
        MemeticOptions(**wrong)


def test_extinction_factors_are_those_of_the_paper() -> None:
    problem = random_problem(3)
    state = begin(problem, naive.random_pose(problem.tree, 1), MemeticOptions(population=7))
    step(problem, state, 1, False)
    fitness, rank = np.sqrt(state.old.cost), np.arange(7)
    assert (np.diff(fitness) >= 0.0).all()
    expected = (fitness + fitness[0] * (rank / 6 - 1)) / fitness[-1]  # equation 18
    np.testing.assert_allclose(state.old.extinction, np.minimum(expected, 1.0), atol=1e-12)


def test_parents_are_picked_by_rank() -> None:
    random, picks = chance.new_chance(1), np.zeros(4)
    for _ in range(20_000):
        picks[breeding.pick(random, 4)] += 1
    np.testing.assert_allclose(picks / 20_000, [0.4, 0.3, 0.2, 0.1], atol=0.02)


def test_random_numbers_are_xoshiro_uniform_and_the_same_for_the_same_seed() -> None:
    first, second, other = chance.new_chance(5), chance.new_chance(5), chance.new_chance(6)
    drawn = np.array([chance.uniform(first) for _ in range(20_000)])
    assert_array_equal(drawn, [chance.uniform(second) for _ in range(20_000)])
    assert abs(drawn - [chance.uniform(other) for _ in range(20_000)]).max() > 0.5
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert np.histogram(drawn, 10, (0, 1))[0].min() > 1800
    state = np.array([1, 2, 3, 4])  # by hand: 1 + 4, then 7 + 12289 (4 ^ 2 = 6, turned left by 11)
    assert [chance.uniform(state) * 2**32 for _ in range(2)] == [5.0, 7.0 + 12288.0]


def test_interpreted_kernels_find_it_too() -> None:
    code = (
        "from posewright.tests.solvers.test_memetic import *\n"
        "problem = Problem(arm(2), [g.Position('tip', (1.0, 1.0, 0.0))])\n"
        "assert memetic(problem, [0.1, 0.1], MemeticOptions(population=4), 20).reached\n"
        "assert len(memetic(problem, [0.1, 0.1], MemeticOptions(solutions=2), 20).solutions) == 2\n"
        "memetic(Problem(arm(2), []), [0.1, 0.1], None, 2, False)\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
