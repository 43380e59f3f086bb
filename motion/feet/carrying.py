"""A ground that moves takes along who stands on it: the clip goes on in the frame of what is under its feet."""

from dataclasses import replace

import numpy as np

from ...solvers.rotation import Floats
from . import turns
from .ground import Ground
from .walk import Body, Foot, Walk


class Carrying:
    """A clip that is carried along, as far as is known on what it stands.

    Attributes:
        walk: the clip, carried.
    """

    def __init__(self, walk: Walk, ground: Ground) -> None:
        self.walk, self._source, self._ground = walk, walk, ground
        count = len(walk.pelvis.places)
        self._things = np.full(count, -1)
        self._moved: Floats = np.tile(np.eye(4), (count, 1, 1))
        self._known = 0

    def onto(self, foot: int, first: int, last: int, look: float) -> None:
        """From one frame to another a foot is on the ground: whatever is under it there takes the clip along."""
        if not self._ground.moves:
            return
        self._until(first)
        under = self.walk.feet[foot].soles()[first] + np.array([0.0, 0.0, look])
        hits = self._ground.below(under, np.full(len(under), first), 2.0 * look)
        if hits.found.any():
            self._things[first : last + 1] = np.bincount(hits.things[hits.found]).argmax()
        self._until(last)

    def _until(self, frame: int) -> None:
        """Carry the clip along up to a frame, and from there on as far as it has come then."""
        for now in range(self._known, frame):
            self._moved[now + 1] = self._step(int(self._things[now]), now) @ self._moved[now]
        self._known = max(self._known, frame)
        self._moved[self._known :] = self._moved[self._known]
        self.walk = _carried(self._source, self._moved)

    def _step(self, thing: int, now: int) -> Floats:
        if thing < 0:
            return np.eye(4)
        motion = self._ground.motion(thing)
        found: Floats = rigid(motion[now + 1 : now + 2] @ np.linalg.inv(motion[now]))[0]
        return found

    def since(self, at: int, first: int, last: int) -> Floats:
        """Where the ground has gone on the frames from one to another, since the frame `at` [frames, 4, 4]."""
        if not self._ground.moves:
            return np.tile(np.eye(4), (last - first + 1, 1, 1))
        found: Floats = self._moved[first : last + 1] @ np.linalg.inv(self._moved[at])
        return found

    def seen_from_ground(self, foot: int, at: int, first: int, last: int) -> Foot:
        """A foot on the frames from one to another as who stands on the ground sees it, in the world of frame `at`."""
        found = self.walk.feet[foot]
        if not self._ground.moves:
            return found
        back = np.tile(np.eye(4), (len(self._moved), 1, 1))
        back[first : last + 1] = np.linalg.inv(self.since(at, first, last))
        return _foot(found, back)


def rigid(matrices: Floats) -> Floats:
    """The nearest rigid transforms [n, 4, 4]: objects may be scaled."""
    found = matrices.copy()
    for row in range(len(found)):
        found[row, :3, :3] = turns.mean(found[row : row + 1, :3, :3])
    return found


def _carried(walk: Walk, moved: Floats) -> Walk:
    return replace(walk, feet=[_foot(foot, moved) for foot in walk.feet], pelvis=_body(walk.pelvis, moved))


def _foot(foot: Foot, moved: Floats) -> Foot:
    toe = None if foot.toe is None else _body(foot.toe, moved)
    return replace(foot, ankle=_body(foot.ankle, moved), toe=toe, hip=_places(foot.hip, moved))


def _body(body: Body, moved: Floats) -> Body:
    return Body(_places(body.places, moved), moved[:, :3, :3] @ body.turns)


def _places(places: Floats, moved: Floats) -> Floats:
    found: Floats = np.einsum("fij,fj->fi", moved[:, :3, :3], places) + moved[:, :3, 3]
    return found
