"""What is asked of a character on each frame of a range, and the pose it would have without goals.

Every frame is taken as live posing takes it when one scrubs there: from the stored reference, whatever the frame
before. So what is baked is what was seen.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import bpy
import numpy as np

from ... import properties
from ...properties import Character
from ...solvers import Goal
from ...solvers.rotation import Floats
from .. import action_curves, animated, asked, channels, live, modes, pelvis, pose, reference, source_posture, watch
from .. import rig as rigs
from ..asked import Setting, Wish
from ..channels import Channels
from ..live import Kept
from ..reference import Reference

_PLAIN = {"rotation_quaternion", "rotation_euler", "rotation_axis_angle", "rotation_mode"}


class Sample(NamedTuple):
    """A frame."""

    frame: int
    rests: Channels  # the reference: the pose where no goal asks for anything
    kept: Kept | None  # the rig; None where no goal does
    goals: tuple[Goal, ...]
    rows: tuple[int, ...]  # the stored goals that these are
    settles: Floats  # [variables], the reference in the rig's terms
    copied: Floats | None  # [variables], where joints are that take after a source, NaN for others
    unit: float  # metres of the world for one of the rig's


@contextmanager
def stepping(character: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[None]:
    """Go through frames, and have frame and poses afterwards as they were, to the last bit.

    Meanwhile the character is not solved; others are, which its goals may follow.
    """
    frame, part = scene.frame_current, scene.frame_subframe
    posed = [one for one in scene.objects if one.pose is not None and len(properties.character(one).posewright_goals)]
    before = [(one.name, channels.read(one)) for one in {character, *posed}]
    try:
        with watch.leaving_out(character):
            yield
    finally:
        with watch.undisturbed():
            scene.frame_set(frame, subframe=part)
        for name, there in before:
            thing: bpy.types.Object | None = scene.objects.get(name)
            if thing is not None and thing.pose is not None and len(thing.pose.bones) == len(there.mode):
                pose.put(thing, channels.read(thing), there)


class Sampler:
    """Looks at one frame after the other."""

    def __init__(self, armature_object: bpy.types.Object) -> None:
        self.character: Character = properties.character(armature_object)
        now = channels.read(armature_object)
        self._aim = self._reference(now)
        self._animated = animated.of(armature_object)
        self._steady = _rig_stays(armature_object)
        self._last: tuple[Kept, Floats, Channels] | None = None
        self._goals_stay = not _are_goals_animated(armature_object)
        self._goals: dict[int, tuple[tuple[object, ...], Goal | None]] = {}  # by row: what each was made of
        self.troubles: dict[str, str] = {}  # why goals were left out, by their names

    def _reference(self, now: Channels) -> Reference:
        """The stored reference; if no goal was solved since it was stored, the pose that is there."""
        found = reference.stored(self.character) if reference.fits(self.character) else None
        return found if found is not None and self.character.posewright_anchor else reference.of_pose(now)

    def look(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, frame: int) -> Sample:
        """Go to a frame and take it down."""
        scene.frame_set(frame)
        found = asked.wishes(self.character, depsgraph)
        self.troubles |= {one.goal.name: one.trouble for one in found if one.trouble}
        wishes = [one for one in found if not one.trouble]
        now = channels.read(self.character)
        aim = self._at(now)
        if not wishes:
            return Sample(frame, aim.channels(now), None, (), (), np.zeros(0), None, 1.0)
        kept, settles, rests = self._rig(aim, now, wishes)
        where = asked.setting(self.character, depsgraph, kept.rig, settles)
        goals = [(one.row, goal) for one in wishes if (goal := self._goal(where, one)) is not None]
        rows = tuple(row for row, _ in goals)
        copied = source_posture.wanted(self.character, wishes, kept.rig, now, depsgraph)
        unit, real = asked.world_unit(where), tuple(goal for _, goal in goals)
        return Sample(frame, rests, kept, real, rows, settles, copied, unit)

    def _goal(self, where: Setting, wish: Wish) -> Goal | None:
        """What a goal asks for: the same object as on the frame before, where it is the same. That is packed once."""
        if not self._goals_stay or not all(wish.goal.use_axis):  # else it depends on its space as well
            return asked.goal_of(where, wish)
        made_of = (wish.frame, where.world, id(where.rig), where.reference.tobytes())
        known = self._goals.get(wish.row)
        if known is None or known[0] != made_of:
            known = self._goals[wish.row] = made_of, asked.goal_of(where, wish)
        return known[1]

    def _at(self, now: Channels) -> Reference:
        """The reference on a frame."""
        if self._animated is None:
            return self._aim
        first = self._aim
        aim = Reference(
            first.location.copy(), first.rotation.copy(), first.left_location, first.left_rotation, first.held
        )
        aim.at_frame(now, self._animated)
        return aim

    def _rig(self, aim: Reference, now: Channels, wishes: Sequence[Wish]) -> tuple[Kept, Floats, Channels]:
        """The rig of a frame, and the reference in its terms: those of the frame before, where nothing can be other."""
        bones, free = frozenset(live.bones_of(wishes)), modes.free(self.character, wishes)
        last = self._last
        if last is not None and self._steady and (last[0].bones, last[0].free) == (bones, free):
            if self._animated is None:
                return last
            rests = aim.channels(now)
            settles = pose.fitting(last[0].rig, self.character, rests)
            if settles is not None:
                return last[0], settles, rests
        edited = np.ones(len(now.mode), np.bool_) if self._animated is not None else np.zeros(len(now.mode), np.bool_)
        kept, _ = live.rig_of(self.character, self.character, now, edited, None, bones, free)
        rests = aim.channels(now)
        self._last = kept, rigs.values(kept.rig, rests), rests
        return self._last


def _rig_stays(armature_object: bpy.types.Object) -> bool:
    """Whether nothing that is animated can change how the armature is read: limits, scales, constraints, the rest pose.

    Then 0.3 ms a frame of looking at it all again are saved.
    """
    data = armature_object.data
    moving = pelvis.movers(armature_object).translating
    if (
        data is None
        or data.animation_data is not None
        or any(bone.constraints for bone in channels.pose_bones(armature_object))
    ):
        return False
    for one in action_curves.of(armature_object, playing=True):
        if one.owner == armature_object and len(one.curves):
            return False  # drivers
        for curve in one.curves:
            found = action_curves.bone_and_channel(curve.data_path)
            if found is None:
                if curve.data_path.startswith(("posewright_joints", "posewright_mode", "posewright_chosen")):
                    return False
            elif found[1] not in _PLAIN and not (
                found[1] == "location" and _translates(armature_object, found[0], moving)
            ):
                return False
    return True


def _are_goals_animated(armature_object: bpy.types.Object) -> bool:
    """Whether keys or drivers change what goals are, beside where they want to be."""
    lists = action_curves.of(armature_object, playing=True)
    return any(curve.data_path.startswith("posewright_") for one in lists for curve in one.curves)


def _translates(armature_object: bpy.types.Object, name: str, moving: frozenset[str]) -> bool:
    bone: bpy.types.PoseBone | None = channels.pose_bones(armature_object).get(name)
    return bone is None or bone.parent is None or name in moving
