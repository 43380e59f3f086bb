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
from .rig import FITS, Rig
from .rotations import Ints

_Places = tuple[Ints, ...]  # where n bones are in [..., B]: of each the pose, if there are many, and the row

CHANGED = 1e-7  # smaller changes are not written: float32 channels do not tell them from none


def values(rig: Rig, armature_object: bpy.types.Object) -> Floats:
    """The present pose as variables [variables], inside the limits; `Rig.q` is the pose that was there when read."""
    return rigs.values(rig, _channels(rig, armature_object))


def fitting(rig: Rig, armature_object: bpy.types.Object, now: Channels) -> Floats | None:
    """The pose that is there as variables [variables]; None if the rig cannot show it.

    It cannot where a bone was turned beyond its limits or about a locked axis, nor, of bones that are `Rig.inexact`,
    where what moves them has moved them.
    """
    q, fits = rigs.fitted(rig, now)
    if not fits:
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
        # Of all that can be tagged the least that has the pose evaluated; with more, the armature is copied as well.
        armature_object.update_tag(refresh={"OBJECT"})
    return count


def _channels(rig: Rig, armature_object: bpy.types.Object) -> Channels:
    now = channels.read(armature_object)
    if len(now.mode) != len(rig.bones):
        raise PosewrightError(
            f"{armature_object.name!r} has {len(now.mode)} bones, but {len(rig.bones)} were read: read it again"
        )
    return now


def posed(rig: Rig, q: Floats, now: Channels) -> Channels:
    """The channels that show poses `q` [..., variables], next to the present ones: the same, if these show them."""
    rows, _ = rig.turning
    wanted, seen = rig.own_turns(q), rigs.effective_rotation(rig.euler, now)[0].take(rows, axis=-2)
    away = (np.abs(wanted - _sides(wanted, seen) * seen) > CHANGED).any(axis=-1)
    mode, quaternion, euler, axis_angle = now.mode[rows], now.quaternion, now.euler, now.axis_angle
    some = np.nonzero(away & (mode == QUATERNION))
    if len(some[-1]):
        places, new = _places(rows, some), wanted[some]
        quaternion = _with(quaternion, places, _sides(new, quaternion[places]) * new)
    some = np.nonzero(away & (mode >= FIRST_EULER))
    if len(some[-1]):
        places = _places(rows, some)
        euler = _with(euler, places, _euler(rig, now, q, places, wanted[some]))
    some = np.nonzero(away & (mode == AXIS_ANGLE))
    if len(some[-1]):
        places = _places(rows, some)
        near = axis_angle[places].astype(float)
        axis_angle = _with(axis_angle, places, rotations.to_axis_angle(wanted[some], near))
    location = _moved(rig, q, now)
    after = Channels(now.mode, location, quaternion, euler, axis_angle)
    return now if all(new is old for new, old in zip(after.floats, now.floats, strict=True)) else after


def _places(rows: Ints, some: _Places) -> _Places:
    """Where in [..., B] some of the entries of [..., n] are, which are of the bones `rows` [n]."""
    return *some[:-1], rows[some[-1]]


def _sides(one: Floats, other: Floats | Singles) -> Floats:
    """What quaternions [..., 4] are to be multiplied with [..., 1] to be in the hemispheres of others."""
    return np.where(np.einsum("...j,...j->...", one, other) < 0.0, -1.0, 1.0)[..., None]


def _euler(rig: Rig, now: Channels, q: Floats, places: _Places, wanted: Floats) -> Floats:
    """Euler angles [n, 3] of bones at some places [n] for the rotations `wanted` [n, 4], next to the present ones.

    Where a joint's variables are the bone's own angles they are taken as they are: there are two sets of angles for a
    rotation, and only in one of them a locked angle has its value.
    """
    near, order = now.euler.astype(float), now.order
    angles = near.copy()
    angles[places] = rotations.to_euler(wanted, order[places[-1]], near[places])
    own = order[rig.euler.bone] == rig.euler.order
    bone = rig.euler.bone[own]
    angles[..., bone, :] = rotations.nearest(rigs.angles_at(rig.euler, q)[..., own, :], near.take(bone, axis=-2))
    found: Floats = angles[places]
    return found


def _moved(rig: Rig, q: Floats, now: Channels) -> Singles:
    """The locations [..., B, 3] at `q`: where a bone is elsewhere than is seen of it, all that the tree moves it by."""
    row, axis, variable = rig.moving
    if not len(row):
        return now.location
    there = q[..., variable] / rig.unit[row]
    seen = rigs.effective_location(rig.location_limits, now)[..., row, axis]
    away = np.abs(there - seen) > CHANGED * np.maximum(1.0, np.abs(there))
    if not away.any():
        return now.location
    elsewhere: Bools = np.zeros(now.location.shape[:-1], np.bool_)
    elsewhere[_places(row, np.nonzero(away))] = True
    some = np.nonzero(elsewhere[..., row])
    location = now.location.copy()
    location[(*_places(row, some), axis[some[-1]])] = there[some]
    return location if (location != now.location).any() else now.location


def _with(now: Singles, places: _Places, wanted: Floats) -> Singles:
    """A property of all bones with other values at some places [n]; the others have theirs to the last bit."""
    changed = now.copy()
    changed[places] = wanted
    return changed if (changed[places] != now[places]).any() else now
