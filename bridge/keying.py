"""Keys for what was posed: of the body, of a part of it, of the selection, and by themselves when a drag ends.

Blender's own settings are honoured: the active keying set, Only Insert Available and Only Insert Needed, the type of
new keys. Rotations are keyed in the mode of their bone.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import bpy
import numpy as np

from .. import properties
from ..solvers.errors import PosewrightError
from . import action_curves, channels, limbs, pelvis, ready, selection
from .channels import Channels

TURNED = math.radians(0.01)  # what a drag moved by less is not keyed
MOVED = 1e-5  # the same, of the rig's size

_ROTATION = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}

ChannelsOf = Callable[[bpy.types.PoseBone], list[str]]  # which properties of a bone are keyed


def key(armature_object: bpy.types.Object, which: str, scene: bpy.types.Scene) -> int:
    """Key the body, the part of the active goal or bone, or the selection. Returns how many bones were keyed.

    Raises an error that says why there is nothing to key.
    """
    if reason := ready.why_not(armature_object):
        raise PosewrightError(reason)
    bones = _bones(armature_object, which)
    count = insert(armature_object, bones, scene, always=True)
    if not count:
        raise PosewrightError(
            "Nothing was keyed: the active keying set has none of these bones, or these keys are there already"
        )
    return count


def after_drag(armature_object: bpy.types.Object, before: Channels, scene: bpy.types.Scene) -> int:
    """Key the bones that a drag has moved, if keys are to be inserted by themselves. Returns how many."""
    if not scene.tool_settings.use_keyframe_insert_auto:
        return 0
    return insert(armature_object, moved(armature_object, before), scene, always=False)


def moved(armature_object: bpy.types.Object, before: Channels) -> list[str]:
    """The bones that are elsewhere than they were: by more than 0.01°, or 1e-5 of the rig's size."""
    now, bones = channels.read(armature_object), channels.pose_bones(armature_object)
    if len(bones) != len(before.mode):
        return []
    half = np.abs((now.turned * before.turned).sum(axis=1)).clip(max=1.0)
    # Of small angles the cosine says nothing: the sine, by the part of one quaternion that is across the other.
    across = now.turned - np.sign((now.turned * before.turned).sum(axis=1))[:, None] * before.turned
    angle = np.where(half > 0.99, 2.0 * np.linalg.norm(across, axis=1), 2.0 * np.arccos(half))
    way = np.linalg.norm(now.location - before.location, axis=1)
    found = (angle > TURNED) | (way > MOVED * _size(armature_object))
    return [bone.name for bone, yes in zip(bones, found.tolist(), strict=True) if yes]


def insert(armature_object: bpy.types.Object, bones: Iterable[str], scene: bpy.types.Scene, always: bool) -> int:
    """Key bones at the present frame. Returns how many got a key.

    Args:
        armature_object: whose bones they are.
        bones: their names.
        scene: whose settings and frame count.
        always: on request, as against keys that insert themselves; some settings are for those only.
    """
    wanted, options = set(bones), _options(scene, always)
    channels_of = _by_keying_set(armature_object, scene, options) or _own_channels(armature_object)
    paths = _keyed_paths(armature_object) if options & {"INSERTKEY_AVAILABLE", "INSERTKEY_REPLACE"} else None
    keyed = 0
    for bone in channels.pose_bones(armature_object):
        if bone.name in wanted:
            names = [name for name in channels_of(bone) if paths is None or bone.path_from_id(name) in paths]
            keyed += sum(_insert(bone, name, scene, options) for name in names) > 0
    return keyed


def _keyed_paths(armature_object: bpy.types.Object) -> set[str]:
    """The paths that have keys anywhere; Blender itself would warn of each that has none."""
    found = (one.curves for one in action_curves.of(armature_object) if one.owner != armature_object)
    return {curve.data_path for curves in found for curve in curves}


