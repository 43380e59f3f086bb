"""What the animator sees: panels, lists, gizmos, overlay, keymap, preferences. May import operators and bridge."""

from contextlib import ExitStack

from .. import registration
from . import add_menu, keymap, manual, overlay, pose_menu, preferences, tool
from .active_goal import POSEWRIGHT_PT_active_goal
from .bake import POSEWRIGHT_PT_bake
from .body_shapes import POSEWRIGHT_PT_shapes, POSEWRIGHT_UL_shapes
from .contacts import POSEWRIGHT_PT_contacts, POSEWRIGHT_UL_contacts
from .feet import POSEWRIGHT_PT_feet, POSEWRIGHT_PT_feet_settings
from .goals import POSEWRIGHT_MT_goals, POSEWRIGHT_PT_goals, POSEWRIGHT_UL_goals
from .handles import POSEWRIGHT_GGT_handles
from .joints import POSEWRIGHT_PT_joints
from .keys import POSEWRIGHT_PT_keys
from .motion_sources import POSEWRIGHT_PT_motion
from .pie import POSEWRIGHT_MT_pie
from .pose_menu import POSEWRIGHT_MT_pose
from .preferences import POSEWRIGHT_AP_preferences
from .relations import (
    POSEWRIGHT_MT_relations,
    POSEWRIGHT_PT_relations,
    POSEWRIGHT_UL_relation_parts,
    POSEWRIGHT_UL_relations,
)
from .set_up import POSEWRIGHT_PT_set_up, POSEWRIGHT_UL_roles
from .sidebar import POSEWRIGHT_PT_sidebar
from .soles import POSEWRIGHT_PT_soles
from .solver import POSEWRIGHT_PT_solver

CLASSES = (
    POSEWRIGHT_AP_preferences,
    POSEWRIGHT_MT_goals,
    POSEWRIGHT_MT_pie,
    POSEWRIGHT_MT_pose,
    POSEWRIGHT_MT_relations,
    POSEWRIGHT_UL_contacts,
    POSEWRIGHT_UL_goals,
    POSEWRIGHT_UL_relation_parts,
    POSEWRIGHT_UL_relations,
    POSEWRIGHT_UL_roles,
    POSEWRIGHT_UL_shapes,
    POSEWRIGHT_PT_sidebar,
    POSEWRIGHT_PT_set_up,
    POSEWRIGHT_PT_goals,
    POSEWRIGHT_PT_active_goal,
    POSEWRIGHT_PT_relations,
    POSEWRIGHT_PT_shapes,
    POSEWRIGHT_PT_joints,
    POSEWRIGHT_PT_solver,
    POSEWRIGHT_PT_keys,
    POSEWRIGHT_PT_motion,
    POSEWRIGHT_PT_bake,
    POSEWRIGHT_PT_feet,
    POSEWRIGHT_PT_feet_settings,
    POSEWRIGHT_PT_contacts,
    POSEWRIGHT_PT_soles,
    POSEWRIGHT_GGT_handles,
)


def register(undo: ExitStack) -> None:
    """Add every panel, handle and tool to Blender, and the overlay."""
    registration.add_classes(CLASSES, undo)
    preferences.register(undo)
    add_menu.register(undo)
    pose_menu.register(undo)
    overlay.register(undo)
    tool.register(undo)
    keymap.register(undo)
    manual.register(undo)
