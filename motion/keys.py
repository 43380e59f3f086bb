"""Keys of a curve, as Blender plays them: what handles they have, what is seen on a frame, and how far off that is.

The columns of a group (a bone's location, or its rotation) have keys at the same times. Between two keys each is a
cubic in time with the keys' values and slopes. Blender plays just that for a Bezier segment whose handles reach over a
third of it, because time is then linear along the curve. Before the first key and after the last a curve is constant.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats


class Kind(Enum):
    """What a group's columns are, and so how an error of it is measured: in metres, or as a turn in radians."""

    LOCATION = "location"
    QUATERNION = "quaternion"  # w, x, y, z: played as four numbers, and then made a unit
    EULER = "Euler angles"  # of any order, in radians
    AXIS_ANGLE = "axis and angle"  # the angle in radians, then the axis, which need not be a unit

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return 4 if self in {Kind.QUATERNION, Kind.AXIS_ANGLE} else 3


@dataclass(frozen=True)
class Keys:
    """Of one group: K keys.

    Attributes:
        times: [K], ascending.
        values: [K, columns].
        slopes: [K, columns], value per time, the same to either side.
    """

    times: Floats
    values: Floats
    slopes: Floats

    def __len__(self) -> int:
        return len(self.times)


def evaluate(keys: Keys, times: Floats) -> Floats:
    """What plays at these times: [times, columns]; a quaternion is not made a unit yet."""
    at = np.clip(times, keys.times[0], keys.times[-1])
    if len(keys) == 1:
        return np.repeat(keys.values, len(at), axis=0)
    left = np.clip(np.searchsorted(keys.times, at, side="right") - 1, 0, len(keys) - 2)
    length = (keys.times[left + 1] - keys.times[left])[:, None]
    parts = hermite((at - keys.times[left])[:, None] / length)
    played: Floats = parts[0] * keys.values[left] + parts[2] * keys.values[left + 1]
    return played + length * (parts[1] * keys.slopes[left] + parts[3] * keys.slopes[left + 1])


def hermite(u: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """At a share of a segment: the parts of its first value, first slope (per segment), last value and last slope."""
    rest = 1.0 - u
    return (1.0 + 2.0 * u) * rest * rest, u * rest * rest, u * u * (3.0 - 2.0 * u), -u * u * rest


def handles(keys: Keys) -> tuple[Floats, Floats]:
    """The left and the right handles [K, columns, 2], each as time and value, for keys of interpolation BEZIER.

    They are in line: handles of type FREE or ALIGNED play the same. Those outside of the first and the last key reach
    as far as the ones inside; nothing is played there.
    """
    reach = np.diff(keys.times) / 3.0 if len(keys) > 1 else np.ones(1)
    before, after = np.concatenate([reach[:1], reach]), np.concatenate([reach, reach[-1:]])
    if len(keys) == 1:
        before = after = reach
    at = np.broadcast_to(keys.times[:, None], keys.values.shape)
    left = np.stack([at - before[:, None], keys.values - keys.slopes * before[:, None]], axis=-1)
    right = np.stack([at + after[:, None], keys.values + keys.slopes * after[:, None]], axis=-1)
    return left, right


def apart(kind: Kind, played: Floats, wanted: Floats) -> Floats:
    """How far [...] what plays [..., columns] is from what was wanted: metres, or radians of the turn between them.

    Of Euler angles it is the sum of the three angles' errors, which the turn never exceeds in any order.
    """
    if kind is Kind.LOCATION:
        return np.asarray(np.linalg.norm(played - wanted, axis=-1))
    if kind is Kind.EULER:
        return np.asarray(np.abs(played - wanted).sum(axis=-1))
    if kind is Kind.AXIS_ANGLE:
        played, wanted = _quaternions(played), _quaternions(wanted)
    return angle_between(played, wanted)


def angle_between(one: Floats, other: Floats) -> Floats:
    """The angle [...] between two rotations: quaternions [..., 4] of any length and sign; exact to 1e-7."""
    along, first, second = (np.einsum("...i,...i->...", *pair) for pair in ((one, other), (one, one), (other, other)))
    return np.asarray(2.0 * np.arctan2(np.sqrt(np.maximum(first * second - along**2, 0.0)), np.abs(along)))


def continuous(kind: Kind, curves: Floats) -> Floats:
    """The same rotations [frames, columns] without jumps of sign or of whole turns, which fewer keys would play."""
    if len(curves) < 2 or kind is Kind.LOCATION:
        return curves
    if kind is Kind.EULER:
        return np.asarray(np.unwrap(curves, axis=0))
    steps = (curves[1:, -3:] * curves[:-1, -3:]).sum(axis=1)
    if kind is Kind.QUATERNION:
        steps += curves[1:, 0] * curves[:-1, 0]
    sign = np.concatenate([[1.0], np.cumprod(np.where(steps < 0.0, -1.0, 1.0))])[:, None]
    turned: Floats = curves * sign
    if kind is Kind.AXIS_ANGLE:
        turned[:, 0] = np.unwrap(turned[:, 0])
    return turned


def checked(kind: Kind, curves: Floats, times: Floats, name: str = "a group") -> Floats:
    """The curves as an array, if they can be keyed; if not, an error that says why."""
    found: Floats = np.asarray(curves, float)
    if found.ndim != 2 or found.shape[1] != kind.columns or len(found) != len(times) or not len(found):
        wanted = f"[{len(times)}, {kind.columns}]"
        raise PosewrightError(f"The curves of {name} have the shape {list(found.shape)}, not {wanted}")
    bad: NDArray[np.intp] = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        raise PosewrightError(f"The curves of {name} are not numbers at time {times[bad[0]]:g}: nothing can be keyed")
    lengths = np.linalg.norm(found[:, -3:] if kind is Kind.AXIS_ANGLE else found, axis=1)
    if kind in {Kind.QUATERNION, Kind.AXIS_ANGLE} and not lengths.all():
        at = times[int(lengths.argmin())]
        raise PosewrightError(f"The rotation of {name} is all zeros at time {at:g}: it says no turn")
    return found


def _quaternions(axis_angle: Floats) -> Floats:
    """Of angles and axes [..., 4]."""
    axis = axis_angle[..., 1:] / np.maximum(np.linalg.norm(axis_angle[..., 1:], axis=-1, keepdims=True), 1e-300)
    half = 0.5 * axis_angle[..., :1]
    return np.concatenate([np.cos(half), axis * np.sin(half)], axis=-1)
