"""From a plan to poses: what touches the ground is pinned; feet, toes and pelvis are to be as planned.

All else settles toward the clip. Frames on which the plan is the clip keep it to the last bit.

Weights alone keep feet before the pelvis, and that before posture, without multipliers: a plan is nearly always within
reach, so feet are some hundredths of a millimetre off, and what is found changes as smoothly from frame to frame as
the plan. With multipliers, goals that are nearly met get heavier than the pins: feet were up to 7 mm off.

Where two poses are about as good (a knee that is straight, or bent and the pelvis lower), frames in a row may take one
or the other. So all are solved once more, from where those around them are on average: they end up in the same.
"""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from ...motion.feet.plan import FootPlan, Plan
from ...motion.feet.stances import fore_of
from ...motion.feet.walk import BALL, HEEL, Body, Foot, Ints
from ...solvers import Budget, Clip, Displacement, Goal, Level, Orientation, Pose, Position, Problem, solve_in_slices
from ...solvers.goals.pose import ROTATION
from ...solvers.rotation import Floats
from .. import rig as rigs
from .. import rotations
from ..channels import Bools
from .clip import Clip as SourceClip
from .clip import shown

SLICE = 25  # frames
SAME = 2e-6  # metres, or sines: Blender's own matrices, of which a clip is read, are not more exact
POSTURE = 1e-3  # the weight of the clip's own pose, as in live posing
BENT = (
    0.5  # radians, by which a frame begins off the limits; with 0.15 some knees stayed straight, the pelvis 4 cm high
)
AROUND = 0.25  # seconds to each side, over which poses are averaged to begin once more
HELD = 100.0  # how heavy the places of feet are, as pins
CARRIED = 10.0  # how heavy the pelvis is
TURNED = 4.0  # how heavy the turns of feet are: an ankle that cannot follow gives way, and the pelvis hardly goes aside
UPRIGHT = 1.0  # the weight of a chest that is turned as in the clip, where the spine takes part
STIFF = 1e4  # times the usual: how what carries the pelvis keeps to the clip, where that is animated
SLACK = 1e-4  # times the usual: the pelvis is where it is planned, on top of the stairs, not back toward the clip
TURN = slice(ROTATION, ROTATION + 4)  # of a goal's numbers, how it is to be turned
POINT = slice(0, 3)  # what of the bone is to be there
PLACE = slice(3, 6)  # where it is to be
ALONE = slice(0, 4)  # how it is to be turned, where that is all


class Wanted(NamedTuple):
    """A bone and where it is to be over F frames, in the tree's space and size."""

    joint: str
    level: Level
    places: Floats | None = None  # [F, 3]; None where only its turn counts
    turns: Floats | None = None  # [F, 4]; None where only its place counts
    points: Floats | None = None  # [F, 3], of the bone's frame, that is to be at the place; None for its head
    weight: float = 1.0

    def goal(self, frame: int) -> Goal:
        """What is asked on a frame."""
        if self.places is None:
            assert self.turns is not None
            return Orientation(self.joint, self.turns[frame], level=self.level, weight=self.weight)
        point = np.zeros(3) if self.points is None else self.points[frame]
        if self.turns is None:
            return Position(self.joint, self.places[frame], point=point, level=self.level, weight=self.weight)
        return Pose(
            self.joint, self.places[frame], self.turns[frame], point=point, level=self.level, weight=self.weight
        )

    def put(self, clip: Clip, index: int, rows: Ints) -> None:
        """Put frames into the tables of a clip whose goal `index` it is: what `Clip.put` does one by one."""
        table = clip.frames.floats[:, index]
        if self.turns is not None:
            table[:, ALONE if self.places is None else TURN] = self.turns[rows]
        if self.places is not None:
            table[:, PLACE] = self.places[rows]
        if self.points is not None:
            table[:, POINT] = self.points[rows]


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
    clip, budget = packed(source, list(_wanted(source, plan)), rows), Budget(restarts=0, levels=False)
    starts = _bent(source, rows)
    for again in (False, True):
        for done in solve_in_slices(clip, starts, "auto", budget, frames=SLICE):
            yield len(q) - len(rows) + (len(rows) + done if again else done) // 2
        q[rows] = clip.frames.q
        starts = _around(q, round(AROUND / source.seconds))[rows]
    return q


