"""Contacts as markers in the timeline, for those who want them there."""

import bpy

from ...solvers.errors import PosewrightError
from ..roles import stored as roles
from . import stored

_SIGNS = (("on", "▼"), ("off", "▲"))  # what our markers begin with, and no one else's


def add(context: bpy.types.Context, armature_object: bpy.types.Object) -> str:
    """Put a marker where each contact begins, and where it ends. Returns what to say."""
    rows = [one for one in stored.rows(armature_object) if not one.mute]
    if not rows:
        raise PosewrightError("There are no contacts: find them first")
    remove(context, armature_object)
    scene = context.scene
    assert scene is not None
    frames: dict[tuple[str, int], list[str]] = {}
    for one in rows:
        foot = roles.in_words(one.foot)
        frames.setdefault((f"▼ {foot}", one.first), []).append(one.part.lower())
        frames.setdefault((f"▲ {foot}", one.last + 1), []).append(one.part.lower())
    for (words, frame), parts in sorted(frames.items(), key=lambda item: item[0][1]):
        scene.timeline_markers.new(f"{words} {', '.join(parts)}", frame=frame)
    return f"{len(frames)} markers for {len(rows)} contacts"


def remove(context: bpy.types.Context, armature_object: bpy.types.Object) -> str:
    """Remove the markers of a character's feet. Returns what to say."""
    scene = context.scene
    assert scene is not None
    feet = {roles.in_words(role) for role in roles.known(armature_object) if role.partition(".")[0] == "foot"}
    begins = tuple(f"{sign} {foot} " for _, sign in _SIGNS for foot in feet)
    ours = [one for one in scene.timeline_markers if begins and one.name.startswith(begins)]
    for one in ours:
        scene.timeline_markers.remove(one)
    return f"{len(ours)} markers removed"
