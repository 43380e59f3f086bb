"""The module that owns numba: lazy, content with any numba, and alive without one. Each case in its own process."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from posewright import compiled
from posewright import solvers as ik
from posewright.solvers.solve import SOLVERS
from posewright.tests.solvers.test_goals import MAKERS

ROTATE = """
    import sys
    from posewright import compiled
    from posewright.solvers import rotation
    def rotate():
        return list(rotation.rotate((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0)))
"""


def python(code: str, cache: Path, **environment: str) -> Any:
    """Run code in a fresh interpreter; it prints one JSON value."""
    settings = os.environ | {"XDG_CACHE_HOME": str(cache)} | environment
    program = textwrap.dedent(ROTATE) + "\nimport json\n" + textwrap.dedent(code)
    run = subprocess.run([sys.executable, "-c", program], env=settings, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_numba_is_imported_by_the_first_kernel_that_runs_and_not_before(tmp_path: Path) -> None:
    said = python(
        "a = 'numba' in sys.modules; r = rotate(); print(json.dumps([a, 'numba' in sys.modules, r]))", tmp_path
    )
    assert said == [False, True, [-1.0, -2.0, 3.0]]


def test_kernels_run_compiled_and_are_kept_in_our_folder_alone(tmp_path: Path) -> None:
    code = "rotate(); print(json.dumps([compiled.problem(), rotation.rotate.run is rotation.rotate.compiled]))"
    assert python(code, tmp_path) == ["", True]
    assert [path.suffix for path in tmp_path.rglob("rotation.rotate-*.nbi")] == [".nbi"]
    assert not list(Path(__file__).parents[2].glob("solvers/__pycache__/*.nbi"))


def test_a_second_process_loads_what_the_first_compiled(tmp_path: Path) -> None:
    code = "rotate(); s = rotation.rotate.compiled.stats; print(json.dumps([len(s.cache_hits), len(s.cache_misses)]))"
    assert python(code, tmp_path) == [0, 1]
    assert python(code, tmp_path) == [1, 0]


def test_numbas_own_settings_are_as_another_extension_left_them(tmp_path: Path) -> None:
    code = "import numba; numba.config.CACHE_DIR = 'theirs'; rotate(); print(json.dumps(numba.config.CACHE_DIR))"
    assert python(code, tmp_path) == "theirs"


@pytest.mark.parametrize(
    ("package", "reason"),
    [
        (None, "numba is not installed"),
        ("raise ImportError('needs NumPy 1.0')", "numba could not be loaded: needs NumPy 1.0"),
        ("raise OSError('no such\\nlibrary')", "numba could not be loaded: no such library"),
    ],
)
def test_without_a_working_numba_kernels_run_interpreted_and_say_why(
    package: str | None, reason: str, tmp_path: Path
) -> None:
    if package is None:
        gone = "lambda name, *_: (_ for _ in ()).throw(ModuleNotFoundError(name=name)) if name == 'numba' else None"
        block = f"sys.meta_path.insert(0, type('Gone', (), {{'find_spec': staticmethod({gone})}}))"
    else:
        (tmp_path / "numba.py").write_text(package)
        block = f"sys.path.insert(0, {str(tmp_path)!r})"
    said = python(f"{block}\nprint(json.dumps([rotate(), compiled.problem()]))", tmp_path)
    assert said == [[-1.0, -2.0, 3.0], reason]


def test_a_numba_that_cannot_compile_our_code_is_left_aside(tmp_path: Path) -> None:
    source = "from posewright.compiled import kernel\n@kernel\ndef odd(x):\n    return len({1, 'two', x})\n"
    (tmp_path / "odd.py").write_text(source)
    code = f"""
    sys.path.insert(0, {str(tmp_path)!r})
    import odd
    print(json.dumps([odd.odd(3.0), compiled.problem(), rotate()]))
    """
    answer, problem, rotated = python(code, tmp_path)
    assert (answer, rotated) == (3, [-1.0, -2.0, 3.0])
    assert re.match(r"numba \S+ cannot compile 'odd': .*nopython.* \S+", problem)
    assert "\x1b" not in problem


def test_while_held_kernels_run_interpreted_and_afterwards_compiled(tmp_path: Path) -> None:
    code = """
    compiled.hold()
    before = rotate(), 'numba' in sys.modules
    compiled.release()
    print(json.dumps([before, rotate(), 'numba' in sys.modules]))
    """
    same = [-1.0, -2.0, 3.0]
    assert python(code, tmp_path) == [[same, False], same, True]


def test_after_a_retry_kernels_try_numba_again(tmp_path: Path) -> None:
    code = "compiled.give_up('broken'); a = rotate(); compiled.retry(); rotate(); print(json.dumps(compiled.version()))"
    assert python(code, tmp_path)


def test_a_cache_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "posewright").write_text("a file where the folder should be")
    assert python("print(json.dumps([rotate(), compiled.problem()]))", tmp_path) == [[-1.0, -2.0, 3.0], ""]


def test_the_cache_folder_is_named_by_every_source_that_holds_kernels(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    for name in ("compiled.py", "entry.py", "solvers/rotation.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())

    def folder() -> object:
        code = f"import runpy; m = runpy.run_path({str(tmp_path / 'compiled.py')!r})\n"
        return python(code + "print(json.dumps(str(m['cache_folder']())))", tmp_path)

    seen = {folder()}
    for name in ("solvers/rotation.py", "entry.py", "compiled.py"):
        with (tmp_path / name).open("a") as source:
            source.write("# edited\n")
        seen.add(folder())
    assert len(seen) == 4


def test_a_damaged_cache_is_dropped_and_filled_anew(tmp_path: Path) -> None:
    code = "print(json.dumps([rotate(), compiled.problem(), rotation.rotate.run is rotation.rotate.compiled]))"
    expected = [[-1.0, -2.0, 3.0], "", True]
    assert python(code, tmp_path) == expected
    for cached in [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]:
        cached.write_bytes(cached.read_bytes()[:20])
    assert python(code, tmp_path) == expected
    assert all(cached.stat().st_size > 20 for cached in tmp_path.rglob("*.nb?"))


def test_compiled_code_still_sees_nan_and_lets_other_threads_run(tmp_path: Path) -> None:
    source = "import math\nfrom posewright.compiled import relaxed_kernel\n"
    source += "@relaxed_kernel\ndef odd(x):\n    return math.isnan(x)\n"
    (tmp_path / "odd.py").write_text(source)
    code = f"""
    sys.path.insert(0, {str(tmp_path)!r})
    import odd
    seen = odd.odd(float("nan"))
    print(json.dumps([seen, compiled.problem(), odd.odd.compiled.targetoptions["nogil"]]))
    """
    assert python(code, tmp_path) == [True, "", True]


def test_every_kernel_is_compiled_by_the_warm_up() -> None:
    """Either Python calls it there, or it is named in the code of one that is; from the cache, if that has it all."""
    code = """
    import gc
    from posewright.solvers import warm_up
    warm_up()
    kernels = [found for found in gc.get_objects() if isinstance(found, compiled.Kernel)]
    reached, left = [], [kernel for kernel in kernels if "compiled" in vars(kernel)]
    while left:
        reached.append(left.pop())
        code, names = reached[-1].function.__code__, reached[-1].function.__globals__
        called = [names.get(name) for name in code.co_names]
        left += [one for one in called if isinstance(one, compiled.Kernel) and one not in reached + left]
    left_out = [kernel.__name__ for kernel in kernels if kernel not in reached]
    print(json.dumps([len(kernels) > 100, left_out, compiled.problem()]))
    """
    assert python(code, compiled.DEFAULT_CACHE_ROOT.parent) == [True, [], ""]


def test_kernels_run_interpreted_where_numba_is_told_not_to_compile(tmp_path: Path) -> None:
    code = """
    from posewright import solvers
    solvers.warm_up()
    print(json.dumps([rotate(), compiled.problem()]))
    """
    assert python(code, tmp_path, NUMBA_DISABLE_JIT="1") == [[-1.0, -2.0, 3.0], ""]


def test_a_kernel_that_needs_scipy_fails_without_also_if_it_comes_from_the_cache(tmp_path: Path) -> None:
    """What the tests' block on scipy is good for: the cache may have been filled where there was one."""
    source = "import numpy as np\nfrom posewright.compiled import kernel\n"
    (tmp_path / "odd.py").write_text(source + "@kernel\ndef odd(x):\n    return np.dot(x, x)\n")
    code = f"""
    sys.path.insert(0, {str(tmp_path)!r})
    import numpy, odd
    print(json.dumps(odd.odd(numpy.eye(2)).tolist()))
    """
    block = "from posewright.tests import no_scipy; no_scipy.block()\n" + textwrap.dedent(code)
    with pytest.raises(AssertionError, match=r"scipy .* required"):
        python(block, tmp_path / "cold")
    assert python(code, tmp_path / "warm") == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(AssertionError, match="function could not be found"):
        python(block, tmp_path / "warm")


