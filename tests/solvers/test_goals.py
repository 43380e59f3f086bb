"""Every goal: its derivative against finite differences on random trees, its error in words that can be checked."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike

from posewright.solvers import goals as g
from posewright.solvers.errors import PosewrightError
from posewright.solvers.joints import Free, Joint
from posewright.solvers.problem import Problem
from posewright.solvers.rotation import from_vector, multiply, to_vector
from posewright.solvers.solve import solve
from posewright.solvers.tree import Tree
from posewright.tests import naive

Maker = Callable[[Tree, np.random.Generator], g.Goal]


def body(tree: Tree, rng: np.random.Generator) -> str:
    return str(rng.choice(tree.names))


def quaternion(rng: np.random.Generator) -> naive.Floats:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def joint_value(tree: Tree, rng: np.random.Generator) -> g.Goal:
    one = tree.variables[int(rng.integers(len(tree.variables)))]
    return g.JointValue(one.joint, float(rng.normal()), axis=one.axis, weight=float(rng.uniform(0, 2)))


def two_bodies(tree: Tree, rng: np.random.Generator) -> tuple[str, str]:
    first, second = rng.choice(tree.names, 2, replace=False)
    return str(first), str(second)


def distance(tree: Tree, rng: np.random.Generator) -> g.Goal:
    one, other = two_bodies(tree, rng)
    firsts: list[g.Sphere | g.Capsule] = [
        g.Sphere(one, 0.1, rng.normal(size=3)),
        g.Capsule(one, 0.05, rng.normal(size=3), rng.normal(size=3)),
    ]
    seconds: list[g.Sphere | g.Capsule | g.Plane | g.Box | g.Grid] = [
        g.Sphere(other, 0.2, rng.normal(size=3)),
        g.Sphere(None, 0.2, rng.normal(size=3)),
        g.Capsule(other, 0.1, rng.normal(size=3), rng.normal(size=3)),
        g.Capsule(None, 0.1, rng.normal(size=3), rng.normal(size=3)),
        g.Plane(rng.normal(size=3), rng.normal(size=3)),
        g.Box(rng.normal(size=3), rng.uniform(0, 1, 3), quaternion(rng)),
    ]
    second = seconds[int(rng.integers(6))]
    first = firsts[0 if isinstance(second, g.Box) else int(rng.integers(2))]
    weight, gap, margin = rng.uniform(0, 2), rng.uniform(0, 4), rng.uniform(0.1, 3)
    return g.Distance(first, second, gap=float(gap), margin=float(margin), weight=float(weight))


def distance_to_grid(tree: Tree, rng: np.random.Generator) -> g.Goal:
    """A sphere, and distances to another one that are a little rough."""
    side = np.linspace(-1.0, 1.0, 5)
    there = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1)
    values = np.linalg.norm(there, axis=-1) - 0.7 + 0.1 * np.random.default_rng(1).normal(size=(5, 5, 5))
    known = FIELDS.setdefault("rough", g.Field(values, (-1.0, -1.0, -1.0), 0.5))
    grid = g.Grid(known, rng.normal(size=3), quaternion(rng))
    return g.Distance(
        g.Sphere(body(tree, rng), 0.1, rng.normal(size=3)), grid, gap=float(rng.uniform(0, 4)), margin=1.0
    )


FIELDS: dict[str, g.Field] = {}  # the same object each time: by it a goal may take another's place


def joint_function(tree: Tree, rng: np.random.Generator) -> g.Goal:
    target, *others = (tree.variables[i] for i in rng.permutation(len(tree.variables))[:4])
    names = [f"'{one.joint}'.{one.axis}" for one in others]
    terms = "".join(f" + {rng.normal():.6f} * sin({name}) / (2 + {name}) - {name}" for name in names)
    together = " * ".join(names) if names else "1"
    expression = f"{rng.normal():.6f}{terms} - sqrt(2 + cos({together}))"
    return g.JointFunction(target.joint, expression, axis=target.axis, weight=float(rng.uniform(0, 2)))


def centre_of_mass(tree: Tree, rng: np.random.Generator) -> g.Goal:
    names = rng.choice(tree.names, 3, replace=False)
    masses = {str(name): (float(rng.uniform(0.1, 9)), rng.normal(size=3)) for name in names}
    return g.CentreOfMass(rng.normal(size=3), masses, axes=rng.uniform(0, 2, 3), weight=0.6)


def balance(tree: Tree, rng: np.random.Generator) -> g.Goal:
    names = rng.choice(tree.names, 3, replace=False)
    masses = {str(name): (float(rng.uniform(0.1, 9)), rng.normal(size=3)) for name in names}
    sides = [(rng.normal(size=3), float(rng.normal())) for _ in range(5)]
    return g.Balance(masses, sides, each=rng.uniform(0, 2, 5), weight=0.6)


def wire(tree: Tree, rng: np.random.Generator) -> g.Goal:
    joints: list[str | None] = [*two_bodies(tree, rng), body(tree, rng), None]
    points = [(joints[i], rng.normal(size=3)) for i in rng.permutation(4)]
    exact = bool(rng.integers(2))
    return g.Wire(points, float(rng.uniform(0, 6)), exact=exact, weight=float(rng.uniform(0, 2)))


def loop(tree: Tree, rng: np.random.Generator) -> g.Goal:
    first, second = two_bodies(tree, rng)
    point, other = rng.normal(size=3), rng.normal(size=3)
    return g.Loop(first, second, point=point, other=other, rotation=quaternion(rng), axes=rng.uniform(0, 2, 6))


def loop_of_points(tree: Tree, rng: np.random.Generator) -> g.Goal:
    first, second = two_bodies(tree, rng)
    return g.Loop(first, second, point=rng.normal(size=3), other=rng.normal(size=3), axes=rng.uniform(0, 2, 3))


MAKERS: dict[str, Maker] = {
    "position": lambda tree, rng: g.Position(
        body(tree, rng), rng.normal(size=3), point=rng.normal(size=3), axes=rng.uniform(0, 2, 3), frame=quaternion(rng)
    ),
    "orientation": lambda tree, rng: g.Orientation(body(tree, rng), quaternion(rng), axes=rng.uniform(0, 2, 3)),
    "pose": lambda tree, rng: g.Pose(
        body(tree, rng),
        rng.normal(size=3),
        quaternion(rng),
        point=rng.normal(size=3),
        axes=rng.uniform(0, 2, 6),
        frame=quaternion(rng),
    ),
    "look_at": lambda tree, rng: g.LookAt(
        body(tree, rng), rng.normal(size=3), point=rng.normal(size=3), direction=rng.normal(size=3)
    ),
    "displacement": lambda tree, rng: g.Displacement(
        reference=rng.normal(size=len(tree.variables)), each=rng.uniform(0, 2, len(tree.variables)), weight=0.7
    ),
    "joint_value": joint_value,
    "distance": distance,
    "distance to a grid": distance_to_grid,
    "joint_function": joint_function,
    "centre_of_mass": centre_of_mass,
    "balance": balance,
    "wire": wire,
    "loop": loop,
    "loop of points": loop_of_points,
}

KINDS = sorted(getattr(g, name).kind for name in g.__all__ if hasattr(getattr(g, name), "kind"))

seeds = st.integers(0, 2**32 - 1)


def random_joints(seed: int) -> list[Joint]:
    for attempt in range(100):
        joints = naive.random_joints(seed + attempt, 8)
        if Tree(joints).variables:
            return joints
    raise AssertionError("no tree with variables")


def random_tree(seed: int) -> Tree:
    return Tree(random_joints(seed))


@pytest.mark.parametrize("name", MAKERS)
@given(seed=seeds)
def test_jacobian_and_gradient_agree_with_finite_differences(name: str, seed: int) -> None:
    tree = random_tree(seed)
    problem = Problem(tree, [MAKERS[name](tree, np.random.default_rng(seed))])
    q = naive.random_pose(tree, seed, spread=0.9)
    jacobian, gradient, step = problem.jacobian(q), problem.gradient(q), 1e-6
    assert_allclose(gradient, jacobian.T @ (problem.arrays.weight * problem.residual(q)), atol=1e-12, rtol=1e-12)
    if np.linalg.norm(problem.residual(q)[-3:]) > 3.0 and name in {"orientation", "pose", "loop"}:
        return  # at a half turn the rotation vector jumps: no difference is meaningful there
    for variable in range(len(q)):
        change = np.zeros(len(q))
        change[variable] = step
        difference = (problem.residual(q + change) - problem.residual(q - change)) / (2 * step)
        assert_allclose(jacobian[:, variable], difference, atol=1e-6, rtol=1e-5)
        slope = (problem.cost(q + change) - problem.cost(q - change)) / (2 * step)
        assert_allclose(gradient[variable], slope, atol=1e-6, rtol=1e-5)


def test_every_kind_of_goal_is_tested_and_has_its_own_number() -> None:
    tree, rng = random_tree(5), np.random.default_rng(1)
    assert list(range(len(KINDS))) == KINDS
    assert {maker(tree, rng).kind for maker in MAKERS.values()} == set(KINDS)


def place_of(bodies: dict[str, naive.Floats], joint: str | None, point: ArrayLike) -> naive.Floats:
    """A point of a body's frame, or of the tree's, in the tree's space."""
    local = np.asarray(point, float)
    return local if joint is None else bodies[joint][:3, :3] @ local + bodies[joint][:3, 3]


