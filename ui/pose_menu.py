"""Our actions in the Pose menu of the 3D view."""

from contextlib import ExitStack
from typing import Any

import bpy

from ..operators.goal_add import POSEWRIGHT_OT_goal_add
from ..operators.goal_copy import POSEWRIGHT_OT_goal_copy
from ..operators.goal_follow import POSEWRIGHT_OT_goal_follow
from ..operators.goal_mirror import POSEWRIGHT_OT_goal_mirror
from ..operators.goal_pin import POSEWRIGHT_OT_goal_pin
from ..operators.goal_release import POSEWRIGHT_OT_goal_release
from ..operators.goal_remove import POSEWRIGHT_OT_goal_remove
from ..operators.live_toggle import POSEWRIGHT_OT_live_toggle
from ..operators.mirror_pose import POSEWRIGHT_OT_mirror_pose
from ..operators.mode import POSEWRIGHT_OT_mode
from ..operators.pin_bones import POSEWRIGHT_OT_pin_bones
from ..operators.reset_pose import POSEWRIGHT_OT_reset_pose
from ..operators.restore_constraints import POSEWRIGHT_OT_restore_constraints
from ..operators.set_up import POSEWRIGHT_OT_set_up
from ..operators.snap_and_mute import POSEWRIGHT_OT_snap_and_mute
from ..operators.solve import POSEWRIGHT_OT_solve
from ..operators.unpin_all import POSEWRIGHT_OT_unpin_all
from ..operators.vary import POSEWRIGHT_OT_vary

ENTRIES = (
    POSEWRIGHT_OT_set_up,
    None,
    POSEWRIGHT_OT_goal_add,
    POSEWRIGHT_OT_goal_remove,
    POSEWRIGHT_OT_goal_copy,
    POSEWRIGHT_OT_goal_mirror,
    None,
    POSEWRIGHT_OT_pin_bones,
    POSEWRIGHT_OT_goal_pin,
    POSEWRIGHT_OT_goal_follow,
    POSEWRIGHT_OT_goal_release,
    POSEWRIGHT_OT_unpin_all,
    None,
    POSEWRIGHT_OT_live_toggle,
    POSEWRIGHT_OT_solve,
    POSEWRIGHT_OT_vary,
    POSEWRIGHT_OT_reset_pose,
    POSEWRIGHT_OT_mirror_pose,
    None,
    POSEWRIGHT_OT_snap_and_mute,
    POSEWRIGHT_OT_restore_constraints,
)


class POSEWRIGHT_MT_pose(bpy.types.Menu):
    """All that is done with goals, in Pose Mode."""

    bl_label = "Posewright"
    bl_description = "Pose with goals: the whole body follows"

    def draw(self, _context: bpy.types.Context | None) -> None:
        assert self.layout is not None
        for entry in ENTRIES:
            if entry is None:
                self.layout.separator()
            else:
                self.layout.operator(entry.bl_idname)
        self.layout.separator()
        self.layout.operator_menu_enum(POSEWRIGHT_OT_mode.bl_idname, "mode")


def draw_entry(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """Our line in the Pose menu."""
    assert menu.layout is not None
    menu.layout.separator()
    menu.layout.menu("POSEWRIGHT_MT_pose")


def register(undo: ExitStack) -> None:
    """Put our line into the Pose menu."""
    menu: Any = bpy.types.VIEW3D_MT_pose
    menu.append(draw_entry)
    undo.callback(menu.remove, draw_entry)
