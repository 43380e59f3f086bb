"""The panel that puts the feet of a clip onto a ground: which ground, how, and what came of it."""

import json
from typing import Any

import bpy

from ..operators.feet_analyse import POSEWRIGHT_OT_feet_analyse
from ..operators.feet_back import POSEWRIGHT_OT_feet_back
from ..operators.feet_compare import POSEWRIGHT_OT_feet_compare
from ..operators.feet_go_to import POSEWRIGHT_OT_feet_go_to
from ..operators.feet_preview import POSEWRIGHT_OT_feet_preview
from ..operators.feet_preview_end import POSEWRIGHT_OT_feet_preview_end
from ..operators.feet_report import POSEWRIGHT_OT_feet_report
from ..operators.place_feet import POSEWRIGHT_OT_place_feet
from ..properties import Character, session
from .tab import Layout, OfCharacter, active_character, draw_progress, has_preview, press, show, spoken, write

JOBS = {one.bl_idname for one in (POSEWRIGHT_OT_feet_analyse, POSEWRIGHT_OT_feet_preview, POSEWRIGHT_OT_place_feet)}
TOLD = 6  # troubles that the panel shows; the report has all


class POSEWRIGHT_PT_feet(OfCharacter, bpy.types.Panel):
    """A finished clip onto real ground."""

    bl_label = "Feet"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 8

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        character, stored = active_character(context), session(context)
        if stored.posewright_progress_job in JOBS:
            draw_progress(self.layout, stored)
            return
        draw_ground(self.layout, character)
        row = self.layout.row(align=True)
        row.scale_y = 1.3
        shown = has_preview(character)
        press(row, POSEWRIGHT_OT_feet_preview.bl_idname, icon="HIDE_OFF", depress=shown)
        if shown:
            row.prop(stored, "posewright_feet_graph", text="", icon="FCURVE")
            press(row, POSEWRIGHT_OT_feet_preview_end.bl_idname, text="", icon="X")
        column = self.layout.column(align=True)
        column.scale_y = 1.3
        press(column, POSEWRIGHT_OT_place_feet.bl_idname, icon="SNAP_ON")
        if character.posewright_feet_placed is not None:
            draw_placed(self.layout, character)


class POSEWRIGHT_PT_feet_settings(OfCharacter, bpy.types.Panel):
    """How feet are placed."""

    bl_label = "Settings"
    bl_parent_id = "POSEWRIGHT_PT_feet"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        character = active_character(context)
        column: Layout = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.prop(character, "posewright_feet_range")
        if character.posewright_feet_range == "CUSTOM":
            pair = column.column(align=True)
            pair.prop(character, "posewright_feet_first")
            pair.prop(character, "posewright_feet_last")
        for name in ("whole_body", "tilt", "shift", "step", "clearance", "blend"):
            column.prop(character, f"posewright_feet_{name}")


def draw_ground(layout: Layout, character: Character) -> None:
    """On what the feet are put."""
    column = layout.column(align=True)
    column.row(align=True).prop(character, "posewright_feet_ground", expand=True)
    match character.posewright_feet_ground:
        case "OBJECT":
            column.prop(character, "posewright_feet_object", text="")
        case "COLLECTION":
            column.prop(character, "posewright_feet_collection", text="")
        case _:
            column.prop(character, "posewright_feet_own_height")
            name = "own_slope" if character.posewright_feet_own_height else "height"
            column.prop(character, f"posewright_feet_{name}")


def draw_placed(layout: Layout, character: Character) -> None:
    """Before or after, the way back, and the report."""
    animation = character.animation_data
    after = animation is not None and animation.action == character.posewright_feet_placed
    row = layout.row(align=True)
    press(row, POSEWRIGHT_OT_feet_compare.bl_idname, text="Before", depress=not after, which="BEFORE")
    press(row, POSEWRIGHT_OT_feet_compare.bl_idname, text="After", depress=after, which="AFTER")
    press(row, POSEWRIGHT_OT_feet_back.bl_idname, text="", icon="LOOP_BACK")
    if character.posewright_feet_report:
        draw_report(layout, character.posewright_feet_report)


def draw_report(layout: Layout, stored: str) -> None:
    """How the feet stand, before and after."""
    try:
        report: dict[str, Any] = json.loads(stored)
        before, after = report["before"], report["after"]
        rows = [
            (words, f"{before[name]:.1f}", f"{after[name]:.1f}")
            for words, name in (
                ("Under the ground", "worst_depth_cm"),
                ("Above the ground", "worst_gap_cm"),
                ("Sliding", "worst_slide_cm"),
            )
        ]
        lines = [
            spoken("{frames} frames, {bones} bones", frames=report["frames"], bones=report["bones"])
            + f", {report['seconds']:.1f} s",
            spoken("{count} contacts", count=after["contacts"]),
        ]
        changes = [
            (
                int(report["moved_frame"]),
                spoken("{joint} moved {far:.0f} cm", joint=report["moved_joint"], far=report["moved_cm"]),
            ),
            (
                int(report["turned_frame"]),
                spoken("{bone} turned {far:.0f}°", bone=report["turned_bone"], far=report["turned_degrees"]),
            ),
        ]
        pops = [(int(frame), spoken("{bone} jumps", bone=bone)) for frame, bone in report["pops"]]
        troubles = [(int(one["frame"]), f"{one['foot']}: {one['words']}") for one in report["troubles"]]
        notes = [str(note) for note in report["notes"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        write(layout, "The stored report cannot be read", icon="ERROR")
        return
    box = layout.box().column(align=True)
    for words, was, is_now in [("At worst, cm", "before", "after"), *rows]:
        row = box.split(factor=0.6, align=True)
        row.label(text=words)
        row.label(text=was)
        row.label(text=is_now)
    for line in lines:
        show(box, line)
    draw_frames(box, "The most that was changed", changes, "NONE")
    draw_frames(box, "Pops", pops, "ERROR")
    draw_frames(box, "Kept as it was", troubles, "ERROR")
    for note in notes:
        write(box, note, icon="INFO")
    press(box, POSEWRIGHT_OT_feet_report.bl_idname, icon="FILE_TEXT")


def draw_frames(layout: Layout, title: str, found: list[tuple[int, str]], icon: str) -> None:
    """What was found on some frames: a click shows the frame."""
    if not found:
        return
    more = spoken(", the first {some} of {every}", some=TOLD, every=len(found)) if len(found) > TOLD else ""
    show(layout, spoken(title) + more, icon=icon)
    for frame, words in found[:TOLD]:
        row = layout.row(align=True)
        side = row.row(align=True)
        side.scale_x = 0.55
        press(side, POSEWRIGHT_OT_feet_go_to.bl_idname, text=str(frame), frame=frame)
        write(row, words)
