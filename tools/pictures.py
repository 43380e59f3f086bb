"""Knows what makes each picture of the documentation and which code it shows, and tells the ones that are out of date.

    python3.11 tools/pictures.py                    which pictures are older than the code they show
    python3.11 tools/pictures.py -- BLENDER [...]   makes these anew, but the plots of benchmarks

Whoever makes a picture notes in docs/pictures/made.json what that code was: for each file a digest that comments,
docstrings, imports and format do not change. The plots of benchmarks are of the run that their table names; what is
compared is the script that draws them.
"""

import argparse
import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import environments
from environments import ROOT

FOLDER = ROOT / "docs" / "pictures"
NOTED = FOLDER / "made.json"
BENCHMARKS = ("line_search", "arms", "humanoid", "unsolvable", "scaling", "tracking", "motion", "live")
MAKE = "make pictures BLENDER=path"
SEARCH = ROOT / "out" / "pictures" / "search.json"


class Picture(NamedTuple):
    """How a picture is made, and the files whose work is seen on it."""

    command: str
    shows: tuple[str, ...]


GHOSTS = ("ui/ghosts.py", "ui/paint_ghosts.py", "ui/solver.py", "ui/variations.py")
# Pictures of the tour, what they are called in docs/pictures/, and the files whose work they show.
TOUR = {
    "tour-first-1": ("first_1_added", ("ui/quick_start.py", "ui/sidebar.py", "presets/mannequin.py")),
    "tour-first-2": ("first_2_set_up", ("ui/set_up.py", "ui/sidebar.py")),
    "tour-first-3": ("first_3_pinned", ("ui/pie.py",)),
    "tour-first-4": ("first_4_dragged", ("ui/shapes.py", "ui/paint.py")),
    "tour-first-5": ("first_5_keyed", ("ui/goals.py", "ui/keys.py")),
    "tour-baked": ("baked", ("ui/bake.py",)),
    "tour-overlay": ("overlay", ("ui/shapes.py", "ui/paint.py")),
    "tour-goals": ("goals", ("ui/goals.py", "ui/active_goal.py")),
    "tour-joints": ("joints", ("ui/joints.py", "ui/shapes.py", "ui/paint.py")),
    "tour-relations": ("relations", ("ui/relations.py", "ui/shapes.py", "ui/paint.py")),
    "tour-collision": ("collision", ("ui/body_shapes.py", "ui/capsules.py", "ui/relations.py", "ui/paint.py")),
    "tour-balance": ("balance", ("ui/relations.py", "ui/shapes.py", "ui/paint.py")),
    "tour-variations": ("variations", GHOSTS),
    "tour-search": ("variations_search", GHOSTS),
    "tour-feet": ("feet_preview", ("ui/feet.py", "ui/footprints.py", "ui/paint_feet.py")),
}
PLAYED = "tests/gui/scenarios_tour.py"
PICTURES = {
    **{shown: Picture(MAKE, (*code, PLAYED)) for shown, code in TOUR.values()},
    "demo": Picture("make demo, then make listing", ("presets/mannequin.py", "tools/demo_walk.py")),
    "feet_graph": Picture(MAKE, ("benchmarks/feet_graph.py", "bridge/feet/preview.py")),
    "search_figure": Picture(MAKE, ("benchmarks/search_figure.py", "bridge/variations/report.py")),
    **{
        f"bench_{name}": Picture(f"make bench ONLY={name}, then make bench PAGE=1", (f"benchmarks/{name}.py",))
        for name in BENCHMARKS
    },
}


def digest(source: str) -> str:
    """What a file of Python does, in few letters: the same with other comments, docstrings and imports."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]


def code_of(name: str) -> dict[str, str]:
    """The digests of the files that a picture shows, as they are now."""
    return {path: digest((ROOT / path).read_text(encoding="utf-8")) for path in PICTURES[name].shows}


def noted() -> dict[str, dict[str, str]]:
    """Of each picture, the digests of the files that it showed when it was made."""
    found: dict[str, dict[str, str]] = json.loads(NOTED.read_text(encoding="utf-8")) if NOTED.exists() else {}
    return found


def note(name: str, code: dict[str, str] | None = None) -> None:
    """Keep that a picture was made just now, or by code that was looked at before."""
    found = noted() | {name: code or code_of(name)}
    NOTED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def out_of_date() -> list[str]:
    """A line for each picture that is older than what it shows, or of which nobody knows how it was made."""
    unknown = sorted({path.stem for path in FOLDER.glob("*.*") if path != NOTED} - set(PICTURES))
    lines = [f"{name}: tools/pictures.py does not say what makes it" for name in unknown]
    for name, picture in PICTURES.items():
        if not any(FOLDER.glob(f"{name}.*")):
            lines.append(f"{name} is not there: {picture.command}")
        elif changed := changed_since(name):
            lines.append(f"{name} is older than {', '.join(changed)}: {picture.command}")
    return lines


def changed_since(name: str) -> list[str]:
    """The files that do something else since a picture was made of them."""
    before = noted().get(name, {})
    return [path for path, code in code_of(name).items() if before.get(path) != code]


def is_out_of_date(name: str) -> bool:
    """Whether a picture is to be made."""
    return not any(FOLDER.glob(f"{name}.*")) or bool(changed_since(name))


def tour(blender: list[str]) -> int:
    """Play the tour in a window and take over its pictures; one that was not taken stays out of date."""
    tools = ROOT / "tools"
    play: list[str | Path] = [sys.executable, tools / "test_gui.py", "--keep", "--only", "tour", "--", *blender]
    played = subprocess.run(play, check=False).returncode  # noqa: S603 - a command of our own
    taken = max((ROOT / "out" / "gui").glob("*/scenarios_tour.json"), key=lambda path: path.stat().st_mtime).parent
    for name, (shown, _) in TOUR.items():
        if (taken / f"{name}.png").exists():
            shutil.copy(taken / f"{name}.png", FOLDER / f"{shown}.png")
            note(shown)
    return played


def make(blender: list[str]) -> int:
    """Make all pictures that are out of date but the plots of benchmarks. Returns an exit code."""
    failed = 0
    if any(is_out_of_date(name) for name, _ in TOUR.values()):
        failed = tour(blender)
    SEARCH.parent.mkdir(parents=True, exist_ok=True)
    runs = {
        "feet_graph": [["feet_graph"]],
        "search_figure": [["variations"], ["search_figure", str(SEARCH), str(FOLDER / "search_figure.png")]],
    }
    for name, commands in runs.items():
        if not is_out_of_date(name):
            continue
        python = environments.ensure("bench-blender")
        for module, *given in commands:
            command = [str(python), "-m", f"posewright.benchmarks.{module}", *given]
            settings = os.environ | {"POSEWRIGHT_SEARCH": str(SEARCH)}
            code = subprocess.run(command, cwd=ROOT, env=settings, check=False).returncode  # noqa: S603
            failed = failed or code
            if code:
                break
        else:
            note(name)
    return failed


def main() -> int:
    """Make them, or say which are out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("blender", nargs="*")
    asked = parser.parse_args()
    failed = make(asked.blender) if asked.blender else 0
    lines = out_of_date()
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if failed or lines else 0


if __name__ == "__main__":
    sys.exit(main())
