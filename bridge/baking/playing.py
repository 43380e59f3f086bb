"""Poses over time as the numbers that bones play: in each bone's own rotation mode, without a jump between frames.

Of all numbers that are one rotation, those next to the frame before are taken: a quaternion stays in one hemisphere,
an Euler angle goes on beyond a half turn.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...solvers.rotation import Floats
from .. import channels, pose, rotations
from ..channels import AXIS_ANGLE, FIRST_EULER, QUATERNION, Bools, Channels
from ..rotations import Ints
from .sampling import MANY
from .solving import Solved

TURNED = 2e-5  # radians, 0.001°: a bone that never differs by more from its pose without goals gets no keys
MOVED = 2e-5  # metres on a person: the same of locations
LOCKED = 5e-5  # radians, 0.003°: so near to gimbal lock, or to no turn at all, angles and axes would be their noise


class Track(NamedTuple):
    """A property of one bone over time."""

    row: int  # of the bone
    name: str  # the property
    values: Floats  # [F, 3 or 4]


@dataclass(frozen=True, eq=False)
class Played:
    """Every bone's channels over F frames."""

    mode: Ints  # [B]
    location: Floats  # [F, B, 3]
    quaternion: Floats  # [F, B, 4]
    euler: Floats  # [F, B, 3]
    axis_angle: Floats  # [F, B, 4]
    turned: Floats  # [F, B, 4], the rotations as unit quaternions

    def tracks(self, turning: Bools, moving: Bools) -> list[Track]:
        """Rotations of some bones [B], in the mode of each, and locations of some."""
        found = list[Track]()
        for row in np.flatnonzero(turning | moving).tolist():
            if turning[row]:
                mode = self.mode[row]
                name = channels.NAMES[1 if mode == QUATERNION else 3 if mode == AXIS_ANGLE else 2]
                values = (
                    self.quaternion if mode == QUATERNION else self.axis_angle if mode == AXIS_ANGLE else self.euler
                )
                found.append(Track(row, name, values[:, row]))
            if moving[row]:
                found.append(Track(row, "location", self.location[:, row]))
        return found


def play(solved: Sequence[Solved]) -> Generator[int, None, tuple[Played, Bools, Bools]]:
    """What plays, and which bones [B] the goals turn and move on any frame. Yields how many frames are done."""
    poses, none = list[Channels](), np.zeros(len(solved[0].span.rests.mode), np.bool_)
    turned, moved, own = none.copy(), none.copy(), none.copy()
    for one in solved:
        kept = one.span.kept
        if kept is not None:
            own[kept.rig.euler.bone] = (
                True  # their variables are these angles: others of the same rotation may be locked
            )
        for begin in range(0, len(one.q), MANY):
            some = slice(begin, begin + MANY)
            rests = after = one.span.rests.at(some)
            if kept is not None and one.span.asks:
                after = pose.posed(kept.rig, one.q[some], rests)
                if kept.free is not None and after is not rests:
                    after = after.but_for(kept.outside, rests)
            if after is not rests and kept is not None:
                turns, moves = differing(rests, after, kept.rig.scale)
                turned, moved = turned | turns, moved | moves
            poses.append(after)
            yield sum(len(each.location) for each in poses)
    return played(poses, own), turned, moved


def differing(before: Channels, after: Channels, scale: float) -> tuple[Bools, Bools]:
    """The bones [B] that are turned another way on any frame of poses [F, B, ...], and those that are elsewhere.

    `scale` is metres on a person for a unit of the armature.
    """
    one, other = after.turned, before.turned
    side = np.where((one * other).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    turned = (2.0 * np.abs(one - side * other) > TURNED).any(axis=(0, 2))
    moved = (np.abs(after.location - before.location) * scale > MOVED).any(axis=(0, 2))
    return np.asarray(turned), np.asarray(moved)


def played(poses: Sequence[Channels], own: Bools) -> Played:
    """Poses [F, B, ...] one after the other as what plays them.

    `own` are the bones [B] whose Euler angles are to stay as they are, but for whole turns.
    """
    floats = zip(*(one.floats for one in poses), strict=True)
    location, quaternion, euler, axis_angle = (np.concatenate(each).astype(float) for each in floats)
    mode, order = poses[0].mode, poses[0].order
    found = Played(mode, location, quaternion, euler, axis_angle, np.concatenate([one.turned for one in poses]))
    return replace(
        found, quaternion=one_hemisphere(quaternion), euler=_unwrapped(found, order, own), axis_angle=_wound(found)
    )


def one_hemisphere(turned: Floats) -> Floats:
    """Quaternions [F, ..., 4] with such signs that each is next to the one before."""
    flips = np.where((turned[1:] * turned[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
    signs = np.concatenate([np.ones((1, *turned.shape[1:-1])), np.cumprod(flips, axis=0)])
    found: Floats = turned * signs[..., None]
    return found


def _unwrapped(found: Played, order: Ints, own: Bools) -> Floats:
    """Euler angles [F, B, 3], each set next to the one before: of the two for a rotation, and of all whole turns."""
    euler, rows = found.euler.copy(), np.flatnonzero(found.mode >= FIRST_EULER)
    for frame in range(1, len(euler) if len(rows) else 0):
        last, here = euler[frame - 1, rows], euler[frame, rows]
        same = rotations.nearest(here, last)
        other = rotations.to_euler(found.turned[frame, rows], order[rows], last, LOCKED)
        nearer = ~own[rows] & (np.abs(other - last).sum(axis=1) < np.abs(same - last).sum(axis=1) - 1e-6)
        euler[frame, rows] = np.where(nearer[:, None], other, same)
    return euler


def _wound(found: Played) -> Floats:
    """Axes and angles [F, B, 4], each next to the one before."""
    wound, rows = found.axis_angle.copy(), np.flatnonzero(found.mode == AXIS_ANGLE)
    if not len(rows):
        return wound
    begins = (np.linalg.norm(found.turned[:, rows, 1:], axis=2) > LOCKED).argmax(axis=0)  # 0 also where it never turns
    last = wound[begins, rows]  # before it turns, its axis is the one about which it will
    for frame in range(len(wound)):
        last = rotations.to_axis_angle(found.turned[frame, rows], last, LOCKED)
        wound[frame, rows] = last
    return wound
