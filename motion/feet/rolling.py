"""How a foot rolls on its place: as the source does, and nothing that touches the ground slides.

What touches is what it turns about: the edge of its heel first, then the joint of its toe, which stays on the ground as
it is. A stance that was right as the source has it is only kept from sliding: heights, pitch and roll are the source's.
One that had to be put somewhere is held firmly: while heel and ball both touch, it is one pose that does not move.
"""

import numpy as np

from ...solvers.rotation import Floats
from . import easing, turns
from .stances import Standing, fore_of
from .walk import BALL, HEEL, Body, Bools, Foot


def rolled(one: Standing, foot: Foot, carrying: Floats, blend: int) -> tuple[Body, Floats]:
    """The foot [frames] and its toe's turns [frames, 3, 3] over a stance.

    Args:
        one: on the ground.
        foot: the source.
        carrying: [frames, 4, 4], where the ground under it has gone since the frame `one.at`; rigid.
        blend: frames in which the source's own turn takes over from one that is held.
    """
    here = slice(one.first, one.last + 1)
    fore, carried, gone = fore_of(foot), carrying[:, :3, :3], carrying[:, :3, 3]
    normal = carried @ one.normal
    flat, prior = carried @ one.turn, carried @ one.tilt @ carried.swapaxes(1, 2) @ foot.ankle.turns[here]
    lean = _lean(one, turns.vector_of(flat @ prior.swapaxes(1, 2)), blend)
    if one.kept:
        lean = np.einsum("fi,fi->f", lean, normal)[:, None] * normal  # about the upright only
    turned = turns.matrix_of(lean) @ prior
    arms = np.einsum("fji,fj->fi", foot.ankle.turns, fore.places - foot.ankle.places)[here]
    heels = foot.sole.points[foot.sole.part == HEEL]
    arm, front = heels.mean(axis=0), _front(one.held)
    heel, joint = one.place + one.turn @ arm, one.joint
    by_heel = np.einsum("fij,j->fi", carried, heel) + gone - turned @ arm
    by_fore = np.einsum("fij,j->fi", carried, joint) + gone - np.einsum("fij,fj->fi", turned, arms)
    if one.kept:
        places = _joined(by_heel, by_fore, front, blend)
        places += np.einsum("fi,fi->f", foot.ankle.places[here] - places, normal)[:, None] * normal
        return Body(places, turned), turns.matrix_of(lean) @ fore.turns[here]
    edge = heels - arm
    lowest = [np.einsum("fi,fij,pj->fp", normal, each, edge).min(axis=1) for each in (flat, turned)]
    by_heel += (lowest[0] - lowest[1])[:, None] * normal  # it turns about its edge, not its middle
    return Body(_joined(by_heel, by_fore, front, blend), turned), carried @ one.toe


def _lean(one: Standing, off: Floats, blend: int) -> Floats:
    """How far the foot is turned [frames, 3] from the source's own way: all of `off` [frames, 3] where it is held."""
    frames, found = np.arange(len(off)), np.zeros_like(off)
    held = np.zeros(len(off), np.bool_)
    for begin, end in one.base:
        held |= (frames >= begin - one.first) & (frames <= end - one.first)
    for begin, end in one.base:
        for edge, far in ((begin, begin - one.first - frames), (end, frames - end + one.first)):
            left = 1.0 - easing.between(far / max(blend, 1))
            found += np.where((far > 0) & ~held, left, 0.0)[:, None] * off[edge - one.first]
    found[held] = off[held]
    return found


def _front(held: Bools) -> Bools:
    """The frames on which a foot turns about its front: where that touches, or did when something touched last."""
    found = np.where(held[:, BALL:].any(axis=1), 1, np.where(held[:, HEEL], 0, -1))
    known = np.flatnonzero(found >= 0)
    if not len(known):
        return np.ones(len(found), np.bool_)
    last = np.maximum.accumulate(np.where(found >= 0, np.arange(len(found)), -1))
    front: Bools = found[np.where(last >= 0, last, known[0])] == 1
    return front


def _joined(by_heel: Floats, by_fore: Floats, front: Bools, blend: int) -> Floats:
    """Places [frames, 3] by what each frame turns about; where two disagree, it goes over by degrees."""
    frames = np.arange(len(front))
    found: Floats = np.where(front[:, None], by_fore, by_heel)
    for change in (np.flatnonzero(np.diff(front.astype(np.int8))) + 1).tolist():
        jump = (by_heel - by_fore)[change] * (1.0 if front[change] else -1.0)
        left = 1.0 - easing.between((frames - change) / max(blend, 1))
        found = found + np.where(frames >= change, left, 0.0)[:, None] * jump
    return found
