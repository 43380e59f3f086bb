"""The memetic solver: repeatable, inside the limits, through to solutions that a local search misses."""

import itertools
import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import ArrayLike

from posewright import solvers as ik
from posewright.solvers import breeding, chance
from posewright.solvers import goals as g
from posewright.solvers.errors import PosewrightError
from posewright.solvers.evaluation import costs_of
from posewright.solvers.evolution import Population, population_of
from posewright.solvers.joints import Fixed, Free, Hinge, Joint
from posewright.solvers.memetic import MemeticOptions
from posewright.solvers.problem import Problem
from posewright.solvers.solve import AUTO_GENERATIONS, Budget, Result, State, Status, solve, step
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


def reach(problem: Problem, start: ArrayLike, seed: int = 0, iterations: int = 200) -> Result:
    return solve(problem, start, "memetic", Budget(iterations, until_reached=True, seed=seed))


def population(state: State) -> Population:
    return population_of.function(state.colony, state.search.chance[1])


@given(seed=seeds, iterations=st.integers(0, 12), stop=st.booleans(), levels=st.booleans())
@settings(max_examples=60)
def test_inside_the_limits_no_worse_than_the_start_and_the_same_twice(
    seed: int, iterations: int, stop: bool, levels: bool
) -> None:
    problem = random_problem(seed, joints=1 + seed % 14)
    start, tree = naive.random_pose(problem.tree, seed + 2, 1.0 + seed % 3), problem.tree
    options = MemeticOptions(population=2 + seed % 9, elites=1 + seed % 2)
    budget = Budget(iterations, until_reached=stop, levels=levels, seed=seed)
    first, second = (solve(problem, start, "memetic", budget, options) for _ in range(2))
    assert np.isfinite(first.q).all()
    assert (first.q >= tree.lower).all()
    assert (first.q <= tree.upper).all()
    assert first.iterations <= iterations
    inside = np.clip(start, tree.lower, tree.upper)
    if not levels:
        assert first.cost <= problem.cost(inside)
    assert_array_equal(first.q, second.q)
    if first.status == Status.REACHED:
        assert all(error.reached for error in first.errors[:3])


@given(seed=seeds, count=st.integers(1, 9))
@settings(max_examples=20)
def test_costs_of_several_poses_are_those_of_each(seed: int, count: int) -> None:
    problem = random_problem(seed)
    poses, costs = np.array([naive.random_pose(problem.tree, seed + i) for i in range(count)]), np.zeros(count)
    costs_of(problem.evaluation, poses, costs)
    assert_array_equal(costs, [problem.cost(pose) for pose in poses])


def test_another_seed_searches_elsewhere_also_in_the_same_room() -> None:
    problem = random_problem(3)
    start = naive.random_pose(problem.tree, 5)
    found = [reach(problem, start, seed, 4) for seed in (0, 1, 2, 0)]
    assert len({result.cost for result in found}) > 1
    assert_array_equal(found[0].q, found[3].q)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("slices", [(1,) * 12, (5, 7)])
def test_a_search_in_slices_is_the_same_search_to_the_last_bit(slices: tuple[int, ...], threads: int) -> None:
    problem, budget = random_problem(11), Budget(12, seed=4)
    start = naive.random_pose(problem.tree, 5)
    whole = solve(problem, start, "memetic", budget)
    state = State(problem, start, "memetic", 4, MemeticOptions(threads=threads))
    for iterations in slices:
        problem.cost(problem.tree.start())  # whatever is evaluated in between
        step(problem, state, budget, iterations)
    assert_array_equal(state.frames.q[0], whole.q)
    assert state.iterations == whole.iterations


@pytest.mark.parametrize("levels", [True, False])
def test_with_elites_in_threads_the_answer_is_the_same_to_the_last_bit(levels: bool) -> None:
    before = threading.active_count()
    for seed in range(6):
        problem = random_problem(seed, joints=12)
        start, budget = naive.random_pose(problem.tree, seed + 2), Budget(16, levels=levels, seed=seed)
        one, three = (solve(problem, start, "memetic", budget, MemeticOptions(12, 3, threads)) for threads in (1, 3))
        assert_array_equal(one.q, three.q)
        assert one.iterations == three.iterations
    problem = Problem(arm(5), [g.Position("tip", (1.0, 1.0, 0.0)), g.Displacement(weight=1e-3)])
    alone, together = (ik.solutions(problem, None, 4, None, MemeticOptions(threads=threads)) for threads in (1, 2))
    assert_array_equal([one.q for one in alone], [one.q for one in together])
    assert threading.active_count() == before


def caught(posture: float = 0.0, farther: float = 1.0) -> tuple[Problem, list[float]]:
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
    target = farther * tree.pose([-2.7, 0.1]).positions[2]
    return Problem(tree, [g.Position("tip", target), g.Displacement(weight=posture)]), [2.9, 0.1]


