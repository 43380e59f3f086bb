"""The first panel of our tab in the 3D view's sidebar: the character, the overlay, and how the solvers run."""

import bpy

from ..operators.add_mannequin import POSEWRIGHT_OT_add_mannequin
from ..operators.compile_solvers import POSEWRIGHT_OT_compile_solvers
from ..operators.live_toggle import POSEWRIGHT_OT_live_toggle
from ..operators.open_docs import POSEWRIGHT_OT_open_docs
from ..properties import session
from .modes import draw_modes
from .quick_start import draw_quick_start
from .tab import InTab, Layout, active_character, last_outcome, press, show, spoken, why_not, write


class POSEWRIGHT_PT_sidebar(InTab, bpy.types.Panel):
    """Who is posed, whether it is, and why not."""

    bl_label = "Character"
    bl_order = 0

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        press(self.layout, POSEWRIGHT_OT_open_docs.bl_idname, text="", icon="HELP", emboss=False)

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        if context.object is None or context.object.type != "ARMATURE":
            write(self.layout, "Select the armature of a character, or try it on a wooden figure", icon="INFO")
            press(self.layout, POSEWRIGHT_OT_add_mannequin.bl_idname, text="Add Mannequin", icon="ARMATURE_DATA")
        else:
            draw_character(self.layout, context)
        draw_overlay(self.layout, context)
        draw_solvers(self.layout, context)


def draw_character(layout: Layout, context: bpy.types.Context) -> None:
    """The active armature and its switch."""
    character = active_character(context)
    row = layout.row(align=True)
    show(row, character.name, icon="OUTLINER_OB_ARMATURE")
    live = character.posewright_live
    icon = "RADIOBUT_ON" if live else "RADIOBUT_OFF"
    press(row, POSEWRIGHT_OT_live_toggle.bl_idname, text="Live", icon=icon, depress=live)
    draw_modes(layout, character)
    if reason := why_not(character):
        write(layout, reason, icon="ERROR", alert=True)
    outcome = last_outcome(character)
    if outcome is not None and outcome.error and not live:
        write(layout, spoken("Switched off: {error}", error=outcome.error), icon="ERROR", alert=True)
    if not reason:
        draw_quick_start(layout, character)


def draw_overlay(layout: Layout, context: bpy.types.Context) -> None:
    """The overlay's switch, and why it is off if nobody switched it off."""
    stored = session(context)
    layout.prop(stored, "posewright_overlay", text="Overlay", icon="OVERLAY")
    if stored.posewright_overlay_note:
        write(
            layout,
            spoken("Overlay switched off: {error}", error=stored.posewright_overlay_note),
            icon="ERROR",
            alert=True,
        )


def draw_solvers(layout: Layout, context: bpy.types.Context) -> None:
    """How the solvers run in this session."""
    stored = session(context)
    match stored.posewright_solvers:
        case "COMPILED":
            column = layout.column(align=True)
            column.label(text="Solvers are compiled", icon="CHECKMARK")
            column.label(text=stored.posewright_solvers_note, icon="BLANK1")
        case "COMPILING":
            column = layout.column(align=True)
            column.label(text="Compiling the solvers…", icon="SORTTIME")
            write(column, stored.posewright_solvers_note, icon="BLANK1")
        case "INTERPRETED":
            write(
                layout,
                spoken("Solvers run slowly. {why}", why=stored.posewright_solvers_note),
                icon="ERROR",
                alert=True,
            )
            press(layout, POSEWRIGHT_OT_compile_solvers.bl_idname, icon="FILE_REFRESH")
