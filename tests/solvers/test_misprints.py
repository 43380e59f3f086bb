"""The misprints and traps of the five papers: what is printed fails, and what we do instead holds, in numbers.

In other files:

    MD-IK 12, 14, 17, the shrunk box            test_mirror.py
    LM-PFD 66, put right                        test_avd.py
    LM-PFD appendix A, K transposed             test_articulated.py
    Sugihara 18, every target from 0.1 to 1 m   test_solve.py
    Bio-IK 18, φ the fitness and the count      test_memetic.py, the extinction factors
    Bio-IK §III-M, the same answer every time   test_memetic.py

Nothing to compute: "1e-3 s" in Bio-IK's §IV-B is 1 s; MD-IK's J, frozen over a solve, is for its benchmark only.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from posewright import solvers as ik
from posewright.benchmarks import avd
from posewright.solvers import evolution
from posewright.solvers.breeding import rank
from posewright.solvers.chance import new_chance
from posewright.solvers.goals.tables import Values
from posewright.solvers.memetic import MemeticOptions, new_colony
from posewright.solvers.rotation import to_vector
from posewright.solvers.tree import quaternion_of
from posewright.tests import naive
from posewright.tests.solvers.test_articulated import take_step
from posewright.tests.solvers.test_avd import problem_of, tree_of

Floats = naive.Floats
UPRIGHT, ALONG_X = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
HALF = math.sqrt(0.5)


def moved(x: float, y: float = 0.0, z: float = 0.0) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def plain(iterations: int, until_reached: bool = False) -> ik.Budget:
    """The plain cost, down to the last bit."""
    return ik.Budget(iterations, until_reached=until_reached, levels=False, gradient=0.0)


def slope(function: Callable[[float], float], at: float = 0.0, step: float = 1e-6) -> float:
    return (function(at + step) - function(at - step)) / (2.0 * step)


# LM-PFD


def twists(tree: ik.Tree, q: Floats, rates: Floats) -> Floats:
    """Each body's twist about the origin [bodies, 6] as its variables change, by finite differences."""
    step = 1e-6
    ahead, behind = tree.pose(q + step * rates), tree.pose(q - step * rates)
    found = np.zeros((len(tree.names), 6))
    for body, place in enumerate(tree.pose(q).positions):
        turn = naive.matrix_of(ahead.rotations[body]) @ naive.matrix_of(behind.rotations[body]).T
        found[body, :3] = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        found[body, 3:] = ahead.positions[body] - behind.positions[body]
        found[body] /= 2.0 * step
        found[body, 3:] -= np.cross(found[body, :3], place)
    return found


def test_what_a_joint_does_is_its_bodys_twist_less_its_parents() -> None:
    """LM-PFD 23 has the parent twice, which is nothing at all; 26 has no minus."""
    tree = tree_of(1)
    q, rates = naive.random_pose(tree, 1), np.random.default_rng(1).normal(size=len(tree.variables))
    problem = ik.Problem(tree, [])
    problem.cost(q)
    found, off = twists(tree, q, rates), {"ours": 0.0, "no minus": 0.0, "parent twice": 0.0}
    for body, parent in enumerate(tree.arrays.parent):
        first, count = tree.arrays.first[body], tree.arrays.freedom[body]
        own = rates[first : first + count] @ problem.evaluation.pose.axis[first : first + count]
        above = found[parent] if parent >= 0 else np.zeros(6)
        for name, between in {
            "ours": found[body] - above,
            "no minus": found[body] + above,
            "parent twice": above - above,
        }.items():
            off[name] = max(off[name], float(np.abs(between - own).max()))
    assert off["ours"] < 1e-7
    assert off["no minus"] > 1.0
    assert off["parent twice"] > 1.0


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
def test_what_a_joint_does_and_what_it_does_not_allow_make_up_every_twist(count: int) -> None:
    """LM-PFD 28, 29: as printed, CᵀK = 0 and KKᵀ + CCᵀ = 1, they fit three variables only, and are wrong there."""
    axes = np.random.default_rng(count).normal(size=(6, count))
    k, c = avd.split(axes)
    assert (k.shape, c.shape) == ((count, 6), (6 - count, 6))  # λ of 30, one for each row of C, has 6 - n too
    assert_allclose(c @ k.T, 0.0, atol=1e-14)
    assert_allclose(k.T @ k + c.T @ c, np.eye(6), atol=1e-14)
    assert_allclose(c @ axes, 0.0, atol=1e-14)
    if count == 3:
        assert np.abs(c.T @ k).max() > 0.1
        assert_allclose(k @ k.T + c @ c.T, 2.0 * np.eye(3), atol=1e-14)
    else:
        assert (k @ k.T).shape != (c @ c.T).shape
        with pytest.raises(ValueError, match="mismatch"):
            c.T @ k


