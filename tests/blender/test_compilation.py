"""Compiled solvers inside Blender: in its own folder, in the background, and honest in the panel."""

import importlib.util
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from .figures import drag, figure, pin, update


@pytest.fixture
def compilation(add_on: ModuleType) -> Iterator[Any]:
    """The room under test, with an empty cache and nothing running, before and after."""
    room = add_on.bridge.compilation
    room.stop()
    (add_on.compiled.cache_folder() / add_on.compile_ahead.OUTCOME).unlink(missing_ok=True)
    yield room
    room.stop()
    add_on.compiled.retry()


def shown() -> tuple[str, str]:
    manager: Any = bpy.context.window_manager
    return manager.posewright_solvers, manager.posewright_solvers_note


def watch_to_the_end(compilation: Any) -> None:
    """What the timer does in a window; without one no timer runs."""
    for _ in range(6000):
        if compilation._watch() is None:
            return
        time.sleep(0.05)
    pytest.fail("compiling took five minutes")


def test_the_cache_is_in_the_extensions_own_folder(add_on: ModuleType) -> None:
    root = Path(bpy.utils.extension_path_user(add_on.__name__))
    assert root in add_on.compiled.cache_folder().parents


# The only test that compiles: what it leaves in numba's cache serves the others, whose children take a second.
def test_without_numba_the_panel_says_why_and_compile_again_starts_from_an_empty_folder(
    add_on: ModuleType, compilation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "numba" else find(name, *more))
    watch_to_the_end(compilation)
    assert shown() == ("INTERPRETED", "numba is not installed")
    monkeypatch.undo()
    folder = add_on.compiled.cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "old").touch()
    operators: Any = bpy.ops
    assert operators.posewright.compile_solvers() == {"FINISHED"}
    assert shown()[0] == "COMPILED"
    assert not (folder / "old").exists()
    assert list(folder.rglob("kinematics.forward-*.nbi"))


def test_a_child_compiles_while_the_panel_says_so_and_blender_loads_what_it_left(
    add_on: ModuleType, compilation: Any
) -> None:
    assert compilation._watch() == compilation.INTERVAL
    assert shown()[0] == "COMPILING"
    watch_to_the_end(compilation)
    state, note = shown()
    assert state == "COMPILED"
    assert note.startswith("numba ")
    solvers: Any = importlib.import_module(f"{add_on.__name__}.solvers")
    tree = solvers.Tree([solvers.Joint("hinge", motion=solvers.Hinge("x"))])
    assert tree.pose([math.pi]).rotations[0].round(15).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert add_on.compiled.problem() == ""
    stats = solvers.tree.forward.compiled.stats
    assert (len(stats.cache_hits), len(stats.cache_misses)) == (1, 0)


def test_a_filled_cache_starts_no_child(compilation: Any) -> None:
    compilation.compile_now()
    assert compilation._watch() is None
    assert compilation._state.child is None
    assert shown()[0] == "COMPILED"


@pytest.mark.parametrize("executable", ["/no/such/python", None])
def test_where_no_process_can_be_started_the_panel_says_so(
    executable: str | None, add_on: ModuleType, compilation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_on.compiled.hold()
    monkeypatch.setattr(sys, "executable", executable)
    watch_to_the_end(compilation)
    state, note = shown()
    assert state == "INTERPRETED"
    assert (executable or "does not know its own Python") in note
    assert not add_on.compiled._state.held


def test_paths_that_are_not_strings_do_not_keep_the_child_from_starting(
    compilation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, Path("/somebody/elses")])
    watch_to_the_end(compilation)
    assert shown()[0] == "COMPILED"


def test_a_failure_of_an_earlier_session_is_tried_again(add_on: ModuleType, compilation: Any) -> None:
    outcome = add_on.compiled.cache_folder() / add_on.compile_ahead.OUTCOME
    outcome.parent.mkdir(parents=True, exist_ok=True)
    outcome.write_text('{"problem": "the disk was full", "numba": "0.68.1", "seconds": 1}')
    watch_to_the_end(compilation)
    assert shown()[0] == "COMPILED"


def test_what_another_numba_compiled_is_not_trusted(add_on: ModuleType, compilation: Any) -> None:
    outcome = add_on.compiled.cache_folder() / add_on.compile_ahead.OUTCOME
    outcome.parent.mkdir(parents=True, exist_ok=True)
    outcome.write_text('{"problem": "", "numba": "0.1.0", "seconds": 1}')
    assert compilation._watch() == compilation.INTERVAL, "no child was started"


@pytest.fixture
def nothing_allowed(add_on: ModuleType) -> Iterator[None]:
    """Every solve takes longer than is allowed."""
    add_on.bridge.watch.allow(0.0)
    yield
    add_on.bridge.watch.allow(4.0)


def solved_slowly(bridge: Any) -> Any:
    """A character of whose solves five took longer than is allowed, and one of whose hands is dragged."""
    owner = figure(".L")
    pin(bridge, owner, "pelvis")
    for step in range(5):
        drag(bridge, owner, "hand.L", (0.0, 0.0, -0.01 * step))
        update()
    assert bridge.outcome.of(owner).slow
    return owner


@pytest.mark.usefixtures("nothing_allowed")
def test_who_was_slow_without_compiled_kernels_is_not_taken_for_slow_with_them(
    add_on: ModuleType, compilation: Any, bridge: Any
) -> None:
    """`bridge` comes last: it has kernels run interpreted, where `compilation` lets them compile."""
    owner = solved_slowly(bridge)
    for problem, slow in (("the disk was full", True), ("", False)):
        compilation._conclude(add_on.compile_ahead.Outcome(problem, numba="0.68.1"))
        add_on.compiled.retry()
        add_on.compiled.hold()
        drag(bridge, owner, "hand.L", (0.0, 0.0, -0.1))
        update()
        assert bridge.outcome.of(owner).slow == slow, problem


@pytest.mark.usefixtures("nothing_allowed")
def test_the_solve_at_the_end_of_a_drag_counts_among_those_that_say_whether_a_character_is_slow(bridge: Any) -> None:
    owner = solved_slowly(bridge)
    bridge.watch.time_anew()
    for solves in range(1, 6):
        bridge.outcome.note(owner, bridge.outcome.Outcome(slow=True))
        bridge.dragging.drag.solve_last(owner)
        assert bridge.outcome.of(owner).slow == (solves == 5)


def test_after_a_file_is_opened_the_panel_still_says_how_the_solvers_run(compilation: Any, tmp_path: Path) -> None:
    watch_to_the_end(compilation)
    before = shown()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"), load_ui=True)
    assert shown() == before


def test_disabling_ends_the_child(add_on: ModuleType, compilation: Any) -> None:
    compilation._watch()
    process = compilation._state.child.process
    assert process.poll() is None
    add_on.unregister()
    assert process.poll() is not None
    add_on.register()


def test_the_command_line_compiles_and_reports(add_on: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    assert add_on.cli.run(["compile"]) == 0
    assert "solvers compiled in" in capfd.readouterr().out


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["nonsense"], 2), ([], 2)])
def test_the_command_line_explains_itself(
    arguments: list[str], code: int, add_on: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert add_on.cli.run(arguments) == code
    said = capfd.readouterr()
    assert "compile" in said.out + said.err
