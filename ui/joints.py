"""The joint of the active bone, and the bones that are taken as they stand."""

from typing import Any

import bpy

from ..operators.find_frozen import POSEWRIGHT_OT_find_frozen
from ..operators.joint_moves import POSEWRIGHT_OT_joint_moves
from ..operators.limits_copy import POSEWRIGHT_OT_limits_copy
from ..operators.limits_from import POSEWRIGHT_OT_limits_from
from ..operators.limits_mirror import POSEWRIGHT_OT_limits_mirror
from ..operators.limits_reset import POSEWRIGHT_OT_limits_reset
from ..operators.limits_write import POSEWRIGHT_OT_limits_write
from ..operators.restore_constraints import POSEWRIGHT_OT_restore_constraints
from ..operators.snap_and_mute import POSEWRIGHT_OT_snap_and_mute
from ..properties import Character, POSEWRIGHT_PG_joint, joint_trouble
from .tab import Layout, OfCharacter, active_character, axes_of, bones_as_they_stand, moves, press, show, spoken, write

SOURCES = {
    "BONE": "of the bone",
    "HUMAN": "human",
    "GENERIC": "generic",
    "ACTION": "from action",
    "IK": "from IK limits",
    "CONSTRAINT": "from constraint",
    "HAND": "by hand",
}
MOST = 8  # bones that are listed


class POSEWRIGHT_PT_joints(OfCharacter, bpy.types.Panel):
    """Limits and locks as Blender stores them, and who else moves bones."""

    bl_label = "Joints"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        character, layout = active_character(context), self.layout
        assert layout is not None
        if context.active_pose_bone is None:
            layout.label(text="No active bone: see Pose Mode", icon="INFO")
        else:
            draw_joint(layout, character, context.active_pose_bone)
        draw_frozen(layout, character)


def draw_joint(layout: Layout, character: Character, bone: bpy.types.PoseBone) -> None:
    """What the bone may do."""
    row = layout.row(align=True)
    show(row, bone.name, icon="BONE_DATA")
    pressed = moves(character, bone)
    press(row, POSEWRIGHT_OT_joint_moves.bl_idname, text="Moves", icon="ORIENTATION_LOCAL", depress=pressed)
    own = character.posewright_joints.get(bone.name)
    draw_sources(layout, own)
    if own is not None and own.source != "BONE":
        draw_own(layout, own)
    else:
        if character.override_library is not None:
            write(layout, "Blender saves no IK limits of linked rigs: press Take From above", icon="INFO")
        for axis in "xyz":
            draw_axis(layout, bone, axis)
    column = layout.column(align=True)
    row = column.row(heading="Lock Location", align=True)
    row.prop(bone, "lock_location", text="", icon_only=True)
    row = column.row(heading="Lock Rotation", align=True)
    row.prop(bone, "lock_rotation", text="", icon_only=True)


def draw_sources(layout: Layout, own: POSEWRIGHT_PG_joint | None) -> None:
    """Where the limits are from, and where else they may be taken from."""
    source = SOURCES[own.source if own is not None else "BONE"]
    show(layout, spoken("Limits: {source}", source=spoken(source)))
    row = layout.row(align=True)  # below: beside the buttons there is no room for the longer sources
    row.operator_menu_enum(POSEWRIGHT_OT_limits_from.bl_idname, "source", text="Take From")
    press(row, POSEWRIGHT_OT_limits_copy.bl_idname, text="", icon="COPYDOWN")
    press(row, POSEWRIGHT_OT_limits_mirror.bl_idname, text="", icon="MOD_MIRROR")
    press(row, POSEWRIGHT_OT_limits_write.bl_idname, text="", icon="CON_KINEMATIC")
    press(row, POSEWRIGHT_OT_limits_reset.bl_idname, text="", icon="LOOP_BACK")


def draw_own(layout: Layout, own: POSEWRIGHT_PG_joint) -> None:
    """Limits of ours, axis by axis, and the habit."""
    if trouble := joint_trouble(own):
        write(layout, spoken("Not used: {trouble}", trouble=spoken(trouble)), icon="ERROR", alert=True)
    names = axes_of(own.order)
    for axis, name in enumerate(names):
        row = layout.row(align=True)
        row.prop(own, "free", index=axis, text=name, toggle=True)
        ends = row.row(align=True)
        ends.active = own.free[axis]
        ends.prop(own, "lower", index=axis, text="")
        ends.prop(own, "upper", index=axis, text="")
    heading = layout.row(align=True)
    heading.prop(own, "natural", text="Habit")
    if own.natural:
        heading.label(text="Tends to")
        heading.label(text="Stiffness")
        for axis, name in enumerate(names):
            row = layout.row(align=True)
            row.active = own.free[axis]
            row.label(text=name)
            row.prop(own, "rest", index=axis, text="")
            row.prop(own, "stiffness", index=axis, text="")


def draw_axis(layout: Layout, bone: Any, axis: str) -> None:  # noqa: ANN401 - asked by names
    """Lock, limits and stiffness about one axis."""
    row = layout.row(align=True)
    locked = getattr(bone, f"lock_ik_{axis}")
    row.prop(bone, f"lock_ik_{axis}", text=axis.upper())
    free = row.row(align=True)
    free.active = not locked
    free.prop(bone, f"use_ik_limit_{axis}", text="", icon="CON_ROTLIMIT")
    ends = free.row(align=True)
    ends.active = getattr(bone, f"use_ik_limit_{axis}")
    ends.prop(bone, f"ik_min_{axis}", text="")
    ends.prop(bone, f"ik_max_{axis}", text="")
    free.prop(bone, f"ik_stiffness_{axis}", text="")


def draw_frozen(layout: Layout, character: Character) -> None:
    """The bones that are taken as they stand, why, and what can be done about it."""
    frozen = bones_as_they_stand(character)
    row = layout.row(align=True)
    count = spoken("unknown") if frozen is None else str(len(frozen))
    show(row, spoken("Not moved by goals: {count}", count=count), icon="FREEZE")
    press(row, POSEWRIGHT_OT_find_frozen.bl_idname, text="", icon="FILE_REFRESH")
    for name, reason in list((frozen or {}).items())[:MOST]:
        write(layout, f"{name}: {reason}", icon="DOT")
    if frozen and len(frozen) > MOST:
        show(layout, spoken("and {count} more", count=len(frozen) - MOST), icon="BLANK1")
    row = layout.row(align=True)
    press(row, POSEWRIGHT_OT_snap_and_mute.bl_idname, icon="SNAP_ON")
    muted = len(character.posewright_muted)
    restore = spoken("Restore {count}", count=muted) if muted else "Restore"
    press(row, POSEWRIGHT_OT_restore_constraints.bl_idname, text=restore)
