"""How the mass of people is shared out over the parts of their bodies, and where the centre of each part is.

    L  de Leva: Adjustments to Zatsiorsky-Seluyanov's Segment Inertia Parameters, J. Biomechanics 29, 1996: 100 men and
       15 women, measured by gamma rays; table 4
    R  room for rigs: the same, as far as bones allow to say it

Head and neck are one part there. The trunk is in three: up to the navel, up to the lower end of the sternum, and up to
the neck.
"""

from typing import NamedTuple

WEIGHS = 70.0  # kg: what a person is taken to weigh. Only shares count, unless something is added to them


class Part(NamedTuple):
    """A part of the body."""

    men: float  # per cent of the mass
    women: float
    along: float  # where its centre is on the way from its own joint to the next, for both
    sources: str


PARTS = {
    # From the seventh cervical vertebra to the top of the head: men 50.0 and women 51.6 per cent.
    "head": Part(6.94, 6.68, 0.51, "mass L, centre L"),
    "upper_trunk": Part(15.96, 15.45, 0.49, "mass L, centre L"),
    "middle_trunk": Part(16.33, 14.65, 0.55, "mass L, centre L"),
    # From the middle between the hips to the navel: men 38.9, women 50.8 per cent.
    "lower_trunk": Part(11.17, 12.47, 0.45, "mass L, centre L"),
    "upper_arm": Part(2.71, 2.55, 0.576, "mass L, centre L"),
    "forearm": Part(1.62, 1.38, 0.457, "mass L, centre L"),
    # From the wrist to the knuckles: men 79.0, women 74.7 per cent.
    "hand": Part(0.61, 0.56, 0.77, "mass L, centre L"),
    "thigh": Part(14.16, 14.78, 0.385, "mass L, centre L"),
    "shin": Part(4.33, 4.81, 0.437, "mass L, centre L"),
    # From heel to toe 44.2 and 40.1 per cent: on a bone from the ankle to the ball, a third of its way.
    "foot": Part(1.37, 1.29, 0.3, "mass L, centre R"),
}
# Who carries the mass of a part whose bone is not known.
CARRIED_BY = {"hand": "forearm", "forearm": "upper_arm", "foot": "shin", "shin": "thigh"}


def mass(part: str) -> float:
    """The mass of a part, in kg: half-way between men and women."""
    return WEIGHS * 0.005 * (PARTS[part].men + PARTS[part].women)
