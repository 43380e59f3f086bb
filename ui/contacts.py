"""The list of a character's contacts: which part of which foot touches the ground when."""

from collections.abc import Sequence
from typing import Any

import bpy

from ..operators.contact_add import POSEWRIGHT_OT_contact_add
from ..operators.contact_markers import POSEWRIGHT_OT_contact_markers
from ..operators.contact_remove import POSEWRIGHT_OT_contact_remove
from ..operators.feet_analyse import POSEWRIGHT_OT_feet_analyse
from ..operators.feet_go_to import POSEWRIGHT_OT_feet_go_to
from ..properties import POSEWRIGHT_PG_contact
from .footprints import foot_words
from .tab import SHOWN, Layout, OfCharacter, active_character, press, show, write

ICONS = {"HEEL": "COLLECTION_COLOR_03", "BALL": "COLLECTION_COLOR_05", "TOE": "COLLECTION_COLOR_07"}  # as in the graph
ORDER = tuple(ICONS)
LEAST = 0.02  # of the width: shorter strips could not be seen
THIN = 0.3  # of a row's height: a strip below its words


class POSEWRIGHT_UL_contacts(bpy.types.UIList):
    """A row for each contact: foot and part, its frames, the eye, and below a strip of them within the clip."""

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: Layout,
        data: Any,  # noqa: ANN401 - Blender's: the object
        item: Any,  # noqa: ANN401 - a contact
        _icon: int | None,
        _active_data: Any,  # noqa: ANN401
        _active_property: str | None,
        _index: int | None,
        _flag: int | None,
    ) -> None:
        contact: POSEWRIGHT_PG_contact = item
        both = layout.column(align=True)
        both.active, both.alert = not contact.mute, contact.last < contact.first
        line = both.row(align=True)
        line.label(text=short_words(contact), icon=ICONS[contact.part])
        show(line, f"{contact.first}–{contact.last}", icon="VIEW_PAN" if contact.by_hand else "NONE")
        quiet = line.row(align=True)
        quiet.emboss = "NONE"
        quiet.prop(contact, "mute", text="", icon="HIDE_ON" if contact.mute else "HIDE_OFF")
        draw_strip(both.row(align=True), strip(contact, data.posewright_contacts))

    def filter_items(
        self,
        _context: bpy.types.Context | None,
        data: Any,  # noqa: ANN401 - Blender's: the object
        name: str,
    ) -> Any:  # noqa: ANN401 - two lists; the stubs want arrays of Blender's
        contacts: list[POSEWRIGHT_PG_contact] = list(getattr(data, name))
        wanted = self.filter_name.lower()
        flags = [SHOWN if wanted in f"{foot_words(one.foot)} {one.part}".lower() else 0 for one in contacts]
        by_time = sorted(range(len(contacts)), key=lambda index: order(contacts[index]))
        return flags, [by_time.index(index) for index in range(len(contacts))]


class POSEWRIGHT_PT_contacts(OfCharacter, bpy.types.Panel):
    """The list, and beside it the buttons that change it."""

    bl_label = "Contacts"
    bl_parent_id = "POSEWRIGHT_PT_feet"
    bl_order = 1

    def draw(self, context: bpy.types.Context) -> None:
        layout: Layout = self.layout
        character = active_character(context)
        contacts, index = character.posewright_contacts, character.posewright_contact_index
        press(layout, POSEWRIGHT_OT_feet_analyse.bl_idname, icon="VIEWZOOM")
        if not len(contacts):
            write(layout, "Preview and Place Feet find them, too", icon="INFO")
            return
        row = layout.row()
        row.template_list(
            "POSEWRIGHT_UL_contacts",
            "",
            character,
            "posewright_contacts",
            character,
            "posewright_contact_index",
            rows=6,
        )
        side = row.column(align=True)
        press(side, POSEWRIGHT_OT_contact_add.bl_idname, text="", icon="ADD")
        press(side, POSEWRIGHT_OT_contact_remove.bl_idname, text="", icon="REMOVE")
        side.separator()
        press(side, POSEWRIGHT_OT_contact_markers.bl_idname, text="", icon="MARKER_HLT")
        press(side, POSEWRIGHT_OT_contact_markers.bl_idname, text="", icon="MARKER", remove=True)
        if index < len(contacts):
            draw_contact(layout, contacts[index])


def draw_contact(layout: Layout, contact: POSEWRIGHT_PG_contact) -> None:
    """The active contact, to be changed."""
    row = layout.row(align=True)
    row.label(text=foot_words(contact.foot))
    row.prop(contact, "part", expand=True)
    row = layout.row(align=True)
    press(row, POSEWRIGHT_OT_feet_go_to.bl_idname, text="", icon="TRIA_LEFT_BAR", frame=contact.first)
    row.prop(contact, "first", text="")
    row.prop(contact, "last", text="")
    press(row, POSEWRIGHT_OT_feet_go_to.bl_idname, text="", icon="TRIA_RIGHT_BAR", frame=contact.last)
    if contact.last < contact.first:
        write(layout, "It ends before it begins", icon="ERROR", alert=True)
    elif contact.by_hand:
        layout.prop(contact, "by_hand", text="By hand: Find Contacts keeps it", icon="VIEW_PAN")


def draw_strip(layout: Layout, ends: tuple[float, float]) -> None:
    """A bar from one part of the width to another."""
    begin, end = ends
    layout.scale_y = THIN
    if begin > 0.0:
        layout = layout.split(factor=begin, align=True)
        layout.label(text="")
    if end < 1.0:
        layout = layout.split(factor=(end - begin) / (1.0 - begin), align=True)
    layout.progress(factor=1.0, text="")
    if end < 1.0:
        layout.label(text="")


def strip(contact: POSEWRIGHT_PG_contact, contacts: Sequence[POSEWRIGHT_PG_contact]) -> tuple[float, float]:
    """Where a contact begins and ends, from 0 to 1 between the first frame and the last of all contacts."""
    first, last = min(one.first for one in contacts), max(one.last for one in contacts) + 1
    long = max(last - first, 1)
    begin = min(max((contact.first - first) / long, 0.0), 1.0 - LEAST)
    return begin, min(max((contact.last + 1 - first) / long, begin + LEAST), 1.0)


def order(contact: POSEWRIGHT_PG_contact) -> tuple[int, str, int]:
    """By time; what begins together, by foot and from heel to toe."""
    return contact.first, contact.foot, ORDER.index(contact.part)


def short_words(contact: POSEWRIGHT_PG_contact) -> str:
    """Foot and part in as few letters as will do: `L heel`."""
    return f"{contact.foot.partition('.')[2] or contact.foot} {contact.part.lower()}"
