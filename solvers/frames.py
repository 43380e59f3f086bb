"""The frames of a clip as the kernels see them: what changes from frame to frame, and what was found for each."""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel
from .evaluation import Evaluation
from .goals.tables import FLOATS, GoalArrays
from .kinematics import Ints
from .rotation import Floats


class Frames(NamedTuple):
    """F frames. Where the goals do not change, their tables have no rows."""

    on: Ints  # [F or 0, G]
    floats: Floats  # [F or 0, G, 32]
    pool: Floats  # [F or 0, P]
    weight: Floats  # [F or 0, M]
    start: Floats  # [F, V]
    lower: Floats  # [V], the tree's own limits
    upper: Floats  # [V]
    fastest: Floats  # [V], the greatest change from one frame to the next
    q: Floats  # [F, V], found
    gradient: Floats  # [F, V], there, with the multipliers of `levels`
    errors: Floats  # [F, G, 2], metres and radians
    cost: Floats  # [F], without multipliers
    ends: Ints  # [F, 2], why the search ended (search.RUNNING, ...) and after how many iterations


def new_frames(problem: Evaluation, count: int, changing: int) -> Frames:
    """Room for so many frames, and for the goals of as many, or none, that change them."""
    goals, variables = problem.goals, len(problem.lower)
    return Frames(
        on=np.zeros((changing, len(goals.on)), np.int64),
        floats=np.zeros((changing, len(goals.on), FLOATS)),
        pool=np.zeros((changing, len(goals.pool))),
        weight=np.zeros((changing, len(goals.weight))),
        start=np.zeros((count, variables)),
        lower=problem.lower.copy(),
        upper=problem.upper.copy(),
        fastest=np.full(variables, np.inf),
        q=np.zeros((count, variables)),
        gradient=np.zeros((count, variables)),
        errors=np.zeros((count, len(goals.on), 2)),
        cost=np.zeros(count),
        ends=np.zeros((count, 2), np.int64),
    )


@kernel
def move_box(frames: Frames, last: Floats, lower: Floats, upper: Floats) -> None:
    """The limits [V] of the frame after one that ended at `last` [V]: a box around it, inside the tree's own."""
    for i in range(lower.shape[0]):
        lower[i] = max(frames.lower[i], min(last[i] - frames.fastest[i], frames.upper[i]))
        upper[i] = min(frames.upper[i], max(last[i] + frames.fastest[i], frames.lower[i]))


@kernel
def put_goals(frames: Frames, frame: int, goals: GoalArrays) -> None:
    """Put a frame's goals into the tables that are solved."""
    if frame >= frames.on.shape[0]:
        return
    for goal in range(goals.on.shape[0]):
        goals.on[goal] = frames.on[frame, goal]
        for i in range(goals.floats.shape[1]):
            goals.floats[goal, i] = frames.floats[frame, goal, i]
    for i in range(goals.pool.shape[0]):
        goals.pool[i] = frames.pool[frame, i]
    for row in range(goals.weight.shape[0]):
        goals.weight[row] = frames.weight[frame, row]
