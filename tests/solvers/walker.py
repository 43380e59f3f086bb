"""A walker whose steps are known, and grounds with a formula, for the tests of foot placement.

It walks along x, 0.6 m a step, a foot of 0.2 m under each leg of 0.85 m. A foot that stands lands on its heel, is flat,
rolls off over its ball, and swings on.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from posewright.motion.feet import turns
from posewright.motion.feet.ground import Hits
from posewright.motion.feet.walk import BALL, HEEL, TOE, Body, Foot, Sole, Walk

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SECONDS = 1.0 / 60.0
STEP = 0.6  # metres between the places of both feet
STANDS, SWINGS = 40, 26  # frames
HEEL_ONLY, HEEL_OFF = 6, 28  # frames of a stance: up to which only the heel touches, and from which only the ball does
ANKLE = 0.08  # metres above the sole
_POINTS = [(-0.05, -0.03), (-0.05, 0.03), (0.0, -0.04), (0.0, 0.04), (0.06, 0.0)]  # ball and toe from the toe's joint
SOLE = Sole(
    np.array([(x, y, -ANKLE) for x, y in _POINTS]),
    np.array([HEEL, HEEL, BALL, BALL, TOE]),
    np.array([False, False, True, True, True]),
)
JOINT = np.array([0.13, 0.0, 0.0])  # of the toe, from the ankle


def walk(steps: int = 3, slide: float = 0.0, seconds: float = SECONDS, toes: bool = True) -> Walk:
    """A walk on level ground at height 0; while it stands, a foot slides forward by so many metres."""
    period = STANDS + SWINGS
    count = steps * period + STANDS
    feet = [_foot(name, side, offset, count, slide, toes) for name, side, offset in _SIDES]
    along = 2.0 * STEP / period * np.arange(count)
    pelvis = np.stack([along, np.zeros(count), np.full(count, 0.9)], axis=1)
    for foot, (_, side, _) in zip(feet, _SIDES, strict=True):
        foot.hip[:] = pelvis + np.array([0.0, side, -0.02])
    return Walk(feet, Body(pelvis, np.tile(np.eye(3), (count, 1, 1))), seconds)


_SIDES = (("left foot", 0.1, 0), ("right foot", -0.1, (STANDS + SWINGS) // 2))


def _foot(name: str, side: float, offset: int, count: int, slide: float, toes: bool) -> Foot:
    places, turned, toe = np.zeros((count, 3)), np.zeros((count, 3, 3)), np.zeros((count, 3, 3))
    for frame in range(count):
        round_, phase = divmod(frame + offset, STANDS + SWINGS)
        at = 2.0 * STEP * round_ - STEP * (2.0 * offset / (STANDS + SWINGS)) + 0.3
        pitch, bent = _pitch(phase)
        turned[frame] = turns.matrix_of(np.array([0.0, pitch, 0.0]))
        toe[frame] = turns.matrix_of(np.array([0.0, pitch - bent, 0.0]))
        if phase < STANDS:
            places[frame] = _standing(at, side, phase)
        else:
            part = (phase - STANDS + 1) / (SWINGS + 1)
            left, lands = _standing(at, side, STANDS - 1), _standing(at + 2.0 * STEP, side, 0)
            places[frame] = left + part * part * (3.0 - 2.0 * part) * (lands - left)
            places[frame, 2] += 0.1 * np.sin(np.pi * part) ** 2
        places[frame, 0] += slide * min(phase, STANDS) / STANDS
    ankle = Body(places, turned)
    joint = places + turned @ JOINT
    hip = np.zeros((count, 3))
    if toes:
        return Foot(name, ankle, Body(joint, toe), hip, SOLE)
    whole = Sole(
        SOLE.points + np.where(SOLE.on_toe[:, None], JOINT, 0.0), SOLE.part, np.zeros(len(SOLE.part), np.bool_)
    )
    return Foot(name, Body(places, turned), None, hip, whole)


def _standing(at: float, side: float, phase: int) -> Floats:
    """Where the ankle of a foot is that stands: it turns about its heel first, then about its toe's joint."""
    turned = turns.matrix_of(np.array([0.0, _pitch(phase)[0], 0.0]))
    if phase < HEEL_ONLY:
        heel: Floats = np.array([at - 0.05, side, 0.0]) - turned @ np.array([-0.05, 0.0, -ANKLE])
        return heel
    toe: Floats = np.array([at + JOINT[0], side, ANKLE]) - turned @ JOINT
    return toe


def _pitch(phase: int) -> tuple[float, float]:
    """How far a foot is pitched forward, radians, and how far its toe is bent against that."""
    if phase < HEEL_ONLY:
        return -0.3 * (1.0 - phase / HEEL_ONLY), 0.0
    if phase < HEEL_OFF:
        return 0.0, 0.0
    if phase < STANDS:
        roll = 0.6 * (phase - HEEL_OFF + 1) / (STANDS - HEEL_OFF)
        return roll, roll
    part = (phase - STANDS + 1) / (SWINGS + 1)
    return 0.6 - 0.9 * part, 0.6 * (1.0 - part) ** 2


class Field:
    """A ground whose height is a formula of x and y; it may move along [F, 3]."""

    def __init__(self, height: Callable[[Floats, Floats], Floats], motion: Floats | None = None) -> None:
        self.height, self._motion = height, motion
        self.asked = 0

    @property
    def moves(self) -> bool:
        return self._motion is not None

    def _heights(self, places: Floats, frames: Ints) -> Floats:
        moved = np.zeros((len(places), 3)) if self._motion is None else self._motion[frames]
        return self.height(places[:, 0] - moved[:, 0], places[:, 1] - moved[:, 1]) + moved[:, 2]

    def below(self, places: Floats, frames: Ints, reach: float) -> Hits:
        self.asked += len(places)
        heights = self._heights(places, frames)
        found = (heights <= places[:, 2]) & (places[:, 2] - heights <= reach)
        on = places.copy()
        on[found, 2] = heights[found]
        return Hits(found, on, np.tile([0.0, 0.0, 1.0], (len(places), 1)), np.zeros(len(places), np.int64))

    def depth(self, places: Floats, frames: Ints) -> Floats:
        return np.maximum(0.0, self._heights(places, frames) - places[:, 2])

    def motion(self, thing: int) -> Floats:
        assert thing == 0
        assert self._motion is not None
        found = np.tile(np.eye(4), (len(self._motion), 1, 1))
        found[:, :3, 3] = self._motion
        return found


def stairs(begin: float = 0.9, high: float = 0.15, deep: float = 0.6) -> Field:
    """Stairs up along x: flat up to where they begin."""
    return Field(lambda x, y: high * np.maximum(0.0, np.ceil((x - begin) / deep)) + 0.0 * y)


def slope(up: float, across: float = 0.0) -> Field:
    """A plane through the origin."""
    return Field(lambda x, y: up * x + across * y)


def waves(high: float = 0.1) -> Field:
    """Rough ground."""
    return Field(lambda x, y: high * np.sin(2.1 * x + 0.5) * np.cos(2.7 * y + 0.3))