@pytest.mark.parametrize("posture", [0.0, 1e-2])
def test_reaches_what_a_local_search_cannot(posture: float) -> None:
    problem, start = caught(posture)
    assert not solve(problem, start, "levenberg").errors[0].reached
    for seed in range(20):
        assert reach(problem, start, seed).status == Status.REACHED
        finished = solve(problem, start, "memetic", Budget(seed=seed))
        kept = "an earlier pose was kept" in finished.reason  # what was found, where posture would lead off the goal
        assert finished.status == (Status.STALLED if kept else Status.CONVERGED)
        assert finished.errors[0].reached


def test_auto_turns_to_it_where_restarts_end_short_and_never_without_restarts() -> None:
    problem, start = caught()
    # Few iterations for restarts, so that these seeds fail at them.
    few = [solve(problem, start, budget=Budget(60, restarts=1, seed=seed)) for seed in range(8)]
    assert all(result.errors[0].reached for result in few)
    assert all(result.status == Status.CONVERGED for result in few)
    live = solve(problem, start, budget=Budget(60, restarts=0))
    assert not live.errors[0].reached
    assert_array_equal(live.q, solve(problem, start, "levenberg", Budget(60)).q)


def test_auto_keeps_the_local_answer_where_nothing_reaches_the_goals() -> None:
    problem = Problem(arm(), [g.Position("tip", (5.0, 0.5, 0.0)), g.Displacement(weight=1e-3)])
    local = solve(problem, [0.1, 0.2, 0.3], "levenberg")
    result = solve(problem, [0.1, 0.2, 0.3], budget=Budget(400))
    assert result.status == local.status == Status.CONVERGED
    np.testing.assert_allclose(result.q, local.q, atol=1e-6)
    assert result.limits_hit == local.limits_hit
    tight = solve(problem, [0.1, 0.2, 0.3], budget=Budget(400, restarts=1))
    assert local.iterations < tight.iterations <= local.iterations + 60 + AUTO_GENERATIONS


def test_auto_does_not_leap_to_another_pose_that_is_short_of_the_goals_too() -> None:
    problem, start = caught(farther=1.5)
    local, best = (solve(problem, start, solver) for solver in ("levenberg", "memetic"))
    assert best.cost < 0.9 * local.cost
    np.testing.assert_allclose(solve(problem, start, budget=Budget(60)).q, local.q, atol=1e-6)


def test_a_pose_that_reaches_every_goal_comes_before_a_cheaper_one_that_does_not() -> None:
    # A loose angle and a tight place: what is just within them may cost more than what is just outside.
    tree = arm(4)
    problem = Problem(tree, [g.Pose("tip", (0, 0, 0), (1, 0, 0, 0), metres=1e-6, radians=0.1)])
    for seed in range(100):
        pose = tree.pose(naive.random_pose(tree, seed))
        problem.change(0, g.Pose("tip", pose.positions[-1], pose.rotations[-1], metres=1e-6, radians=0.1))
        found = reach(problem, naive.random_pose(tree, seed + 1), seed)
        assert found.status == Status.REACHED
        assert found.errors[0].reached


def test_gives_up_where_nothing_better_is_found_and_ends_at_a_minimum() -> None:
    problem = Problem(arm(), [g.Position("tip", (5.0, 0.0, 0.0))])  # 2 m out of reach
    found = solve(problem, [1.0, 1.0, 1.0], "memetic", Budget(10_000))
    assert found.status == Status.CONVERGED
    assert found.iterations < 100
    assert found.cost == pytest.approx(2.0, rel=1e-9)  # ½ · 2²: stretched towards it


def test_time_is_looked_at_between_slices_of_generations() -> None:
    problem = Problem(arm(), [g.Position("tip", (5.0, 0.0, 0.0))])
    found = solve(problem, [1.0, 1.0, 1.0], "memetic", Budget(10_000, seconds=0.0, until_reached=True))
    assert found.status == Status.OUT_OF_TIME
    assert found.iterations == 3


def test_several_solutions_are_distinct_and_each_reaches_the_goals() -> None:
    problem = Problem(arm(2), [g.Position("tip", (1.0, 1.0, 0.0))])
    found = ik.solutions(problem, [0.1, 0.1], 2)
    assert sorted(np.sign(one.q[1]) for one in found) == [-1.0, 1.0]  # elbow up and elbow down: there are no others
    assert {one.status for one in found} == {Status.CONVERGED}
    assert len(ik.solutions(problem, [0.1, 0.1], 3, Budget(60))) == 2
    assert ik.solutions(Problem(arm(2), [g.Position("tip", (3.0, 0.0, 0.0))]), [0.1, 0.1], 2, Budget(20)) == []


