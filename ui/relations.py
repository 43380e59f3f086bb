"""The relations of a character, of each kind: what each lacks, and the settings of the active one."""

import math
from typing import Any

import bpy

from .. import properties
from ..operators.balance import POSEWRIGHT_OT_balance
from ..operators.balance_now import POSEWRIGHT_OT_balance_now
from ..operators.collide import POSEWRIGHT_OT_collide
from ..operators.couple import POSEWRIGHT_OT_couple
from ..operators.couple_preset import POSEWRIGHT_OT_couple_preset
from ..operators.hold_prop import POSEWRIGHT_OT_hold_prop
from ..operators.hold_together import POSEWRIGHT_OT_hold_together
from ..operators.relation_as_posed import POSEWRIGHT_OT_relation_as_posed
from ..operators.relation_mirror import POSEWRIGHT_OT_relation_mirror
from ..operators.relation_move import POSEWRIGHT_OT_relation_move
from ..operators.relation_part_add import POSEWRIGHT_OT_relation_part_add
from ..operators.relation_part_move import POSEWRIGHT_OT_relation_part_move
from ..operators.relation_part_remove import POSEWRIGHT_OT_relation_part_remove
from ..operators.relation_remove import POSEWRIGHT_OT_relation_remove
from ..operators.wire_add import POSEWRIGHT_OT_wire_add
from ..properties import Character, POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from .tab import (
    SHOWN,
    Layout,
    OfCharacter,
    active_character,
    draw_eye,
    draw_name,
    how_far,
    last_outcome,
    press,
    show,
    spoken,
    write,
)

ICONS = {
    "COUPLING": "DRIVER",
    "WIRE": "CURVE_DATA",
    "LOOP": "LINKED",
    "COLLISION": "MOD_PHYSICS",
    "BALANCE": "CON_PIVOT",
}


class POSEWRIGHT_UL_relations(bpy.types.UIList):
    """A row for each relation: kind, name, what it lacks; and the eye."""

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: Layout,
        data: Any,  # noqa: ANN401 - Blender's: the object
        item: Any,  # noqa: ANN401 - a relation
        _icon: int | None,
        _active_data: Any,  # noqa: ANN401
        _active_property: str | None,
        index: int | None,
        _flag: int | None,
    ) -> None:
        relation: POSEWRIGHT_PG_relation = item
        trouble, lacks = said_of(data, relation, index or 0)
        line = layout.row(align=True)
        line.alert, line.active = bool(trouble), not relation.mute
        row = line.split(factor=0.5, align=True) if trouble else line.row(align=True)
        icon = "ERROR" if trouble else ICONS.get(relation.kind, "QUESTION")
        draw_name(row, data, relation, icon)
        told = row.row(align=True)
        told.alignment = "LEFT" if trouble else "RIGHT"
        told.label(text=trouble or lacks)
        draw_eye(line, relation)

    def filter_items(
        self,
        _context: bpy.types.Context | None,
        data: Any,  # noqa: ANN401 - Blender's: the object
        name: str,
    ) -> Any:  # noqa: ANN401 - two lists; the stubs want arrays of Blender's
        wanted = self.filter_name.lower()
        return [SHOWN if is_found(one, wanted) else 0 for one in getattr(data, name)], []


class POSEWRIGHT_UL_relation_parts(bpy.types.UIList):
    """A row for each variable of a coupling, each point of a wire, or each mass of a balance."""

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: Layout,
        data: Any,  # noqa: ANN401 - Blender's: the relation
        item: Any,  # noqa: ANN401 - a part of it
        _icon: int | None,
        _active_data: Any,  # noqa: ANN401
        _active_property: str | None,
        index: int | None,
        _flag: int | None,
    ) -> None:
        part: POSEWRIGHT_PG_relation_part = item
        row = layout.row(align=True)
        if data.kind == "COUPLING":
            named = row.split(factor=0.2, align=True)
            named.prop(part, "name", text="", emboss=False)
            row = named.split(factor=0.55, align=True)
            draw_bone(row, part.id_data, part)
            row.prop(part, "axis", text="")
        elif data.kind == "BALANCE":
            row = row.split(factor=0.6, align=True)
            draw_bone(row, part.id_data, part)
            row.prop(part, "mass", text="")
        else:
            row = row.split(factor=0.12, align=True)
            show(row, f"{(index or 0) + 1}")
            draw_bone(row, part.id_data, part)


