"""Forward kinematics: from variables to where every body is, and to the axis along which each variable moves it.

Positions and directions are in the tree's space. A variable's axis is a twist [6]: angular velocity, then the velocity
of the point that passes through the origin; a point x of any body below moves with v + ω × x. Since the twists of a
joint's variables add up, everything else (Jacobian, gradient, articulated-body step) takes one variable at a time.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import kernel
from .rotation import (
    Floats,
    Quaternion,
    Vector,
    about_axis,
    cross,
    from_vector,
    left_jacobian,
    multiply,
    quaternion_at,
    rotate,
    vector_at,
)

Ints = NDArray[np.int64]

# joints.Kind, as plain numbers: compiled code takes them for constants.
_HINGE, _SLIDE, _EULER, _SWING_ELLIPSE, _SWING_X_FIRST, _SWING_Z_FIRST, _VECTOR = range(1, 8)

_TINY = 1e-9  # keeps the cosine of half the swing off zero at a half turn, where swing and twist are one
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class TreeArrays(NamedTuple):
    """A tree as the kernels see it. B bodies, V variables; read-only."""

    parent: Ints  # [B], -1 for a root
    first: Ints  # [B], the first of a body's variables, which follow one another
    freedom: Ints  # [B], how many it has
    kind: Ints  # [B], joints.Kind
    order: Ints  # [B], of Euler angles: an index into joints.ORDERS
    slot: Ints  # [B, 6], the variable at each place (three translations, three rotations), -1 where locked
    held: Floats  # [B, 6], the value at each locked place
    axis: Floats  # [B, 3], of hinges and slides
    reach: Floats  # [B, 4], half axes of the swing's ellipse: sin(½ limit) towards -x, +x, -z, +z
    rest_position: Floats  # [B, 3]
    rest_rotation: Floats  # [B, 4]
    body: Ints  # [V], the body that each variable moves


class PoseArrays(NamedTuple):
    """What `forward` fills."""

    position: Floats  # [B, 3]
    rotation: Floats  # [B, 4]
    axis: Floats  # [V, 6], twist of each variable


def new_pose(bodies: int, variables: int) -> PoseArrays:
    """Room for a pose."""
    return PoseArrays(np.zeros((bodies, 3)), np.zeros((bodies, 4)), np.zeros((variables, 6)))


@kernel
def forward(tree: TreeArrays, q: Floats, pose: PoseArrays) -> None:
    """Place every body, parents first, for the variables `q` [V]. One O(N) sweep."""
    for body in range(tree.parent.shape[0]):
        parent = tree.parent[body]
        turn = quaternion_at(tree.rest_rotation, body)
        place = vector_at(tree.rest_position, body)
        if parent >= 0:
            above = quaternion_at(pose.rotation, parent)
            moved = rotate(above, place)
            place = (
                pose.position[parent, 0] + moved[0],
                pose.position[parent, 1] + moved[1],
                pose.position[parent, 2] + moved[2],
            )
            turn = multiply(above, turn)
        kind = tree.kind[body]
        if kind == _HINGE:  # most joints of most trees, and three times faster without the general case around it
            variable, axis = tree.first[body], vector_at(tree.axis, body)
            _set_turn(pose.axis, variable, turn, axis, place)
            turn = multiply(turn, about_axis(axis, q[variable]))
        elif kind != 0:
            place = _translate(tree, body, q, turn, place, pose.axis)
            turn = _turn(tree, body, q, turn, place, pose.axis)
        if kind == _SLIDE:
            along = rotate(turn, vector_at(tree.axis, body))
            variable = tree.slot[body, 3]
            _set(pose.axis, variable, (0.0, 0.0, 0.0), along)
            distance = q[variable]
            place = place[0] + distance * along[0], place[1] + distance * along[1], place[2] + distance * along[2]
        pose.position[body, 0], pose.position[body, 1], pose.position[body, 2] = place
        # Products of unit quaternions drift by 1e-16 a level; a chain of 10,000 would be 1e-12 off.
        scale = 1.5 - 0.5 * (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3])
        for i in range(4):
            pose.rotation[body, i] = scale * turn[i]


@kernel
def _set(axes: Floats, variable: int, angular: Vector, linear: Vector) -> None:
    for i in range(3):
        axes[variable, i] = angular[i]
        axes[variable, 3 + i] = linear[i]


@kernel
def _set_turn(axes: Floats, variable: int, turn: Quaternion, local: Vector, place: Vector) -> None:
    """A variable that turns about `local` (in the rest frame, which is turned by `turn`) through the point `place`."""
    if variable >= 0:
        angular = rotate(turn, local)
        _set(axes, variable, angular, cross(place, angular))


@kernel
def _value(tree: TreeArrays, body: int, place: int, q: Floats) -> float:
    variable = tree.slot[body, place]
    return float(q[variable] if variable >= 0 else tree.held[body, place])


@kernel
def _translate(tree: TreeArrays, body: int, q: Floats, turn: Quaternion, place: Vector, axes: Floats) -> Vector:
    """The joint's place after its translation along the axes of the rest frame."""
    moved = rotate(turn, (_value(tree, body, 0, q), _value(tree, body, 1, q), _value(tree, body, 2, q)))
    for i in range(3):
        if tree.slot[body, i] >= 0:
            along = rotate(turn, _X if i == 0 else (_Y if i == 1 else _Z))
            _set(axes, tree.slot[body, i], (0.0, 0.0, 0.0), along)
    return place[0] + moved[0], place[1] + moved[1], place[2] + moved[2]


