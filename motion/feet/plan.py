"""A clip's feet put onto a ground: where feet, toes and pelvis are to be on every frame."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ...solvers.rotation import Floats
from . import hips, keeping, rolling, spots, stances, swings
from .carrying import Carrying
from .contacts import runs
from .ground import Ground
from .spots import Last, Manner
from .stances import Standing
from .swings import Way
from .walk import BALL, Body, Bools, Foot, Walk

LOOK = 1.2  # legs above a foot, a little above the hips: who walks there has no ceiling lower than that
HAIR = 0.0003  # metres: so much nearer than what is right a sole is put, that it is right when it is looked at again
FLIGHT = 0.25  # seconds that a jump takes at least; who runs is in the air for less


class Settings(NamedTuple):
    """How feet are placed. Lengths in metres of the world."""

    tilt: float = 0.52  # radians that a foot is turned at most to lie on a slope
    shift: float = 0.16  # how far a contact may be moved to stand better: on a stair
    step: float = 0.7  # as a part of the leg: ground that is higher or lower from step to step is out of reach
    clearance: float = 0.01  # that a swinging foot keeps from the ground, where the source does
    blend: float = 0.1  # seconds in which a foot is let go of
    tolerance: float = 0.0045  # that a sole may be above or under the ground before anything is changed


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
    outline: Floats  # [P, 3], the sole as it stands
    thing: int  # of the ground; -1 where the source was kept


@dataclass(frozen=True, eq=False)
class FootPlan:
    """What one foot is to do."""

    ankle: Body  # the foot's bone
    toe: Body | None
    held: Bools  # [F, 3], which parts of the sole touch the ground, as planned


@dataclass(frozen=True, eq=False)
class Plan:
    """What a clip is to do on a ground."""

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
    legs = [float(foot.leg().max()) for foot in walk.feet]
    reach = settings.step * max(legs, default=0.85)
    look = LOOK * max(legs, default=0.85)
    manner = Manner(settings.tilt, settings.shift, reach, look, settings.tolerance)
    found, carrying = _stand(walk, contacts, ground, manner)
    carried = carrying.walk
    blend = max(1, round(settings.blend / walk.seconds))
    ways, troubles = list[Way](), list[Trouble]()
    for index, (foot, stood) in enumerate(zip(carried.feet, found, strict=True)):
        way = _way(carrying, index, stood, ground, blend, manner)
        own = _own_ground(foot, stood)
        kept = _frames(len(foot.hip), stood, lambda one: bool(one.trouble))
        right = _frames(len(foot.hip), stood, lambda one: one.kept)
        stuck = swings.clear(way, ground, own, settings.clearance, look, blend, kept, right)
        troubles += [Trouble(frame, foot.name, "it cannot swing clear of the ground") for frame in stuck]
        troubles += [Trouble(one.first, foot.name, one.trouble) for one in stood if one.trouble]
        if not stood:
            troubles.append(Trouble(0, foot.name, "no contact was found, so it stays as it is"))
        ways.append(way)
    moved = [swings.constant(way, stood) for way, stood in zip(ways, found, strict=True)]
    pelvis, cannot = hips.follow(
        moved,
        [foot.hip for foot in carried.feet],
        [foot.ankle.places for foot in carried.feet],
        [way.places for way in ways],
        legs,
        walk.seconds,
    )
    for first, _ in runs(cannot):
        troubles.append(Trouble(first, "", "the legs are too short for both feet"))
    feet = [_foot_plan(way, stood) for way, stood in zip(ways, found, strict=True)]
    troubles += [
        Trouble(first, "", "no foot is on the ground, so it flies as in the clip")
        for first in _flights(contacts, max(1, round(FLIGHT / walk.seconds)))
    ]
    places = [
        Stance(index, one.first, one.last, one.sole, one.thing) for index, each in enumerate(found) for one in each
    ]
    return Plan(feet, Body(carried.pelvis.places + pelvis, carried.pelvis.turns), places, sorted(troubles))


def _stand(
    walk: Walk, contacts: Sequence[Bools], ground: Ground, manner: Manner
) -> tuple[list[list[Standing]], Carrying]:
    """The stances of each foot on the ground, found in the order of time: each looks for ground near the last one's."""
    carrying, before = Carrying(walk, ground), None
    found: list[list[Standing]] = [[] for _ in walk.feet]
    begun = [
        (first, last, index)
        for index, held in enumerate(contacts)
        for first, last in runs(np.asarray(held.any(axis=1)))
    ]
    for first, last, index in sorted(begun):
        carrying.onto(index, first, last, manner.look)
        foot = carrying.seen_from_ground(index, stances.middle_of(first, last), first, last)
        one = stances.standing(foot, contacts[index], first, last)
        before = before or Last(0.0, float(one.sole[:, 2].min()))
        one = spots.put_on(one, foot, ground, before, manner)
        if one.trouble:
            up = np.array([0.0, 0.0, before.level])
            before = replace(before, missed=before.missed + 1)
            one = replace(
                one, moved=up, place=one.place + up, joint=one.joint + up, sole=one.sole + up, held=one.held & False
            )
        else:
            before = Last(float(one.moved[2]), float(one.sole[:, 2].min()))
        found[index].append(one)
    return found, carrying


