"""A stance that is nearly right as the source has it: kept from sliding, and from what is out of bounds, no more.

It goes aside so that what touches does not slide, and about the upright. Pitch and roll stay the source's, and heights
as long as the sole is within bounds; where it is not, it is put just there. So frames that are right are not changed
for those that are not: a heel that strikes a centimetre deep, a toe that does not bend while its foot rolls off.
"""

import numpy as np

from ...solvers.rotation import Floats
from . import easing, toes, turns
from .contacts import runs
from .ground import Ground
from .measure import extent
from .stances import Standing, fore_of
from .swings import Way, soles_of, swings
from .walk import BALL, HEEL, PARTS, TOE, Body, Bools, Foot, Ints

STILL = 0.001  # metres that a contact may slide before it is held
STRAIGHT = 0.999  # of the longest leg: a shorter one can be stretched
FARTHEST, TRIES = 0.04, 81  # metres that a stance goes to the way of a straight leg, or against it; how many are tried
ASIDE = 0.02  # what a metre aside costs against one that a leg is too short
TIPS = 0.0003  # metres that a toe's tip may be nearer to its joint, or farther, than it mostly is, while both touch


def kept(one: Standing, foot: Foot, blend: int, bound: float) -> tuple[Body, Floats]:
    """The foot [frames] and its toe's turns [frames, 3, 3] over a stance: the source's, without its slide.

    Args:
        one: as the source has it.
        foot: the source, as seen from the ground under it.
        blend: frames in which the source's own turn takes over from one that is held.
        bound: metres that a toe may be under the ground.
    """
    here = slice(one.first, one.last + 1)
    places, turned, bent = foot.ankle.places[here], foot.ankle.turns[here], fore_of(foot).turns[here]
    still = _is_still(one, foot)
    bent = _onto_ground(one, foot, places, turned, bent, bound)
    if still:
        return Body(places, turned), bent
    bent = _onto_ground(one, foot, places, turned, _held_toes(one, foot, turned, bent), bound)
    lean = turns.matrix_of(_headings(one, foot, turned, bent)[:, None] * one.normal)
    turned, bent = lean @ turned, lean @ bent
    soles, parts = _soles(one, foot, places, turned, bent), foot.sole.part
    middles = [soles[:, parts == (part if (parts == part).any() else BALL)].mean(axis=1) for part in range(len(PARTS))]
    gone = -_slid(np.stack(middles, axis=1), one.held)
    gone -= (gone @ one.normal)[:, None] * one.normal
    around = np.arange(max(0, one.first - blend), min(len(foot.hip), one.last + 1 + blend))  # there it goes along yet
    far = _anchor(
        (foot.ankle.places - foot.hip)[around],
        float(foot.leg().max()),
        gone[np.clip(around - one.first, 0, len(gone) - 1)],
    )
    gone = far[(around >= one.first) & (around <= one.last)]
    return Body(places + gone, turned), bent


def _is_still(one: Standing, foot: Foot) -> bool:
    """Whether nothing that touches slides in the source."""
    for part in range(len(PARTS)):
        way = foot.part(part)[one.first : one.last + 1]
        if any(extent(way[first : last + 1]) > STILL for first, last in runs(one.held[:, part])):
            return False
    return True


def _anchor(legs: Floats, longest: float, gone: Floats) -> Floats:
    """How far a foot goes [n, 3], given how far up to the same way for all frames: no leg is to be stretched.

    Of a leg that is straight while its foot slides, the pelvis would have to sink.

    Args:
        legs: [n, 3], from hip to ankle.
        longest: how long the leg is, metres.
        gone: [n, 3].
    """
    gone = gone - np.median(gone, axis=0)
    lengths = np.linalg.norm(legs, axis=1)
    level = legs[lengths.argmax()] * [1.0, 1.0, 0.0]
    way = level / max(float(np.linalg.norm(level)), 1e-9)
    most = np.maximum(lengths, STRAIGHT * longest)
    ways = [gone + far * way for far in np.linspace(-FARTHEST, FARTHEST, TRIES)]
    costs = [
        float(np.maximum(0.0, np.linalg.norm(legs + each, axis=1) - most).max())
        + ASIDE * float(np.linalg.norm(each, axis=1).mean())
        for each in ways
    ]
    found: Floats = ways[int(np.argmin(costs))]
    return found


