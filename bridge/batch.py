"""The jobs of the command line: open a file, do it, save elsewhere unless told otherwise."""

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import bpy

from .. import properties
from ..solvers.errors import PosewrightError
from . import live, watch
from .baking import job
from .baking.job import Progress, Settings
from .outcome import Outcome


def open_file(path: Path) -> None:
    """Open a .blend, without running what it may carry."""
    if not path.is_file():
        raise PosewrightError(f"There is no file {path}")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)
    except RuntimeError as error:
        raise PosewrightError(f"{path} cannot be opened: {error}") from None


def save_file(path: Path) -> None:
    """Save the file as it is now. Raises an error where that cannot be."""
    if not path.parent.is_dir():
        raise PosewrightError(f"There is no folder {path.parent}")
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=False)
    except RuntimeError as error:
        raise PosewrightError(f"{path} cannot be saved: {error}") from None


def characters(name: str = "") -> list[bpy.types.Object]:
    """The character of a name, or all of the scene that have goals. Raises an error where there is none."""
    scene = bpy.context.scene
    assert scene is not None
    found = [
        one
        for one in scene.objects
        if one.type == "ARMATURE" and len(properties.character(one).posewright_goals) and name in ("", one.name)
    ]
    if not found:
        what = f"no character {name!r} with goals" if name else "no character with goals"
        raise PosewrightError(f"There is {what} in the scene {scene.name!r}")
    return found


def bake(
    name: str, changed: Callable[[Settings], Settings], progress: Callable[[str, Progress], None] | None = None
) -> dict[str, Any]:
    """Bake one character, or all. Returns the reports by character.

    Args:
        name: which; empty for all.
        changed: how, given what is stored with each.
        progress: called at each step with the character's name.
    """
    found: dict[str, Any] = {}
    for one in characters(name):
        steps = job.bake(bpy.context, one, changed(job.stored(one)))
        while True:
            try:
                now = next(steps)
            except StopIteration as end:
                found[one.name] = asdict(end.value)
                break
            if progress is not None:
                progress(one.name, now)
    return found


def solve(name: str, frame: int | None) -> dict[str, Any]:
    """Solve one character, or all, on a frame. Returns what each goal lacks, by character."""
    scene = bpy.context.scene
    assert scene is not None
    with watch.undisturbed():
        if frame is not None:
            scene.frame_set(frame)
        return {
            one.name: _lacks(one, live.solve_once(one, bpy.context.evaluated_depsgraph_get()))
            for one in characters(name)
        }


def look(name: str, changed: Callable[[Settings], Settings]) -> dict[str, Any]:
    """What a bake would come to, by character, without one."""
    found: dict[str, Any] = {}
    for one in characters(name):
        steps = job.look(bpy.context, one, changed(job.stored(one)))
        found[one.name] = asdict(job.finish(steps))
    return found


def _lacks(armature_object: bpy.types.Object, outcome: Outcome) -> dict[str, Any]:
    stored = properties.character(armature_object).posewright_goals
    goals = {
        stored[row].name: {"cm": 100.0 * one.metres, "degrees": math.degrees(one.radians), "met": one.reached}
        for row, one in outcome.goals.items()
    }
    return {"goals": goals, "said": outcome.words}