class POSEWRIGHT_MT_relations(bpy.types.Menu):
    """What relations can be made of."""

    bl_label = "Add Relation"
    bl_description = "Couple joints, run a wire through bones, hold bones together, keep off things, keep the balance"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout: Layout = self.layout
        press(layout, POSEWRIGHT_OT_hold_together.bl_idname, icon=ICONS["LOOP"])
        press(layout, POSEWRIGHT_OT_hold_prop.bl_idname, icon="CONSTRAINT")
        press(layout, POSEWRIGHT_OT_wire_add.bl_idname, text="Wire through Bones", icon=ICONS["WIRE"])
        press(layout, POSEWRIGHT_OT_couple.bl_idname, icon=ICONS["COUPLING"])
        layout.separator()
        collide = POSEWRIGHT_OT_collide.bl_idname
        press(layout, collide, text="Keep Off Itself", icon=ICONS["COLLISION"], against="SELF")
        for against, text, icon in (
            ("SPHERE", "Keep Off Object as Sphere", "MESH_UVSPHERE"),
            ("PLANE", "Keep Off Object as Plane", "MESH_PLANE"),
            ("BOX", "Keep Off Object as Box", "MESH_CUBE"),
            ("MESH", "Keep Off Object as Mesh", "MESH_DATA"),
        ):
            press(layout, collide, text=text, icon=icon, against=against)
        layout.separator()
        preset = POSEWRIGHT_OT_couple_preset.bl_idname
        press(layout, preset, text="Couple Fingers", icon=ICONS["COUPLING"], which="FINGERS")
        press(layout, preset, text="Couple Spine", icon=ICONS["COUPLING"], which="SPINE")
        press(layout, POSEWRIGHT_OT_balance.bl_idname, icon=ICONS["BALANCE"])


class POSEWRIGHT_PT_relations(OfCharacter, bpy.types.Panel):
    """The list, and beside it the buttons that change it."""

    bl_label = "Relations"
    bl_order = 3
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout: Layout = self.layout
        character = active_character(context)
        row = layout.row()
        row.template_list(
            "POSEWRIGHT_UL_relations",
            "",
            character,
            "posewright_relations",
            character,
            "posewright_active_relation",
            rows=4,
        )
        side = row.column(align=True)
        side.menu("POSEWRIGHT_MT_relations", text="", icon="ADD")
        press(side, POSEWRIGHT_OT_relation_remove.bl_idname, text="", icon="REMOVE")
        side.separator()
        press(side, POSEWRIGHT_OT_relation_move.bl_idname, text="", icon="TRIA_UP", direction="UP")
        press(side, POSEWRIGHT_OT_relation_move.bl_idname, text="", icon="TRIA_DOWN", direction="DOWN")
        press(side, POSEWRIGHT_OT_relation_mirror.bl_idname, text="", icon="MOD_MIRROR")
        relation = properties.active_relation(character)
        if relation is None:
            write(layout, "Hold bones together, run straps through them, or couple their joints: +", icon="INFO")
            return
        draw_relation(layout, character, relation)


def draw_relation(layout: Layout, character: Character, relation: POSEWRIGHT_PG_relation) -> None:
    """The settings of the active relation."""
    trouble, lacks = said_of(character, relation, character.posewright_active_relation)
    if trouble:
        write(layout, spoken("Left out: {trouble}", trouble=spoken(trouble)), icon="ERROR", alert=True)
    elif lacks:
        show(layout, spoken("Off by {lacks}", lacks=lacks), icon="BLANK1")
    draw = {
        "COUPLING": draw_coupling,
        "WIRE": draw_wire,
        "LOOP": draw_loop,
        "COLLISION": draw_collision,
        "BALANCE": draw_balance,
    }
    if relation.kind in draw:  # else it was made by a newer version
        draw[relation.kind](layout, character, relation)
    column = layout.column()
    column.use_property_split, column.use_property_decorate = True, True
    column.prop(relation, "level")
    column.prop(relation, "weight")


def draw_coupling(layout: Layout, character: Character, relation: POSEWRIGHT_PG_relation) -> None:
    """What follows, and what it follows."""
    row = layout.split(factor=0.7, align=True)
    draw_bone(row, character, relation)
    row.prop(relation, "axis", text="")
    row = layout.split(factor=0.08, align=True)
    row.label(text="=")
    row.prop(relation, "expression", text="")
    draw_parts(layout, relation, orders=False)


def draw_wire(layout: Layout, character: Character, relation: POSEWRIGHT_PG_relation) -> None:
    """How long it is, and through which points it runs."""
    row = layout.row(align=True)
    row.prop(relation, "length")
    press(row, POSEWRIGHT_OT_relation_as_posed.bl_idname, text="", icon="EYEDROPPER")
    layout.prop(relation, "exact")
    draw_parts(layout, relation, orders=True)
    if relation.active_part < len(relation.parts):
        draw_point(layout, character, relation.parts[relation.active_part])


