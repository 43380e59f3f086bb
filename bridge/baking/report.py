"""What a bake came to: for the panel, as JSON, and for whoever asks."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np

from ... import properties
from ...solvers import Tree
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from ..channels import Bools
from .solving import Solved

_AT = 1e-6  # radians or metres: nearer than this, a variable is at its limit


@dataclass
class GoalReport:
    """A goal over all frames: in centimetres of the world and degrees."""

    name: str
    mean_cm: float
    worst_cm: float
    worst_degrees: float
    worst_frame: int
    missed: int  # frames on which it was not met


@dataclass
class Report:
    """A bake."""

    action: str = ""
    first: int = 0
    last: int = 0
    frames: int = 0
    bones: int = 0  # that got keys
    keys: int = 0
    every_frame: int = 0  # keys that there would be with one on every frame
    mean_cm: float = 0.0
    worst_cm: float = 0.0
    goals: list[GoalReport] = field(default_factory=list)
    relations: list[GoalReport] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)  # bones at a limit, with the number of frames
    left_out: dict[str, str] = field(default_factory=dict)  # goals and relations that could not ask, and why
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def words(self) -> str:
        """In one line."""
        said = f"Baked {self.frames} frames, {self.bones} bones, {self.keys} keys in {self.seconds:.1f} s"
        if not self.keys:
            return f"{said}. {self.why_no_keys()}"
        return f"{said}; goals {self.mean_cm:.2f} cm off on average, {self.worst_cm:.2f} cm at worst"

    def why_no_keys(self) -> str:
        """Why no bone got keys, and what to do. Only bones that goals move get some."""
        missed = next((one.name for one in (*self.goals, *self.relations) if one.missed), None)
        if missed is not None:
            why = f"Nothing moves: no bone that may move brings {missed!r} nearer"
            return f"{why}. Look at limits, locks, and how much of the body moves"
        if self.left_out:
            name, trouble = next(iter(self.left_out.items()))
            return f"Nothing moves: the pose meets all other goals as it is, and {name!r} was left out: {trouble}"
        why = "Nothing moves: on every frame the pose meets the goals as it is"
        return f"{why}. Animate a goal, or have one follow something; to keep this pose, press Body in the panel Keys"


class _Errors(NamedTuple):
    """A goal on F frames."""

    frames: Sequence[int]
    off: Floats  # [F, 2], centimetres of the world and degrees
    met: Bools  # [F]


def measure(armature_object: bpy.types.Object, solved: Sequence[Solved]) -> Report:
    """What the solved frames say."""
    found, tied = dict[int, list[_Errors]](), dict[int, list[_Errors]]()
    hits: Counter[str] = Counter()
    for span, q, errors in solved:
        if span.kept is None or not span.asks:
            continue
        bounds = np.array([(goal.metres, goal.radians) for goal in span.goals[0]]).reshape(-1, 2)
        met = np.asarray((errors <= bounds).all(axis=2))
        off = errors * np.stack([100.0 * span.units, np.full(len(q), np.degrees(1.0))], axis=1)[:, None]
        for index, row in enumerate(span.rows):
            found.setdefault(row, []).append(_Errors(span.frames, off[:, index], met[:, index]))
        for row in dict.fromkeys(span.related):
            own = [len(span.rows) + place for place, other in enumerate(span.related) if other == row]
            tied.setdefault(row, []).append(
                _Errors(span.frames, off[:, own].max(axis=1), np.asarray(met[:, own].all(axis=1)))
            )
        hits.update(_at_limits(span.kept.rig.tree, q))
    character = properties.character(armature_object)
    goals = [_of_goal(character.posewright_goals[row].name, errors) for row, errors in sorted(found.items())]
    related = [_of_goal(character.posewright_relations[row].name, errors) for row, errors in sorted(tied.items())]
    every = np.concatenate([np.zeros(0), *(one.off[:, 0] for errors in found.values() for one in errors)])
    frames = [frame for one in solved for frame in one.span.frames]
    return Report(
        first=frames[0],
        last=frames[-1],
        frames=len(frames),
        mean_cm=float(every.mean()) if len(every) else 0.0,
        worst_cm=float(every.max(initial=0.0)),
        goals=goals,
        relations=related,
        limits=dict(hits.most_common()),
    )


def _of_goal(name: str, errors: Sequence[_Errors]) -> GoalReport:
    off, met = (np.concatenate(each) for each in zip(*((one.off, one.met) for one in errors), strict=True))
    worst = int(off[:, 0].argmax())
    return GoalReport(
        name,
        float(off[:, 0].mean()),
        float(off[worst, 0]),
        float(off[:, 1].max()),
        [frame for one in errors for frame in one.frames][worst],
        int((~met).sum()),
    )


def _at_limits(tree: Tree, q: Floats) -> dict[str, int]:
    """The bones that rest on a limit, with the number of frames, of poses [F, variables]."""
    at = ((q < tree.lower + _AT) | (q > tree.upper - _AT)) & (tree.upper > tree.lower)
    bodies = tree.arrays.body
    return {
        tree.names[body]: int(at[:, bodies == body].any(axis=1).sum())
        for body in np.unique(bodies[at.any(axis=0)]).tolist()
    }


def store(armature_object: bpy.types.Object, report: Report) -> None:
    """Keep it with the character."""
    properties.character(armature_object).posewright_bake_report = json.dumps(asdict(report))


def stored(armature_object: bpy.types.Object) -> dict[str, Any]:
    """The report that is kept with a character."""
    found: dict[str, Any] = json.loads(properties.character(armature_object).posewright_bake_report)
    return found


def save(armature_object: bpy.types.Object, path: Path) -> str:
    """Save the stored report as JSON. Returns what to say; raises an error where that cannot be."""
    if not path.name:
        raise PosewrightError("Say in which file the report is to be saved")
    try:
        found = json.loads(properties.character(armature_object).posewright_bake_report)
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    except (ValueError, RecursionError):
        raise PosewrightError("The stored report cannot be read: bake again") from None
    except OSError as error:
        raise PosewrightError(f"The report cannot be saved: {error.strerror or error}: {path}") from None
    return f"Saved {path}"