def rows_of(goal: g.Goal, bodies: dict[str, naive.Floats]) -> naive.Floats:
    """A goal's rows as its docstring has them; of those about a turn, none."""
    if isinstance(goal, g.Position | g.Pose):
        target = goal.target if isinstance(goal, g.Position) else goal.position
        off = place_of(bodies, goal.joint, goal.point) - np.asarray(target)
        return np.asarray(naive.matrix_of(np.asarray(goal.frame)).T @ off)
    if isinstance(goal, g.LookAt):
        looks = bodies[goal.joint][:3, :3] @ np.asarray(goal.direction)
        towards = np.asarray(goal.target) - place_of(bodies, goal.joint, goal.point)
        return np.asarray(looks / np.linalg.norm(looks) - towards / np.linalg.norm(towards))
    if isinstance(goal, g.Wire):
        places = [place_of(bodies, joint, point) for joint, point in goal.points]
        over = sum(math.dist(one, other) for one, other in itertools.pairwise(places)) - goal.longest
        return np.array([over if goal.exact else max(over, 0.0)])
    if isinstance(goal, g.Distance):
        return np.array([hinge(goal.gap + goal.margin - apart(goal, bodies), goal.margin)])
    assert isinstance(goal, g.Orientation)
    return np.zeros(0)


