"""From a plan to poses: feet and toes are pinned where they are planned, and the pelvis is to be there.

All else settles toward the clip. Frames on which the plan is the clip keep it to the last bit.
"""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from ...motion.feet.plan import Plan
from ...motion.feet.walk import Body, Ints
from ...solvers import Budget, Clip, Displacement, Goal, Level, Orientation, Pose, Problem, solve_in_slices
from ...solvers.goals.pose import ROTATION
from ...solvers.rotation import Floats
from .. import rotations
from ..channels import Bools
from .clip import Clip as SourceClip
from .clip import shown

SLICE = 25  # frames
SAME = 2e-6  # metres, or sines: Blender's own matrices, of which a clip is read, are not more exact
POSTURE = 1e-3  # the weight of the clip's own pose, as in live posing
UPRIGHT = 0.1  # the weight of a chest that is turned as in the clip, where the spine takes part
STIFF = 1e4  # times the usual: how what carries the pelvis keeps to the clip, where that is animated
TURN = slice(ROTATION, ROTATION + 4)  # of a goal's numbers, how it is to be turned
PLACE = slice(3, 6)  # where it is to be
ALONE = slice(0, 4)  # how it is to be turned, where that is all


class Wanted(NamedTuple):
    """A bone and where it is to be over F frames, in the tree's space and size."""

    joint: str
    places: Floats  # [F, 3]
    turns: Floats  # [F, 4]
    level: Level
    placed: bool = True  # whether its place counts, and not only its turn
    weight: float = 1.0

    def goal(self, frame: int) -> Goal:
        """What is asked on a frame."""
        if self.placed:
            return Pose(self.joint, self.places[frame], self.turns[frame], level=self.level, weight=self.weight)
        return Orientation(self.joint, self.turns[frame], level=self.level, weight=self.weight)

    def put(self, clip: Clip, index: int, rows: Ints) -> None:
        """Put frames into the tables of a clip whose goal `index` it is: what `Clip.put` does one by one."""
        table = clip.frames.floats[:, index]
        if self.placed:
            table[:, PLACE], table[:, TURN] = self.places[rows], self.turns[rows]
        else:
            table[:, ALONE] = self.turns[rows]


def changed(source: SourceClip, plan: Plan) -> Bools:
    """The frames [F] on which a plan is not the clip itself."""
    walk = source.walk
    pairs = [(walk.pelvis, plan.pelvis)]
    for foot, planned in zip(walk.feet, plan.feet, strict=True):
        pairs.append((foot.ankle, planned.ankle))
        if foot.toe is not None and planned.toe is not None:
            pairs.append((foot.toe, planned.toe))
    found: Bools = np.zeros(len(source.frames), np.bool_)
    for one, other in pairs:
        found |= (np.abs(one.places - other.places) > SAME).any(axis=1)
        found |= (np.abs(one.turns - other.turns) > SAME).any(axis=(1, 2))
    return found


def solve(source: SourceClip, plan: Plan) -> Generator[int, None, Floats]:
    """The variables [F, V] of all frames. Yields how many are done."""
    q, rows = source.q.copy(), np.flatnonzero(changed(source, plan))
    if not len(rows):
        return q
    wanted = list(_wanted(source, plan))
    clip = packed(source, wanted, rows)
    budget = Budget(restarts=0)
    done = 0
    for done in solve_in_slices(clip, source.q[rows], "auto", budget, frames=SLICE):
        yield len(q) - len(rows) + done
    assert done == len(rows)
    q[rows] = clip.frames.q
    return q


def packed(source: SourceClip, wanted: list[Wanted], rows: Ints) -> Clip:
    """Some frames as a clip of the solvers, their targets as whole arrays."""
    still = source.stays & (np.ptp(source.q, axis=0) == 0.0)
    posture = Displacement(
        reference=source.q[rows[0]], each=np.where(source.stays & ~still, STIFF, 1.0), weight=POSTURE
    )
    problem = Problem(source.rig.tree, [*(one.goal(int(rows[0])) for one in wanted), posture])
    problem.hold(still, source.q[rows[0]])
    clip = Clip(problem, [problem.goals] * len(rows))
    for index, one in enumerate(wanted):
        one.put(clip, index, rows)
    clip.frames.pool[:] = source.q[rows]  # of all goals only the posture has any
    return clip


def _wanted(source: SourceClip, plan: Plan) -> Iterator[Wanted]:
    names = source.rig.frame_names
    for leg, planned in zip(source.legs, plan.feet, strict=True):
        yield Wanted(names[leg.foot], *_in_tree(source, planned.ankle), Level.PIN)
        if leg.toe and planned.toe is not None:
            yield Wanted(names[leg.toe], *_in_tree(source, planned.toe), Level.GOAL, placed=False)
    yield Wanted(names[source.pelvis], *_in_tree(source, plan.pelvis), Level.GOAL)
    if source.chest:
        chest = shown(source.rig, source.q, [source.chest])[0]
        turns = rotations.from_matrices(chest.turns)
        yield Wanted(names[source.chest], chest.places, turns, Level.GOAL, placed=False, weight=UPRIGHT)


def _in_tree(source: SourceClip, body: Body) -> tuple[Floats, Floats]:
    """Places [F, 3] and turns [F, 4] of a body of the world, in the tree's space and size."""
    back = np.linalg.inv(source.worlds)
    places = np.einsum("fij,fj->fi", back[:, :3, :3], body.places) + back[:, :3, 3]
    return source.rig.scale * places, rotations.from_matrices(source.unit * back[:, :3, :3] @ body.turns)
