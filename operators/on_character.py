"""What actions on a character have in common: who it is, why a button is grey, how an error is told."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import IntProperty

from .. import bridge, properties

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    Base = bpy.types.Operator
else:
    Base = object  # a mixin: Blender knows the operators themselves only


class OnCharacter(Base):
    """An action on the active armature object. Its file says in `act` what is done."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        reason = cls.why_grey(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        """Why the action cannot be had now; empty if it can."""
        return bridge.ready.why_not(context.object)

    def execute(self, context: bpy.types.Context) -> "set[OperatorReturnItems]":
        assert context.object is not None
        try:
            said = self.act(context, context.object)
        except bridge.errors.PosewrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if said:
            self.report({"INFO"}, said)
        return {"FINISHED"}

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        """Do it, and return what to say. Raises a PosewrightError that says why not."""
        raise NotImplementedError


class OnGoals(OnCharacter):
    """An action that needs goals."""

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not len(properties.character(context.object).posewright_goals):
            reason = f"{context.object.name!r} has no goals yet: set it up, or add one with +"
        return reason


class OnGoal(OnGoals):
    """An action on one goal."""

    if TYPE_CHECKING:
        index: int


OnGoal.__annotations__ = {
    "index": IntProperty(
        name="Goal",
        description="The goal's place in the list, counted from 0; -1 for the active goal",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    ),
}
