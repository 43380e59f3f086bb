"""A foot that stands, as the source has it: its frames, what of its sole touches, the pose in which it is flat."""

from dataclasses import dataclass, replace

import numpy as np

from ...solvers.rotation import Floats
from . import turns
from .contacts import runs
from .walk import BALL, HEEL, TOE, Body, Bools, Foot

UP = np.array([0.0, 0.0, 1.0])
FACING = 0.25  # the cosine of 75°: a sole that is turned farther away from the ground is not on it


@dataclass(frozen=True, eq=False)
class Standing:
    """A stance: its frames, and the pose in which the sole is flat on the ground."""

    first: int
    last: int
    base: list[tuple[int, int]]  # runs of frames in which heel and ball both touch
    at: int  # the frame in whose world the pose is
    tilt: Floats  # [3, 3], from the source's ground to this one
    moved: Floats  # [3], how far the ankle is from where the source has it
    turn: Floats  # [3, 3], the foot
    place: Floats  # [3], its ankle
    toe: Floats  # [3, 3]
    joint: Floats  # [3], where the toe begins
    sole: Floats  # [P, 3]
    held: Bools  # [frames, 3], what touches
    thing: int  # of the ground, -1 for none
    normal: Floats  # [3], of the slope that it stands on
    hangs: Floats  # [3], how far heel, ball and toe are above the ground in that pose, metres
    kept: bool = False  # whether it stands well as the source has it, or nearly
    under: Floats | None = None  # [3], a place on the ground, where it is kept
    trouble: str = ""


def faces_down(one: Standing, foot: Foot) -> bool:
    """Whether a foot stands on its sole, not on its instep or with the sole upright, as it does in a crawl."""
    heel, front = one.sole[foot.sole.part == HEEL], one.sole[foot.sole.part != HEEL]
    ahead = front.mean(axis=0) - heel.mean(axis=0)
    above = one.place - heel.mean(axis=0)  # the ankle is on the other side of the sole than the ground
    above = above - ahead * (above @ ahead) / max(float(ahead @ ahead), 1e-12)
    far = float(np.linalg.norm(above))
    return far < 1e-6 or float(above[2]) > FACING * far


def middle_of(first: int, last: int) -> int:
    """The frame in whose world a stance is seen."""
    return (first + last) // 2


def fore_of(foot: Foot) -> Body:
    """What the front of a foot turns about: its toe's joint; without a toe, the front end of its sole."""
    if foot.toe is not None:
        return foot.toe
    part = TOE if (foot.sole.part == TOE).any() else BALL
    return Body(foot.part(part), foot.ankle.turns)


def standing(foot: Foot, held: Bools, first: int, last: int) -> Standing:
    """A stance as the source has it, of a foot seen from the ground under it; what touches is given [F, 3]."""
    here = held[first : last + 1].copy()
    if foot.toe is None and (foot.sole.part == TOE).any():  # all of one piece, it rolls off over its front end
        here[:, TOE] |= here[:, BALL]
        here[:, BALL] &= here[:, HEEL]
    both = here[:, HEEL] & here[:, BALL:].any(axis=1)
    base = [(first + one, first + two) for one, two in runs(both)]
    if base:
        frames = first + np.flatnonzero(both)
    else:  # it never is flat: the frame in which it is nearest to that
        heights = foot.soles()[first : last + 1, :, 2]
        frames = np.array([first + int(np.ptp(heights, axis=1).argmin())])
    fore = fore_of(foot)
    turn, toe = turns.mean(foot.ankle.turns[frames]), turns.mean(fore.turns[frames])
    arm = np.einsum("fji,fj->fi", foot.ankle.turns[frames], fore.places[frames] - foot.ankle.places[frames]).mean(
        axis=0
    )
    # By what touches longer: heel or front is where it is most of that time, the other where the foot has it.
    heel, front = here[:, HEEL], here[:, BALL:].any(axis=1)
    if heel.sum() > front.sum():
        back = foot.sole.points[foot.sole.part == HEEL].mean(axis=0)
        place = np.median(foot.ankle.carry(back[None])[first : last + 1, 0][heel], axis=0) - turn @ back
        joint = place + turn @ arm
    else:
        joint = np.median(fore.places[first : last + 1][front], axis=0)
        place = joint - turn @ arm
    flat = replace(
        foot,
        ankle=Body(place[None], turn[None]),
        toe=Body(joint[None], toe[None]) if foot.toe is not None else None,
        hip=foot.hip[:1],
    )
    sole = flat.soles()[0]
    return Standing(
        first=first,
        last=last,
        base=base,
        at=middle_of(first, last),
        tilt=np.eye(3),
        moved=np.zeros(3),
        turn=turn,
        place=place,
        toe=toe,
        joint=joint,
        sole=sole,
        held=here,
        thing=-1,
        normal=UP,
        hangs=np.zeros(3),
    )
