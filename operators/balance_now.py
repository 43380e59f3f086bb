"""Bring a body into balance."""

import bpy

from .. import bridge, properties
from .on_relation import OnRelation


class POSEWRIGHT_OT_balance_now(OnRelation, bpy.types.Operator):
    """By itself a balance throws no pose into it: a drag brings it there little by little."""

    bl_idname = "posewright.balance_now"
    bl_label = "Balance Now"
    bl_description = "Move the body until its centre of mass is over the feet that are pinned; pins stay where they are"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        with bridge.relations.balance.at_once():
            found = bridge.live.solve_once(character, context.evaluated_depsgraph_get())
        properties.character(character).posewright_anchor = ""  # what was found is the reference from now on
        return found.words
