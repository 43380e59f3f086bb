"""One user action a file, each a thin shell: read inputs, call one function, report. May import bridge."""

from contextlib import ExitStack

from .. import registration
from .add_mannequin import POSEWRIGHT_OT_add_mannequin
from .bake import POSEWRIGHT_OT_bake
from .bake_back import POSEWRIGHT_OT_bake_back
from .bake_report import POSEWRIGHT_OT_bake_report
from .balance import POSEWRIGHT_OT_balance
from .balance_now import POSEWRIGHT_OT_balance_now
from .collide import POSEWRIGHT_OT_collide
from .compile_solvers import POSEWRIGHT_OT_compile_solvers
from .contact_add import POSEWRIGHT_OT_contact_add
from .contact_markers import POSEWRIGHT_OT_contact_markers
from .contact_remove import POSEWRIGHT_OT_contact_remove
from .couple import POSEWRIGHT_OT_couple
from .couple_preset import POSEWRIGHT_OT_couple_preset
from .drag import POSEWRIGHT_OT_drag
from .feet_analyse import POSEWRIGHT_OT_feet_analyse
from .feet_back import POSEWRIGHT_OT_feet_back
from .feet_compare import POSEWRIGHT_OT_feet_compare
from .feet_go_to import POSEWRIGHT_OT_feet_go_to
from .feet_preview import POSEWRIGHT_OT_feet_preview
from .feet_preview_end import POSEWRIGHT_OT_feet_preview_end
from .feet_report import POSEWRIGHT_OT_feet_report
from .find_frozen import POSEWRIGHT_OT_find_frozen
from .follow_motion import POSEWRIGHT_OT_follow_motion
from .goal_add import POSEWRIGHT_OT_goal_add
from .goal_copy import POSEWRIGHT_OT_goal_copy
from .goal_follow import POSEWRIGHT_OT_goal_follow
from .goal_group import POSEWRIGHT_OT_goal_group
from .goal_mirror import POSEWRIGHT_OT_goal_mirror
from .goal_move import POSEWRIGHT_OT_goal_move
from .goal_pin import POSEWRIGHT_OT_goal_pin
from .goal_rebind import POSEWRIGHT_OT_goal_rebind
from .goal_release import POSEWRIGHT_OT_goal_release
from .goal_remove import POSEWRIGHT_OT_goal_remove
from .goal_space import POSEWRIGHT_OT_goal_space
from .goals_from_action import POSEWRIGHT_OT_goals_from_action
from .habits_load import POSEWRIGHT_OT_habits_load
from .habits_reset import POSEWRIGHT_OT_habits_reset
from .habits_save import POSEWRIGHT_OT_habits_save
from .hold_prop import POSEWRIGHT_OT_hold_prop
from .hold_together import POSEWRIGHT_OT_hold_together
from .joint_moves import POSEWRIGHT_OT_joint_moves
from .key import POSEWRIGHT_OT_key
from .learn import POSEWRIGHT_OT_learn
from .limits_copy import POSEWRIGHT_OT_limits_copy
from .limits_from import POSEWRIGHT_OT_limits_from
from .limits_mirror import POSEWRIGHT_OT_limits_mirror
from .limits_reset import POSEWRIGHT_OT_limits_reset
from .limits_write import POSEWRIGHT_OT_limits_write
from .live_toggle import POSEWRIGHT_OT_live_toggle
from .mirror_pose import POSEWRIGHT_OT_mirror_pose
from .mode import POSEWRIGHT_OT_mode
from .open_docs import POSEWRIGHT_OT_open_docs
from .pin_bones import POSEWRIGHT_OT_pin_bones
from .place_feet import POSEWRIGHT_OT_place_feet
from .relation_as_posed import POSEWRIGHT_OT_relation_as_posed
from .relation_mirror import POSEWRIGHT_OT_relation_mirror
from .relation_move import POSEWRIGHT_OT_relation_move
from .relation_part_add import POSEWRIGHT_OT_relation_part_add
from .relation_part_move import POSEWRIGHT_OT_relation_part_move
from .relation_part_remove import POSEWRIGHT_OT_relation_part_remove
from .relation_remove import POSEWRIGHT_OT_relation_remove
from .reset_pose import POSEWRIGHT_OT_reset_pose
from .restore_constraints import POSEWRIGHT_OT_restore_constraints
from .search_report import POSEWRIGHT_OT_search_report
from .set_up import POSEWRIGHT_OT_set_up
from .shape_add import POSEWRIGHT_OT_shape_add
from .shape_remove import POSEWRIGHT_OT_shape_remove
from .shapes_fit import POSEWRIGHT_OT_shapes_fit
from .snap_and_mute import POSEWRIGHT_OT_snap_and_mute
from .sole_reset import POSEWRIGHT_OT_sole_reset
from .solve import POSEWRIGHT_OT_solve
from .unpin_all import POSEWRIGHT_OT_unpin_all
from .vary import POSEWRIGHT_OT_vary
from .wire_add import POSEWRIGHT_OT_wire_add

