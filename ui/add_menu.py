"""Our line in the menu Add > Armature of the 3D view."""

from contextlib import ExitStack
from typing import Any

import bpy

from ..operators.add_mannequin import POSEWRIGHT_OT_add_mannequin


def draw_entry(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """The mannequin, behind Blender's own armature."""
    assert menu.layout is not None
    menu.layout.operator(POSEWRIGHT_OT_add_mannequin.bl_idname, icon="ARMATURE_DATA")


def register(undo: ExitStack) -> None:
    """Put our line into the menu."""
    menu: Any = bpy.types.VIEW3D_MT_armature_add
    menu.append(draw_entry)
    undo.callback(menu.remove, draw_entry)
