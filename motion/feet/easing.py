"""Curves that join: from one value to another, out of a speed, over what must not be touched."""

import numpy as np

from ...solvers.rotation import Floats


def between(part: Floats) -> Floats:
    """From 0 to 1 with the least jerk, beginning and ending at rest: of parts of the way [...], 0 to 1 (and beyond)."""
    x = np.clip(part, 0.0, 1.0)
    found: Floats = x * x * x * (10.0 + x * (6.0 * x - 15.0))
    return found


def run_out(part: Floats) -> Floats:
    """What is left of a speed of 1 that is braked: 0 at 0, where it rises by 1, and 0 from 1 on, at rest."""
    x = np.clip(part, 0.0, 1.0)
    found: Floats = x * (1.0 - x) ** 3
    return found


def over(wanted: Floats, frames: int) -> Floats:
    """A smooth curve [F] that is nowhere below another [F], and as high only near where that is.

    The largest value within some frames to each side, averaged over as many: each average is of values that have the
    frame itself in their reach.
    """
    if frames < 1 or not np.any(wanted > 0.0):
        return np.maximum(wanted, 0.0)
    around = np.lib.stride_tricks.sliding_window_view
    wide = around(np.pad(np.maximum(wanted, 0.0), 2 * frames, mode="edge"), 2 * frames + 1).max(axis=1)
    weights = np.hanning(2 * frames + 3)[1:-1]
    found: Floats = around(wide, 2 * frames + 1) @ (weights / weights.sum())
    return found
