"""The registry of goals for compiled code: which function evaluates which kind.

No list of functions: numba would have to compile one for each mix. A chain of comparisons over a dozen kinds costs
nothing that can be measured.
"""

from ...compiled import kernel
from ..kinematics import PoseArrays
from ..rotation import Floats
from .balance import Balance, evaluate_balance
from .centre_of_mass import evaluate_centre_of_mass
from .displacement import evaluate_displacement
from .distance import Distance, evaluate_distance
from .joint_function import evaluate_joint_function
from .joint_value import evaluate_joint_value
from .look_at import evaluate_look_at
from .loop import evaluate_loop
from .orientation import evaluate_orientation
from .pose import evaluate_pose
from .position import Position, evaluate_position
from .tables import GoalArrays, Values, no_tap
from .wire import Wire, evaluate_wire

BALANCE, DISTANCE, POSITION, WIRE = Balance.kind, Distance.kind, Position.kind, Wire.kind


@kernel
def evaluate(goals: GoalArrays, q: Floats, pose: PoseArrays, values: Values) -> None:
    """Residual and taps of every goal that is on; the rows of one that is off are zero."""
    for goal in range(goals.kind.shape[0]):
        row, tap = goals.row[goal], goals.tap[goal]
        if goals.on[goal] == 0:
            values.residual[row : goals.row[goal + 1]] = 0.0
            values.pull[row : goals.row[goal + 1]] = 0.0
            for unused in range(tap, goals.tap[goal + 1]):
                no_tap(values, unused)
            continue
        kind = goals.kind[goal]
        if kind == POSITION:  # most goals of most problems, and a call that hands on 150 numbers takes as long
            evaluate_position(goals, goal, row, tap, pose, values)
        else:
            _evaluate_one(goals, goal, row, tap, q, pose, values)
        if kind not in (BALANCE, DISTANCE, WIRE):  # one-sided: they shift inside their hinge
            for i in range(row, goals.row[goal + 1]):
                values.pull[i] = values.residual[i] + goals.shift[i]


@kernel
def _evaluate_one(
    goals: GoalArrays, goal: int, row: int, tap: int, q: Floats, pose: PoseArrays, values: Values
) -> None:
    kind = goals.kind[goal]
    if kind == 1:
        evaluate_orientation(goals, goal, 0, row, tap, pose, values)
    elif kind == 2:
        evaluate_pose(goals, goal, row, tap, pose, values)
    elif kind == 3:
        evaluate_look_at(goals, goal, row, tap, pose, values)
    elif kind == 4:
        evaluate_displacement(goals, goal, row, tap, q, values)
    elif kind == 5:
        evaluate_joint_value(goals, goal, row, tap, q, values)
    elif kind == 6:
        evaluate_distance(goals, goal, row, tap, pose, values)
    elif kind == 7:
        evaluate_joint_function(goals, goal, row, tap, q, values)
    elif kind == 8:
        evaluate_centre_of_mass(goals, goal, row, tap, pose, values)
    elif kind == 9:
        evaluate_wire(goals, goal, row, tap, pose, values)
    elif kind == 10:
        evaluate_loop(goals, goal, row, tap, pose, values)
    elif kind == 11:
        evaluate_balance(goals, goal, row, tap, pose, values)