def draw_loop(layout: Layout, character: Character, relation: POSEWRIGHT_PG_relation) -> None:
    """The two points, and whether they turn together."""
    for part in relation.parts:
        whose: Any = character
        if part.other:
            layout.prop(part, "character", text="", icon="OUTLINER_OB_ARMATURE")
            whose = part.character
        if whose is not None and isinstance(whose.data, bpy.types.Armature):  # a script may have set anything
            draw_bone(layout, whose, part)
            draw_point(layout, character, part)
    row = layout.row(align=True)
    row.prop(relation, "turned", toggle=True)
    press(row, POSEWRIGHT_OT_relation_as_posed.bl_idname, icon="EYEDROPPER")


def draw_collision(layout: Layout, _character: Character, relation: POSEWRIGHT_PG_relation) -> None:
    """What the body keeps off, and how far."""
    column = layout.column()
    column.use_property_split = True
    column.prop(relation, "against")
    if relation.against != "SELF":
        row = column.row()
        row.alert = relation.thing is None
        row.prop(relation, "thing")
    column.prop(relation, "gap")
    column.prop(relation, "softness")


def draw_balance(layout: Layout, character: Character, relation: POSEWRIGHT_PG_relation) -> None:
    """How it is kept, and what weighs how much."""
    press(layout, POSEWRIGHT_OT_balance_now.bl_idname, icon=ICONS["BALANCE"])
    column = layout.column()
    column.use_property_split, column.use_property_decorate = True, True
    column.prop(relation, "inside")
    column.prop(relation, "across")
    column.prop(relation, "along")
    row = layout.row(align=True)
    row.label(text="Masses")
    press(row, POSEWRIGHT_OT_balance.bl_idname, text="By Roles", masses="ROLES")
    press(row, POSEWRIGHT_OT_balance.bl_idname, text="By Volume", masses="VOLUME")
    draw_parts(layout, relation, orders=False)
    if relation.active_part < len(relation.parts):
        draw_point(layout, character, relation.parts[relation.active_part])


def draw_point(layout: Layout, _character: Character, part: POSEWRIGHT_PG_relation_part) -> None:
    """Which point of its bone it is."""
    column = layout.column()
    column.use_property_split = True
    column.prop(part, "point")
    if part.point == "OFFSET":
        column.prop(part, "offset")


def draw_parts(layout: Layout, relation: POSEWRIGHT_PG_relation, orders: bool) -> None:
    """The list of variables or points."""
    row = layout.row()
    row.template_list("POSEWRIGHT_UL_relation_parts", "", relation, "parts", relation, "active_part", rows=3)
    side = row.column(align=True)
    press(side, POSEWRIGHT_OT_relation_part_add.bl_idname, text="", icon="ADD")
    press(side, POSEWRIGHT_OT_relation_part_remove.bl_idname, text="", icon="REMOVE")
    if orders:
        press(side, POSEWRIGHT_OT_relation_part_move.bl_idname, text="", icon="TRIA_UP", direction="UP")
        press(side, POSEWRIGHT_OT_relation_part_move.bl_idname, text="", icon="TRIA_DOWN", direction="DOWN")


def draw_bone(
    layout: Layout,
    character: Any,  # noqa: ANN401 - the object, or what a part says it is of
    item: POSEWRIGHT_PG_relation | POSEWRIGHT_PG_relation_part,
) -> None:
    """A bone, red if it is missing."""
    row = layout.row(align=True)
    row.alert = character.pose is None or item.bone not in character.pose.bones
    row.prop_search(item, "bone", character.data, "bones", text="")


def is_found(relation: POSEWRIGHT_PG_relation, text: str) -> bool:
    """Whether a relation passes the list's filter: by its name, its kind or one of its bones."""
    bones = (part.bone for part in relation.parts)
    return any(text in one.lower() for one in (relation.name, relation.kind, relation.bone, *bones))


def said_of(armature_object: bpy.types.Object, relation: POSEWRIGHT_PG_relation, index: int) -> tuple[str, str]:
    """Why a relation is left out, and what it lacks; both empty where nobody knows."""
    outcome = last_outcome(armature_object)
    found = outcome.relations.get(index) if outcome and not relation.mute else None
    if found is None:
        return "", ""
    if found.trouble:
        return found.trouble, ""
    return "", f"{math.degrees(found.radians):.1f}°" if relation.kind == "COUPLING" else how_far(found)
