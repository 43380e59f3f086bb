"""Room for the second derivative: its matrix, which entries there are, and what they are made of.

Kernels allocate nothing, so all of it is made once for a problem. `hessian` puts the whole together, `hessian_rows` and
`wire_curvature` add their parts.
"""

from typing import NamedTuple

import numpy as np

from .kinematics import Ints
from .rotation import Floats

FORCE, WIDTH = 36, 42  # a body's numbers: A row by row, then the pull on it


class HessianRoom(NamedTuple):
    """Room for the second derivative. B bodies, V variables."""

    matrix: Floats  # [V, V], in its lower half
    above: Ints  # [V], the last variable before each whose entry with it may not be zero; -1 if there is none
    axis: Floats  # [V, 6], twist of each variable about the bodies' middle
    hung: Floats  # [B, 3], the point that a steady body hangs on, about the same
    body: Floats  # [B, 42]
    wrench: Floats  # [B, 6], the pull on it and on those below it
    knit: Floats  # [V, 6], what `bend_joints` says
    held: Ints  # [B], one more than the row of `body` that has what pulls on it and those below; 0 if nothing does
    tug: Floats  # [B, 7], what a coupled row pulls on each body with, and how large it was; zero between rows
    row: Floats  # [V], a coupled row of the Jacobian; zero between rows
    entry: Ints  # [V], where it is not zero
    side: Floats  # [V, 7], what `wire_curvature` says of a piece


def new_hessian_room(bodies: int, variables: int) -> HessianRoom:
    """Room for the second derivative of a problem."""
    return HessianRoom(
        np.zeros((variables, variables)),
        np.zeros(variables, np.int64),
        np.zeros((variables, 6)),
        np.zeros((bodies, 3)),
        np.zeros((bodies, WIDTH)),
        np.zeros((bodies, 6)),
        np.zeros((variables, 6)),
        np.zeros(bodies, np.int64),
        np.zeros((bodies, 7)),
        np.zeros(variables),
        np.zeros(variables, np.int64),
        np.zeros((variables, 7)),
    )
