"""How people hold themselves: the table of the human preset, from the clips marked `statistics`.

Run: python -m posewright.benchmarks.habits. It writes presets/human_habits.json; never from the clips marked `test`.
Every clip counts by its frames, every fourth of which is taken.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from posewright.bridge import rotations
from posewright.motion import anatomy, habits
from posewright.motion.anatomy import Bones
from posewright.motion.habits import Table

from .capture import Capture, Floats, captures

STEP = 4
ROLES = {
    "pelvis": "Hips",
    "spine.1": "LowerBack",
    "spine.2": "Spine",
    "chest": "Spine1",
    "neck.1": "Neck",
    "neck.2": "Neck1",
    "head": "Head",
    **{
        f"{role}.{side[0]}": f"{side}{name}"
        for side in ("Left", "Right")
        for role, name in (
            ("shoulder", "Shoulder"),
            ("upper_arm", "Arm"),
            ("forearm", "ForeArm"),
            ("hand", "Hand"),
            ("thigh", "UpLeg"),
            ("shin", "Leg"),
            ("foot", "Foot"),
            ("toe", "ToeBase"),
        )
    },
}
ABOUT = (
    "How captured people hold themselves: mean, spread and range of bend, twist and side by role, of the left side. "
    "The data used in this project was obtained from mocap.cs.cmu.edu. The database was created with funding from NSF "
    "EIA-0196217. Clips {clips}; made by python -m posewright.benchmarks.habits."
)


def bones_of(capture: Capture) -> Bones:
    """The skeleton of a clip: at rest, all its axes are those of the world."""
    turns = np.tile(np.eye(3), (len(capture.names), 1, 1))
    return Bones(capture.names, capture.parents, capture.heads, capture.tails, turns, ROLES)


def samples(capture: Capture) -> Mapping[str, Floats]:
    """Bend, twist and side [F, 3] by role, in every frame of a clip.

    Its elbows and knees are hinges: the motion shows their axes, which the straight limbs of its rest pose do not.
    """
    turned = {role: rotations.matrices(capture.local[:, capture.names.index(name)]) for role, name in ROLES.items()}
    bones = bones_of(capture)
    bones = replace(bones, hinges=habits.hinges(bones, turned))
    return {one.role: habits.angles(one, turned[one.role]) for one in anatomy.measure(bones)}


def table() -> Table:
    """The table of all clips together."""
    pooled: dict[str, list[Floats]] = {}
    for capture in captures("statistics", STEP):
        for role, values in samples(capture).items():
            pooled.setdefault(role, []).append(values)
            if not anatomy.side(role):  # people are as likely to lean to the other side
                pooled[role].append(values * anatomy.MIRROR)
    return habits.table_of({role: np.concatenate(values) for role, values in pooled.items()})


if __name__ == "__main__":
    clips = ", ".join(capture.name for capture in captures("statistics", 1000))
    path = Path(__file__).parents[1] / "presets" / "human_habits.json"
    path.write_text(habits.written(table(), ABOUT.format(clips=clips)), encoding="utf-8")
