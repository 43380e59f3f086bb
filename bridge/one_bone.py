"""The rotation of a single bone, in its own mode: for actions on a few bones. `channels` has them all, in bulk."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from mathutils import Euler, Quaternion, Vector

Bone: TypeAlias = Any  # a pose bone: the stubs' arrays cannot be gone through


def order(bone: Bone) -> Any:  # noqa: ANN401 - a Literal of the stubs
    """The order of a bone's Euler angles, or what Blender takes where it has none."""
    return bone.rotation_mode if bone.rotation_mode not in {"QUATERNION", "AXIS_ANGLE"} else "XYZ"


def rotation(bone: Bone) -> Quaternion:
    """A bone's own rotation."""
    if bone.rotation_mode == "QUATERNION":
        turned: Quaternion = bone.rotation_quaternion.normalized()
    elif bone.rotation_mode == "AXIS_ANGLE":
        angle, *axis = bone.rotation_axis_angle
        turned = Quaternion(axis, angle)
    else:
        turned = bone.rotation_euler.to_quaternion()
    return turned


def turn(bone: Bone, wanted: Quaternion) -> None:
    """Give a bone a rotation, as the numbers that are next to those of now."""
    if bone.rotation_mode == "QUATERNION":
        side = -1.0 if wanted.dot(bone.rotation_quaternion) < 0.0 else 1.0
        bone.rotation_quaternion = [side * part for part in wanted[:]]
    elif bone.rotation_mode == "AXIS_ANGLE":
        axis, angle = wanted.to_axis_angle()
        bone.rotation_axis_angle = (angle, *axis[:])
    else:
        bone.rotation_euler = wanted.to_euler(bone.rotation_mode, bone.rotation_euler)


def put(bone: Bone, location: Vector, wanted: Quaternion) -> None:
    """Give a bone a location and rotation, but for what is locked."""
    bone.location = unless_locked(bone.location, location[:], bone.lock_location)
    if any(bone.lock_rotation):  # Blender, too, takes these locks for Euler angles
        now = rotation(bone).to_euler(order(bone))
        angles = unless_locked(now[:], wanted.to_euler(order(bone))[:], bone.lock_rotation)
        wanted = Euler(angles, order(bone)).to_quaternion()
    turn(bone, wanted)


def unless_locked(now: Iterable[float], new: Iterable[float], locks: Iterable[bool]) -> tuple[float, float, float]:
    """Three numbers of a bone, of which the locked ones stay."""
    x, y, z = (old if lock else value for old, value, lock in zip(now, new, locks, strict=True))
    return x, y, z