def _soles(one: Standing, foot: Foot, places: Floats, turned: Floats, bent: Floats) -> Floats:
    """Where the points of the sole are [n, P, 3]."""
    found = Body(places, turned).carry(foot.sole.points)
    if foot.toe is not None:
        here = slice(one.first, one.last + 1)
        arms = np.einsum("fji,fj->fi", foot.ankle.turns[here], (foot.toe.places - foot.ankle.places)[here])
        joints = places + np.einsum("fij,fj->fi", turned, arms)
        found[:, foot.sole.on_toe] = Body(joints, bent).carry(foot.sole.points[foot.sole.on_toe])
    return found


def _headings(one: Standing, foot: Foot, turned: Floats, bent: Floats) -> Floats:
    """How far a foot is turned about the upright [n], radians, so that what touches keeps its heading.

    From heel to ball, while both touch, after that from ball to toe; a part that touches alone may turn.
    """
    middles = [foot.sole.points[foot.sole.part == part].mean(axis=0) for part in (HEEL, BALL)]
    flat = one.held[:, HEEL] & one.held[:, BALL:].any(axis=1)
    front = one.held[:, BALL:].all(axis=1) & ~flat
    steps = np.zeros(len(bent))
    along = middles[1] - middles[0]
    if foot.toe is not None:
        along = np.einsum("fji,fj->fi", foot.ankle.turns, foot.toe.places - foot.ankle.places)[one.first] - middles[0]
    for each, there in ((turned @ along, flat), (bent @ _toe_way(foot), front)):
        ways = each - (each @ one.normal)[:, None] * one.normal
        before, after = ways[:-1], ways[1:]
        step = np.arctan2(np.cross(before, after) @ one.normal, (before * after).sum(axis=1))
        steps[1:] += np.where(there[1:] & (there[:-1] | flat[:-1]), step, 0.0)
    found = -np.cumsum(steps)
    touching = flat | front
    return found - np.median(found[touching]) if touching.any() else np.zeros(len(bent))


def _toe_way(foot: Foot) -> Floats:
    """From ball to toe [3], in the frame of what carries them."""
    sole = foot.sole
    tip = sole.part == TOE if (sole.part == TOE).any() else sole.part == BALL
    back = sole.part == BALL if (sole.part == TOE).any() else sole.part == HEEL
    found: Floats = sole.points[tip].mean(axis=0) - sole.points[back].mean(axis=0)
    return found


def _onto_ground(one: Standing, foot: Foot, places: Floats, turned: Floats, bent: Floats, bound: float) -> Floats:
    """The turns of a toe [n, 3, 3] that is bent up where it is too deep in the ground, down where all is too high.

    Args:
        one: the stance.
        foot: whose it is.
        places: [n, 3], the ankle.
        turned: [n, 3, 3], the foot.
        bent: [n, 3, 3], the toe as it is.
        bound: metres that it may be too deep, or too high while it touches.
    """
    bends = (foot.sole.part == TOE) & foot.sole.on_toe
    if foot.toe is None or not bends.any():
        return bent
    assert one.under is not None
    soles = _soles(one, foot, places, turned, bent)
    floor = one.under[2] - (soles - one.under)[..., :2] @ one.normal[:2] / one.normal[2]
    above, tips = soles[..., 2] - floor, soles[:, bends]
    high = one.held[:, TOE] & (above.min(axis=1) > bound)
    found = bent.copy()
    for row in np.flatnonzero(high | (above[:, bends].min(axis=1) < -bound)).tolist():
        joint = tips[row, 0] - bent[row] @ foot.sole.points[bends][0]
        hinge = toes.hinge_of(foot, turned[row], tips[row].mean(axis=0) - joint)
        heights = floor[row, bends] + (bound if high[row] else -bound)
        found[row] = toes.bending(joint, hinge, tips[row], heights, down=bool(high[row])) @ bent[row]
    return found


