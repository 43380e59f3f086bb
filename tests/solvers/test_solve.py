"""Every solver on every kind of problem: inside the limits, never worse than its start, and honest about the rest."""

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from posewright import solvers as ik
from posewright.benchmarks import unsolvable
from posewright.benchmarks.posing import body
from posewright.solvers import methods
from posewright.solvers.joints import Motion
from posewright.solvers.problem import weight_factor
from posewright.solvers.rounds import TINIEST
from posewright.solvers.solve import SOLVERS, number_of
from posewright.tests import naive
from posewright.tests.solvers.test_goals import KINDS, MAKERS, random_tree

seeds = st.integers(0, 2**32 - 1)

# The mirror paper's own rules keep every joint 1 % off its limits and diverge in wide ones: sound, but no answer.
EXACT = [name for name in SOLVERS if name != "mirror_paper"]


def arm(links: int = 6, limits: tuple[float, float] = (-2.0, 2.0)) -> ik.Tree:
    """A chain of hinges about alternating axes, 0.3 m each, and a tip."""
    joints = [ik.Joint("0", motion=ik.Hinge("z", limits))]
    for i in range(1, links):
        joints.append(ik.Joint(str(i), str(i - 1), moved(0.3), ik.Hinge("xyz"[i % 3], limits)))
    return ik.Tree([*joints, ik.Joint("tip", str(links - 1), moved(0.3), ik.Fixed())])


def moved(y: float) -> naive.Floats:
    matrix = np.eye(4)
    matrix[1, 3] = y
    return matrix


def random_joints(seed: int, size: int, odd: bool) -> list[ik.Joint]:
    """A random tree, half of its bones without length; `odd` gives some joints no room between their limits."""
    joints, rng = naive.random_joints(seed, size), np.random.default_rng(seed)
    for index in np.flatnonzero(rng.random(size) < (0.3 if odd else 0.0)):
        at = float(rng.choice([0.0, 0.3, -1.0]))
        motions = [
            ik.Hinge(rng.normal(size=3).tolist(), (at, at)),
            ik.Prismatic("y", (at, at)),
            ik.EulerBall("ZXY", (at, at), (-1.0, 1.0), (at, at)),
            ik.Ball((0.0, 0.0), (-1.0, 0.0), (at, at)),
            ik.Ball((min(at, 0.0), max(at, 0.0)), (0.0, 0.0), region="box"),
            ik.Free(((at, at), None, (-math.inf, at))),
        ]
        joints[index] = replace(joints[index], motion=motions[int(rng.integers(len(motions)))], stiffness=1.0, held={})
    return joints


def near_goal(tree: ik.Tree, rng: np.random.Generator, seed: int) -> ik.Goal:
    """A goal that some pose meets, or one at a distance from that; as far as 1e6 m."""
    place, body = tree.pose(naive.random_pose(tree, seed + 1)), int(rng.integers(len(tree.names)))
    name, target = tree.names[body], place.positions[body] + float(rng.choice([0.0, 1.0, 1e6])) * rng.normal(size=3)
    kind = int(rng.integers(4))
    if kind == 0:  # half of them on the joint itself, which cannot move it
        return ik.Position(name, target, point=rng.normal(size=3) * rng.choice([0.0, 0.2]))
    if kind == 1:
        return ik.Pose(name, target, place.rotations[body])
    if kind == 2:
        return ik.Orientation(name, place.rotations[body])
    return ik.LookAt(name, target)  # at no distance, its target is the eye itself


def random_problem(seed: int, size: int) -> tuple[ik.Problem, naive.Floats]:
    """Goals of every kind, reachable and not, of unequal weights, on a random tree; and a start that may be outside."""
    rng = np.random.default_rng(seed)
    tree = ik.Tree(random_joints(seed, size, odd=bool(rng.random() < 0.5)))
    goals: list[ik.Goal] = [ik.Displacement(weight=float(rng.choice([0.0, 1e-6, 1e-2])))]
    for _ in range(int(rng.integers(1, 5))):
        if rng.random() < 0.5 and size >= 3 and tree.variables:
            goal = MAKERS[str(rng.choice(list(MAKERS)))](tree, rng)
        else:
            goal = near_goal(tree, rng, seed)
        goal.weight = float(rng.choice([0.0, 1e-3, 1.0, 100.0]))
        goal.level = ik.Level(int(rng.integers(3)))
        goal.on = bool(rng.random() < 0.95)
        goals.append(goal)
    return ik.Problem(tree, goals), naive.random_pose(tree, seed + 2, spread=float(rng.choice([1.0, 1.5, 100.0])))


