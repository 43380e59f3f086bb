"""Forward kinematics: from variables to where every body is, and to the axis along which each variable moves it.

Positions and directions are in the tree's space. A variable's axis is a twist [6]: angular velocity, then the velocity
of the point that passes through the origin; a point x of any body below moves with v + ω × x, and what a steady body
carries as the point does that carries it (`steady`). Since the twists of a joint's variables add up, everything else
(Jacobian, gradient, articulated-body step) takes one variable at a time.
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
    dot,
    from_vector,
    half_turn,
    left_jacobian,
    matrix_of,
    multiply,
    quaternion_at,
    rotate,
    vector_at,
)

Ints = NDArray[np.int64]

# joints.Kind, as plain numbers: compiled code takes them for constants.
HINGE, SLIDE, EULER, SWING_ELLIPSE, SWING_X_FIRST, SWING_Z_FIRST, VECTOR = range(1, 8)

_TINY = 1e-9  # keeps the cosine of half the swing off zero where an ellipse reaches a half turn
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
    steady: Ints  # [B], 1 where the parent carries a body and does not turn it: its rest rotation is in tree space
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
def variables_of(tree: TreeArrays, body: int) -> tuple[int, int]:
    """The first of a body's variables, and how many it has.

    The masks change nothing, but tell LLVM that neither is negative. As far as it knows else, each index made of them
    may count from the array's end, and sweeps over a tree take a tenth longer for finding out.
    """
    return tree.first[body] & 0x7FFFFFFF, tree.freedom[body] & 7


@kernel
def forward(tree: TreeArrays, q: Floats, pose: PoseArrays) -> None:
    """Place every body, parents first, for the variables `q` [V]. One O(N) sweep."""
    for body in range(tree.parent.shape[0]):
        parent = tree.parent[body]
        turn = quaternion_at(tree.rest_rotation, body)
        place, scale = vector_at(tree.rest_position, body), 1.0
        if parent >= 0:
            above = quaternion_at(pose.rotation, parent)
            # Products of unit quaternions drift by 1e-16 a level; a chain of 10,000 would be 1e-12 off. What the parent
            # has drifted is taken back, since a chain would have to wait for the length of the product itself.
            scale = 1.5 - 0.5 * (
                (above[0] * above[0] + above[1] * above[1]) + (above[2] * above[2] + above[3] * above[3])
            )
            moved = rotate(above, place)
            place = (
                pose.position[parent, 0] + moved[0],
                pose.position[parent, 1] + moved[1],
                pose.position[parent, 2] + moved[2],
            )
            if tree.steady[body] == 0:
                turn = multiply(above, turn)
            else:
                scale = 1.0
        kind = tree.kind[body]
        if kind == HINGE:  # most joints of most trees, and three times faster without the general case around it
            variable, axis = tree.first[body], vector_at(tree.axis, body)
            _set_turn(pose.axis, variable, turn, axis, place)
            turn = multiply(turn, about_axis(axis, q[variable]))
        elif kind != 0:
            place = _translate(tree, body, q, turn, place, pose.axis)
            turn = _turn(tree, body, q, turn, place, pose.axis)
        if kind == SLIDE:
            along = rotate(turn, vector_at(tree.axis, body))
            variable = tree.slot[body, 3]
            _set(pose.axis, variable, (0.0, 0.0, 0.0), along)
            distance = q[variable]
            place = place[0] + distance * along[0], place[1] + distance * along[1], place[2] + distance * along[2]
        pose.position[body, 0], pose.position[body, 1], pose.position[body, 2] = place
        for i in range(4):
            pose.rotation[body, i] = scale * turn[i]


@kernel
def own_rotations(tree: TreeArrays, q: Floats, axes: Floats, turned: Floats) -> None:
    """How each joint turns its body out of the rest frame, `turned` [F, B, 4], in poses `q` [F, V].

    `axes` is room for [V, 6].
    """
    for frame in range(q.shape[0]):
        for body in range(tree.parent.shape[0]):
            turn, kind = (1.0, 0.0, 0.0, 0.0), tree.kind[body]
            if kind == HINGE:
                turn = about_axis(vector_at(tree.axis, body), q[frame, tree.first[body]])
            elif kind != 0:
                turn = _turn(tree, body, q[frame], turn, (0.0, 0.0, 0.0), axes)
            for i in range(4):
                turned[frame, body, i] = turn[i]


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
def _set_turned(axes: Floats, variable: int, turn: tuple[Vector, Vector, Vector], local: Vector, place: Vector) -> None:
    """The same with the matrix that the rest frame is turned by."""
    if variable >= 0:
        angular = (dot(turn[0], local), dot(turn[1], local), dot(turn[2], local))
        _set(axes, variable, angular, cross(place, angular))


@kernel
def value_at(tree: TreeArrays, body: int, place: int, q: Floats) -> float:
    """What a joint has at one of its six places: a variable or what it is locked at."""
    variable = tree.slot[body, place]
    return float(q[variable] if variable >= 0 else tree.held[body, place])


@kernel
def _translate(tree: TreeArrays, body: int, q: Floats, turn: Quaternion, place: Vector, axes: Floats) -> Vector:
    """The joint's place after its translation along the axes of the rest frame."""
    x, y, z = value_at(tree, body, 0, q), value_at(tree, body, 1, q), value_at(tree, body, 2, q)
    slot = tree.slot[body]
    if slot[0] < 0 and slot[1] < 0 and slot[2] < 0 and x == 0.0 and y == 0.0 and z == 0.0:
        return place
    moved = rotate(turn, (x, y, z))
    for i in range(3):
        if slot[i] >= 0:
            along = rotate(turn, _X if i == 0 else (_Y if i == 1 else _Z))
            _set(axes, slot[i], (0.0, 0.0, 0.0), along)
    return place[0] + moved[0], place[1] + moved[1], place[2] + moved[2]


