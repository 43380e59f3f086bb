"""Set a character up: find out what each bone is, and make goals."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_set_up(OnCharacter, bpy.types.Operator):
    """Roles by names and geometry; idle goals, so nothing moves."""

    bl_idname = "posewright.set_up"
    bl_label = "Set Up Character"
    bl_description = (
        "Find out what each bone of the active armature is; give hands, feet, head, pelvis and chest goals, and joints "
        "the limits and habits of people. Limbs that follow IK are switched to FK where they stand. Nothing that is "
        "seen moves"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        forget: bool
        limits: bool

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        said = bridge.roles.stored.set_up(character, self.forget, context.evaluated_depsgraph_get(), self.limits)
        others = [one for one in context.selected_objects or () if one.type == "ARMATURE" and one != character]
        return said + (f"; only {character.name!r} was set up, the active armature" if others else "")


POSEWRIGHT_OT_set_up.__annotations__ = {
    "forget": BoolProperty(
        name="Forget by Hand",
        description="Find the roles anew that were chosen or cleared by hand, too",
        options={"SKIP_SAVE"},
    ),
    "limits": BoolProperty(
        name="Human Limits",
        description="Give joints the limits and habits of people, by their roles; of creatures, generic limits. "
        "Limits that the rig has, and those set by hand, stay",
        default=True,
    ),
}