def test_random_problems_have_goals_of_every_kind_and_what_is_odd() -> None:
    """So that the rules below are tried on them."""
    found = [random_problem(seed, 1 + seed % 12) for seed in range(200)]
    goals = [(problem.tree, goal) for problem, _ in found for goal in problem.goals]
    assert {goal.kind for _, goal in goals} == set(KINDS)
    assert {goal.level for _, goal in goals} == set(ik.Level)
    assert {goal.on for _, goal in goals} == {True, False}
    assert {0.0, 1e-3, 1.0, 100.0} <= {goal.weight for _, goal in goals}
    assert any(np.abs(goal.target).max() > 1e5 for _, goal in goals if isinstance(goal, ik.Position))
    assert any((problem.tree.lower == problem.tree.upper).any() for problem, _ in found)
    assert any(((start < problem.tree.lower) | (start > problem.tree.upper)).any() for problem, start in found)
    assert any(not problem.tree.arrays.rest_position[1:].any() for problem, _ in found if len(problem.tree.names) > 1)
    assert any(not problem.tree.variables for problem, _ in found)
    # Met from the start on: the target is the eye, or a body's own joint and nothing above it moves.
    assert any(
        not problem.gradient(np.clip(start, problem.tree.lower, problem.tree.upper)).any() for problem, start in found
    )


def by_level(problem: ik.Problem, q: naive.Floats) -> tuple[float, float]:
    """½ Σ w r² of pins and of goals."""
    level = np.repeat(problem.arrays.level, np.diff(problem.arrays.row))
    parts = 0.5 * problem.arrays.weight * problem.residual(q) ** 2
    return float(parts[level == ik.Level.PIN].sum()), float(parts[level == ik.Level.GOAL].sum())


def slightly_worse(problem: ik.Problem, result: ik.Result, pins: float) -> float:
    """What pins that cost so much may cost then: each of those that are off, a tolerance more, all told."""
    arrays, allowed, off = problem.arrays, 0.0, problem.residual(result.q)
    for i, (goal, error) in enumerate(zip(problem.goals, result.errors, strict=True)):
        if goal.on and goal.level == ik.Level.PIN and not error.reached:
            rows = slice(arrays.row[i], arrays.row[i + 1])
            with np.errstate(divide="ignore", invalid="ignore"):
                times = np.nanmax(np.array((error.metres, error.radians)) / arrays.tolerance[i])
            allowed += 0.5 * float((arrays.weight[rows] * (off[rows] / times) ** 2).sum())
    return float((np.sqrt(pins) + np.sqrt(allowed)) ** 2)


def all_reached(problem: ik.Problem, errors: list[ik.GoalError], most: ik.Level) -> bool:
    """Whether every goal that is on, down to some level, is within its tolerance."""
    pairs = zip(problem.goals, errors, strict=True)
    return all(error.reached for goal, error in pairs if goal.on and goal.level <= most)


def scale_of(problem: ik.Problem) -> float:
    """What a gradient is measured by: that of an error of the tree's own size, at a goal's largest weight."""
    weights = np.repeat([1.0 / weight_factor(goal) for goal in problem.goals], np.diff(problem.arrays.row))
    return max(float((weights * problem.arrays.weight).max(initial=0.0)), TINIEST) * problem.tree.size**2


def check_sound(solver: str, seed: int, size: int, budget: ik.Budget) -> None:
    """Finite, inside the limits, never worse than the start, at a minimum if it says so, and the same twice."""
    problem, start = random_problem(seed, size)
    tree = problem.tree
    result = ik.solve(problem, start, solver, budget)
    assert np.isfinite(result.q).all()
    assert (result.q >= tree.lower).all()
    assert (result.q <= tree.upper).all()
    assert result.cost == problem.cost(result.q)
    assert result.reason.startswith(result.status.value)
    if result.status == ik.Status.CONVERGED:
        assert result.gradient <= budget.gradient * scale_of(problem)
    inside = np.clip(start, tree.lower, tree.upper)
    if not budget.levels:
        assert result.cost <= problem.cost(inside)
    else:
        (pins, goals), (pins_before, goals_before) = by_level(problem, result.q), by_level(problem, inside)
        worse = (1.0 + 1e-12) * slightly_worse(problem, result, pins_before)  # but for the rounding of roots
        assert pins <= worse or all_reached(problem, result.errors, ik.Level.PIN)
        assert pins < pins_before or goals <= goals_before or all_reached(problem, result.errors, ik.Level.GOAL)
    assert_array_equal(result.q, ik.solve(problem, start, solver, budget).q)


