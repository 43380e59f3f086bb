"""The poses of many frames at once, each as live posing finds it: in compiled slices, with a way out between them."""

import math
import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...motion import smoothing
from ...properties import Character
from ...solvers import Budget, Clip, Displacement, Distance, Level, MemeticOptions, Problem, Tree, solve_in_slices
from ...solvers.rotation import Floats
from .. import asked, habit, searching, source_posture
from ..channels import Bools
from ..facing import Carried
from ..rig import Rig
from .spans import Span

SLICE = 50  # frames: some 10 ms
SIDE_BY_SIDE = MemeticOptions(threads=min(4, os.cpu_count() or 1), alike=True)
SMOOTHED = 0.3  # of the progress: what solving is of it, where everything is smoothed afterwards
CALM = 0.005  # radians that goals may be off for that


class Solved(NamedTuple):
    """Frames of a span, solved; with no variables where no goal asks for anything."""

    span: Span
    q: Floats  # [F, variables] of its rig
    errors: Floats  # [F, goals, 2], metres of the rig and radians


class Manner(NamedTuple):
    """How a bake may differ from what live posing shows."""

    carry_on: bool = False  # begin each frame where the last one ended
    speed: float = math.inf  # radians a second: joints turn no faster
    calm: float = 0.0  # smooth what was solved; goals may be off by so many metres of the world for that
    seconds: float = 1.0 / 24.0  # from frame to frame


def solve(character: Character, spans: Sequence[Span], manner: Manner) -> Generator[float, None, list[Solved]]:
    """Solve the frames on which goals ask for something. Yields how many are done; returns spans, or parts of them."""
    found, last, count = list[Solved](), None, 0
    for span in spans:
        if span.kept is None or not span.asks:
            found.append(Solved(span, np.zeros((len(span.frames), 0)), np.zeros((len(span.frames), 0, 2))))
            continue
        for part in _alike(span, span.kept.stays | span.kept.fixed):
            batch = _Batch(character, part, manner)
            going = batch.solve(last)
            while True:
                try:
                    done = next(going)
                except StopIteration:
                    break
                yield count + done * len(part.frames)
            count += len(part.frames)
            found.append(Solved(part, batch.q, batch.errors))
            last = batch
    return found


