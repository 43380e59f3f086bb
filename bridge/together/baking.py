"""A bake of characters that hold each other: frames on which they do are solved as one, the others one by one.

Each has a sampler of its own, which says what is asked of it and how it would be posed without goals. What is solved as
one is handed back to each in terms of its own rig, so that keys are made and written as for any character.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import bpy
import numpy as np

from ...solvers import Goal, Loop
from ...solvers.rotation import Floats
from .. import asked
from .. import rig as rigs
from ..baking import solving
from ..baking.sampling import Company, Sampler
from ..baking.solving import Manner, Solved
from ..baking.spans import Point, Span, kind_of
from ..relations import taking_part
from ..relations.taking_part import Related
from . import partners, posing
from .joining import named
from .posing import Group


class _Share(NamedTuple):
    """What one of them asks for on a frame."""

    rows: tuple[int, ...]
    related: tuple[int, ...]
    goals: tuple[Goal, ...]  # of both, in the joined tree


class _Joint(NamedTuple):
    """A frame on which some are one."""

    who: tuple[int, ...]  # which of them, the first one leading
    group: Group
    shares: tuple[_Share, ...]
    unit: float
    copied: Floats | None

    def goes_with(self, other: "_Joint") -> bool:
        """Whether a span can have both."""
        if (self.who, self.group) != (other.who, other.group) or (self.copied is None) != (other.copied is None):
            return False
        copied = [np.isfinite(one.copied) for one in (self, other) if one.copied is not None]
        if copied and (copied[0] != copied[1]).any():
            return False
        return all(
            (one.rows, one.related) == (two.rows, two.related)
            and all(kind_of(a) == kind_of(b) for a, b in zip(one.goals, two.goals, strict=True))
            for one, two in zip(self.shares, other.shares, strict=True)
        )


class Samplers:
    """Looks at one frame after the other for all of them."""

    def __init__(self, things: Sequence[bpy.types.Object]) -> None:
        self.things = tuple(things)
        self.each = [Sampler(one) for one in things]
        self._related: list[Related | None] = [None] * len(things)
        self._frames: list[int] = []
        self._joints: list[list[_Joint]] = []  # by frame

    @property
    def troubles(self) -> dict[str, str]:
        """Why goals and relations were left out, by their names."""
        return {name: why for one in self.each for name, why in one.troubles.items()}

    def held(self) -> set[int]:
        """Which of them were one with others on any frame."""
        return {index for many in self._joints for one in many for index in one.who}

    def look(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, frame: int) -> None:
        """Go to a frame and take it down."""
        scene.frame_set(frame)
        together = self._together(depsgraph, frame)
        for one in self.each:
            one.look_here(depsgraph, frame)
        self._frames.append(frame)
        at = len(self._frames) - 1
        self._joints.append([self._joint(depsgraph, at, who) for who in together])

    def _together(self, depsgraph: bpy.types.Depsgraph, frame: int) -> list[tuple[int, ...]]:
        """Who is one with whom on the frame that is there, if any of their goals asks for anything."""
        found, done = list[tuple[int, ...]](), set[int]()
        for index, thing in enumerate(self.things):
            things = () if index in done else partners.group(thing, self.things)
            who = tuple(self.things.index(one) for one in things)
            done |= {index, *who}
            pulled = partners.bones_held(things)
            for one in who:
                self.each[one].company[frame] = Company(things, pulled[self.things[one].session_uid])
            if who and not any(self.each[one].asked(depsgraph, frame)[0] for one in who):
                for one in who:
                    del self.each[one].company[frame]
            elif who:
                found.append(who)
        return found

    def _joint(self, depsgraph: bpy.types.Depsgraph, at: int, who: tuple[int, ...]) -> _Joint:
        """What is asked of some of them as one, on the frame that is there."""
        things, frame = [self.things[one] for one in who], self._frames[at]
        seen = [self.each[one].seen(at) for one in who]
        kept = [one.kept for one in seen if one.kept is not None]
        group = posing.group_of(things, kept, depsgraph)
        rests = [
            rigs.values(its.rig, self.each[one].rests(its_seen.now))
            for one, its, its_seen in zip(who, kept, seen, strict=True)
        ]
        shares = list[_Share]()
        wheres = posing.settings(group, things, depsgraph, group.joined.together(rests))
        for one, where in zip(who, wheres, strict=True):
            goals = [(wish.row, asked.goal_of(where, wish)) for wish in self.each[one].asked(depsgraph, frame)[0]]
            real = [(row, goal) for row, goal in goals if goal is not None]
            self._related[one] = related = taking_part.of(self.things[one], self._related[one])
            tied = related.made(where)
            stored = self.each[one].character.posewright_relations
            self.each[one].troubles |= {stored[row].name: why for row, why in tied.troubles.items()}
            shares.append(_Share(tuple(row for row, _ in real), tied.rows, (*(goal for _, goal in real), *tied.goals)))
        copied = posing.copied_of(group.joined, [one.copied for one in seen])
        return _Joint(who, group, tuple(shares), asked.world_unit(wheres[0]), copied)

    def spans(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Generator[int, None, list[list[Span]]]:
        """The frames of each. Yields how many are done."""
        found = list[list[Span]]()
        for one in self.each:
            spans = yield from one.spans(scene, depsgraph)
            found.append(spans)
        for at, joints in enumerate(self._joints):
            for place, joint in enumerate(joints):
                rigs_now = [self.each[one].seen(at).kept for one in joint.who]
                if any(
                    kept is None or kept.rig is not part
                    for kept, part in zip(rigs_now, joint.group.joined.parts, strict=True)
                ):
                    scene.frame_set(self._frames[at])  # a rig was read anew
                    joints[place] = self._joint(depsgraph, at, joint.who)
        return found

    def solve(self, spans: Sequence[Sequence[Span]], manner: Manner) -> Generator[float, None, list[list[Solved]]]:
        """Solve all frames. Yields how many are done; returns the frames of each of them, in their order."""
        found = [list[tuple[int, Solved]]() for _ in self.each]  # with the place of the first frame of each
        count = 0
        for begin, end, joint in self._runs():
            lead = self.each[joint.who[0]].character
            for part in self._pieces(spans, begin, end, joint):
                solved = yield from _counted(solving.solve(lead, [part.span], manner), count)
                count += len(part.span.frames)
                for index, one in enumerate(joint.who):
                    found[one] += self._handed_back(part, solved, index, spans[one])
        for one in sorted(self.held() | {0}):  # others are none of its business
            sampler = self.each[one]
            for begin, row in self._alone(one, spans[one]):
                solved, at = (yield from _counted(solving.solve(sampler.character, row, manner), count)), begin
                for each in solved:
                    found[one].append((at, each))
                    at += len(each.span.frames)
                count += at - begin
        return [[each for _, each in sorted(many, key=lambda pair: pair[0])] for many in found]

    def _runs(self) -> list[tuple[int, int, _Joint]]:
        """Frames in a row, from one place to another, that are solved as one in the same way."""
        found = list[tuple[int, int, _Joint]]()
        for at, joints in enumerate(self._joints):
            for joint in joints:
                place = next(
                    (
                        n
                        for n, (_, end, last) in enumerate(found)
                        if end == at and self._last(at - 1, last).goes_with(joint)
                    ),
                    -1,
                )
                if place < 0:
                    found.append((at, at + 1, joint))
                else:
                    found[place] = found[place][0], at + 1, found[place][2]
        return found

    def _last(self, at: int, joint: _Joint) -> _Joint:
        return next((one for one in self._joints[at] if one.who == joint.who), joint)

    def _pieces(self, spans: Sequence[Sequence[Span]], begin: int, end: int, joint: _Joint) -> "list[_Piece]":
        """The frames from one place to another as spans of the joined rig, none across a span of one's own."""
        cuts = {begin, end}
        for one in joint.who:
            at = 0
            for span in spans[one]:
                at += len(span.frames)
                cuts |= {at} if begin < at < end else set()
        places = sorted(cuts)
        return [self._piece(spans, a, b, joint) for a, b in pairwise(places)]

    def _piece(self, spans: Sequence[Sequence[Span]], begin: int, end: int, joint: _Joint) -> "_Piece":
        own = [_cut(spans[one], begin, end) for one in joint.who]
        joints = [self._last(at, joint) for at in range(begin, end)]
        shares = joint.shares
        copied = [one.copied for one in joints if one.copied is not None]
        span = Span(
            own[0].frames,
            own[0].rests,
            joint.group.kept,
            tuple(row for share in shares for row in share.rows),
            tuple(row for share in shares for row in share.related),
            [tuple(goal for share in one.shares for goal in share.goals) for one in joints],
            joint.group.joined.together([one.settles for one in own]),
            np.array([one.unit for one in joints]),
            np.array(copied) if copied else None,
        )
        return _Piece(begin, span, joints, joint.group)

    def _handed_back(
        self, piece: "_Piece", solved: Sequence[Solved], index: int, own: Sequence[Span]
    ) -> list[tuple[int, Solved]]:
        """What was solved as one, as one's own."""
        found, at = list[tuple[int, Solved]](), piece.begin
        shares = piece.joints[0].shares
        first = sum(len(share.goals) for share in shares[:index])
        mine = slice(first, first + len(shares[index].goals))
        for one in solved:
            end = at + len(one.span.frames)
            joints = piece.joints[at - piece.begin : end - piece.begin]
            span = replace(
                _cut(own, at, end),
                rows=shares[index].rows,
                related=shares[index].related,
                units=one.span.units,
                pulled=self._points(piece.group, index, joints[0]),
            )
            goals = [
                (*own_goals, *joint.shares[index].goals[len(shares[index].rows) :])
                for own_goals, joint in zip(span.goals, joints, strict=True)
            ]
            q = piece.group.joined.own(one.q, index)
            found.append((at, Solved(replace(span, goals=goals), q, one.errors[:, mine])))
            at = end
        return found

    def _points(self, group: Group, index: int, joint: _Joint) -> tuple[tuple[str, Point], ...]:
        """The joints of one that loops hold, and the points of these, in the terms of its own rig."""
        joined, before = group.joined, named(group.joined.names[index], "")
        size = joined.views[index].scale / joined.parts[index].scale
        loops = [goal for share in joint.shares for goal in share.goals if isinstance(goal, Loop)]
        ends = [end for one in loops for end in ((one.first, one.point), (one.second, one.other))]
        return tuple(
            (name.removeprefix(before), tuple((np.asarray(point, float) / size).tolist()))
            for name, point in ends
            if name.startswith(before)
        )

    def _alone(self, one: int, spans: Sequence[Span]) -> list[tuple[int, list[Span]]]:
        """The frames of one that are not solved with others: rows of spans, with the place where each row begins."""
        found, last, at = list[tuple[int, list[Span]]](), -1, 0
        for span in spans:
            inside = [any(one in joint.who for joint in joints) for joints in self._joints[at : at + len(span.frames)]]
            changes = [n for n in range(1, len(inside)) if inside[n] != inside[n - 1]]
            for begin, end in pairwise([0, *changes, len(inside)]):
                if inside[begin]:
                    continue
                if last != at + begin:
                    found.append((at + begin, []))
                found[-1][1].append(span.part(begin, end))
                last = at + end
            at += len(span.frames)
        return found


class _Piece(NamedTuple):
    """A span of the joined rig."""

    begin: int  # the place of its first frame
    span: Span
    joints: list[_Joint]  # [F]
    group: Group


def _cut(spans: Sequence[Span], begin: int, end: int) -> Span:
    """The frames from one place to another, which are in one span."""
    at = 0
    for span in spans:
        if at <= begin < at + len(span.frames):
            return span.part(begin - at, end - at)
        at += len(span.frames)
    raise AssertionError("all frames are in spans")


def _counted(going: Generator[float, None, list[Solved]], before: int) -> Generator[float, None, list[Solved]]:
    while True:
        try:
            done = next(going)
        except StopIteration as end:
            found: list[Solved] = end.value
            return found
        yield before + done
