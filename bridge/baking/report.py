"""What a bake came to: for the panel, as JSON, and for whoever asks."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import bpy
import numpy as np

from ... import properties
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .sampling import Sample
from .solving import Answer

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
    limits: dict[str, int] = field(default_factory=dict)  # bones at a limit, with the number of frames
    left_out: dict[str, str] = field(default_factory=dict)  # goals that could not ask, and why
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def words(self) -> str:
        """In one line."""
        said = f"Baked {self.frames} frames, {self.bones} bones, {self.keys} keys in {self.seconds:.1f} s"
        return f"{said}; goals {self.mean_cm:.2f} cm off on average, {self.worst_cm:.2f} cm at worst"


def measure(armature_object: bpy.types.Object, samples: Sequence[Sample], answers: dict[int, Answer]) -> Report:
    """What the solved frames say."""
    found: dict[int, list[tuple[int, Floats, bool]]] = {}
    hits: Counter[str] = Counter()
    for sample in samples:
        answer = answers.get(sample.frame)
        if answer is None or sample.kept is None:
            continue
        for row, goal, error in zip(sample.rows, sample.goals, answer.errors, strict=True):
            met = bool(error[0] <= goal.metres and error[1] <= goal.radians)
            found.setdefault(row, []).append((sample.frame, error * (100.0 * sample.unit, np.degrees(1.0)), met))
        hits.update(_at_limits(sample, answer.q))
    stored = properties.character(armature_object).posewright_goals
    goals = [_of_goal(stored[row].name, errors) for row, errors in sorted(found.items())]
    every = [error[0] for errors in found.values() for _, error, _ in errors]
    return Report(
        first=samples[0].frame,
        last=samples[-1].frame,
        frames=len(samples),
        mean_cm=float(np.mean(every)) if every else 0.0,
        worst_cm=float(max(every, default=0.0)),
        goals=goals,
        limits=dict(hits.most_common()),
    )


def _of_goal(name: str, errors: Sequence[tuple[int, Floats, bool]]) -> GoalReport:
    off = np.array([error for _, error, _ in errors])
    worst = int(off[:, 0].argmax())
    return GoalReport(
        name,
        float(off[:, 0].mean()),
        float(off[worst, 0]),
        float(off[:, 1].max()),
        errors[worst][0],
        sum(not met for _, _, met in errors),
    )


def _at_limits(sample: Sample, q: Floats) -> set[str]:
    """The bones that rest on a limit."""
    assert sample.kept is not None
    tree = sample.kept.rig.tree
    at = ((q < tree.lower + _AT) | (q > tree.upper - _AT)) & (tree.upper > tree.lower)
    return {tree.variables[index].joint for index in np.flatnonzero(at).tolist()}


def store(armature_object: bpy.types.Object, report: Report) -> None:
    """Keep it with the character."""
    properties.character(armature_object).posewright_bake_report = json.dumps(asdict(report))


def save(armature_object: bpy.types.Object, path: Path) -> str:
    """Save the stored report as JSON. Returns what to say; raises an error where that cannot be."""
    if not path.name:
        raise PosewrightError("Say in which file the report is to be saved")
    try:
        found = json.loads(properties.character(armature_object).posewright_bake_report)
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    except ValueError:
        raise PosewrightError("The stored report cannot be read: bake again") from None
    except OSError as error:
        raise PosewrightError(f"The report cannot be saved: {error.strerror or error}: {path}") from None
    return f"Saved {path}"