def apart(goal: g.Distance, bodies: dict[str, naive.Floats]) -> float:
    """The distance between the surfaces of a sphere or capsule and of a sphere or plane."""
    first, second = goal.first, goal.second
    locals_ = (first.start, first.end) if isinstance(first, g.Capsule) else (first.centre,)
    ends = [place_of(bodies, first.joint, local) for local in locals_]
    if isinstance(second, g.Plane):
        up = np.asarray(second.normal) / np.linalg.norm(second.normal)
        return min(float(up @ (end - np.asarray(second.point))) for end in ends) - first.radius
    assert isinstance(second, g.Sphere)
    return math.dist(ends[0], place_of(bodies, second.joint, second.centre)) - first.radius - second.radius


def hinge(near: float, margin: float) -> float:
    return 0.0 if near <= 0.0 else near**2 / (2.0 * margin) if near <= margin else near - 0.5 * margin


def turn_of(goal: g.Goal, bodies: dict[str, naive.Floats]) -> naive.Floats | None:
    """How a body is turned from where a goal wants it, in the target's own axes."""
    if isinstance(goal, g.Orientation | g.Pose):
        target = goal.target if isinstance(goal, g.Orientation) else goal.rotation
        return np.asarray(naive.matrix_of(np.asarray(target)).T @ bodies[goal.joint][:3, :3])
    return None


def spheres(tree: Tree, rng: np.random.Generator) -> g.Goal:
    one, other = two_bodies(tree, rng)
    second = g.Sphere(other if rng.random() < 0.7 else None, 0.2, rng.normal(size=3))
    return g.Distance(g.Sphere(one, 0.1, rng.normal(size=3)), second, gap=float(rng.uniform(0, 4)), margin=0.7)


def plane(tree: Tree, rng: np.random.Generator) -> g.Goal:
    one, second = body(tree, rng), g.Plane(rng.normal(size=3), rng.normal(size=3))
    capsule = g.Capsule(one, 0.05, rng.normal(size=3), rng.normal(size=3))
    first = capsule if rng.random() < 0.5 else g.Sphere(one, 0.1, rng.normal(size=3))
    return g.Distance(first, second, gap=float(rng.uniform(0, 4)), margin=0.7)


