"""The registry of goals whose pull changes as the body moves: which function says how, for which kind.

Gauss-Newton leaves this out. It is small where a goal is met, and most of the curvature where it is out of reach.
"""

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats, Vector
from .balance import bend_balance
from .centre_of_mass import bend_centre_of_mass
from .distance import bend_distance
from .look_at import bend_look_at
from .orientation import bend_orientation
from .pose import bend_pose
from .position import bend_position
from .tables import GoalArrays


@kernel
def bend(goals: GoalArrays, goal: int, pose: PoseArrays, pull: Floats, centre: Vector, bending: Floats) -> bool:
    """Add to each body's matrix in `bending` [B, 36+] how a goal's pull on it changes as it moves, about `centre`.

    Its rows pull with the forces `pull` [M], held constant; that these change too is the inertia w g gᵀ.
    False if nothing is known about this kind of goal: linear ones have no such change, the others do without.
    """
    kind, row = goals.kind[goal], goals.row[goal]
    if kind == 0:
        bend_position(goals, goal, row, pose, pull, centre, bending)
    elif kind == 1:
        bend_orientation(goals, goal, 0, row, pose, pull, bending)
    elif kind == 2:
        bend_pose(goals, goal, row, pose, pull, centre, bending)
    elif kind == 3:
        bend_look_at(goals, goal, row, pose, pull, centre, bending)
    elif kind == 6:
        return bend_distance(goals, goal, row, pose, pull, centre, bending)
    elif kind == 8:
        bend_centre_of_mass(goals, goal, row, pose, pull, centre, bending)
    elif kind == 11:
        bend_balance(goals, goal, row, pose, pull, centre, bending)
    else:
        return False
    return True
