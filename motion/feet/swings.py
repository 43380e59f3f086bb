"""A foot between two stances: it keeps the source's shape, goes over from one place to the next, clears what is below.

What was changed at the last stance goes over into what is changed at the next, with the least jerk. A foot that was
held is let go of with its speed of then. Where it would hit something on the way, it goes higher, and later where there
is a step right in front of it: up first, then forward.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...solvers.rotation import Floats
from . import easing, toes, turns
from .ground import Ground
from .stances import Standing
from .walk import TOE, Body, Bools, Foot, Ints

TOES = 2.0  # times as long as feet, toes take to come back to the source: else they would dip into the ground
SOON = 0.5  # the same after a stance that is right as the source has it: it was bent only where it had to be
LAGS = (0.0, 0.06, 0.12, 0.18, 0.24)  # metres that a foot may stay behind for a step right in front of it
PEAKS = (0.08, 0.15, 0.25, 0.4, 0.5, 0.6, 0.75, 0.85, 0.92)  # parts of the swing at which a foot may be highest
LATER = 0.3  # what a metre of staying behind costs against one of going higher
SUDDEN = 0.002  # what going higher costs for being quick about it, by the square of the part of the swing it takes
HITS = 10.0  # what a metre in the ground costs
BENDS = 0.05  # metres: deeper in the ground, a toe is not bent over it
LOWEST = -0.003  # metres: under the ground by less, a foot stays as low as the source has it
SPARE = 0.0015  # metres that a foot may lack


@dataclass(eq=False)
class Way:
    """One foot of F frames: the poses of its stances are filled in, the rest is to be found."""

    foot: Foot  # the source, carried along with the ground
    places: Floats  # [F, 3]
    turns: Floats  # [F, 3, 3]
    toes: Floats  # [F, 3, 3]
    stands: Bools  # [F]


class Swing(NamedTuple):
    """Frames between two stances; -1 and F where there is none on that side."""

    before: int
    after: int


def swings(way: Way) -> list[Swing]:
    """All of them."""
    held = np.flatnonzero(way.stands).tolist()
    ends = [-1, *held, len(way.stands)]
    return [Swing(one, two) for one, two in itertools.pairwise(ends) if two - one > 1]


def fill(way: Way, blend: int) -> None:
    """Fill in where a foot is between its stances."""
    source = way.foot.ankle
    moved = way.places - source.places
    turned = turns.vector_of(way.turns @ source.turns.swapaxes(1, 2))
    for swing in swings(way):
        here = np.arange(swing.before + 1, swing.after)
        for values in (moved, turned):
            values[here] = _joined(values, swing, here, blend)
        way.places[here] = source.places[here] + moved[here]
        way.turns[here] = turns.matrix_of(turned[here]) @ source.turns[here]


def fill_toes(way: Way, fore: Bools, right: Bools, blend: int) -> None:
    """Fill in how the toe is turned where it is not held on the ground [F]; sooner where a stance was right [F]."""
    toe = way.foot.toe
    if toe is None:
        return
    own = way.foot.ankle.turns.swapaxes(1, 2) @ toe.turns  # against the foot, as the source has it
    bent = turns.vector_of(own.swapaxes(1, 2) @ way.turns.swapaxes(1, 2) @ way.toes)
    bent[~fore] = 0.0
    held = np.flatnonzero(fore)
    frames = np.flatnonzero(~fore)
    for edges, sign in ((np.searchsorted(held, frames) - 1, 1), (np.searchsorted(held, frames), -1)):
        there = (edges >= 0) & (edges < len(held))
        edge = held[np.clip(edges, 0, max(len(held) - 1, 0))] if len(held) else np.zeros(len(frames), np.int64)
        length = np.maximum(np.where(right[edge], SOON, TOES) * blend, 1.0)
        left = 1.0 - easing.between(sign * (frames - edge) / length)
        bent[frames] += np.where(there, left, 0.0)[:, None] * (bent[edge] if len(held) else 0.0)
    way.toes[frames] = way.turns[frames] @ own[frames] @ turns.matrix_of(bent[frames])


def bend_toes(way: Way, frames: Bools, ground: Ground, reach: float) -> None:
    """Bend toes up that are in the ground on some frames [F], as they do when a foot rolls off; a hair they may."""
    toe, bends = way.foot.toe, (way.foot.sole.part == TOE) & way.foot.sole.on_toe
    if toe is None or not bends.any():
        return
    some = np.flatnonzero(frames)
    for _ in range(2):  # bent, it is above another place, and on a slope that is another height
        soles = soles_of(way, some)[:, bends]
        hits = _under(soles, ground, some, reach) + LOWEST
        deep = (hits - soles[..., 2]).max(axis=1)
        some = some[(deep > 0.0) & (deep < BENDS)]
        for row, frame in zip(np.flatnonzero((deep > 0.0) & (deep < BENDS)).tolist(), some.tolist(), strict=True):
            joint = joint_of(way, np.array([frame]))[0]
            hinge = toes.hinge_of(way.foot, way.turns[frame], soles[row].mean(axis=0) - joint)
            way.toes[frame] = toes.bending(joint, hinge, soles[row], hits[row]) @ way.toes[frame]


def _joined(values: Floats, swing: Swing, frames: Ints, blend: int) -> Floats:
    """What goes from one end to the other [frames, 3], out of the speed at the one and into that at the other."""
    first, last = swing
    if first < 0 and last >= len(values):
        return np.zeros((len(frames), 3))
    ends = values[max(first, 0) if first >= 0 else last], values[last if last < len(values) else first]
    part = (
        easing.between((frames - first) / (last - first))
        if first >= 0 and last < len(values)
        else np.zeros(len(frames))
    )
    found: Floats = ends[0] + part[:, None] * (ends[1] - ends[0])
    length = max(min(blend, (last - first) // 2), 1)
    if first >= 1:
        speed = values[first] - values[first - 1]
        found = found + speed * (length * easing.run_out((frames - first) / length))[:, None]
    if last < len(values) - 1:
        speed = values[last] - values[last + 1]
        found = found + speed * (length * easing.run_out((last - frames) / length))[:, None]
    return found


def clear(
    way: Way, ground: Ground, own: Floats, clearance: float, reach: float, blend: int, kept: Bools, right: Bools
) -> list[int]:
    """Take swinging feet over what they would hit. Returns the frames at which that was not possible.

    From one stance that stays as it is to the next, or where there is none, the swing does, too.

    Args:
        way: filled in.
        ground: which is not to be hit.
        own: [F], the height of the source's ground under the foot, to tell how high the source lifts it.
        clearance: metres to keep from the ground, where the source does.
        reach: metres above the sole up to which something is ground, not a ceiling.
        blend: frames after a stance, and before one, in which the clearance grows and fades.
        kept: [F], frames of stances that could not be placed.
        right: [F], frames of stances that are right as the source has them.
    """
    stuck = list[int]()
    for swing in swings(way):
        if all(not 0 <= end < len(kept) or kept[end] for end in swing):
            continue
        frames = np.arange(swing.before + 1, swing.after)
        wanted = np.clip(way.foot.soles()[frames, :, 2].min(axis=1) - own[frames], LOWEST, clearance)
        near = np.minimum(frames - swing.before if swing.before >= 0 else len(own), swing.after - frames)
        wanted = LOWEST + (wanted - LOWEST) * easing.between(near / blend)  # on the ground before, and soon again
        if all(not 0 <= end < len(right) or right[end] for end in swing):  # it may be as low as it was
            was = (way.foot.soles()[frames, :, 2] - _under(way.foot.soles()[frames], ground, frames, reach)).min(axis=1)
            wanted = np.minimum(wanted, np.maximum(was, LOWEST))
            _lift(way, ground, swing, frames, wanted, reach, max(1, blend // 3))
        if not _over_it(way, ground, swing, frames, wanted, reach, blend):
            stuck.append(int(frames[0]))
    return stuck


def _over_it(way: Way, ground: Ground, swing: Swing, frames: Ints, wanted: Floats, reach: float, blend: int) -> bool:
    """Shape one swing; False where it hits something all the same."""
    soles = soles_of(way, frames)
    need = _needed(soles, ground, frames, wanted, reach)
    if need.max() <= SPARE:
        return True
    part = (frames - swing.before) / (swing.after - swing.before)
    begins, ends = swing.before >= 0, swing.after < len(way.places)
    ahead = _ahead(way, swing)
    best, found = np.inf, np.zeros((len(frames), 3))
    for lag in LAGS if ahead.any() else (0.0,):
        back = -lag * ahead * (easing.between(part / 0.2) * easing.between((1.0 - part) / 0.6))[:, None]
        lacks = need if not lag else _needed(soles + back[:, None], ground, frames, wanted, reach)
        lacks = np.where(lacks > SPARE, lacks, 0.0)
        for peak in PEAKS if ends else (*PEAKS, 1.0):
            sudden = SUDDEN / min(peak if begins else 1.0, 1.0 - peak if ends else 1.0) ** 2
            rising, falling = easing.between(part / peak), easing.between((1.0 - part) / max(1.0 - peak, 1e-9))
            shape = (rising if begins else 1.0) * (falling if ends else 1.0) * np.ones(len(part))
            heights = np.minimum(lacks / np.maximum(shape, 1e-3), reach)
            lefts = np.maximum(0.0, lacks - heights[:, None] * shape).max(axis=1)
            costs = heights * (1.0 + sudden) + LATER * lag + HITS * lefts
            least = int(costs.argmin())
            if costs[least] < best:
                best, found = float(costs[least]), back + np.array([0.0, 0.0, heights[least]]) * shape[:, None]
    way.places[frames] += found
    _lift(way, ground, swing, frames, wanted, reach, max(1, blend // 3))
    return bool(_needed(soles_of(way, frames), ground, frames, np.full(len(frames), LOWEST), reach).max() <= SPARE)


def _lift(way: Way, ground: Ground, swing: Swing, frames: Ints, wanted: Floats, reach: float, around: int) -> None:
    """Lift a foot by what it lacks yet, just there, with some frames around: a little, right before it lands."""
    lacks = _needed(soles_of(way, frames), ground, frames, wanted, reach)
    before = frames - swing.before if swing.before >= 0 else np.full(len(frames), around)
    after = swing.after - frames if swing.after < len(way.places) else np.full(len(frames), around)
    lift = easing.over(np.where(lacks > SPARE, lacks, 0.0), around)
    way.places[frames, 2] += lift * easing.between(np.minimum(before, after) / (around + 1.0))


def soles_of(way: Way, frames: Ints) -> Floats:
    """Where the points of the sole are on some frames [n, P, 3]."""
    foot, sole = way.foot, way.foot.sole
    found = Body(way.places[frames], way.turns[frames]).carry(sole.points)
    if foot.toe is not None and sole.on_toe.any():
        toe = Body(joint_of(way, frames), way.toes[frames])
        found[:, sole.on_toe] = toe.carry(sole.points[sole.on_toe])
    return found


def joint_of(way: Way, frames: Ints) -> Floats:
    """Where the toe begins on some frames [n, 3]."""
    foot = way.foot
    assert foot.toe is not None
    arm = np.einsum("fji,fj->fi", foot.ankle.turns[frames], foot.toe.places[frames] - foot.ankle.places[frames])
    found: Floats = way.places[frames] + np.einsum("fij,fj->fi", way.turns[frames], arm)
    return found


def _under(soles: Floats, ground: Ground, frames: Ints, reach: float) -> Floats:
    """The height of the ground under places [n, P, 3] on some frames [n]; -inf where there is none."""
    flat = soles.reshape(-1, 3)
    hits = ground.below(flat + np.array([0.0, 0.0, reach]), np.repeat(frames, soles.shape[1]), 2.0 * reach)
    return np.where(hits.found, hits.places[:, 2], -np.inf).reshape(soles.shape[:2])


def _needed(soles: Floats, ground: Ground, frames: Ints, wanted: Floats, reach: float) -> Floats:
    """How much higher a foot with its sole at [n, P, 3] has to be on some frames [n]."""
    above = (soles[..., 2] - _under(soles, ground, frames, reach)).min(axis=1)
    found: Floats = np.maximum(0.0, wanted - above)
    return found


def _ahead(way: Way, swing: Swing) -> Floats:
    """Where a swing goes, level, unit length [3]; nowhere if it has no two ends."""
    if swing.before < 0 or swing.after >= len(way.places):
        return np.zeros(3)
    gone = way.places[swing.after] - way.places[swing.before]
    gone[2] = 0.0
    far = float(np.linalg.norm(gone))
    found: Floats = gone / far if far > 0.05 else np.zeros(3)
    return found


def constant(way: Way, stances: Sequence[Standing]) -> Floats:
    """How far a foot is moved [F, 3] by its stances alone: the same through each, with the least jerk in between.

    What goes to and fro within a stance, because the source slides, is left out: a body has no part in that. Where a
    clip begins or ends in a swing, that leads from, or to, where the foot is moved there.
    """
    frames = len(way.places)
    moved = np.zeros((frames, 3))
    if not stances:
        return moved
    gone = way.places - way.foot.ankle.places
    for one in stances:
        moved[one.first : one.last + 1] = one.moved
    ends = [*(frame for one in stances for frame in (one.first, one.last))]
    if ends[0] > 0:
        moved[0] = 0.0 if stances[0].kept else gone[0]
        ends = [0, *ends]
    else:
        ends = ends[1:]
    if ends[-1] < frames - 1:
        moved[-1] = 0.0 if stances[-1].kept else gone[-1]
        ends = [*ends, frames - 1]
    for before, after in zip(ends[::2], ends[1::2], strict=False):
        here = np.arange(before + 1, after)
        moved[here] = _joined(moved, Swing(before, after), here, 1)
    return moved
