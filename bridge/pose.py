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
    placed = rig.tree.pose(q)
    seen, shown = rigs.effective_rotation(rig.euler, now)[0], _own_rotations(rig, placed.rotations)
    off = 1.0 - np.abs((shown * seen).sum(axis=1))  # half the square of the angle, over four
    if (off[rig.turns == 1] > 0.125 * FITS**2).any():
        return None
    if not len(rig.watched):
        return q
    matrices = channels.square_matrices(channels.pose_bones(armature_object), "matrix")[rig.watched]
    body = rig.body[rig.watched]
    heads = np.abs(placed.positions[body] - rig.scale * matrices[:, :3, 3]).max()
    along = rotations.matrices(placed.rotations[body])[:, :, 1]
    seen_along = matrices[:, :3, 1]
    turned = np.abs(along - seen_along / np.linalg.norm(seen_along, axis=1, keepdims=True).clip(FITS)).max()
    return q if heads < FITS and turned < FITS else None


def write(rig: Rig, armature_object: bpy.types.Object, q: ArrayLike, now: Channels | None = None) -> int:
    """Give the bones the pose `q` [variables] and tag the object; Blender shows it at its next update.

    Returns how many bones were changed: those that the tree turns or moves, and of them only those that were elsewhere.
    `now` are the channels as they are, if they were read before.
    """
    now = now or _channels(rig, armature_object)
    bones = channels.pose_bones(armature_object)
    checked = rig.tree.check(q)
    changed = _write_rotations(rig, bones, now, checked)
    changed |= _write_locations(rig, bones, now, checked)
    if changed.any():
        armature_object.update_tag()
    return int(changed.sum())


def _channels(rig: Rig, armature_object: bpy.types.Object) -> Channels:
    now = channels.read(armature_object)
    if len(now.mode) != len(rig.bones):
        raise PosewrightError(
            f"{armature_object.name!r} has {len(now.mode)} bones, but {len(rig.bones)} were read: read it again"
        )
    return now


def _own_rotations(rig: Rig, turned: Floats) -> Floats:
    """Each bone's own rotation [B, 4]: what is left of its body's after its parent's and the rest transform's.

    Zeros for bones that have no part in the tree.
    """
    arrays, inside = rig.tree.arrays, rig.body >= 0
    body = rig.body[inside]
    parent = arrays.parent[body]
    turned_by_parent = (parent >= 0) & (arrays.steady[body] == 0)
    above = np.where(turned_by_parent[:, None], turned[parent], [[1.0, 0.0, 0.0, 0.0]])
    before = rotations.product(above, arrays.rest_rotation[body])
    own = np.zeros((len(rig.body), 4))
    own[inside] = rotations.product(rotations.inverse(before), turned[body])
    return own


def _write_rotations(
    rig: Rig, bones: "bpy.types.bpy_prop_collection[bpy.types.PoseBone]", now: Channels, q: Floats
) -> Bools:
    """Write what differs from what is seen now. Returns which bones did [B]."""
    wanted = _own_rotations(rig, rig.tree.pose(q).rotations)
    seen = rigs.effective_rotation(rig.euler, now)[0]
    same_side = (wanted * seen).sum(axis=1, keepdims=True) >= 0.0
    changed: Bools = (rig.turns == 1) & (np.abs(np.where(same_side, wanted, -wanted) - seen).max(axis=1) > CHANGED)
    some = changed & (now.mode == QUATERNION)
    if some.any():
        old = now.quaternion[some]
        side = np.where((wanted[some] * old).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        changed[some] = _set(bones, "rotation_quaternion", now.quaternion, some, side * wanted[some])
    some = changed & (now.mode >= FIRST_EULER)
    if some.any():
        changed[some] = _set(bones, "rotation_euler", now.euler, some, _euler(rig, now, q, wanted)[some])
    some = changed & (now.mode == AXIS_ANGLE)
    if some.any():
        turns = rotations.to_axis_angle(wanted[some], now.axis_angle[some].astype(float))
        changed[some] = _set(bones, "rotation_axis_angle", now.axis_angle, some, turns)
    return changed


def _euler(rig: Rig, now: Channels, q: Floats, wanted: Floats) -> Floats:
    """Euler angles [B, 3] for the rotations `wanted` [B, 4], next to the present ones.

    Where a joint's variables are the bone's own angles they are taken as they are: there are two sets of angles for a
    rotation, and only in one of them a locked angle has its value.
    """
    near = now.euler.astype(float)
    angles = rotations.to_euler(wanted, now.order, near)
    own = now.order[rig.euler.bone] == rig.euler.order
    bone = rig.euler.bone[own]
    angles[bone] = rotations.nearest(rigs.angles_at(rig.euler, q)[own], near[bone])
    return angles


def _write_locations(
    rig: Rig, bones: "bpy.types.bpy_prop_collection[bpy.types.PoseBone]", now: Channels, q: Floats
) -> Bools:
    """Write what differs from what is seen now. Returns which bones did [B]."""
    seen = rigs.effective_location(rig.location_limits, now)
    wanted = now.location.astype(float)
    changed: Bools = np.zeros(len(rig.bones), np.bool_)
    for row in np.flatnonzero(rig.mover >= 0).tolist():
        slots = rig.tree.arrays.slot[rig.mover[row], :3]
        free = slots >= 0
        there = q[slots[free]] / rig.unit[row]
        if (np.abs(there - seen[row, free]) > CHANGED * np.maximum(1.0, np.abs(there))).any():
            wanted[row, free] = there
            changed[row] = True
    if changed.any():
        changed[changed] = _set(bones, "location", now.location, changed, wanted[changed])
    return changed


def _set(
    bones: "bpy.types.bpy_prop_collection[bpy.types.PoseBone]", name: str, now: Singles, rows: Bools, wanted: Floats
) -> Bools:
    """Write a property of some bones [n], the others keep what they have to the last bit. Returns which changed [n]."""
    written = now.copy()
    written[rows] = wanted
    changed: Bools = (written[rows] != now[rows]).any(axis=1)
    if changed.any():
        bones.foreach_set(name, written.ravel())
    return changed
