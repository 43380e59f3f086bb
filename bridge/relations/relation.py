"""What a stored relation is to those who solve."""

from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...properties import POSEWRIGHT_PG_relation
from ...solvers import Goal, Level
from ...solvers.errors import PosewrightError
from ..asked import Setting

LEVELS = {"PIN": Level.PIN, "GOAL": Level.GOAL}
UNKNOWN = "unknown to this version of Posewright"  # Blender gives an empty name for an item that an enum does not have


@dataclass(frozen=True, eq=False)
class Relation:
    """A relation that takes part in every solve.

    Attributes:
        row: its place in the list of stored relations.
        bones: those that it is about; what moves them is a part of the rig.
        make: what it asks of the solvers. Raises an error that says why it cannot. Of the same rig it gives goals of
            the same kinds each time.
        steady: whether `make` gives the same while rig and stored settings do; else it is called for every solve.
        rests: whether `make` looks at the reference.
    """

    row: int
    bones: frozenset[str]
    make: Callable[[Setting], Sequence[Goal]]
    steady: bool = True
    rests: bool = False


def lengths(armature_object: bpy.types.Object) -> dict[str, float]:
    """The bones' lengths by their names, in units of the armature. Asked once for all: a body may have 338 wires."""
    data = armature_object.data
    assert isinstance(data, bpy.types.Armature)
    found = np.zeros(len(data.bones), np.float32)
    data.bones.foreach_get("length", found)
    return dict(zip(data.bones.keys(), found.tolist(), strict=True))


def level_of(one: POSEWRIGHT_PG_relation) -> Level:
    """At which level a relation holds. Raises an error where it is none of those that are known."""
    if one.level not in LEVELS:
        raise PosewrightError(f"what it holds before is {UNKNOWN}: choose it under Holds")
    return LEVELS[one.level]


def refuse_missing(there: Container[str], bones: Collection[str]) -> None:
    """Raise an error that names a bone which is not there."""
    for bone in bones:
        if bone not in there:
            raise PosewrightError(f"there is no bone {bone!r}" if bone else "it names no bone")
