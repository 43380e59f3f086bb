"""From the action before to the one with placed feet, and back. A bake has its own way back, which stays."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy

from ... import properties
from ...solvers.errors import PosewrightError
from .. import action_curves, channels, pose
from ..baking import actions
from ..baking.actions import BLENDING, SLOTTED, Place
from ..baking.writing import Keys
from ..channels import Channels

WORD = "placed"  # what comes to the name of an action


def is_placed(armature_object: bpy.types.Object) -> bool:
    """Whether the character plays the action with placed feet."""
    placed, animation = properties.character(armature_object).posewright_feet_placed, armature_object.animation_data
    return placed is not None and animation is not None and animation.action == placed


@contextmanager
def source(armature_object: bpy.types.Object) -> Iterator[None]:
    """Meanwhile the character plays what it did before its feet were placed: they are placed anew, not once more."""
    if not (is_placed(armature_object) and properties.character(armature_object).posewright_feet_was):
        yield
        return
    there = channels.read(armature_object)
    _play_before(armature_object)
    try:
        yield
    finally:
        _play_placed(armature_object)
        pose.put(armature_object, channels.read(armature_object), there)


def open_place(armature_object: bpy.types.Object, keys: Sequence[Keys], rests: Channels) -> Place:
    """Make a new action for placed feet, with all that the present one has; that one is kept.

    Args:
        armature_object: the character.
        keys: that will be written.
        rests: the clip's first pose: bones that the clip does not key go back to it on the way back.
    """
    character = properties.character(armature_object)
    if is_placed(armature_object) and character.posewright_feet_was:
        _play_before(armature_object)
    animation: Any = armature_object.animation_data or armature_object.animation_data_create()
    former, slot = animation.action, getattr(animation, "action_slot", None)
    was: dict[str, object] = {name: getattr(animation, name) for name in BLENDING}
    was |= {"slot": slot.identifier if slot else "", "had": former is not None}
    was["still"] = _still(armature_object, keys, rests)
    if former is not None:
        former.use_fake_user = True
    action, slot = actions.successor(armature_object, animation, former, WORD)
    animation.action_blend_type, animation.action_influence = "REPLACE", 1.0
    character.posewright_feet_before, character.posewright_feet_placed = former, action
    character.posewright_feet_was = json.dumps(was)
    return Place(action, action_curves.bag_for(action, slot))


def compare(armature_object: bpy.types.Object) -> str:
    """Switch between the action before and the one with placed feet. Returns what to say."""
    character = properties.character(armature_object)
    if character.posewright_feet_placed is None or not character.posewright_feet_was:
        raise PosewrightError(f"The feet of {armature_object.name!r} were not placed: there is nothing to compare with")
    if armature_object.animation_data is not None:  # while a strip is tweaked, the object is said to play that
        actions.leave_tweak_mode(armature_object.animation_data)
    if is_placed(armature_object):
        _play_before(armature_object)
        return f"Before: {_name(character.posewright_feet_before)}"
    _play_placed(armature_object)
    return f"After: {_name(character.posewright_feet_placed)}"


def back(armature_object: bpy.types.Object) -> str:
    """Give the character the action from before its feet were placed. Returns what to say."""
    character = properties.character(armature_object)
    if not character.posewright_feet_was:
        raise PosewrightError(f"The feet of {armature_object.name!r} were not placed: there is nothing to go back from")
    _play_before(armature_object)
    said = f"Back to {_name(character.posewright_feet_before)}"
    character.posewright_feet_placed = character.posewright_feet_before = None
    character.posewright_feet_was = character.posewright_feet_report = ""
    return said


def _still(
    armature_object: bpy.types.Object, keys: Sequence[Keys], rests: Channels
) -> list[tuple[str, str, list[float]]]:
    """Bones, properties and values of what the clip does not key and the placed action will."""
    animation = armature_object.animation_data
    lists = actions.curves_of(armature_object) if animation and animation.action else []
    keyed = {curve.data_path for bag in lists for curve in bag.fcurves}
    bones, found = channels.pose_bones(armature_object), list[tuple[str, str, list[float]]]()
    for one in keys:
        bone, values = bones[one.row], rests.floats[channels.NAMES.index(one.name)][one.row]
        if bone.path_from_id(one.name) not in keyed:
            found.append((bone.name, one.name, values.tolist()))
    return found


def _name(action: bpy.types.Action | None) -> str:
    return repr(action.name) if action is not None else "no action"


def _play_placed(armature_object: bpy.types.Object) -> None:
    character = properties.character(armature_object)
    animation: Any = armature_object.animation_data or armature_object.animation_data_create()
    placed: Any = character.posewright_feet_placed
    actions.leave_tweak_mode(animation)
    animation.action = placed
    if SLOTTED and placed is not None and len(placed.slots):
        animation.action_slot = placed.slots[0]
    animation.action_blend_type, animation.action_influence = "REPLACE", 1.0


def _play_before(armature_object: bpy.types.Object) -> None:
    character = properties.character(armature_object)
    try:
        was = json.loads(character.posewright_feet_was)
        assert isinstance(was, dict)
    except (ValueError, RecursionError, AssertionError):
        character.posewright_feet_was = ""
        raise PosewrightError("What was stored of the clip before cannot be read: choose its action by hand") from None
    action: Any = character.posewright_feet_before
    if was.get("had") and action is None:
        raise PosewrightError("The action from before was deleted: choose one by hand")
    animation: Any = armature_object.animation_data or armature_object.animation_data_create()
    actions.leave_tweak_mode(animation)
    animation.action = action
    slot = str(was.get("slot", ""))
    if SLOTTED and action is not None and slot in action.slots:
        animation.action_slot = action.slots[slot]
    for name in BLENDING:
        if name in was and actions.can_play(name, was[name]):
            setattr(animation, name, was[name])
    bones = channels.pose_bones(armature_object)
    try:
        for bone, name, values in was.get("still", ()):
            if bone in bones and name in channels.NAMES:
                setattr(bones[bone], name, values)
    except (TypeError, ValueError):  # a file may be a stranger's: the action counts, and plays
        return
