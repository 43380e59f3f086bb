"""Solving a clip: many frames in compiled slices, with progress and a way out between them."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..entry import Bound
from .errors import PosewrightError
from .evaluation import Evaluation
from .evolution import Colony
from .frames import Frames, new_frames
from .goals.displacement import Displacement
from .goals.goal import Goal
from .goals.tables import Packed
from .levenberg import NormalRoom
from .memetic import MemeticOptions
from .methods import new_room
from .plan import Plan
from .problem import Problem, weight_factor
from .rotation import Floats
from .run import run
from .search import Search, new_search
from .solve import ENDS, Budget, Status, colony_of, memory_of, number_of, plan_of

SLICE = 20  # frames between two looks at the progress: some 20 ms


class Clip:
    """The goals of a problem over time, packed once: for each frame as many goals as the problem has, of its kinds."""

    def __init__(self, problem: Problem, goals: Sequence[Sequence[Goal]]) -> None:
        self.problem = problem
        self.frames: Frames = new_frames(problem.evaluation, len(goals), len(goals))
        for frame, given in enumerate(goals):
            if len(given) != len(problem.goals):
                raise PosewrightError(f"frame {frame} has {len(given)} goals; the problem has {len(problem.goals)}")
        for index, each in enumerate(zip(*goals, strict=True)):
            self.put(index, each)

    def put(self, index: int, goals: Sequence[Goal]) -> None:
        """Give all frames their goals for one place of the problem. The same object as before is not packed again."""
        problem, table, rows = self.problem, self.frames, self.problem.arrays.row
        others, packed = list[Goal](), list[Packed]()
        which = np.zeros(len(goals), np.int64)  # of them, on each frame
        for frame, goal in enumerate(goals):
            if not others or goal is not others[-1]:
                try:
                    packed.append(problem.packed(index, goal))
                except PosewrightError as error:
                    raise PosewrightError(f"frame {frame}: {error}") from error
                others.append(goal)
            which[frame] = len(others) - 1
        factors = np.array([weight_factor(goal) for goal in others])
        weights = np.array([one.weights for one in packed]) * factors[:, None]
        floats, pools = np.array([one.floats for one in packed]), np.array([one.pool for one in packed])
        table.on[:, index] = np.array([goal.on for goal in others])[which]
        table.floats[:, index, : floats.shape[1]] = floats[which]
        table.weight[:, rows[index] : rows[index + 1]] = weights[which]
        self._part_of_pool(index, pools.shape[1])[:] = pools[which]

    def put_references(self, index: int, references: ArrayLike) -> None:
        """Give all frames the references [frames, variables] of a `Displacement`. That takes 50 µs a frame by `put`."""
        tree, given = self.problem.tree, np.asarray(references, float)
        if self.problem.goals[index].kind != Displacement.kind:
            raise self.problem.goals[index].complain("has no reference")
        if given.shape != (len(self.frames.on), len(tree.variables)) or not np.isfinite(given).all():
            raise PosewrightError(f"finite references of {len(self.frames.on)} frames, please; not {given.shape}")
        self._part_of_pool(index, len(tree.variables))[:] = given

    def _part_of_pool(self, index: int, count: int) -> Floats:
        begin = self.problem.arrays.pooled[index]
        return self.frames.pool[:, begin : begin + count]


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
        options: as for `solve`. Frames that do not depend on the last are solved in so many threads, joined after each
            slice.
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
    alone = carry_on or frame_seconds is not None
    options = options or MemeticOptions()
    lanes = [_Lane(problem, solver, budget, options, place) for place in range(1 if alone else options.threads)]
    done, go_on, pool = 0, True, ThreadPoolExecutor(len(lanes))  # without threads until they have something to do
    try:
        while done < count and go_on:
            ahead = min(done + frames, count)
            plan = plan_of(problem, solver, budget, budget.iterations)
            plan = plan._replace(carry_on=carry_on, alike=options.alike)
            _run(lanes, pool, table, plan, done, ahead)
            done = ahead
            go_on = (yield done) is not False
    finally:
        pool.shutdown()
        for index, goal in enumerate(problem.goals):
            problem.change(index, goal)  # the tables have the last frame's
    return ClipResult(
        q=table.q[:done].copy(),
        status=[ENDS.get(end, Status.OUT_OF_ITERATIONS) for end in table.ends[:done, 0].tolist()],
        errors=table.errors[:done].copy(),
        cost=table.cost[:done].copy(),
        iterations=table.ends[:done, 1].copy(),
    )


class _Lane:
    """What a thread works in; the first in the problem's own tables."""

    def __init__(self, problem: Problem, solver: str, budget: Budget, options: MemeticOptions, place: int) -> None:
        self.evaluation = _copied(problem.evaluation) if place else problem.evaluation
        self.search: Search = new_search(self.evaluation, memory_of(problem, solver), budget.seed)
        self.colony: Colony = colony_of(problem, solver, options)
        self.room: NormalRoom = new_room(self.evaluation, number_of(problem, solver))
        self._last: Bound[None] | None = None

    def bound(self, frames: Frames, plan: Plan) -> Bound[None]:
        """Some of the frames, to be called."""
        if self._last is None:
            self._last = run.bind(self.evaluation, self.search, self.room, frames, self.colony, plan)
        else:
            self._last = self._last.with_last(plan)
        return self._last


def _copied(problem: Evaluation) -> Evaluation:
    """The same problem in other tables: a frame's goals and limits are put into them."""
    return problem._replace(
        goals=deepcopy(problem.goals),
        lower=problem.lower.copy(),
        upper=problem.upper.copy(),
        pose=deepcopy(problem.pose),
        values=deepcopy(problem.values),
        force=problem.force.copy(),
    )


def _run(lanes: Sequence[_Lane], pool: Executor, frames: Frames, plan: Plan, first: int, last: int) -> None:
    """Solve some frames, side by side; all threads are done when it returns."""
    if run.ready is None:  # not compiled yet, or never: threads would only wait for each other
        lanes = lanes[:1]
    ends = np.linspace(first, last, len(lanes) + 1).astype(int).tolist()
    parts = [
        lane.bound(frames, plan._replace(first=begin, last=end))
        for lane, begin, end in zip(lanes, ends[:-1], ends[1:], strict=True)
    ]
    if len(parts) == 1:
        parts[0]()
        return
    list(pool.map(Bound.__call__, parts))