def _way(carrying: Carrying, index: int, stood: Sequence[Standing], ground: Ground, blend: int, manner: Manner) -> Way:
    """A foot in its stances, and what it does between them."""
    foot = carrying.walk.feet[index]
    count = len(foot.hip)
    toes = foot.ankle.turns if foot.toe is None else foot.toe.turns
    way = Way(foot, foot.ankle.places.copy(), foot.ankle.turns.copy(), toes.copy(), np.zeros(count, np.bool_))
    fore, kept, held = np.zeros(count, np.bool_), np.zeros(count, np.bool_), np.zeros((count, 3), np.bool_)
    for one in stood:
        here = slice(one.first, one.last + 1)
        way.stands[here] = True
        if one.trouble:
            way.places[here] += one.moved
            continue
        seen = carrying.seen_from_ground(index, one.at, one.first, one.last)
        if one.kept:
            body, bent = keeping.kept(one, seen, blend, manner.tolerance - HAIR)
        else:
            body, bent = rolling.rolled(one, seen, blend)
        gone = carrying.since(one.at, one.first, one.last)
        way.places[here] = np.einsum("fij,fj->fi", gone[:, :3, :3], body.places) + gone[:, :3, 3]
        way.turns[here], way.toes[here] = gone[:, :3, :3] @ body.turns, gone[:, :3, :3] @ bent
        fore[here], kept[here], held[here] = one.held[:, BALL:].any(axis=1), one.kept, one.held
    swings.fill(way, blend)
    swings.fill_toes(way, fore, kept, blend)
    swings.bend_toes(way, ~fore & ~kept, ground, manner.look)
    keeping.put_within(way, held, kept, ground, manner.look, manner.tolerance - HAIR, blend)
    return way


def _frames(count: int, stood: Sequence[Standing], which: Callable[[Standing], bool]) -> Bools:
    """The frames [F] of some stances."""
    found: Bools = np.zeros(count, np.bool_)
    for one in stood:
        found[one.first : one.last + 1] = which(one)
    return found


def _flights(contacts: Sequence[Bools], frames: int) -> list[int]:
    """Where jumps begin: neither foot touches the ground for so many frames, but before or after it does."""
    held = np.any([each.any(axis=1) for each in contacts], axis=0) if contacts else np.zeros(0, np.bool_)
    return [first for first, last in runs(~held) if frames <= last - first + 1 < len(held)]


def _own_ground(foot: Foot, stood: Sequence[Standing]) -> Floats:
    """The height of the source's own ground under a foot [F]: of its stances, and between them of both."""
    count = len(foot.hip)
    if not stood:
        return np.full(count, float(foot.soles()[..., 2].min()))
    frames = [frame for one in stood for frame in (one.first, one.last)]
    heights = [float(one.sole[:, 2].min() - one.moved[2]) for one in stood for _ in range(2)]
    found: Floats = np.interp(np.arange(count), frames, heights)
    return found


def _foot_plan(way: Way, stood: Sequence[Standing]) -> FootPlan:
    foot = way.foot
    held = np.zeros((len(foot.hip), 3), np.bool_)
    for one in stood:
        held[one.first : one.last + 1] = one.held
    if foot.toe is None:
        return FootPlan(Body(way.places, way.turns), None, held)
    joint = swings.joint_of(way, np.arange(len(foot.hip)))
    return FootPlan(Body(way.places, way.turns), Body(joint, way.toes), held)