@pytest.mark.parametrize("seed", range(3))
def test_the_penalty_lies_on_what_joints_do_not_allow(seed: int) -> None:
    """LM-PFD 66 has it on what they do: no step is left. 64, which 66 is to follow from, agrees with ours."""
    problem, q = problem_of(seed)
    bodies, damping, penalty = avd.bodies_of(problem, q), np.full(len(q), 0.1), 1e-6
    right, dense = avd.momentum_of(bodies, -bodies.gradient), avd.dense_step(problem, q, damping)
    size = float(np.linalg.norm(dense))

    def solved(matrix: Floats, others: int = 0) -> Floats:
        """The joints' rates; by least squares, because as printed nothing holds a body that no goal pulls on."""
        found = np.linalg.lstsq(matrix, np.concatenate([right.ravel(), np.zeros(others)]), rcond=None)[0]
        return avd.rates_of(bodies, found[: right.size].reshape(-1, 6))

    def whole(blocks: avd.Blocks) -> Floats:
        matrix = np.zeros((right.size, right.size))
        for (first, second), block in blocks.items():
            matrix[6 * first : 6 * first + 6, 6 * second : 6 * second + 6] = block
        return matrix

    printed = solved(whole(avd.matrix_of(bodies, damping + 1.0 / penalty, math.inf)))
    ours = avd.avd_step(problem, q, damping, penalty)
    assert np.linalg.norm(printed) < 1e-4 * size
    assert_allclose(ours, dense, atol=1e-3 * size)
    held = np.zeros((sum(len(one) for one in bodies.held), right.size))
    row = 0
    for body, (parent, c) in enumerate(zip(bodies.parent, bodies.held, strict=True)):
        held[row : row + len(c), 6 * body : 6 * body + 6] = c
        if parent >= 0:
            held[row : row + len(c), 6 * parent : 6 * parent + 6] = -c
        row += len(c)
    unheld = whole(avd.matrix_of(bodies, damping, math.inf))
    augmented = np.block([[unheld, held.T], [held, -penalty * np.eye(row)]])
    assert_allclose(solved(augmented, row), ours, atol=1e-6 * size)


def test_a_slack_wire_is_no_part_of_the_step_and_keeps_its_place() -> None:
    """LM-PFD 54, 57, 63 have every wire in B: one that is slack by metres would brake what lengthens it."""
    tree = ik.Tree([ik.Joint("a", motion=ik.Hinge("z")), ik.Joint("b", "a", moved(1.0), ik.Hinge("z"))])
    tip, q = ("b", (1.0, 0.0, 0.0)), np.array([0.3, 1.0])

    def problem(longest: float) -> ik.Problem:
        wire = ik.Wire([(None, (0.0, -1.0, 0.0)), tip], longest, weight=10.0)
        made = ik.Problem(tree, [ik.Position("b", (0.5, 1.9, 0.0), point=tip[1]), wire])
        made.cost(q)
        return made

    alone = ik.Problem(tree, [ik.Position("b", (0.5, 1.9, 0.0), point=tip[1])])
    damping, free = np.full(2, 1e-2), np.ones(2, bool)
    slack, taut = problem(10.0), problem(0.0)
    printed = np.linalg.solve(
        alone.jacobian(q).T @ alone.jacobian(q) + 10.0 * np.outer(*[taut.jacobian(q)[3]] * 2) + np.diag(damping),
        -alone.gradient(q),
    )
    expected = avd.dense_step(alone, q, damping)
    slack.cost(q)
    assert_allclose(take_step(slack.evaluation, damping, free), expected, rtol=1e-12)
    assert_allclose(avd.avd_step(slack, q, damping, 1e-9), expected, rtol=1e-4)
    assert np.linalg.norm(printed - expected) > 0.3 * np.linalg.norm(expected)

    def sizes(values: Values) -> tuple[int, int, int]:
        return len(values.residual), len(values.tap_row), int((values.tap_row >= 0).sum())

    taut.cost(q)
    assert sizes(slack.evaluation.values) == (4, 5, 3)
    assert sizes(taut.evaluation.values) == (4, 5, 4)  # the wire's other end is fixed in space


