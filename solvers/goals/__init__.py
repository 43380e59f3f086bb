"""What a pose is to achieve, one goal a file. May import tree, kinematics and rotation of solvers."""

from .displacement import Displacement
from .goal import Goal, Level
from .joint_value import JointValue
from .look_at import LookAt
from .orientation import Orientation
from .pose import Pose
from .position import Position

__all__ = ["Displacement", "Goal", "JointValue", "Level", "LookAt", "Orientation", "Pose", "Position"]
