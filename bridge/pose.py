"""A pose of the tree as channels of pose bones, and the other way round.

Every bone keeps its rotation mode; of all numbers that are the same rotation, those next to the present ones are
written: no angle jumps by a turn, no quaternion changes its sign.
"""

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import channels, rotations
from . import rig as rigs
from .channels import AXIS_ANGLE, FIRST_EULER, QUATERNION, Bools, Channels, Singles
from .rig import Rig
from .rotations import Ints

FITS = 1e-4  # radians, or metres on a person: nearer than this, a pose is the one that the rig shows
CHANGED = 1e-7  # smaller changes are not written: float32 channels do not tell them from none


def values(rig: Rig, armature_object: bpy.types.Object) -> Floats:
    """The present pose as variables [variables], inside the limits; `Rig.q` is the pose that was there when read."""
    return rigs.values(rig, _channels(rig, armature_object))


def fitting(rig: Rig, armature_object: bpy.types.Object, now: Channels) -> Floats | None:
    """The pose that is there as variables [variables]; None if the rig cannot show it.

    It cannot where a bone was turned beyond its limits or about a locked axis, nor, of bones that are `Rig.inexact`,
    where what moves them has moved them.
    """
    q = rigs.values(rig, now)
    rows, _ = rig.turning
    seen, shown = rigs.effective_rotation(rig.euler, now)[0][rows], rig.own_turns(q)
    off = 1.0 - np.abs((shown * seen).sum(axis=1))  # half the square of the angle, over four
    if (off > 0.125 * FITS**2).any():
        return None
    if not len(rig.watched):
        return q
    placed, body = rig.tree.pose(q), rig.shown[rig.watched]
    matrices = channels.square_matrices(channels.pose_bones(armature_object), "matrix")[rig.watched]
    heads = np.abs(placed.positions[body] - rig.scale * matrices[:, :3, 3]).max()
    along = rotations.matrices(placed.rotations[body])[:, :, 1]
    seen_along = matrices[:, :3, 1]
    turned = np.abs(along - seen_along / np.linalg.norm(seen_along, axis=1, keepdims=True).clip(FITS)).max()
    return q if heads < FITS and turned < FITS else None


def write(rig: Rig, armature_object: bpy.types.Object, q: ArrayLike) -> int:
    """Give the bones the pose `q` [variables] and tag the object; Blender shows it at its next update.

    Returns how many bones were changed: those that the tree turns or moves, and of them only those that were elsewhere.
    """
    now = _channels(rig, armature_object)
    return put(armature_object, now, posed(rig, rig.tree.check(q), now))


def put(armature_object: bpy.types.Object, now: Channels, after: Channels) -> int:
    """Give the bones, which have the channels `now`, others. Returns how many bones were changed."""
    bones, changed = channels.pose_bones(armature_object), np.zeros(len(now.mode), np.bool_)
    for name, old, new in zip(channels.NAMES, now.floats, after.floats, strict=True):
        if new is not old:
            bones.foreach_set(name, new.ravel())
            changed |= (new != old).any(axis=1)
    count = int(np.count_nonzero(changed))
    if count:
        armature_object.update_tag()
    return count


def _channels(rig: Rig, armature_object: bpy.types.Object) -> Channels:
    now = channels.read(armature_object)
    if len(now.mode) != len(rig.bones):
        raise PosewrightError(
            f"{armature_object.name!r} has {len(now.mode)} bones, but {len(rig.bones)} were read: read it again"
        )
    return now


def posed(rig: Rig, q: Floats, now: Channels) -> Channels:
    """The channels that show the pose `q` [variables], next to the present ones: the same, if these show it already."""
    rows, _ = rig.turning
    wanted, seen = rig.own_turns(q), rigs.effective_rotation(rig.euler, now)[0][rows]
    side = np.where(np.einsum("ij,ij->i", wanted, seen) < 0.0, -1.0, 1.0)
    away = (np.abs(wanted - side[:, None] * seen) > CHANGED).any(axis=1)
    rows, wanted, mode = rows[away], wanted[away], now.mode[rows[away]]
    quaternion, euler, axis_angle = now.quaternion, now.euler, now.axis_angle
    some = mode == QUATERNION
    if some.any():
        old, new = quaternion[rows[some]], wanted[some]
        side = np.where(np.einsum("ij,ij->i", new, old) < 0.0, -1.0, 1.0)
        quaternion = _with(quaternion, rows[some], side[:, None] * new)
    some = mode >= FIRST_EULER
    if some.any():
        euler = _with(euler, rows[some], _euler(rig, now, q, rows[some], wanted[some]))
    some = mode == AXIS_ANGLE
    if some.any():
        near = axis_angle[rows[some]].astype(float)
        axis_angle = _with(axis_angle, rows[some], rotations.to_axis_angle(wanted[some], near))
    location = _moved(rig, q, now)
    after = Channels(now.mode, location, quaternion, euler, axis_angle)
    return now if all(new is old for new, old in zip(after.floats, now.floats, strict=True)) else after


def _euler(rig: Rig, now: Channels, q: Floats, rows: Ints, wanted: Floats) -> Floats:
    """Euler angles [n, 3] of some bones [n] for the rotations `wanted` [n, 4], next to the present ones.

    Where a joint's variables are the bone's own angles they are taken as they are: there are two sets of angles for a
    rotation, and only in one of them a locked angle has its value.
    """
    near, order = now.euler.astype(float), now.order
    angles = near.copy()
    angles[rows] = rotations.to_euler(wanted, order[rows], near[rows])
    own = order[rig.euler.bone] == rig.euler.order
    bone = rig.euler.bone[own]
    angles[bone] = rotations.nearest(rigs.angles_at(rig.euler, q)[own], near[bone])
    found: Floats = angles[rows]
    return found


def _moved(rig: Rig, q: Floats, now: Channels) -> Singles:
    """The locations [B, 3] at `q`: where a bone is elsewhere than is seen of it now, all that the tree moves it by."""
    row, axis, variable = rig.moving
    if not len(row):
        return now.location
    there = q[variable] / rig.unit[row]
    seen = rigs.effective_location(rig.location_limits, now)[row, axis]
    away = np.abs(there - seen) > CHANGED * np.maximum(1.0, np.abs(there))
    if not away.any():
        return now.location
    elsewhere: Bools = np.zeros(len(now.mode), np.bool_)
    elsewhere[row[away]] = True
    location, away = now.location.copy(), elsewhere[row]
    location[row[away], axis[away]] = there[away]
    return location if (location != now.location).any() else now.location


def _with(now: Singles, rows: Ints, wanted: Floats) -> Singles:
    """A property of all bones with other values in some rows [n]; the others have theirs to the last bit."""
    changed = now.copy()
    changed[rows] = wanted
    return changed if (changed[rows] != now[rows]).any() else now
