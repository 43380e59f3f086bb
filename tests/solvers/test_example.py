"""The example in the documentation runs, and does what it says."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "docs" / "example.py"


def test_the_example_reaches_and_then_says_what_stops_it() -> None:
    run = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True)
    first, second = run.stdout.splitlines()
    assert first.startswith("converged: every goal is met")
    assert "position goal 0 is off by 1.27e+03 mm" in second
