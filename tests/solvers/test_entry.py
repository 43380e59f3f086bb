"""Entries: what is bound to them is what they work on, wherever it is and whoever else has it."""

import copy
import gc
import math
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from posewright import compiled
from posewright import solvers as ik
from posewright.entry import Bound, entry
from posewright.solvers.rotation import Floats
from posewright.solvers.run import run
from posewright.solvers.solve import SOLVERS
from posewright.tests.solvers.test_compiled import python


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


class Inner(NamedTuple):
    flat: Floats
    table: Floats
    cube: Floats


class Outer(NamedTuple):
    inner: Inner
    marks: Any  # [n], bool
    counts: Any  # [n], int64
    none: Floats  # [0, 3]
    size: float
    number: int
    yes: bool


@entry
def add_up(one: Outer, other: Outer, into: Floats) -> float:
    """Every part of two tuples, so that one read from a wrong place would show."""
    place = 0
    for outer in (one, other):
        into[place] = outer.inner.flat[1] + 10.0 * outer.inner.table[1, 2] + 100.0 * outer.inner.cube[1, 0, 1]
        into[place + 1] = outer.number + (0.5 if outer.yes else 0.0) + (0.25 if outer.marks[1] else 0.0)
        into[place + 2] = outer.counts[0] + outer.none.shape[0] + 0.1 * outer.none.shape[1] + outer.size
        place += 3
    return one.size


def outer(rng: np.random.Generator, size: float = 1.5, number: int = -7) -> Outer:
    inner = Inner(rng.normal(size=4), rng.normal(size=(3, 4)), rng.normal(size=(2, 3, 2)))
    marks, counts = rng.integers(0, 2, 3).astype(bool), rng.integers(-(2**62), 2**62, 2)
    return Outer(inner, marks, counts, np.zeros((0, 3)), size, number, bool(marks[0]))


def expected(one: Outer, other: Outer) -> Floats:
    into = np.zeros(6)
    add_up.function(one, other, into)
    return into


def test_what_is_bound_is_read_from_every_place(rng: np.random.Generator) -> None:
    for size in (0.0, -0.0, 1e-320, math.inf, -2.5):
        given, into = (outer(rng, size), outer(rng, 2.0, 2**62)), np.zeros(6)
        found = add_up(*given, into)
        assert math.copysign(1.0, found) == math.copysign(1.0, size)
        assert found == size
        assert_array_equal(into, expected(*given))
    assert math.isnan(add_up(outer(rng, math.nan), outer(rng), np.zeros(6)))
    assert compiled.problem() == ""


def test_arrays_that_only_the_binding_knows_stay_where_they_are(rng: np.random.Generator) -> None:
    kept = []
    for _ in range(50):
        given, into = (outer(rng), outer(rng)), np.zeros(6)
        kept.append((add_up.bind(*given, into), into, expected(*given)))
        del given
    gc.collect()
    filler = [np.full(size, 1e9) for size in (2, 4, 6, 12) for _ in range(1000)]  # would take any room that is free
    for bound, into, right in kept * 2:
        into[:] = 0.0
        bound()
        assert_array_equal(into, right)
    assert len(filler) == 4000


def test_what_changes_in_an_array_is_seen(rng: np.random.Generator) -> None:
    given, into = (outer(rng), outer(rng)), np.zeros(6)
    bound = add_up.bind(*given, into)
    bound()
    given[0].inner.cube[:] += 1.0
    given[1].counts[:] = 3
    bound()
    assert_array_equal(into, expected(*given))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda bound: pickle.loads(pickle.dumps(bound))])
def test_a_copy_works_on_its_own_arrays(copied: Any, rng: np.random.Generator) -> None:
    bound = add_up.bind(outer(rng), outer(rng), np.zeros(6))
    bound()
    other: Bound[float] = copied(bound)
    other.arguments[0].inner.flat[:] = 77.0
    before = bound.arguments[2].copy()
    other()
    assert_array_equal(bound.arguments[2], before)
    assert_array_equal(other.arguments[2], expected(*other.arguments[:2]))
    assert other.arguments[2][0] != before[0]


def test_arrays_that_are_not_in_one_piece_are_refused(rng: np.random.Generator) -> None:
    for wrong in (np.zeros(12)[::2], np.zeros((3, 4)).T):
        with pytest.raises(TypeError, match="one after the other"):
            add_up.bind(outer(rng), outer(rng), wrong)
    with pytest.raises(TypeError, match="not str"):
        add_up.bind(outer(rng), "other", np.zeros(6))  # type: ignore[arg-type]


def test_compiled_code_refuses_arrays_of_other_kinds(rng: np.random.Generator) -> None:
    """They would be read as what they are not."""
    add_up(outer(rng), outer(rng), np.zeros(6))
    wrongs: list[Any] = [np.zeros(6, np.float32), np.zeros((6, 1)), np.zeros(6, np.int64)]
    for wrong in wrongs:
        with pytest.raises(TypeError, match="other kinds"):
            add_up(outer(rng), outer(rng), wrong)
    assert compiled.cache_folder().exists()


