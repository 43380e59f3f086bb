"""How relations take part in solves, live and in bakes: read, made into goals, and left out where they cannot be.

They come behind the goals with handles, always in the order of their list, so that a problem can be used again. While
no goal asks for anything they ask for nothing either. One in trouble is told about and left out; all else is solved.
"""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import NamedTuple

import bpy

from ... import properties
from ...properties import POSEWRIGHT_PG_relation
from ...solvers import Goal
from ...solvers.errors import PosewrightError
from ...solvers.problem import GoalError
from ..asked import Setting
from ..outcome import GoalOutcome
from ..rig import Rig
from . import balance, collisions, couplings, loops, wires
from .relation import UNKNOWN, Relation

# By kind, the room whose `read(armature_object, rows)` gives, by row, a `Relation` or in words why there is none.
ROOMS: Mapping[str, ModuleType] = {
    "COUPLING": couplings,
    "WIRE": wires,
    "LOOP": loops,
    "COLLISION": collisions,
    "BALANCE": balance,
}


class Made(NamedTuple):
    """Relations as goals."""

    goals: tuple[Goal, ...] = ()
    rows: tuple[int, ...] = ()  # whose each of them is
    troubles: Mapping[int, str] = {}  # why some were left out, by row

    def outcomes(self, errors: Sequence[GoalError], unit: float) -> dict[int, GoalOutcome]:
        """How each relation stands, by row, with the errors of its goals; `unit` is metres of the world."""
        found = {row: GoalOutcome(reached=False, trouble=said) for row, said in self.troubles.items()}
        for row, (metres, radians, reached) in zip(self.rows, errors, strict=True):
            other = found.get(row)
            if other is None:
                found[row] = GoalOutcome(metres * unit, radians, reached)
            elif metres > 0.0 or radians > 0.0:  # the worst of its goals, which may be hundreds
                worst = max(other.metres, metres * unit), max(other.radians, radians)
                found[row] = GoalOutcome(*worst, other.reached and reached)
        return found


class Related:
    """The relations of a character, and what was made of them for a rig: that is kept while both are the same."""

    def __init__(
        self,
        relations: Sequence[Relation] = (),
        troubles: Mapping[int, str] | None = None,
        before: "Related | None" = None,
    ) -> None:
        self.relations, self._troubles = relations, troubles or {}
        self.bones: frozenset[str] = frozenset().union(*(one.bones for one in relations))
        self._rig: Rig | None = before._rig if before else None
        self._known: dict[int, tuple[Goal, ...]] = before._known if before else {}
        self._made: Made | None = None if relations or self._troubles else Made()
        self._steady = all(one.steady for one in relations)
        self.rests = any(one.rests for one in relations)  # whether the reference is looked at

    @property
    def troubles(self) -> dict[int, GoalOutcome]:
        """Those that can be told by what is stored alone, by row."""
        return Made(troubles=self._troubles).outcomes((), 1.0)

    def made(self, where: Setting) -> Made:
        """The goals for a rig. One that is as it was is the same object, which is not packed again."""
        if self._made is not None and (self._rig is where.rig or not self.relations) and self._steady:
            return self._made
        known = self._known if self._rig is where.rig else {}
        again = bool(known) and self._made is not None
        goals, rows, troubles = list[Goal](), list[int](), dict(self._troubles)
        self._rig, self._known = where.rig, {}
        for one in self.relations:
            try:
                some = known[one.row] if again and one.steady and one.row in known else tuple(one.make(where))
                if some == known.get(one.row):
                    some = known[one.row]
                for goal in () if some is known.get(one.row) else some:
                    goal.pack(where.rig.tree)  # where it raises an error, that is this relation's alone
            except PosewrightError as error:
                troubles[one.row] = str(error).partition(" goal: ")[2] or str(error)
                continue
            self._known[one.row] = some
            goals += some
            rows += [one.row] * len(some)
        self._made = Made(tuple(goals), tuple(rows), troubles)
        return self._made


NONE = Related()


def of(armature_object: bpy.types.Object, before: Related | None = None) -> Related:
    """The relations that are on. `before` has what was made of them the last time."""
    stored = properties.character(armature_object).posewright_relations
    if not len(stored):
        return NONE
    by_kind = dict[str, dict[int, POSEWRIGHT_PG_relation]]()
    for row, one in enumerate(stored):
        if not one.mute and one.weight > 0.0:
            by_kind.setdefault(one.kind, {})[row] = one
    found = dict[int, Relation | str]()
    for kind, rows in by_kind.items():
        if kind in ROOMS:
            found |= ROOMS[kind].read(armature_object, rows)
        else:
            found |= dict.fromkeys(rows, f"its kind is {UNKNOWN}: it stays as it is stored")
    relations = [one for _, one in sorted(found.items()) if isinstance(one, Relation)]
    troubles = {row: one for row, one in found.items() if isinstance(one, str)}
    return Related(relations, troubles, before) if found else NONE