TWINS = {name: MAKERS[name] for name in ("position", "orientation", "pose", "look_at", "wire")}
TWINS |= {"spheres": spheres, "plane": plane}


@pytest.mark.parametrize("name", TWINS)
@given(seed=seeds)
def test_rows_are_what_the_goal_says(name: str, seed: int) -> None:
    """By products of matrices; those about a turn are the vector of a rotation by half a turn at most."""
    joints = random_joints(seed)
    tree = Tree(joints)
    goal, q = TWINS[name](tree, np.random.default_rng(seed)), naive.random_pose(tree, seed)
    bodies = dict(zip(tree.names, naive.forward(joints, q), strict=True))
    rows, expected, turn = Problem(tree, [goal]).residual(q), rows_of(goal, bodies), turn_of(goal, bodies)
    assert_allclose(rows[: len(expected)], expected, atol=1e-12)
    assert len(rows) == len(expected) + (0 if turn is None else 3)
    if turn is not None:
        assert_allclose(naive.turn(rows[len(expected) :]), turn, atol=1e-9)
        assert np.linalg.norm(rows[len(expected) :]) <= math.pi + 1e-9


@given(seed=seeds)
def test_posture_weighs_each_variable_by_its_stiffness(seed: int) -> None:
    joints = random_joints(seed)
    tree, rng = Tree(joints), np.random.default_rng(seed)
    stiffness, each = np.concatenate([joint.stiffness for joint in joints]), rng.uniform(0, 2, len(tree.variables))
    q, reference = naive.random_pose(tree, seed), rng.normal(size=len(tree.variables))
    problem = Problem(tree, [g.Displacement(reference=reference, each=each, weight=0.7)])
    assert problem.cost(q) == pytest.approx(0.5 * 0.7 * float(np.sum(each * stiffness * (q - reference) ** 2)))


