"""Show contacts in the timeline."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from .. import bridge
from .on_contact import OnContacts


class POSEWRIGHT_OT_contact_markers(OnContacts, bpy.types.Operator):
    """Where each foot comes down and where it leaves."""

    bl_idname = "posewright.contact_markers"
    bl_label = "Contacts as Markers"
    bl_description = "Put markers into the timeline where feet come down and leave, or take them out again"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        remove: bool

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        room = bridge.feet.markers
        return room.remove(context, character) if self.remove else room.add(context, character)


POSEWRIGHT_OT_contact_markers.__annotations__ = {
    "remove": BoolProperty(name="Remove", description="Take the markers out of the timeline", options={"SKIP_SAVE"}),
}
