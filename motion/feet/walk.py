"""A clip as foot placement sees it: feet with their soles, hips and pelvis, frame by frame, in the world.

Metres, z up. A foot is a rigid body, and a toe another that is hinged to it, where the skeleton has one. Rotations are
matrices whose columns are the bone's axes in the world.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...solvers.rotation import Floats

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

HEEL, BALL, TOE = range(3)  # the parts of a sole
PARTS = ("heel", "ball", "toe")


@dataclass(frozen=True, eq=False)
class Sole:
    """The points of a sole. P of them, at least one for heel and ball.

    Ball and toe are carried by the toe, where there is one: a foot rolls off over its ball, and the sole stays.
    """

    points: Floats  # [P, 3], metres in the frame of the bone that carries each
    part: Ints  # [P], HEEL, BALL or TOE
    on_toe: Bools  # [P], whether the toe carries it, not the foot


@dataclass(frozen=True, eq=False)
class Body:
    """A bone over F frames: where its head is, and how it is turned."""

    places: Floats  # [F, 3]
    turns: Floats  # [F, 3, 3]

    def carry(self, points: Floats) -> Floats:
        """Points [P, 3] of the bone's frame in the world [F, P, 3]."""
        found: Floats = np.einsum("fij,pj->fpi", self.turns, points) + self.places[:, None]
        return found


@dataclass(frozen=True, eq=False)
class Foot:
    """One leg over F frames."""

    name: str  # for people: "left foot"
    ankle: Body  # the foot's bone
    toe: Body | None
    hip: Floats  # [F, 3], where the thigh begins
    sole: Sole
    hinge: Floats | None = None  # [3], the axis in the toe's frame about which alone it bends; None if about any

    def soles(self) -> Floats:
        """Where the points of the sole are [F, P, 3]."""
        found = self.ankle.carry(self.sole.points)
        if self.toe is not None:
            found[:, self.sole.on_toe] = self.toe.carry(self.sole.points[self.sole.on_toe])
        return found

    def part(self, part: int) -> Floats:
        """Where the middle of a part of the sole is [F, 3]; of a missing toe, the ball."""
        mine = self.sole.part == part
        found: Floats = self.soles()[:, mine if mine.any() else self.sole.part == BALL].mean(axis=1)
        return found

    def leg(self) -> Floats:
        """From hip to ankle [F], metres."""
        found: Floats = np.linalg.norm(self.ankle.places - self.hip, axis=1)
        return found


@dataclass(frozen=True, eq=False)
class Walk:
    """A clip of F frames."""

    feet: Sequence[Foot]
    pelvis: Body
    seconds: float  # from frame to frame

    @property
    def size(self) -> float:
        """How large the body is: its longest leg, over that of a grown-up, 0.85 m."""
        return max((float(foot.leg().max()) for foot in self.feet), default=0.85) / 0.85