def _alike(span: Span, held: Bools) -> Iterator[Span]:
    """The parts of a span that one clip can hold: the variables that do not move are the same all the time."""
    settles = span.settles[:, held]
    changes = np.flatnonzero((settles[1:] != settles[:-1]).any(axis=1)) + 1
    for begin, end in pairwise([0, *changes.tolist(), len(span.frames)]):
        yield span.part(begin, end)


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

    def __init__(self, character: Character, span: Span, manner: Manner) -> None:
        assert span.kept is not None
        self.span, self.kept, self.manner, self.solver = span, span.kept, manner, character.posewright_solver
        soft = character.posewright_soft
        self.budget = Budget(iterations=character.posewright_iterations, restarts=0, levels=not soft)
        self.weight = character.posewright_posture * (searching.SOFT if soft else 1.0)
        self.habit = character.posewright_habit
        self.tree = _slowly(span.kept.rig, manner.speed)
        self.rests = span.settles
        self.settles = self.rests.copy()
        self.starts, self.leant = np.empty_like(self.settles), np.empty_like(self.settles)
        self.each = np.ones(self.settles.shape[1])
        self.q = self.rests.copy()
        self.errors = np.zeros((len(span.frames), len(span.goals[0]), 2))
        self.bounds = np.array([(goal.metres, goal.radians) for goal in span.goals[0]])

    def solve(self, last: "_Batch | None") -> Generator[float, None, None]:
        """Solve all frames. Yields how far it is, 0 to 1."""
        whole = 1.0 if self.manner.calm <= 0.0 else SMOOTHED
        for _ in self._lean():
            yield 0.0
        clip = yield from self._packed(range(len(self.q)), self.kept.stays | self.kept.fixed)
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
            options=SIDE_BY_SIDE,
            frames=SLICE,
        ):
            yield whole * ahead / len(self.q)
            done = ahead
        assert done == len(self.q)
        moved = ~resting
        self.q[moved], self.errors[moved] = clip.frames.q[moved], clip.frames.errors[moved, : len(self.bounds)]
        yield from self._give_way()
        yield from self._let_collisions_give_way()
        if self.manner.calm > 0.0:
            yield from self._calm(clip)

    def _lean(self) -> Iterator[None]:
        """Where the joints of each frame settle."""
        leaning: habit.Leaning | None = None
        carried: Carried | None = None
        rests, changes = self.rests[0], (self.rests[1:] != self.rests[:-1]).any(axis=1).tolist()
        for row, goals in enumerate(self.span.goals):
            if row and changes[row - 1]:
                rests = self.rests[row]
            if carried is None or not carried.fits(rests, goals):
                carried = Carried(self.kept.rig, rests, goals)
            if leaning is None or leaning.settles is not carried.found:
                leaning = habit.Leaning(self.kept.rig, carried.found)
            self.settles[row] = carried.found
            self.starts[row], self.leant[row] = carried.found, leaning.toward(goals, self.habit)
            if row % SLICE == 0:
                yield
        copied = self.span.copied
        if copied is not None:
            there = np.isfinite(copied[0]) & ~(self.kept.stays | self.kept.fixed)  # the same on all frames of a span
            self.starts[:, there] = self.leant[:, there] = copied[:, there]
            self.each = source_posture.each(self.tree, there)

    def _packed(
        self, rows: Sequence[int], held: Bools, stiff: Bools | None = None, gives: Sequence[bool] = ()
    ) -> Generator[float, None, Clip]:
        """Some frames as a clip, with some variables held where they settle, and some that give way stiffly.

        Collisions may give way, too: those of its goals that `gives` says.
        """
        frames = [self.span.goals[row] for row in rows]
        if gives:
            frames = [tuple(searching.without(goals, gives)) for goals in frames]
        each = self.each if stiff is None else np.where(stiff, searching.STIFF, self.each)
        posture = Displacement(reference=self.leant[rows[0]], each=each, weight=self.weight)
        problem = Problem(self.tree, [*frames[0], posture])
        problem.hold(held, self.settles[rows[0]])
        clip = Clip(problem, [problem.goals] * len(frames))
        for index, goals in enumerate(zip(*frames, strict=True)):
            clip.put(index, goals)
            yield 0.0
        clip.put_references(len(frames[0]), self.leant[rows])
        return clip

    def _look(self, clip: Clip, q: Floats) -> Bools:
        """The frames [n] of a clip in which poses [n, variables] meet all goals."""
        for _ in solve_in_slices(clip, q, self.solver, Budget(iterations=0), options=SIDE_BY_SIDE, frames=len(q)):
            pass
        off = clip.frames.errors[:, : len(self.bounds)]
        return np.asarray((off <= self.bounds).all(axis=(1, 2)))

    def _give_way(self) -> Generator[float, None, None]:
        """Where a pin cannot hold otherwise, bones that are to stay give way, stiffly."""
        held, fixed = self.kept.stays, self.kept.fixed
        pins = [index for index, goal in enumerate(self.span.goals[0]) if goal.level == Level.PIN]
        if not pins or not (held & ~fixed).any():
            return
        off = np.asarray((self.errors[:, pins] > self.bounds[pins]).any(axis=(1, 2)))
        some = np.flatnonzero(off).tolist()
        if not some:
            return
        clip = yield from self._packed(some, fixed, held)
        for _ in solve_in_slices(clip, self.q[some], self.solver, self.budget, options=SIDE_BY_SIDE, frames=SLICE):
            yield SMOOTHED
        self.q[some], self.errors[some] = clip.frames.q, clip.frames.errors[:, : len(self.bounds)]

    def _let_collisions_give_way(self) -> Generator[float, None, None]:
        """Where pins do not hold even so, and would without collisions, these count like goals; as in `searching`."""
        goals, rig, held, fixed = self.span.goals[0], self.kept.rig, self.kept.stays, self.kept.fixed
        pins = [index for index, goal in enumerate(goals) if searching.is_pin(goal)]
        if not pins or not any(isinstance(goal, Distance) for goal in goals):
            return
        lost = self._lost(self.errors, pins)
        alike = dict[tuple[bool, ...], list[int]]()  # by which collisions give way, the frames
        posture = Displacement(reference=self.leant[0], weight=self.weight)
        problem: Problem | None = None
        for row in np.flatnonzero(lost).tolist():
            problem = asked.problem_of(rig, posture, self.span.goals[row], problem)
            gives = searching.pushing(problem, self.span.goals[row], self.q[row])
            if any(gives):
                alike.setdefault(gives, []).append(row)
            yield SMOOTHED
        stiff = held if (held & ~fixed).any() else None
        for gives, some in alike.items():
            clip = yield from self._packed(some, fixed, stiff, gives)
            starts = self.starts[some]
            for _ in solve_in_slices(clip, starts, self.solver, self.budget, options=SIDE_BY_SIDE, frames=SLICE):
                yield SMOOTHED
            errors = clip.frames.errors[:, : len(self.bounds)]
            better = self._lost(errors, pins) < lost[some] - searching.SLIGHT
            rows = np.array(some)[better]
            self.q[rows], self.errors[rows] = clip.frames.q[better], errors[better]

    def _lost(self, errors: Floats, pins: Sequence[int]) -> Floats:
        """How far all pins are off on each frame [F], metres and radians, by the errors [F, goals, 2]."""
        off = errors[:, pins]
        missed = (off > self.bounds[pins]).any(axis=2)
        return np.asarray((off.sum(axis=2) * missed).sum(axis=1))

    def _calm(self, clip: Clip) -> Generator[float, None, None]:
        """Smooth what was solved, inside the limits, with goals within a tolerance."""
        metres = self.manner.calm / self.span.units[0]
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