def _insert(bone: bpy.types.PoseBone, name: str, scene: bpy.types.Scene, options: set[str]) -> bool:
    settings: Any = {"options": options, "keytype": scene.tool_settings.keyframe_type, "group": bone.name}
    try:
        return bool(bone.keyframe_insert(name, frame=scene.frame_current_final, **settings))
    except (RuntimeError, TypeError):  # a locked or linked curve, a channel that is none: the others are keyed still
        return False


def _bones(armature_object: bpy.types.Object, which: str) -> list[str]:
    if which == "BODY":
        return [bone.name for bone in channels.pose_bones(armature_object)]
    if which == "SELECTION":
        found = selection.selected(armature_object)
        if not found:
            raise PosewrightError("No bone is selected in Pose Mode")
        return found
    active = selection.active(armature_object) if armature_object.mode == "POSE" else None
    goal = properties.active_goal(armature_object)
    if active is None and goal is None:
        raise PosewrightError("There is neither an active bone nor an active goal that says which part")
    return limbs.part(armature_object, active.name if active is not None else goal.bone if goal is not None else "")


def _own_channels(armature_object: bpy.types.Object) -> ChannelsOf:
    """What makes a bone's pose: its rotation and, where it may move or has been moved, its location."""
    moving = pelvis.movers(armature_object).translating

    def of(bone: bpy.types.PoseBone) -> list[str]:
        connected = bone.parent is not None and bone.bone.use_connect
        free = bone.parent is None or bone.name in moving or any(bone.location[:])
        return [_rotation(bone), "location"] if free and not connected else [_rotation(bone)]

    return of


def _by_keying_set(armature_object: bpy.types.Object, scene: bpy.types.Scene, options: set[str]) -> ChannelsOf | None:
    """What the active keying set has of a bone; None where keys do not go by it.

    Of a set with paths of its own, those that lead to the bone. Of Blender's own sets, what their names say;
    "Available" adds that only what is keyed already gets keys.
    """
    found: Any = scene.keying_sets_all.active
    if found is None or not scene.tool_settings.use_keyframe_insert_keyingset:
        return None
    if found.is_path_absolute:
        own: dict[str, list[str]] = {}
        for path in found.paths:
            found_here = action_curves.bone_and_channel(path.data_path) if path.id == armature_object else None
            if found_here is not None:
                own.setdefault(found_here[0], []).append(found_here[1])
        return lambda bone: own.get(bone.name, [])
    name = found.bl_idname
    if name == "Available":
        options.add("INSERTKEY_AVAILABLE")
    whole = name == "Available" or name.startswith("WholeCharacter")
    moves, turns, scales = (whole or word in name for word in ("Loc", "Rot", "Scal"))

    def of(bone: bpy.types.PoseBone) -> list[str]:
        return [*["location"] * moves, *[_rotation(bone)] * turns, *["scale"] * scales]

    return of


def _rotation(bone: bpy.types.PoseBone) -> str:
    return _ROTATION.get(bone.rotation_mode, "rotation_euler")


def _options(scene: bpy.types.Scene, always: bool) -> set[str]:
    """What Blender's settings say about new keys."""
    settings, preferences = scene.tool_settings, bpy.context.preferences
    edit: Any = preferences.edit if preferences is not None else None
    found: set[str] = set()
    if getattr(edit, "use_keyframe_insert_available", False) and not always:
        found.add("INSERTKEY_AVAILABLE")
    needed = "use_keyframe_insert_needed" if always else "use_auto_keyframe_insert_needed"
    if getattr(edit, needed, False):
        found.add("INSERTKEY_NEEDED")
    if settings.use_keyframe_cycle_aware:
        found.add("INSERTKEY_CYCLE_AWARE")
    if settings.auto_keying_mode == "REPLACE_KEYS" and not always:
        found.add("INSERTKEY_REPLACE")
    return found


def _size(armature_object: bpy.types.Object) -> float:
    """The rig's size in armature space: the diagonal of its rest pose's box."""
    data: Any = armature_object.data
    heads = channels.floats(data.bones, "head_local", 3)
    tails = channels.floats(data.bones, "tail_local", 3)
    both = np.concatenate([heads, tails])
    return float(np.linalg.norm(both.max(axis=0) - both.min(axis=0)))
