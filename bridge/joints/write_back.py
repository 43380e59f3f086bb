"""Our limits as IK limits of the bones, for Blender's own IK and for other programs."""

import itertools
import math

import bpy
import numpy as np

from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from ...solvers.tree import quaternion_of
from .. import channels, limits, own_joints, rotations
from ..own_joints import OwnJoint
from . import anatomical

STEPS = 13  # values of each axis that are looked at
HALF_TURN = math.pi - 1e-4


def write(armature_object: bpy.types.Object, bones: list[str]) -> str:
    """Write the limits of some bones to their IK settings. Returns in a sentence what was done.

    IK limits are about the bone's own axes and always include its rest pose, so they are the least that hold all that
    ours do: exact for a hinge about an axis of its bone, wider for others.
    """
    own, pose, count = own_joints.read(armature_object), channels.pose_bones(armature_object), 0
    now = anatomical.own_turns(armature_object)
    for name in bones:
        if name in own:
            ends = _around(own[name], now[name])
            for axis, (low, high) in zip("xyz", ends.tolist(), strict=True):
                limited = low > -HALF_TURN or high < HALF_TURN
                setattr(pose[name], f"use_ik_limit_{axis}", limited)
                setattr(pose[name], f"ik_min_{axis}", max(min(low, 0.0), -math.pi))
                setattr(pose[name], f"ik_max_{axis}", min(max(high, 0.0), math.pi))
            count += 1
    if not count:
        raise PosewrightError("None of these bones has limits of Posewright's own")
    return f"IK limits were written to {count} bones"


def _around(own: OwnJoint, now: Floats) -> Floats:
    """The least limits [3, 2] of swing x, twist and swing z of a bone's own rotation that hold all of ours."""
    before, axes = (rotations.matrices(turn[None])[0] for turn in (own.before, own.axes))
    inside = anatomical.angles(own.before, own.axes, now[None])[0]
    grids = [
        np.linspace(low, high, STEPS) if free else np.array([value])
        for free, low, high, value in zip(own.free, own.lower, own.upper, inside, strict=True)
    ]
    found = []
    for bend, twist, side in itertools.product(*grids):
        turn = before @ _turn(bend, twist, side) @ axes.T
        found.append(_own_angles(turn))
    values = np.array(found)
    return np.stack([values.min(axis=0), values.max(axis=0)], axis=1)


def _turn(bend: float, twist: float, side: float) -> Floats:
    """The rotation [3, 3] of a swing in a box and a twist."""
    x, z = 0.5 * bend, 0.5 * side
    swing = np.array([math.cos(x) * math.cos(z), math.sin(x), 0.0, math.cos(x) * math.sin(z)])
    about = np.array([math.cos(0.5 * twist), 0.0, math.sin(0.5 * twist), 0.0])
    found: Floats = rotations.matrices(rotations.product(swing[None], about[None]))[0]
    return found


def _own_angles(turn: Floats) -> tuple[float, float, float]:
    """Swing x, twist and swing z as IK limits have them: each swing by the sine of its half."""
    sx, twist, sz = limits.swing_and_twist(quaternion_of(turn))
    return limits.arc(sx), twist, limits.arc(sz)
