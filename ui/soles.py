"""The soles of a character: the points of each, to be adjusted."""

import bpy

from ..operators.sole_reset import POSEWRIGHT_OT_sole_reset
from .footprints import foot_words
from .tab import Layout, OfCharacter, active_character, press


class POSEWRIGHT_PT_soles(OfCharacter, bpy.types.Panel):
    """Heel, ball, toe and widths, as they were found or set."""

    bl_label = "Soles"
    bl_parent_id = "POSEWRIGHT_PT_feet"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 2

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and len(active_character(context).posewright_soles) > 0

    def draw(self, context: bpy.types.Context) -> None:
        layout: Layout = self.layout
        for sole in active_character(context).posewright_soles:
            box = layout.box().column(align=True)
            box.label(text=foot_words(sole.name), icon="VIEW_PAN" if sole.by_hand else "NONE")
            for part in ("heel", "ball", "toe"):
                box.label(text=part.capitalize())
                box.row(align=True).prop(sole, part, text="")
                box.prop(sole, f"width_{part}", text="Width")
        press(layout, POSEWRIGHT_OT_sole_reset.bl_idname, icon="FILE_REFRESH")
