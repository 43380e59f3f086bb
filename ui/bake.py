"""The panel that bakes: which frames, into what, how far it is, and what came of it."""

import json
from typing import Any

import bpy

from ..operators.bake import POSEWRIGHT_OT_bake
from ..operators.bake_back import POSEWRIGHT_OT_bake_back
from ..operators.bake_report import POSEWRIGHT_OT_bake_report
from ..properties import Character, session
from .tab import Layout, OfCharacter, active_character, draw_progress, press, show, spoken, write


class POSEWRIGHT_PT_bake(OfCharacter, bpy.types.Panel):
    """What was posed becomes keys."""

    bl_label = "Bake"
    bl_order = 7

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        character, stored = active_character(context), session(context)
        baking = stored.posewright_progress_job == POSEWRIGHT_OT_bake.bl_idname
        settings = self.layout.column()
        settings.enabled = not baking
        draw_settings(settings, character)  # meanwhile, too: a tab that gets shorter is scrolled away from the report
        if baking:
            draw_progress(self.layout, stored)
            return
        column = self.layout.column(align=True)
        column.scale_y = 1.3
        press(column, POSEWRIGHT_OT_bake.bl_idname, icon="ACTION")
        if character.posewright_bake:
            press(self.layout, POSEWRIGHT_OT_bake_back.bl_idname, icon="LOOP_BACK")
        if character.posewright_bake_report:
            draw_report(self.layout, character.posewright_bake_report)


def draw_settings(layout: Layout, character: Character) -> None:
    """What is asked before a bake."""
    column = layout.column()
    column.use_property_split, column.use_property_decorate = True, False
    column.prop(character, "posewright_bake_range")
    if character.posewright_bake_range == "CUSTOM":
        pair = column.column(align=True)
        pair.prop(character, "posewright_bake_first")
        pair.prop(character, "posewright_bake_last")
    column.prop(character, "posewright_bake_step")
    column.prop(character, "posewright_bake_where")
    column.prop(character, "posewright_bake_reduce")
    if character.posewright_bake_reduce:
        pair = column.column(align=True)
        pair.prop(character, "posewright_bake_reduce_far")
        pair.prop(character, "posewright_bake_reduce_turn")
    else:
        column.prop(character, "posewright_bake_interpolation")
    column.prop(character, "posewright_bake_speed")
    column.prop(character, "posewright_bake_smooth")
    if character.posewright_bake_smooth:
        column.prop(character, "posewright_bake_smooth_far")
    column.prop(character, "posewright_bake_carry_on")
    if character.posewright_bake_carry_on or character.posewright_bake_smooth or character.posewright_bake_speed:
        write(column, "May differ from what live posing shows", icon="INFO")


def draw_report(layout: Layout, stored: str) -> None:
    """What the last bake came to, in a few lines."""
    try:
        report: dict[str, Any] = json.loads(stored)
        lines = [
            spoken("{frames} frames, {bones} bones", frames=report["frames"], bones=report["bones"]),
            f"{_keys(report)}, {report['seconds']:.1f} s",
            spoken("Goals off: {mean:.2f} cm, at worst {worst:.2f}", mean=report["mean_cm"], worst=report["worst_cm"]),
        ]
        every = [*report["goals"], *report.get("relations", [])]
        missed = [_not_met(one) for one in every if one["missed"]]
        left_out = [f"{name}: {why}" for name, why in report["left_out"].items()]
        limits = ", ".join(list(report["limits"])[:3])
        notes = [str(note) for note in report["notes"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        write(layout, "The stored report cannot be read", icon="ERROR")
        return
    box = layout.box().column(align=True)
    for line in lines:
        show(box, line)
    for line in (missed + left_out)[:6] + notes:
        write(box, line, icon="ERROR")
    if limits:
        write(box, spoken("At their limits: {limits}", limits=limits), icon="CON_ROTLIMIT")
    press(box, POSEWRIGHT_OT_bake_report.bl_idname, icon="FILE_TEXT")


def _not_met(one: dict[str, Any]) -> str:
    """On how many frames a goal or relation was not met, and by how much: it may be less than is ever seen."""
    far = f"{one['worst_cm']:.2f} cm" + (f" {one['worst_degrees']:.2f}°" if one["worst_degrees"] else "")
    return spoken(
        "{name}: not met on {missed} frames, off by {far} at worst", name=one["name"], missed=one["missed"], far=far
    )


def _keys(report: dict[str, Any]) -> str:
    """How many keys, and of how many."""
    count, every = report["keys"], report["every_frame"]
    return spoken("{count} of {every} keys" if count < every else "{count} keys", count=count, every=every)
