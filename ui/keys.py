"""Buttons that key what was posed."""

import bpy

from .tab import OfCharacter, press

ICONS = {"BODY": "OUTLINER_OB_ARMATURE", "PART": "GROUP_BONE", "SELECTION": "BONE_DATA"}


class POSEWRIGHT_PT_keys(OfCharacter, bpy.types.Panel):
    """Body, part or selection."""

    bl_label = "Keys"
    bl_order = 3

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and hasattr(bpy.types, "POSEWRIGHT_OT_key")

    def draw(self, _context: bpy.types.Context) -> None:
        assert self.layout is not None
        row = self.layout.row(align=True)
        for which, icon in ICONS.items():
            press(row, "posewright.key", text=which.capitalize(), icon=icon, which=which)
