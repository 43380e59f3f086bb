"""Runs the tests in a windowed Blender, with the built zip installed and simulated mouse and keys.

    python3.11 tools/test_gui.py [--zip PATH] [--only tour] -- BLENDER [ITS ARGUMENTS ...]

Pictures of the screen and what Blender wrote are kept below out/gui/VERSION/. Without a screen, a virtual one is made.

All that Blender reads and writes is in a folder of the system's temporary one: a Blender inside a chroot or a sandbox
sees that, and not always the checkout.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import build
import environments
import test
from environments import ROOT, fail

DATA = ("characters/makehuman_game_engine.glb", "bvh/07_01.bvh")
LONGEST = 600  # seconds that Blender may take to start for the first time
ASK = """
import os, sys, bpy
print('FOUND', '%d.%d' % bpy.app.version[:2], '%d.%d' % sys.version_info[:2], os.path.exists(sys.argv[-1]))
"""


def versions(blender: list[str], folder: Path) -> tuple[str, str]:
    """Blender's version and its Python's, by asking it; and whether it sees the folder it is to work in."""
    try:
        asked = subprocess.run(  # noqa: S603 - the Blender that the developer names
            [*blender, "--background", "--factory-startup", "--python-expr", ASK, "--", str(folder)],
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        fail(f"cannot run {' '.join(blender)}: {error}")
    found = re.search(r"^FOUND (\S+) (\S+) (\S+)$", asked.stdout, re.MULTILINE)
    if not found:
        fail(f"{' '.join(blender)} does not answer like Blender: {(asked.stderr or asked.stdout).strip()[-300:]}")
    if found[3] != "True":
        fail(f"{' '.join(blender)} does not see {folder}; set TMPDIR to a folder that it sees")
    return found[1], found[2]


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """The display to open the window on: the one that is there, or a virtual one, 1600 x 1000."""
    if os.environ.get("DISPLAY"):
        yield os.environ["DISPLAY"]
        return
    if shutil.which("Xvfb") is None:
        environments.ensure_packages(["xvfb"], "the parts of a virtual screen")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "+extension", "GLX"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:  # noqa: S603
        os.close(writing)
        try:
            with os.fdopen(reading) as answer:
                yield f":{answer.readline().strip()}"
        finally:
            server.terminate()


def _copy_data(folder: Path) -> None:
    """Put what scenarios load where Blender sees it; those skip whose files are not there."""
    data = Path(os.environ.get("POSEWRIGHT_DATA") or ROOT.parent / "shared" / "data")
    folder.mkdir()
    for name in DATA:
        if (data / name).exists():
            shutil.copyfile(data / name, folder / Path(name).name)


def main() -> int:
    """Find out which Blender it is, build the zip that fits its Python, and test."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--zip", type=Path, help="test this zip instead of building one")
    parser.add_argument("--keep", action="store_true", help="use what an earlier run has compiled, if Blender kept it")
    parser.add_argument("--only", default="", help="one file of scenarios, tests/gui/scenarios_NAME.py; default: all")
    parser.add_argument("blender", nargs="*")
    asked = parser.parse_args()
    if not asked.blender:
        fail("which Blender? make test-gui BLENDER=path")
    with screen() as display, tempfile.TemporaryDirectory(prefix="posewright-gui-") as made:
        os.environ["DISPLAY"] = display
        seen = Path(made)
        version, python = versions(asked.blender, seen)
        shipped = any(f"-cp{python.replace('.', '')}-" in wheel for wheel in build.wheels_for("linux-x64"))
        zip_path = asked.zip or build.build("linux-x64", None if shipped else python)
        shutil.copytree(ROOT / "tests" / "gui", seen / "scripts")
        _copy_data(seen / "data")
        pictures = seen / "out"
        pictures.mkdir()
        settings = {
            "POSEWRIGHT_ZIP": str(shutil.copy(zip_path, seen)),
            "POSEWRIGHT_BLENDER": json.dumps(asked.blender),
            "POSEWRIGHT_SCRIPTS": str(seen / "scripts"),
            "POSEWRIGHT_OUT": str(pictures),
            "POSEWRIGHT_SCENARIOS": asked.only,
            "POSEWRIGHT_KEEP": "1" if asked.keep else "",
            "BLENDER_USER_RESOURCES": str(seen / "resources"),  # not the developer's own preferences
        }
        test.OUT.mkdir(parents=True, exist_ok=True)
        name = f"gui-{version}"
        count = test.report(name, lambda: test.count_tests(name, environments.ensure("gui"), ["gui"], settings))
        kept = ROOT / "out" / "gui" / version
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(pictures, kept)
    build.print_line(f"posewright: {count}")
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main())
