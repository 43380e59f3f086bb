"""Which channels of bones the animation sets: curves of the action and of NLA strips, and drivers.

What it sets is its own on every frame. All other channels keep what was written last, by whomever: on a new frame they
have to be told apart, or a character would wander off as one scrubs.
"""

from typing import Any, NamedTuple

import bpy
import numpy as np

from . import action_curves, channels
from .channels import Bools, Channels

_WIDTHS = dict(zip(channels.NAMES, (3, 4, 3, 4), strict=True))
GROUPS_MUTE = not hasattr(bpy.types, "ActionSlot")  # since Blender 4.4 a muted group plays on (seen in 4.5 and 5.0)
_Key = tuple[object, ...]


class Animated(NamedTuple):
    """Of B bones, whether something sets a number of their channels."""

    location: Bools  # [B, 3]
    quaternion: Bools  # [B, 4]
    euler: Bools  # [B, 3]
    axis_angle: Bools  # [B, 4]

    def rotation(self, mode: Any) -> Bools:  # noqa: ANN401 - Ints; of numpy's arrays only their use counts
        """The bones [B] whose rotation, in the mode that each has, is set."""
        by_euler, by_axis = self.euler.any(axis=1), self.axis_angle.any(axis=1)
        found: Bools = np.where(
            mode >= channels.FIRST_EULER,
            by_euler,
            np.where(mode == channels.AXIS_ANGLE, by_axis, self.quaternion.any(axis=1)),
        )
        return found

    def translation(self) -> Bools:
        """The bones [B] whose location is set, or a part of it."""
        return np.asarray(self.location.any(axis=1))

    def over(self, now: Channels, other: Channels) -> Channels:
        """Channels, of one pose or of many, with what is set as it is now, all else from others."""
        pairs = zip(self, now.floats, other.floats, strict=True)
        return Channels(now.mode, *(np.where(mask, one, two) for mask, one, two in pairs))


_kept: dict[int, tuple[_Key, Animated | None]] = {}  # by session_uid


def forget() -> None:
    """Forget what was found."""
    _kept.clear()


def of(armature_object: bpy.types.Object) -> Animated | None:
    """What the animation sets of an armature object's bones now; None if nothing. Looked for again when curves change.

    Reading the paths of 300 curves takes 0.3 ms, so it is done only where their number, ends or switches are others.
    """
    lists = [one.curves for one in action_curves.of(armature_object, playing=True)]
    groups = tuple(group.mute for group in action_curves.groups_of(armature_object)) if GROUPS_MUTE else ()
    key = (tuple(_key(curves) for curves in lists), groups, len(channels.pose_bones(armature_object)))
    known = _kept.get(armature_object.session_uid)
    if known is None or known[0] != key:
        known = _kept[armature_object.session_uid] = key, _look(armature_object, lists)
    return known[1]


def _key(curves: Any) -> _Key:  # noqa: ANN401 - three types that share no base
    count = len(curves)
    if not count:
        return ()
    off = np.zeros(count, np.bool_)
    curves.foreach_get("mute", off)
    return count, curves[0].data_path, curves[count - 1].data_path, off.tobytes()


def _look(armature_object: bpy.types.Object, lists: list[Any]) -> Animated | None:
    bones = channels.pose_bones(armature_object)
    rows = {bone.name: row for row, bone in enumerate(bones)}
    masks = {name: np.zeros((len(bones), width), np.bool_) for name, width in _WIDTHS.items()}
    for curves in lists:
        for curve in curves:
            off = curve.mute or (GROUPS_MUTE and curve.group is not None and curve.group.mute)
            found = None if off else action_curves.bone_and_channel(curve.data_path)
            if found and found[0] in rows and found[1] in masks and curve.array_index < _WIDTHS[found[1]]:
                masks[found[1]][rows[found[0]], curve.array_index] = True
    return Animated(*masks.values()) if any(mask.any() for mask in masks.values()) else None
