"""How people hold themselves: mean and spread of each joint variable, from the clips marked `statistics`.

A variable's rest value is its mean, its stiffness one over its variance, scaled so that one which usually strays by
0.2 rad has stiffness 1: the unit of a rig without statistics. What never moved in these clips gets the stiffness of a
spread of 0.02 rad. Both numbers were set beforehand, not fitted to any clip.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from posewright import solvers as ik
from posewright.solvers.joints import Motion

from .capture import Floats, captures
from .puppet import Puppet

USUAL, LEAST = 0.2, 0.02  # radians of spread
HALF_TURN = (-math.pi, math.pi)


@dataclass(frozen=True)
class Habits:
    """Of the variables of all joints but the hips, three each: V of them.

    Attributes:
        mean, spread: [V], radians.
        lower, upper: [V], the least and greatest value.
    """

    mean: Floats
    spread: Floats
    lower: Floats
    upper: Floats

    def applied(self, joints: list[ik.Joint]) -> list[ik.Joint]:
        """The joints, hips first, with these rest values and stiffnesses."""
        stiffness = USUAL**2 / (self.spread**2 + LEAST**2)
        found = [joints[0]]
        for index, joint in enumerate(joints[1:]):
            own = slice(3 * index, 3 * index + 3)
            found.append(replace(joint, stiffness=stiffness[own].tolist(), rest_values=self.mean[own].tolist()))
        return found


def swing_and_twist(names: tuple[str, ...]) -> dict[str, Motion]:
    """Balls whose variables are swing and twist, with no limits short of half a turn, for all joints but the first."""
    return dict.fromkeys(names[1:], ik.Ball(HALF_TURN, HALF_TURN, HALF_TURN, region="box"))


def read_habits(step: int = 4) -> Habits:
    """From every so many frames of the clips; a clip's own skeleton gives the variables."""
    found = []
    for capture in captures("statistics", step):
        puppet = Puppet(capture)
        found.append(puppet.values(ik.Tree(puppet.joints(swing_and_twist(capture.names))))[:, 6:])
    values = np.concatenate(found)
    return Habits(values.mean(axis=0), values.std(axis=0), values.min(axis=0), values.max(axis=0))
