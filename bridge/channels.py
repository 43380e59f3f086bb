"""The channels of all pose bones at once: what a bone stores of its pose, in its own rotation mode.

Bulk access takes float32 buffers: with others it is ten times slower.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import rotations
from .rotations import Ints

if TYPE_CHECKING:
    Collection: TypeAlias = bpy.types.bpy_prop_collection[Any]

Singles = NDArray[np.float32]
Bools = NDArray[np.bool_]

# PoseBone.rotation_mode as a number: Euler orders begin at 1, in the order of `solvers.joints.ORDERS`.
QUATERNION, AXIS_ANGLE, FIRST_EULER = 0, -1, 1
NAMES = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")


@dataclass(frozen=True, eq=False)
class Channels:
    """What B pose bones store, as Blender has it: of one pose, or of many, which are the dots in [..., B, 3] then."""

    mode: Ints  # [B], rotation_mode
    location: Singles  # [..., B, 3]
    quaternion: Singles  # [..., B, 4], perhaps not of unit length
    euler: Singles  # [..., B, 3]
    axis_angle: Singles  # [..., B, 4]

    @property
    def floats(self) -> tuple[Singles, ...]:
        """Those of NAMES."""
        return self.location, self.quaternion, self.euler, self.axis_angle

    @property
    def order(self) -> Ints:
        """The order [B] of the bones' Euler angles: what a constraint takes for "AUTO"."""
        return np.maximum(self.mode - FIRST_EULER, 0)

    def same(self, other: "Channels") -> bool:
        """Whether others are the same to the last bit."""
        if self.mode.tobytes() != other.mode.tobytes():
            return False
        return all(one.tobytes() == two.tobytes() for one, two in zip(self.floats, other.floats, strict=True))

    def but_for(self, rows: Bools, other: "Channels") -> "Channels":
        """These channels, but in some rows [..., B] those of others, to the last bit; what is all theirs is theirs."""
        mixed = [np.where(rows[..., None], two, one) for one, two in zip(self.floats, other.floats, strict=True)]
        same = [two if (new == two).all() else new for new, two in zip(mixed, other.floats, strict=True)]
        if all(new is two for new, two in zip(same, other.floats, strict=True)):
            return other
        return Channels(self.mode, *same)

    @functools.cached_property
    def turned(self) -> Floats:
        """Each bone's own rotation as a unit quaternion [..., B, 4]."""
        turned = self.quaternion.astype(float)
        length = np.sqrt(np.einsum("...j,...j->...", turned, turned))
        if not length.all():  # as in Blender, no rotation
            turned[length == 0.0], length[length == 0.0] = [1.0, 0.0, 0.0, 0.0], 1.0
        turned /= length[..., None]
        euler, axis = self.mode >= FIRST_EULER, self.mode == AXIS_ANGLE
        if euler.any():
            turned[..., euler, :] = rotations.from_euler(self.euler[..., euler, :].astype(float), self.order[euler])
        if axis.any():
            axis = self.everywhere(axis)
            turned[axis] = rotations.from_axis_angle(self.axis_angle[axis].astype(float))
        turned.flags.writeable = False
        return turned

    def everywhere(self, per_bone: NDArray[Any]) -> NDArray[Any]:
        """What is said of each bone [B] for every pose [..., B]."""
        return np.broadcast_to(per_bone, self.location.shape[:-1])

    def at(self, frames: Any) -> "Channels":  # noqa: ANN401 - an index of numpy
        """Some of many poses, or one of them."""
        return Channels(self.mode, *(one[frames] for one in self.floats))


def pose_bones(armature_object: bpy.types.Object) -> "bpy.types.bpy_prop_collection[bpy.types.PoseBone]":
    """The pose bones of an armature object. Raises an error that names an object which has none."""
    if armature_object.pose is None:
        raise PosewrightError(f"{armature_object.name!r} is no armature: it has no pose")
    return armature_object.pose.bones


def read(armature_object: bpy.types.Object) -> Channels:
    """The channels as they are now, evaluated or not."""
    bones = pose_bones(armature_object)
    mode = np.zeros(len(bones), np.int32)
    bones.foreach_get("rotation_mode", mode)
    parts = [floats(bones, name, width) for name, width in zip(NAMES, (3, 4, 3, 4), strict=True)]
    return Channels(mode.astype(np.int64), *parts)


def stacked(poses: Sequence[Channels]) -> Channels:
    """Some poses of the same rotation modes as one [F, B, ...]."""
    return Channels(poses[0].mode, *(np.array(one) for one in zip(*(pose.floats for pose in poses), strict=True)))


def floats(collection: "Collection", name: str, width: int) -> Singles:
    """A property of `width` floats of every item: [items, width]."""
    buffer = np.zeros(len(collection) * width, np.float32)
    collection.foreach_get(name, buffer)
    return buffer.reshape(-1, width)


def bools(collection: "Collection", name: str, width: int = 1) -> Bools:
    """A property of `width` switches of every item: [items, width]."""
    buffer = np.zeros(len(collection) * width, np.bool_)
    collection.foreach_get(name, buffer)
    return buffer.reshape(-1, width)


def square_matrices(collection: "Collection", name: str) -> Floats:
    """A 4×4 matrix of every item [items, 4, 4]; Blender's buffer has them column by column."""
    return floats(collection, name, 16).reshape(-1, 4, 4).transpose(0, 2, 1).astype(float)
