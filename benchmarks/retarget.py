"""A clip on another skeleton: MakeHuman's, with the captured person's motion.

Every bone points where the captured one points: it is turned as that one is, after the least turn that takes its rest
direction to that of the captured skeleton. That knows nothing of anatomical axes. The hips go as far as the legs are
longer.
"""

import json
from collections.abc import Iterator, Sequence

import numpy as np

from .capture import Capture, Floats, _forward, inverse, product
from .habits import ROLES
from .robots import DATA

RIG = "makehuman_cmu_mb.rig.json"  # its bones have the names of the captured ones
HEIGHT = 1.7  # metres from the toes to the top of the head
LIMBS = {
    **{f"{side}Arm": f"{side}ForeArm" for side in ("Left", "Right")},
    **{f"{side}ForeArm": f"{side}Hand" for side in ("Left", "Right")},
    **{f"{side}UpLeg": f"{side}Leg" for side in ("Left", "Right")},
    **{f"{side}Leg": f"{side}Foot" for side in ("Left", "Right")},
    **{f"{side}Foot": f"{side}ToeBase" for side in ("Left", "Right")},
}


def on_makehuman(capture: Capture) -> Capture:
    """The clip on MakeHuman's skeleton, without its fingers and face."""
    bones = json.loads((DATA / "characters" / RIG).read_text(encoding="utf-8"))["bones"]
    kept = [index for index in _in_depth(bones, -1) if bones[index]["name"] in ROLES.values()]
    names = tuple(bones[index]["name"] for index in kept)
    parents = tuple(_above(bones, index, kept) for index in kept)
    ends = np.array([[bones[index]["head"], bones[index]["tail"]] for index in kept], float)
    ends *= HEIGHT / np.ptp(ends[..., 2])
    heads, tails = ends[:, 0], ends[:, 1]
    rotations = np.zeros((len(capture.local), len(names), 4))
    for joint, name in enumerate(names):
        turned = capture.rotations[:, capture.names.index(name)]
        if name in LIMBS:
            own = heads[names.index(LIMBS[name])] - heads[joint]
            theirs = _way(capture, name, LIMBS[name])
            turned = product(turned, np.tile(_least(own, theirs), (len(turned), 1)))
        elif name.endswith(("Hand", "ToeBase")):
            above = parents[joint]
            turned = product(turned, _rest_turn(rotations[:, above], capture, names[above]))
        rotations[:, joint] = turned
    longer = _leg(names, heads) / _leg(capture.names, capture.heads)
    moved = longer * (capture.positions[:, 0] - capture.heads[0])
    local = rotations.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            local[:, joint] = product(inverse(rotations[:, parent]), rotations[:, joint])
    turned, positions = _forward(parents, heads, local, moved)
    return Capture(
        f"{capture.name} on MakeHuman",
        capture.description,
        names,
        parents,
        heads,
        tails,
        local,
        turned,
        positions,
        capture.seconds,
    )


def _in_depth(bones: Sequence[dict[str, int]], parent: int) -> Iterator[int]:
    """All bones below one, each followed by its own: the order in which Blender has them."""
    for index, bone in enumerate(bones):
        if bone["parent"] == parent:
            yield index
            yield from _in_depth(bones, index)


def _above(bones: Sequence[dict[str, int]], index: int, kept: Sequence[int]) -> int:
    parent = bones[index]["parent"]
    while parent >= 0 and parent not in kept:
        parent = bones[parent]["parent"]
    return kept.index(parent) if parent >= 0 else -1


def _way(capture: Capture, name: str, after: str) -> Floats:
    found: Floats = capture.heads[capture.names.index(after)] - capture.heads[capture.names.index(name)]
    return found


def _least(start: Floats, end: Floats) -> Floats:
    """The least turn [4] that takes one direction to another."""
    a, b = start / np.linalg.norm(start), end / np.linalg.norm(end)
    turn = np.array([1.0 + a @ b, *np.cross(a, b)])
    found: Floats = turn / np.linalg.norm(turn)
    return found


def _rest_turn(turned: Floats, capture: Capture, name: str) -> Floats:
    """By what the bone above is turned besides the captured one [F, 4]: the last bone of a limb goes along."""
    return product(inverse(capture.rotations[:, capture.names.index(name)]), turned)


def _leg(names: Sequence[str], heads: Floats) -> float:
    places = [heads[names.index(name)] for name in ("LeftUpLeg", "LeftLeg", "LeftFoot")]
    return float(np.linalg.norm(places[1] - places[0]) + np.linalg.norm(places[2] - places[1]))
