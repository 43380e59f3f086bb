"""Remove a contact."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import IntProperty

from .. import bridge
from .on_contact import OnContacts


class POSEWRIGHT_OT_contact_remove(OnContacts, bpy.types.Operator):
    """Found contacts come back when contacts are found again: those are switched off instead."""

    bl_idname = "posewright.contact_remove"
    bl_label = "Remove Contact"
    bl_description = "Remove a contact from the list. To keep it from being found again, switch it off instead"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        index: int

    def act(self, _context: bpy.types.Context, character: bpy.types.Object) -> str:
        return bridge.feet.contact_list.remove(character, self.index)


POSEWRIGHT_OT_contact_remove.__annotations__ = {
    "index": IntProperty(
        name="Contact",
        description="The contact's place in the list, counted from 0; -1 for the active one",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    ),
}
