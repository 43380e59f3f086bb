"""The poses of many frames at once, each as live posing finds it: in compiled slices, with a way out between them."""

from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...properties import Character
from ...solvers import Budget, Clip, Displacement, Goal, Level, Problem, solve_in_slices
from ...solvers.rotation import Floats
from .. import habit, live
from ..channels import Bools
from .sampling import Sample

SLICE = 25  # frames: some 10 ms


class Answer(NamedTuple):
    """A frame, solved."""

    q: Floats  # [variables] of its rig
    errors: Floats  # [goals, 2], metres of the rig and radians
    iterations: int


def solve(character: Character, samples: Sequence[Sample], carry_on: bool) -> Generator[int, None, dict[int, Answer]]:
    """Solve the frames on which goals ask for something. Yields how many are done; returns the answers by frame.

    Each begins at its reference, as in live posing, or on request (`carry_on`) where the last frame ended.
    """
    found, done = dict[int, Answer](), 0
    last: tuple[object, Floats] | None = None
    for group in _groups(samples):
        kept = group[0].kept
        assert kept is not None
        batch = _Batch(character, group)
        starts = batch.settles.copy()
        if carry_on and last is not None and last[0] is kept.rig:
            starts[0] = last[1]
        for answers in batch.solve(starts, carry_on):
            found |= answers
            done += len(answers)
            yield done
        last = kept.rig, found[group[-1].frame].q
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


class _Batch:
    """Frames of one clip."""

    def __init__(self, character: Character, group: Sequence[Sample]) -> None:
        kept = group[0].kept
        assert kept is not None
        self.group, self.kept, self.solver = group, kept, character.posewright_solver
        soft = character.posewright_soft
        self.budget = Budget(iterations=character.posewright_iterations, restarts=0, levels=not soft)
        self.weight = character.posewright_posture * (live.SOFT if soft else 1.0)
        self.settles = np.array([sample.settles for sample in group])
        self.leant = self._leant(character.posewright_habit)

    def _leant(self, strength: float) -> Floats:
        leaning, found = None, np.empty_like(self.settles)
        for row, sample in enumerate(self.group):
            if leaning is None or leaning.settles is not sample.settles:
                leaning = habit.Leaning(self.kept.rig, sample.settles)
            found[row] = leaning.toward(sample.goals, strength)
        return found

    def _clip(self, rows: Sequence[int], held: Bools, each: ArrayLike = 1.0) -> Clip:
        def goals(row: int) -> list[Goal]:
            posture = Displacement(reference=self.leant[row], each=each, weight=self.weight)
            return [*self.group[row].goals, posture]

        problem = Problem(self.kept.rig.tree, goals(rows[0]))
        problem.hold(held, self.settles[rows[0]])
        return Clip(problem, [goals(row) for row in rows])

    def solve(self, starts: Floats, carry_on: bool) -> Iterator[dict[int, Answer]]:
        """Solve all frames; yields the answers of each slice."""
        held, fixed = self.kept.stays, self.kept.fixed
        clip = self._clip(range(len(self.group)), held | fixed)
        resting = self._resting(clip)
        done = 0
        going = solve_in_slices(clip, starts, self.solver, self.budget, carry_on=carry_on, frames=SLICE)
        while True:
            try:
                ahead = next(going)
            except StopIteration:
                return
            table = clip.frames
            rows = range(done, ahead)
            q, errors = table.q[done:ahead].copy(), table.errors[done:ahead].copy()
            iterations = table.ends[done:ahead, 1].copy()
            still = resting[done:ahead]
            q[still], errors[still] = self.settles[done:ahead][still], 0.0
            self._give_way(rows, q, errors, iterations)
            goals = len(self.group[0].goals)
            yield {
                self.group[row].frame: Answer(q[i], errors[i, :goals], int(iterations[i])) for i, row in enumerate(rows)
            }
            done = ahead

    def _resting(self, clip: Clip) -> Bools:
        """The frames [n] whose reference meets all goals: it is the answer, as in live posing."""
        going = solve_in_slices(clip, self.settles, self.solver, Budget(iterations=0), frames=len(self.group))
        for _ in going:
            pass
        bounds = np.array([(goal.metres, goal.radians) for goal in self.group[0].goals])
        met: Bools = np.asarray((clip.frames.errors[:, : len(bounds)] <= bounds).all(axis=(1, 2)))
        return met

    def _give_way(self, rows: range, q: Floats, errors: Floats, iterations: "np.ndarray") -> None:
        """Where a pin cannot hold otherwise, bones that are to stay give way, stiffly."""
        held, fixed = self.kept.stays, self.kept.fixed
        pins = [index for index, goal in enumerate(self.group[0].goals) if goal.level == Level.PIN]
        if not pins or not (held & ~fixed).any():
            return
        bounds = np.array([(goal.metres, goal.radians) for goal in self.group[0].goals])
        off: Bools = np.asarray((errors[:, pins] > bounds[pins]).any(axis=(1, 2)))
        some = [row for row, yes in zip(rows, off, strict=True) if yes]
        if not some:
            return
        clip = self._clip(some, fixed, np.where(held, live.STIFF, 1.0))
        for _ in solve_in_slices(clip, q[off], self.solver, self.budget, frames=len(some)):
            pass
        q[off], errors[off], iterations[off] = clip.frames.q, clip.frames.errors, clip.frames.ends[:, 1]