def small_solves() -> dict[str, list[float]]:
    """The answers of every solver to a few small problems, with every kind of goal and of joint limits."""
    motions = [ik.Free(), ik.Ball((-1, 1), (-1, 1), (-1, 1)), ik.Hinge("x", (-2, 2)), ik.EulerBall("ZXY", (-1, 1))]
    rest = np.eye(4)
    rest[1, 3] = 0.3
    tree = ik.Tree([ik.Joint(f"j{i}", f"j{i - 1}" if i else None, rest, one) for i, one in enumerate(motions)])
    rng = np.random.default_rng(1)
    mixed = ik.Problem(tree, [maker(tree, rng) for maker in MAKERS.values()])
    far = ik.Problem(tree, [ik.Position("j3", (0.5, 9.0, 0.2)), ik.Orientation("j2", (1, 0, 0, 0), level=ik.Level.PIN)])
    frames: list[list[ik.Goal]] = [[ik.Position("j3", (0.2, 0.5, z)), ik.Displacement()] for z in (0.0, 0.2, 0.4)]
    clip = ik.Clip(ik.Problem(tree, frames[0]), frames)
    found = {}
    for solver in SOLVERS:
        for name, problem in (("mixed", mixed), ("far", far)):
            found[f"{solver}, {name}"] = ik.solve(problem, solver=solver, budget=ik.Budget(6, restarts=1)).q.tolist()
    found["clip"] = ik.solve_many(clip, budget=ik.Budget(8), carry_on=True).q.ravel().tolist()
    return found


WITHOUT_NUMBA = """
    class Gone:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in {"numba", "llvmlite"}:
                raise ModuleNotFoundError(name=name)
    sys.meta_path.insert(0, Gone())
"""


@pytest.mark.parametrize("how", ["told not to compile", "absent"])
def test_interpreted_solvers_give_the_compiled_answers(how: str, tmp_path: Path) -> None:
    code = """
    from posewright.tests.solvers.test_compiled import small_solves
    answers = small_solves()
    print(json.dumps([answers, compiled.problem(), "numba" in sys.modules]))
    """
    settings = {"NUMBA_DISABLE_JIT": "1"} if how == "told not to compile" else {}
    answers, problem, imported = python(code if settings else WITHOUT_NUMBA + code, tmp_path, **settings)
    assert (problem, imported) == (("", True) if settings else ("numba is not installed", False))
    expected = small_solves()
    assert answers.keys() == expected.keys()
    for name, answer in answers.items():
        assert_allclose(answer, expected[name], rtol=0.0, atol=1e-9, err_msg=name)
    assert not list(tmp_path.rglob("*.nbi"))
