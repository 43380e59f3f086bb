"""The child process that fills the cache: under Blender's module names, ended with its parent, honest on failure."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from posewright import compile_ahead, compiled

PACKAGE = "bl_ext.user_default.posewright"  # what the package is called inside Blender
PACKAGE_FILE = str(Path(compiled.__file__).with_name("__init__.py"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path) -> Iterator[None]:
    before = compiled.cache_folder().parent
    compiled.use_cache(tmp_path)
    yield
    compiled.use_cache(before)


def start() -> compile_ahead.Child:
    return compile_ahead.Child(PACKAGE, PACKAGE_FILE, compiled.cache_folder())


def wait(child: compile_ahead.Child) -> compile_ahead.Outcome:
    while (outcome := child.poll()) is None:
        time.sleep(0.05)
    return outcome


def test_child_fills_the_cache_for_a_process_that_has_the_package_under_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without scipy, which numba needs for `np.dot` and `np.linalg` and Blender does not have.

    And drops the caches of older sources, and nothing else.
    """
    older, foreign = tmp_path / "01234567", tmp_path / "somebody's"
    older.mkdir()
    foreign.mkdir()
    (older / compile_ahead.OUTCOME).write_text("{}")
    (foreign / "scipy.py").write_text("raise ImportError('Blender has no scipy')")
    monkeypatch.syspath_prepend(str(foreign))
    outcome = wait(start())
    assert not older.exists()
    assert foreign.exists()
    assert outcome.problem == ""
    assert outcome == compile_ahead.read_outcome(compiled.cache_folder())
    code = (
        f"import sys; sys.path.insert(0, {str(Path(compile_ahead.__file__).parent)!r})\n"
        f"import compile_ahead, pathlib; compile_ahead._load_package({PACKAGE!r}, {PACKAGE_FILE!r})\n"
        f"from {PACKAGE} import compiled, solvers; compiled.use_cache(pathlib.Path({str(tmp_path)!r}))\n"
        f"solvers.warm_up(); from {PACKAGE}.solvers import kinematics\n"
        "stats = kinematics.forward.compiled.stats; print(len(stats.cache_hits), len(stats.cache_misses))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1", "0"]


def test_stopping_ends_the_child_at_once() -> None:
    child = start()
    child.stop()
    assert child.process.returncode is not None
    assert compile_ahead.read_outcome(child.folder) is None


@pytest.mark.skipif(os.name == "nt", reason="kill -9 on the parent is for POSIX")
def test_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    # The child is made slow by a numba that never finishes importing; its parent is this small program.
    (tmp_path / "numba.py").write_text("import time; time.sleep(600)")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import pathlib, time; from posewright import compile_ahead\n"
        f"child = compile_ahead.Child({PACKAGE!r}, {PACKAGE_FILE!r}, pathlib.Path({str(tmp_path)!r}) / 'x')\n"
        "print(child.process.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    for _ in range(200):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the child outlived its parent by ten seconds")


def test_a_numba_that_breaks_in_the_child_is_named_in_the_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numba.py").write_text("raise OSError('no such library')")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert wait(start()).problem == "numba could not be loaded: no such library"


def test_a_child_that_dies_points_to_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numba.py").write_text("import os; os.abort()")
    monkeypatch.syspath_prepend(str(tmp_path))
    problem = wait(start()).problem
    assert "ended with code -6" in problem
    assert compile_ahead.LOG in problem


def test_a_stuck_child_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numba.py").write_text("import time; time.sleep(600)")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(compile_ahead, "LONGEST", 0.5)
    child = start()
    assert "was stopped" in wait(child).problem
    assert child.process.returncode is not None


@pytest.mark.parametrize("stored", ["", "[]", "{}", "null", '{"problem": 1}', "\0", json.dumps({"seconds": "x"})])
def test_a_damaged_outcome_counts_as_none(stored: str, tmp_path: Path) -> None:
    (tmp_path / compile_ahead.OUTCOME).write_text(stored)
    assert compile_ahead.read_outcome(tmp_path) is None