@given(seed=seeds)
def test_goals_add_up(seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    several = [maker(tree, rng) for maker in MAKERS.values()]
    q = naive.random_pose(tree, seed)
    alone = [Problem(tree, [goal]) for goal in several]
    together = Problem(tree, several)
    assert together.cost(q) == pytest.approx(sum(problem.cost(q) for problem in alone))
    assert_allclose(together.gradient(q), sum(problem.gradient(q) for problem in alone), atol=1e-12)


@pytest.mark.parametrize("name", MAKERS)
def test_a_goal_that_is_off_costs_nothing(name: str) -> None:
    tree = random_tree(5)
    goal = MAKERS[name](tree, np.random.default_rng(1))
    goal.on = False
    problem = Problem(tree, [goal])
    q = naive.random_pose(tree, 3)
    assert problem.cost(q) == 0.0
    assert not problem.gradient(q).any()


@pytest.mark.parametrize("name", MAKERS)
def test_a_goal_changed_in_place_is_a_goal_built_anew(name: str) -> None:
    tree = random_tree(7)
    old, new = (MAKERS[name](tree, np.random.default_rng(seed)) for seed in (1, 2))
    problem, q = Problem(tree, [old]), naive.random_pose(tree, 3)
    problem.change(0, new)
    assert problem.cost(q) == Problem(tree, [new]).cost(q)


def test_one_goal_does_not_take_the_place_of_another_kind() -> None:
    tree = random_tree(7)
    problem = Problem(tree, [g.Position(tree.names[0], (0, 0, 0))])
    with pytest.raises(PosewrightError, match="LookAt goal: cannot take the place of goal 0, a Position"):
        problem.change(0, g.LookAt(tree.names[0], (0, 0, 0)))


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (g.Position("nose", (0, 0, 0)), "unknown joint: 'nose'; the joints are j0"),
        (g.Position("j0", (0, 0, float("nan"))), "Position goal: target takes 3 finite numbers"),
        (g.Position("j0", (0, 0)), "Position goal: target takes 3 finite numbers"),
        (g.Position("j0", (0, 0, 0), weight=-1.0), "weights are finite and not negative"),
        (g.Position("j0", (0, 0, 0), axes=(1, -1, 1)), "weights are finite and not negative"),
        (g.Orientation("j0", (0, 0, 0, 0)), "length zero"),
        (g.LookAt("j0", (0, 0, 0), direction=(0, 0, 0)), "length zero"),
        (g.Position("j0", (0, 0, 0), axes=(1, 1)), "one weight, or one for each of 3 axes"),
        (g.JointValue("j0", 1.0, axis="w"), "has no variable 'w'"),
        (g.Distance(g.Sphere("j0", -0.1), g.Plane((0, 0, 0))), "radius is a finite number, zero or more, not -0.1"),
        (g.Distance(g.Sphere("j0", 0.1), g.Plane((0, 0, 0), (0, 0, 0))), "normal is a vector of length zero"),
        (g.Distance(g.Sphere("j0", 0.1), g.Plane((0, 0, 0)), margin=-1.0), "margin is a finite number"),
        (g.Distance(g.Sphere("j0", 0.1), g.Capsule("j0", 0.1, (0, 1, 0))), "no joint is between Sphere.*Capsule"),
        (g.Distance(g.Sphere(None, 0.1), g.Plane((0, 0, 0))), "no joint is between"),
        (g.Wire([("j0", (0, 0, 0)), ("j0", (1, 0, 0))], 0.1), "no joint is between its 2 points"),
        (g.Wire([], 0.1), "no joint is between its 0 points"),
        (g.Wire([(None, (0, 0, 0)), ("j0", (1, 0))], 0.1), "point 1 takes 3 finite numbers"),
        (g.Wire([(None, (0, 0, 0)), ("j0", (1, 0, 0))], -0.1), "longest is a finite number, zero or more"),
        (g.Loop("j0", "j0"), "no joint is between 'j0' and itself"),
        (g.Loop("j0", "nose"), "unknown joint: 'nose'"),
        (g.Loop("j0", "j1", rotation=(0, 0, 0, 0)), "rotation is a quaternion of length zero"),
        (g.Loop("j0", "j1", axes=(1,) * 6), "one weight, or one for each of 3 axes"),
        (g.CentreOfMass((0, 0, 0), {}), "no body has a mass"),
        (g.CentreOfMass((0, 0, 0), {"j0": (0.0, (0, 0, 0))}), "no body has a mass"),
        (g.CentreOfMass((0, 0, 0), {"j0": (-1.0, (0, 0, 0))}), "the mass of 'j0' is a finite number, zero or more"),
        (g.CentreOfMass((0, 0, 0), {"j0": (1.0, (0, 0))}), "centre of 'j0' takes 3 finite numbers"),
        (g.CentreOfMass((0, 0, 0), {"nose": (1.0, (0, 0, 0))}), "unknown joint: 'nose'"),
        (g.Balance({"j0": (0.0, (0, 0, 0))}, [((1, 0, 0), 0.0)]), "Balance goal: no body has a mass"),
        (g.Balance({"j0": (-1.0, (0, 0, 0))}, [((1, 0, 0), 0.0)]), "the mass of 'j0' is a finite number, zero or more"),
        (g.Balance({"j0": (1.0, (0, 0, 0))}, []), "it has no sides"),
        (g.Balance({"j0": (1.0, (0, 0, 0))}, [((0, 0, 0), 0.0)]), "normal 0 is a vector of length zero"),
        (g.Balance({"j0": (1.0, (0, 0, 0))}, [((1, 0, 0), math.inf)]), "limit 0 takes 1 finite numbers"),
    ],
)
def test_a_wrong_goal_is_named(goal: g.Goal, message: str) -> None:
    with pytest.raises(PosewrightError, match=message):
        Problem(random_tree(7), [goal])


@pytest.mark.parametrize("pose", [False, True])
def test_a_place_counts_along_the_axes_of_its_frame(pose: bool) -> None:
    tree = Tree([Joint("hand", motion=Free())])
    frame = (math.cos(0.25), 0.0, 0.0, math.sin(0.25))  # half a radian about z
    along = np.array([math.cos(0.5), math.sin(0.5), 0.0])  # its x axis
    axes = (1.0, 0.0, 0.0)
    goal: g.Goal = g.Position("hand", 2.0 * along, axes=axes, frame=frame)
    if pose:
        goal = g.Pose("hand", 2.0 * along, (1, 0, 0, 0), axes=(*axes, 0, 0, 0), frame=frame)
    across = np.array([-along[1], along[0], 0.0])
    problem = Problem(tree, [goal])
    assert problem.errors([*(2.0 * along + 5.0 * across), 0, 0, 0])[0].metres == pytest.approx(0.0, abs=1e-12)
    assert problem.errors([*(1.5 * along), 0, 0, 0])[0].metres == pytest.approx(0.5)


