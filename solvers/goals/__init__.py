"""What a pose is to achieve, one goal a file. May import tree, kinematics and rotation of solvers."""

from .balance import Balance
from .centre_of_mass import CentreOfMass
from .displacement import Displacement
from .distance import Capsule, Distance, Plane, Sphere
from .goal import Goal
from .joint_function import JointFunction
from .joint_value import JointValue
from .look_at import LookAt
from .loop import Loop
from .orientation import Orientation
from .pose import Pose
from .position import Position
from .solids import Box, Field, Grid
from .tables import Level
from .wire import Wire

__all__ = [
    "Balance",
    "Box",
    "Capsule",
    "CentreOfMass",
    "Displacement",
    "Distance",
    "Field",
    "Goal",
    "Grid",
    "JointFunction",
    "JointValue",
    "Level",
    "LookAt",
    "Loop",
    "Orientation",
    "Plane",
    "Pose",
    "Position",
    "Sphere",
    "Wire",
]
