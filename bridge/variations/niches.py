"""Which poses of many are kept: the most natural ones, each clearly elsewhere than all kept before it.

Two poses differ by the joint that is farthest from where the other has it, of those by which people tell poses apart:
shoulders, elbows, knees and the joints of the spine. Lengths are in metres, were the character a person.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ...motion import anatomy
from ...solvers.rotation import Floats
from .. import rotations
from ..rig import Rig
from ..rotations import Ints

PARTS = {"upper_arm", "forearm", "shin", "spine", "chest", "neck"}  # the bones that begin at such joints


def telling(rig: Rig, roles: Mapping[str, str]) -> Ints:
    """The rows [J] of the bones whose heads tell poses apart; all bones, where no role says which.

    Args:
        rig: of the whole body.
        roles: the bones by their roles.
    """
    rows = {bone: row for row, bone in enumerate(rig.bones)}
    found = [rows[bone] for role, bone in roles.items() if anatomy.part(role) in PARTS and rig.shown[rows[bone]] >= 0]
    return np.array(sorted(set(found)) or np.flatnonzero(rig.shown >= 0).tolist(), np.int64)


def ends(rig: Rig, rows: Ints, lengths: Floats, q: Floats) -> Floats:
    """Heads and tails [n, 2, 3] of some bones, their rows [n] and lengths [n] given, in the tree's space at `q`."""
    placed, bodies = rig.tree.pose(q), rig.shown[rows]
    heads = placed.positions[bodies]
    along = rotations.matrices(placed.rotations[bodies])[:, :, 1]
    found: Floats = np.stack([heads, heads + lengths[:, None] * along], axis=1)
    return found


def apart(one: Floats, other: Floats) -> float:
    """How far apart two poses are: their joints' places [J, 3], the farthest counts."""
    return float(np.sqrt(((one - other) ** 2).sum(axis=-1)).max(initial=0.0))


def kept(places: Sequence[Floats], strain: Sequence[float], least: float, besides: Sequence[Floats] = ()) -> list[int]:
    """Which of some poses are kept, the least strained first: none nearer than `least` to another.

    Args:
        places: of each pose, its joints' places [J, 3].
        strain: of each pose, how far it is from natural.
        least: metres.
        besides: poses [J, 3] from which the kept ones are to differ as well.
    """
    found = list[int]()
    for index in sorted(range(len(places)), key=lambda row: (strain[row], row)):
        others = [*besides, *(places[row] for row in found)]
        if all(apart(places[index], other) >= least for other in others):
            found.append(index)
    return found
