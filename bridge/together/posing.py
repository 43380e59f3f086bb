"""Live posing of characters that hold each other: one solve, and every one of them gets its part of the pose.

What is stored of a character is its own: goals, reference, the pose as live posing left it. Which goals ask is stored
with each for all of them: when that changes for one, the pose that is there becomes the reference of all. How it is
solved is what the first of them says. What is kept here only saves time, as in `bridge.standing`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ... import properties
from ...properties import Character
from ...solvers import Goal
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import asked, live, outcome, places, reference, searching, source_posture, standing
from .. import rig as rigs
from ..asked import Setting, Wish
from ..channels import Channels
from ..outcome import Outcome
from ..pelvis import Movers
from ..relations.taking_part import Made
from ..searching import Elsewhere
from ..standing import Kept, Standing
from . import joining, partners
from .joining import Joined, named


class When(NamedTuple):
    """Why it is solved; as for `live.update`."""

    depsgraph: bpy.types.Depsgraph | None
    new_frame: bool
    itself: bool
    elsewhere: Elsewhere | None
    requested: bool


@dataclass(eq=False)
class Group:
    """What is kept of characters that hold each other, with the first of them."""

    joined: Joined
    kept: Kept  # of the joined rig
    settled: list[Floats] = field(default_factory=list)  # the references that its own is made of


class _Member(NamedTuple):
    """One of them before a solve."""

    thing: bpy.types.Object
    character: Character
    wishes: list[Wish]
    stands: Standing


class _Asks(NamedTuple):
    """What one of them asks for, in the joined tree."""

    goals: dict[int, Goal | None]  # by row
    tied: Made

    @property
    def real(self) -> list[Goal]:
        """Those that have influence, and relations."""
        return [*(goal for goal in self.goals.values() if goal is not None), *self.tied.goals]


def update(armature_object: bpy.types.Object, things: Sequence[bpy.types.Object], when: When) -> Outcome:
    """Solve characters as one and write their poses, if goals of any ask for anything. Returns the outcome of one."""
    begun = time.perf_counter()
    asking = [wishes(thing, things, when.depsgraph) for thing in things]
    key = key_of(things, asking)
    if not key and when.requested:
        key = standing.ALONE
    if not key:
        nothing = [live.asks_nothing(*one, when.new_frame) for one in zip(things, asking, strict=True)]
        return nothing[list(things).index(armature_object)]
    # While a goal is dragged, nobody can change the settings of bones: 0.1 ms of looking at them are saved.
    trusting = not when.itself or any(one.goal.dragged for many in asking for one in many)
    pulled = partners.bones_held(things)
    members = [
        _Member(
            thing,
            properties.character(thing),
            own,
            standing.stand(thing, when.depsgraph, own, key, when.new_frame, trusting, pulled[thing.session_uid]),
        )
        for thing, own in zip(things, asking, strict=True)
    ]
    group = group_of([one.thing for one in members], [one.stands.kept for one in members], when.depsgraph)
    _settle(group, members)
    found = _solve(group, members, when)
    for one, told in zip(members, found, strict=True):
        standing.anchor(one.character, key)
        told.milliseconds = 1000.0 * (time.perf_counter() - begun)
        outcome.note(one.thing, told)
    return found[list(things).index(armature_object)]


def wishes(
    thing: bpy.types.Object, things: Sequence[bpy.types.Object], depsgraph: bpy.types.Depsgraph | None
) -> list[Wish]:
    """What a character's goals ask for. Those that would follow one of the others run after their own answer."""
    found = asked.wishes(thing, depsgraph)
    return [one if one.trouble else refused(one, thing, things) for one in found]


def refused(wish: Wish, thing: bpy.types.Object, things: Sequence[bpy.types.Object]) -> Wish:
    """The same wish, or why it cannot be had: it is after one of the others, which the answer moves."""
    goal = wish.goal
    follows = goal.state == "FOLLOWING" and not goal.dragged
    target, bone = (goal.target, goal.target_bone) if follows else (goal.space_object, goal.space_bone)
    if target is None or not (follows or goal.space == "OBJECT"):
        return wish
    for other in things:
        if other != thing:
            try:
                places.refuse_own_body(other, target, bone)
            except PosewrightError:
                why = f"{target.name!r} moves with {other.name!r}, which is held together with it"
                return wish._replace(trouble=why)
    return wish


def key_of(things: Sequence[bpy.types.Object], asking: Sequence[Sequence[Wish]]) -> str:
    """Which goals ask for something, of all; empty where none does."""
    keys = [standing.key_of(own) for own in asking]
    return "|".join(f"{thing.name}>{key}" for thing, key in zip(things, keys, strict=True)) if any(keys) else ""


def group_of(things: Sequence[bpy.types.Object], kept: Sequence[Kept], depsgraph: bpy.types.Depsgraph | None) -> Group:
    """Their rigs as one: what was kept, while rigs, places and what may move are the same."""
    lead, names, parts = kept[0], [one.name for one in things], [one.rig for one in kept]
    worlds = [
        places.world_matrix(thing, depsgraph) @ Matrix.Scale(1.0 / one.scale, 4)
        for thing, one in zip(things, parts, strict=True)
    ]
    known = lead.together if isinstance(lead.together, Group) else None
    fits = known is not None and known.joined.fits(names, parts, worlds)
    if known is not None and fits and known.kept.free == _free(names, kept):
        return known
    joined = known.joined if known is not None and fits else joining.join(names, parts, worlds)
    bones = frozenset(named(name, bone) for name, one in zip(names, kept, strict=True) for bone in one.bones)
    stay = frozenset(named(name, bone) for name, one in zip(names, kept, strict=True) for bone in one.moves.staying)
    moves = Movers(frozenset(), stay)
    found = Group(joined, Kept(lead.signature, moves, joined.rig, joined.rig, bones, _free(names, kept)))
    lead.together = found
    return found


