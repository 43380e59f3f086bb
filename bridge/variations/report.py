"""The last search of a character as JSON, for figures: costs and ways over generations."""

import json
from pathlib import Path
from typing import Any

import bpy

from ...solvers.errors import PosewrightError
from . import shown
from .shown import Search

FORMAT = "posewright search 1"


def of(search: Search, character: str) -> dict[str, Any]:
    """All of a search, as JSON has it: lengths in metres of the world, costs as the solvers count them."""
    return {
        "format": FORMAT,
        "character": character,
        "seed": search.seed,
        "generations": len(search.best),
        "best_cost": search.best.tolist(),
        "elite_costs_before_descent": search.begun.tolist(),
        "elite_costs_after_descent": search.ended.tolist(),
        "solutions_found": search.found,
        "wipe_outs": search.wipe_outs,
        "goals": [
            {
                "name": way.goal,
                "target": way.target.tolist(),
                "elites_before_descent": way.begun.tolist(),
                "elites_after_descent": way.ended.tolist(),
            }
            for way in search.ways
        ],
    }


def save(armature_object: bpy.types.Object, path: Path) -> str:
    """Save the last search. Returns what to say; raises an error where that cannot be."""
    search = shown.search_of(armature_object)
    if search is None:
        raise PosewrightError(f"Nothing was searched for {armature_object.name!r} in this session: Variations does it")
    if not path.name:
        raise PosewrightError("Say in which file the report is to be saved")
    try:
        path.write_text(json.dumps(of(search, armature_object.name), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise PosewrightError(f"The report cannot be saved: {error.strerror or error}: {path}") from None
    return f"Saved {path}"
