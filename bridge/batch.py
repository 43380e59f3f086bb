"""The jobs of the command line: open a file, do it, save elsewhere unless told otherwise."""

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from .. import properties
from ..solvers.errors import PosewrightError
from . import live, watch
from .baking import actions, job, report
from .baking.job import Progress, Settings
from .feet import job as feet_job
from .outcome import GoalOutcome, Outcome


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


def characters(name: str = "", by_relations: bool = False) -> list[bpy.types.Object]:
    """The character of a name, or all of the scene that have goals. Raises an error where there is none.

    With `by_relations` also those that have relations alone. By its name one of these is always found: it may be held
    by another, whose goals ask for something. Linked ones cannot be posed, and count only where there are no others,
    who may have the same name.
    """
    scene = bpy.context.scene
    assert scene is not None
    by_relations = by_relations or bool(name)
    found = [
        one
        for one in scene.objects
        if one.type == "ARMATURE" and name in ("", one.name) and _has_something(one, by_relations)
    ]
    if not found:
        who = f"character {name!r}" if name else "character"
        what = "goals or relations" if by_relations else "goals"
        raise PosewrightError(f"There is no {who} with {what} in the scene {scene.name!r}")
    return [one for one in found if one.library is None] or found


def _has_something(armature_object: bpy.types.Object, by_relations: bool) -> bool:
    """Whether a character has goals, or relations that are on."""
    character = properties.character(armature_object)
    related = by_relations and any(not one.mute for one in character.posewright_relations)
    return bool(len(character.posewright_goals)) or related


def bake(
    name: str, changed: Callable[[Settings], Settings], progress: Callable[[str, Progress], None] | None = None
) -> dict[str, Any]:
    """Bake one character, or all. Returns the reports by character.

    Args:
        name: which; empty for all.
        changed: how, given what is stored with each.
        progress: called at each step with the character's name.
    """
    found, baked = dict[str, Any](), list[bpy.types.Object]()
    for one in characters(name):
        if one in baked:
            continue  # together with another
        steps = job.bake(bpy.context, one, changed(job.stored(one)))
        while True:
            try:
                now = next(steps)
            except StopIteration as end:
                partners = actions.partners_of(one)
                found[one.name] = asdict(end.value)
                found |= {partner.name: report.stored(partner) for partner in partners}
                baked += [one, *partners]
                break
            if progress is not None:
                progress(one.name, now)
    return found


class FeetChoice(NamedTuple):
    """What is said otherwise than what is stored with a character; None where nothing is."""

    ground: str | None = None  # the name of an object or a collection
    height: float | None = None  # of a level ground
    frames: tuple[int, int] | None = None


def place_feet(
    name: str, choice: FeetChoice, progress: Callable[[str, Progress], None] | None = None
) -> dict[str, Any]:
    """Put the clip of a character onto a ground. Returns the report by character."""
    one = _animated(name)
    character = properties.character(one)
    if choice.ground is not None and choice.height is not None:
        raise PosewrightError("A ground has a height of its own: say either --ground or --height")
    if choice.ground is not None:
        thing: bpy.types.Object | None = bpy.data.objects.get(choice.ground)
        group: bpy.types.Collection | None = bpy.data.collections.get(choice.ground)
        if thing is None and group is None:
            raise PosewrightError(f"There is no object and no collection {choice.ground!r}")
        character.posewright_feet_ground = "OBJECT" if thing is not None else "COLLECTION"
        character.posewright_feet_object, character.posewright_feet_collection = thing, group
    if choice.height is not None:
        character.posewright_feet_ground, character.posewright_feet_own_height = "FLAT", False
        character.posewright_feet_height = choice.height
    if choice.frames is not None:
        character.posewright_feet_range = "CUSTOM"
        character.posewright_feet_first, character.posewright_feet_last = choice.frames
    steps = feet_job.place(bpy.context, one)
    while True:
        try:
            now = next(steps)
        except StopIteration as end:
            return {one.name: asdict(end.value)}
        if progress is not None:
            progress(one.name, now)


def _animated(name: str) -> bpy.types.Object:
    """The armature of a name, or the only one that is animated. Raises an error where that is none, or several."""
    scene = bpy.context.scene
    assert scene is not None
    armatures = [one for one in scene.objects if one.type == "ARMATURE" and name in ("", one.name)]
    if name and not armatures:
        raise PosewrightError(f"There is no armature {name!r} in the scene {scene.name!r}")
    found = armatures if name else [one for one in armatures if one.animation_data is not None]
    found = [one for one in found if one.library is None] or found
    if len(found) != 1:
        said = ", ".join(repr(one.name) for one in found) or "none"
        raise PosewrightError(f"Say by --character whose feet are to be placed: animated armatures are {said}")
    return found[0]


def solve(name: str, frame: int | None) -> dict[str, Any]:
    """Solve one character, or all, on a frame. Returns what each goal lacks, by character."""
    scene = bpy.context.scene
    assert scene is not None
    with watch.undisturbed():
        if frame is not None:
            scene.frame_set(frame)
        return {
            one.name: _lacks(one, live.solve_once(one, bpy.context.evaluated_depsgraph_get()))
            for one in characters(name, by_relations=True)
        }


def look(name: str, changed: Callable[[Settings], Settings]) -> dict[str, Any]:
    """What a bake would come to, by character, without one."""
    found: dict[str, Any] = {}
    for one in characters(name):
        steps = job.look(bpy.context, one, changed(job.stored(one)))
        found[one.name] = asdict(job.finish(steps))
    return found


def _lacks(armature_object: bpy.types.Object, outcome: Outcome) -> dict[str, Any]:
    character = properties.character(armature_object)
    goals, relations = character.posewright_goals, character.posewright_relations
    return {
        "goals": {goals[row].name: _in_words(one) for row, one in outcome.goals.items()},
        "relations": {relations[row].name: _in_words(one) for row, one in outcome.relations.items()},
        "said": outcome.words,
    }


def _in_words(one: GoalOutcome) -> dict[str, Any]:
    said = {"trouble": one.trouble} if one.trouble else {}
    return {"cm": 100.0 * one.metres, "degrees": math.degrees(one.radians), "met": one.reached, **said}
