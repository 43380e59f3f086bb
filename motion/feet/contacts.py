"""When the parts of a sole touch the ground: where they are slow, and not in the middle of a fall.

No height of the ground is needed, so a captured staircase is as good as a studio's floor. A part that is slow in the
air, at the top of a jump, is told by what comes before and after: it is far lower there, and no ground would let it.
"""

import numpy as np

from ...solvers.rotation import Floats
from .walk import PARTS, Bools, Foot

# Of a grown-up, metres and seconds; a part that rests is let go of at a higher speed than it is taken for resting at.
SLOW, FAST = 0.4, 0.65  # metres a second: planted feet of captured walks have 0.02 to 0.3, swinging ones 1 to 7
STANDS = 0.15  # metres a second: what touches is slower than that at some time (0.12 in captured walks), a toe that is
# dragged along while its foot swings is not
LOCKED = 0.0005  # metres along the ground: somebody has put down a part that keeps so still half of the time; captured
# ones do for 6 % of it at most, those that were placed for 56 % at least. What moves farther has been let go of
RISE = 0.02  # above where it rests, a part has left the ground
TOUCH = 0.008  # above where it rests, a part does not touch yet, or no more; in between it may, and comes down again
LIFTED = 0.06  # above the lowest point of the sole, a part is in the air, however slow: who stands on tiptoe
SINK = 0.06  # a toe that cannot bend goes so far under the ground in captured walks, never farther
FALL, FALLING = 0.06, 0.15  # lower by so much within so many seconds: it was in the air
SHORTEST, GAP = 0.06, 0.05  # seconds: shorter contacts are none, shorter gaps are none


def find(foot: Foot, seconds: float, size: float = 1.0) -> Bools:
    """Which parts of a foot's sole touch the ground [F, 3]: heel, ball, toe.

    Args:
        foot: over F frames.
        seconds: from frame to frame.
        size: how large the body is, 1 for a grown-up; speeds and heights scale with it.
    """
    frames = len(foot.hip)
    found = np.zeros((frames, len(PARTS)), np.bool_)
    if frames > 1:
        low = foot.soles()[..., 2].min(axis=1)
        for part in range(len(PARTS)):
            places = foot.part(part)
            found[:, part] = _resting(places / size, seconds, (places[:, 2] - low) / size < LIFTED)
    return found


def runs(held: Bools) -> list[tuple[int, int]]:
    """The first and last frame of each run of True in [F]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], held, [False]]).astype(np.int8)))
    return [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def _resting(places: Floats, seconds: float, low: Bools) -> Bools:
    """When a place [F, 3] is at rest [F], of the frames on which it is low [F]."""
    speed = np.linalg.norm(np.gradient(places, seconds, axis=0), axis=1)
    slow = _with_hysteresis((speed < SLOW) & low, (speed < FAST) & low)
    held = np.zeros(len(places), np.bool_)
    for first, last in runs(_closed(slow, seconds)):
        here = slice(first, last + 1)
        heights, around = places[here, 2], max(1, round(FALLING / seconds))
        rests = speed[here] < SLOW
        if rests.sum() * seconds < SHORTEST or speed[here].min() > STANDS:
            continue  # slow for a moment, as a ball is while the heel is set down
        height = float(np.median(heights[rests]))
        nearby = places[max(0, first - around) : last + 1 + around, 2]
        if nearby.min() < height - FALL - max(0.0, height - heights.min()):
            continue
        touching = heights < height + TOUCH
        away = np.linalg.norm(places[here, :2] - np.median(places[here, :2], axis=0), axis=1)
        if np.count_nonzero(away < LOCKED) >= 0.5 * len(away):
            touching &= away < LOCKED
        held[here] = _trimmed((heights < height + RISE) & (heights > height - SINK), touching)
    for first, last in runs(held):
        if (last - first + 1) * seconds < SHORTEST and first > 0 and last < len(held) - 1:
            held[first : last + 1] = False
    return held


def _trimmed(held: Bools, touching: Bools) -> Bools:
    """The runs of `held` [F], each from where `touching` [F] first is true to where it last is."""
    found = np.zeros(len(held), np.bool_)
    for first, last in runs(held):
        there = first + np.flatnonzero(touching[first : last + 1])
        if len(there):
            found[there[0] : there[-1] + 1] = True
    return found


def _with_hysteresis(on: Bools, still: Bools) -> Bools:
    """The runs of `still` [F], each from where `on` [F] first is true: what lands is fast, what leaves is slow."""
    held = np.zeros(len(on), np.bool_)
    for first, last in runs(still):
        held[first : last + 1] = np.maximum.accumulate(on[first : last + 1])
    return held


def _closed(held: Bools, seconds: float) -> Bools:
    """The same without short gaps [F]."""
    closed = held.copy()
    for first, last in runs(~held):
        if first > 0 and last < len(held) - 1 and (last - first + 1) * seconds < GAP:
            closed[first : last + 1] = True
    return closed
