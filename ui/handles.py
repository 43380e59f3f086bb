"""A handle for each goal in the 3D view, to be grabbed: an idle goal's on its bone, else where the goal wants to be."""

from typing import Any

import bpy
from mathutils import Matrix

from .. import bridge, properties
from ..operators.drag import POSEWRIGHT_OT_drag
from ..properties import POSEWRIGHT_PG_goal

ICONS = {"IDLE": "RADIOBUT_OFF", "PINNED": "PINNED", "FOLLOWING": "CONSTRAINT"}
SIZE = 0.13  # of Blender's own gizmo size


class POSEWRIGHT_GGT_handles(bpy.types.GizmoGroup):
    """Of the active armature."""

    bl_label = "Posewright Handles"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        thing = context.object
        return (
            thing is not None
            and thing.type == "ARMATURE"
            and thing.mode in {"POSE", "OBJECT"}
            and thing.visible_get()
            and len(properties.character(thing).posewright_goals) > 0
        )

    def setup(self, context: bpy.types.Context) -> None:
        self.refresh(context)

    def refresh(self, context: bpy.types.Context) -> None:
        thing = context.object
        if thing is None or context.preferences is None:
            return
        goals = properties.character(thing).posewright_goals
        icons = [ICONS[goal.state] for goal in goals]
        handles: list[Any] = list(self.gizmos)
        # Blender asks a button for its icon once, when it is drawn first: with another one it is made anew. That a pin
        # is let go for a moment (`loose`) is not shown so: no handle may be taken away in the midst of its drag.
        same = 0
        while same < min(len(icons), len(handles)) and handles[same].icon == icons[same]:
            same += 1
        while len(self.gizmos) > same:
            self.gizmos.remove(self.gizmos[len(self.gizmos) - 1])
        for index, icon in enumerate(icons[same:], same):
            self._add(index, icon)
        colours = context.preferences.themes[0].user_interface
        for goal, handle in zip(goals, self.gizmos, strict=True):
            where = bridge.places.handle_matrix(thing, goal)
            handle.hide = where is None or goal.mute
            if where is not None:
                _show(handle, goal, where, colours)

    def _add(self, index: int, icon: str) -> None:
        handle: Any = self.gizmos.new("GIZMO_GT_button_2d")
        handle.draw_options = {"BACKDROP", "OUTLINE"}
        handle.icon, handle.scale_basis = icon, SIZE
        handle.use_draw_modal = True
        operator: Any = handle.target_set_operator(POSEWRIGHT_OT_drag.bl_idname)
        operator.goal = index


def _show(handle: Any, goal: POSEWRIGHT_PG_goal, where: Matrix, colours: Any) -> None:  # noqa: ANN401 - a button's own
    handle.matrix_basis = where
    state = "IDLE" if goal.loose else goal.state
    states = {"IDLE": colours.gizmo_primary, "PINNED": colours.gizmo_a, "FOLLOWING": colours.gizmo_b}
    colour = colours.gizmo_hi if goal.dragged else states[state]
    handle.color, handle.alpha = colour[:3], 0.7
    handle.color_highlight, handle.alpha_highlight = colours.gizmo_hi[:3], 0.9