def four_bars() -> tuple[ik.Tree, ik.Loop]:
    """A linkage with one freedom: two bars from one side, one from the other, and what holds them together."""
    joints = [
        ik.Joint("a", motion=ik.Hinge("z")),
        ik.Joint("b", "a", moved(0.5), ik.Hinge("z")),
        ik.Joint("c", None, moved(1.0), ik.Hinge("z")),
    ]
    return ik.Tree(joints), ik.Loop("b", "c", point=(1.0, 0.0, 0.0), other=(0.8, 0.0, 0.0), level=ik.Level.PIN)


def test_a_loop_is_closed_and_not_only_kept_from_moving() -> None:
    """LM-PFD 25 holds velocities: after one turn of the crank the loop is open by centimetres."""
    tree, loop = four_bars()
    problem = ik.Problem(tree, [ik.JointValue("a", 0.0), loop])
    q = ik.solve(problem, [0.0, 1.0, 2.0]).q
    assert problem.errors(q)[1].metres < 1e-4
    drifting, drift, closed = q.copy(), 0.0, 0.0
    for turn in np.linspace(0.0, 2.0 * math.pi, 41)[1:]:
        along = np.linalg.svd(problem.jacobian(drifting)[1:3])[2][-1]  # J · along = 0: what 25 allows
        drifting += along / along[0] * 2.0 * math.pi / 40
        drift = max(drift, problem.errors(drifting)[1].metres)
        problem.change(0, ik.JointValue("a", float(turn)))
        for solver in ("levenberg", "pseudo_dynamics"):
            result = ik.solve(problem, q, solver)
            closed = max(closed, result.errors[1].metres)
        q = result.q
    assert drift > 0.02
    assert closed < 1e-4
    assert q[0] == pytest.approx(2.0 * math.pi, abs=1e-3)


def test_the_manipulators_targets_contradict_each_other() -> None:
    """LM-PFD 67, 68 at N = 60: one point is to be at 0.5 and at 0.517, so f < 1e-6 cannot be. With FK's, it can."""
    count, spacing = 60, 1.5 / (60 - 2)
    bodies = count // 3
    tree = ik.Tree([ik.Joint(f"{i}", f"{i - 1}" if i else None, moved(spacing if i else 0.0)) for i in range(bodies)])
    tip = (spacing, 0.0, 0.0)
    printed: list[ik.Goal] = [ik.Pose(f"{bodies - 1}", (0.5, 0.0, 0.0), (HALF, 0.0, HALF, 0.0), point=tip)]
    printed += [ik.Position(f"{i}", (1.5 * (i + 1) / (count - 2), 0.0, 0.0), point=tip) for i in range(bodies)]
    assert 1.5 * bodies / (count - 2) == pytest.approx(0.517, abs=5e-4)
    pose = tree.pose(naive.random_pose(tree, 1, 0.3))
    places = [place + naive.matrix_of(turn) @ tip for place, turn in zip(pose.positions, pose.rotations, strict=True)]
    reachable: list[ik.Goal] = [ik.Pose(f"{bodies - 1}", places[-1], pose.rotations[-1], point=tip)]
    reachable += [ik.Position(f"{i}", place, point=tip) for i, place in enumerate(places)]
    start, budget = naive.random_pose(tree, 2, 0.1), ik.Budget(200, levels=False)
    least = 0.25 * (1.5 * bodies / (count - 2) - 0.5) ** 2  # halfway between the two, whatever the links' lengths
    for solver in ("pseudo_dynamics", "levenberg"):
        assert ik.solve(ik.Problem(tree, printed), start, solver, budget).cost >= least > 7e-5
        assert ik.solve(ik.Problem(tree, reachable), start, solver, budget).cost < 1e-6


# Sugihara


