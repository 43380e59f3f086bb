"""What actions on relations have in common."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import IntProperty

from .. import properties
from .on_character import OnCharacter


class OnRelation(OnCharacter):
    """An action on one relation."""

    if TYPE_CHECKING:
        index: int

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not len(properties.character(context.object).posewright_relations):
            reason = f"{context.object.name!r} has no relations yet"
        return reason


OnRelation.__annotations__ = {
    "index": IntProperty(
        name="Relation",
        description="The relation's place in the list, counted from 0; -1 for the active one",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    ),
}
