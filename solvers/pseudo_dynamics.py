"""Levenberg-Marquardt by pseudo-forward dynamics: the steps of `levenberg`, in O(N) (Ayusawa et al., LM-PFD).

What differs is the linear algebra: sweeps over the tree (`articulated`) in place of a matrix, with rows on several
bodies as rank-one updates (`coupling`). Damping, limits, curvature and correction are those of `levenberg`; of the
curvature that of wires is missing, and how the direction turns in which things keep off each other.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel
from .articulated import factor_sweep
from .coupling import Bools
from .evaluation import Evaluation
from .inertia import Articulated, gather_bent, gather_inertia, new_articulated
from .rotation import Floats


class PseudoRoom(NamedTuple):
    """Room for the O(N) step. V variables."""

    body: Articulated
    free: Bools  # [V]
    damping: Floats  # [V]


def new_pseudo_room(problem: Evaluation, coupled: int) -> PseudoRoom:
    """Room for the steps of a problem; see `new_articulated`."""
    room = new_articulated(problem, coupled)
    return PseudoRoom(room, np.ones(room.size.shape[0], np.bool_), np.zeros(room.size.shape[0]))


@kernel
def inertia_here(problem: Evaluation, q: Floats, pull: Floats, bent: bool, room: PseudoRoom) -> None:
    """What `hessian_here` does, for sweeps: at `q` [V], evaluated last, with rows that pull with `pull` [M]."""
    if bent:
        gather_bent(problem, q, pull, room.body)
    else:
        gather_inertia(problem, room.body)


@kernel
def factor_damped(problem: Evaluation, room: PseudoRoom, damping: float) -> bool:
    """Factor H + λ over room.free. False if it is not positive."""
    room.damping[:] = damping
    return factor_sweep(problem, room.damping, room.free, room.body)