@pytest.mark.parametrize("posture", [0.0, 1e-3])
def test_solutions_come_cheapest_first_and_posture_does_not_lead_them_together(posture: float) -> None:
    redundant = Problem(arm(5), [g.Position("tip", (1.0, 1.0, 0.0)), g.Displacement(weight=posture)])
    many, again = (ik.solutions(redundant, None, 6, Budget(seed=3), MemeticOptions(10, 2)) for _ in range(2))
    assert len(many) == 6
    assert all(one.errors[0].reached for one in many)
    assert [one.cost for one in many] == sorted(one.cost for one in many)
    assert all(np.abs(a.q - b.q).max() > 0.5 for a, b in itertools.combinations(many, 2))  # 10 % of 5 rad
    assert_array_equal([one.q for one in many], [one.q for one in again])
    if posture:
        assert many[0].status == Status.CONVERGED


def test_a_turn_more_is_no_other_solution() -> None:
    tree = Tree([Joint("only", motion=Hinge("z", (-9.0, 9.0)))])
    problem = Problem(tree, [g.Orientation("only", (np.cos(0.5), 0.0, 0.0, np.sin(0.5)))])
    assert len(ik.solutions(problem, [0.0], 3, Budget(60))) == 1


def test_the_start_is_the_answer_where_it_reaches_everything() -> None:
    problem = Problem(arm(), [g.Position("tip", (3.0, 0.0, 0.0))])
    found = reach(problem, np.zeros(3))
    assert_array_equal(found.q, np.zeros(3))
    assert (found.status, found.iterations) == (Status.REACHED, 0)
    assert_array_equal([one.q for one in ik.solutions(problem, np.zeros(3), 1)], np.zeros((1, 3)))


def test_clips_are_solved_by_it_frame_by_frame() -> None:
    problem, start = caught()
    clip = ik.Clip(problem, [problem.goals, problem.goals])
    result = ik.solve_many(clip, start, "memetic")
    assert result.errors[:, 0, 0].max() < 1e-4
    assert_array_equal(result.q[0], solve(problem, start, "memetic").q)


def test_without_limits_it_looks_half_a_turn_and_the_trees_span_around_the_start() -> None:
    rest = np.eye(4)
    rest[1, 3] = 2.0
    tree = Tree([Joint("hips", motion=Free()), Joint("knee", "hips", rest, Hinge("x"))])
    state = State(problem := Problem(tree, []), [10.0, 0, 0, 1.0, 0, 0, 5.0], "memetic")
    step(problem, state, Budget(), 0)
    box = population(state).box
    assert_array_equal(box.high - box.low, [4.0] * 3 + [2 * np.pi] * 4)
    assert box.low[0] == 8.0


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
def test_a_degenerate_problem_ends_in_finite_numbers(tree: Tree, goals: list[g.Goal]) -> None:
    problem = Problem(tree, goals)
    start = np.clip(np.full(len(tree.variables), 0.1), tree.lower, tree.upper)
    for stop, levels, threads in itertools.product((True, False), (True, False), (1, 2)):
        budget = Budget(20, until_reached=stop, levels=levels)
        found = solve(problem, start, "memetic", budget, MemeticOptions(threads=threads))
        assert np.isfinite(found.q).all()
        assert found.cost <= problem.cost(start)
        assert all(np.isfinite(one.q).all() for one in ik.solutions(problem, start, 3, budget))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"population": 1}, "two individuals or more, not 1"),
        ({"elites": 0}, "not 0"),
        ({"population": 4, "elites": 5}, "1 to 4 of the population, not 5"),
        ({"threads": 0}, "one thread or more"),
    ],
)
def test_wrong_options_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(PosewrightError, match=message):
        MemeticOptions(**wrong)
    with pytest.raises(PosewrightError, match="one solution or more, please, not 0"):
        ik.solutions(Problem(arm(), []), count=0)


def test_extinction_factors_are_those_of_the_paper() -> None:
    problem = random_problem(3)
    start = naive.random_pose(problem.tree, 1)
    state = State(problem, start, "memetic", 0, MemeticOptions(population=7))
    step(problem, state, Budget(until_reached=True), 1)
    old = population(state).old
    fitness, rank = np.sqrt(old.cost), np.arange(7)
    assert fitness[0] > 0.0
    assert (np.diff(fitness) >= 0.0).all()
    expected = (fitness + fitness[0] * (rank / 6 - 1)) / fitness[-1]  # equation 18
    np.testing.assert_allclose(old.extinction, np.minimum(expected, 1.0), atol=1e-12)


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
        "assert reach(problem, [0.1, 0.1], 0, 20).status == Status.REACHED\n"
        "assert len(ik.solutions(problem, [0.1, 0.1], 2, Budget(20), MemeticOptions(4, 2))) == 2\n"
        "solve(Problem(arm(2), []), [0.1, 0.1], 'memetic', Budget(2), MemeticOptions(threads=2))\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
