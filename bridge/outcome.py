"""What the last solve of each character came to, for panel and overlay: kept for the session, never on the object."""

from dataclasses import dataclass, field
from typing import NamedTuple

import bpy


class GoalOutcome(NamedTuple):
    """How a goal stands: in metres of the world and radians."""

    metres: float = 0.0
    radians: float = 0.0
    reached: bool = True
    trouble: str = ""  # why it was left out


@dataclass
class Outcome:
    """How a character's last solve ended."""

    goals: dict[int, GoalOutcome] = field(default_factory=dict)  # of those that ask for something, by their place
    relations: dict[int, GoalOutcome] = field(default_factory=dict)  # of those that are on, by their place
    words: str = ""  # the status, for people
    error: str = ""  # why live posing was switched off
    milliseconds: float = 0.0
    iterations: int = 0
    stopped_by: tuple[tuple[str, str], ...] = ()  # bones and axes on whose limits the pose rests, hardest pressed first
    changed: int = 0  # bones that were written
    slow: bool = False  # takes longer than the animator allows: solved when the drag ends


_outcomes: dict[int, Outcome] = {}  # by session_uid
_frozen: dict[int, dict[str, str]] = {}  # by session_uid: why a bone is taken as it stands, by its name


def of(armature_object: bpy.types.Object) -> Outcome | None:
    """The last one of a character, if it was solved in this session."""
    return _outcomes.get(armature_object.session_uid)


def note(armature_object: bpy.types.Object, outcome: Outcome) -> None:
    """Keep it."""
    _outcomes[armature_object.session_uid] = outcome


def forget(armature_object: bpy.types.Object | None = None) -> None:
    """Forget one character's, or all."""
    if armature_object is None:
        _outcomes.clear()
        _frozen.clear()
    else:
        _outcomes.pop(armature_object.session_uid, None)


def frozen_of(armature_object: bpy.types.Object) -> dict[str, str] | None:
    """Which bones were taken as they stand when the armature was read last, and why; None if it never was."""
    return _frozen.get(armature_object.session_uid)


def note_frozen(armature_object: bpy.types.Object, frozen: dict[str, str]) -> None:
    """Keep which bones are taken as they stand."""
    _frozen[armature_object.session_uid] = frozen


def forget_frozen(armature_object: bpy.types.Object) -> None:
    """Forget which bones are taken as they stand: it is to be looked at again."""
    _frozen.pop(armature_object.session_uid, None)
