"""What was found and what is browsed, kept to be drawn. Needs no numpy: redraws ask for it.

Plain arrays by `session_uid`, and no reference to Blender's data. Forgotten with the file that they are of.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import bpy

if TYPE_CHECKING:
    from ...solvers.rotation import Floats


class Ghosts(NamedTuple):
    """Poses that are being browsed: n of them, of each S bones as lines, in the world."""

    lines: "Floats"  # [n, S, 2, 3]
    current: int  # which of them is shown on the character


class Way(NamedTuple):
    """How elites carried the point of a goal, in the world."""

    goal: str  # its name
    target: "Floats"  # [3]
    begun: "Floats"  # [G, E, 3], before a generation's elites descend
    ended: "Floats"  # [G, E, 3], after that


@dataclass(frozen=True, eq=False)
class Search:
    """The last search of a character: G generations, E elites."""

    seed: int
    best: "Floats"  # [G], the least cost so far
    begun: "Floats"  # [G, E], what elites cost before they descend
    ended: "Floats"  # [G, E], after that
    found: list[int]  # [G], distinct solutions so far
    wipe_outs: list[int]  # [G], how often the population was begun anew so far
    ways: list[Way]


_ghosts: dict[int, Ghosts] = {}  # by session_uid
_searches: dict[int, Search] = {}  # by session_uid


def keep_ghosts(armature_object: bpy.types.Object, ghosts: Ghosts) -> None:
    """Have poses drawn."""
    _ghosts[armature_object.session_uid] = ghosts


def ghosts_of(armature_object: bpy.types.Object) -> Ghosts | None:
    """The poses of a character that are being browsed."""
    return _ghosts.get(armature_object.session_uid)


def forget_ghosts(session_uid: int) -> None:
    """Nothing is browsed any more."""
    _ghosts.pop(session_uid, None)


def keep_search(session_uid: int, search: Search) -> None:
    """Keep the last search of a character."""
    _searches[session_uid] = search


def search_of(armature_object: bpy.types.Object) -> Search | None:
    """The last search of a character, if there was one in this session."""
    return _searches.get(armature_object.session_uid)


def forget() -> None:
    """Forget everything: after load, disable."""
    _ghosts.clear()
    _searches.clear()
