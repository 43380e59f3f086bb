"""Joints as we store them: limits about axes of their own, and habits. Read in bulk, into plain arrays.

A .blend may come from anyone: what is no rotation or no number is passed over, and `properties.joint_trouble` says why.
"""

from dataclasses import dataclass

import bpy
import numpy as np

from .. import properties
from ..solvers.rotation import Floats
from . import channels
from .channels import Bools

_FIELDS = (("before", 4), ("axes", 4), ("lower", 3), ("upper", 3), ("rest", 3), ("stiffness", 3))


@dataclass(frozen=True, eq=False)
class OwnJoint:
    """Of one bone. Angles are in radians; axes are bend, twist and side: x, y and z of the joint's own axes."""

    order: str  # "SWING", "ELLIPSE" or an order of Euler angles
    before: Floats  # [4]
    axes: Floats  # [4]
    free: Bools  # [3]
    lower: Floats  # [3]
    upper: Floats  # [3]
    natural: bool  # whether the rest values and stiffnesses count
    rest: Floats  # [3]
    stiffness: Floats  # [3]


def read(armature_object: bpy.types.Object) -> dict[str, OwnJoint]:
    """The joints that have limits of their own which make sense, by the names of their bones."""
    joints = properties.character(armature_object).posewright_joints
    columns = {name: channels.floats(joints, name, width).astype(float) for name, width in _FIELDS}
    free, natural = channels.bools(joints, "free", 3), channels.bools(joints, "natural")[:, 0].tolist()
    found = dict[str, OwnJoint]()
    for row, joint in enumerate(joints):
        numbers = {name: values[row] for name, values in columns.items()}
        if joint.source != "BONE" and not properties.joint_trouble(joint):
            for name in ("before", "axes"):
                numbers[name] = numbers[name] / np.linalg.norm(numbers[name])
            found[joint.name] = OwnJoint(joint.order, free=free[row], natural=natural[row], **numbers)
    return found


def signature(armature_object: bpy.types.Object) -> tuple[tuple[str, ...], bytes]:
    """All that is stored, in a form that can be compared."""
    joints = properties.character(armature_object).posewright_joints
    if not len(joints):
        return (), b""
    names = tuple(f"{joint.name}:{joint.source}:{joint.order}" for joint in joints)
    parts = [channels.floats(joints, name, width) for name, width in _FIELDS]
    switches = [channels.bools(joints, "free", 3), channels.bools(joints, "natural")]
    return names, b"".join(part.tobytes() for part in (*parts, *switches))
