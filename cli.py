"""The same jobs without a window: `blender --command posewright compile`. May import bridge."""

import argparse
import sys
from contextlib import ExitStack

import bpy

from . import bridge


def run(arguments: list[str]) -> int:
    """Do what the arguments say and return the exit code."""
    parser = argparse.ArgumentParser(prog="posewright", description="Whole-body posing, from the command line.")
    jobs = parser.add_subparsers(dest="job", required=True)
    jobs.add_parser("compile", help="compile the solvers now, so that no later session has to")
    try:
        parser.parse_args(arguments)
    except SystemExit as stop:  # --help, or words that make no sense: argparse has said so
        return int(stop.code or 0)
    return _compile()


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
