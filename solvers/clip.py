"""Solving a clip: many frames in compiled slices, with progress and a way out between them."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .errors import PosewrightError
from .frames import Frames, new_frames
from .goals.goal import Goal
from .memetic import MemeticOptions
from .problem import Problem
from .rotation import Floats
from .run import new_room, run
from .search import new_search
from .solve import ENDS, Budget, Status, colony_of, memory_of, method_of, plan_of

SLICE = 20  # frames between two looks at the progress: some 20 ms


class Clip:
    """The goals of a problem over time, packed once: for each frame as many goals as the problem has, of its kinds."""

    def __init__(self, problem: Problem, goals: Sequence[Sequence[Goal]]) -> None:
        self.problem = problem
        self.frames: Frames = new_frames(problem.evaluation, len(goals), len(goals))
        before = list(problem.goals)
        try:
            for frame, given in enumerate(goals):
                self.put(frame, given)
        finally:
            for index, goal in enumerate(before):
                problem.change(index, goal)

    @classmethod
    def with_room(cls, problem: Problem, count: int) -> "Clip":
        """A clip of so many frames, each of which gets its goals by `put` before it is solved."""
        found = cls(problem, [])
        found.frames = new_frames(problem.evaluation, count, count)
        return found

    def put(self, frame: int, goals: Sequence[Goal]) -> None:
        """Give a frame its goals; the problem has them as well then."""
        problem, arrays = self.problem, self.problem.arrays
        if len(goals) != len(problem.goals):
            raise PosewrightError(f"frame {frame} has {len(goals)} goals; the problem has {len(problem.goals)}")
        for index, goal in enumerate(goals):
            if goal is not problem.goals[index]:
                try:
                    problem.change(index, goal)
                except PosewrightError as error:
                    raise PosewrightError(f"frame {frame}: {error}") from error
        frames = self.frames
        frames.on[frame], frames.floats[frame] = arrays.on, arrays.floats
        frames.pool[frame], frames.weight[frame] = arrays.pool, arrays.weight


@dataclass(frozen=True)
class ClipResult:
    """What was found for the frames that were solved: all of them, unless it was cancelled.

    Attributes:
        q: [frames, variables], inside the limits.
        status: how each frame ended.
        errors: [frames, goals, 2], in metres and radians.
        cost, iterations: [frames].
    """

    q: Floats
    status: list[Status]
    errors: Floats
    cost: Floats
    iterations: np.ndarray


def solve_many(
    clip: Clip,
    starts: ArrayLike | None = None,
    solver: str = "auto",
    budget: Budget | None = None,
    *,
    carry_on: bool = False,
    frame_seconds: float | None = None,
    progress: Callable[[int, int], bool] | None = None,
    options: MemeticOptions | None = None,
) -> ClipResult:
    """Solve every frame of a clip.

    Args:
        clip: the goals of each frame.
        starts: where each frame begins, [frames, variables] or [variables] for all; by default the rest values.
        solver: as for `solve`.
        budget: for each frame; one of seconds is refused, because frames would depend on the machine's speed.
        carry_on: begin each frame but the first where the last one ended; `mirror` takes its momentum along (eq. 17).
        frame_seconds: the time from frame to frame, for joints with a velocity limit: each stays in a box around its
            value in the last frame. Without it they have none.
        progress: called between slices with the frames done and all; it returns False to cancel.
        options: as for `solve`; one thread is used.
    """
    count = len(clip.frames.ends)
    going = solve_in_slices(
        clip,
        starts,
        solver,
        budget,
        carry_on=carry_on,
        frame_seconds=frame_seconds,
        options=options,
        frames=SLICE if progress else max(count, 1),
    )
    go_on: bool | None = None
    while True:
        try:
            done = going.send(go_on)
        except StopIteration as end:
            found: ClipResult = end.value
            return found
        go_on = progress is None or progress(done, count)


def solve_in_slices(
    clip: Clip,
    starts: ArrayLike | None = None,
    solver: str = "auto",
    budget: Budget | None = None,
    *,
    carry_on: bool = False,
    frame_seconds: float | None = None,
    options: MemeticOptions | None = None,
    frames: int = SLICE,
) -> Generator[int, bool | None, ClipResult]:
    """The same as a generator, for those who have other things to do in between.

    It yields how many frames are done after each slice of so many `frames`; sent False, it ends with what it has.
    """
    problem, table, budget = clip.problem, clip.frames, budget or Budget()
    tree, count = problem.tree, len(table.ends)
    if budget.seconds is not None:
        raise PosewrightError("a clip takes no budget of seconds: its frames would depend on the machine's speed")
    if frame_seconds is not None and not frame_seconds > 0.0:
        raise PosewrightError(f"the time from frame to frame is above zero, not {frame_seconds}")
    given = np.asarray(tree.start() if starts is None else starts, float)
    if given.shape not in {(len(tree.variables),), (count, len(tree.variables))}:
        raise PosewrightError(f"the starts have shape {given.shape}, not ({count}, {len(tree.variables)})")
    table.start[:] = given
    for frame in np.flatnonzero(~np.isfinite(table.start).all(axis=1))[:1]:
        tree.check(table.start[frame], f"the start of frame {frame}")
    np.clip(table.start, tree.lower, tree.upper, out=table.start)
    table.fastest[:] = np.inf if frame_seconds is None else tree.velocity * frame_seconds
    search = new_search(problem.evaluation, memory_of(problem, solver), budget.seed)
    colony = colony_of(problem, solver, options or MemeticOptions())
    room = new_room(problem.evaluation, method_of(solver).number)
    done, go_on = 0, True
    try:
        while done < count and go_on:
            ahead = min(done + frames, count)
            plan = plan_of(problem, solver, budget, budget.iterations, (done, ahead))._replace(carry_on=carry_on)
            run(problem.evaluation, search, room, table, colony, plan)
            done = ahead
            go_on = (yield done) is not False
    finally:
        for index, goal in enumerate(problem.goals):
            problem.change(index, goal)  # the tables have the last frame's
    return ClipResult(
        q=table.q[:done].copy(),
        status=[ENDS.get(end, Status.OUT_OF_ITERATIONS) for end in table.ends[:done, 0].tolist()],
        errors=table.errors[:done].copy(),
        cost=table.cost[:done].copy(),
        iterations=table.ends[:done, 1].copy(),
    )