@kernel
def _turn(tree: TreeArrays, body: int, q: Floats, rest: Quaternion, place: Vector, axes: Floats) -> Quaternion:
    """The body's rotation after the joint's, and the axes of its rotation variables."""
    kind = tree.kind[body]
    if kind == SLIDE:
        return rest
    x, y, z = value_at(tree, body, 3, q), value_at(tree, body, 4, q), value_at(tree, body, 5, q)
    if kind == EULER:
        return _turn_euler(tree, body, (x, y, z), rest, place, axes)
    if kind == VECTOR:
        v = (x, y, z)
        turned, first, second = from_vector(v)
        rate_x, rate_y, rate_z = left_jacobian(v, first, second)
        turn = matrix_of(rest)
        _set_turned(axes, tree.slot[body, 3], turn, rate_x, place)
        _set_turned(axes, tree.slot[body, 4], turn, rate_y, place)
        _set_turned(axes, tree.slot[body, 5], turn, rate_z, place)
        return multiply(rest, turned)
    swung, by_x, by_z = swing(kind, half_angles(x, z), tree.reach, body)
    _set_turn(axes, tree.slot[body, 3], rest, _swing_rate(swung, by_x), place)
    _set_turn(axes, tree.slot[body, 5], rest, _swing_rate(swung, by_z), place)
    _set_turn(axes, tree.slot[body, 4], rest, rotate(swung, _Y), place)
    return multiply(rest, multiply(swung, about_axis(_Y, y)))


@kernel
def _turn_euler(
    tree: TreeArrays, body: int, angles: Vector, rest: Quaternion, place: Vector, axes: Floats
) -> Quaternion:
    """Order "XYZ" turns about x first: R = Rz · Ry · Rx. The last axis stands still, the others are carried along."""
    first, second, third = euler_order(tree.order[body])
    turn = rest
    for step in range(3):
        i = third if step == 0 else (second if step == 1 else first)
        axis = _X if i == 0 else (_Y if i == 1 else _Z)
        _set_turn(axes, tree.slot[body, 3 + i], turn, axis, place)
        turn = multiply(turn, about_axis(axis, angles[i]))
    return turn


