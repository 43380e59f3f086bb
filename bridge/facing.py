"""Where a body faces: a reference that is carried along with a pelvis which is told its place and turn.

Joints settle toward the reference. For a body that has walked off or turned around, the one it had where it began says
as much as ever about its joints, and nothing about where it is: so the reference stands where the goal of the pelvis
wants it, and is turned as that. Else a solve would begin with a body that faces the other way, and end anywhere.
"""

from collections.abc import Sequence

import numpy as np

from ..solvers import Goal, Pose
from ..solvers.rotation import Floats
from . import rotations
from .rig import Rig

NEAR = 1e-4  # radians, or metres on a person: a pelvis nearer than this is where it is to be


class Carried:
    """A reference that was carried along, and what it was made of: while that is the same, so is it.

    Attributes:
        found: [variables], the reference itself where no pelvis has a goal for place and turn, or is there already.
    """

    def __init__(self, rig: Rig, settles: Floats, goals: Sequence[Goal]) -> None:
        self._settles, self._goals = settles, dict[int, Pose]()  # by the row of a pelvis: a rig may be several bodies
        self.found = settles
        for goal in goals:
            if isinstance(goal, Pose) and np.all(np.asarray(goal.axes) == 1.0):
                row = _mover(rig, goal.joint)
                if row >= 0 and row not in self._goals:
                    self._goals[row], self.found = goal, _put(rig, self.found, row, goal)

    def fits(self, settles: Floats, goals: Sequence[Goal]) -> bool:
        """Whether it is that of this reference and these goals."""
        known = self._goals.values()
        return settles is self._settles and (all(one in goals for one in known) if known else not _any_pose(goals))


def _any_pose(goals: Sequence[Goal]) -> bool:
    return any(isinstance(goal, Pose) for goal in goals)


def _mover(rig: Rig, joint: str) -> int:
    """The row of the bone with this frame, if it turns and translates freely; else -1."""
    body = rig.tree.index(joint)
    for row in np.flatnonzero((rig.shown == body) & (rig.mover >= 0) & (rig.turns == 1)).tolist():
        slots = rig.tree.arrays.slot
        if (slots[rig.mover[row], :3] >= 0).all() and (slots[rig.body[row], 3:] >= 0).all():
            return int(row)
    return -1


def _put(rig: Rig, settles: Floats, row: int, goal: Pose) -> Floats:
    tree, body, shown, mover = rig.tree, int(rig.body[row]), int(rig.shown[row]), int(rig.mover[row])
    wanted, place = np.asarray(goal.rotation, float), np.asarray(goal.position, float)
    pose, point = tree.pose(settles), np.asarray(goal.point, float)
    there = pose.positions[shown] + _turned(pose.rotations[shown], point)
    near = 1.0 - abs(float(wanted @ pose.rotations[shown])) < 0.125 * NEAR**2
    if near and np.abs(there - place).max() < NEAR:
        return settles
    own = tree.own_rotations(settles)
    frame = _product(pose.rotations[body], _inverse(own[body]))  # in which the joint turns
    fixed = _product(_inverse(pose.rotations[body]), pose.rotations[shown])
    own[body] = _product(_inverse(frame), _product(wanted / np.linalg.norm(wanted), _inverse(fixed)))
    found = settles.copy()
    turns = tree.arrays.slot[body, 3:]
    found[turns] = tree.values(np.zeros((len(tree.names), 3)), own)[turns]
    found = np.clip(found, tree.lower, tree.upper)
    pose = tree.pose(found)
    there = pose.positions[shown] + _turned(pose.rotations[shown], point)
    parent = int(tree.arrays.parent[mover])
    axes = tree.arrays.rest_rotation[mover]
    if parent >= 0 and not tree.arrays.steady[mover]:
        axes = _product(pose.rotations[parent], axes)
    moves = tree.arrays.slot[mover, :3]
    found[moves] += _turned(_inverse(axes), place - there)
    return np.asarray(np.clip(found, tree.lower, tree.upper))


def _product(a: Floats, b: Floats) -> Floats:
    found: Floats = rotations.product(a[None], b[None])[0]
    return found


def _inverse(a: Floats) -> Floats:
    found: Floats = rotations.inverse(a[None])[0]
    return found


def _turned(turn: Floats, vector: Floats) -> Floats:
    found: Floats = rotations.matrices(turn[None])[0] @ vector
    return found