CLASSES = (
    POSEWRIGHT_OT_add_mannequin,
    POSEWRIGHT_OT_balance,
    POSEWRIGHT_OT_balance_now,
    POSEWRIGHT_OT_bake,
    POSEWRIGHT_OT_bake_back,
    POSEWRIGHT_OT_bake_report,
    POSEWRIGHT_OT_collide,
    POSEWRIGHT_OT_compile_solvers,
    POSEWRIGHT_OT_contact_add,
    POSEWRIGHT_OT_contact_markers,
    POSEWRIGHT_OT_contact_remove,
    POSEWRIGHT_OT_couple,
    POSEWRIGHT_OT_couple_preset,
    POSEWRIGHT_OT_drag,
    POSEWRIGHT_OT_feet_analyse,
    POSEWRIGHT_OT_feet_back,
    POSEWRIGHT_OT_feet_compare,
    POSEWRIGHT_OT_feet_go_to,
    POSEWRIGHT_OT_feet_preview,
    POSEWRIGHT_OT_feet_preview_end,
    POSEWRIGHT_OT_feet_report,
    POSEWRIGHT_OT_find_frozen,
    POSEWRIGHT_OT_follow_motion,
    POSEWRIGHT_OT_goal_add,
    POSEWRIGHT_OT_goal_copy,
    POSEWRIGHT_OT_goal_follow,
    POSEWRIGHT_OT_goal_group,
    POSEWRIGHT_OT_goal_mirror,
    POSEWRIGHT_OT_goal_move,
    POSEWRIGHT_OT_goal_pin,
    POSEWRIGHT_OT_goal_rebind,
    POSEWRIGHT_OT_goal_release,
    POSEWRIGHT_OT_goal_remove,
    POSEWRIGHT_OT_goal_space,
    POSEWRIGHT_OT_goals_from_action,
    POSEWRIGHT_OT_habits_load,
    POSEWRIGHT_OT_habits_reset,
    POSEWRIGHT_OT_habits_save,
    POSEWRIGHT_OT_hold_prop,
    POSEWRIGHT_OT_hold_together,
    POSEWRIGHT_OT_joint_moves,
    POSEWRIGHT_OT_key,
    POSEWRIGHT_OT_learn,
    POSEWRIGHT_OT_limits_copy,
    POSEWRIGHT_OT_limits_from,
    POSEWRIGHT_OT_limits_mirror,
    POSEWRIGHT_OT_limits_reset,
    POSEWRIGHT_OT_limits_write,
    POSEWRIGHT_OT_live_toggle,
    POSEWRIGHT_OT_mirror_pose,
    POSEWRIGHT_OT_mode,
    POSEWRIGHT_OT_open_docs,
    POSEWRIGHT_OT_pin_bones,
    POSEWRIGHT_OT_place_feet,
    POSEWRIGHT_OT_relation_as_posed,
    POSEWRIGHT_OT_relation_mirror,
    POSEWRIGHT_OT_relation_move,
    POSEWRIGHT_OT_relation_part_add,
    POSEWRIGHT_OT_relation_part_move,
    POSEWRIGHT_OT_relation_part_remove,
    POSEWRIGHT_OT_relation_remove,
    POSEWRIGHT_OT_reset_pose,
    POSEWRIGHT_OT_restore_constraints,
    POSEWRIGHT_OT_search_report,
    POSEWRIGHT_OT_set_up,
    POSEWRIGHT_OT_shape_add,
    POSEWRIGHT_OT_shape_remove,
    POSEWRIGHT_OT_shapes_fit,
    POSEWRIGHT_OT_snap_and_mute,
    POSEWRIGHT_OT_sole_reset,
    POSEWRIGHT_OT_solve,
    POSEWRIGHT_OT_unpin_all,
    POSEWRIGHT_OT_vary,
    POSEWRIGHT_OT_wire_add,
)


def register(undo: ExitStack) -> None:
    """Add every operator to Blender."""
    registration.add_classes(CLASSES, undo)
