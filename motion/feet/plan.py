"""A clip's feet put onto a ground: where feet, toes and pelvis are to be on every frame."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .ground import Ground
from .walk import Body, Bools, Floats, Walk


class Settings(NamedTuple):
    """How feet are placed. Lengths in metres of the world."""

    lock: bool = True  # whether feet that touch the ground are held where they do
    tilt: float = 0.52  # radians that a foot is turned at most to lie on a slope
    shift: float = 0.16  # how far a contact may be moved to stand better: on a stair
    step: float = (
        0.6  # as a part of the leg: ground that is higher or lower than this from step to step is out of reach
    )
    clearance: float = 0.01  # that a swinging foot keeps from the ground, where the source does
    blend: float = 0.1  # seconds in which a foot is let go of
    tolerance: float = 0.003  # that a sole may be above or under the ground before anything is changed


class Trouble(NamedTuple):
    """Where the source was kept, and why."""

    frame: int  # counted from 0
    foot: str
    words: str


class Stance(NamedTuple):
    """A foot that stands: from its first frame to its last, counted from 0."""

    foot: int
    first: int
    last: int
    outline: Floats  # [P, 3], the sole as it stands on its first frame
    thing: int  # of the ground; -1 where the source was kept


@dataclass(frozen=True, eq=False)
class FootPlan:
    """What one foot is to do."""

    ankle: Body  # the foot's bone
    toe: Body | None
    held: Bools  # [F, 3], which parts of the sole touch the ground, as planned


@dataclass(frozen=True, eq=False)
class Plan:
    """What a clip is to do on a ground. The source's own bodies where nothing has to change, to the last bit."""

    feet: Sequence[FootPlan]
    pelvis: Body
    stances: list[Stance] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)


def plan(walk: Walk, contacts: Sequence[Bools], ground: Ground, settings: Settings) -> Plan:
    """Put a clip onto a ground.

    Args:
        walk: the clip as it is.
        contacts: for each foot, which parts of its sole touch the ground [F, 3].
        ground: what it is put onto.
        settings: how.
    """
    raise NotImplementedError