def test_looking_at_the_eye_itself_is_no_error() -> None:
    tree = random_tree(7)
    q = naive.random_pose(tree, 3)
    problem = Problem(tree, [g.LookAt("j3", tree.pose(q).positions[3])])
    assert problem.cost(q) == 0.0
    assert not problem.gradient(q).any()


def sliding(count: int = 2) -> Tree:
    """Free bodies that hang on nothing: each has its own tx, ty, tz, rx, ry, rz."""
    return Tree([Joint(f"j{index}", motion=Free()) for index in range(count)])


def placed(*places: tuple[float, float, float]) -> naive.Floats:
    """The pose of `sliding` bodies that are moved and not turned."""
    return np.concatenate([np.array([*place, 0.0, 0.0, 0.0]) for place in places])


@pytest.mark.parametrize(
    ("height", "residual", "error"),
    [(1.2, 0.0, 0.0), (1.1, 0.0, 0.0), (1.05, 0.0125, 0.0), (1.0, 0.05, 0.0), (0.8, 0.25, 0.2), (-1.0, 2.05, 2.0)],
)
def test_a_distance_costs_from_its_margin_on_and_is_an_error_from_its_gap_on(
    height: float, residual: float, error: float
) -> None:
    ground = g.Distance(g.Sphere("j0", 0.3), g.Plane((5, 5, 0)), gap=0.7, margin=0.1)
    problem, q = Problem(sliding(1), [ground]), placed((0, 0, height))
    assert problem.residual(q)[0] == pytest.approx(residual, abs=1e-12)
    assert problem.errors(q)[0].metres == pytest.approx(error, abs=1e-12)
    assert problem.errors(q)[0].reached == (error == 0.0)


@given(st.lists(st.floats(-1, 1), min_size=12, max_size=12), st.sampled_from(["any", "crossing", "parallel", "points"]))
def test_capsules_are_as_far_apart_as_their_closest_points(numbers: list[float], case: str) -> None:
    a, b, c, d = np.array(numbers).reshape(4, 3)
    if case == "parallel":
        d = c + 1.5 * (b - a)
    elif case == "crossing":
        c = a + 0.3 * (b - a)
    elif case == "points":
        b, d = a, c
    gap = 10.0
    goal = g.Distance(g.Capsule("j0", 0.0, b, a), g.Capsule("j1", 0.0, d, c), gap=gap, margin=0.0)
    problem, q = Problem(sliding(), [goal]), np.zeros(12)
    found = gap - problem.residual(q)[0]
    share = np.linspace(0, 1, 401)[:, None]
    first, second = a + share * (b - a), c + share * (d - c)
    nearest = np.linalg.norm(first[:, None] - second[None], axis=-1).min()
    assert found <= nearest + 1e-9
    assert found >= nearest - 0.0025 * (np.linalg.norm(b - a) + np.linalg.norm(d - c)) - 1e-9
    assert np.isfinite(problem.gradient(q)).all()


def test_parallel_capsules_part_without_turning() -> None:
    goal = g.Distance(g.Capsule("j0", 0.1, (0, 1, 0), (0, -1, 0)), g.Capsule("j1", 0.1, (0, 1, 0), (0, -1, 0)), gap=1.0)
    push = -Problem(sliding(), [goal]).gradient(placed((0, 0, 0), (0.5, 0, 0)))
    assert_allclose(push[[3, 4, 5, 9, 10, 11]], 0.0, atol=1e-12)
    assert push[0] < 0.0 < push[6]


@pytest.mark.parametrize("end", [(0, 0, 0), (0, 1, 0)])
def test_things_with_one_centre_are_pushed_apart(end: tuple[float, float, float]) -> None:
    tree = sliding()
    problem = Problem(tree, [g.Distance(g.Capsule("j0", 0.1, end), g.Capsule("j1", 0.1, end), gap=0.2)])
    push = -problem.gradient(np.zeros(12))
    assert np.isfinite(push).all()
    assert problem.cost(push * 0.1) < problem.cost(np.zeros(12))


