"""Hold two bones together."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty

from .. import bridge
from .on_character import OnCharacter


class POSEWRIGHT_OT_hold_together(OnCharacter, bpy.types.Operator):
    """A loop: clasped hands, a hand on the hip."""

    bl_idname = "posewright.hold_together"
    bl_label = "Hold Together"
    bl_description = (
        "Hold the two selected bones together, whatever is dragged: clasped hands, a hand on the hip. They may be of "
        "two characters in Pose Mode. As they are posed now, or by their ends"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        how: str
        turned: bool

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        editing = bridge.relations.editing
        others = [one for one in context.objects_in_mode if one != character]
        theirs = [(one, bone) for one in others for bone in bridge.selection.selected(one)]
        own = editing.from_selected(character)
        if len(theirs) == 1 and len(own) == 1:
            return editing.hold_each_other(character, own[0], *theirs[0], self.how, self.turned)
        if theirs:
            raise bridge.errors.PosewrightError(
                f"Select one bone of {character.name!r} and one of another character; {len(own)} and {len(theirs)} are "
                "selected"
            )
        return editing.hold_together(character, own, self.how, self.turned)


POSEWRIGHT_OT_hold_together.__annotations__ = {
    "how": EnumProperty(
        name="Points",
        description="Which points of the two bones are held together",
        items=(
            ("POSED", "As Posed", "The middle of the active bone is where it is now on the other: nothing moves"),
            ("HEADS", "Heads", "Where both bones begin"),
            ("TAILS", "Tails", "Where both bones end"),
        ),
    ),
    "turned": BoolProperty(
        name="With Turn",
        description="The active bone also keeps its turn, as seen from the other one",
    ),
}
