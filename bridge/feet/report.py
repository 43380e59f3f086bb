"""What placing feet came to: for the panel, as JSON, and for whoever asks."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import bpy
import numpy as np

from ... import properties
from ...motion.feet.ground import Ground
from ...motion.feet.measure import Standing, measure
from ...motion.feet.plan import Plan
from ...motion.feet.walk import Bools
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .clip import Clip, walked

POP = 2.0  # times the clip's largest step from frame to frame: more is a pop
SMALL = math.radians(0.5)  # a smaller step is none


@dataclass
class Figures:
    """How feet stand, over all frames; centimetres."""

    worst_depth_cm: float = 0.0  # of a point of the sole under the ground
    mean_depth_cm: float = 0.0
    worst_gap_cm: float = 0.0  # of the lowest point of a sole that is to touch the ground
    mean_gap_cm: float = 0.0
    worst_slide_cm: float = 0.0  # of a contact on the ground
    mean_slide_cm: float = 0.0
    contacts: int = 0
    longest_leg_cm: float = 0.0


@dataclass
class TroubleReport:
    """Where the clip was kept, and why."""

    frame: int
    foot: str
    words: str


@dataclass
class Report:
    """A clip that was put onto a ground."""

    action: str = ""
    first: int = 0
    last: int = 0
    frames: int = 0
    bones: int = 0  # that got keys
    keys: int = 0
    before: Figures = field(default_factory=Figures)
    after: Figures = field(default_factory=Figures)
    moved_cm: float = 0.0  # the largest change of a joint's place
    moved_joint: str = ""
    moved_frame: int = 0
    turned_degrees: float = 0.0  # the largest change of a joint's own turn
    turned_bone: str = ""
    turned_frame: int = 0
    pops: list[tuple[int, str]] = field(default_factory=list)  # frames and bones
    acceleration: float = 1.0  # of joints, on average, over that of the clip
    stretch: float = 1.0  # the longest leg over that of the clip
    gave_way: dict[str, float] = field(default_factory=dict)  # limits that the clip itself breaks, degrees by joint
    troubles: list[TroubleReport] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def words(self) -> str:
        """In one line."""
        said = f"Placed {self.frames} frames, {self.after.contacts} contacts in {self.seconds:.1f} s: "
        said += f"under the ground {self.before.worst_depth_cm:.1f} → {self.after.worst_depth_cm:.2f} cm, "
        said += f"sliding {self.before.worst_slide_cm:.1f} → {self.after.worst_slide_cm:.2f} cm at worst"
        return said + (f"; the clip is kept at {len(self.troubles)} places" if self.troubles else "")


def of(clip: Clip, contacts: Sequence[Bools], plan: Plan, q: Floats, ground: Ground) -> Report:
    """What the solved frames [F, V] say."""
    frames = clip.frames
    after = walked(clip, q)
    found = Report(first=int(frames[0]), last=int(frames[-1]), frames=len(frames))
    held = [one.held for one in plan.feet]
    found.before = _figures(measure(clip.walk, contacts, ground))
    found.after = _figures(measure(after, held, ground))
    found.stretch = found.after.longest_leg_cm / max(found.before.longest_leg_cm, 1e-9)
    _changes(found, clip, q)
    for one in clip.gave_way:
        found.gave_way[f"{one.bone} {one.axis}"] = math.degrees(one.by)
    found.troubles = [TroubleReport(int(frames[one.frame]), one.foot, one.words) for one in plan.troubles]
    found.notes = list(clip.notes)
    return found


def _figures(found: Standing) -> Figures:
    gaps = found.gap[np.isfinite(found.gap)]
    slides = [one.metres for one in found.slides]
    return Figures(
        worst_depth_cm=100.0 * float(found.depth.max(initial=0.0)),
        mean_depth_cm=100.0 * float(found.depth.mean()) if found.depth.size else 0.0,
        worst_gap_cm=100.0 * float(gaps.max(initial=0.0)),
        mean_gap_cm=100.0 * float(gaps.mean()) if len(gaps) else 0.0,
        worst_slide_cm=100.0 * max(slides, default=0.0),
        mean_slide_cm=100.0 * float(np.mean(slides)) if slides else 0.0,
        contacts=len(slides),
        longest_leg_cm=100.0 * float(found.stretch.max(initial=0.0)),
    )


def _changes(found: Report, clip: Clip, q: Floats) -> None:
    """How far joints are from the clip, whether any of them jumps, and how hard they are shaken."""
    rig = clip.rig
    rows, _ = rig.turning
    names = [rig.bones[row] for row in rows.tolist()]
    before, after = (rig.own_turns(each) for each in (clip.q, q))
    off = _angles(before, after)
    frame, bone = np.unravel_index(int(off.argmax()), off.shape)
    found.turned_degrees, found.turned_bone = math.degrees(off[frame, bone]), names[int(bone)]
    found.turned_frame = int(clip.frames[frame])
    places = [np.array([rig.tree.pose(one).positions for one in each]) for each in (clip.q, q)]
    far = np.linalg.norm(places[1] - places[0], axis=2) * clip.unit / rig.scale
    frame, body = np.unravel_index(int(far.argmax()), far.shape)
    found.moved_cm, found.moved_joint = 100.0 * float(far[frame, body]), rig.tree.names[int(body)]
    found.moved_frame = int(clip.frames[frame])
    if len(q) < 3:
        return
    steps = [_angles(each[1:], each[:-1]) for each in (before, after)]
    largest = steps[0].max(axis=0)
    usual = np.maximum(largest, np.median(largest))  # a toe that never bends in the clip may bend
    jumps = (steps[1] > POP * usual) & (steps[1] > SMALL)
    found.pops = [(int(clip.frames[frame + 1]), names[bone]) for frame, bone in np.argwhere(jumps).tolist()]
    shaken = [float(np.linalg.norm(np.diff(each, 2, axis=0), axis=2).mean()) for each in places]
    found.acceleration = shaken[1] / max(shaken[0], 1e-12)


def _angles(one: Floats, other: Floats) -> Floats:
    """The angles between unit quaternions [..., 4]: radians."""
    sine = np.minimum(np.linalg.norm(one - other, axis=-1), np.linalg.norm(one + other, axis=-1))
    found: Floats = 4.0 * np.arcsin(np.minimum(0.5 * sine, 1.0))
    return found


def store(armature_object: bpy.types.Object, report: Report) -> None:
    """Keep it with the character."""
    properties.character(armature_object).posewright_feet_report = json.dumps(asdict(report))


def save(armature_object: bpy.types.Object, path: Path) -> str:
    """Save the stored report as JSON. Returns what to say; raises an error where that cannot be."""
    if not path.name:
        raise PosewrightError("Say in which file the report is to be saved")
    try:
        found = json.loads(properties.character(armature_object).posewright_feet_report)
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    except (ValueError, RecursionError):
        raise PosewrightError("The stored report cannot be read: place the feet again") from None
    except OSError as error:
        raise PosewrightError(f"The report cannot be saved: {error.strerror or error}: {path}") from None
    return f"Saved {path}"