def test_entries_of_one_name_have_compiled_code_of_their_own(tmp_path: Path) -> None:
    source = "from posewright.entry import entry\n@entry\ndef twin(x, n):\n    x[0] = {} * n\n"
    for name, factor in (("one", 2), ("two", 3)):
        (tmp_path / f"{name}.py").write_text(source.format(factor))
    code = f"""
    sys.path.insert(0, {str(tmp_path)!r})
    import numpy, one, two
    x = numpy.zeros(1)
    found = [(module.twin(x, 5), x[0])[1] for module in (one, two)]
    stats = [module.twin.__dict__["compiled"].stats for module in (one, two)]
    print(json.dumps([found, [len(one.cache_hits) for one in stats], compiled.problem()]))
    """
    assert python(code, tmp_path) == [[10.0, 15.0], [0, 0], ""]
    assert python(code, tmp_path) == [[10.0, 15.0], [1, 1], ""]


def test_cached_code_for_other_kinds_is_dropped_and_compiled_anew(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("from posewright.entry import entry\n@entry\ndef first(x):\n    return x[0]\n")
    code = f"""
    sys.path.insert(0, {str(tmp_path)!r})
    import numpy, one
    print(json.dumps([float(one.first(numpy.array([1.5], numpy.KIND))), compiled.problem()]))
    """
    assert python(code.replace("KIND", "float64"), tmp_path) == [1.5, ""]
    assert python(code.replace("KIND", "float32"), tmp_path) == [1.5, ""]


def arm(length: float) -> ik.Tree:
    rest = np.eye(4)
    rest[1, 3] = length
    joints = [ik.Joint(f"j{i}", f"j{i - 1}" if i else None, rest, ik.Hinge("xzx"[i], (-2, 2))) for i in range(3)]
    return ik.Tree([*joints, ik.Joint("tip", "j2", rest, ik.Fixed())])


def test_many_problems_alive_at_once_do_not_disturb_one_another() -> None:
    trees = [arm(0.2 + 0.05 * i) for i in range(12)]
    goals = [ik.Position("tip", (0.1, 0.3 + 0.02 * i, 0.2)) for i in range(12)]
    alone = [ik.solve(ik.Problem(tree, [goal])).q for tree, goal in zip(trees, goals, strict=True)]
    problems = [ik.Problem(tree, [ik.Position("tip", (0, 0, 0))]) for tree in trees]
    for problem in problems:
        ik.solve(problem)
    for problem, goal in zip(problems, goals, strict=True):
        problem.change(0, goal)
    gc.collect()
    for problem, q in zip(problems, alone, strict=True):
        assert_array_equal(ik.solve(problem).q, q)


def test_a_copied_problem_has_a_life_of_its_own() -> None:
    """With the rooms that it was solved in, and though copied tables of a tree are no longer read-only."""
    problem = ik.Problem(arm(0.3), [ik.Position("tip", (0.1, 0.5, 0.2))])
    before = ik.solve(problem).q
    other = copy.deepcopy(problem)
    other.change(0, ik.Position("tip", (0.2, 0.4, -0.2)))
    assert np.abs(ik.solve(other).q - before).max() > 0.1
    assert_array_equal(ik.solve(problem).q, before)
    assert len(run.__dict__["compiled"].signatures) == 1


def test_a_state_follows_its_problem_to_other_tables() -> None:
    problem = ik.Problem(arm(0.3), [ik.Position("tip", (0.1, 0.5, 0.2))])
    free = ik.solve(problem).q
    narrow = np.full(3, 0.01)
    problem.evaluation = problem.evaluation._replace(lower=-narrow, upper=narrow)
    assert np.abs(ik.solve(problem).q).max() <= 0.01 < np.abs(free).max()


def test_solving_twice_in_the_same_room_gives_the_same_bits() -> None:
    """Nothing that an earlier solve left in a room is taken for the next."""
    problem = ik.Problem(arm(0.3), [ik.Position("tip", (0.1, 0.5, 0.2))])
    fresh = {solver: ik.solve(problem, solver=solver).q for solver in SOLVERS}
    problem.change(0, ik.Position("tip", (0.0, 9.0, 0.0)))
    for solver in fresh:
        ik.solve(problem, solver=solver)
    problem.change(0, ik.Position("tip", (0.1, 0.5, 0.2)))
    for solver, q in fresh.items():
        assert_array_equal(ik.solve(problem, solver=solver).q, q, err_msg=solver)


def test_another_last_argument_leaves_the_others_as_they_were(rng: np.random.Generator) -> None:
    given, into, other = (outer(rng), outer(rng)), np.zeros(6), np.zeros(6)
    bound = add_up.bind(*given, into)
    bound.with_last(other)()
    assert_array_equal(other, expected(*given))
    assert not into.any()
    bound()
    assert_array_equal(into, other)
    with pytest.raises(TypeError, match="other kinds"):
        bound.with_last(1.0)()
