"""How well a body that follows a clip's goals is like the person who was captured. Numpy only; knows no solver."""

from collections.abc import Sequence

import numpy as np

from .capture import Capture, Floats, inverse, product, quaternions
from .report import Row

POP = 0.02  # metres: a step of a joint longer than its longest in the clip by this much is a pop


def judge(row: Row, capture: Capture, places: Floats, turns: Floats, oriented: Sequence[int]) -> Row:
    """Fill in a row's figures from where the bones were [F, B, 4, 4]. Returns the row.

    `turns` [F, B, 4] is how the bones are turned in the clip; `oriented` are the joints whose goals say so too.
    """
    at, goals = places[:, :, :3, 3], capture.goals()
    off = np.linalg.norm(at - capture.positions, axis=-1)  # [F, B]
    row.n = len(at)
    row.goal_error_cm, row.worst_error_cm = 100 * float(off[:, goals].mean()), 100 * float(off[:, goals].max())
    row.joint_distance_cm = 100 * float(off.mean())
    row.jitter = accelerations(at) / accelerations(capture.positions)
    row.pops = pops(at, capture.positions)
    between = product(inverse(turns[:, oriented]), quaternions(places[:, oriented, :3, :3]))
    angles = 2.0 * np.degrees(np.arctan2(np.linalg.norm(between[..., 1:], axis=-1), np.abs(between[..., 0])))
    free = 100 * off[:, capture.free()].mean()
    row.note = f"without goals {free:.2f} cm; turned {angles.mean():.2f}°, worst {angles.max():.2f}°"
    return row


def accelerations(at: Floats) -> float:
    """Mean length of the second differences of positions [F, B, 3]."""
    return float(np.linalg.norm(np.diff(at, 2, axis=0), axis=-1).mean())


def pops(at: Floats, source: Floats) -> int:
    """How many steps of a joint are longer than its longest in the clip, by more than POP."""
    longest = np.linalg.norm(np.diff(source, axis=0), axis=-1).max(axis=0)
    return int((np.linalg.norm(np.diff(at, axis=0), axis=-1) > longest + POP).sum())
