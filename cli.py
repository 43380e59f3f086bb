"""The same jobs without a window: `blender --command posewright bake file.blend`. May import bridge."""

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from . import bridge

if TYPE_CHECKING:
    from .bridge.baking.job import Progress, Settings

LINES = 20  # lines of progress that a whole job writes


def run(arguments: list[str]) -> int:
    """Do what the arguments say and return the exit code."""
    try:
        given = _parser().parse_args(arguments)
    except SystemExit as stop:  # --help, or words that make no sense: argparse has said so
        return int(stop.code or 0)
    if given.job == "compile":
        return _compile()
    try:
        found = JOBS[given.job](given)
        _put_report(given, found)
    except bridge.errors.PosewrightError as error:
        sys.stderr.write(f"posewright: {error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="posewright", description="Whole-body posing, from the command line.")
    jobs = parser.add_subparsers(dest="job", required=True)
    jobs.add_parser("compile", help="compile the solvers now, so that no later session has to")
    for name, words in (
        ("bake", "bake the characters of a file into keys"),
        ("solve", "solve the characters of a file on one frame, and keep the pose"),
        ("report", "say what a bake would come to, and change nothing"),
    ):
        job = jobs.add_parser(name, help=words)
        job.add_argument("file", type=Path, help="a .blend file")
        job.add_argument("--character", default="", help="its armature object; all of the file by default")
        job.add_argument("--json", type=Path, help="write the report there; by default it is printed")
        if name != "report":
            there = job.add_mutually_exclusive_group(required=True)
            there.add_argument("--output", type=Path, help="save the file there")
            there.add_argument("--overwrite", action="store_true", help="save it over the one that was opened")
        if name == "solve":
            job.add_argument("--frame", type=int, help="the frame; by default the one that the file was saved on")
        else:
            job.add_argument("--frames", type=int, nargs=2, metavar=("FIRST", "LAST"), help="by default as stored")
            job.add_argument("--step", type=int, help="every so many frames; by default as stored")
        if name == "bake":
            job.add_argument("--into", choices=("NEW", "OVER", "NLA"), help="new action, over it, or NLA strip")
    feet = jobs.add_parser("feet", help="put the clip of a character onto a ground, into a new action")
    feet.add_argument("file", type=Path, help="a .blend file")
    feet.add_argument("--character", default="", help="its armature object; the only one that is animated by default")
    feet.add_argument("--ground", help="an object or a collection; a level ground by default, as stored")
    feet.add_argument("--height", type=float, help="of a level ground; by default that on which the clip stands")
    feet.add_argument("--frames", type=int, nargs=2, metavar=("FIRST", "LAST"), help="by default as stored")
    feet.add_argument("--json", type=Path, help="write the report there; by default it is printed")
    there = feet.add_mutually_exclusive_group(required=True)
    there.add_argument("--output", type=Path, help="save the file there")
    there.add_argument("--overwrite", action="store_true", help="save it over the one that was opened")
    return parser


def _bake(given: argparse.Namespace) -> dict[str, Any]:
    bridge.batch.open_file(given.file)
    found = bridge.batch.bake(given.character, _changes(given), _progress_lines())
    bridge.batch.save_file(given.file if given.overwrite else given.output)
    return found


def _solve(given: argparse.Namespace) -> dict[str, Any]:
    bridge.batch.open_file(given.file)
    found = bridge.batch.solve(given.character, given.frame)
    bridge.batch.save_file(given.file if given.overwrite else given.output)
    return found


def _report(given: argparse.Namespace) -> dict[str, Any]:
    bridge.batch.open_file(given.file)
    return bridge.batch.look(given.character, _changes(given))


def _feet(given: argparse.Namespace) -> dict[str, Any]:
    bridge.batch.open_file(given.file)
    choice = bridge.batch.FeetChoice(given.ground, given.height, given.frames)
    found = bridge.batch.place_feet(given.character, choice, _progress_lines())
    bridge.batch.save_file(given.file if given.overwrite else given.output)
    return found


JOBS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "bake": _bake,
    "solve": _solve,
    "report": _report,
    "feet": _feet,
}


def _changes(given: argparse.Namespace) -> "Callable[[Settings], Settings]":
    """What the arguments say otherwise than what is stored with a character."""
    said: dict[str, Any] = {}
    if given.frames is not None:
        said |= {"which": "CUSTOM", "first": given.frames[0], "last": given.frames[1]}
    if given.step is not None:
        said["step"] = given.step
    if getattr(given, "into", None) is not None:
        said["where"] = given.into
    return lambda stored: stored._replace(**said)


def _progress_lines() -> "Callable[[str, Progress], None]":
    """Write a line for each twentieth of a job."""
    last: dict[str, int] = {}

    def show(name: str, now: "Progress") -> None:
        part = int(LINES * now.part)
        if part > last.get(name, 0):
            last[name] = part
            sys.stdout.write(f"posewright: {name}, {100 * now.part:.0f} %, {now.words}\n")
            sys.stdout.flush()

    return show


def _put_report(given: argparse.Namespace, found: dict[str, Any]) -> None:
    text = json.dumps(found, indent=1) + "\n"
    if given.json is None:
        sys.stdout.write(text)
        return
    try:
        given.json.write_text(text, encoding="utf-8")
    except OSError as error:
        raise bridge.errors.PosewrightError(f"{given.json} cannot be written: {error.strerror or error}") from None


def _compile() -> int:
    outcome = bridge.compilation.compile_now()
    if outcome.problem:
        sys.stderr.write(f"posewright: the solvers cannot be compiled: {outcome.problem}\n")
        return 1
    sys.stdout.write(f"posewright: solvers compiled in {outcome.seconds:.1f} s with numba {outcome.numba}\n")
    return 0


def register(undo: ExitStack) -> None:
    """Make `blender --command posewright` known."""
    command = bpy.utils.register_cli_command("posewright", run)
    undo.callback(bpy.utils.unregister_cli_command, command)
