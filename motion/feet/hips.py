"""The pelvis follows the feet: as far as both are moved on average, and lower where a leg would be too short.

It goes higher where a leg would have to be folded: who climbs stairs rises before the thigh is at the belly. Of both, a
leg that is too short has the last word.
"""

from collections.abc import Sequence

import numpy as np

from ...solvers.rotation import Floats
from . import easing
from .walk import Bools

SPARE = 0.002  # of the longest leg, that stays unused: a knee that is quite straight cannot follow a foot that is held
SINKING = 0.15  # seconds before and after a leg is too short, in which the pelvis sinks and rises
LITTLE = 0.01  # metres: so far a pelvis sinks in half the time
FOLDED = 0.55  # of the longest leg: from hip to ankle it is no less, or as little as in the source
SAME = 0.02  # metres: a leg that is changed by less is the source's own
NOTHING = 1e-9  # metres
DEEPEST = 0.6  # of a leg, that a pelvis sinks at most


def follow(
    moved: Sequence[Floats],
    hips: Sequence[Floats],
    were: Sequence[Floats],
    ankles: Sequence[Floats],
    legs: Sequence[float],
    seconds: float,
) -> tuple[Floats, Bools]:
    """How far the pelvis goes [F, 3], and the frames [F] at which no pelvis would do.

    Args:
        moved: for each foot, how far its stances move it [F, 3].
        hips: for each foot, where its hip is in the source [F, 3].
        were: where each ankle is in the source [F, 3].
        ankles: where each ankle is to be [F, 3].
        legs: how long each leg may be, metres.
        seconds: from frame to frame.
    """
    found: Floats = np.mean(moved, axis=0)
    found[:, 2] += easing.over(_folded(found, hips, were, ankles, legs), round(SINKING / seconds))
    lower = np.zeros(len(found))
    cannot: Bools = np.zeros(len(found), np.bool_)
    for hip, ankle_was, ankle, leg in zip(hips, were, ankles, legs, strict=True):
        there, was = hip + found, ankle_was - hip
        same = np.linalg.norm(ankle - there - was, axis=1) < SAME  # then it may be as straight as in the source
        longest = np.where(same, np.maximum((1.0 - SPARE) * leg, np.linalg.norm(was, axis=1)), (1.0 - SPARE) * leg)
        far = np.linalg.norm((ankle - there)[:, :2], axis=1)
        most = ankle[:, 2] + np.sqrt(np.maximum(longest**2 - far**2, 0.0))
        need = there[:, 2] - most
        need[need < NOTHING] = 0.0
        cannot = np.asarray(cannot | (far > longest) | (need > DEEPEST * leg))
        lower = np.maximum(lower, np.minimum(need, DEEPEST * leg))
    sinking = SINKING if lower.max(initial=0.0) > LITTLE else 0.5 * SINKING
    found[:, 2] -= easing.over(lower, round(sinking / seconds))
    return found, cannot


def _folded(
    found: Floats, hips: Sequence[Floats], were: Sequence[Floats], ankles: Sequence[Floats], legs: Sequence[float]
) -> Floats:
    """How much higher the pelvis, moved so far [F, 3], has to be [F], metres, for no leg to be folded."""
    higher = np.zeros(len(found))
    for hip, ankle_was, ankle, leg in zip(hips, were, ankles, legs, strict=True):
        there, was = hip + found, np.linalg.norm(ankle_was - hip, axis=1)
        shortest = np.minimum(FOLDED * leg, was)
        far = np.linalg.norm((ankle - there)[:, :2], axis=1)
        least = ankle[:, 2] + np.sqrt(np.maximum(shortest**2 - far**2, 0.0))
        need = np.where(shortest > far, least - there[:, 2], 0.0)
        higher = np.maximum(higher, np.where(need > NOTHING, need, 0.0))
    return higher
