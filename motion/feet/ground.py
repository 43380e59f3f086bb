"""What a ground has to tell; who asks need not know whether it is a plane, a mesh or a moving platform."""

from typing import NamedTuple, Protocol

import numpy as np

from ...solvers.rotation import Floats
from .walk import Bools, Ints


class Hits(NamedTuple):
    """What is under N places."""

    found: Bools  # [N], False where there is nothing
    places: Floats  # [N, 3], on the ground; the asked-for place where there is nothing
    normals: Floats  # [N, 3], upward, unit length
    things: Ints  # [N], which thing of the ground it is


class Ground(Protocol):
    """The ground of a clip of F frames, in the world, metres, z up. It may be made of several things that move."""

    @property
    def moves(self) -> bool:
        """Whether any of its things moves."""
        ...

    def below(self, places: Floats, frames: Ints, reach: float) -> Hits:
        """The ground under places [N, 3] on frames [N], counted from 0: the highest not above them by design.

        A ray goes straight down from each place, at most `reach` metres: what is above the place is a ceiling.
        """
        ...

    def depth(self, places: Floats, frames: Ints) -> Floats:
        """How deep places [N, 3] are in the ground [N], metres; 0 where they are above it or nowhere near.

        The way to the nearest surface, not the way up: a toe that touches a stair's riser is not a stair deep in it.
        """
        ...

    def motion(self, thing: int) -> Floats:
        """Where a thing is on every frame [F, 4, 4]: rigid, or scaled as its object is."""
        ...


class Flat:
    """An endless plane: level, or with a slope."""

    def __init__(self, height: float, slope: tuple[float, float] = (0.0, 0.0)) -> None:
        """Make one.

        Args:
            height: above the origin, metres.
            slope: how much it rises along x and along y, metres for each metre.
        """
        self.height, self.slope = height, slope
        normal = np.array([-slope[0], -slope[1], 1.0])
        self._normal: Floats = normal / np.linalg.norm(normal)

    @property
    def moves(self) -> bool:
        """It does not."""
        return False

    def heights(self, places: Floats) -> Floats:
        """How high it is under, or over, places [..., 3]."""
        found: Floats = self.height + places[..., :2] @ np.array(self.slope)
        return found

    def below(self, places: Floats, frames: Ints, reach: float) -> Hits:  # noqa: ARG002 - the same on all frames
        """See Ground."""
        heights = self.heights(places)
        found = (places[:, 2] >= heights) & (places[:, 2] - heights <= reach)
        on = places.copy()
        on[found, 2] = heights[found]
        count = len(places)
        return Hits(found, on, np.tile(self._normal, (count, 1)), np.zeros(count, np.int64))

    def depth(self, places: Floats, frames: Ints) -> Floats:  # noqa: ARG002
        """See Ground."""
        found: Floats = np.maximum(0.0, self.heights(places) - places[:, 2]) * self._normal[2]
        return found

    def motion(self, thing: int) -> Floats:  # noqa: ARG002
        """See Ground; one frame stands for all."""
        return np.eye(4)[None]
