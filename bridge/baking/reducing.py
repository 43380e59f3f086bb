"""Fewer keys that play the same: joints within an angle, goals within a length, on every frame."""

from collections.abc import Callable, Generator, Sequence

import numpy as np

from ...motion import key_reduction, keys
from ...motion.key_reduction import Goals, Group
from ...motion.keys import Kind
from ...solvers import Pose, Position
from ...solvers.rotation import Floats
from .. import channels, rotations
from ..rig import Rig
from ..rotations import Ints
from .playing import Played, Track
from .spans import Point, Span
from .writing import Keys

KINDS = {
    "location": Kind.LOCATION,
    "rotation_quaternion": Kind.QUATERNION,
    "rotation_euler": Kind.EULER,
    "rotation_axis_angle": Kind.AXIS_ANGLE,
}


def reduce(
    spans: Sequence[Span], played: Played, tracks: Sequence[Track], metres: float, radians: float
) -> Generator[int, None, tuple[list[Keys], str]]:
    """Keys for tracks, as few as will do; and what to say about them. Yields how many are tried.

    Args:
        spans: the frames.
        played: what plays if all of them are keyed.
        tracks: what of it gets keys.
        metres: of the world, how far the points of goals may be from where they would be.
        radians: how far each bone may be turned from there.
    """
    rig, unit = _rig(spans)
    groups = [
        Group(one.name, KINDS[one.name], one.values, metres / unit if one.name == "location" else radians)
        for one in tracks
    ]
    goals, said = None, ""
    if rig is None:
        said = "the rig changes over these frames: only joints were looked at for fewer keys, not goals"
    else:
        goals = Goals(_places(rig, spans, played, tracks), metres / unit * rig.scale)
    times = np.array([frame for span in spans for frame in span.frames], float)
    found = yield from key_reduction.reduce_in_steps(groups, times, goals)
    return [_with_handles(track, one) for track, one in zip(tracks, found, strict=True)], said


def _with_handles(track: Track, found: keys.Keys) -> Keys:
    return Keys(track.row, track.name, found.times, found.values, *keys.handles(found))


def _rig(spans: Sequence[Span]) -> tuple[Rig | None, float]:
    """The whole rig, if it is one for all frames, and metres of the world for a unit of the armature."""
    wholes = {id(one.kept.whole): one for one in spans if one.kept is not None}
    (first, *others) = wholes.values()
    assert first.kept is not None
    unit = float(first.units[0]) * first.kept.whole.scale
    return (None if others else first.kept.whole), unit


def _places(
    rig: Rig, spans: Sequence[Span], played: Played, tracks: Sequence[Track]
) -> Callable[[Sequence[Floats], Ints], Floats]:
    """What tells where the goals' points are [n, goals, 3], in the rig's metres, as tracks play in some frames [n]."""
    ends = [(rig.tree.index(joint), np.array(point)) for joint, point in sorted(_points(spans))]
    body = _Body(rig, played)

    def places(columns: Sequence[Floats], frames: Ints) -> Floats:
        turned, moved = played.turned[frames], played.location[frames]
        for track, values in zip(tracks, columns, strict=True):
            if track.name == "location":
                moved[:, track.row] = values
            else:
                turned[:, track.row] = _quaternions(body, track, values)
        positions, rotations_of = body.pose(turned, moved, [index for index, _ in ends])
        return np.stack([positions[i] + _turn(rotations_of[i], point) for i, point in ends], axis=1)

    return places


def _points(spans: Sequence[Span]) -> set[tuple[str, Point]]:
    """The joints that goals or other characters take hold of, each with the point by which they do."""
    found = {point for span in spans for point in span.pulled}
    return found | {
        (goal.joint, tuple(np.asarray(goal.point, float).tolist()))
        for span in spans
        for goals in span.goals
        for goal in goals
        if isinstance(goal, Position | Pose)
    }


def _quaternions(body: "_Body", track: Track, values: Floats) -> Floats:
    """What Blender makes of the numbers that play [n, 3 or 4]: unit quaternions [n, 4]."""
    if track.name == "rotation_quaternion":
        return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True))
    if track.name == "rotation_axis_angle":
        return rotations.from_axis_angle(values)
    return rotations.from_euler(values, np.full(len(values), body.order[track.row]))


class _Body:
    """Forward kinematics of many frames at once."""

    def __init__(self, rig: Rig, played: Played) -> None:
        self.rig, self.order = rig, np.maximum(played.mode - channels.FIRST_EULER, 0)
        self.row_of = {body: row for row, body in enumerate(rig.body.tolist()) if body >= 0}
        self.mover_of = {body: row for row, body in enumerate(rig.mover.tolist()) if body >= 0}
        self.counted = set(rig.turned_rows.tolist())

    def pose(self, turned: Floats, moved: Floats, ends: Sequence[int]) -> tuple[dict[int, Floats], dict[int, Floats]]:
        """Places [n, 3] and turns [n, 4] of bodies, for the bones' own rotations [n, B, 4] and locations [n, B, 3]."""
        arrays, count = self.rig.tree.arrays, len(turned)
        wanted = set[int]()
        for end in ends:
            body = end
            while body >= 0 and body not in wanted:
                wanted.add(body)
                body = int(arrays.parent[body])
        places, turns = dict[int, Floats](), dict[int, Floats]()
        for body in sorted(wanted):
            parent = int(arrays.parent[body])
            place = np.broadcast_to(arrays.rest_position[body], (count, 3))
            turn = np.broadcast_to(arrays.rest_rotation[body], (count, 4))
            if parent >= 0:
                place = places[parent] + _turn(turns[parent], place)
                if not arrays.steady[body]:
                    turn = rotations.product(turns[parent], turn)
            if body in self.mover_of:
                row = self.mover_of[body]
                place = place + _turn(turn, moved[:, row] * self.rig.unit[row])
            if body in self.row_of:
                turn = rotations.product(turn, self._own(self.row_of[body], turned))
            places[body], turns[body] = place, turn
        return places, turns

    def _own(self, row: int, turned: Floats) -> Floats:
        """A bone's own rotation [n, 4] as its joint counts it."""
        own = turned[:, row]
        if row not in self.counted:
            return own
        before = np.broadcast_to(rotations.inverse(self.rig.before[row][None]), own.shape)
        return rotations.product(rotations.product(before, own), np.broadcast_to(self.rig.axes[row], own.shape))


def _turn(turns: Floats, vector: Floats) -> Floats:
    """Vectors [n, 3] or one [3], turned by [n, 4]."""
    w, along = turns[:, :1], turns[:, 1:]
    twice = 2.0 * np.cross(along, vector)
    found: Floats = vector + w * twice + np.cross(along, twice)
    return found
