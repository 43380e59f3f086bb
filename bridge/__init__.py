"""The only rooms where Blender's data and arrays meet. May import motion, solvers and the root's helpers.

A room is loaded when it is first used (`bridge.compilation.start()`), not when this package is imported: most rooms
import numpy, which takes Blender 0.1 s that enabling an add-on must not cost. So other packages write
`from .. import bridge`, never `from ..bridge import room`.
"""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import action_curves as action_curves
    from . import animated as animated
    from . import armature as armature
    from . import asked as asked
    from . import baking as baking
    from . import batch as batch
    from . import channels as channels
    from . import collision as collision
    from . import compilation as compilation
    from . import dragging as dragging
    from . import errors as errors
    from . import facing as facing
    from . import feet as feet
    from . import follow_motion as follow_motion
    from . import following as following
    from . import frame_ranges as frame_ranges
    from . import goal_curves as goal_curves
    from . import goal_list as goal_list
    from . import goal_mirroring as goal_mirroring
    from . import goal_states as goal_states
    from . import goals_from_action as goals_from_action
    from . import habit as habit
    from . import holding as holding
    from . import item_lists as item_lists
    from . import joint_settings as joint_settings
    from . import joints as joints
    from . import keying as keying
    from . import limb_switches as limb_switches
    from . import limbs as limbs
    from . import limit_shapes as limit_shapes
    from . import limits as limits
    from . import list_curves as list_curves
    from . import live as live
    from . import mannequin as mannequin
    from . import mirroring as mirroring
    from . import modes as modes
    from . import obstacles as obstacles
    from . import one_bone as one_bone
    from . import outcome as outcome
    from . import own_joints as own_joints
    from . import pelvis as pelvis
    from . import places as places
    from . import pose as pose
    from . import pose_assets as pose_assets
    from . import proportions as proportions
    from . import ready as ready
    from . import reference as reference
    from . import relations as relations
    from . import resetting as resetting
    from . import rig as rig
    from . import roles as roles
    from . import rotations as rotations
    from . import searching as searching
    from . import selection as selection
    from . import signature as signature
    from . import snapping as snapping
    from . import source_posture as source_posture
    from . import stance as stance
    from . import standing as standing
    from . import symmetry as symmetry
    from . import together as together
    from . import twins as twins
    from . import variations as variations
    from . import watch as watch


def loader(package: str) -> Callable[[str], ModuleType]:
    """What loads the rooms of a package when they are first used: its `__getattr__`."""

    def load(name: str) -> ModuleType:
        try:
            return importlib.import_module(f".{name}", package)
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
            raise AttributeError(f"module {package!r} has no room {name!r}") from None

    return load


__getattr__ = loader(__name__)