@kernel
def _turn(tree: TreeArrays, body: int, q: Floats, rest: Quaternion, place: Vector, axes: Floats) -> Quaternion:
    """The body's rotation after the joint's, and the axes of its rotation variables."""
    kind = tree.kind[body]
    if kind == _SLIDE:
        return rest
    x, y, z = _value(tree, body, 3, q), _value(tree, body, 4, q), _value(tree, body, 5, q)
    if kind == _EULER:
        return _turn_euler(tree, body, (x, y, z), rest, place, axes)
    if kind == _VECTOR:
        v = (x, y, z)
        for i in range(3):
            if tree.slot[body, 3 + i] >= 0:
                rate = left_jacobian(v, _X if i == 0 else (_Y if i == 1 else _Z))
                _set_turn(axes, tree.slot[body, 3 + i], rest, rate, place)
        return multiply(rest, from_vector(v))
    sx, sz, sx_x, sx_z, sz_x, sz_z = swing(kind, x, z, tree.reach, body)
    w = math.sqrt(max(1.0 - sx * sx - sz * sz, _TINY * _TINY))
    swung = (w, sx, 0.0, sz)
    _set_turn(axes, tree.slot[body, 3], rest, _swing_rate(swung, sx_x, sz_x), place)
    _set_turn(axes, tree.slot[body, 5], rest, _swing_rate(swung, sx_z, sz_z), place)
    _set_turn(axes, tree.slot[body, 4], rest, rotate(swung, _Y), place)
    return multiply(rest, multiply(swung, about_axis(_Y, y)))


@kernel
def _turn_euler(
    tree: TreeArrays, body: int, angles: Vector, rest: Quaternion, place: Vector, axes: Floats
) -> Quaternion:
    """Order "XYZ" turns about x first: R = Rz · Ry · Rx. The last axis stands still, the others are carried along."""
    order = tree.order[body]
    first = order // 2  # XYZ XZY YXZ YZX ZXY ZYX
    second = (first + 1) % 3 if order in (0, 3, 4) else (first + 2) % 3
    turn = rest
    for step in range(3):
        i = 3 - first - second if step == 0 else (second if step == 1 else first)
        axis = _X if i == 0 else (_Y if i == 1 else _Z)
        _set_turn(axes, tree.slot[body, 3 + i], turn, axis, place)
        turn = multiply(turn, about_axis(axis, angles[i]))
    return turn


@kernel
def _swing_rate(s: Quaternion, rate_x: float, rate_z: float) -> Vector:
    """Angular velocity of the swing when its x and z parts change at these rates: vector part of 2 ṡ s̄."""
    rate_w = -(s[1] * rate_x + s[3] * rate_z) / s[0]
    rate = multiply((rate_w, rate_x, 0.0, rate_z), (s[0], -s[1], 0.0, -s[3]))
    return 2.0 * rate[1], 2.0 * rate[2], 2.0 * rate[3]


@kernel
def swing(kind: int, x: float, z: float, reach: Floats, body: int) -> tuple[float, float, float, float, float, float]:
    """The x and z parts of the swing's quaternion and their derivatives by x and by z: sx, sz, sx_x, sx_z, sz_x, sz_z.

    With u = sin(x/2), v = sin(z/2), the ellipse of half axes a, b is the box |u| ≤ a, |v| ≤ b seen through
    sx = u √(1 - ½(v/b)²), sz = v √(1 - ½(u/a)²): smooth also where a and b change from quadrant to quadrant, singular
    only in the corners. A box has one axis held exactly, sin(x/2), and the other in what is left, cos(x/2) sin(z/2).
    """
    u, v = math.sin(0.5 * x), math.sin(0.5 * z)
    du, dv = 0.5 * math.cos(0.5 * x), 0.5 * math.cos(0.5 * z)
    if kind == _SWING_X_FIRST:
        return u, 2.0 * du * v, du, 0.0, -0.5 * u * v, 2.0 * du * dv
    if kind == _SWING_Z_FIRST:
        return 2.0 * dv * u, v, 2.0 * dv * du, -0.5 * v * u, 0.0, dv
    a = reach[body, 1] if u > 0.0 else reach[body, 0]
    b = reach[body, 3] if v > 0.0 else reach[body, 2]
    ua = u / (a * a) if a > 0.0 else 0.0  # a is zero only where u is held at zero
    vb = v / (b * b) if b > 0.0 else 0.0
    f = math.sqrt(max(1.0 - 0.5 * v * vb, _TINY))
    g = math.sqrt(max(1.0 - 0.5 * u * ua, _TINY))
    return u * f, v * g, du * f, -0.5 * u * vb / f * dv, -0.5 * v * ua / g * du, dv * g
