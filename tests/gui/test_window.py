"""The installed zip in a windowed Blender, played by scenarios (`scenarios_*.py`) that run inside it."""

import ast
import json
import os
import re
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from PIL import ImageGrab

HERE = Path(__file__).parent
ASKED = os.environ.get("POSEWRIGHT_SCENARIOS")
# The tour makes pictures for the documentation, in five minutes, of what others test: it is played on request.
FILES = sorted(path for path in HERE.glob(f"scenarios_{ASKED or '*'}.py") if ASKED or path.stem != "scenarios_tour")
SCENARIOS = [
    (path.name, node.name)
    for path in FILES
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]
LONGEST = 1200  # seconds for one file of scenarios; on two busy cores the three compiles alone take 600
BAD = re.compile(r"Traceback|Error|ERROR|Exception|Segmentation|CRITICAL")
# What Blender says by itself on a virtual screen in a bare Debian, with no add-on enabled.
HARMLESS = re.compile(
    r"EGL|libdecor|Xlib|mounted file-systems|Draco|MeshOptimizer|ALSA|pulse|jack|oss_|vulkan|TBBmalloc|GHOST",
    re.IGNORECASE,
)


@dataclass
class Played:
    """What one run of Blender left behind."""

    code: int
    said: str
    ended: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)


def blender() -> list[str]:
    command: list[str] = json.loads(os.environ["POSEWRIGHT_BLENDER"])
    return command


def out() -> Path:
    return Path(os.environ["POSEWRIGHT_OUT"])


@pytest.fixture(scope="session", autouse=True)
def installed() -> str:
    """Install the zip as a user does on the command line, over no trace of an earlier one. Returns what was said."""
    forget = "import bpy, shutil; shutil.rmtree(bpy.utils.user_resource('EXTENSIONS', path='.user'), True)"
    if not os.environ["POSEWRIGHT_KEEP"]:
        subprocess.run(
            [*blender(), "--background", "--python-expr", forget], capture_output=True, timeout=LONGEST, check=True
        )
    install = ["--command", "extension", "install-file", "--repo", "user_default", "--enable"]
    run = subprocess.run(
        [*blender(), *install, os.environ["POSEWRIGHT_ZIP"]],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    (out() / "install.log").write_text(run.stdout + run.stderr)
    assert run.returncode == 0, run.stdout + run.stderr
    if not os.environ["POSEWRIGHT_KEEP"]:
        # Without a window: one that is drawn on a virtual screen takes a core meanwhile, and the compile twice as long.
        compiled = subprocess.run(
            [*blender(), "--command", "posewright", "compile"],
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
        assert compiled.returncode == 0, compiled.stdout + compiled.stderr
    return run.stdout + run.stderr


def take_pictures(folder: Path, stop: threading.Event) -> None:
    """Take each picture of the screen that a scenario asks for."""
    while not stop.wait(0.1):
        for wanted in folder.glob("*.wanted"):
            box = json.loads(wanted.read_text())
            wanted.unlink()
            unfinished = wanted.with_suffix(".part.png")
            ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).crop(box).save(unfinished)
            unfinished.rename(wanted.with_suffix(".png"))


@cache
def play(name: str) -> Played:
    """Play one file of scenarios in a Blender of its own."""
    folder = out()
    window = ["--window-geometry", "0", "0", "1600", "1000", "--enable-event-simulate"]
    scripts = Path(os.environ["POSEWRIGHT_SCRIPTS"])  # a copy of this folder, where Blender sees it
    script = ["--python", str(scripts / "driver.py"), "--", str(scripts / name), str(folder)]
    stop = threading.Event()
    camera = threading.Thread(target=take_pictures, args=(folder, stop))
    camera.start()
    try:
        run = subprocess.run(
            [*blender(), *window, *script], capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired as error:
        return Played(124, f"stopped after {LONGEST} s; {error.stdout!r} {error.stderr!r}")
    finally:
        stop.set()
        camera.join()
    said = run.stdout + run.stderr
    (folder / name).with_suffix(".log").write_text(said)
    left = (folder / name).with_suffix(".json")
    if not left.exists():
        return Played(run.returncode, said)
    return Played(run.returncode, said, **json.loads(left.read_text()))


def bad_lines(said: str) -> list[str]:
    return [line for line in said.splitlines() if BAD.search(line) and not HARMLESS.search(line)]


def test_installing_from_the_command_line_says_nothing_bad(installed: str) -> None:
    assert not bad_lines(installed)


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS)
def test_scenario(name: str, scenario: str) -> None:
    played = play(name)
    assert scenario in played.ended, f"it was not played to its end; Blender said:\n{played.said[-3000:]}"
    assert not played.ended[scenario], played.ended[scenario]
    if scenario in played.skipped:
        pytest.skip(played.skipped[scenario])


@pytest.mark.parametrize("name", [path.name for path in FILES])
def test_blender_quits_cleanly_with_no_error_in_the_console(
    name: str, record_testsuite_property: Callable[[str, object], None]
) -> None:
    played = play(name)
    for what, figure in played.notes.items():
        record_testsuite_property("note", f"{what}: {figure}")
    assert played.code == 0
    assert not bad_lines(played.said)
