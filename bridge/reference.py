"""The reference: the pose toward which a character settles where its goals leave it free, as stored on the object.

It is the last pose that the animator made by other means than live posing. Beside it the pose is stored as live posing
left it: what differs from that was changed by somebody else (G, R, clear, paste, the pose library). Such bones are
*held*: they keep their new values while the others follow. Being stored, all of it takes part in undo and stays in the
file.
"""

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import properties
from ..properties import BLOCK
from . import channels, rotations
from .animated import Animated
from .channels import Bools, Channels, Singles

if TYPE_CHECKING:
    from .channels import Collection

# What is stored of each bone: so many numbers, of this kind.
_PARTS: dict[str, tuple[tuple[int, ...], type]] = {
    "reference_location": ((3,), np.float32),
    "reference_rotation": ((4,), np.float32),
    "left_location": ((3,), np.float32),
    "left_rotation": ((4,), np.float32),
    "held": ((), np.bool_),
}
OWN = "+"  # ends the names of the blocks that an override has beside its library's; twice, if that overrides another's
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


def stored(armature_object: bpy.types.Object) -> Reference | None:
    """The stored reference; None where it is for other bones, or no pose."""
    rows, count = _fitting(armature_object), len(channels.pose_bones(armature_object))
    if rows is None:
        return None
    parts = _read(properties.character(armature_object).posewright_reference)
    found = Reference(*(part[rows].reshape(-1, *part.shape[2:])[:count] for part in parts))
    numbers = (found.location, found.rotation, found.left_location, found.left_rotation)
    return found if all(np.isfinite(part).all() for part in numbers) else None


def store(armature_object: bpy.types.Object, reference: Reference) -> None:
    """Store it on the object."""
    rows = (reference.location, reference.rotation, reference.left_location, reference.left_rotation, reference.held)
    mark = _mark(armature_object)
    names = [name + mark for name in _blocks(channels.pose_bones(armature_object))]
    put_stored(armature_object, Stored(names, [_in_blocks(part) for part in rows]))


def store_left(armature_object: bpy.types.Object, reference: Reference) -> None:
    """Store only the pose as live posing left it: all that changes from step to step of a drag."""
    blocks, rows = properties.character(armature_object).posewright_reference, _own(armature_object)
    location, rotation = _in_blocks(reference.left_location), _in_blocks(reference.left_rotation)
    overrides = armature_object.override_library is not None
    # What fits was a library's so far, or what was an override has its library's blocks still. To compare only their
    # number, where that is enough, saves naming all bones at each step.
    if (rows != _fitting(armature_object)) if overrides else (len(rows) != len(location)):
        store(armature_object, reference)
        return
    _write(blocks, rows, "left_location", location)
    _write(blocks, rows, "left_rotation", rotation)


class Stored(NamedTuple):
    """What a file stores of a reference itself: blocks of bones, the last of which has places to spare."""

    names: list[str]  # of the blocks
    parts: list[NDArray[Any]]  # [blocks, BLOCK, ...] each, those of _PARTS


def as_stored(armature_object: bpy.types.Object) -> Stored:
    """What is stored, whatever it is for; of an override what it has itself."""
    blocks, rows = properties.character(armature_object).posewright_reference, _own(armature_object)
    return Stored([blocks[row].name for row in rows], [part[rows] for part in _read(blocks)])


def put_stored(armature_object: bpy.types.Object, what: Stored) -> None:
    """Store that, to the last bit."""
    blocks, rows = properties.character(armature_object).posewright_reference, _own(armature_object)
    if [blocks[row].name for row in rows] != what.names:
        blocks.clear()  # of an override, those of its library stay
        for name in what.names:
            blocks.add().name = name
        rows = _own(armature_object)
    for name, part in zip(_PARTS, what.parts, strict=True):
        _write(blocks, rows, name, part)


def _mark(armature_object: bpy.types.Object) -> str:
    """What ends the names of an object's own blocks: nothing or, of an override, one OWN more than in its library."""
    mark = ""
    one: bpy.types.ID | None = armature_object
    while one is not None and one.override_library:
        mark, one = mark + OWN, one.override_library.reference
    return mark


def _own(armature_object: bpy.types.Object) -> list[int]:
    """The rows of the blocks that are this file's own: Blender lets nobody remove or rename those of a library."""
    blocks, mark = properties.character(armature_object).posewright_reference, _mark(armature_object)
    if not mark:
        return list(range(len(blocks)))
    names = [block.name for block in blocks]
    return [row for row, name in enumerate(names) if name.endswith(mark) and not name.endswith(mark + OWN)]


def _fitting(armature_object: bpy.types.Object) -> list[int] | None:
    """The rows of the blocks for the bones as they are now, an override's own before its library's; None if one lacks.

    An override goes on from what its library has stored until it has something to store itself; made local, from both.
    """
    blocks = properties.character(armature_object).posewright_reference
    row_of = {block.name: row for row, block in enumerate(blocks)}
    for name in sorted(one for one in row_of if one.endswith(OWN)):  # of more files that override, the last one's
        row_of[name.rstrip(OWN)] = row_of[name]
    rows = [row_of.get(name) for name in _blocks(channels.pose_bones(armature_object))]
    found = [row for row in rows if row is not None]
    return found if len(found) == len(rows) else None


def _blocks(bones: "Collection") -> list[str]:
    """A name for each block of bones, by which is seen whether it is still for the same ones."""
    names = [bone.name for bone in bones]
    parts = ("\n".join(names[first : first + BLOCK]) for first in range(0, len(names), BLOCK))
    return [f"{number}-{zlib.crc32(part.encode()):08x}" for number, part in enumerate(parts)]


def _read(blocks: "Collection") -> list[NDArray[Any]]:
    """All parts of all blocks [blocks, BLOCK, ...]."""
    parts: list[NDArray[Any]] = [np.zeros((len(blocks), BLOCK, *shape), kind) for shape, kind in _PARTS.values()]
    for name, part in zip(_PARTS, parts, strict=True):
        blocks.foreach_get(name, part.reshape(-1))
    return parts


def _write(blocks: "Collection", rows: list[int], name: str, part: NDArray[Any]) -> None:
    """Give some of the blocks values [rows, BLOCK, ...] of one part."""
    if len(rows) < len(blocks):
        whole = np.zeros((len(blocks), *part.shape[1:]), part.dtype)
        blocks.foreach_get(name, whole.reshape(-1))
        whole[rows] = part
        part = whole
    blocks.foreach_set(name, part.ravel())


def _in_blocks(rows: NDArray[Any]) -> NDArray[Any]:
    """Values of all bones [B, ...] as [blocks, BLOCK, ...], with places to spare in the last block."""
    padded = np.zeros((-(-len(rows) // BLOCK) * BLOCK, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    return padded.reshape(-1, BLOCK, *rows.shape[1:])