def arm(direction: tuple[float, float, float], scale: float = 1.0) -> ik.Tree:
    """Fig. 1: four balls, three links of 0.15 m and a hand of 0.05 m, laid along `direction` in the rest pose."""
    joints, along = [ik.Joint("0")], np.array(direction) * scale
    for i, length in enumerate((0.15, 0.15, 0.15, 0.05)):
        joints.append(ik.Joint(f"{i + 1}", f"{i}", moved(*(along * length)), ik.Ball() if i < 3 else ik.Fixed()))
    return ik.Tree(joints)


def reach(tree: ik.Tree, x: float, *others: ik.Goal) -> ik.Problem:
    """Eq. 23: the hand at x, turned by a quarter about y; met to 1e-6."""
    goal = ik.Pose("4", (x, 0.0, 0.0), (HALF, 0.0, HALF, 0.0), metres=1e-6, radians=1e-6)
    return ik.Problem(tree, [goal, *others])


BENT = naive.random_pose(arm(UPRIGHT), 1, 0.2)  # not at rest, which is singular


def test_the_steepest_way_down_is_along_plus_g() -> None:
    """Sugihara 22: with e = target - position, g = JᵀWe is minus the gradient."""
    problem = reach(arm(UPRIGHT), 0.3)
    error, jacobian, before = -problem.residual(BENT), problem.jacobian(BENT), problem.cost(BENT)
    g = jacobian.T @ error
    step = before / (g @ g) * g
    assert problem.cost(BENT - step) > 1.5 * before
    assert problem.cost(BENT + step) < 0.7 * before
    ours = ik.solve(problem, BENT, "line_search_paper", plain(1)).q - BENT
    assert ours @ g / np.linalg.norm(ours) / np.linalg.norm(g) == pytest.approx(1.0)


def by_matrix(matrix: Floats) -> Floats:
    """Sugihara 24-26."""
    if np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0:
        return math.pi / 2.0 * (np.diag(matrix) + 1.0) if np.trace(matrix) < 0.0 else np.zeros(3)
    twice = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    length = float(np.linalg.norm(twice))
    with np.errstate(all="ignore"):
        return np.float64(math.atan2(length, np.trace(matrix) - 1.0)) / np.float64(length) * twice


def test_a_half_turn_about_a_slanted_axis_has_an_angle() -> None:
    """Sugihara 24-26: l is zero there, though R is not diagonal."""
    slanted, straight = (0.0, HALF, HALF, 0.0), (0.0, 0.0, 1.0, 0.0)
    matrix = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    assert_allclose(naive.matrix_of(np.array(slanted)), matrix, atol=1e-15)
    assert np.isnan(by_matrix(matrix)).all()
    assert_allclose(to_vector(slanted), np.array([1.0, 1.0, 0.0]) * HALF * math.pi, rtol=1e-15)
    assert_allclose(by_matrix(np.diag([-1.0, 1.0, -1.0])), to_vector(straight), rtol=1e-15)
    assert_allclose(by_matrix(naive.turn(np.array([0.1, 0.2, 0.3]))), [0.1, 0.2, 0.3], rtol=1e-12)
    problem = ik.Problem(ik.Tree([ik.Joint("a")]), [ik.Orientation("a", slanted)])
    assert problem.errors(np.zeros(3))[0].radians == pytest.approx(math.pi, rel=1e-15)
    assert ik.solve(problem, np.zeros(3)).errors[0].reached


@pytest.mark.parametrize("x", [0.3, 0.5, 0.7, 1.0])
def test_the_arm_lies_along_z_at_rest(x: float) -> None:
    """Sugihara's fig. 1: only so does the residual beyond 0.5 m grow as x - 0.5; along x the hand must turn away."""
    costs = {}
    for direction in (UPRIGHT, ALONG_X):
        problem, budget = reach(arm(direction), x), ik.Budget(500, levels=False)
        starts = (naive.random_pose(problem.tree, seed, 0.3) for seed in range(5))
        costs[direction] = min(ik.solve(problem, start, "levenberg", budget).cost for start in starts)
    assert costs[UPRIGHT] == pytest.approx(0.5 * max(x - 0.5, 0.0) ** 2, rel=1e-9, abs=1e-12)
    if x < 0.5:
        assert costs[ALONG_X] < 1e-12
    else:
        assert costs[ALONG_X] > costs[UPRIGHT] + 1e-3


