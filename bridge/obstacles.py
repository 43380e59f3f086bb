"""What else has a say in a bone's pose: constraints, drivers, inverse kinematics of Blender's own.

Limit Rotation and Limit Location in local space become limits of ours. A bone that anything else moves is frozen: taken
as it stands, because what we wrote to its channels is not what would be seen.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy

from ..solvers.joints import ORDERS, Limits
from .channels import pose_bones

_DRIVEN = re.compile(r'pose\.bones\["(.*)"\]\.(location|rotation_quaternion|rotation_euler|rotation_axis_angle|scale)')


class RotationLimits(NamedTuple):
    """A Limit Rotation constraint: Euler angles of the bone's own rotation, clamped one by one; radians."""

    order: str | None  # one of `solvers.joints.ORDERS`; None for that of the bone
    limits: tuple[Limits, Limits, Limits]  # of x, y and z; infinite where there is none
    circular: bool  # an angle outside goes to the end that is nearest on the circle, not on the line


class LocationLimits(NamedTuple):
    """A Limit Location constraint, in the units of the bone's location."""

    limits: tuple[Limits, Limits, Limits]


@dataclass
class Obstacles:
    """By the names of bones."""

    frozen: dict[str, str] = field(default_factory=dict)  # why it is taken as it stands
    rotation: dict[str, RotationLimits] = field(default_factory=dict)
    location: dict[str, LocationLimits] = field(default_factory=dict)


def find(armature_object: bpy.types.Object) -> Obstacles:
    """All that has a say in the pose of an armature object besides its channels."""
    found = Obstacles()
    for bone in pose_bones(armature_object):
        if len(bone.constraints):
            _constraints(bone, found)
    for name, what in _driven(armature_object):
        found.frozen.setdefault(name, f"a driver sets its {what}")
    return found


def of_bone(bone: bpy.types.PoseBone) -> Obstacles:
    """What its own constraints have to say about one bone."""
    found = Obstacles()
    _constraints(bone, found)
    return found


def _constraints(bone: Any, found: Obstacles) -> None:  # noqa: ANN401 - the stubs do not know a constraint's kind
    for constraint in bone.constraints:
        if constraint.mute or constraint.influence == 0.0 or not constraint.is_valid:
            continue
        limit: RotationLimits | LocationLimits | None = None
        known: dict[str, RotationLimits] | dict[str, LocationLimits] = {}
        if constraint.type == "LIMIT_ROTATION":
            limit, known = rotation_limits(constraint), found.rotation
        elif constraint.type == "LIMIT_LOCATION":
            limit, known = location_limits(constraint), found.location
        else:
            found.frozen.setdefault(bone.name, f"the constraint {constraint.name!r} moves it")
            for name in _chain(bone, constraint):
                found.frozen.setdefault(name, f"the constraint {constraint.name!r} of {bone.name!r} moves it")
        if limit is None or all(ends == (-math.inf, math.inf) for ends in limit.limits):
            continue
        if reason := _not_plain(constraint, limit, again=bone.name in known):
            found.frozen.setdefault(bone.name, reason)
        else:
            known[bone.name] = limit  # type: ignore[assignment]


def _not_plain(constraint: Any, limit: RotationLimits | LocationLimits, again: bool) -> str:  # noqa: ANN401
    """Why a limit cannot be one of ours; empty if it can."""
    if constraint.owner_space != "LOCAL":
        return f"the constraint {constraint.name!r} limits it in another space than Local Space"
    if constraint.influence < 1.0:
        return f"the constraint {constraint.name!r} has only a part of its influence"
    if again:
        return f"the constraint {constraint.name!r} is the second of its kind"
    if isinstance(limit, RotationLimits) and not limit.circular and any(low > high for low, high in limit.limits):
        return f"the constraint {constraint.name!r} has a minimum above its maximum"
    return ""


def rotation_limits(constraint: Any) -> RotationLimits:  # noqa: ANN401
    """What a Limit Rotation constraint holds."""
    circular = not constraint.use_legacy_behavior
    ends = []
    for axis in "xyz":
        low, high = getattr(constraint, f"min_{axis}"), getattr(constraint, f"max_{axis}")
        if not getattr(constraint, f"use_limit_{axis}") or (circular and high - low >= 2.0 * math.pi):
            ends.append((-math.inf, math.inf))
        else:
            ends.append((low, low) if circular and low > high else (low, high))  # then Blender holds the minimum
    order = constraint.euler_order if constraint.euler_order in ORDERS else None
    return RotationLimits(order, (ends[0], ends[1], ends[2]), circular)


def location_limits(constraint: Any) -> LocationLimits:  # noqa: ANN401
    """What a Limit Location constraint holds."""
    ends = []
    for axis in "xyz":
        low = getattr(constraint, f"min_{axis}") if getattr(constraint, f"use_min_{axis}") else -math.inf
        high = getattr(constraint, f"max_{axis}") if getattr(constraint, f"use_max_{axis}") else math.inf
        ends.append((min(low, high), high))  # Blender applies the maximum last
    return LocationLimits((ends[0], ends[1], ends[2]))


def _chain(bone: Any, constraint: Any) -> Iterator[str]:  # noqa: ANN401
    """The bones that a constraint moves besides its own; `is_in_ik_chain` would count muted ones too."""
    if constraint.type not in {"IK", "SPLINE_IK"}:
        return
    above = bone if getattr(constraint, "use_tail", True) else bone.parent
    left = constraint.chain_count or math.inf
    while above is not None and left > 0:
        yield above.name
        above, left = above.parent, left - 1


def _driven(armature_object: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """Names of bones and of their properties that a driver sets."""
    animation = armature_object.animation_data
    for driver in animation.drivers if animation else ():
        if not driver.mute and (match := _DRIVEN.fullmatch(driver.data_path)):
            yield bpy.utils.unescape_identifier(match[1]), match[2]


def driven_bone(data_path: str) -> str | None:
    """The name of the bone whose pose a driver of this path sets; None if it sets anything else."""
    match = _DRIVEN.fullmatch(data_path)
    return bpy.utils.unescape_identifier(match[1]) if match else None
