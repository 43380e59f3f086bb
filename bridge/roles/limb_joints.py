"""Which joints of a limb are shoulder, elbow and wrist, or hip, knee and ankle.

A limb may begin with a collarbone and end in fingers, and each part may be cut into several bones. So all choices of
three joints are weighed by what limbs of people have in common, and the likeliest is taken. Lengths count as ratios
only: rigs come in every size.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from .skeleton import Floats

MOST = 9  # joints that are looked at
NO_BONE = 0.5  # what it costs that no bone begins at a wrist or ankle: chains without a hand are rare
EVEN = 0.02  # costs no farther apart are even, and the joint nearer to the body is taken


def of_arm(points: Floats, bones: int, from_middle: Floats, hand: int | None) -> tuple[int, int, int] | None:
    """Shoulder, elbow and wrist: places in `points` [joints, 3], the first `bones` of which are heads of bones.

    `from_middle` [joints] is how far each is from the body's middle, `hand` the joint that carries fingers.
    """
    best: tuple[float, tuple[int, int, int] | None] = (math.inf, None)
    for chosen in _choices(points, hand):
        shoulder = chosen[0]
        cost = _halves(points, chosen) + _rest(points, chosen, 0.6) + NO_BONE * (chosen[2] >= bones)
        cost += _before(points, chosen, 0.55)
        cost += _in_the_middle(points, from_middle[shoulder], 0.12)
        if cost < best[0] - EVEN:
            best = cost, chosen
    return best[1]


def of_leg(points: Floats, bones: int, from_middle: Floats, up: Floats) -> tuple[int, int, int] | None:
    """Hip, knee and ankle: as of an arm. `up` is a unit vector."""
    best: tuple[float, tuple[int, int, int] | None] = (math.inf, None)
    heights = points @ up
    heights = heights - heights.min()
    for chosen in _choices(points, None):
        hip, knee, ankle = chosen
        cost = _halves(points, chosen) + _rest(points, chosen, 0.4) + NO_BONE * (chosen[2] >= bones)
        cost += 4.0 * (heights[ankle] / max(heights[hip], 1e-9)) ** 2  # an ankle is near the ground
        cost += 4.0 * max(1.0 - _down(points, up, joint) for joint in range(knee, ankle))  # a foot points forward
        cost += _before(points, chosen, 0.25) + _in_the_middle(points, from_middle[hip], 0.06)
        if cost < best[0] - EVEN:
            best = cost, chosen
    return best[1]


def _choices(points: Floats, last: int | None) -> Iterator[tuple[int, int, int]]:
    """Three joints in a row, with some length between them."""
    count = min(len(points), MOST)
    for chosen in itertools.combinations(range(count), 3):
        first, middle, end = chosen
        if last is not None and end != last:
            continue
        if min(_length(points, first, middle), _length(points, middle, end)) > 1e-6 * _length(points, 0, -1):
            yield chosen


def _length(points: Floats, first: int, last: int) -> float:
    return float(np.linalg.norm(points[last] - points[first]))


def _along(points: Floats, first: int, last: int) -> float:
    return float(np.linalg.norm(np.diff(points[first : last + 1], axis=0), axis=1).sum())


def _off(length: float, wanted: float) -> float:
    """How far a length is from what is wanted: the square of the ratio's logarithm."""
    return math.log(max(length, 1e-3 * wanted, 1e-12) / max(wanted, 1e-12)) ** 2


def _halves(points: Floats, chosen: Sequence[int]) -> float:
    """Both parts of a limb are about as long, and each is straight."""
    first, middle, end = chosen
    upper, lower = _length(points, first, middle), _length(points, middle, end)
    bent = _off(_along(points, first, middle), upper) + _off(_along(points, middle, end), lower)
    return 2.0 * _off(upper, lower) + 10.0 * bent


def _rest(points: Floats, chosen: Sequence[int], share: float) -> float:
    """A hand or foot is a certain share of the limb's upper part; where the limb ends with it, nobody knows."""
    if chosen[2] == len(points) - 1:
        return 0.3
    return 0.3 * _off(_length(points, chosen[2], -1), share * _length(points, chosen[0], chosen[1]))


def _before(points: Floats, chosen: Sequence[int], share: float) -> float:
    """A collarbone, or what leads to the hip, is a certain share of the limb's upper part. Many have none."""
    if chosen[0] == 0:
        return 0.1
    return 0.3 * _off(_length(points, 0, chosen[0]), share * _length(points, chosen[0], chosen[1]))


def _in_the_middle(points: Floats, distance: float, share: float) -> float:
    """Collarbones begin in the middle of the body, arms do not."""
    reach = max(_length(points, 0, -1), 1e-12)
    return max(0.0, 1.0 - abs(float(distance)) / (share * reach)) ** 2


def _down(points: Floats, up: Floats, joint: int) -> float:
    """The cosine between a bone and the way down."""
    step = points[joint + 1] - points[joint]
    length = float(np.linalg.norm(step))
    return -float(step @ up) / length if length > 1e-12 else 1.0