def test_at_full_stretch_damping_by_the_residual_creeps() -> None:
    """Sugihara 18 at x = 0.5: 10,559 iterations to 1e-6; by the gain ratio 16. At 0.3 both take 9."""
    creeping, budget = plain(2000, until_reached=True), plain(40, until_reached=True)
    assert ik.solve(reach(arm(UPRIGHT), 0.3), BENT, "levenberg_sugihara", budget).status == ik.Status.REACHED
    assert not ik.solve(reach(arm(UPRIGHT), 0.5), BENT, "levenberg_sugihara", creeping).errors[0].reached
    for solver in ("levenberg", "pseudo_dynamics"):
        assert ik.solve(reach(arm(UPRIGHT), 0.5), BENT, solver, budget).status == ik.Status.REACHED


def test_a_far_target_is_followed_all_the_same() -> None:
    """Sugihara 18: 10 m away it takes 1336 iterations, ours 8; 1000 km away it hardly moves."""
    near, far = (reach(arm(UPRIGHT), x) for x in (10.0, 1e6))
    slow, quick = ik.Budget(200, levels=False, gradient=1e-9), ik.Budget(30, levels=False, gradient=1e-9)
    assert ik.solve(near, BENT, "levenberg_sugihara", slow).cost > 0.5 * 9.5**2 + 1e-6
    assert ik.solve(near, BENT, "levenberg", quick).cost == pytest.approx(0.5 * 9.5**2, rel=1e-12)
    assert np.abs(ik.solve(far, BENT, "levenberg_sugihara", slow).q - BENT).max() < 1e-3
    assert ik.solve(far, BENT, "levenberg", quick).errors[0].metres == pytest.approx(1e6 - 0.5, abs=1e-3)


@pytest.mark.parametrize("weight", [1e-3, 1e-2, 1e-1])
def test_a_posture_term_does_not_slow_it_down(weight: float) -> None:
    """Sugihara 18: E has a floor then, and damping with it: 212, 115 and 33 iterations; ours 13, 10 and 7."""
    problem = reach(arm(UPRIGHT), 0.3, ik.Displacement(weight=weight))
    budget = ik.Budget(1000, levels=False, gradient=1e-9)
    theirs, ours = (ik.solve(problem, BENT, solver, budget) for solver in ("levenberg_sugihara", "levenberg"))
    assert ours.status == ik.Status.CONVERGED
    assert ours.cost == pytest.approx(theirs.cost, rel=1e-9)
    assert ours.iterations < 20
    assert theirs.iterations > 3 * ours.iterations


SCALES = (2.0**-10, 2.0**-7, 1.0, 2.0**7, 2.0**10)  # powers of two: every number has the same digits


def scaled(scale: float, metres: float) -> ik.Problem:
    """The arm so many times larger, with its target and its tolerance."""
    target = np.array([0.3, 0.1, 0.05]) * scale
    return ik.Problem(arm(UPRIGHT, scale), [ik.Position("4", target, metres=metres * scale)])


def iterations(scale: float, solver: str, metres: float = 1e-6) -> float:
    """How many it takes; infinite if a thousand do not suffice."""
    result = ik.solve(scaled(scale, metres), BENT, solver, plain(1000, until_reached=True))
    return result.iterations if result.status == ik.Status.REACHED else math.inf


def test_the_bias_goes_with_the_size_of_the_body() -> None:
    """Sugihara's 1e-3 is in square metres: a mouse of 5 mm takes more than 1000 iterations where a man takes 7."""
    assert iterations(1.0, "levenberg_sugihara") < 12
    assert iterations(0.01, "levenberg_sugihara") == math.inf
    for solver in ("levenberg", "pseudo_dynamics"):
        taken = {iterations(scale, solver) for scale in SCALES}
        assert len(taken) == 1
        assert taken.pop() < 12


