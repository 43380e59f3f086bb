"""The reference: the pose toward which a character settles where its goals leave it free, as stored on the object.

It is the last pose that the animator made by other means than live posing. Beside it the pose is stored as live posing
left it: what differs from that was changed by somebody else (G, R, clear, paste, the pose library). Such bones are
*held*: they keep their new values while the others follow. Being stored, all of it takes part in undo and stays in the
file.
"""

from dataclasses import dataclass

import bpy
import numpy as np

from .. import properties
from . import channels, rotations
from .animated import Animated
from .channels import Bools, Channels, Singles

_SAME = 2e-6  # of a quaternion, or relative of a location: what float32 channels lose when a matrix passes through them


@dataclass(eq=False)
class Reference:
    """Of B bones, in the order of the pose; each bone's own location and rotation, whatever its rotation mode.

    Of one frame, or of many (`repeated`), which are the dots in [..., B, 3] then.
    """

    location: Singles  # [..., B, 3]
    rotation: Singles  # [..., B, 4], unit quaternions
    left_location: Singles  # [B, 3], as live posing left it
    left_rotation: Singles  # [B, 4]
    held: Bools  # [B]

    def channels(self, like: Channels) -> Channels:
        """The reference as channels, in the rotation modes of others and next to their values."""
        rotation, euler, axis_angle = self.rotation.astype(float), like.euler, like.axis_angle
        some = like.mode >= channels.FIRST_EULER
        if some.any():
            some, order, euler = like.everywhere(some), like.everywhere(like.order), euler.copy()
            euler[some] = rotations.to_euler(rotation[some], order[some], euler[some].astype(float))
        some = like.mode == channels.AXIS_ANGLE
        if some.any():
            some, axis_angle = like.everywhere(some), axis_angle.copy()
            axis_angle[some] = rotations.to_axis_angle(rotation[some], axis_angle[some].astype(float))
        return Channels(like.mode, self.location, self.rotation, euler, axis_angle)

    def repeated(self, many: tuple[int, ...]) -> "Reference":
        """The same once more, or on so many frames; `at_frame` may make another of each."""
        location, rotation = (np.broadcast_to(one, many + one.shape).copy() for one in (self.location, self.rotation))
        return Reference(location, rotation, self.left_location, self.left_rotation, self.held)

    def left(self) -> "Reference":
        """The pose that live posing left, as a reference."""
        return Reference(self.left_location, self.left_rotation, self.left_location, self.left_rotation, self.held)

    def leave(self, now: Channels) -> None:
        """Remember that live posing left the pose so."""
        self.left_location, self.left_rotation = now.location, now.turned.astype(np.float32)

    def edited(self, now: Channels) -> Bools:
        """The bones [..., B] that are elsewhere than live posing left them."""
        return _away(now, self.left_location, self.left_rotation)

    def away(self, now: Channels) -> Bools:
        """The bones [..., B] that are elsewhere than the reference has them."""
        return _away(now, self.location, self.rotation)

    def settle(self) -> None:
        """Take the pose that live posing left for the reference."""
        self.location, self.rotation = self.left_location.copy(), self.left_rotation.copy()
        self.held = np.zeros(len(self.held), np.bool_)

    def at_frame(self, now: Channels, animated: Animated | None) -> Bools:
        """Take what a new frame brings: what the animation sets, and bones that somebody else has set. Nothing is held.

        All other channels stay with the reference, whatever the last frame has left in them: a frame's pose does not
        depend on where one came from. Returns the bones [..., B] that were taken over.
        """
        self.held = np.zeros(len(self.held), np.bool_)
        taken = self.edited(now)
        if animated is not None:
            turned, moved = animated.rotation(now.mode), animated.translation()
            mixed = animated.over(now, self.channels(now))
            taken &= ~(turned | moved)
            np.copyto(self.location, mixed.location, where=moved[:, None])
            np.copyto(self.rotation, mixed.turned, where=turned[:, None], casting="same_kind")
        self.location[taken], self.rotation[taken] = now.location[taken], now.turned[taken]
        return taken if animated is None else taken | turned | moved

    def take(self, edited: Bools, now: Channels) -> None:
        """Take over some bones' values from a pose that somebody else made.

        The first of them settle what was before; while the same bones go on changing, as in one drag of Blender's own,
        the others stay with the reference, so that Esc ends where it began.
        """
        if (edited & ~self.held).any():
            self.settle()
        self.location[edited] = now.location[edited]
        self.rotation[edited] = now.turned[edited]
        self.held = self.held | edited


def _away(now: Channels, location: Singles, rotation: Singles) -> Bools:
    """The bones [..., B] whose channels are not at a location [..., B, 3] and rotation [..., B, 4]."""
    turned, there = now.turned, rotation.astype(float)
    same_side = (turned * there).sum(axis=-1, keepdims=True) >= 0.0
    turned_away = np.abs(np.where(same_side, turned, -turned) - there).max(axis=-1, initial=0.0) > _SAME
    moved = np.abs(now.location - location).max(axis=-1, initial=0.0)
    far: Bools = moved > _SAME * np.maximum(1.0, np.abs(now.location).max(axis=-1, initial=0.0))
    found: Bools = turned_away | far
    return found


def of_pose(now: Channels) -> Reference:
    """The reference that a pose is for itself."""
    turned = now.turned.astype(np.float32)
    held = np.zeros(len(now.mode), np.bool_)
    return Reference(now.location.copy(), turned, now.location.copy(), turned.copy(), held)


def fits(armature_object: bpy.types.Object) -> bool:
    """Whether what is stored is for the bones as they are now."""
    bones = properties.character(armature_object).posewright_bones
    pose = channels.pose_bones(armature_object)
    return len(bones) == len(pose) and all(one.name == bone.name for one, bone in zip(bones, pose, strict=True))


def stored(armature_object: bpy.types.Object) -> Reference | None:
    """The stored reference; None where it is no pose."""
    bones = properties.character(armature_object).posewright_bones
    found = Reference(
        channels.floats(bones, "reference_location", 3),
        channels.floats(bones, "reference_rotation", 4),
        channels.floats(bones, "left_location", 3),
        channels.floats(bones, "left_rotation", 4),
        channels.bools(bones, "held")[:, 0],
    )
    numbers = (found.location, found.rotation, found.left_location, found.left_rotation)
    return found if all(np.isfinite(part).all() for part in numbers) else None


def store(armature_object: bpy.types.Object, reference: Reference) -> None:
    """Store it on the object."""
    bones = properties.character(armature_object).posewright_bones
    pose = channels.pose_bones(armature_object)
    while len(bones) < len(pose):
        bones.add()
    while len(bones) > len(pose):
        bones.remove(len(bones) - 1)
    for one, bone in zip(bones, pose, strict=True):
        if one.name != bone.name:
            one.name = bone.name
    bones.foreach_set("reference_location", reference.location.ravel())
    bones.foreach_set("reference_rotation", reference.rotation.ravel())
    bones.foreach_set("held", reference.held)
    store_left(armature_object, reference)


def store_left(armature_object: bpy.types.Object, reference: Reference) -> None:
    """Store only the pose as live posing left it: all that changes from step to step of a drag."""
    bones = properties.character(armature_object).posewright_bones
    bones.foreach_set("left_location", reference.left_location.ravel())
    bones.foreach_set("left_rotation", reference.left_rotation.ravel())
