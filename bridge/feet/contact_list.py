"""A character's contacts as a list: add and remove them by hand."""

from typing import Any

import bpy

from ... import properties
from ...solvers.errors import PosewrightError
from . import stored
from .stored import Row

_LASTS = 0.25  # seconds: a contact that is added


def add(armature_object: bpy.types.Object, scene: bpy.types.Scene, foot: str = "", part: str = "SAME") -> str:
    """Add a contact from the present frame on, and make it the active one. Returns what to say.

    Without a foot or a part it is of the active contact's; where there is none, the ball of the first foot.
    """
    character = properties.character(armature_object)
    known = _feet(armature_object)
    if not known:
        raise PosewrightError(f"No foot of {armature_object.name!r} is known: set up the character, or find contacts")
    if foot and foot not in known:
        raise PosewrightError(f"{armature_object.name!r} has no foot {foot!r}: it has {', '.join(known)}")
    index = character.posewright_contact_index
    active = character.posewright_contacts[index] if index < len(character.posewright_contacts) else None
    foot = foot or (active.foot if active is not None and active.foot in known else known[0])
    part = (active.part if active is not None else "BALL") if part == "SAME" else part
    first = scene.frame_current
    last = first + max(1, round(_LASTS * scene.render.fps / scene.render.fps_base))
    character.posewright_contact_index = stored.add(armature_object, Row(foot, part, first, last))
    return ""


def remove(armature_object: bpy.types.Object, index: int = -1) -> str:
    """Remove a contact, the active one for -1. Returns what to say."""
    character = properties.character(armature_object)
    contacts = character.posewright_contacts
    place = character.posewright_contact_index if index == -1 else index
    if not 0 <= place < len(contacts):
        raise PosewrightError(f"{armature_object.name!r} has no contact {place}: it has {len(contacts)}")
    override: Any = armature_object.override_library
    if override and override.reference and contacts[place].name in override.reference.posewright_contacts:
        raise PosewrightError("This contact comes from the library and cannot be removed: switch it off instead")
    contacts.remove(place)
    character.posewright_contact_index = max(0, min(character.posewright_contact_index, len(contacts) - 1))
    return ""


def _feet(armature_object: bpy.types.Object) -> list[str]:
    """The roles of the feet that are known."""
    character = properties.character(armature_object)
    if len(character.posewright_soles):
        return [sole.name for sole in character.posewright_soles]
    return [role.name for role in character.posewright_roles if role.bone and role.name.startswith("foot.")]
