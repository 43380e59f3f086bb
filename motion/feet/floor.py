"""The floor on which a clip stands already: how high it is, and whether it slopes.

A studio's floor is seldom quite level for its cameras: over a walk of three metres, soles rise by six centimetres. A
level ground would have every step sink or float. But stairs are no slope, and neither is noise: a floor slopes only
along a way that is long enough, by a few degrees, and only where that puts most contacts onto it that are not on a
level one.
"""

from collections.abc import Sequence

import numpy as np

from ...solvers.rotation import Floats
from .contacts import runs
from .ground import Flat
from .walk import BALL, HEEL, Bools, Walk

LONG = 1.5  # metres of a grown-up: along a way that is shorter nothing is said about a slope
FEWEST = 6  # contacts that a slope takes
STEEPEST = 0.07  # metres for each metre, 4°: what is steeper is no floor
ON = 0.015  # metres from the floor: a contact that is farther away is not on it
MOST = 0.6  # of all contacts, that are on it
LEVEL = 0.005  # metres: contacts that are off a level floor by less, on average, are on that
BETTER = 0.5  # times as far off as from a level floor, or less: else it is that
_NOISE = 0.002  # metres: contacts nearer than that count alike
_ROUNDS = 50


def own(walk: Walk, contacts: Sequence[Bools], sloping: bool) -> Flat:
    """The floor of a clip.

    Args:
        walk: the clip.
        contacts: for each foot, which parts of its sole touch the ground [F, 3].
        sloping: whether it may slope.
    """
    every, each = _places(walk, contacts)
    if not len(every):
        return Flat(min((float(foot.soles()[..., 2].min()) for foot in walk.feet), default=0.0))
    slope = _slope(each, walk.size) if sloping else np.zeros(2)
    return Flat(float(np.median(every[:, 2] - every[:, :2] @ slope)), (float(slope[0]), float(slope[1])))


def _places(walk: Walk, contacts: Sequence[Bools]) -> tuple[Floats, Floats]:
    """Where heels and balls touch the ground: on every frame [N, 3], and each contact in the middle [n, 3]."""
    every, each = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for foot, held in zip(walk.feet, contacts, strict=True):
        soles = foot.soles()
        for part in (HEEL, BALL):
            mine = soles[:, foot.sole.part == part]
            lowest = mine[np.arange(len(mine)), mine[..., 2].argmin(axis=1)]
            every.append(lowest[held[:, part]])
            each += [np.median(lowest[first : last + 1], axis=0)[None] for first, last in runs(held[:, part])]
    return np.concatenate(every), np.concatenate(each)


def _slope(places: Floats, size: float) -> Floats:
    """How a floor through places [n, 3] rises along x and y [2]; not at all where it is level, or there is none."""
    level = np.zeros(2)
    if len(places) < FEWEST:
        return level
    middle = np.median(places, axis=0)
    _, _, axes = np.linalg.svd(places[:, :2] - places[:, :2].mean(axis=0), full_matrices=False)
    way = (places[:, :2] - middle[:2]) @ axes.T
    long = np.ptp(way, axis=0) > LONG * size
    if not long.any():
        return level
    columns = np.column_stack([way[:, long], np.ones(len(way))])
    heights = places[:, 2] - middle[2]
    weights = np.ones(len(way))
    for _ in range(_ROUNDS):  # the least of all distances, not of their squares: a step up onto a box counts little
        root = np.sqrt(weights)
        rise, *_ = np.linalg.lstsq(columns * root[:, None], heights * root, rcond=None)
        weights = 1.0 / np.maximum(np.abs(heights - columns @ rise), _NOISE * size)
    slope: Floats = rise[:-1] @ axes[long]
    off = np.abs(heights - columns @ rise) / size
    was = np.abs(heights) / size
    near = off < ON
    if np.hypot(*slope) > STEEPEST or near.mean() < MOST or was[near].mean() < LEVEL:
        return level
    return slope if off[near].mean() < BETTER * was[near].mean() else level
