"""A clip of a character that is set up, solved whole by `solve_many`: all frames packed, solved, then written.

Nothing goes from one frame to the next: each begins at its own reference, so the poses are those that frame after frame
would give. `Clip` checks every goal of every frame in Python: 10 µs a goal, 30 for the posture, 0.1 ms a frame.
Here targets are put into its tables as whole arrays, which is checked against what it does itself. A bake
(bridge/baking) solves so, too, but packs goals with `Clip`. Smoothed, the solved clip is calmed as a bake with *Smooth*
does it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from posewright import bridge
from posewright import solvers as ik
from posewright.motion import smoothing
from posewright.solvers.goals.pose import ROTATION

from .capture import Floats
from .frame_by_frame import frame_by_frame
from .puppet import Puppet

POSTURE = 1e-3  # the weight of posture in live posing
PLACE = slice(3, 6)  # of a goal's floats: where it is to be
TURN = slice(ROTATION, ROTATION + 4)  # how it is to be turned


@dataclass
class Solved:
    """The poses of F frames of B bones."""

    turned: Floats  # [F, B, 4], the bones' own rotations
    moved: Floats  # [F, 3], the hips' own translations
    seconds: Floats  # [F]


class WholeClip:
    """The six goals of a puppet's clip on its rig, as set-up leaves it."""

    def __init__(self, puppet: Puppet, rig: Any, orientations: bool, soft: bool, calm: bool = False) -> None:  # noqa: ANN401 - a Rig
        self.capture, self.rig, self.calm, tree = puppet.capture, rig, calm, rig.tree
        self.places, self.turns = rig.scale * self.capture.positions, puppet.turns()
        self.posed = [orientations or name == "Hips" for name in self.capture.names]
        self.weight = POSTURE * (bridge.searching.SOFT if soft else 1.0)
        self.budget = ik.Budget(restarts=0, levels=not soft)
        tends = np.clip(np.where(np.isfinite(rig.habits), rig.habits, rig.q), tree.lower, tree.upper)
        self.references = np.tile(tends, (len(self.places), 1))
        hips = ik.Tree([ik.Joint("Hips", None, puppet.rest[0], ik.Free())])
        turned, moved = puppet.captured()
        for frame, (place, turn) in enumerate(zip(moved, turned, strict=True)):
            self.references[frame, :6] = hips.values(place[None], turn[:1])  # set down at the pelvis goal
        self.references[:, :3] *= rig.scale

    def goals(self, frame: int) -> list[ik.Goal]:
        """The goals of a frame, one by one, and the posture."""
        found: list[ik.Goal] = []
        for joint in self.capture.goals():
            name, place = self.rig.frame_names[self.capture.names[joint]], self.places[frame, joint]
            posed = self.posed[joint]
            found.append(ik.Pose(name, place, self.turns[frame, joint]) if posed else ik.Position(name, place))
        return [*found, ik.Displacement(reference=self.references[frame], weight=self.weight)]

    def packed(self, frames: int) -> ik.Clip:
        """So many frames, their targets as whole arrays: what `Clip` makes of the goals one by one (see `check`)."""
        problem = ik.Problem(self.rig.tree, self.goals(0))
        clip = ik.Clip(problem, [problem.goals] * frames)
        tables = clip.frames
        for index, joint in enumerate(self.capture.goals()):
            tables.floats[:, index, PLACE] = self.places[:frames, joint]
            if self.posed[joint]:
                tables.floats[:, index, TURN] = self.turns[:frames, joint]
        tables.pool[:] = self.references[:frames]  # only the posture has any
        return clip

    def check(self, clip: ik.Clip, frames: Sequence[int]) -> None:
        """See that some frames are packed as `Clip` itself packs them."""
        usual = ik.Clip(ik.Problem(self.rig.tree, self.goals(0)), [self.goals(frame) for frame in frames]).frames
        for name in ("on", "floats", "pool", "weight"):
            ours, theirs = getattr(clip.frames, name)[list(frames)], getattr(usual, name)
            assert np.allclose(ours, theirs, rtol=0.0, atol=1e-12), f"{name} of the clip is not as Clip packs it"

    def solve(self, frames: int) -> Solved:
        """Pack, solve and turn into channels; what is done for all frames at once is shared out evenly."""
        began = time.perf_counter()
        clip = self.packed(frames)
        packed = time.perf_counter()
        with frame_by_frame() as timed:
            found = ik.solve_many(clip, self.references[:frames], "auto", self.budget, progress=timed)
        solved = time.perf_counter()
        q = smoothing.smooth(clip, found.q, self.capture.seconds) if self.calm else found.q
        turned, moved = self._turned(q), q[:, :3] / self.rig.scale
        together = packed - began + time.perf_counter() - solved
        self.check(clip, (0, frames // 2, frames - 1))
        return Solved(turned, moved, timed.seconds() + together / frames)

    def _turned(self, q: Floats) -> Floats:
        """The bones' own rotations [F, B, 4] at the variables of each frame [F, V]."""
        turned = np.zeros((len(q), len(self.rig.bones), 4))
        turned[..., 0] = 1.0
        turned[:, self.rig.turning[0]] = self.rig.own_turns(q)
        return turned
