"""The time of every frame that `solve_many` solves."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from posewright.solvers import clip
from posewright.solvers.run import run

from .robots import Floats


class Ticks:
    """What is called after each frame, as `progress`."""

    def __init__(self) -> None:
        self.times = [time.perf_counter()]

    def __call__(self, _done: int, _all: int) -> bool:
        """Note the time."""
        self.times.append(time.perf_counter())
        return True

    def seconds(self) -> Floats:
        """How long each frame took; the first one from when this was made."""
        return np.diff(self.times)


@contextmanager
def frame_by_frame() -> Iterator[Ticks]:
    """Let `solve_many` return to Python after every frame.

    It would bind its tables to the compiled code anew each time, which takes 0.3 ms: here they are bound once. What is
    left of returning is 4 µs a frame.
    """
    bound = list[Any]()

    def again(*arguments: Any) -> None:  # noqa: ANN401 - as `run` takes them
        if not bound:
            bound.append(run.bind(*arguments))
        plan = arguments[-1]
        assert plan._fields[-3:] == ("first", "last", "part")  # the last that is noted of the arguments
        bound[0].noted[-3:-1] = plan.first, plan.last
        bound[0]()

    with patch.multiple(clip, SLICE=1, run=again):
        yield Ticks()
