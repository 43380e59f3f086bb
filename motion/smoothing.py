"""Calming a solved clip: what shivers becomes smooth, limits hold, and goals stay within a tolerance.

Where pelvis and head are nearly as far apart as the spine is long, a tenth of a millimetre at the head is a centimetre
of the spine's bow, and frames that are each exact shiver together. So the variables are filtered over time, and each
frame is solved anew from there: goals against the filtered pose, weighed so that goals give way by parts of a
millimetre where that saves much, and hardly anywhere else. A few rounds of both come near to the smoothest clip that
keeps its goals. Frames in which a goal is too far off even so go back toward where they were, and their neighbours
with them by degrees.
"""

import copy
import math
from collections.abc import Callable, Generator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..solvers.clip import Clip, ClipResult, solve_in_slices, solve_many
from ..solvers.errors import PosewrightError
from ..solvers.goals.displacement import Displacement
from ..solvers.goals.tables import Level
from ..solvers.rotation import Floats
from ..solvers.solve import Budget

CUTOFF = 6.0  # hertz: people hardly move faster than that
ROUNDS = 5  # of filtering and solving
HELD = 1e-4  # weight of a radian from the filtered pose against a metre of a goal
JUMP = 1.0  # radians or metres in a frame: nothing is filtered across, because variables leap at half turns
RAMP = 12  # frames in which the way back to the solved pose grows or fades
HALVINGS = 6  # of the way, before a frame goes back all of it

Progress = Callable[[int, int], bool]


def smooth(
    clip: Clip,
    q: ArrayLike,
    frame_seconds: float,
    *,
    metres: float = 0.0005,
    radians: float = 0.005,
    cutoff: float = CUTOFF,
    progress: Progress | None = None,
) -> Floats:
    """The clip's variables [frames, variables], calmer than `q`, inside the limits.

    Args:
        clip: the goals of each frame; one of them is a Displacement, which is put toward the filtered pose meanwhile.
        q: [frames, variables], the solved clip.
        frame_seconds: the time from frame to frame.
        metres: how far off a goal may be, or as far as it is in `q`.
        radians: the same of its turn.
        cutoff: hertz above which movements are calmed.
        progress: called with the frames done and all, of every round; it returns False to cancel, which gives `q`.

    Limits of velocity are not looked at: a calmer clip is slower, but where frames go back to `q` it need not be.
    """
    going = smooth_in_slices(clip, q, frame_seconds, metres=metres, radians=radians, cutoff=cutoff)
    go_on: bool | None = None
    while True:
        try:
            done, count = going.send(go_on)
        except StopIteration as end:
            found: Floats = end.value
            return found
        go_on = progress is None or progress(done, count)


def smooth_in_slices(
    clip: Clip,
    q: ArrayLike,
    frame_seconds: float,
    *,
    metres: float = 0.0005,
    radians: float = 0.005,
    cutoff: float = CUTOFF,
) -> Generator[tuple[int, int], bool | None, Floats]:
    """The same as a generator that yields the frames done and all; sent False, it ends with `q`."""
    solved = _checked(clip, q)
    if not (frame_seconds > 0.0 and cutoff > 0.0 and metres >= 0.0 and radians >= 0.0):
        raise PosewrightError(
            "To smooth takes a time from frame to frame and a cutoff above zero, and no tolerance below"
        )
    strength = (2.0 * math.sin(math.pi * min(cutoff * frame_seconds, 0.5))) ** -4.0
    calm, twin = solved, _Twin(clip)
    for done in range(ROUNDS):
        going = twin.toward(filtered(calm, strength))
        for frames in going:
            if (yield done * len(solved) + frames, ROUNDS * len(solved)) is False:
                return solved
        calm = twin.clip.frames.q.copy()
    return _within(twin, solved, calm, np.array([metres, radians]))


