"""The examples in the documentation run, and do what they say."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

from posewright import solvers as ik

EXAMPLE = Path(__file__).parents[2] / "docs" / "example.py"
PAGE = EXAMPLE.with_name("solvers.md")


def test_the_example_reaches_and_then_says_what_stops_it() -> None:
    run = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True)
    first, second = run.stdout.splitlines()
    assert first.startswith("converged: every goal is met")
    assert "position goal 0 is off by 1.27e+03 mm" in second


def test_the_blocks_of_the_page_find_what_they_say() -> None:
    tree: ik.Tree = runpy.run_path(str(EXAMPLE))["tree"]
    problem = ik.Problem(tree, [ik.Position("hand", (0.2, 0.4, 0.3))])
    names: dict[str, Any] = {"problem": problem, "start": tree.start()}
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, names)
    assert names["found"].status is ik.Status.REACHED
    assert 1 < len(names["several"]) <= 4
    assert all(error.reached for one in names["several"] for error in one.errors)
