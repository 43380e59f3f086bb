"""What Blender stores for Posewright, on armature objects and for the session. May import registration only.

Every property is declared twice: to Blender in a table, to the type checker in a view. A view is what a data-block
looks like once the table is registered.
"""

from contextlib import ExitStack

import bpy

from .. import registration
from .body_shapes import POSEWRIGHT_PG_shape
from .bones import BLOCK, POSEWRIGHT_PG_bones, POSEWRIGHT_PG_chosen, POSEWRIGHT_PG_muted
from .characters import (
    CHARACTER,
    Character,
    active_goal,
    active_relation,
    asking,
    character,
    is_linked,
    relations_of,
)
from .copied import POSEWRIGHT_PG_copied
from .feet import POSEWRIGHT_PG_contact, POSEWRIGHT_PG_sole
from .goals import POSEWRIGHT_PG_goal, asks
from .joints import POSEWRIGHT_PG_joint, joint_trouble
from .kept import NO_TURN
from .names import free_name
from .relations import AGAINST, POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from .roles import POSEWRIGHT_PG_role
from .window_manager import SESSION, Session, session

__all__ = [
    "AGAINST",
    "BLOCK",
    "NO_TURN",
    "Character",
    "POSEWRIGHT_PG_bones",
    "POSEWRIGHT_PG_chosen",
    "POSEWRIGHT_PG_contact",
    "POSEWRIGHT_PG_copied",
    "POSEWRIGHT_PG_goal",
    "POSEWRIGHT_PG_joint",
    "POSEWRIGHT_PG_muted",
    "POSEWRIGHT_PG_relation",
    "POSEWRIGHT_PG_relation_part",
    "POSEWRIGHT_PG_role",
    "POSEWRIGHT_PG_shape",
    "POSEWRIGHT_PG_sole",
    "Session",
    "active_goal",
    "active_relation",
    "asking",
    "asks",
    "character",
    "free_name",
    "is_linked",
    "joint_trouble",
    "register",
    "relations_of",
    "session",
]

CLASSES = (
    POSEWRIGHT_PG_goal,
    POSEWRIGHT_PG_relation_part,
    POSEWRIGHT_PG_relation,
    POSEWRIGHT_PG_chosen,
    POSEWRIGHT_PG_copied,
    POSEWRIGHT_PG_joint,
    POSEWRIGHT_PG_bones,
    POSEWRIGHT_PG_muted,
    POSEWRIGHT_PG_role,
    POSEWRIGHT_PG_shape,
    POSEWRIGHT_PG_contact,
    POSEWRIGHT_PG_sole,
)


def register(undo: ExitStack) -> None:
    """Add our properties to Blender's types."""
    registration.add_classes(CLASSES, undo)
    registration.add_properties(bpy.types.Object, CHARACTER, undo)
    registration.add_properties(bpy.types.WindowManager, SESSION, undo)
