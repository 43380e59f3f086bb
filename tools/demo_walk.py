"""A walk on a level floor, as numbers: where feet, pelvis, chest and hands of a figure are at a moment.

The figure walks along -Y. Times count in strides from the left heel's touch on; the right foot is half a stride
behind.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STRIDE = 1.0  # metres, two steps
STANCE = 0.6  # the part of a stride that a foot is on the ground
HEEL_UP = math.radians(42.0)  # at toe-off
TOES_UP = math.radians(17.0)  # at the heel's touch
HEEL, BALL = (0.055, -0.082), (-0.136, -0.062)  # of the sole, from the ankle: along Y and Z, metres


class Foot(NamedTuple):
    """Where an ankle is along Y and Z from where its foot is set down flat, how the foot and its toes are pitched."""

    y: float
    z: float
    pitch: float  # radians about X; positive: the heel is up
    toes: float  # the same of the toes


def foot(time: float) -> Foot:
    """One foot at a time, in strides since it touched the ground for the first time."""
    step, phase = math.floor(time), time % 1.0
    if phase < STANCE:
        found = _standing(phase)
    else:
        t = (phase - STANCE) / (1.0 - STANCE)
        before, after = _standing(STANCE - 1e-6), _standing(0.0)
        ease = t * t * (3.0 - 2.0 * t)
        y = before.y + ease * (after.y - STRIDE - before.y)
        z = before.z + ease * (after.z - before.z) + 0.055 * math.sin(math.pi * t) ** 2
        pitch = before.pitch + _ease(t / 0.8) * (after.pitch - before.pitch)
        found = Foot(y, z, pitch, pitch * _ease(t / 0.3))
    return found._replace(y=found.y - step * STRIDE)


def _ease(t: float) -> float:
    t = min(1.0, max(0.0, t))
    return t * t * (3.0 - 2.0 * t)


def _standing(phase: float) -> Foot:
    """Rolls over the heel, stands flat, rolls over the ball."""
    if phase < 0.1:
        pitch = -TOES_UP * (1.0 - _ease(phase / 0.1))
        return Foot(*_about(HEEL, pitch), pitch, pitch)
    pitch = HEEL_UP * _ease((phase - 0.33) / (STANCE - 0.33)) if phase > 0.33 else 0.0
    return Foot(*_about(BALL, pitch), pitch, 0.0)


def _about(point: tuple[float, float], pitch: float) -> tuple[float, float]:
    """Where the ankle comes to when the foot turns about a point of its sole: from where it was, along Y and Z."""
    y, z = -point[0], -point[1]  # the ankle from there
    cos, sin = math.cos(pitch), math.sin(pitch)
    return (y * cos - z * sin - y, y * sin + z * cos - z)


class Trunk(NamedTuple):
    """Pelvis and chest; shifts from where they are when the figure stands, and turns about Z (yaw) and Y (roll)."""

    shift: tuple[float, float, float]
    pelvis_yaw: float
    pelvis_roll: float
    chest_yaw: float


def trunk(time: float) -> Trunk:
    """The trunk at a time in strides."""
    turn = 2.0 * math.pi * time
    forward = -STRIDE * (time - 0.5 * STANCE) - 0.02  # over the foot in the middle of its stance
    up = -0.034 - 0.014 * math.cos(2.0 * turn - 0.5)
    aside = 0.020 * math.sin(turn - 0.25)
    return Trunk(
        (aside, forward, up),
        -math.radians(6.0) * math.cos(turn),
        math.radians(3.0) * math.sin(turn - 0.3),
        math.radians(7.0) * math.cos(turn),
    )


def hand(time: float) -> tuple[float, float]:
    """The left wrist from where it hangs: along Y and Z, without the way that the body goes."""
    swing = math.cos(2.0 * math.pi * (time - 0.03))  # behind when the left foot is in front
    return (0.19 * swing - 0.05, 0.025 + 0.035 * swing * swing - 0.03 * swing)
