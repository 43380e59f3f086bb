"""The list of a character's goals: what each does, and what it lacks."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from .. import properties
from ..operators.goal_add import POSEWRIGHT_OT_goal_add
from ..operators.goal_copy import POSEWRIGHT_OT_goal_copy
from ..operators.goal_group import POSEWRIGHT_OT_goal_group
from ..operators.goal_mirror import POSEWRIGHT_OT_goal_mirror
from ..operators.goal_move import POSEWRIGHT_OT_goal_move
from ..operators.goal_pin import POSEWRIGHT_OT_goal_pin
from ..operators.goal_release import POSEWRIGHT_OT_goal_release
from ..operators.goal_remove import POSEWRIGHT_OT_goal_remove
from ..operators.reset_pose import POSEWRIGHT_OT_reset_pose
from ..operators.unpin_all import POSEWRIGHT_OT_unpin_all
from ..properties import POSEWRIGHT_PG_goal
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


class POSEWRIGHT_UL_goals(bpy.types.UIList):
    """A row for each goal that is not a drag's own: state, name, what it lacks; pin and eye."""

    if TYPE_CHECKING:
        group: str

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: Layout,
        data: Any,  # noqa: ANN401 - Blender's: the object
        item: Any,  # noqa: ANN401 - a goal
        _icon: int | None,
        _active_data: Any,  # noqa: ANN401
        _active_property: str | None,
        index: int | None,
        _flag: int | None,
    ) -> None:
        goal: POSEWRIGHT_PG_goal = item
        trouble = trouble_of(data, goal, index or 0)
        line = layout.row(align=True)
        line.alert = bool(trouble)
        line.active = not goal.mute
        row = line.split(factor=0.5, align=True) if trouble else line.row(align=True)
        icon = "ERROR" if trouble else state_icon(goal)
        draw_name(row, data, goal, icon)
        told = row.row(align=True)
        told.alignment = "LEFT" if trouble else "RIGHT"
        if goal.group and self.use_filter_sort_alpha:  # sorted by group
            show(told, goal.group)
        told.label(text=trouble or error_of(data, goal, index or 0))
        pinned = "PINNED" if goal.state == "PINNED" else "UNPINNED"
        quiet = line.row(align=True)
        quiet.emboss = "NONE"
        press(quiet, POSEWRIGHT_OT_goal_pin.bl_idname, text="", icon=pinned, index=index or 0, which=pinned_part(goal))
        draw_eye(line, goal)

    def draw_filter(self, _context: bpy.types.Context | None, layout: Layout) -> None:
        row = layout.row(align=True)
        row.prop(self, "filter_name", text="")
        row.prop(self, "group", text="", icon="GROUP")
        row.prop(self, "use_filter_sort_alpha", text="")
        row.prop(self, "use_filter_invert", text="", icon="ARROW_LEFTRIGHT")

    def filter_items(
        self,
        _context: bpy.types.Context | None,
        data: Any,  # noqa: ANN401 - Blender's: the object
        name: str,
    ) -> Any:  # noqa: ANN401 - two lists; the stubs want arrays of Blender's
        goals: list[POSEWRIGHT_PG_goal] = list(getattr(data, name))
        hidden = self.use_filter_invert  # Blender turns the flags round then, and a drag's own goals must stay hidden
        found = [hidden if goal.temporary else is_found(goal, self.filter_name, self.group) for goal in goals]
        flags = [SHOWN if one else 0 for one in found]
        if not self.use_filter_sort_alpha:
            return flags, []
        by_group = sorted(range(len(goals)), key=lambda index: (goals[index].group, goals[index].name))
        return flags, [by_group.index(index) for index in range(len(goals))]


POSEWRIGHT_UL_goals.__annotations__ = {
    "group": StringProperty(name="Group", description="Show goals of this group only"),
}