@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_a_one_sided_goal_that_pushes_no_more_has_no_cost_whatever_its_multiplier(margin: float) -> None:
    problem = Problem(sliding(1), [g.Distance(g.Sphere("j0", 0.1), g.Plane((0, 0, 0)), margin=margin)])
    problem.arrays.shift[0] = 0.05
    assert problem.cost(placed((0, 0, 1))) == 0.0
    assert problem.errors(placed((0, 0, 1)))[0].metres == 0.0
    assert problem.residual(placed((0, 0, -0.9)))[0] == pytest.approx(1.0 + 0.5 * margin)
    assert problem.cost(placed((0, 0, -0.9))) == pytest.approx(0.5 * (1.05 + 0.5 * margin) ** 2)
    assert problem.errors(placed((0, 0, -0.9)))[0].metres == pytest.approx(1.0)


@given(seed=seeds)
def test_the_centre_of_mass_is_the_mean_of_the_bodies_by_mass(seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    masses = {name: (float(rng.uniform(0, 5)), rng.normal(size=3)) for name in tree.names}
    q, target = naive.random_pose(tree, seed), rng.normal(size=3)
    pose, total, moment = tree.pose(q), 0.0, np.zeros(3)
    for index, (mass, centre) in enumerate(masses.values()):
        total += mass
        moment += mass * (pose.positions[index] + naive.matrix_of(pose.rotations[index]) @ centre)
    assert_allclose(Problem(tree, [g.CentreOfMass(target, masses)]).residual(q), moment / total - target, atol=1e-12)


def test_balancing_leaves_the_height_free() -> None:
    goal = g.CentreOfMass((1, 2, 0), {"j0": (1.0, (0, 0, 0)), "j1": (3.0, (0, 0, 0))}, axes=(1, 1, 0))
    error = Problem(sliding(), [goal]).errors(placed((1, 6, 9), (1, 2, 9)))[0]
    assert error.metres == pytest.approx(1.0)  # a quarter of the mass, 4 m off


@given(seed=seeds)
def test_balance_is_how_far_the_mean_of_the_bodies_is_beyond_each_side(seed: int) -> None:
    tree, rng = random_tree(seed), np.random.default_rng(seed)
    masses = {name: (float(rng.uniform(0, 5)), rng.normal(size=3)) for name in tree.names}
    sides = [(rng.normal(size=3), float(rng.normal())) for _ in range(6)]
    q = naive.random_pose(tree, seed)
    centre = Problem(tree, [g.CentreOfMass((0, 0, 0), masses)]).residual(q)
    off = [float(normal @ centre - limit) / float(np.linalg.norm(normal)) for normal, limit in sides]
    assert_allclose(Problem(tree, [g.Balance(masses, sides)]).residual(q), np.maximum(off, 0.0), atol=1e-12)


def test_balance_pulls_only_beyond_its_sides_and_leaves_the_height_free() -> None:
    square = [((1, 0, 0), 1.0), ((-1, 0, 0), 1.0), ((0, 1, 0), 1.0), ((0, -1, 0), 1.0)]
    problem = Problem(sliding(), [g.Balance({"j0": (1.0, (0, 0, 0)), "j1": (3.0, (0, 0, 0))}, square)])
    within, beyond = placed((-1, 2, 7), (1, 0.5, 9)), placed((6, 0, 7), (2, 0, 9))
    problem.arrays.shift[1] = 0.1  # of a side that pulled before
    assert problem.cost(within) == 0.0
    assert not problem.gradient(within).any()
    assert problem.errors(beyond)[0].metres == pytest.approx(2.0)
    assert_allclose(problem.gradient(beyond)[[0, 1, 2, 6, 7, 8]], [0.5, 0, 0, 1.5, 0, 0], atol=1e-12)


def test_only_a_taut_wire_pulls() -> None:
    wire = g.Wire([(None, (0, 0, 0)), ("j0", (0, 0, 0)), ("j1", (0, 0, 0))], 5.0)
    problem = Problem(sliding(), [wire])
    slack, taut = placed((3, 0, 0), (3, 1.9, 0)), placed((3, 0, 0), (3, 4, 0))
    assert problem.cost(slack) == 0.0
    assert not problem.jacobian(slack).any()
    assert problem.errors(slack)[0].reached
    assert problem.errors(taut)[0].metres == pytest.approx(2.0)
    pull = -problem.jacobian(taut)[0]
    assert_allclose(pull[:3], (-1, 1, 0), atol=1e-12)  # back along one segment, on along the next
    assert_allclose(pull[6:9], (0, -1, 0), atol=1e-12)


def test_an_exact_wire_pushes_too() -> None:
    wire = g.Wire([(None, (0, 0, 0)), ("j0", (0, 0, 0)), ("j1", (0, 0, 0))], 5.0, exact=True)
    problem = Problem(sliding(), [wire])
    short, long = placed((3, 0, 0), (3, 1.5, 0)), placed((3, 0, 0), (3, 4, 0))
    assert problem.residual(short)[0] == pytest.approx(-0.5)
    assert problem.errors(short)[0].metres == pytest.approx(0.5)
    assert problem.errors(long)[0].metres == pytest.approx(2.0)
    assert not problem.errors(short)[0].reached
    assert_allclose(problem.jacobian(short)[0, 6:9], (0, 1, 0), atol=1e-12)
    found = solve(problem, short)
    assert problem.errors(found.q)[0].metres < 1e-4


@pytest.mark.parametrize("longest", [0.0, 1.0])
def test_a_wire_through_points_that_coincide_pulls_finitely(longest: float) -> None:
    points = [("j0", (0, 0, 0)), ("j1", (0, 0, 0)), ("j1", (0, 0, 0)), (None, (0, 0, 2))]
    problem = Problem(sliding(), [g.Wire(points, longest)])
    assert problem.residual(np.zeros(12))[0] == 2.0 - longest
    assert_allclose(problem.jacobian(np.zeros(12))[0], [0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0], atol=1e-12)


def test_a_wire_that_has_become_slack_has_no_cost_whatever_its_multiplier() -> None:
    problem = Problem(sliding(1), [g.Wire([(None, (0, 0, 0)), ("j0", (0, 0, 0))], 1.0)])
    problem.arrays.shift[0] = 0.25
    assert problem.cost(placed((0, 0, 0.5))) == 0.0
    assert problem.residual(placed((0, 0, 2)))[0] == 1.0
    assert problem.cost(placed((0, 0, 2))) == 0.5 * 1.25**2
    assert problem.errors(placed((0, 0, 2)))[0].metres == 1.0


@given(seed=seeds)
def test_a_loop_is_closed_where_points_and_rotations_meet(seed: int) -> None:
    tree, rng = sliding(), np.random.default_rng(seed)
    point, other, rotation, q = rng.normal(size=3), rng.normal(size=3), quaternion(rng), rng.normal(size=12)
    turns = [naive.turn(q[3:6]), naive.turn(q[9:12])]
    problem = Problem(tree, [g.Loop("j0", "j1", point=point, other=other, rotation=rotation)])
    apart = q[:3] + turns[0] @ point - q[6:9] - turns[1] @ other
    assert_allclose(problem.residual(q)[:3], turns[1].T @ apart, atol=1e-12)
    assert_allclose(naive.turn(problem.residual(q)[3:]), (turns[1] @ naive.matrix_of(rotation)).T @ turns[0], atol=1e-9)
    error = problem.errors(q)[0]
    assert error.metres == pytest.approx(np.linalg.norm(apart))
    assert not error.reached

    closed = q.copy()
    vector = to_vector(multiply(from_vector((q[9], q[10], q[11]))[0], tuple(rotation.tolist())))
    closed[3:6] = vector
    closed[:3] = q[6:9] + turns[1] @ other - naive.turn(closed[3:6]) @ point
    assert problem.errors(closed)[0].reached


@given(seed=seeds)
def test_a_loop_does_not_care_where_both_bodies_are_together(seed: int) -> None:
    """With unequal weights too: the axes lie on the second body."""
    above = Joint("root", motion=Free())
    tree = Tree([above, *(Joint(name, "root", motion=Free()) for name in ("j0", "j1"))])
    rng = np.random.default_rng(seed)
    problem, q = Problem(tree, [loop(sliding(), rng)]), rng.normal(size=18)
    moved = np.concatenate([rng.normal(size=6), q[6:]])
    assert problem.cost(moved) == pytest.approx(problem.cost(q))
    assert_allclose(problem.gradient(q)[:6], 0.0, atol=1e-9)


def test_a_loop_with_a_free_axis_is_a_hinge() -> None:
    hinge = g.Loop("j0", "j1", rotation=(1, 0, 0, 0), axes=(1, 1, 1, 1, 1, 0))
    problem, turned = Problem(sliding(), [hinge]), np.zeros(12)
    turned[5] = 1.0
    assert problem.errors(turned)[0].reached
    turned[4] = 0.5
    assert not problem.errors(turned)[0].reached