@pytest.mark.parametrize("solver", SOLVERS)
@given(seed=seeds, size=st.integers(1, 40), levels=st.booleans())
def test_whatever_the_problem_the_answer_is_sound(solver: str, seed: int, size: int, levels: bool) -> None:
    check_sound(solver, seed, size, ik.Budget(iterations=30, levels=levels))


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=max(2, settings().max_examples // 10))
@given(seed=seeds, size=st.integers(40, 200), levels=st.booleans())
def test_so_it_is_on_large_trees(solver: str, seed: int, size: int, levels: bool) -> None:
    check_sound(solver, seed, size, ik.Budget(iterations=5, levels=levels))


@pytest.mark.parametrize("solver", EXACT)
def test_a_reachable_pose_is_reached(solver: str) -> None:
    tree = arm(9)
    for seed in range(5):
        goal = tree.pose(naive.random_pose(tree, seed, 0.5))
        problem = ik.Problem(tree, [ik.Position("tip", goal.positions[-1])])
        budget = ik.Budget(iterations=20_000, until_reached=True)
        result = ik.solve(problem, naive.random_pose(tree, seed + 100, 0.5), solver, budget)
        assert result.errors[0].reached, (seed, result.reason)


@pytest.mark.parametrize("solver", EXACT)
def test_held_variables_stay_and_the_others_reach_the_goal(solver: str) -> None:
    tree = arm(8)
    start = np.full(len(tree.variables), 0.3)
    held = np.arange(len(start)) % 3 == 1
    wanted = start + np.where(held, 0.0, 0.2)
    problem = ik.Problem(tree, [ik.Position("tip", tree.pose(wanted).positions[-1], metres=1e-3), ik.Displacement()])
    problem.hold(held, start)
    result = ik.solve(problem, start, solver, ik.Budget(iterations=3000))
    assert_array_equal(result.q[held], start[held])
    assert result.errors[0].metres < 1e-3
    assert not any(tree.variable(hit.joint, hit.axis) in np.flatnonzero(held) for hit in result.limits_hit)
    problem.hold(np.zeros(len(start), bool), start)
    assert (ik.solve(problem, start, solver, ik.Budget(iterations=3000)).q[held] != start[held]).all()


def test_solvers_agree_where_the_answer_is_unique_also_on_a_limit() -> None:
    tree = arm(4, (-0.5, 0.8))
    goals = [ik.Position("tip", (0.9, 0.4, 0.3)), ik.Displacement(weight=0.1)]
    answers = {name: ik.solve(ik.Problem(tree, goals), solver=name, budget=ik.Budget(100_000)) for name in EXACT}
    assert {result.status for result in answers.values()} == {ik.Status.CONVERGED}
    assert answers["levenberg"].limits_hit
    for result in answers.values():
        assert_allclose(result.q, answers["levenberg"].q, atol=1e-4)


def test_auto_goes_by_sweeps_on_a_whole_body_that_nothing_ties_together() -> None:
    """And comes to the same pose as by a matrix, with goals in reach and out of it."""
    whole = body()
    hand = whole.pose(whole.start()).positions[whole.index("hand.L")]
    for away in (0.1, 1.0):
        goals: list[ik.Goal] = [
            ik.Position("hand.L", hand + np.array((away, -away, 0.1))),
            ik.Displacement(weight=0.01),
        ]
        problem, live = ik.Problem(whole, goals), ik.Budget(iterations=500, restarts=0)
        assert number_of(problem, "auto") == methods.PSEUDO_DYNAMICS
        by_sweeps, by_matrix = (ik.solve(problem, solver=name, budget=live) for name in ("auto", "levenberg"))
        assert by_sweeps.iterations == by_matrix.iterations
        assert_allclose(by_sweeps.q, by_matrix.q, atol=1e-6)
    tied = ik.Problem(whole, [*goals, ik.Loop("hand.L", "hand.R")])
    small = ik.Problem(arm(), [ik.Displacement()])
    assert number_of(tied, "auto") == number_of(small, "auto") == methods.LEVENBERG


def test_the_joint_that_stops_a_goal_is_named() -> None:
    tree = arm(1, (-0.5, 0.5))
    result = ik.solve(ik.Problem(tree, [ik.Position("tip", (-0.5, 0.0, 0.0))]))
    assert result.status == ik.Status.CONVERGED
    assert [(hit.joint, hit.axis, hit.upper) for hit in result.limits_hit] == [("0", "angle", True)]
    # The cost by the angle there: the tip 0.3 m out, the target 0.5 m to the side, at 0.5 rad: 0.5 · 0.3 · cos 0.5.
    assert result.limits_hit[0].multiplier == pytest.approx(0.5 * 0.3 * math.cos(0.5))
    assert "stopped by 0.angle" in result.reason


def test_what_had_to_be_repaired_of_a_start_is_named() -> None:
    tree = arm(3, (-0.5, 0.5))
    problem = ik.Problem(tree, [ik.Position("tip", (0.0, 0.6, 0.1))])
    result = ik.solve(problem, [0.6, 0.1, -7.0])
    assert result.repaired == ["0.angle", "2.angle"]
    assert "the start was outside the limits of 0.angle, 2.angle" in result.reason
    inside = ik.solve(problem, [0.5, 0.1, -0.5])
    assert inside.repaired == []
    assert "outside" not in inside.reason


@pytest.mark.parametrize("iterations", [0, 3, 300])
def test_the_gradient_is_the_part_that_the_limits_do_not_forbid_to_follow(iterations: int) -> None:
    tree = arm(4, (-0.5, 0.8))
    problem = ik.Problem(tree, [ik.Position("tip", (0.9, 0.4, 0.3)), ik.Displacement(weight=0.1)])
    held = np.array([False, True, False, False])
    problem.hold(held, np.full(4, 0.1))
    result = ik.solve(problem, solver="line_search", budget=ik.Budget(iterations, levels=False))
    slope = problem.gradient(result.q)
    pressed = (result.q == tree.lower) & (slope > 0.0) | (result.q == tree.upper) & (slope < 0.0)
    assert pressed.any() == (iterations > 0)
    assert np.abs(slope[held]).max() > 1e-3
    far = np.where(slope > 0.0, result.q - tree.lower, tree.upper - result.q)
    expected = np.where(pressed | held, 0.0, np.minimum(np.abs(slope), far)).max()
    assert result.gradient == pytest.approx(expected, abs=1e-15)


def test_a_search_that_cannot_lower_the_cost_any_more_has_stalled() -> None:
    """Asked for a gradient of zero, it comes as near as numbers do."""
    problem = ik.Problem(arm(), [ik.Position("tip", (0.5, 5.0, 0.3)), ik.Displacement(weight=0.1)])
    result = ik.solve(problem, np.full(6, 0.3), "levenberg", ik.Budget(gradient=0.0, levels=False))
    assert result.status == ik.Status.STALLED
    assert result.reason.startswith("stalled: position goal 0 is off by")
    assert result.gradient < 1e-6


@pytest.mark.parametrize("solver", [name for name in SOLVERS if not name.endswith(("_paper", "_sugihara"))])
def test_an_earlier_pose_that_is_kept_for_a_pin_is_told_and_called_no_minimum(solver: str) -> None:
    """Two pins 1 m apart hold best in the middle, where it begins; a goal that outweighs them takes them out of it."""
    tree = ik.Tree([ik.Joint("a", motion=ik.Prismatic("x", (-50.0, 50.0)))])
    pins: list[ik.Goal] = [ik.Position("a", (x, 0, 0), level=ik.Level.PIN) for x in (0.0, 1.0)]
    problem = ik.Problem(tree, [*pins, ik.Position("a", (10.0, 0, 0), weight=1000.0)])
    kept, moved_on = (ik.solve(problem, [start], solver, ik.Budget(1000)) for start in (0.5, -40.0))
    assert kept.q == 0.5
    assert kept.status == ik.Status.STALLED
    assert "an earlier pose was kept, because going on would have lost a pin or a goal" in kept.reason
    assert kept.gradient == pytest.approx(49.5)  # as far as the limit lets it be followed
    assert 0.5 < moved_on.q[0] < 2.0
    assert moved_on.status == ik.Status.CONVERGED
    assert "earlier" not in moved_on.reason


@pytest.mark.parametrize("far", [1e150, 1e200, 1e300])
@pytest.mark.parametrize("solver", SOLVERS)
def test_targets_so_far_away_that_numbers_overflow_get_an_answer(solver: str, far: float) -> None:
    """It is no use, but no NaN either, and inside the limits."""
    tree = arm()
    goals = [ik.Position("tip", (far, -far, 0.0)), ik.Position("2", (0.0, far, 0.0), level=ik.Level.PIN)]
    for levels in (True, False):
        result = ik.solve(ik.Problem(tree, goals), np.full(6, 0.3), solver, ik.Budget(30, levels=levels))
        assert (result.q >= tree.lower).all()
        assert (result.q <= tree.upper).all()
        assert result.reason


@pytest.mark.parametrize("distance", [0.1, 0.3, 0.4999, 0.5, 0.5001, 0.7, 1.0, 10.0, 1000.0])
def test_levenberg_ends_at_the_least_distance_for_reachable_and_unreachable_targets(distance: float) -> None:
    """Sugihara's sweep (his figs 3 to 6) in a plane: an arm that reaches 0.5 m."""
    joints = [ik.Joint("a", motion=ik.Hinge("z")), ik.Joint("b", "a", moved(0.25), ik.Hinge("z"))]
    tree = ik.Tree([*joints, ik.Joint("tip", "b", moved(0.25), ik.Fixed())])
    problem = ik.Problem(tree, [ik.Position("tip", (distance, 0.0, 0.0))])
    result = ik.solve(problem, [0.3, 0.4], "levenberg", ik.Budget(iterations=200, gradient=1e-10))
    assert result.errors[0].metres == pytest.approx(max(0.0, distance - 0.5), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("case", unsolvable.sweeps(quick=False))
def test_levenberg_is_at_the_least_error_of_sugiharas_own_arm_after_few_iterations(case: str) -> None:
    """From where it is singular, its hand turned as well. At full stretch the cost is flat: by 1e-7 it is 12 µm off.

    A kilometre away no number is as near to zero as a minimum asks for.
    """
    joints = unsolvable.arm()
    tree = ik.Tree(joints)
    problem = ik.Problem(tree, [ik.Pose("4", (0.1, 0.0, 0.0), unsolvable.QUARTER)])
    budget = ik.Budget(iterations=200, gradient=1e-10, levels=False)
    for x in unsolvable.sweeps(quick=False)[case]:
        problem.change(0, ik.Pose("4", (x, 0.0, 0.0), unsolvable.QUARTER))
        result = ik.solve(problem, np.zeros(len(tree.variables)), "levenberg", budget)
        assert unsolvable.beyond(joints, x, result.q) < 1e-6, (x, result.reason)
        assert result.status in {ik.Status.CONVERGED, ik.Status.STALLED}, x


@pytest.mark.parametrize("solver", SOLVERS)
def test_going_on_in_slices_is_the_same_as_going_in_one(solver: str) -> None:
    tree = arm()
    problem = ik.Problem(tree, [ik.Position("tip", (0.5, 0.7, 0.3)), ik.Displacement(weight=1e-3)])
    whole = ik.State(problem, tree.start(), solver)
    sliced = ik.State(problem, tree.start(), solver)
    ik.step(problem, whole, ik.Budget(12))
    for _ in range(4):
        ik.step(problem, sliced, ik.Budget(12), 3)
    assert_array_equal(sliced.search.q, whole.search.q)
    assert sliced.iterations == whole.iterations


def test_out_of_iterations_and_out_of_time_are_told_apart() -> None:
    tree = arm()
    problem = ik.Problem(tree, [ik.Position("tip", (0.5, 0.7, 0.3))])
    assert ik.solve(problem, solver="line_search", budget=ik.Budget(2)).status == ik.Status.OUT_OF_ITERATIONS
    hurried = ik.solve(problem, solver="line_search", budget=ik.Budget(10_000, seconds=0.0))
    assert hurried.status == ik.Status.OUT_OF_TIME
    assert hurried.iterations <= 10


def test_a_tree_without_variables_and_a_problem_without_goals_are_no_trouble() -> None:
    fixed = ik.Tree([ik.Joint("a", motion=ik.Fixed())])
    posture = ik.Displacement(reference=np.zeros(0), each=np.zeros(0))
    assert ik.solve(ik.Problem(fixed, [ik.Position("a", (1, 0, 0)), posture])).status == ik.Status.CONVERGED
    assert ik.solve(ik.Problem(arm(), [])).status == ik.Status.CONVERGED
    assert ik.solve(ik.Problem(ik.Tree([]), [])).status == ik.Status.CONVERGED


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: ik.solve(p, solver="magic"), "unknown solver 'magic'; the solvers are auto, levenberg"),
        (lambda p: ik.solve(p, [0.0]), r"the start has shape \(1,\); this tree has 6 variables"),
        (lambda p: ik.solve(p, [math.nan] * 6), "the start is not finite at 0.angle"),
        (lambda p: ik.solve(p, [math.inf] * 6), "the start is not finite at 0.angle"),
        (lambda p: ik.solve(p, [math.nan] * 6, "memetic"), "the start is not finite at 0.angle"),
        (lambda p: p.cost([math.nan] * 6), "the pose is not finite at 0.angle"),
        (lambda p: p.tree.pose([-math.inf] * 6), "the pose is not finite at 0.angle"),
        (lambda p: ik.solve(p, budget=ik.Budget(-1)), "a budget is not negative"),
        (lambda p: ik.solve(p, budget=ik.Budget(seconds=math.nan)), "a budget is not negative"),
        (lambda p: ik.solve(p, budget=ik.Budget(gradient=math.nan)), "the gradient of a minimum is zero or more"),
        (lambda p: p.change(0, ik.Position("tip", (math.inf, 0, 0))), "target takes 3 finite numbers"),
    ],
)
def test_a_wrong_call_raises_one_clear_error(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ik.PosewrightError, match=message):
        call(ik.Problem(arm(), [ik.Position("tip", (0, 0, 0))]))


