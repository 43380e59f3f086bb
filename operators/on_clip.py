"""What actions on a character's clip have in common: it must play something, and have a ground to be put onto."""

import bpy

from .. import properties
from .in_steps import InSteps


class OnClip(InSteps):
    """A long action that needs a clip: an action, or NLA strips."""

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        if not reason and context.object and not _plays(context.object):
            reason = f"{context.object.name!r} has no action: give it one, or bake what it does live"
        return reason


class OnGround(OnClip):
    """One that needs a ground, too."""

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        reason = super().why_grey(context)
        return reason or (_no_ground(properties.character(context.object)) if context.object else "")


def _plays(armature_object: bpy.types.Object) -> bool:
    animation = armature_object.animation_data
    return animation is not None and (animation.action is not None or len(animation.nla_tracks) > 0)


def _no_ground(character: properties.Character) -> str:
    if character.posewright_feet_ground == "OBJECT" and character.posewright_feet_object is None:
        return "Choose the object that is the ground"
    if character.posewright_feet_ground == "COLLECTION" and character.posewright_feet_collection is None:
        return "Choose the collection that is the ground"
    return ""