@pytest.mark.parametrize(
    ("weights", "least"), [((1.0, 1.0, 1.0), 0.0), ((1.0, 0.1, 3.0), 0.25), ((0.0, 1.0, 0.0), 0.25)]
)
def test_unequal_weights_pull_through_the_slope_of_the_rotation_vector(
    weights: tuple[float, float, float], least: float
) -> None:
    """∇½aᵀWa is not JᵀWa: at 1 rad that is a third off. With equal weights the two are the same."""
    tree, q = ik.Tree([ik.Joint("a", motion=ik.EulerBall())]), np.array([0.5, -0.3, 0.9])
    away = naive.turn(np.array([0.6, 0.7, -0.387]))
    target = quaternion_of(naive.matrix_of(tree.pose(q).rotations[0]) @ away)
    problem = ik.Problem(tree, [ik.Orientation("a", target, axes=weights)])
    assert np.linalg.norm(problem.residual(q)) == pytest.approx(1.0, abs=0.01)
    exact = np.array([slope(lambda t, axis=axis: problem.cost(q + t * axis)) for axis in np.eye(3)])  # type: ignore[misc]
    assert_allclose(problem.gradient(q), exact, atol=1e-8)
    turning = problem.evaluation.pose.axis[:, :3] @ naive.matrix_of(target)  # as the target's frame sees it
    simple = turning @ (np.array(weights) * problem.residual(q))
    off = np.linalg.norm(simple - exact) / np.linalg.norm(exact)
    assert off > least if least else off < 1e-7


# Bio-IK


