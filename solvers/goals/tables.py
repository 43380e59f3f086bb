"""Goals as tables of numbers, so that one compiled core serves every mix of goals.

A goal has rows: each is a residual r with a weight w and adds ½ w r² to the cost, or ½ w (r + shift)² where `levels`
has shifted it. For its derivative a row leaves *taps*: (body, six numbers g) says dr = g · twist of that body,
(variable, coefficient) says dr = coefficient · dq. All else, gradient, Jacobian and the O(N) step, follows from the
taps and is written once.
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ...compiled import kernel
from ..kinematics import Ints
from ..rotation import Floats, Vector, cross
from .expression import DEEPEST

INTS, FLOATS = 8, 32  # what a goal's file may keep in its row of the tables; the rest goes into the pool


class Unit(IntEnum):
    """What a row's residual is measured in."""

    METRES = 0
    RADIANS = 1
    CHORD = 2  # distance of two unit vectors: 2 sin(½ angle)


PIN, GOAL, POSTURE = range(3)  # Level, as plain numbers: compiled code takes them for constants


class Level(IntEnum):
    """What gives way when not everything can be had: posture before goals, goals before pins."""

    PIN = PIN
    GOAL = GOAL
    POSTURE = POSTURE


class Packed(NamedTuple):
    """One goal as it goes into the tables."""

    ints: tuple[int, ...]
    floats: tuple[float, ...]
    weights: tuple[float, ...] | Floats  # of its rows
    units: tuple[Unit, ...] | Ints  # of its rows
    taps: int  # how many it leaves at most
    pool: tuple[float, ...] | Floats = ()
    grid: Floats | None = None  # shared by goals, and the same on all frames of a clip


GRID_AT = 6  # of a goal's ints: where its grid begins


class GoalArrays(NamedTuple):
    """All goals of a problem. G goals, M rows, T taps at most."""

    kind: Ints  # [G]
    on: Ints  # [G], 0 or 1
    row: Ints  # [G + 1], the first of its rows
    tap: Ints  # [G + 1], the first of its taps
    pooled: Ints  # [G], where its part of the pool begins
    ints: Ints  # [G, 8]
    floats: Floats  # [G, 32]
    pool: Floats  # [P]
    grid: Floats  # [K], all grids one after the other; what is in the pool is there once for each frame of a clip
    weight: Floats  # [M]
    shift: Floats  # [M], added to the residual: the row's multiplier, over its weight; see `levels`
    unit: Ints  # [M], Unit
    level: Ints  # [G], Level
    tolerance: Floats  # [G, 2], in metres and radians
    slack: Floats  # [G], metres of residual that are no error


class Values(NamedTuple):
    """What evaluating the goals leaves behind."""

    residual: Floats  # [M]
    pull: (
        Floats  # [M], the residual with its shift, which is what costs; of one-sided goals, no more than zero if slack
    )
    tap_row: Ints  # [T], -1 where a goal left fewer taps than it may
    tap_body: Ints  # [T], -1 for a tap on a variable
    tap_variable: Ints  # [T], -1 for a tap on a body
    tap: Floats  # [T, 6]; on a variable, the coefficient comes first
    stack: Floats  # [DEEPEST, 2], scratch for expressions


def new_values(rows: int, taps: int) -> Values:
    """Room for what evaluating leaves behind."""
    return Values(
        np.zeros(rows),
        np.zeros(rows),
        np.full(taps, -1),
        np.full(taps, -1),
        np.full(taps, -1),
        np.zeros((taps, 6)),
        np.zeros((DEEPEST, 2)),
    )


@kernel
def no_tap(values: Values, tap: int) -> None:
    """This tap is not used this time."""
    values.tap_row[tap] = -1


@kernel
def tap_body(values: Values, tap: int, row: int, body: int, angular: Vector, linear: Vector) -> None:
    """The row changes by angular · ω + linear · v when the body moves with the twist (ω, v)."""
    values.tap_row[tap], values.tap_body[tap], values.tap_variable[tap] = row, body, -1
    for i in range(3):
        values.tap[tap, i] = angular[i]
        values.tap[tap, 3 + i] = linear[i]


@kernel
def tap_point(values: Values, tap: int, row: int, body: int, point: Vector, direction: Vector) -> None:
    """The row changes by direction · velocity of a point of the body (both in the tree's space)."""
    tap_body(values, tap, row, body, cross(point, direction), direction)


@kernel
def tap_anchor(values: Values, tap: int, row: int, body: int, point: Vector, direction: Vector) -> None:
    """The same, with body -1 for a point that is fixed in the tree's space: nothing to pull on."""
    if body < 0:
        no_tap(values, tap)
    else:
        tap_point(values, tap, row, body, point, direction)


@kernel
def tap_variable(values: Values, tap: int, row: int, variable: int, coefficient: float) -> None:
    """The row changes by coefficient · dq of one variable."""
    values.tap_row[tap], values.tap_body[tap], values.tap_variable[tap] = row, -1, variable
    values.tap[tap, 0] = coefficient


@kernel
def three_at(rows: Floats, row: int) -> Vector:
    """What three rows have from `row` on."""
    return rows[row], rows[row + 1], rows[row + 2]


@kernel
def bend_point(bending: Floats, body: int, point: Vector, force: Vector) -> None:
    """Add to `bending` [B, 36+] how a force on a point of a body turns with it: see `hessian`. Both about its centre.

    The point moves with ṗ = v + ω × p, and the force's moment changes by ṗ × f = (p fᵀ - (f · p)) ω - f × v.
    """
    along = force[0] * point[0] + force[1] * point[1] + force[2] * point[2]
    for i in range(3):
        for j in range(3):
            bending[body, 6 * i + j] += point[i] * force[j]
        bending[body, 7 * i] -= along
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        bending[body, 6 * j + 3 + i] -= force[k]
        bending[body, 6 * k + 3 + i] += force[j]


@kernel
def error_of(goals: GoalArrays, values: Values, goal: int) -> tuple[float, float]:
    """How far a goal is from being met, in metres and radians; rows with weight zero do not count."""
    metres = radians = chord = 0.0
    for row in range(goals.row[goal], goals.row[goal + 1]):
        if goals.weight[row] > 0.0:
            square = values.residual[row] * values.residual[row]
            if goals.unit[row] == 0:
                metres += square
            elif goals.unit[row] == 1:
                radians += square
            else:
                chord += square
    angle = 2.0 * math.asin(min(1.0, 0.5 * math.sqrt(chord)))
    return max(0.0, math.sqrt(metres) - goals.slack[goal]), math.sqrt(radians + angle * angle)


@kernel
def is_reached(goals: GoalArrays, values: Values, goal: int) -> bool:
    """Whether a goal is within its tolerance."""
    metres, radians = error_of(goals, values, goal)
    return bool(metres <= goals.tolerance[goal, 0] and radians <= goals.tolerance[goal, 1])


@kernel
def all_reached(goals: GoalArrays, values: Values) -> bool:
    """Whether every goal that is on, posture apart, is within its tolerance."""
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] != 0 and goals.level[goal] != POSTURE and not is_reached(goals, values, goal):
            return False
    return True