def _around(q: Floats, frames: int) -> Floats:
    """Poses [F, V] averaged over so many frames before and after each."""
    weights = np.hanning(2 * frames + 3)[1:-1]
    wide = np.pad(q, ((frames, frames), (0, 0)), mode="edge")
    found: Floats = np.lib.stride_tricks.sliding_window_view(wide, 2 * frames + 1, axis=0) @ (weights / weights.sum())
    return found


def _bent(source: SourceClip, rows: Ints) -> Floats:
    """Where frames begin [n, V]: at the clip, but off limits. A knee that is quite straight shows no way to bend."""
    lower, upper = source.rig.tree.lower, source.rig.tree.upper
    off = np.where(np.isfinite(upper - lower), np.minimum(BENT, 0.25 * (upper - lower)), 0.0)
    found: Floats = np.clip(source.q[rows], lower + off, upper - off)
    return found


def packed(source: SourceClip, wanted: list[Wanted], rows: Ints) -> Clip:
    """Some frames as a clip of the solvers, their targets as whole arrays."""
    still = source.stays & (np.ptp(source.q, axis=0) == 0.0)
    pelvis = rigs.variables_of(source.rig, np.array([name == source.pelvis for name in source.rig.bones], np.bool_))
    each = np.where(source.stays & ~still, STIFF, np.where(pelvis, SLACK, 1.0))
    posture = Displacement(reference=source.q[rows[0]], each=each, weight=POSTURE)
    problem = Problem(source.rig.tree, [*(one.goal(int(rows[0])) for one in wanted), posture])
    problem.hold(still, source.q[rows[0]])
    clip = Clip(problem, [problem.goals] * len(rows))
    for index, one in enumerate(wanted):
        one.put(clip, index, rows)
    clip.frames.pool[:] = source.q[rows]  # of all goals only the posture has any
    return clip


def _wanted(source: SourceClip, plan: Plan) -> Iterator[Wanted]:
    names = source.rig.frame_names
    for leg, foot, planned in zip(source.legs, source.walk.feet, plan.feet, strict=True):
        # Where an ankle cannot be turned as planned, what touches stays, and the rest of the foot gives way.
        points = _touching(foot, planned)
        at = planned.ankle.places + np.einsum("fij,fj->fi", planned.ankle.turns, points)
        places, turns = _in_tree(source, Body(at, planned.ankle.turns))
        scale = source.rig.scale / source.unit
        yield Wanted(names[leg.foot], Level.PIN, places, points=scale * points, weight=HELD)
        yield Wanted(names[leg.foot], Level.GOAL, turns=turns, weight=TURNED)
        if leg.toe and planned.toe is not None:
            yield Wanted(names[leg.toe], Level.GOAL, turns=_in_tree(source, planned.toe)[1])
    places, turns = _in_tree(source, plan.pelvis)
    yield Wanted(names[source.pelvis], Level.GOAL, places, turns, weight=CARRIED)
    if source.chest:
        chest, pelvis = shown(source.rig, source.q, [source.chest, source.pelvis])
        carried = (
            rotations.matrices(turns) @ pelvis.turns.swapaxes(1, 2) @ chest.turns
        )  # along with a ground that turns
        yield Wanted(names[source.chest], Level.GOAL, turns=rotations.from_matrices(carried), weight=UPRIGHT)


def _touching(foot: Foot, planned: FootPlan) -> Floats:
    """The point of a foot [F, 3], in its frame, metres, that stays: the toe's joint, or a heel that stands alone."""
    fore = fore_of(foot)
    found: Floats = np.einsum("fji,fj->fi", foot.ankle.turns, fore.places - foot.ankle.places)
    found[planned.held[:, HEEL] & ~planned.held[:, BALL:].any(axis=1)] = foot.sole.points[foot.sole.part == HEEL].mean(
        axis=0
    )
    return found


def _in_tree(source: SourceClip, body: Body) -> tuple[Floats, Floats]:
    """Places [F, 3] and turns [F, 4] of a body of the world, in the tree's space and size."""
    back = np.linalg.inv(source.worlds)
    places = np.einsum("fij,fj->fi", back[:, :3, :3], body.places) + back[:, :3, 3]
    return source.rig.scale * places, rotations.from_matrices(source.unit * back[:, :3, :3] @ body.turns)