def one_ball() -> ik.Tree:
    return ik.Tree([ik.Joint("a")])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_quaternion_and_its_negative_are_one_orientation(sign: float) -> None:
    """Bio-IK 15: 2 arccos of the dot itself makes them a full turn apart."""
    target, q = sign * np.array([math.cos(0.2), math.sin(0.2), 0.0, 0.0]), np.array([0.8, 0.0, 0.0])
    printed = 2.0 * math.acos(one_ball().pose(q).rotations[0] @ target)
    assert printed == pytest.approx(0.4 if sign > 0.0 else 2.0 * math.pi - 0.4)
    problem = ik.Problem(one_ball(), [ik.Orientation("a", target)])
    assert problem.errors(q)[0].radians == pytest.approx(0.4)
    assert_allclose(problem.gradient(q), [0.4, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("distance", [0.5, 1.0, 2.0, 1e3])
def test_looking_at_something_does_not_depend_on_how_far_it_is(distance: float) -> None:
    """Bio-IK 15: arccos of a direction times a way is an angle at 1 m only; beyond, the arccos of more than 1."""
    away = distance * np.array([0.0, math.cos(0.3), math.sin(0.3)])
    problem = ik.Problem(one_ball(), [ik.LookAt("a", away)])
    assert problem.errors(np.zeros(3))[0].radians == pytest.approx(0.3)
    with np.errstate(invalid="ignore"):
        printed = np.arccos(np.array([0.0, 1.0, 0.0]) @ away)
    assert (abs(printed - 0.3) < 1e-9) == (distance == 1.0)
    assert np.isnan(printed) == (distance > 1.1)


def test_displacement_has_no_kink() -> None:
    """Bio-IK 15, squared in 14: (Σ|x - x*|)² has one wherever a single variable is at its place."""
    tree = ik.Tree([ik.Joint("a", motion=ik.Hinge("x")), ik.Joint("b", "a", motion=ik.Hinge("x"))])
    problem, step = ik.Problem(tree, [ik.Displacement(weight=2.0)]), 1e-6

    def printed(b: float) -> float:
        return (abs(1.0) + abs(b)) ** 2

    def ours(b: float) -> float:
        return problem.cost([1.0, b])

    left, right = (printed(0.0) - printed(-step)) / step, (printed(step) - printed(0.0)) / step
    assert left == pytest.approx(-2.0, abs=1e-5)
    assert right == pytest.approx(2.0, abs=1e-5)
    left, right = (ours(0.0) - ours(-step)) / step, (ours(step) - ours(0.0)) / step
    assert abs(right - left) < 1e-5
    assert_allclose(problem.gradient([1.0, 0.5]), [2.0, 1.0])


def test_what_overlaps_is_pushed_apart_by_finite_numbers() -> None:
    """Bio-IK 15: an infinite error makes the extinction factors (18) NaN, and has no slope to go down by."""
    tree = ik.Tree([ik.Joint("a", motion=ik.Prismatic("x", (-2.0, 2.0)))])
    goal = ik.Distance(ik.Sphere("a", 0.2), ik.Sphere(None, 0.3), gap=0.1, margin=0.05)
    problem = ik.Problem(tree, [goal])

    def printed(x: float) -> float:
        apart = abs(x) - 0.2 - 0.3
        return math.inf if apart - 0.1 <= 0.0 else 1.0 / (apart - 0.1)

    fitness = np.array([printed(x) for x in (1.5, 1.0, 0.2)])
    with np.errstate(invalid="ignore"):
        extinction = (fitness + fitness[0] * (np.arange(3) / 2.0 - 1.0)) / fitness[-1]
        assert np.isnan(extinction[-1])
        assert math.isnan(printed(0.2 + 1e-6) - printed(0.2 - 1e-6))
    for x in (0.0, 1e-12, 0.2, 0.59, 0.6, 0.64):
        assert math.isfinite(problem.cost([x]))
        assert problem.gradient([x])[0] == pytest.approx(slope(lambda x: problem.cost([x]), x), abs=1e-6) or x < 1e-6
    for solver in ("levenberg", "line_search", "mirror", "pseudo_dynamics", "memetic"):
        assert ik.solve(problem, [0.2], solver).errors[0].reached
    colony = new_colony(problem.tree, MemeticOptions(population=3))
    state = evolution.population_of.function(colony, new_chance())  # even if a cost were infinite
    state.young.cost[:] = 1.0, 2.0, math.inf
    rank(state.old, state.young, state.pool, 1)
    assert_allclose(state.old.extinction[-1], 1.0)
    assert np.isfinite(state.old.extinction).all()


def test_the_square_of_the_fitness_is_smooth_where_every_goal_is_met() -> None:
    """Bio-IK 14: φ itself is a cone there. Its slope does not fall on the way to the tip, and turns round at it."""
    problem = reach(arm(UPRIGHT), 0.3)
    met = ik.solve(problem, BENT, budget=plain(200)).q
    way = np.random.default_rng(1).normal(size=len(met))
    slopes = {}
    for distance in (1e-2, 1e-3, 1e-4, 1e-5, -1e-5):
        q = met + distance * way
        squared, fitness = problem.gradient(q), math.sqrt(problem.cost(q))
        slopes[distance] = squared @ way, squared @ way / (2.0 * fitness)
    for larger, smaller in ((1e-2, 1e-3), (1e-3, 1e-4), (1e-4, 1e-5)):
        assert slopes[larger][0] / slopes[smaller][0] == pytest.approx(10.0, rel=0.05)
        assert slopes[larger][1] / slopes[smaller][1] == pytest.approx(1.0, rel=0.05)
    assert slopes[-1e-5][1] == pytest.approx(-slopes[1e-5][1], rel=0.01)
    assert slopes[1e-5][1] > 0.1


def test_a_population_that_hardly_improves_is_wiped_out() -> None:
    """Bio-IK 24, taken literally, goes on while any elite gains anything: 21 wipe-outs in 45 generations, ours 42."""
    joints = [ik.Joint("0", motion=ik.Hinge("z", (-2.5, 2.5)))]
    for i in range(1, 6):
        joints.append(ik.Joint(f"{i}", f"{i - 1}", moved(0.0, 0.3), ik.Hinge("zxyxyx"[i], (-2.5, 2.5))))
    problem = ik.Problem(ik.Tree(joints), [ik.Pose("5", (0.3, 3.5, 0.2), (0.5, 0.5, 0.5, 0.5))])  # 2 m out of reach

    def wipe_outs(solver: str) -> int:
        start = naive.random_pose(problem.tree, 1)
        count = 0
        for seed in range(3):
            state = ik.State(problem, start, solver, seed)
            ik.step(problem, state, ik.Budget(30, until_reached=True), 15)
            count += int(state.colony.counts[evolution.WIPE_OUTS])
        return count

    assert pytest.approx(0.9**2) == evolution.IMPROVED  # of the cost, which is φ²
    assert wipe_outs("memetic") >= 38
    assert wipe_outs("memetic_paper") <= 28


# The projected line search


def test_the_cross_product_has_its_usual_signs() -> None:
    """Line search A.8: the matrix printed is no cross product with anything."""
    axis, place = np.array([0.6, 0.8, 0.0]), np.array([0.3, -0.2, 0.5])
    tree = ik.Tree([ik.Joint("a", None, moved(*place), ik.Hinge(axis.tolist()))])
    problem, q = ik.Problem(tree, [ik.Position("a", (0.0, 0.0, 0.0), point=(0.7, 0.1, -0.4))]), np.array([0.8])
    way = problem.residual(q) - place
    x, y, z = axis
    printed = np.array([[0.0, y, -z], [-y, 0.0, x], [z, -x, 0.0]])
    exact = (problem.residual(q + 1e-6) - problem.residual(q - 1e-6)) / 2e-6
    assert_allclose(problem.jacobian(q)[:, 0], exact, atol=1e-9)
    assert_allclose(naive.cross_matrix(axis) @ way, exact, atol=1e-9)
    for sign in (1.0, -1.0):
        assert np.linalg.norm(sign * printed @ way - exact) > 0.5 * np.linalg.norm(exact)
    assert np.linalg.norm(printed @ axis) > 0.1  # an axis does not move itself


def test_a_balls_transform_keeps_what_lies_below_it_in_place() -> None:
    """Line search A.16: with 0 for its last entry, the joint's own place is lost."""
    tree = ik.Tree([ik.Joint("a", None, moved(1.0, 2.0, 3.0)), ik.Joint("b", "a", moved(0.0, 0.5))])
    turn = np.array([0.3, -0.8, 0.5])
    place = tree.pose([*turn, 0.0, 0.0, 0.0]).positions[1]
    for last, holds in ((1.0, True), (0.0, False)):
        first, second = moved(1.0, 2.0, 3.0), moved(0.0, 0.5)
        first[:3, :3] = naive.turn(turn)
        first[3, 3] = second[3, 3] = last
        found = (first @ second @ [0.0, 0.0, 0.0, 1.0])[:3]
        assert (np.linalg.norm(found - place) < 1e-12) == holds


@pytest.mark.parametrize("motion", [ik.Ball(), ik.Ball((-1, 1), (-1, 1), (-1, 1)), ik.EulerBall("ZXY"), ik.Free()])
def test_at_rest_a_ball_turns_every_way(motion: ik.Joint) -> None:
    """Line search A.16, A.19: Z Y Z does not. Two of its three axes are one."""
    z, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    printed = np.array([z, naive.turn(0.0 * z) @ y, naive.turn(0.0 * z) @ naive.turn(0.0 * y) @ z])
    assert np.linalg.matrix_rank(printed) == 2
    tree = ik.Tree([ik.Joint("a", motion=motion)])  # type: ignore[arg-type]
    problem = ik.Problem(tree, [])
    problem.cost(tree.start())
    turning = problem.evaluation.pose.axis[:, :3]
    assert np.linalg.svd(turning)[1][2] > 0.9


def test_the_cost_is_half_of_the_papers() -> None:
    """Line search 17 has no ½, so its gradient (26) is twice ours: one with the other would be no slope."""
    tree, q = arm(UPRIGHT), BENT
    problem = ik.Problem(tree, [ik.Position("4", (0.3, 0.1, 0.05), axes=(1.0, 2.0, 0.5))])
    weight = problem.arrays.weight
    papers = -2.0 * problem.jacobian(q).T @ (weight * -problem.residual(q))
    assert_allclose(papers, 2.0 * problem.gradient(q), rtol=1e-12)
    way = np.random.default_rng(1).normal(size=len(q))
    assert slope(lambda t: problem.cost(q + t * way)) == pytest.approx(0.5 * papers @ way, rel=1e-6)
    assert slope(lambda t: float(weight @ problem.residual(q + t * way) ** 2)) == pytest.approx(papers @ way, rel=1e-6)


def test_the_first_step_goes_with_the_size_of_the_body() -> None:
    """Line search, τ¹ = 1: radians for a gradient in square metres. A mouse does not move, a giant spins."""
    assert iterations(1.0, "line_search_paper", 1e-3) < 400
    for scale in (1e-2, 1e2):
        assert iterations(scale, "line_search_paper", 1e-3) == math.inf
    taken = {iterations(scale, "line_search", 1e-3) for scale in SCALES}
    assert len(taken) == 1
    assert taken.pop() < 60
