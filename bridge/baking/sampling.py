"""What is asked of a character on each frame of a range, and the pose it would have without goals.

Every frame is taken as live posing takes it when one scrubs there: from the stored reference, whatever the frame
before. So what is baked is what was seen. While frames are stepped through, only what Blender has is noted; what is
made of that is made of many frames at once.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ... import properties
from ...properties import Character
from ...solvers import Goal
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import (
    animated,
    asked,
    channels,
    modes,
    places,
    pose,
    reference,
    source_posture,
    standing,
    watch,
)
from .. import rig as rigs
from ..asked import Setting, Wish
from ..channels import Channels
from ..places import Frame
from ..reference import Reference
from ..relations import taking_part
from ..rig import Rig
from ..standing import Kept
from ..together.posing import refused
from . import spans, what_stays
from .spans import Span, kind_of

MANY = 100  # frames that are looked at together: some 5 ms


class _Seen(NamedTuple):
    """A frame as it was seen."""

    frame: int
    now: Channels
    kept: Kept | None = None
    read: bool = True  # whether the rig was looked at on this very frame; else it is the last one, and may not fit
    rows: tuple[int, ...] = ()
    related: tuple[int, ...] = ()
    goals: tuple[Goal, ...] = ()
    unit: float = 1.0
    copied: Floats | None = None  # [variables], where joints are that take after a source, NaN for others

    @property
    def takes_after(self) -> bytes:
        """Which variables do."""
        return b"" if self.copied is None else np.isfinite(self.copied).tobytes()

    def goes_with(self, last: "_Seen") -> bool:
        """Whether a span can have both."""
        return (
            self.kept is last.kept
            and (self.rows, self.related) == (last.rows, last.related)
            and self.takes_after == last.takes_after
            and all(one is two or kind_of(one) == kind_of(two) for one, two in zip(self.goals, last.goals, strict=True))
            and self.now.mode.tobytes() == last.now.mode.tobytes()
        )


class _Who(NamedTuple):
    """Who asks on a frame."""

    bones: frozenset[str]
    free: frozenset[str] | None  # the bones that the mode lets move; None for all
    partly: bool  # whether a goal asks for a part of the way from the reference, or a relation looks at it


class Company(NamedTuple):
    """The characters that one is solved together with on a frame, as one tree."""

    things: tuple[bpy.types.Object, ...]  # itself included
    pulled: frozenset[str]  # its bones by which others hold it


@contextmanager
def stepping(character: bpy.types.Object, scene: bpy.types.Scene, *partners: bpy.types.Object) -> Iterator[None]:
    """Go through frames, and have frame and poses afterwards as they were, to the last bit.

    Meanwhile the character and its partners are not solved; others are, which their goals may follow.
    """
    frame, part = scene.frame_current, scene.frame_subframe
    posed = [one for one in scene.objects if one.pose is not None and len(properties.character(one).posewright_goals)]
    before = [(_by_name(one), channels.read(one)) for one in {character, *partners, *posed}]
    try:
        with watch.leaving_out(character, *partners):
            yield
    finally:
        with watch.undisturbed():
            scene.frame_set(frame, subframe=part)
        for name, there in before:
            thing: bpy.types.Object | None = bpy.data.objects.get(name)
            if thing is not None and thing.pose is not None and len(thing.pose.bones) == len(there.mode):
                pose.put(thing, channels.read(thing), there)


def _by_name(thing: bpy.types.Object) -> tuple[str, str | None]:
    """What finds an object again, where a linked one may have the same name."""
    return thing.name, thing.library.filepath if thing.library else None


class Sampler:
    """Looks at one frame after the other, then makes spans of them."""

    def __init__(self, armature_object: bpy.types.Object) -> None:
        self.character: Character = properties.character(armature_object)
        now = channels.read(armature_object)
        self._aim = self._reference(now)
        self._animated = animated.of(armature_object)
        self._steady = what_stays.rig_stays(armature_object)
        self._still = what_stays.bones_stay(armature_object)
        self._goals_stay = what_stays.goals_stay(armature_object)
        self._seen: list[_Seen] = []
        self._kept: Kept | None = None  # the rig of the last frame that had goals
        self._stood = Matrix()  # where the character was then
        self._where: Setting | None = None
        self._wishes: list[tuple[Matrix, Wish]] = []  # of the last frame, and where they were seen from, if goals stay
        self._who: _Who | None = None
        self._related = taking_part.of(armature_object)
        self._goals: dict[int, tuple[Frame, Setting, Goal | None]] = {}  # by row: what each was made of, and that
        self.troubles: dict[str, str] = {}  # why goals were left out, by their names
        self.company: dict[int, Company] = {}  # by frame: with whom it is solved as one there

    def _reference(self, now: Channels) -> Reference:
        """The stored reference; if no goal was solved since it was stored, the pose that is there."""
        found = reference.stored(self.character)
        return found if found is not None and self.character.posewright_anchor else reference.of_pose(now)

    def look_here(self, depsgraph: bpy.types.Depsgraph, frame: int) -> None:
        """Take down the frame that is there."""
        self._seen.append(self._take_down(depsgraph, frame))

    def seen(self, at: int) -> _Seen:
        """A frame that was looked at, by its place among them."""
        return self._seen[at]

    def spans(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Generator[int, None, list[Span]]:
        """All frames that were looked at. Yields how many are done.

        To a frame that the rig of those before cannot show, a bone being beyond its limits, it goes back and reads the
        rig anew.
        """
        seen, pieces, at = self._seen, list[list[Span]](), 0
        while at < len(seen):
            end = at + 1
            while end < min(at + MANY, len(seen)) and seen[end].goes_with(seen[at]):
                end += 1
            piece, fitting = self._span(seen[at:end])
            if not fitting:
                self._read_again(scene, depsgraph, at)
                continue
            if at == 0 or not seen[at].goes_with(seen[at - 1]):
                pieces.append([])
            pieces[-1].append(piece.part(0, fitting))
            at += fitting
            yield at
        return [spans.joined(some) for some in pieces]

    def _look(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, frame: int) -> _Seen:
        scene.frame_set(frame)
        return self._take_down(depsgraph, frame)

    def _take_down(self, depsgraph: bpy.types.Depsgraph, frame: int) -> _Seen:
        wishes, who = self.asked(depsgraph, frame)
        company = self.company.get(frame)
        # What nothing animates is as it was: 0.02 ms a frame saved.
        now = self._seen[-1].now if self._seen and self._still else channels.read(self.character)
        if not wishes and company is None:
            return _Seen(frame, now)
        kept, read = self._rig(now, who)
        settles = rigs.values(kept.rig, self.rests(now)) if who.partly else None
        where = self._setting(depsgraph, kept.rig, settles)
        goals = [(one.row, goal) for one in wishes if (goal := self._goal(where, one)) is not None]
        rows = tuple(row for row, _ in goals)
        copied = source_posture.wanted(self.character, wishes, kept.rig, now, depsgraph)
        tied = self._related.made(where) if company is None else taking_part.Made()  # else they are made for all
        stored = self.character.posewright_relations
        self.troubles |= {stored[row].name: said for row, said in tied.troubles.items()}
        real = (*(goal for _, goal in goals), *tied.goals)
        return _Seen(frame, now, kept, read, rows, tied.rows, real, asked.world_unit(where), copied)

    def asked(self, depsgraph: bpy.types.Depsgraph, frame: int) -> tuple[list[Wish], _Who]:
        """What goals ask for on a frame that can be done, and of whom. None follows those that it is one with."""
        wishes, who = self._asked(depsgraph)
        company = self.company.get(frame)
        if company is None:
            return wishes, who
        told = [refused(one, self.character, company.things) for one in wishes]
        self.troubles |= {one.goal.name: one.trouble for one in told if one.trouble}
        wishes = [one for one in told if not one.trouble]
        bones = frozenset(standing.bones_of(wishes)) | self._related.bones | company.pulled
        free = modes.free(self.character, wishes, self._related.bones, company.pulled)
        return wishes, _Who(bones, free, who.partly)

    def _asked(self, depsgraph: bpy.types.Depsgraph) -> tuple[list[Wish], _Who]:
        """What goals ask for that can be done. While they themselves stay, only those are asked whose target moved."""
        if self._wishes and self._who is not None and asked.has_size(self.character, depsgraph):
            with suppress(PosewrightError):  # it will be said below
                self._wishes = [self._moved(depsgraph, *one) for one in self._wishes]
                return [wish for _, wish in self._wishes], self._who
        found = asked.wishes(self.character, depsgraph)
        self.troubles |= {one.goal.name: one.trouble for one in found if one.trouble}
        wishes = [one for one in found if not one.trouble]
        self._related = taking_part.of(self.character, self._related)
        partly = self._related.rests or any(asked.is_part_of_the_way(one.goal) for one in wishes)
        bones = frozenset(standing.bones_of(wishes)) | self._related.bones
        self._who = _Who(bones, modes.free(self.character, wishes, self._related.bones), partly)
        stay = self._goals_stay and len(wishes) == len(found)
        self._wishes = [(places.seen_from(self.character, one.goal, depsgraph), one) for one in wishes if stay]
        return wishes, self._who

    def _moved(self, depsgraph: bpy.types.Depsgraph, before: Matrix, wish: Wish) -> tuple[Matrix, Wish]:
        """A wish of the last frame on this one, and where it is seen from: the same object, if that has not moved."""
        goal = self.character.posewright_goals[wish.row]
        now = places.seen_from(self.character, goal, depsgraph)
        return (before, wish) if now == before else (now, Wish(wish.row, goal, places.wanted_in(goal, now)))

    def _rig(self, now: Channels, who: _Who) -> tuple[Kept, bool]:
        """The rig of a frame, and whether it is sure to be right: else it is the last one, which `spans` will see."""
        still = self._animated is None
        if self._kept is not None and self._may_serve(self._kept, who):
            return self._kept, still
        edited = np.full(len(now.mode), not still)
        self._kept, _ = standing.rig_of(self.character, self.character, now, edited, None, who.bones, who.free)
        return self._kept, True

    def _may_serve(self, kept: Kept, who: _Who) -> bool:
        """Whether the last frame's rig is right here as well, or can be seen to be wrong by the reference alone."""
        same = self._steady and (kept.bones, kept.free) == (who.bones, who.free)
        return same and (self._animated is None or not (who.partly or len(kept.rig.watched)))

    def _setting(self, depsgraph: bpy.types.Depsgraph, rig: Rig, settles: Floats | None) -> Setting:
        """Where the character is: the same object as on the frame before, where it has not moved.

        The reference `settles` [variables] is given if goals ask for a part of the way from there.
        """
        stands, where = places.world_matrix(self.character, depsgraph), self._where
        if where is None or settles is not None or where.rig is not rig or stands != self._stood:
            given = np.zeros(0) if settles is None else settles
            self._stood, self._where = stands, (where := asked.setting(self.character, depsgraph, rig, given))
        return where

    def _goal(self, where: Setting, wish: Wish) -> Goal | None:
        """What a goal asks for: the same object as on the frame before, where it is the same. That is packed once."""
        known = self._goals.get(wish.row)
        if known is not None and known[0] is wish.frame and known[1] is where:
            return known[2]
        made = asked.goal_of(where, wish)
        if all(wish.goal.use_axis):  # else it depends on its space as well
            self._goals[wish.row] = wish.frame, where, made
        return made

    def rests(self, now: Channels) -> Channels:
        """The reference on a frame, or on many, which have these channels."""
        aim = self._aim.repeated(now.location.shape[:-2])
        if self._animated is not None:
            aim.at_frame(now, self._animated)
        return aim.channels(now)

    def _span(self, seen: Sequence[_Seen]) -> tuple[Span, int]:
        """Frames that go with each other, and how many of them, from the first on, their rig can show."""
        rests, kept, count = self.rests(channels.stacked([one.now for one in seen])), seen[0].kept, len(seen)
        settles, fitting = np.zeros((count, 0)), count
        if kept is not None:
            settles, fits = rigs.fitted(kept.rig, rests)
            wrong = np.flatnonzero(~(fits | [one.read for one in seen]))
            fitting = int(wrong[0]) if len(wrong) else count
        frames, goals = [one.frame for one in seen], [one.goals for one in seen]
        units, after = np.array([one.unit for one in seen]), [one.copied for one in seen if one.copied is not None]
        copied = np.array(after) if after else None
        return Span(frames, rests, kept, seen[0].rows, seen[0].related, goals, settles, units, copied), fitting

    def _read_again(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, at: int) -> None:
        """Read the rig of a frame, for it and for those after it that had the same."""
        seen, wrong = self._seen, self._seen[at].kept
        self._kept = None
        seen[at] = self._look(scene, depsgraph, seen[at].frame)
        for later in range(at + 1, len(seen)):
            if seen[later].read or seen[later].kept is not wrong:
                break
            if seen[later].copied is None:
                seen[later] = seen[later]._replace(kept=seen[at].kept)
            else:  # what takes after a source is in the terms of the rig
                seen[later] = self._look(scene, depsgraph, seen[later].frame)
