"""How a foot rolls on its place: as the source does, and nothing that touches the ground slides.

What touches is what it turns about: the edge of its heel first, then the joint of its toe, which stays on the ground as
it is. It is held firmly: while heel and ball both touch, it is one pose that does not move. (A stance that is right as
the source has it, or nearly, is not: see `keeping`.)
"""

import numpy as np

from ...solvers.rotation import Floats
from . import easing, turns
from .stances import Standing, fore_of
from .walk import BALL, HEEL, TOE, Body, Bools, Foot

BENT = 1.0  # radians, 57°: as far as a toe bends while its foot rolls off over it; people's bend 70° at most
SINKS = 0.002  # metres that a heel may be under its place, before it is kept up


def rolled(one: Standing, foot: Foot, blend: int) -> tuple[Body, Floats]:
    """The foot [frames] and its toe's turns [frames, 3, 3] over a stance.

    Args:
        one: on the ground.
        foot: the source, as seen from the ground under it.
        blend: frames in which the source's own turn takes over from one that is held.
    """
    here = slice(one.first, one.last + 1)
    fore = fore_of(foot)
    prior = one.tilt @ foot.ankle.turns[here]
    lean = _lean(one, turns.vector_of(one.turn @ prior.swapaxes(1, 2)), blend)
    turned = turns.matrix_of(lean) @ prior
    arms = np.einsum("fji,fj->fi", foot.ankle.turns, fore.places - foot.ankle.places)[here]
    heels = foot.sole.points[foot.sole.part == HEEL]
    arm, front = heels.mean(axis=0), _front(one.held)
    held: Bools = np.asarray(one.held[:, BALL:].any(axis=1))
    turned = np.where(held[:, None, None], _about_hinge(one, foot, turned), turned)
    turned = np.where(front[:, None, None], _kept_up(one, turned, arms, heels), turned)
    joint, bent = _over_the_tip(one, foot, turned)
    by_heel = one.place + one.turn @ arm - turned @ arm
    by_fore = joint - np.einsum("fij,fj->fi", turned, arms)
    lowest = [((heels - arm) @ (one.normal @ each).T).min(axis=0) for each in (one.turn[None], turned)]
    by_heel += (lowest[0] - lowest[1])[:, None] * one.normal  # it turns about its edge, not its middle
    places = _joined(by_heel, by_fore, front, blend)
    places[:, 2] -= _lowered(one, blend)
    return Body(places, turned), bent


def _lowered(one: Standing, blend: int) -> Floats:
    """How much lower a foot is [frames], metres, for what touches alone and hangs above the ground where it is flat."""
    touching = one.held.any(axis=1)
    lower = np.where(touching, np.where(one.held, one.hangs, np.inf).min(axis=1), 0.0)
    half = max(1, blend // 4)
    weights = np.hanning(2 * half + 3)[1:-1]
    found: Floats = np.convolve(np.pad(lower, half, mode="edge"), weights / weights.sum(), mode="valid")
    return found


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


def _about_hinge(one: Standing, foot: Foot, turned: Floats) -> Floats:
    """The turns of a foot [frames, 3, 3] whose toe stays on the ground: only about the axis that the toe has."""
    if foot.hinge is None or foot.toe is None:
        return turned
    hinge = one.turn @ foot.hinge
    pitch = turns.vector_of(turned @ one.turn.T) @ hinge
    found: Floats = turns.matrix_of(pitch[:, None] * hinge) @ one.turn
    return found


def _over_the_tip(one: Standing, foot: Foot, turned: Floats) -> tuple[Floats, Floats]:
    """Where the toe begins [frames, 3] and how it is turned [frames, 3, 3]: bent all it can, it goes up on its tip."""
    tips = foot.sole.points[(foot.sole.part == TOE) & foot.sole.on_toe]
    bent = np.tile(one.toe, (len(turned), 1, 1))
    if foot.hinge is None or not len(tips):
        return np.tile(one.joint, (len(turned), 1)), bent
    hinge, back = one.turn @ foot.hinge, one.place - one.joint
    hinge = hinge if np.cross(hinge, back) @ one.normal > 0.0 else -hinge  # so that the heel rises
    more = np.maximum(0.0, turns.vector_of(turned @ one.turn.T) @ hinge - BENT)
    bent = turns.matrix_of(more[:, None] * hinge) @ bent
    arm = tips.mean(axis=0)
    joint: Floats = one.joint + one.toe @ arm - bent @ arm
    lowest = [((tips - arm) @ (one.normal @ each).T).min(axis=0) for each in (one.toe[None], bent)]
    joint += (lowest[0] - lowest[1])[:, None] * one.normal  # it turns about its edge, as a heel does
    return joint, bent


def _kept_up(one: Standing, turned: Floats, arms: Floats, heels: Floats) -> Floats:
    """The turns of a foot [frames, 3, 3] about its toe's joint, pitched so that the heel does not sink."""
    floor = ((one.place + heels @ one.turn.T) @ one.normal).min()
    way = np.einsum("fij,fpj->fpi", turned, heels[None] - arms[:, None])  # from the joint to each point of the heel
    deep = np.maximum(0.0, floor - SINKS - (one.joint @ one.normal + way @ one.normal).min(axis=1))
    back = way.mean(axis=1)
    back -= (back @ one.normal)[:, None] * one.normal
    far = np.maximum(np.linalg.norm(back, axis=1), 1e-6)
    angle = np.arcsin(np.minimum(1.0, deep / far)) / far
    found: Floats = turns.matrix_of(np.cross(back, one.normal) * angle[:, None]) @ turned
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
