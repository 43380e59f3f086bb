"""All that a drag may change of a character, and of those it is held by: Esc puts it back to the last bit."""

from dataclasses import dataclass, field, replace

import bpy
from mathutils import Quaternion, Vector

from ... import properties
from .. import channels, reference
from ..channels import Channels
from ..reference import Stored
from ..together import partners
from . import temporary_goals

_CHANNELS = {"location": "location", "rotation_quaternion": "quaternion"} | {
    "rotation_euler": "euler",
    "rotation_axis_angle": "axis_angle",
}


@dataclass(frozen=True)
class _Goal:
    """What a drag changes of a goal."""

    dragged: bool
    loose: bool
    orientation: float
    place: Vector
    turn: Quaternion
    target_offset: Vector
    target_turn: Quaternion


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A character's pose, goals and reference; no reference to Blender's data."""

    channels: Channels
    goals: list[_Goal]
    anchor: str
    reference: Stored
    others: dict[tuple[str, str | None], "Snapshot"] = field(default_factory=dict)  # those solved as one, by name


def take(armature_object: bpy.types.Object) -> Snapshot:
    """As it is now, with all that are solved as one with it."""
    others = {
        (one.name, one.library.filepath if one.library else None): _take(one)
        for one in partners.group(armature_object)
        if one != armature_object
    }
    return replace(_take(armature_object), others=others)


def _take(armature_object: bpy.types.Object) -> Snapshot:
    character = properties.character(armature_object)
    return Snapshot(
        channels.read(armature_object),
        [
            _Goal(
                goal.dragged,
                goal.loose,
                goal.orientation,
                goal.place.copy(),
                goal.turn.copy(),
                goal.target_offset.copy(),
                goal.target_turn.copy(),
            )
            for goal in character.posewright_goals
        ],
        character.posewright_anchor,
        reference.as_stored(armature_object),
    )


def put_back(armature_object: bpy.types.Object, before: Snapshot) -> None:
    """Make the character what it was, and have Blender show it."""
    temporary_goals.remove(armature_object)
    put_goals_back(armature_object, before)
    put_pose_back(armature_object, before)
    put_reference_back(armature_object, before)
    for name, its in before.others.items():
        other: bpy.types.Object | None = bpy.data.objects.get(name)
        if other is not None and other.pose is not None:
            put_back(other, its)


def put_goals_back(armature_object: bpy.types.Object, before: Snapshot) -> None:
    """Make the goals what they were, if they are still as many."""
    goals = properties.character(armature_object).posewright_goals
    for goal, was in zip(goals, before.goals, strict=False):
        goal.dragged, goal.loose, goal.orientation = was.dragged, was.loose, was.orientation
        goal.place, goal.turn = was.place, was.turn
        goal.target_offset, goal.target_turn = was.target_offset, was.target_turn


def put_pose_back(armature_object: bpy.types.Object, before: Snapshot) -> None:
    """Give all bones the channels that they had."""
    bones = channels.pose_bones(armature_object)
    if len(bones) == len(before.channels.mode):
        for name, part in _CHANNELS.items():
            bones.foreach_set(name, getattr(before.channels, part).ravel())
    armature_object.update_tag()


def put_reference_back(armature_object: bpy.types.Object, before: Snapshot) -> None:
    """Store the reference that was stored."""
    reference.put_stored(armature_object, before.reference)
    properties.character(armature_object).posewright_anchor = before.anchor
