"""The shapes of a body: the list, and the settings of the active one."""

import math
from typing import Any

import bpy

from ..operators.shape_add import POSEWRIGHT_OT_shape_add
from ..operators.shape_remove import POSEWRIGHT_OT_shape_remove
from ..operators.shapes_fit import POSEWRIGHT_OT_shapes_fit
from ..properties import POSEWRIGHT_PG_shape
from .tab import SHOWN, Layout, OfCharacter, active_character, draw_eye, press, show, spoken, write


class POSEWRIGHT_UL_shapes(bpy.types.UIList):
    """A row for each shape: its name, its radius, and the eye; red where it cannot be used."""

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: Layout,
        data: Any,  # noqa: ANN401 - Blender's: the object
        item: Any,  # noqa: ANN401 - a shape
        _icon: int | None,
        _active_data: Any,  # noqa: ANN401
        _active_property: str | None,
        _index: int | None,
        _flag: int | None,
    ) -> None:
        shape: POSEWRIGHT_PG_shape = item
        trouble = wrong_with(data, shape)
        line = layout.row(align=True)
        line.alert, line.active = bool(trouble), not shape.mute
        row = line.split(factor=0.6, align=True)
        show(row, shape.name, icon="ERROR" if trouble else "MESH_CAPSULE")
        row.prop(shape, "radius", text="", emboss=False)
        draw_eye(line, shape)

    def filter_items(
        self,
        _context: bpy.types.Context | None,
        data: Any,  # noqa: ANN401 - Blender's: the object
        name: str,
    ) -> Any:  # noqa: ANN401 - two lists; the stubs want arrays of Blender's
        wanted = self.filter_name.lower()
        return [SHOWN if wanted in f"{one.name} {one.bone}".lower() else 0 for one in getattr(data, name)], []


class POSEWRIGHT_PT_shapes(OfCharacter, bpy.types.Panel):
    """Spheres and capsules on bones, for collisions."""

    bl_label = "Body Shapes"
    bl_parent_id = "POSEWRIGHT_PT_relations"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout: Layout = self.layout
        character = active_character(context)
        row = layout.row(align=True)
        press(row, POSEWRIGHT_OT_shapes_fit.bl_idname, icon="OUTLINER_OB_ARMATURE")
        row.prop(character, "posewright_show_shapes", text="", icon="OVERLAY")
        shapes = character.posewright_shapes
        if not len(shapes):
            write(layout, "Collisions need shapes: fit them to the skin", icon="INFO")
            return
        row = layout.row()
        row.template_list(
            "POSEWRIGHT_UL_shapes", "", character, "posewright_shapes", character, "posewright_active_shape", rows=4
        )
        side = row.column(align=True)
        press(side, POSEWRIGHT_OT_shape_add.bl_idname, text="", icon="ADD")
        press(side, POSEWRIGHT_OT_shape_remove.bl_idname, text="", icon="REMOVE")
        press(layout, POSEWRIGHT_OT_shapes_fit.bl_idname, text="Fit Selected Bones", selected=True)
        if 0 <= character.posewright_active_shape < len(shapes):
            draw_shape(layout, character, shapes[character.posewright_active_shape])


def draw_shape(layout: Layout, character: Any, shape: POSEWRIGHT_PG_shape) -> None:  # noqa: ANN401 - the object
    """The settings of the active shape."""
    if trouble := wrong_with(character, shape):
        write(layout, spoken("Left out: {trouble}", trouble=spoken(trouble)), icon="ERROR", alert=True)
    row = layout.row(align=True)
    row.alert = shape.bone not in character.data.bones
    row.prop_search(shape, "bone", character.data, "bones", text="")
    column = layout.column()
    column.use_property_split = True
    column.prop(shape, "radius")
    column.prop(shape, "start")
    column.prop(shape, "end")


def wrong_with(character: Any, shape: POSEWRIGHT_PG_shape) -> str:  # noqa: ANN401 - the object
    """Why a shape is left out; empty if it is not."""
    if shape.bone not in character.data.bones:
        return spoken("there is no bone {bone!r}", bone=shape.bone) if shape.bone else "it names no bone"
    if not 0.0 < shape.radius < math.inf:
        return "its radius is zero"
    ends = (*shape.start[:], *shape.end[:])
    return "" if all(map(math.isfinite, ends)) else "its ends are no numbers: set them anew"
