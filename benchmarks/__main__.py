"""Runs benchmarks in this Python: `python -m posewright.benchmarks NAME ... [--quick] [--out FOLDER]`.

`make bench` runs each in the environment that it needs.
"""

import argparse
import importlib
import sys
from pathlib import Path

from .report import Report, machine, table

NAMES = ("line_search", "arms", "humanoid", "unsolvable", "scaling", "tracking", "motion", "live")


def main() -> None:
    """Run what the command line asks for. A benchmark is a module with run(report, quick) and draw(figure, rows)."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="+", choices=NAMES)
    parser.add_argument("--quick", action="store_true", help="few queries: to see that it works")
    parser.add_argument("--out", type=Path, default=Path("out/bench"))
    asked = parser.parse_args()
    for name in asked.names:
        module, report = importlib.import_module(f".{name}", __package__), Report(name)
        module.run(report, asked.quick)
        report.write(asked.out)
        report.picture(asked.out, module.draw)
        sys.stdout.write(f"\n{name}, on {machine()}\n\n{table(report.rows)}\n\n")
        sys.stdout.flush()


main()
