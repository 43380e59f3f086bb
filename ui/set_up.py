"""What each bone of the character is: the list of roles, to be corrected by hand."""

from typing import Any

import bpy

from ..operators.set_up import POSEWRIGHT_OT_set_up
from ..properties import POSEWRIGHT_PG_role
from .tab import SHOWN, Layout, OfCharacter, active_character, press, show, spoken, write

ICONS = {"NONE": "QUESTION", "NAME": "SORTALPHA", "SHAPE": "ARMATURE_DATA", "HAND": "VIEW_PAN"}
SOURCES = {"NONE": "not found", "NAME": "by name", "SHAPE": "by geometry", "HAND": "by hand"}


class POSEWRIGHT_UL_roles(bpy.types.UIList):
    """A row for each role: what it is, which bone has it, where that came from."""

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: Layout,
        data: Any,  # noqa: ANN401 - Blender's: the object
        item: Any,  # noqa: ANN401 - a role
        _icon: int | None,
        _active_data: Any,  # noqa: ANN401
        _active_property: str | None,
        _index: int | None,
        _flag: int | None,
    ) -> None:
        role: POSEWRIGHT_PG_role = item
        line = layout.split(factor=0.45, align=True)
        line.alert = role.doubtful or bool(lost_bone(data, role))
        show(line, role.name, icon=ICONS[role.source])
        line.prop_search(role, "bone", data.pose, "bones", text="")

    def filter_items(
        self,
        _context: bpy.types.Context | None,
        data: Any,  # noqa: ANN401 - Blender's: the object
        name: str,
    ) -> Any:  # noqa: ANN401 - two lists; the stubs want arrays of Blender's
        wanted = self.filter_name.lower()
        return [SHOWN if wanted in f"{one.name} {one.bone}".lower() else 0 for one in getattr(data, name)], []


class POSEWRIGHT_PT_set_up(OfCharacter, bpy.types.Panel):
    """One button, and what it found."""

    bl_label = "Set Up"
    bl_parent_id = "POSEWRIGHT_PT_sidebar"

    def draw(self, context: bpy.types.Context) -> None:
        layout: Layout = self.layout
        character = active_character(context)
        press(layout, POSEWRIGHT_OT_set_up.bl_idname, icon="ARMATURE_DATA")
        roles = character.posewright_roles
        if not len(roles) or character.pose is None:
            return
        layout.template_list(
            "POSEWRIGHT_UL_roles", "", character, "posewright_roles", character, "posewright_active_role", rows=5
        )
        index = character.posewright_active_role
        if 0 <= index < len(roles):
            role = roles[index]
            lost = lost_bone(character, role)
            said = f"{role.name}: {spoken(SOURCES[role.source])}"
            said += "".join(f". {spoken(text)}" for text in (role.reason, lost) if text)
            write(layout, said, icon=ICONS[role.source], alert=role.doubtful or bool(lost))
        doubtful = sum(role.doubtful for role in roles)
        if doubtful:
            write(
                layout, spoken("{count} doubtful: choose their bones by hand", count=doubtful), icon="ERROR", alert=True
            )
        for line in filter(None, character.posewright_set_up_done.split("\n")):
            write(layout, line, icon="CON_KINEMATIC")


def lost_bone(armature_object: bpy.types.Object, role: POSEWRIGHT_PG_role) -> str:
    """Says so if a role's bone is no longer there."""
    there = not role.bone or armature_object.pose is None or role.bone in armature_object.pose.bones
    return "" if there else spoken("There is no bone {bone!r}", bone=role.bone)