def filtered(q: Floats, strength: float) -> Floats:
    """Variables [frames, variables] with less bending over time: the least of Σ (x - q)² + strength Σ (x'')².

    A movement of the frequency at which strength (2 sin ½ω)⁴ = 1 is halved, without delay; a line stays as it is.
    """
    steps = np.abs(np.diff(q, axis=0)) > JUMP
    bends = ~(steps[1:] | steps[:-1])  # [frames - 2, variables], where nothing leaps

    def apply(x: Floats) -> Floats:
        bend = np.where(bends, x[2:] - 2.0 * x[1:-1] + x[:-2], 0.0) * strength
        found = x.copy()
        found[2:] += bend
        found[1:-1] -= 2.0 * bend
        found[:-2] += bend
        return found

    x, residual = q.copy(), q - apply(q)
    step, square = residual.copy(), (residual**2).sum(axis=0)
    enough = 1e-10 * square
    for _ in range(10 + 4 * math.ceil(math.sqrt(16.0 * strength))):  # conjugate gradients, each variable by itself
        if (square <= enough).all():
            break
        applied = apply(step)
        length = square / np.maximum((step * applied).sum(axis=0), 1e-300)
        x += length * step
        residual -= length * applied
        before, square = square, (residual**2).sum(axis=0)
        step = residual + square / np.maximum(before, 1e-300) * step
    return x


class _Twin:
    """The clip, with its posture toward another pose in each frame."""

    def __init__(self, clip: Clip) -> None:
        problem, frames = clip.problem, clip.frames
        postures = [place for place, goal in enumerate(problem.goals) if isinstance(goal, Displacement)]
        if not postures:
            raise PosewrightError("To smooth a clip, one of its goals has to be a Displacement: add one, of any weight")
        self.clip = copy.copy(clip)
        self.clip.frames = frames._replace(on=frames.on.copy(), pool=frames.pool.copy(), weight=frames.weight.copy())
        self.clip.frames.on[:, postures] = 0
        self.clip.frames.on[:, postures[0]] = 1
        arrays, variables = problem.arrays, len(problem.tree.variables)
        pooled = arrays.pooled[postures[0]]
        self.reference = self.clip.frames.pool[:, pooled : pooled + variables]
        self.clip.frames.weight[:, arrays.row[postures[0]] : arrays.row[postures[0] + 1]] = HELD
        self.counted = [place for place, goal in enumerate(problem.goals) if goal.level != Level.POSTURE]

    def toward(self, pose: Floats) -> Generator[int, bool | None, ClipResult]:
        """Solve each frame from and toward a pose; yields the frames done."""
        frames = self.clip.frames
        self.reference[:] = np.clip(pose, frames.lower, frames.upper)
        budget = Budget(restarts=0, levels=False)
        return solve_in_slices(self.clip, self.reference, budget=budget)

    def errors(self, q: Floats) -> Floats:
        """How far goals are off [frames, goals, 2] in these poses; posture is none."""
        found = solve_many(self.clip, q, budget=Budget(iterations=0, restarts=0, levels=False))
        return np.where(self.clip.frames.on[:, self.counted, None] != 0, found.errors[:, self.counted], 0.0)


def _within(twin: _Twin, solved: Floats, calm: Floats, tolerance: Floats) -> Floats:
    """The calm clip, but back toward the solved one where a goal is farther off than it may be, or was."""
    allowed = np.maximum(twin.errors(solved), tolerance) + 1e-12
    share = np.ones(len(solved))  # of the calm clip
    for turn in range(HALVINGS + len(solved)):
        mixed = solved + _eased(share)[:, None] * (calm - solved)
        bad = (twin.errors(mixed) > allowed).any(axis=(1, 2))
        if not bad.any():
            return mixed
        share[bad] = 0.5 * share[bad] if turn < HALVINGS else 0.0
        if turn < HALVINGS:
            share = _ramped(share)
    return solved


def _eased(share: Floats) -> Floats:
    """The same from 0 to 1, without a corner at either."""
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _ramped(share: Floats) -> Floats:
    """The largest shares below these that change by no more than one in RAMP frames."""
    slope = np.arange(len(share)) / RAMP
    up = np.minimum.accumulate(share - slope) + slope
    return np.asarray(np.minimum.accumulate((up + slope)[::-1])[::-1] - slope)


def _checked(clip: Clip, q: ArrayLike) -> Floats:
    """The solved clip as an array, if it fits."""
    found: Floats = np.array(q, float)
    wanted = (len(clip.frames.ends), len(clip.problem.tree.variables))
    if found.shape != wanted:
        raise PosewrightError(f"The clip to smooth has shape {list(found.shape)}, not {list(wanted)}")
    bad: NDArray[np.intp] = np.flatnonzero(~np.isfinite(found).all(axis=1))
    for frame in bad[:1].tolist():
        clip.problem.tree.check(found[frame], f"frame {frame} of the clip to smooth")
    return np.asarray(np.clip(found, clip.problem.tree.lower, clip.problem.tree.upper))
