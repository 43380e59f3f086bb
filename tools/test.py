"""Runs every check on this checkout and ends in one line that counts them.

    python3.11 tools/test.py [--only NAME ...] [--soak] [--zip PATH]

Linters and the type checker, the documentation, then the tests without Blender, then the tests on each real Blender
with the built zip installed. What each said is kept below out/test/; a failing one is shown in full.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import build
import environments
from environments import BLENDERS, ROOT

OUT = ROOT / "out" / "test"
LONGEST = 2400  # seconds for one run of tests; a Blender that hangs at its end must not hang us
SOAK = 6 * 3600


@dataclass
class Count:
    """What a check found."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


def run(name: str, command: Sequence[str | Path], settings: dict[str, str] | None = None) -> int:
    """Run a command with its output in out/test/NAME.log. Returns its exit code; 124 if it took too long."""
    longest = SOAK if os.environ.get("POSEWRIGHT_SOAK") else LONGEST
    with (OUT / f"{name}.log").open("ab") as log:
        try:
            return subprocess.run(  # noqa: S603 - commands of our own
                command,
                cwd=ROOT,
                env=os.environ | (settings or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=longest,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            log.write(f"\nstopped after {longest} s\n".encode())
            return 124


def checks(name: str, *commands: Sequence[str | Path], settings: dict[str, str] | None = None) -> Count:
    """Each command is one check, passed when it exits with 0."""
    codes = [run(name, command, settings) for command in commands]
    return Count(passed=codes.count(0), failed=len(codes) - codes.count(0))


def count_tests(name: str, python: Path, folders: Sequence[str], settings: dict[str, str]) -> Count:
    """Run pytest on folders below tests/ and count what it reports. A process that dies is a failure."""
    report = OUT / f"{name}.xml"
    report.unlink(missing_ok=True)
    paths = [f"tests/{folder}" for folder in folders]
    code = run(name, [python, "-m", "pytest", "-q", f"--junitxml={report}", *paths], settings)
    if not report.exists():
        return Count(failed=1, note=f"it ended with code {code} and left no report")
    suite = ET.parse(report).getroot()[0]  # noqa: S314 - written by pytest just now
    total, failed, errors, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped"))
    notes = [str(note.get("value")) for note in suite.iterfind("properties/property[@name='note']")]
    count = Count(total - failed - errors - skipped, failed + errors, skipped, ", ".join(notes))
    if code != 0 and not count.failed:
        count.failed, count.note = 1, f"the tests passed, but the process ended with code {code}"
    return count


def lint() -> Count:
    """Rules and format, by ruff."""
    ruff = environments.ensure("check").with_name("ruff")
    return checks("lint", [ruff, "check"], [ruff, "format", "--check"])


def types() -> Count:
    """Every annotation, by mypy against fake-bpy-module's stubs: the add-on, what tests and measures it, the tools."""
    python = environments.ensure("check")
    source = OUT / "source"  # the root under its package name, whatever the checkout is called
    source.mkdir(exist_ok=True)
    link = source / "posewright"
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT, target_is_directory=True)
    mypy: list[str | Path] = [python, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    tests = [path for folder in ("tests", "benchmarks", "docs") for path in sorted(link.glob(f"{folder}/**/*.py"))]
    tools = sorted(ROOT.glob("tools/*.py"))
    return checks(
        "types",
        [*mypy, "-p", "posewright"],
        [*mypy, "--explicit-package-bases", *tests],
        [*mypy, "--explicit-package-bases", *tools],
        settings={"MYPYPATH": os.pathsep.join([str(source), str(ROOT / "tools")])},
    )


def docs() -> Count:
    """The documentation as a site, without a warning."""
    environments.ensure("docs")
    return checks("docs", [sys.executable, ROOT / "tools" / "docs.py"])


def without_blender(zip_path: Path) -> Count:
    """The rules of the house and the solvers, where no bpy can be imported."""
    python = environments.ensure("solvers")
    return count_tests("solvers", python, ["house", "solvers"], {"POSEWRIGHT_ZIP": str(zip_path)})


def on_blender(version: str, zip_path: Path) -> Count:
    """The tests on real bpy, with the built zip installed through the extension system."""
    needed = BLENDERS[version]
    if environments.find_python(needed) is None:
        return Count(skipped=1, note=f"Python {needed} is not installed, and Blender {version} needs it")
    python = environments.ensure(f"blender-{version}")
    return count_tests(f"blender-{version}", python, ["blender"], {"POSEWRIGHT_ZIP": str(zip_path)})


def report(name: str, check: Callable[[], Count]) -> Count:
    """Run a check and say in a line how it went; where it failed, show what it said."""
    log = OUT / f"{name}.log"
    log.unlink(missing_ok=True)
    begun = time.monotonic()
    count = check()
    said = log.read_text(errors="replace") if count.failed and log.exists() else ""
    note = f"  ({count.note})" if count.note else ""
    verdict = "FAILED" if count.failed else "ok"
    build.print_line(f"{said}{name:12} {verdict:7} {count}  {time.monotonic() - begun:.0f} s{note}")
    return count


def main() -> int:
    """Run what the command line asks for."""
    names = ["lint", "types", "docs", "solvers", *(f"blender-{version}" for version in BLENDERS)]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=names, help="default: all")
    parser.add_argument("--soak", action="store_true", help="the long fuzz and soak runs")
    parser.add_argument("--zip", type=Path, help="test this zip instead of building one")
    asked = parser.parse_args()
    wanted = asked.only or names
    OUT.mkdir(parents=True, exist_ok=True)
    if asked.soak:
        os.environ["POSEWRIGHT_SOAK"] = "1"

    environments.ensure_libraries()
    for name in wanted:  # one after the other, and before anything is timed
        if name != "types" and environments.find_python(environments.python_of(name)):
            environments.ensure("check" if name == "lint" else name)
    zip_path = asked.zip.resolve() if asked.zip else build.build("linux-x64")
    check: dict[str, Callable[[], Count]] = {
        "lint": lint,
        "types": types,
        "docs": docs,
        "solvers": lambda: without_blender(zip_path),
        **{f"blender-{version}": lambda v=version: on_blender(v, zip_path) for version in BLENDERS},  # type: ignore[misc]
    }
    begun = time.monotonic()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        counts = [job.result() for job in as_completed([pool.submit(report, name, check[name]) for name in wanted])]
    total = Count(*(sum(getattr(count, key) for count in counts) for key in ("passed", "failed", "skipped")))
    build.print_line(f"{time.monotonic() - begun:.0f} s, logs in {OUT.relative_to(ROOT)}")
    build.print_line(f"posewright: {total}")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
