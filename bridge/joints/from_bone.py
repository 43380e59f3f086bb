"""Limits taken over from what Blender stores of a bone: its IK limits, or a Limit Rotation constraint."""

import math

import bpy
import numpy as np

from ...properties import NO_TURN
from ...solvers.errors import PosewrightError
from .. import channels, obstacles
from . import anatomical
from .anatomical import Numbers


def from_ik(armature_object: bpy.types.Object, bones: list[str]) -> str:
    """Take over IK limits, in the meaning that Blender's own IK gives them. Returns what was done in a sentence."""
    pose, count = channels.pose_bones(armature_object), 0
    for name in bones:
        bone = pose[name]
        limited = np.array([getattr(bone, f"use_ik_limit_{axis}") for axis in "xyz"])
        if limited.any():
            ends = [(getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")) for axis in "xyz"]
            low, high = np.where(limited[:, None], ends, [-math.pi, math.pi]).T
            order = "ELLIPSE" if limited[0] and limited[2] else "SWING"
            turn = np.array(NO_TURN)
            put = Numbers("IK", order, turn, turn, np.ones(3), low, high)
            anatomical.put(anatomical.joint_of(armature_object, name), put)
            count += 1
    if not count:
        raise PosewrightError("None of these bones has IK limits")
    return f"{count} joints have the IK limits of their bones"


def from_constraint(armature_object: bpy.types.Object, bones: list[str]) -> str:
    """Take over Limit Rotation constraints and mute them: where one is on, Blender clamps what is seen of the bone."""
    pose, count = channels.pose_bones(armature_object), 0
    for name in bones:
        limit = obstacles.of_bone(pose[name]).rotation.get(name)
        if limit is None:
            continue
        mode = pose[name].rotation_mode
        order = limit.order or (mode if mode not in {"QUATERNION", "AXIS_ANGLE"} else "XYZ")
        ends = np.clip(np.array(limit.limits), -math.pi, math.pi)
        turn = np.array(NO_TURN)
        put = Numbers("CONSTRAINT", order, turn, turn, np.ones(3), ends[:, 0], ends[:, 1])
        anatomical.put(anatomical.joint_of(armature_object, name), put)
        for constraint in pose[name].constraints:
            if constraint.type == "LIMIT_ROTATION":
                constraint.mute = True
        count += 1
    if not count:
        raise PosewrightError("None of these bones has a Limit Rotation constraint that limits it by its own rotation")
    return f"{count} joints have the limits of their constraints, which are muted"
