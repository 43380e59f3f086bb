"""Motion from other motion: follow another armature, and goals from an animation."""

import bpy

from ..operators.follow_motion import POSEWRIGHT_OT_follow_motion
from ..operators.goals_from_action import POSEWRIGHT_OT_goals_from_action
from .tab import Layout, OfCharacter, active_character, press, show, spoken


class POSEWRIGHT_PT_motion(OfCharacter, bpy.types.Panel):
    """Whose motion is followed, and the buttons that begin it."""

    bl_label = "Motion"
    bl_order = 6
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout: Layout = self.layout
        character = active_character(context)
        column = layout.column(align=True)
        press(column, POSEWRIGHT_OT_follow_motion.bl_idname, icon="CON_ARMATURE")
        press(column, POSEWRIGHT_OT_goals_from_action.bl_idname, icon="ACTION")
        followed = {one.target.name for one in character.posewright_goals if one.state == "FOLLOWING" and one.target}
        for name in sorted(followed):
            count = sum(one.target is not None and one.target.name == name for one in character.posewright_goals)
            show(layout, spoken("{count} goals follow {name}", count=count, name=name), icon="CONSTRAINT")
        if followed:
            layout.prop(character, "posewright_play")