class POSEWRIGHT_MT_goals(bpy.types.Menu):
    """What else can be done with goals."""

    bl_label = "Goals"
    bl_description = "What else can be done with goals"

    def draw(self, _context: bpy.types.Context | None) -> None:
        layout: Layout = self.layout
        press(layout, POSEWRIGHT_OT_goal_copy.bl_idname, icon="DUPLICATE")
        press(layout, POSEWRIGHT_OT_goal_mirror.bl_idname, icon="MOD_MIRROR")
        press(layout, POSEWRIGHT_OT_goal_group.bl_idname, icon="GROUP")
        layout.separator()
        press(layout, POSEWRIGHT_OT_unpin_all.bl_idname, icon="UNPINNED")
        press(layout, POSEWRIGHT_OT_goal_release.bl_idname, text="Release All", icon="RADIOBUT_OFF", every=True)
        layout.separator()
        press(layout, POSEWRIGHT_OT_reset_pose.bl_idname, icon="LOOP_BACK")


class POSEWRIGHT_PT_goals(OfCharacter, bpy.types.Panel):
    """The list, and beside it the buttons that change it."""

    bl_label = "Goals"
    bl_order = 1

    def draw(self, context: bpy.types.Context) -> None:
        layout: Layout = self.layout
        character = active_character(context)
        row = layout.row()
        row.template_list(
            "POSEWRIGHT_UL_goals", "", character, "posewright_goals", character, "posewright_active_goal", rows=5
        )
        side = row.column(align=True)
        press(side, POSEWRIGHT_OT_goal_add.bl_idname, text="", icon="ADD")
        press(side, POSEWRIGHT_OT_goal_remove.bl_idname, text="", icon="REMOVE")
        side.separator()
        side.menu("POSEWRIGHT_MT_goals", text="", icon="DOWNARROW_HLT")
        side.separator()
        press(side, POSEWRIGHT_OT_goal_move.bl_idname, text="", icon="TRIA_UP", direction="UP")
        press(side, POSEWRIGHT_OT_goal_move.bl_idname, text="", icon="TRIA_DOWN", direction="DOWN")
        if all(goal.temporary for goal in character.posewright_goals):
            write(layout, "Press Set Up Character, or select a hand or a foot in Pose Mode and press +", icon="INFO")
        press(layout, POSEWRIGHT_OT_goal_add.bl_idname, text="Add Look-At", icon="HIDE_OFF", kind="LOOK_AT")


def state_icon(goal: POSEWRIGHT_PG_goal) -> str:
    """The icon of what a goal does."""
    if goal.dragged:
        return "VIEW_PAN"
    if goal.loose:
        return "UNPINNED"
    return {"IDLE": "RADIOBUT_OFF", "PINNED": "PINNED", "FOLLOWING": "CONSTRAINT"}[goal.state]


def pinned_part(goal: POSEWRIGHT_PG_goal) -> str:
    """What the pin in a goal's row is about: whatever is pinned; of others, what they ask for."""
    if goal.kind == "LOOK_AT" or not goal.orientation:
        return "PLACE"
    return "BOTH" if goal.position else "TURN"


def is_found(goal: POSEWRIGHT_PG_goal, text: str, group: str) -> bool:
    """Whether a goal passes the list's filter: by its name, bone or group."""
    wanted = text.lower()
    return group.lower() in goal.group.lower() and any(
        wanted in part.lower() for part in (goal.name, goal.bone, goal.group)
    )


def trouble_of(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, index: int) -> str:
    """Why a goal cannot do what it is there for; empty if it can."""
    if armature_object.pose is not None and goal.bone not in armature_object.pose.bones:
        return spoken("no bone {bone!r}", bone=goal.bone) if goal.bone else "no bone"
    if goal.state == "FOLLOWING" and goal.target is None:
        return "no target"
    outcome = last_outcome(armature_object)
    found = outcome.goals.get(index) if outcome and properties.asks(goal) else None
    return found.trouble if found else ""


def error_of(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, index: int) -> str:
    """What a goal lacks; empty while it asks for nothing."""
    outcome = last_outcome(armature_object)
    found = outcome.goals.get(index) if outcome and properties.asks(goal) else None
    return how_far(found) if found and not found.trouble else ""