def _held_toes(one: Standing, foot: Foot, turned: Floats, bent: Floats) -> Floats:
    """The turns of a toe [n, 3, 3] whose tip does not slide about the joint while both touch."""
    tips = foot.sole.points[(foot.sole.part == TOE) & foot.sole.on_toe]
    both = one.held[:, BALL] & one.held[:, TOE]
    if not len(tips) or not both.any():
        return bent
    arm = tips.mean(axis=0)
    long = max(float(np.linalg.norm(arm)), 1e-6)
    ways = bent @ arm
    pitch = np.arcsin(np.clip(ways @ one.normal / long, -1.0, 1.0))
    far = long * np.cos(pitch)
    middle = float(np.median(far[both]))
    near = np.clip(np.clip(far, middle - TIPS, middle + TIPS) / long, -1.0, 1.0)
    wanted = np.where(both & (np.abs(far - middle) > TIPS), np.copysign(np.arccos(near), pitch), pitch)
    found = bent.copy()
    for row in np.flatnonzero(wanted != pitch).tolist():
        hinge = toes.hinge_of(foot, turned[row], ways[row])
        hinge = hinge if np.cross(hinge, ways[row]) @ one.normal > 0.0 else -hinge  # so that the tip rises
        found[row] = turns.matrix_of(hinge * (wanted[row] - pitch[row])) @ bent[row]
    return found


def _slid(parts: Floats, held: Bools) -> Floats:
    """How far what touches has gone [n, 3] since the first frame, of parts [n, 3, 3] that touch or not [n, 3].

    One part counts at a time, as long as it touches: the ball, or the heel before it, or the toe after it.
    """
    found = np.zeros((len(parts), 3))
    now = -1
    for frame in range(len(parts)):
        if now < 0 or not held[frame, now] or (now != BALL and held[frame, BALL]):
            before = now
            now = next((part for part in (BALL, HEEL, TOE) if held[frame, part]), -1)
            if frame and before >= 0 and held[frame, before]:  # both touch: the one that comes is where it is
                found[frame] = found[frame - 1] + parts[frame, before] - parts[frame - 1, before]
                continue
        if frame:
            found[frame] = found[frame - 1]
            if now >= 0:
                found[frame] += parts[frame, now] - parts[frame - 1, now]
    return found


def put_within(way: Way, held: Bools, kept: Bools, ground: Ground, look: float, bound: float, blend: int) -> None:
    """Put soles that are out of bounds just within them, in stances that are kept and between them.

    Args:
        way: filled in.
        held: [F, 3], what touches: nothing else has to come down.
        kept: [F], of stances.
        ground: on which they stand.
        look: metres above the sole up to which something is ground.
        bound: metres that a sole may be under the ground, or above it where it touches.
        blend: frames after a stance, and before one, in which a foot that came down is where it was again.
    """
    if not kept.any():
        return
    count = len(kept)
    frames, between = np.arange(count), kept.copy()
    for before, after in swings(way):
        between[before + 1 : after] = all(not 0 <= end < count or kept[end] for end in (before, after))
    some = np.flatnonzero(between)
    above = _lowest(way, some, ground, look)
    up, down = np.zeros(count), np.zeros(count)
    up[some] = np.maximum(0.0, -bound - above)
    down[some] = np.where(held[some].any(axis=1), np.maximum(0.0, above - bound), 0.0)
    found = up - down
    for first, last in runs(kept):
        for edge, far in ((first, first - frames), (last, frames - last)):
            fades = np.where((far > 0) & ~way.stands, 1.0 - easing.between(far / max(blend, 1)), 0.0)
            found += fades * np.where(between, -down[edge], up[edge] - down[edge])  # between them it rises by itself
    way.places[:, 2] += found


def _lowest(way: Way, frames: Ints, ground: Ground, look: float) -> Floats:
    """The lowest point of a sole above the ground on some frames [n]; 0 where there is none."""
    soles = soles_of(way, frames)
    above = (soles[..., 2] - _under(soles, ground, frames, look)).min(axis=1)
    found: Floats = np.where(np.isfinite(above), above, 0.0)
    return found


def _under(soles: Floats, ground: Ground, frames: Ints, look: float) -> Floats:
    """The height of the ground under places [n, P, 3] on some frames [n]; -inf where there is none."""
    flat = soles.reshape(-1, 3)
    hits = ground.below(flat + np.array([0.0, 0.0, look]), np.repeat(frames, soles.shape[1]), 2.0 * look)
    return np.where(hits.found, hits.places[:, 2], -np.inf).reshape(soles.shape[:2])