def spoilt(value: object, bad: float) -> Iterator[Any]:
    """A value with `bad` in the place of a number in it: one after the other."""
    if isinstance(value, float):
        yield bad
    elif isinstance(value, np.ndarray):
        for index in range(value.size):
            copy = value.astype(float)
            copy.flat[index] = bad
            yield copy
    elif isinstance(value, tuple | list):
        for index, one in enumerate(value):
            for other in spoilt(one, bad):
                yield [*value[:index], other, *value[index + 1 :]]
    elif isinstance(value, dict):
        for key, one in value.items():
            for other in spoilt(one, bad):
                yield {**value, key: other}
    elif is_dataclass(value) and not isinstance(value, type | ik.Field):  # which refuses such values itself
        for field in fields(value):
            for other in spoilt(getattr(value, field.name), bad):
                yield replace(value, **{field.name: other})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", MAKERS)
def test_no_number_of_a_goal_may_be_anything_but_finite(name: str, bad: float) -> None:
    tree, cases = random_tree(5), 0
    for seed in range(10):
        goal = MAKERS[name](tree, np.random.default_rng(seed))
        for wrong in spoilt(goal, bad):
            if bad == math.inf and math.inf in (wrong.metres, wrong.radians):
                continue  # any error counts as reached
            with pytest.raises(ik.PosewrightError, match=f"{type(goal).__name__} goal|the reference is not finite"):
                ik.Problem(tree, [wrong])
            cases += 1
    assert cases >= (10 if bad == math.inf else 30)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_number_of_a_joint_may_be_anything_but_finite_save_an_open_limit(bad: float) -> None:
    motions: list[Callable[[], Motion]] = [
        lambda: ik.Hinge((bad, 0.0, 1.0)),
        lambda: ik.Prismatic((0.0, bad, 1.0)),
        lambda: ik.Hinge("x", (bad, bad)),
        lambda: ik.EulerBall("XYZ", (bad, bad)),
        lambda: ik.Ball((bad, bad), (-1, 1), (-1, 1)),
        lambda: ik.Ball((-1, 1), (-1, 1), (bad, bad)),
        lambda: ik.Free(((bad, bad), None, None)),
    ]
    for motion in motions:
        with pytest.raises(ik.PosewrightError):
            ik.Tree([ik.Joint("a", motion=motion())])
    settings: list[dict[str, Any]] = [
        {"rest": np.full((4, 4), bad)},
        {"rest": moved(bad)},
        {"stiffness": bad},
        {"rest_values": bad},
        {"held": {"tx": bad}},
        {"velocity": -bad if bad == math.inf else bad if math.isnan(bad) else 0.0},
    ]
    for setting in settings:
        with pytest.raises(ik.PosewrightError):
            ik.Tree([ik.Joint("a", motion=ik.EulerBall(), **setting)])
