"""The poses of many frames at once, each as live posing finds it: in compiled slices, with a way out between them."""

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ...motion import smoothing
from ...properties import Character
from ...solvers import Budget, Clip, Displacement, Goal, Level, Problem, Tree, solve_in_slices
from ...solvers.rotation import Floats
from .. import habit, live, source_posture
from ..channels import Bools
from ..facing import Carried
from ..rig import Rig
from .sampling import Sample

SLICE = 25  # frames: some 10 ms
SMOOTHED = 0.3  # of the progress: what solving is of it, where everything is smoothed afterwards
CALM = 0.005  # radians that goals may be off for that


class Answer(NamedTuple):
    """A frame, solved."""

    q: Floats  # [variables] of its rig
    errors: Floats  # [goals, 2], metres of the rig and radians


class Manner(NamedTuple):
    """How a bake may differ from what live posing shows."""

    carry_on: bool = False  # begin each frame where the last one ended
    speed: float = math.inf  # radians a second: joints turn no faster
    calm: float = 0.0  # smooth what was solved; goals may be off by so many metres of the world for that
    seconds: float = 1.0 / 24.0  # from frame to frame


def solve(character: Character, samples: Sequence[Sample], manner: Manner) -> Generator[float, None, dict[int, Answer]]:
    """Solve the frames on which goals ask for something. Yields how many are done; returns the answers by frame."""
    found, last, count = dict[int, Answer](), None, 0
    for group in _groups(samples):
        batch = _Batch(character, group, manner)
        going = batch.solve(last)
        while True:
            try:
                part = next(going)
            except StopIteration:
                break
            yield count + part * len(group)
        count += len(group)
        found |= batch.answers()
        last = batch
    return found


def _groups(samples: Sequence[Sample]) -> Iterator[list[Sample]]:
    """Frames in a row that one clip can hold: of one rig, with goals of the same kinds, the same bones held alike."""

    def key(sample: Sample) -> tuple[object, ...]:
        kept = sample.kept
        assert kept is not None
        held = kept.stays | kept.fixed
        return id(kept.rig), tuple(map(_kind, sample.goals)), held.tobytes(), sample.settles[held].tobytes()

    for _, group in groupby((sample for sample in samples if sample.kept is not None and sample.goals), key):
        yield list(group)


def _kind(goal: Goal) -> tuple[object, ...]:
    return goal.kind, getattr(goal, "joint", ""), goal.level, goal.metres, goal.radians


def _slowly(rig: Rig, speed: float) -> Tree:
    """The rig's tree with joints that turn by no more than so many radians a second."""
    if not math.isfinite(speed):
        return rig.tree
    joints = []
    for joint in rig.joints:
        moves, turns = (
            sum(slot.limits is not None for slot in slots) for slots in (joint.motion.translation, joint.motion.slots)
        )
        joints.append(replace(joint, velocity=(math.inf,) * moves + (speed,) * turns) if moves + turns else joint)
    tree = Tree(joints)
    tree.size = rig.tree.size
    return tree


