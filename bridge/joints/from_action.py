"""How an action turns bones: sampled from its F-curves, without playing it."""

import math
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...properties import POSEWRIGHT_PG_joint
from ...solvers.errors import PosewrightError
from ...solvers.joints import ORDERS
from ...solvers.rotation import Floats
from .. import action_curves, channels, rotations
from . import anatomical
from .anatomical import Numbers

MOST = 2000  # frames of an action that are looked at: of longer ones every second, third …
_WIDTHS = {"rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4}


def named(name: str) -> bpy.types.Action:
    """The action of a name. Raises an error where there is none."""
    found: bpy.types.Action | None = bpy.data.actions.get(name)
    if found is None:
        raise PosewrightError(f"There is no action {name!r}" if name else "Choose an action")
    return found


def frames_of(action: bpy.types.Action) -> NDArray[np.int64]:
    """The frames of an action that are looked at."""
    ends = action.frame_range
    frames = np.arange(math.floor(ends[0]), math.ceil(ends[1]) + 1)
    return frames[:: 1 + len(frames) // MOST]


def turns(armature_object: bpy.types.Object, action: bpy.types.Action) -> dict[str, Floats]:
    """The own rotations [F, 3, 3] of the bones that an action turns, by bone."""
    frames = frames_of(action)
    curves: dict[tuple[str, int], Any] = {}
    for curve in action_curves.of_action(action, armature_object):
        curves[curve.data_path, curve.array_index] = curve
    found = {}
    for bone in channels.pose_bones(armature_object):
        mode: str = bone.rotation_mode
        kind = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")
        path, width = f"{bone.path_from_id()}.{kind}", _WIDTHS[kind]
        own = [curves.get((path, axis)) for axis in range(width)]
        if any(own):
            default = list(getattr(bone, kind))
            values = [
                [curve.evaluate(frame) for frame in frames] if curve else [default[axis]] * len(frames)
                for axis, curve in enumerate(own)
            ]
            found[bone.name] = _matrices(np.array(values, float).T, mode)
    return found


def _matrices(values: Floats, mode: str) -> Floats:
    if mode == "AXIS_ANGLE":
        turned = rotations.from_axis_angle(values)
    elif mode == "QUATERNION":
        length = np.linalg.norm(values, axis=1, keepdims=True)
        turned = np.where(length > 0.0, values, [1.0, 0.0, 0.0, 0.0]) / np.where(length > 0.0, length, 1.0)
    else:
        turned = rotations.from_euler(values, np.full(len(values), ORDERS.index(mode)))
    return rotations.matrices(turned)


def limit(armature_object: bpy.types.Object, action: bpy.types.Action, bones: list[str], margin: float) -> str:
    """Limit joints to what an action does with them, and a margin in radians. Returns what was done in a sentence.

    About anatomical axes where the bone has a role or limits of its own, else about its own axes.
    """
    sampled = turns(armature_object, action)
    wanted = [bone for bone in bones if bone in sampled]
    if not wanted:
        raise PosewrightError(f"The action {action.name!r} turns none of these bones")
    for bone in wanted:
        joint = anatomical.joint_of(armature_object, bone)
        anatomical.put(joint, _range(armature_object, joint, sampled[bone], margin))
    left = len(bones) - len(wanted)
    others = f", which does not turn {left} others" if left else ""
    return f"{len(wanted)} joints are limited by {action.name!r}{others}"


def _range(armature_object: bpy.types.Object, joint: POSEWRIGHT_PG_joint, turned: Floats, margin: float) -> Numbers:
    before, axes = frame(armature_object, joint)
    values = anatomical.angles(before, axes, turned)
    lower = np.maximum(values.min(axis=0) - margin, -math.pi)
    upper = np.minimum(values.max(axis=0) + margin, math.pi)
    return Numbers("ACTION", "SWING", before, axes, np.ones(3), lower, upper)


def frame(armature_object: bpy.types.Object, joint: POSEWRIGHT_PG_joint) -> tuple[Floats, Floats]:
    """By what a joint is to be counted, as quaternions [4]: as it is, by its role, or by the bone itself."""
    if joint.source != "BONE":
        return np.array(joint.before[:]), np.array(joint.axes[:])
    try:
        known = anatomical.axes_of(armature_object).get(joint.name)
    except PosewrightError:
        known = None
    return anatomical.turns(known) if known else (np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
