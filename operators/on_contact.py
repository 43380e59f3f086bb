"""What actions on contacts have in common."""

import bpy

from .. import properties
from .on_character import OnCharacter


class OnContacts(OnCharacter):
    """An action that needs contacts."""

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not len(properties.character(context.object).posewright_contacts):
            reason = f"{context.object.name!r} has no contacts yet: find them first"
        return reason