class _Batch:
    """Frames of one clip."""

    def __init__(self, character: Character, group: Sequence[Sample], manner: Manner) -> None:
        kept = group[0].kept
        assert kept is not None
        self.group, self.kept, self.manner, self.solver = group, kept, manner, character.posewright_solver
        soft = character.posewright_soft
        self.budget = Budget(iterations=character.posewright_iterations, restarts=0, levels=not soft)
        self.weight = character.posewright_posture * (live.SOFT if soft else 1.0)
        self.habit = character.posewright_habit
        self.tree = _slowly(kept.rig, manner.speed)
        self.rests = np.array([sample.settles for sample in group])
        self.settles = self.rests.copy()
        self.starts, self.leant, self.each = (np.ones_like(self.settles) for _ in range(3))
        self.q = self.rests.copy()
        self.errors = np.zeros((len(group), len(group[0].goals), 2))
        self.bounds = np.array([(goal.metres, goal.radians) for goal in group[0].goals])

    def answers(self) -> dict[int, Answer]:
        """What was found, by frame."""
        return {sample.frame: Answer(q, off) for sample, q, off in zip(self.group, self.q, self.errors, strict=True)}

    def solve(self, last: "_Batch | None") -> Generator[float, None, None]:
        """Solve all frames. Yields how far it is, 0 to 1."""
        whole = 1.0 if self.manner.calm <= 0.0 else SMOOTHED
        for _ in self._lean():
            yield 0.0
        clip = yield from self._packed(range(len(self.group)), self.kept.stays | self.kept.fixed)
        resting = self._look(clip, self.rests)
        starts = self.starts.copy()
        if self.manner.carry_on and last is not None and last.kept.rig is self.kept.rig:
            starts[0] = last.q[-1]
        seconds = self.manner.seconds if math.isfinite(self.manner.speed) else None
        done = 0
        for ahead in solve_in_slices(
            clip,
            starts,
            self.solver,
            self.budget,
            carry_on=self.manner.carry_on,
            frame_seconds=seconds,
            frames=SLICE,
        ):
            yield whole * ahead / len(self.group)
            done = ahead
        assert done == len(self.group)
        moved = ~resting
        self.q[moved], self.errors[moved] = clip.frames.q[moved], clip.frames.errors[moved, : len(self.bounds)]
        yield from self._give_way()
        if self.manner.calm > 0.0:
            yield from self._calm(clip)

    def _lean(self) -> Iterator[None]:
        """Where the joints of each frame settle."""
        leaning: habit.Leaning | None = None
        carried: Carried | None = None
        for row, sample in enumerate(self.group):
            if carried is None or not carried.fits(sample.settles, sample.goals):
                carried = Carried(self.kept.rig, sample.settles, sample.goals)
            if leaning is None or leaning.settles is not carried.found:
                leaning = habit.Leaning(self.kept.rig, carried.found)
            self.settles[row] = carried.found
            self.starts[row], self.leant[row] = carried.found, leaning.toward(sample.goals, self.habit)
            if sample.copied is not None:
                there = np.isfinite(sample.copied) & ~(self.kept.stays | self.kept.fixed)
                self.starts[row, there] = self.leant[row, there] = sample.copied[there]
                self.each[row] = source_posture.each(self.tree, there)
            if row % SLICE == 0:
                yield

    def _packed(self, rows: Sequence[int], held: Bools, stiff: Bools | None = None) -> Generator[float, None, Clip]:
        """Some frames as a clip, with some variables held where they settle, and some that give way stiffly."""

        def posture(row: int) -> Displacement:
            factors = self.each[row] if stiff is None else np.where(stiff, live.STIFF, self.each[row])
            return Displacement(reference=self.leant[row], each=factors, weight=self.weight)

        def same(one: Floats, place: int) -> bool:
            return np.array_equal(one[rows[place]], one[rows[place - 1]])

        last = posture(rows[0])
        problem = Problem(self.tree, [*self.group[rows[0]].goals, last])
        problem.hold(held, self.settles[rows[0]])
        clip = Clip.with_room(problem, len(rows))
        for place, row in enumerate(rows):
            if place and not (same(self.leant, place) and same(self.each, place)):
                last = posture(row)
            clip.put(place, [*self.group[row].goals, last])
            if place % SLICE == 0:
                yield 0.0
        return clip

    def _look(self, clip: Clip, q: Floats) -> Bools:
        """The frames [n] of a clip in which poses [n, variables] meet all goals."""
        for _ in solve_in_slices(clip, q, self.solver, Budget(iterations=0), frames=len(q)):
            pass
        off = clip.frames.errors[:, : len(self.bounds)]
        return np.asarray((off <= self.bounds).all(axis=(1, 2)))

    def _give_way(self) -> Generator[float, None, None]:
        """Where a pin cannot hold otherwise, bones that are to stay give way, stiffly."""
        held, fixed = self.kept.stays, self.kept.fixed
        pins = [index for index, goal in enumerate(self.group[0].goals) if goal.level == Level.PIN]
        if not pins or not (held & ~fixed).any():
            return
        off = np.asarray((self.errors[:, pins] > self.bounds[pins]).any(axis=(1, 2)))
        some = np.flatnonzero(off).tolist()
        if not some:
            return
        clip = yield from self._packed(some, fixed, held)
        for _ in solve_in_slices(clip, self.q[some], self.solver, self.budget, frames=SLICE):
            yield SMOOTHED
        self.q[some], self.errors[some] = clip.frames.q, clip.frames.errors[:, : len(self.bounds)]

    def _calm(self, clip: Clip) -> Generator[float, None, None]:
        """Smooth what was solved, inside the limits, with goals within a tolerance."""
        metres = self.manner.calm / self.group[0].unit
        going = smoothing.smooth_in_slices(clip, self.q, self.manner.seconds, metres=metres, radians=CALM)
        while True:
            try:
                done, count = next(going)
            except StopIteration as end:
                self.q = end.value
                break
            yield SMOOTHED + (1.0 - SMOOTHED) * done / count
        self._look(clip, self.q)
        self.errors = clip.frames.errors[:, : len(self.bounds)].copy()
