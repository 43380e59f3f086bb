"""The settings of the active goal."""

import bpy

from .. import properties
from ..operators.goal_follow import POSEWRIGHT_OT_goal_follow
from ..operators.goal_pin import POSEWRIGHT_OT_goal_pin
from ..operators.goal_rebind import POSEWRIGHT_OT_goal_rebind
from ..operators.goal_release import POSEWRIGHT_OT_goal_release
from ..operators.goal_space import POSEWRIGHT_OT_goal_space
from ..properties import POSEWRIGHT_PG_goal
from .goals import error_of, state_icon, trouble_of
from .tab import Layout, OfCharacter, active_character, press, show, spoken, write

STATES = {"IDLE": "Idle: its handle rides on the bone", "PINNED": "Pinned", "FOLLOWING": "Following"}


class POSEWRIGHT_PT_active_goal(OfCharacter, bpy.types.Panel):
    """What it asks for, of which bone, and how much."""

    bl_label = "Active Goal"
    bl_order = 2

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and properties.active_goal(active_character(context)) is not None

    def draw(self, context: bpy.types.Context) -> None:
        character = active_character(context)
        goal = properties.active_goal(character)
        assert goal is not None
        layout: Layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        draw_bone(layout, character, goal)
        draw_state(layout, character, goal)
        if goal.state == "FOLLOWING":
            draw_target(layout, goal)
        if goal.state == "PINNED":
            draw_pin(layout, goal)
        draw_strength(layout, goal)


def draw_bone(layout: Layout, character: properties.Character, goal: POSEWRIGHT_PG_goal) -> None:
    """The bone, red if it is missing, and the point of it."""
    missing = character.pose is None or goal.bone not in character.pose.bones
    column = layout.column()
    row = column.row(align=True)
    row.alert = missing
    if character.data is not None:
        row.prop_search(goal, "bone", character.data, "bones")
    if missing:
        press(row, POSEWRIGHT_OT_goal_rebind.bl_idname, text="", icon="FILE_REFRESH")
    column.prop(goal, "kind")
    if goal.kind == "LOOK_AT":
        column.prop(goal, "direction")
        return
    column.prop(goal, "point")
    if goal.point == "OFFSET":
        column.prop(goal, "offset")


def draw_state(layout: Layout, character: properties.Character, goal: POSEWRIGHT_PG_goal) -> None:
    """What it does now, what it lacks, and the buttons that change it."""
    index = character.posewright_active_goal
    column = layout.column(align=True)
    column.label(text="Dragged" if goal.dragged else STATES[goal.state], icon=state_icon(goal))
    if trouble := trouble_of(character, goal, index):
        write(layout, trouble, icon="ERROR", alert=True)
    elif lacks := error_of(character, goal, index):
        show(column, spoken("Off by {lacks}", lacks=lacks), icon="BLANK1")
    row = layout.row(align=True)
    pinned = goal.state == "PINNED"
    if goal.kind == "LOOK_AT":
        press(row, POSEWRIGHT_OT_goal_pin.bl_idname, text="Pin", icon="PINNED", depress=pinned)
    else:
        pin, parts = POSEWRIGHT_OT_goal_pin.bl_idname, (("PLACE", goal.position), ("TURN", goal.orientation))
        for which, influence in parts:
            pressed = pinned and influence > 0.0
            press(row, pin, text=which.capitalize(), icon="PINNED", depress=pressed, which=which)
    follows = goal.state == "FOLLOWING"
    press(row, POSEWRIGHT_OT_goal_follow.bl_idname, text="Follow…", icon="CONSTRAINT", depress=follows)
    press(row, POSEWRIGHT_OT_goal_release.bl_idname, text="", icon="X")


def draw_target(layout: Layout, goal: POSEWRIGHT_PG_goal) -> None:
    """What it follows."""
    column = layout.column()
    row = column.row()
    row.alert = goal.target is None
    row.prop(goal, "target")
    target = goal.target
    if target is not None and target.type == "ARMATURE" and target.data is not None:
        row = column.row()
        row.alert = bool(goal.target_bone) and target.pose is not None and goal.target_bone not in target.pose.bones
        row.prop_search(goal, "target_bone", target.data, "bones")
    column.prop(goal, "target_offset", text="Offset")  # "… from Target" is cut off at the sidebar's first width
    if goal.kind == "POSE" and goal.orientation:
        column.prop(goal, "target_turn", text="Turn Offset")
    draw_proportions(column, goal)


def draw_proportions(column: Layout, goal: POSEWRIGHT_PG_goal) -> None:
    """How the target's way is fitted to this body."""
    column.prop(goal, "target_fitted")
    if not goal.target_fitted:
        return
    for name in ("target_scale", "target_origin", "target_shift", "target_heading"):
        column.prop(goal, name)
    target = goal.target
    if target is None or target.type != "ARMATURE" or target.data is None:
        return
    row = column.row()
    row.alert = bool(goal.target_from) and target.pose is not None and goal.target_from not in target.pose.bones
    row.prop_search(goal, "target_from", target.data, "bones")
    if goal.target_from:
        column.prop(goal, "target_limb_scale")
        column.prop(goal, "target_from_offset")


def draw_pin(layout: Layout, goal: POSEWRIGHT_PG_goal) -> None:
    """Where it is pinned, and in what."""
    column = layout.column()
    text = spoken("Pinned in: {space}", space=spoken(goal.space.capitalize()))
    column.operator_menu_enum(POSEWRIGHT_OT_goal_space.bl_idname, "space", text=text, icon="ORIENTATION_GLOBAL")
    if goal.space == "OBJECT":
        where = goal.space_object.name if goal.space_object else spoken("nothing: the object is gone")
        row = column.row()
        row.alert = goal.space_object is None
        show(row, where + (f", {goal.space_bone}" if goal.space_bone else ""), icon="OBJECT_DATA")
    if goal.position or goal.kind == "LOOK_AT":
        column.prop(goal, "place")
    if goal.orientation and goal.kind == "POSE":
        column.prop(goal, "turn")


def draw_strength(layout: Layout, goal: POSEWRIGHT_PG_goal) -> None:
    """How much it counts, and along which axes."""
    column = layout.column()
    column.prop(goal, "weight")
    if goal.kind == "POSE":
        sliders = column.column(align=True)
        sliders.use_property_split = False  # their names would be cut off beside them
        sliders.prop(goal, "position", slider=True)
        sliders.prop(goal, "orientation", slider=True)
        for name, heading in (("use_axis", "Axes"), ("use_turn_axis", "Turn Axes")):
            row = column.row(heading=heading, align=True)
            for index, axis in enumerate("XYZ"):
                row.prop(goal, name, index=index, text=axis, toggle=True)
    column.prop(goal, "group")
