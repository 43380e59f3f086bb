"""Steady joints: carried along by the parent, not turned by it.

A steady body goes where the point h of its parent goes that it hangs on. Of a twist (ω, v) above, all below gets
(0, v + ω × h), a translation; of a wrench (m, f) below, all above feels (h × f, f), the force on that point. So what
hangs there is to its parent a point with a force on it, also in the second derivative: translations commute.
"""

import math
from typing import TypeAlias

from ..compiled import kernel, relaxed_kernel
from .kinematics import PoseArrays, TreeArrays
from .rotation import Floats, Six, Vector, cross, dot, quaternion_at, rotate, six_at, vector_at

Triangle: TypeAlias = tuple[float, ...] | Floats  # [21], the upper triangle of an inertia [6, 6], row by row


@kernel
def hung_at(tree: TreeArrays, pose: PoseArrays, body: int) -> Vector:
    """The point of its parent that a body hangs on, before any translation of its own; in the tree's space."""
    parent = tree.parent[body]
    moved = rotate(quaternion_at(pose.rotation, parent), vector_at(tree.rest_position, body))
    at = vector_at(pose.position, parent)
    return at[0] + moved[0], at[1] + moved[1], at[2] + moved[2]


@kernel
def find_hung(tree: TreeArrays, pose: PoseArrays, centre: Vector, hung: Floats) -> None:
    """Fill `hung` [B, 3] with the points that steady bodies hang on, about `centre`; others keep what they have."""
    for body in range(tree.parent.shape[0]):
        if tree.steady[body] != 0:
            at = hung_at(tree, pose, body)
            for i in range(3):
                hung[body, i] = at[i] - centre[i]


@kernel
def carried_wrench(hung: Vector, wrench: Six) -> Six:
    """What a wrench on a steady body that hangs on the point `hung` is to its parent."""
    force = (wrench[3], wrench[4], wrench[5])
    moment = cross(hung, force)
    return moment[0], moment[1], moment[2], force[0], force[1], force[2]


@kernel
def carried_twist(hung: Vector, twist: Six) -> Six:
    """What a steady body that hangs on the point `hung` has of its parent's twist."""
    moved = cross((twist[0], twist[1], twist[2]), hung)
    return 0.0, 0.0, 0.0, twist[3] + moved[0], twist[4] + moved[1], twist[5] + moved[2]


@kernel
def twist_from_above(tree: TreeArrays, twists: Floats, hung: Floats, body: int) -> Six:
    """What a body has of its parent's twist, with the twists of all bodies [B, 6] and `hung` as found above."""
    parent = tree.parent[body]
    if parent < 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    twist = six_at(twists, parent)
    return carried_twist(vector_at(hung, body), twist) if tree.steady[body] != 0 else twist


@kernel
def wrench_to_above(tree: TreeArrays, wrenches: Floats, hung: Floats, body: int) -> Six:
    """What the wrench on a body, of those on all [B, 6], is to its parent."""
    wrench = six_at(wrenches, body)
    return carried_wrench(vector_at(hung, body), wrench) if tree.steady[body] != 0 else wrench


@relaxed_kernel
def carried_inertia(m: Triangle, h: Vector, f: Vector) -> Triangle:
    """What the inertia `m` of a steady body that hangs on the point `h` is to its parent, with the force `f` on it.

    Of m only the block D of translation counts: Xᵀ m X with X (ω, v) = (0, v + ω × h). As the parent moves, the moment
    of the force changes by K (ω, v) = ((h fᵀ - (f · h)) ω - f × v, 0); added is ½ (K + Kᵀ), as in `inertia`.
    """
    x, y, z = (m[15], m[16], m[17]), (m[16], m[18], m[19]), (m[17], m[19], m[20])
    across_x, across_y, across_z = cross(h, x), cross(h, y), cross(h, z)  # the columns of [h]× D
    first = cross(h, (across_x[0], across_y[0], across_z[0]))
    second = cross(h, (across_x[1], across_y[1], across_z[1]))
    third = cross(h, (across_x[2], across_y[2], across_z[2]))
    along = dot(f, h)
    return (
        first[0] + h[0] * f[0] - along,
        first[1] + 0.5 * (h[0] * f[1] + h[1] * f[0]),
        first[2] + 0.5 * (h[0] * f[2] + h[2] * f[0]),
        across_x[0],
        across_y[0] + 0.5 * f[2],
        across_z[0] - 0.5 * f[1],
        second[1] + h[1] * f[1] - along,
        second[2] + 0.5 * (h[1] * f[2] + h[2] * f[1]),
        across_x[1] - 0.5 * f[2],
        across_y[1],
        across_z[1] + 0.5 * f[0],
        third[2] + h[2] * f[2] - along,
        across_x[2] + 0.5 * f[1],
        across_y[2] - 0.5 * f[0],
        across_z[2],
        m[15],
        m[16],
        m[17],
        m[18],
        m[19],
        m[20],
    )


@kernel
def carried_sizes(moving: float, h: Vector, f: Vector) -> tuple[float, float]:
    """How large the diagonal of what `carried_inertia` makes may be: turning, moving; see `inertia`."""
    reach, pull = math.sqrt(dot(h, h)), math.sqrt(dot(f, f))
    return reach * reach * moving + (4.0 * reach + 3.0) * pull, moving + 3.0 * pull
