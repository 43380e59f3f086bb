"""Runs the benchmarks, each in the environment that it needs, and puts their figures into the documentation.

    python3.11 tools/bench.py [--only NAME ...] [--quick] [--page]

Figures and plots go to out/bench/. With --page, those of the last runs are put into docs/benchmarks.md.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import build
import environments
import pictures
from environments import ROOT

OUT = ROOT / "out" / "bench"
# Which environment a benchmark runs in: with the peers, or with Blender.
BENCHMARKS = {
    "line_search": "bench-blender",
    "arms": "bench",
    "humanoid": "bench",
    "unsolvable": "bench",
    "scaling": "bench",
    "tracking": "bench",
    "motion": "bench-blender",
    "live": "bench-blender",
}
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


def run(environment: str, arguments: Sequence[str | Path]) -> int:
    """Run a module in one of the environments, on one thread. Returns its exit code."""
    command = [environments.ensure(environment), "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | ONE_THREAD, check=False).returncode  # noqa: S603


def put_into_page() -> int:
    """Put figures and plots of the last runs into the page, and note which code made them. Returns an exit code."""
    if code := run("bench", ["posewright.benchmarks.page"]):
        return code
    for left in sorted(OUT.glob("*.code")):
        pictures.note(f"bench_{left.stem}", json.loads(left.read_text()))
    return 0


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=list(BENCHMARKS), help="default: all")
    parser.add_argument("--quick", action="store_true", help="few queries: to see that it works")
    parser.add_argument("--page", action="store_true", help="run nothing; put what was found into docs/benchmarks.md")
    asked = parser.parse_args()
    names = asked.only or list(BENCHMARKS)
    if asked.page:
        return put_into_page()
    environments.ensure_libraries()
    begun, failed = time.monotonic(), list[str]()
    for name in names:
        quick = ["--quick"] if asked.quick else []
        code = pictures.code_of(f"bench_{name}")
        if run(BENCHMARKS[name], ["posewright.benchmarks", name, "--out", OUT, *quick]) != 0:
            failed.append(name)
        else:
            (OUT / f"{name}.code").write_text(json.dumps(code))  # what its plot shows, for the page
    build.print_line(f"{time.monotonic() - begun:.0f} s, figures and plots in {OUT.relative_to(ROOT)}")
    if failed:
        build.print_line(f"posewright: these benchmarks ended with an error: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