def _free(names: Sequence[str], kept: Sequence[Kept]) -> frozenset[str] | None:
    """The bones that modes let move; None for all."""
    if all(one.free is None for one in kept):
        return None
    own = [one.rig.bones if one.free is None else one.free for one in kept]
    return frozenset(named(name, bone) for name, bones in zip(names, own, strict=True) for bone in bones)


def _settle(group: Group, members: Sequence[_Member]) -> None:
    """Have all references in the terms of the rigs."""
    frames = [(row, one.frame) for member in members for row, one in enumerate(member.wishes)]
    edited = any(one.stands.edited.any() for one in members)
    moved = bool(not edited and group.kept.frames and group.kept.frames != frames)
    for one in members:
        kept, now, _, aim, changed = one.stands
        let_go = moved and bool(aim.held.any())
        if let_go:
            aim.settle()  # what was turned by hand was held against goals that stood still; now they move
            reference.store(one.character, aim)
        standing.settle(kept, aim, now, bool(changed.any()) or let_go)
    group.kept.frames = frames
    settled = [one.stands.kept.settles for one in members]
    if len(group.settled) != len(settled) or any(a is not b for a, b in zip(group.settled, settled, strict=True)):
        group.settled, group.kept.settles = settled, group.joined.together(settled)


def settings(
    group: Group, things: Sequence[bpy.types.Object], depsgraph: bpy.types.Depsgraph | None, settles: Floats
) -> list[Setting]:
    """Where each of them stands, in the joined tree."""
    joined = group.joined
    where = asked.setting(things[0], depsgraph, joined.views[0], settles)
    others = {thing.session_uid: view for thing, view in zip(things, joined.views, strict=True)}
    return [
        where._replace(character=thing, rig=view, others=others)
        for thing, view in zip(things, joined.views, strict=True)
    ]


def _solve(group: Group, members: Sequence[_Member], when: When) -> Sequence[Outcome]:
    joined, kept, lead, new_frame = group.joined, group.kept, members[0].character, when.new_frame
    wheres = settings(group, [one.thing for one in members], when.depsgraph, kept.settles)
    asks = [_asks(where, one) for where, one in zip(wheres, members, strict=True)]
    held = np.concatenate([rigs.variables_of(one.stands.kept.rig, one.stands.aim.held) for one in members]) | kept.stays
    copied = copied_of(joined, [_copied(one, when.depsgraph) for one in members])
    posture = b"" if copied is None else copied.tobytes()
    troubles = [live.troubles_of(one.wishes) for one in members]
    what = asks, troubles, live.settings_of(lead), kept.settles.tobytes(), held.tobytes(), posture
    last = standing.last_said(kept, [one.thing for one in members])
    solved = kept.solved == (*what, *_poses([one.stands.now for one in members]))
    if solved and last and when.elsewhere is None and (kept.from_reference or not new_frame):
        return last
    start = kept.settles if new_frame else joined.together([one.stands.start for one in members])
    real = [goal for one in asks for goal in one.real]
    if when.elsewhere is None:
        result = searching.nearest(lead, kept, real, kept.settles, start, held, new_frame, copied)
    else:
        result = searching.another(lead, kept, real, start, ~(kept.stays | kept.fixed), when.elsewhere)
    settled = not new_frame and np.abs(result.q - start).max(initial=0.0) < searching.SETTLED
    found, after = list[Outcome](), list[Channels]()
    first = 0
    for index, (one, own) in enumerate(zip(members, asks, strict=True)):
        its, now, begun, aim, _ = one.stands
        q = begun if settled else joined.own(result.q, index)
        left, changed = live.write(one.character, its, now, aim, q, settled, when.elsewhere is not None, new_frame)
        its.left, its.from_reference, its.solved = (left, q if changed or new_frame else begun), new_frame, ()
        after.append(left)
        unit, whose = asked.world_unit(wheres[index]), (first, named(joined.names[index], ""))
        found.append(live.outcome_of(unit, own.goals, own.tied, troubles[index], result, changed, its.free, whose))
        first += len(own.real)
    kept.from_reference = new_frame
    kept.solved = (*what, *_poses(after)) if when.elsewhere is None else ()
    kept.answers = tuple(found)
    return found


def _asks(where: Setting, one: _Member) -> _Asks:
    goals = {wish.row: asked.goal_of(where, wish) for wish in one.wishes if not wish.trouble}
    return _Asks(goals, one.stands.kept.related.made(where))


def _copied(one: _Member, depsgraph: bpy.types.Depsgraph | None) -> Floats | None:
    return source_posture.wanted(one.thing, one.wishes, one.stands.kept.rig, one.stands.now, depsgraph)


def copied_of(joined: Joined, own: Sequence[Floats | None]) -> Floats | None:
    """Where joints are that take after a source [V], NaN for others; None where none do."""
    if all(one is None for one in own):
        return None
    counts = [len(part.tree.variables) for part in joined.parts]
    return joined.together([np.full(n, np.nan) if one is None else one for n, one in zip(counts, own, strict=True)])


def _poses(channels: Sequence[Channels]) -> list[bytes]:
    return [part for one in channels for part in (one.location.tobytes(), one.turned.tobytes())]
