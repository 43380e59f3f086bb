"""Where on the ground a foot stands: turned to the slope, at its height, shifted where it would hang over an edge.

A stance that is right as the source has it, on all its frames, is left alone. Else some ways to stand there are
compared: along the slope under the sole or level, as the source holds the sole or flat, and, where a part of it has no
ground, a little farther ahead or back. The least of what hangs in the air, and of what is changed, wins.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...solvers.rotation import Floats
from . import toes, turns
from .ground import Ground, Hits
from .stances import UP, Standing, faces_down
from .walk import BALL, HEEL, TOE, Bools, Foot

LEVEL = 0.005  # radians: ground that slopes less is level, and the foot stays as it is
UNSUPPORTED = 0.025  # metres that a part may hang above the ground before another place is looked for
SHIFTS = 0.02  # metres from place to place
FARTHER = 0.5  # what a shift costs against what a part hangs above the ground
STEEPER = 0.02  # metres for a radian of tilt
BENDS = 0.025  # metres that a toe may be in the ground: it bends up that far
HIGHER = 0.6  # what a metre up or down costs beyond half of what can be reached
BACK = 0.03  # metres that a heel goes back as it rises: with a step right behind it, another place is looked for
EDGE = 0.01  # metres that heel and ball keep from an edge
NEARLY = 0.007  # metres that heel and ball are off the ground while they touch, in the middle of that time: it is kept
FAR = 0.06  # metres that it is never off, then
EVEN = 0.002  # metres from a plane that the ground under it is, then
UNEVEN = 0.001  # metres: what it costs to turn a sole that the source holds askew


@dataclass(frozen=True)
class Manner:
    """How a stance finds its place. Metres and radians."""

    tilt: float
    shift: float
    reach: float  # how far the ground may be above or below that of the step before
    look: float  # from how high above a foot ground is looked for: what is higher is a ceiling
    tolerance: float


@dataclass(frozen=True)
class Last:
    """Where the stance before was put."""

    level: float  # metres that the ground was above the source's own
    height: float  # of the ground
    missed: int = 0  # stances since then that found no place


def put_on(one: Standing, foot: Foot, ground: Ground, last: Last, manner: Manner) -> Standing:
    """A stance on the ground: turned to its slope, at its height, shifted where it would hang over an edge.

    Args:
        one: as the source has it.
        foot: whose it is.
        ground: what it is put onto.
        last: the stance before: ground is looked for near its height.
        manner: how.
    """
    if not faces_down(one, foot):
        return replace(one, trouble="its sole does not face the ground, so it stays as it is")
    if (kept := _stands_already(one, foot, ground, manner)) is not None:
        return kept
    spot = _best(one, foot, ground, last, manner)
    if spot is None:
        return replace(one, trouble=_why(one, ground, last, manner))
    about = one.sole[_touching(one, foot)].mean(axis=0)

    def carried(places: Floats) -> Floats:
        found: Floats = (places - about) @ spot.tilt.T + about + spot.way
        return found

    held = one.held.copy()
    for part in (HEEL, BALL, TOE):  # what hangs over an edge does not touch
        mine = foot.sole.part == part
        if mine.any() and spot.gaps[mine].min() > UNSUPPORTED:
            held[:, part] = False
    placed = replace(
        one,
        tilt=spot.tilt,
        moved=carried(one.place) - one.place,
        turn=spot.tilt @ one.turn,
        place=carried(one.place),
        toe=spot.tilt @ one.toe,
        joint=carried(one.joint),
        sole=carried(one.sole),
        held=held if held.any() else one.held,
        thing=spot.thing,
        normal=spot.normal,
    )
    placed = _with_flat_toe(placed, foot, ground, manner)
    return replace(placed, hangs=_hanging(placed, foot, ground, manner))


def _hanging(one: Standing, foot: Foot, ground: Ground, manner: Manner) -> Floats:
    """How far the parts of a sole are above the ground [3], metres; as much as a part may, where there is none."""
    hits = _under(one.sole, one.at, ground, manner)
    above = np.where(hits.found, one.sole[:, 2] - hits.places[:, 2], UNSUPPORTED)
    parts = [foot.sole.part == part for part in (HEEL, BALL, TOE)]
    found: Floats = np.array([above[mine].min() if mine.any() else UNSUPPORTED for mine in parts])
    return np.clip(found, 0.0, UNSUPPORTED)


def _stands_already(one: Standing, foot: Foot, ground: Ground, manner: Manner) -> Standing | None:
    """A stance that is right as it is, or nearly: what touches is, most of the time. None where it is not."""
    soles = foot.soles()[one.first : one.last + 1]
    frames = np.full(soles.shape[0] * soles.shape[1], one.at)
    up = np.array([0.0, 0.0, manner.look])
    hits = ground.below(soles.reshape(-1, 3) + up, frames, manner.look + manner.reach)
    above = (soles.reshape(-1, 3)[:, 2] - hits.places[:, 2]).reshape(soles.shape[:2])
    if not hits.found.all():
        return None
    kept = replace(one, thing=int(hits.things[0]), normal=_mean_normal(hits.normals), kept=True)
    kept = replace(kept, under=hits.places.mean(axis=0))
    lowest = above.min(axis=1)
    if np.abs(lowest).max() <= manner.tolerance:
        return kept
    if lowest.min() < -FAR or lowest.max() > FAR or _uneven(hits, kept.normal):
        return None
    for part in (HEEL, BALL):
        mine = above[:, foot.sole.part == part].min(axis=1)[one.held[:, part]]
        if len(mine) and abs(float(np.median(mine))) > NEARLY:
            return None
    return kept if one.held[:, :TOE].any() else None


def _mean_normal(normals: Floats) -> Floats:
    """Of normals [n, 3]."""
    found: Floats = normals.mean(axis=0)
    return found / np.linalg.norm(found)


def _uneven(hits: Hits, normal: Floats) -> bool:
    """Whether ground has an edge, or bends: where soles are put a hair aside, it is another."""
    off = (hits.places - hits.places.mean(axis=0)) @ normal
    return bool(np.abs(off).max() > EVEN)


class _Spot(NamedTuple):
    """A way to stand."""

    cost: float  # metres
    tilt: Floats  # [3, 3]
    way: Floats  # [3]
    gaps: Floats  # [P], of the sole to the ground
    thing: int
    normal: Floats  # [3]


def _touching(one: Standing, foot: Foot) -> Bools:
    """The points of the sole [P] that ever touch in a stance."""
    found: Bools = np.isin(foot.sole.part, np.flatnonzero(one.held.any(axis=0)))
    return found


def _bearing(one: Standing, foot: Foot) -> Bools:
    """The points of the sole [P] that bear a foot: all but a toe that can bend, unless it stands on that alone."""
    bends = (foot.sole.part == TOE) & foot.sole.on_toe
    return ~bends if one.held[:, :TOE].any() else np.ones(len(bends), np.bool_)


def _best(one: Standing, foot: Foot, ground: Ground, last: Last, manner: Manner) -> _Spot | None:
    """The best spot for a stance; None where there is no ground near."""
    spots = list(_spots(one, foot, ground, last, np.zeros(3), manner))
    best = min(spots, key=lambda each: each.cost, default=None)
    steps = np.arange(1, int(manner.shift / SHIFTS + 1e-6) + 1) * SHIFTS
    for far in np.stack([-steps, steps], axis=1).ravel() if best is None or best.cost > UNSUPPORTED else ():
        if best is None or FARTHER * abs(far) < best.cost:
            spots = list(_spots(one, foot, ground, last, far * _forward(one.sole, foot), manner))
            best = min([*([best] if best else []), *spots], key=lambda each: each.cost, default=None)
    return best


def _spots(one: Standing, foot: Foot, ground: Ground, last: Last, shift: Floats, manner: Manner) -> Iterator[_Spot]:
    """Ways to stand at one spot."""
    touching, bearing = _touching(one, foot), _bearing(one, foot)
    both = touching & bearing if len(one.base) else np.zeros(len(touching), np.bool_)
    about = one.sole[touching].mean(axis=0)
    way = shift + np.array([0.0, 0.0, last.level])
    reach = (1 + last.missed) * manner.reach
    first = _under(one.sole + way, one.at, ground, manner)
    if not first.found[touching].any() or (first.places[first.found, 2] > last.height + reach).any():
        return
    under = first.places[first.found & (bearing | touching)]
    slopes = [_fitted(under)]
    if np.abs(under[:, 2] - _plane(under)).max() > manner.tolerance:
        slopes.append(UP)  # an edge or a hole: rather level than on a slope that is none
    for normal in slopes:
        for own in (UP, _fitted(one.sole[both])):
            level_ground = normal[2] > np.cos(LEVEL)
            to_slope = np.eye(3) if level_ground else turns.upright_to(normal, manner.tilt)
            from_own = np.eye(3) if own[2] == 1.0 else turns.upright_to(own, manner.tilt).T
            tilt = to_slope @ from_own
            placed = (one.sole - about) @ tilt.T + about + way
            hits = _under(placed, one.at, ground, manner)
            there = hits.found & (hits.places[:, 2] > last.height - reach)
            if not (there & bearing).any() or (hits.places[hits.found, 2] > last.height + reach).any():
                continue
            above = np.where(there, placed[:, 2] - hits.places[:, 2], np.inf)
            sinks = above + np.where(bearing, 0.0, BENDS)
            lowest = int(sinks.argmin())
            gaps = above - sinks[lowest]
            parts = [touching & bearing & (foot.sole.part == part) for part in (HEEL, BALL, TOE)]
            hanging = [min(float(gaps[mine].min()), 0.1) for mine in parts if mine.any()]
            angle = float(np.arccos(np.clip(normal[2], -1.0, 1.0)))
            cost = sum(hanging) + STEEPER * angle
            cost += FARTHER * float(np.linalg.norm(shift)) + (0.0 if own[2] == 1.0 else UNEVEN)
            cost += HIGHER * max(0.0, abs(float(hits.places[lowest, 2]) - last.height) - 0.5 * manner.reach)
            down = np.array([0.0, 0.0, -sinks[lowest]])
            if len(one.base):
                heels = placed[foot.sole.part == HEEL] - BACK * _forward(placed, foot) + down
                behind = _under(heels, one.at, ground, manner)
                cost += float((behind.places[:, 2] - heels[:, 2]).max() > UNSUPPORTED) * UNSUPPORTED
                cost += float(_at_edge(placed + down, one, foot, ground, manner)) * 2.0 * UNSUPPORTED
            yield _Spot(cost, tilt, way + down, gaps, int(hits.things[lowest]), to_slope[:, 2])


def _at_edge(sole: Floats, one: Standing, foot: Foot, ground: Ground, manner: Manner) -> bool:
    """Whether a heel or ball of a sole [P, 3] that has ground has none right behind or before it: it would slip off."""
    ends = foot.sole.part != TOE
    ahead = np.where(foot.sole.part[ends] == HEEL, -EDGE, EDGE)[:, None] * _forward(sole, foot)
    there, beside = (_under(each, one.at, ground, manner) for each in (sole[ends], sole[ends] + ahead))
    hangs = [sole[ends, 2] - np.where(each.found, each.places[:, 2], -np.inf) for each in (there, beside)]
    return bool(((hangs[0] <= UNSUPPORTED) & (hangs[1] > UNSUPPORTED)).any())


def _under(places: Floats, frame: int, ground: Ground, manner: Manner) -> Hits:
    """The ground within reach of places [n, 3] on a frame."""
    up = np.array([0.0, 0.0, manner.look])
    return ground.below(places + up, np.full(len(places), frame), 2.0 * manner.look)


def _with_flat_toe(one: Standing, foot: Foot, ground: Ground, manner: Manner) -> Standing:
    """The same with its toe bent onto the ground, where it is in it, or above it and should not be."""
    bends = (foot.sole.part == TOE) & foot.sole.on_toe
    if foot.toe is None or not bends.any():
        return one
    hits = _under(one.sole[bends], one.at, ground, manner)
    above = one.sole[bends, 2] - hits.places[:, 2]
    touches = bool(one.held[:, TOE].any() and above.min() < 2.0 * UNSUPPORTED)
    if not hits.found.any() or -manner.tolerance <= above.min() <= (manner.tolerance if touches else np.inf):
        return one
    hinge = toes.hinge_of(foot, one.turn, _forward(one.sole, foot))
    heights = np.where(hits.found, hits.places[:, 2], -np.inf)
    bent = toes.bending(one.joint, hinge, one.sole[bends], heights, down=touches)
    sole = one.sole.copy()
    on_toe = foot.sole.on_toe
    sole[on_toe] = (sole[on_toe] - one.joint) @ bent.T + one.joint
    return replace(one, toe=bent @ one.toe, sole=sole)


def _fitted(places: Floats) -> Floats:
    """The upward unit normal [3] of the plane through places [n, 3], by heights; straight up for fewer than three."""
    if len(places) < 3:
        return UP
    off = places - places.mean(axis=0)
    slope, *_ = np.linalg.lstsq(off[:, :2], off[:, 2], rcond=1e-3)
    normal = np.array([-slope[0], -slope[1], 1.0])
    found: Floats = normal / np.linalg.norm(normal)
    return found


def _plane(places: Floats) -> Floats:
    """The heights [n] of the plane that fits places [n, 3]."""
    normal, middle = _fitted(places), places.mean(axis=0)
    found: Floats = middle[2] - (places[:, :2] - middle[:2]) @ normal[:2] / normal[2]
    return found


def _forward(sole: Floats, foot: Foot) -> Floats:
    """From heel to ball, level [3]."""
    way = sole[foot.sole.part != HEEL].mean(axis=0) - sole[foot.sole.part == HEEL].mean(axis=0)
    way[2] = 0.0
    found: Floats = way / max(float(np.linalg.norm(way)), 1e-9)
    return found


def _why(one: Standing, ground: Ground, last: Last, manner: Manner) -> str:
    """Why a stance has no place."""
    middle = one.sole.mean(axis=0)[None]
    middle[:, 2] = last.height + 10.0 * manner.look
    high = ground.below(middle, np.array([one.at]), 20.0 * manner.look)
    if not high.found[0]:
        return "there is no ground under it"
    way = float(high.places[0, 2] - last.height)
    return f"the ground is {100 * abs(way):.0f} cm {'higher' if way > 0 else 'lower'} than at the step before"
