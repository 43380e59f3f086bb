"""Toes that bend about one axis only: then a foot that rolls off over its ball turns about that axis, too.

A toe stays flat while the heel rises. What is left of the foot's turn beside the bending, a roll or a yaw against the
toe, no such joint can do: the foot goes without while the toe is held, and comes back to it afterwards.
"""

import numpy as np

from ...solvers.rotation import Floats
from . import easing, turns
from .swings import Way, joint_of
from .walk import BALL, HEEL, Bools


def fit(way: Way, held: Bools, blend: int) -> None:
    """Turn feet and toes so that one is bent against the other about the toe's axis only.

    Args:
        way: filled in.
        held: [F, 3], which parts of the sole touch the ground.
        blend: frames in which a foot comes back to its own turn.
    """
    foot = way.foot
    if foot.toe is None or foot.hinge is None:
        return
    frames = np.arange(len(foot.hip))
    own = foot.ankle.turns.swapaxes(1, 2) @ foot.toe.turns  # the toe against the foot, as the source has it
    bent = own.swapaxes(1, 2) @ way.turns.swapaxes(1, 2) @ way.toes
    reached = own @ turns.matrix_of(_about(bent, foot.hinge)[:, None] * foot.hinge)
    joint = joint_of(way, frames)
    off = turns.vector_of(way.toes @ (way.turns @ reached).swapaxes(1, 2))
    rolling = held[:, BALL:].any(axis=1) & ~held[:, HEEL]
    lean = turns.matrix_of(_eased(off, rolling, held[:, HEEL], blend))
    way.places[:] = joint + np.einsum("fij,fj->fi", lean, way.places - joint)
    way.turns[:] = lean @ way.turns
    way.toes[:] = np.where(rolling[:, None, None], way.toes, way.turns @ reached)


def _about(turned: Floats, axis: Floats) -> Floats:
    """The angles [F] about a unit axis [3] that are in rotations [F, 3, 3]: their twist."""
    vectors = turns.vector_of(turned)
    angles = np.linalg.norm(vectors, axis=1)
    along = (vectors @ axis) / np.maximum(angles, 1e-12)
    found: Floats = 2.0 * np.arctan2(along * np.sin(0.5 * angles), np.cos(0.5 * angles))
    return found


def _eased(off: Floats, some: Bools, never: Bools, blend: int) -> Floats:
    """What is off [F, 3] on some frames [F], and less and less around them, but nothing where it is never to be."""
    found, frames, there = np.where(some[:, None], off, 0.0), np.arange(len(off)), np.flatnonzero(some)
    if not len(there):
        return found
    left = np.flatnonzero(~some & ~never)
    after = np.searchsorted(there, left)
    for edges, inside in ((after - 1, after > 0), (after, after < len(there))):
        edge = there[np.clip(edges, 0, len(there) - 1)]
        fading = 1.0 - easing.between(np.abs(frames[left] - edge) / max(blend, 1))
        found[left] += np.where(inside, fading, 0.0)[:, None] * off[edge]
    return found
