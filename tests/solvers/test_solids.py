"""Boxes and grids of distances: against slow twins, and that bodies get out of them and stay out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posewright import solvers as ik
from posewright.tests import naive
from posewright.tests.solvers.test_goals import placed, quaternion, sliding

seeds = st.integers(0, 2**32 - 1)
FAR = 50.0  # a gap so large that the residual is the distance itself
FEW = 100  # iterations


def distance_of(thing: ik.Box | ik.Grid, point: naive.Floats) -> float:
    """As the kernels have it."""
    goal = ik.Distance(ik.Sphere("j0", 0.0), thing, gap=FAR, margin=0.0)
    return float(FAR - ik.Problem(sliding(1), [goal]).residual(placed(tuple(point.tolist())))[0])


def slope_of(thing: ik.Box | ik.Grid, point: naive.Floats) -> naive.Floats:
    goal = ik.Distance(ik.Sphere("j0", 0.0), thing, gap=FAR, margin=0.0)
    found: naive.Floats = -ik.Problem(sliding(1), [goal]).jacobian(placed(tuple(point.tolist())))[0, :3]
    return found


def off_box(box: ik.Box, point: naive.Floats) -> float:
    """By all faces: outside, how far the nearest point of the box is; inside, how far the nearest face."""
    local = naive.matrix_of(np.array(box.rotation)).T @ (point - np.array(box.centre, float))
    nearest = np.clip(local, -np.array(box.sizes), box.sizes)
    if (nearest != local).any():
        return float(np.linalg.norm(local - nearest))
    return -float(min(size - abs(place) for size, place in zip(np.array(box.sizes), local, strict=True)))


@given(seed=seeds)
def test_the_distance_to_a_box_is_that_to_its_nearest_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    box = ik.Box(rng.normal(size=3), rng.uniform(0.1, 1, 3), quaternion(rng))
    point = np.array(box.centre, float) + rng.normal(size=3)
    assert distance_of(box, point) == pytest.approx(off_box(box, point), abs=1e-12)
    assert np.linalg.norm(slope_of(box, point)) == pytest.approx(1.0)


def test_the_middle_of_a_box_has_a_way_out() -> None:
    box = ik.Box((0.0, 0.0, 0.0), (0.3, 0.2, 0.4))
    assert distance_of(box, np.zeros(3)) == pytest.approx(-0.2)
    assert np.abs(slope_of(box, np.zeros(3))).tolist() == [0.0, 1.0, 0.0]


def field(rng: np.random.Generator, shape: tuple[int, int, int] = (3, 4, 5)) -> ik.Field:
    return ik.Field(rng.normal(size=shape), (-0.3, 0.1, 0.2), 0.25)


def off_grid(grid: ik.Grid, point: naive.Floats) -> float:
    """Of the eight corners around a point, or around the nearest one inside, and how far that is."""
    known = grid.field
    local = naive.matrix_of(np.array(grid.rotation)).T @ (point - np.array(grid.place, float))
    where = (local - known.origin) / known.cell
    inside = np.clip(where, 0, np.array(known.values.shape) - 1)
    low = np.minimum(inside.astype(int), np.array(known.values.shape) - 2)
    total = 0.0
    for corner in np.ndindex(2, 2, 2):
        share = np.where(corner, inside - low, 1 - (inside - low)).prod()
        total += float(share * known.values[tuple(low + corner)])
    return total + known.cell * float(np.linalg.norm(where - inside))


@given(seed=seeds)
def test_a_grid_is_interpolated_between_its_corners_and_goes_on_outside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid = ik.Grid(field(rng), rng.normal(size=3), quaternion(rng))
    point = np.array(grid.place, float) + naive.matrix_of(np.array(grid.rotation)) @ rng.uniform(-1, 2, 3)
    assert distance_of(grid, point) == pytest.approx(off_grid(grid, point), abs=1e-12)


@pytest.mark.parametrize(
    ("values", "cell", "message"),
    [
        (np.zeros((3, 3)), 1.0, "two points or more a side"),
        (np.zeros((3, 1, 3)), 1.0, "two points or more a side"),
        (np.full((2, 2, 2), np.nan), 1.0, "finite"),
        (np.zeros((2, 2, 2)), 0.0, "positive cell"),
    ],
)
def test_what_is_no_grid_is_refused(values: naive.Floats, cell: float, message: str) -> None:
    with pytest.raises(ik.PosewrightError, match=message):
        ik.Field(values, (0.0, 0.0, 0.0), cell)


@pytest.mark.parametrize("thing", [ik.Box((0, 0, 0), (1, 1, 1)), ik.Grid(field(np.random.default_rng(1)))])
def test_a_capsule_against_a_solid_is_told_as_spheres(thing: ik.Box | ik.Grid) -> None:
    goal = ik.Distance(ik.Capsule("j0", 0.1, (0, 1, 0)), thing)
    with pytest.raises(ik.PosewrightError, match="row of spheres"):
        ik.Problem(sliding(1), [goal])


def ball(cells: int = 20) -> ik.Field:
    """Distances to a sphere of 0.5."""
    side = np.linspace(-1.0, 1.0, cells + 1)
    there = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1)
    return ik.Field(np.linalg.norm(there, axis=-1) - 0.5, (-1.0, -1.0, -1.0), 2.0 / cells)


def block(cells: int, sizes: tuple[float, float, float] = (0.2, 0.2, 0.2)) -> ik.Field:
    """Distances to a box of half these sizes, around the middle of so many cells."""
    side = np.linspace(-1.0, 1.0, cells + 1)
    beyond = np.abs(np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1)) - np.array(sizes)
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
    return ik.Field(outside + np.minimum(beyond.max(axis=-1), 0.0), (-1.0, -1.0, -1.0), 2.0 / cells)


def test_the_middle_cell_of_a_grid_has_a_way_out_to_the_nearest_side() -> None:
    for sizes in ((0.2, 0.2, 0.2), (0.3, 0.2, 0.4), (0.3, 0.4, 0.2)):
        slope = slope_of(ik.Grid(block(25, sizes)), np.zeros(3))
        assert np.linalg.norm(slope) == pytest.approx(1.0)
        assert np.abs(slope[int(np.argmin(sizes))]) == pytest.approx(1.0)
    for deep in (np.full((2, 2, 2), -1.0), np.full((4, 2, 3), -1.0)):  # nowhere does it rise
        grid = ik.Grid(ik.Field(deep, (0.0, 0.0, 0.0), 1.0))
        assert np.linalg.norm(slope_of(grid, 0.5 * np.array(deep.shape) - 0.5)) == pytest.approx(1.0)


def test_a_sphere_in_the_very_middle_of_a_mesh_gets_out_of_it() -> None:
    tree = sliding(1)
    off = ik.Distance(ik.Sphere("j0", 0.05), ik.Grid(block(25)), level=ik.Level.PIN)
    start = placed((0.0, 0.0, 0.0))
    problem = ik.Problem(tree, [off, ik.Displacement(weight=1e-3, reference=start)])
    found = ik.solve(problem, start, "auto", ik.Budget(restarts=0))
    assert found.errors[0].metres < 1e-3
    assert np.abs(found.q[:3]).max() == pytest.approx(0.25, abs=0.02)


def test_what_is_level_outside_stays_level() -> None:
    grid = ik.Grid(ik.Field(np.full((4, 4, 4), 0.1), (0.0, 0.0, 0.0), 1.0))
    assert slope_of(grid, np.full(3, 1.5)).tolist() == [0.0, 0.0, 0.0]


def arm() -> ik.Tree:
    joints = [ik.Joint("a", motion=ik.Ball())]
    for name, above in (("b", "a"), ("c", "b")):
        rest = np.eye(4)
        rest[1, 3] = 1.0
        joints.append(ik.Joint(name, above, rest, ik.Ball()))
    return ik.Tree(joints)


@pytest.mark.parametrize("which", ["box", "grid", "sphere", "plane"])
def test_a_hand_inside_a_thing_gets_out_of_it_and_one_that_is_drawn_in_stays_out(which: str) -> None:
    at = (0.0, 2.0, 0.2)
    things: dict[str, ik.Box | ik.Grid | ik.Sphere | ik.Plane] = {
        "box": ik.Box(at, (0.3, 0.3, 0.3)),
        "grid": ik.Grid(ball(), at),
        "sphere": ik.Sphere(None, 0.5, at),
        "plane": ik.Plane((0.0, 1.7, 0.0), (0.0, -1.0, 0.0)),
    }
    tree = arm()
    off = ik.Distance(ik.Sphere("c", 0.1), things[which], level=ik.Level.PIN)
    drawn_in = ik.Position("c", at)
    q = tree.start() + 0.01
    problem = ik.Problem(tree, [off, drawn_in, ik.Displacement(weight=1e-3, reference=q)])
    assert problem.errors(q)[0].metres > 0.1
    found = ik.solve(problem, q, "auto", ik.Budget(restarts=0))
    assert found.errors[0].metres < 1e-3
    assert 0.05 < found.errors[1].metres < 0.7


@pytest.mark.parametrize(
    ("round_thing", "seed"), [("capsule", 2), ("capsule", 7), ("sphere", 1), ("sphere", 2), ("sphere", 8)]
)
def test_an_arm_that_is_pressed_onto_what_is_round_finds_its_place_in_few_iterations(
    round_thing: str, seed: int
) -> None:
    """It slides around what it is pressed onto. With no curvature of the push that took up to 2,000; live makes 200."""
    rng, tree = np.random.default_rng(seed), arm()
    at, way = np.array((0.0, 1.4, 0.3)) + 0.2 * rng.normal(size=3), rng.normal(size=3)
    way *= 0.4 / np.linalg.norm(way)
    thing = ik.Capsule(None, 0.2, at + way, at - way) if round_thing == "capsule" else ik.Sphere(None, 0.3, at)
    parts = [ik.Capsule("b", 0.05, (0.0, 1.0, 0.0)), ik.Capsule("c", 0.05, (0.0, 0.2, 0.0))]
    off = [ik.Distance(part, thing, level=ik.Level.PIN) for part in parts]
    q = tree.start() + 0.3 * rng.normal(size=len(tree.variables))
    drawn_in = ik.Position("c", at + 0.02 * rng.normal(size=3))
    problem = ik.Problem(tree, [*off, drawn_in, ik.Displacement(weight=1e-3, reference=q)])
    found = ik.solve(problem, q, "levenberg", ik.Budget(restarts=0))
    assert found.status == ik.Status.CONVERGED
    assert found.iterations < FEW
    assert max(error.metres for error in found.errors[:2]) < 1e-3


def test_goals_share_a_grid_which_is_not_in_the_pool() -> None:
    tree, known = arm(), ball()
    grids = [ik.Grid(known, (x, 0, 0)) for x in (1.0, 2.0)]
    goals = [ik.Distance(ik.Sphere(name, 0.1), grid, gap=FAR) for name in "abc" for grid in grids]
    other = ik.Distance(ik.Sphere("c", 0.1), ik.Grid(ball(10), (1, 0, 0)), gap=FAR)
    problem = ik.Problem(tree, [*goals, other])
    assert len(problem.arrays.pool) == 0
    assert len(problem.arrays.grid) == 21**3 + 11**3
    q = naive.random_pose(tree, 3)
    for index, goal in enumerate([*goals, other]):
        assert problem.residual(q)[index] == ik.Problem(tree, [goal]).residual(q)[0] > 0.0
    moved = ik.Distance(ik.Sphere("c", 0.2), ik.Grid(known, (0, 1.9, 0)), gap=FAR)
    problem.change(0, moved)
    assert problem.residual(q)[0] == ik.Problem(tree, [moved]).residual(q)[0] > 0.0
    with pytest.raises(ik.PosewrightError, match="cannot take the place"):
        problem.change(0, other)


def test_on_the_frames_of_a_clip_a_grid_goes_where_it_is_told() -> None:
    tree, known = arm(), ball()
    frames = [
        [
            ik.Distance(ik.Sphere("c", 0.1), ik.Grid(known, (0.0, 2.0, 0.1 + height)), level=ik.Level.PIN),
            ik.Position("c", (0.1, 1.9, 0.1)),
            ik.Displacement(weight=1e-3, reference=tree.start()),
        ]
        for height in (0.0, 0.3, 3.0)
    ]
    problem = ik.Problem(tree, frames[0])
    clip = ik.Clip(problem, frames)
    assert clip.frames.pool.shape[1] == len(tree.variables)
    found = ik.solve_many(clip, tree.start() + 0.01, budget=ik.Budget(restarts=0))
    for frame, goals in enumerate(frames):
        alone = ik.solve(ik.Problem(tree, goals), tree.start() + 0.01, budget=ik.Budget(restarts=0))
        assert found.q[frame] == pytest.approx(alone.q, abs=1e-9)
    assert found.errors[2, 1, 0] < 1e-4
    assert found.errors[0, 1, 0] > 0.05
    assert math.isclose(found.errors[0, 0, 0], 0.0, abs_tol=1e-3)