@kernel
def euler_order(order: int) -> tuple[int, int, int]:
    """Which axis an order of Euler angles turns about first, second and third: an index into joints.ORDERS."""
    first = order // 2  # XYZ XZY YXZ YZX ZXY ZYX
    second = (first + 1) % 3 if order in (0, 3, 4) else (first + 2) % 3
    return first, second, 3 - first - second


@kernel
def _swing_rate(s: Quaternion, rate: Quaternion) -> Vector:
    """Angular velocity of the swing when its quaternion changes at this rate: vector part of 2 ṡ s̄."""
    turned = multiply(rate, (s[0], -s[1], 0.0, -s[3]))
    return 2.0 * turned[1], 2.0 * turned[2], 2.0 * turned[3]


@kernel
def half_angles(x: float, z: float) -> tuple[float, float, float, float]:
    """Sine and cosine of x/2, then of z/2."""
    cosine_x, ratio_x = half_turn(x * x)
    cosine_z, ratio_z = half_turn(z * z)
    return ratio_x * x, cosine_x, ratio_z * z, cosine_z


@kernel
def swing(
    kind: int, half: tuple[float, float, float, float], reach: Floats, body: int
) -> tuple[Quaternion, Quaternion, Quaternion]:
    """The swing's quaternion, whose y part is zero, and its derivatives by x and by z; `half` from `half_angles`.

    With u = sin(x/2), v = sin(z/2), the ellipse of half axes a, b is the box |u| ≤ a, |v| ≤ b seen through
    sx = u √(1 - ½(v/b)²), sz = v √(1 - ½(u/a)²): smooth also where a and b change from quadrant to quadrant, singular
    only in the corners. A box has one axis held exactly, sin(x/2), and the other in what is left, cos(x/2) sin(z/2);
    its w is cos(x/2) cos(z/2), which has a slope also at a half turn, where √(1 - sx² - sz²) has none.
    """
    u, cu, v, cv = half
    if kind == SWING_X_FIRST:
        by_x = (-0.5 * u * cv, 0.5 * cu, 0.0, -0.5 * u * v)
        return (cu * cv, u, 0.0, cu * v), by_x, (-0.5 * cu * v, 0.0, 0.0, 0.5 * cu * cv)
    if kind == SWING_Z_FIRST:
        by_z = (-0.5 * cu * v, -0.5 * v * u, 0.0, 0.5 * cv)
        return (cu * cv, cv * u, 0.0, v), (-0.5 * u * cv, 0.5 * cv * cu, 0.0, 0.0), by_z
    a = reach[body, 1] if u > 0.0 else reach[body, 0]
    b = reach[body, 3] if v > 0.0 else reach[body, 2]
    ua = u / (a * a) if a > 0.0 else 0.0  # a is zero only where u is held at zero
    vb = v / (b * b) if b > 0.0 else 0.0
    f = math.sqrt(max(1.0 - 0.5 * v * vb, _TINY))
    g = math.sqrt(max(1.0 - 0.5 * u * ua, _TINY))
    sx, sz = u * f, v * g
    sx_x, sx_z = 0.5 * cu * f, -0.25 * u * vb / f * cv
    sz_x, sz_z = -0.25 * v * ua / g * cu, 0.5 * cv * g
    w = math.sqrt(max(1.0 - sx * sx - sz * sz, _TINY * _TINY))
    by_x = (-(sx * sx_x + sz * sz_x) / w, sx_x, 0.0, sz_x)
    return (w, sx, 0.0, sz), by_x, (-(sx * sx_z + sz * sz_z) / w, sx_z, 0.0, sz_z)
