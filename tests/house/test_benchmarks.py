"""The benchmarks: each is complete, has its place on the page, and its rows can be read by people and programs."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest

from posewright.benchmarks import habits as make_habits
from posewright.benchmarks.page import put
from posewright.benchmarks.report import HEADINGS, Report, Row, table
from posewright.benchmarks.robots import DATA
from posewright.motion import habits

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def assigned(path: Path, name: str) -> list[str]:
    """The strings of a tuple, or the keys of a dictionary, that a module assigns to a name."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            return list(ast.literal_eval(node.value))
    raise AssertionError(f"{path.name} assigns no {name}")


NAMES = assigned(ROOT / "benchmarks" / "__main__.py", "NAMES")


def test_every_benchmark_runs_and_draws_and_says_how() -> None:
    for name in NAMES:
        tree = ast.parse((ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8"))
        functions = {node.name: len(node.args.args) for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert functions.get("run") == functions.get("draw") == 2, name
        assert f"posewright.benchmarks {name}" in (ast.get_docstring(tree) or ""), name


def test_make_bench_and_the_page_know_every_benchmark() -> None:
    assert assigned(ROOT / "tools" / "bench.py", "BENCHMARKS") == NAMES
    assert re.findall(r"<!-- (\w+) -->", PAGE) == NAMES
    assert all(f"../benchmarks/{name}.py" in PAGE for name in NAMES)


def test_a_row_is_kept_without_what_does_not_apply(tmp_path: Path) -> None:
    report = Report("arms")
    report.add(Row(case="a", method="b", n=2, success=0.5).time([0.001, 0.003]))
    report.missing("a", "c", "not installed")
    report.write(tmp_path)
    found = json.loads((tmp_path / "arms.json").read_text())
    assert {"machine", "versions", "rows"} <= set(found)
    first, second = found["rows"]
    assert np.isclose(first["mean_ms"], 2.0)
    assert "jitter" not in first
    assert second == {"case": "a", "method": "c", "n": 0, "note": "not run: not installed"}


def test_a_table_has_the_columns_that_any_row_has() -> None:
    lines = table([Row(case="a", method="b", n=1, jitter=1.5), Row(case="a", method="c", note="why")]).splitlines()
    assert lines[0] == "| case | method | n | jitter, × |  |"
    assert lines[2:] == ["| a | b | 1 | 1.50 |  |", "| a | c |  |  | why |"]
    assert set(HEADINGS) <= set(Row.__dataclass_fields__)


def test_figures_replace_those_of_the_last_run_and_nothing_else(tmp_path: Path) -> None:
    found = {"machine": "m", "versions": {"numpy": "2"}, "rows": [{"case": "a", "method": "b", "n": 3}]}
    (tmp_path / "arms.json").write_text(json.dumps(found))
    page = "before\n<!-- arms -->\nold\n<!-- end of arms -->\nafter\n"
    once = put(page, "arms", tmp_path)
    assert "old" not in once
    assert "| a | b | 3 |" in once
    assert put(once, "arms", tmp_path) == once
    assert once.startswith("before\n<!-- arms -->\n")
    assert once.endswith("<!-- end of arms -->\nafter\n")


def test_the_human_habits_are_what_their_script_makes_of_the_clips_for_statistics() -> None:
    if not (DATA / "bvh" / "index.json").exists():
        pytest.skip(f"no clips below {DATA}; POSEWRIGHT_DATA says where they are")
    stored = habits.parsed((ROOT / "presets" / "human_habits.json").read_text(encoding="utf-8"))
    made = make_habits.table()
    assert stored.keys() == made.keys()
    for key, habit in made.items():
        assert np.abs(np.degrees(np.array(habit) - np.array(stored[key]))).max() < 0.01, key
