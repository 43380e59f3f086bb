"""Knows what makes each picture of the documentation and which code it shows, and tells the ones that are out of date.

    python3.11 tools/pictures.py                    which pictures are older than the code they show
    python3.11 tools/pictures.py -- BLENDER [...]   makes those of the 3D view and of scripts anew

Whoever makes a picture notes in docs/pictures/made.json what that code was: for each file a digest that comments,
docstrings, imports and format do not change. The plots of benchmarks are of the run that their table names; what is
compared is the script that draws them.
"""

import argparse
import ast
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
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


FEET = ("ui/contacts.py", "ui/feet.py", "ui/footprints.py", "ui/paint_feet.py", "ui/soles.py")
GHOSTS = ("ui/ghosts.py", "ui/paint_ghosts.py", "ui/solver.py", "ui/variations.py")
PICTURES = {
    "feet_preview": Picture(MAKE, (*FEET, "tests/gui/scenarios_feet.py")),
    "variations": Picture(MAKE, (*GHOSTS, "tests/gui/scenarios_variations.py")),
    "variations_search": Picture(MAKE, (*GHOSTS, "tests/gui/scenarios_variations.py")),
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
    there, made = {path.stem for path in FOLDER.glob("*.png")}, noted()
    lines = [f"{name}.png: tools/pictures.py does not say what makes it" for name in sorted(there - set(PICTURES))]
    for name, picture in PICTURES.items():
        if name not in there:
            lines.append(f"{name}.png is not there: {picture.command}")
        elif changed := _changed(made.get(name, {}), code_of(name)):
            lines.append(f"{name}.png is older than {', '.join(changed)}: {picture.command}")
    return lines


def _changed(before: dict[str, str], now: dict[str, str]) -> Iterable[str]:
    return [path for path, code in now.items() if before.get(path) != code]


def make(blender: list[str]) -> int:
    """Make all pictures but the plots of benchmarks. Returns an exit code."""
    tools = ROOT / "tools"
    window = subprocess.run([sys.executable, tools / "test_gui.py", "--page", "--", *blender], check=False)  # noqa: S603
    python = environments.ensure("bench-blender")
    SEARCH.parent.mkdir(parents=True, exist_ok=True)
    runs = {
        "feet_graph": [["feet_graph"]],
        "search_figure": [["variations"], ["search_figure", str(SEARCH), str(FOLDER / "search_figure.png")]],
    }
    failed = window.returncode
    for name, commands in runs.items():
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
