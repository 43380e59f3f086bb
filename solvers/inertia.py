"""The virtual inertia of a tree's bodies, which stands for the matrix of the Levenberg–Marquardt step (LM-PFD, eq. 17).

H = Jᵀ W J is the inertia matrix of a tree whose bodies have the inertia Σ w g gᵀ of the rows that pull on them. Every
twist is in the tree's axes and about one point, so that what is below a joint is a plain sum, and so is H x; what is
below a `steady` one is to those above a point with a mass and a force.

The exact second derivative of `hessian` has the same structure. There H_ij = s_i · A s_j for i above j, with
A = Σ w g gᵀ + K. K is not symmetric, but its other half is known: s_i · (A - Aᵀ) s_j = F · [s_j, s_i], or
A s = ½ (A + Aᵀ) s + ½ s ×* F, with F the wrench on all below. Terms within a joint, `knit`, are added to H.

That one point is the middle of the bodies, not the tree's origin: inertia grows with the square of the distance, and
1 km away from it six digits would go.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel, relaxed_kernel
from .coupling import Bools, Coupling, find_coupled, new_coupling, times_coupled
from .evaluation import Evaluation
from .goals.bend import bend
from .joint_curvature import bend_joints
from .kinematics import Ints, PoseArrays, TreeArrays
from .rotation import Floats, Six, add_six, put_six, vector_at
from .steady import Triangle, carried_inertia, carried_sizes, find_hung, twist_from_above, wrench_to_above

# A body's row of numbers: the upper triangle of its inertia, row by row [21], then how large the diagonal of its
# inertia would be if nothing had been eliminated: turning, moving.
TURNING, MOVING, WIDTH = 21, 22, 24


class Articulated(NamedTuple):
    """Room for the step. B bodies, V variables."""

    centre: Floats  # [3], the point that all twists and forces here are about
    axis: Floats  # [V, 6], twist of each variable about it
    hung: Floats  # [B, 3], the point that a steady body hangs on, about it
    heir: Ints  # [B], the last child, which is the first to hand its inertia on; -1 for a leaf
    own: Floats  # [B, 24], a body's virtual inertia
    total: Floats  # [B, 24], the same with what its children hand on: the articulated-body inertia; not of leaves
    bending: Floats  # [B, 42], K of each body, row by row, and the pull on it
    wrench: Floats  # [B, 6], F: the pull on a body and all below it
    knit: Floats  # [V, 6], terms of H within a joint if bent: a variable's row, from the joint's first on
    bent: Bools  # [1], whether there are wrenches and terms within joints
    column: Floats  # [V, 6], A s of the whole body below: H_ij = s_i · column_j
    composed: Bools  # [1], whether the columns are there
    diagonal: Floats  # [V], inertia of the variables themselves, from taps on one variable
    size: Floats  # [V], the same with the taps of coupled rows
    gain: Floats  # [V, 6], U / d of (72), (73); zero for a variable that does not move
    low: Floats  # [V, 6], L of a joint's own block Lᵀ D L: a variable's row, from the joint's first on, below 1
    pivot: Floats  # [V], d of (73); zero for a variable that does not move
    noise: Floats  # [V], a pivot not above this counts as zero
    u: Floats  # [V], u of (74)
    value: Floats  # [V], the step if the parent stood still
    twist: Floats  # [B, 6], ν of (76)
    force: Floats  # [B, 6], p^A of (74), negative
    coupling: Coupling


def new_articulated(problem: Evaluation, coupled: int) -> Articulated:
    """Room for the step, with as many `coupled` rows (those with several taps) as the goals may have; -1: no room."""
    some = 1 if coupled >= 0 else 0
    bodies, variables = some * problem.pose.position.shape[0], some * problem.pose.axis.shape[0]
    rows, taps = some * problem.values.residual.shape[0], some * problem.values.tap_row.shape[0]
    # In few pieces: an arm's whole solve takes no longer than twenty pieces would.
    six, one = np.zeros((5, variables, 6)), np.zeros((6, variables))
    wide, bodily = np.zeros((2, bodies, WIDTH)), np.zeros((3, bodies, 6))
    heir = np.full(bodies, -1, np.int64)
    for body in range(bodies):
        if problem.tree.parent[body] >= 0:
            heir[problem.tree.parent[body]] = body
    return Articulated(
        np.zeros(3),
        six[0],
        np.zeros((bodies, 3)),
        heir,
        wide[0],
        wide[1],
        np.zeros((bodies, 42)),
        bodily[0],
        six[1],
        np.zeros(1, np.bool_),
        six[2],
        np.zeros(1, np.bool_),
        one[0],
        one[1],
        six[3],
        six[4],
        one[2],
        one[3],
        one[4],
        one[5],
        bodily[1],
        bodily[2],
        new_coupling(bodies, variables, rows, taps, max(coupled, 0)),
    )


@kernel
def gather_inertia(problem: Evaluation, room: Articulated) -> None:
    """Turn the rows at the pose that was evaluated last into virtual inertia: once a pose, for any damping."""
    _gather_rows(problem, room)
    room.bent[0] = False
    room.wrench[:] = 0.0
    room.composed[0] = False  # a step that crosses no limit does without


@kernel
def gather_bent(problem: Evaluation, q: Floats, pull: Floats, room: Articulated) -> None:
    """The same with all of the second derivative at `q` [V], where rows pull with `pull` [M]: see `hessian`.

    Of rows on several bodies, only Jᵀ W J and, of the centre of mass, all.
    """
    _gather_rows(problem, room)
    _gather_bending(problem, pull, room)
    _compose(problem.tree, room)  # its wrenches bend the joints
    centre = (room.centre[0], room.centre[1], room.centre[2])
    bend_joints(problem.tree, problem.pose, q, room.axis, room.wrench, centre, room.knit)
    room.bent[0] = True


@kernel
def _gather_bending(problem: Evaluation, pull: Floats, room: Articulated) -> None:
    """Add ½ (K + Kᵀ) to each body's inertia, and put the pull on it into its wrench."""
    goals, values, bending = problem.goals, problem.values, room.bending
    x, y, z = room.centre[0], room.centre[1], room.centre[2]
    bending[:] = 0.0
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] == 0 or not bend(goals, goal, problem.pose, pull, (x, y, z), bending):
            continue
        for tap in range(goals.tap[goal], goals.tap[goal + 1]):
            row, body, g = values.tap_row[tap], values.tap_body[tap], values.tap[tap]
            if row >= 0 and body >= 0:
                bending[body, 36] += pull[row] * (g[0] - y * g[5] + z * g[4])
                bending[body, 37] += pull[row] * (g[1] - z * g[3] + x * g[5])
                bending[body, 38] += pull[row] * (g[2] - x * g[4] + y * g[3])
                for i in range(3, 6):
                    bending[body, 36 + i] += pull[row] * g[i]
    for body in range(bending.shape[0]):
        k, own, place = bending[body], room.own[body], 0
        for i in range(6):
            room.wrench[body, i] = k[36 + i]
            for j in range(i, 6):
                half = 0.5 * (k[6 * i + j] + k[6 * j + i])
                own[place] += half
                own[TURNING if i < 3 else MOVING] += abs(half)
                own[MOVING] += abs(half) if i < 3 <= j else 0.0
                place += 1


@relaxed_kernel
def _compose(tree: TreeArrays, room: Articulated) -> None:
    """The columns A s, with the inertia of all that a variable moves, and the wrenches on it."""
    room.composed[0] = True
    for body in range(room.own.shape[0]):
        for i in range(WIDTH):
            room.total[body, i] = room.own[body, i]
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        m, parent, w = room.total[body], tree.parent[body], room.wrench[body]
        for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            _product(m, room.axis[variable], w, room.column[variable])
        if tree.steady[body] != 0:
            hand_on_steady(m, m[MOVING], body, room, room.total[parent], room.total[parent])
        elif parent >= 0:
            for i in range(WIDTH):
                room.total[parent, i] += m[i]
        if parent >= 0:
            add_six(room.wrench, parent, wrench_to_above(tree, room.wrench, room.hung, body))


@relaxed_kernel
def hand_on_steady(m: Triangle, moving: float, body: int, room: Articulated, before: Floats, above: Floats) -> None:
    """Make `above` [24] what the parent has `before`, and the inertia `m` [21] of a steady body, `moving` large."""
    at, w = vector_at(room.hung, body), room.wrench[body]
    force = (w[3], w[4], w[5])
    handed, (turning, moving) = carried_inertia(m, at, force), carried_sizes(moving, at, force)
    for i in range(TURNING):
        above[i] = before[i] + handed[i]
    above[TURNING], above[MOVING] = before[TURNING] + turning, before[MOVING] + moving


@kernel
def _product(m: Floats, s: Floats, w: Floats, out: Floats) -> None:
    """A s = M s + ½ s ×* F, with the upper triangle M [21] and the wrench F [6]."""
    a, b, c, d, e, f = s[0], s[1], s[2], s[3], s[4], s[5]
    p, q, r, x, y, z = 0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 0.5 * w[3], 0.5 * w[4], 0.5 * w[5]
    out[0] = m[0] * a + m[1] * b + m[2] * c + m[3] * d + m[4] * e + m[5] * f + (b * r - c * q + e * z - f * y)
    out[1] = m[1] * a + m[6] * b + m[7] * c + m[8] * d + m[9] * e + m[10] * f + (c * p - a * r + f * x - d * z)
    out[2] = m[2] * a + m[7] * b + m[11] * c + m[12] * d + m[13] * e + m[14] * f + (a * q - b * p + d * y - e * x)
    out[3] = m[3] * a + m[8] * b + m[12] * c + m[15] * d + m[16] * e + m[17] * f + (b * z - c * y)
    out[4] = m[4] * a + m[9] * b + m[13] * c + m[16] * d + m[18] * e + m[19] * f + (c * x - a * z)
    out[5] = m[5] * a + m[10] * b + m[14] * c + m[17] * d + m[19] * e + m[20] * f + (a * y - b * x)


@kernel
def mean_diagonal(tree: TreeArrays, room: Articulated) -> float:
    """The mean size of H's diagonal; taps of coupled rows count by themselves."""
    total = 0.0
    if not room.composed[0]:
        _compose(tree, room)
    for variable in range(room.size.shape[0]):
        entry = room.size[variable]
        for i in range(6):
            entry += room.axis[variable, i] * room.column[variable, i]
        total += abs(entry)
    return float(total / max(1, room.size.shape[0]))


@kernel
def _gather_rows(problem: Evaluation, room: Articulated) -> None:
    """Each body's Σ w g gᵀ, the variables' own inertia, and the coupled rows."""
    _centre(problem.pose, room)
    find_hung(problem.tree, problem.pose, (room.centre[0], room.centre[1], room.centre[2]), room.hung)
    room.own[:] = 0.0
    room.diagonal[:] = 0.0
    room.size[:] = 0.0
    values, coupling = problem.values, room.coupling
    coupling.counts[:] = 0
    some = coupling.column.shape[0] > 0
    if some:
        find_coupled(problem.goals, values, coupling)
    for tap in range(values.tap_row.shape[0]):
        row, body, variable = values.tap_row[tap], values.tap_body[tap], values.tap_variable[tap]
        if row < 0 or not problem.goals.weight[row] > 0.0:
            continue
        weight, slot = problem.goals.weight[row], coupling.slot[row] if some else -1
        if body < 0:
            pull = weight * values.tap[tap, 0] * values.tap[tap, 0]
            room.size[variable] += pull
            room.diagonal[variable] += 0.0 if slot >= 0 else pull
        elif slot >= 0:
            for i in range(6):
                coupling.pull[slot, i] += values.tap[tap, i]
        else:
            _add_row(room.own[body], room.centre, values.tap[tap], weight)
    for row in range(coupling.slot.shape[0] if some else 0):
        slot, weight = coupling.slot[row], problem.goals.weight[row]
        if slot >= 0 and coupling.body[slot] >= 0:
            _add_row(room.own[coupling.body[slot]], room.centre, coupling.pull[slot], weight)
    for body in range(room.own.shape[0]):
        own = room.own[body]
        own[TURNING], own[MOVING] = own[0] + own[6] + own[11], own[15] + own[18] + own[20]
    for place in range(coupling.counts[2]):
        _add_size(problem, room, coupling.tap[place])


@kernel
def _centre(pose: PoseArrays, room: Articulated) -> None:
    """The middle of all bodies, and the variables' twists about it: the point there moves with v + ω × c."""
    x, y, z = 0.0, 0.0, 0.0
    for body in range(pose.position.shape[0]):
        x += pose.position[body, 0]
        y += pose.position[body, 1]
        z += pose.position[body, 2]
    scale = 1.0 / max(pose.position.shape[0], 1)
    x, y, z = scale * x, scale * y, scale * z
    room.centre[0], room.centre[1], room.centre[2] = x, y, z
    for variable in range(room.axis.shape[0]):
        s, axis = pose.axis[variable], room.axis[variable]
        axis[0], axis[1], axis[2] = s[0], s[1], s[2]
        axis[3] = s[3] + s[1] * z - s[2] * y
        axis[4] = s[4] + s[2] * x - s[0] * z
        axis[5] = s[5] + s[0] * y - s[1] * x


@kernel
def _add_row(body: Floats, centre: Floats, g: Floats, weight: float) -> None:
    """Add w g gᵀ to a body's numbers [24], with g moved from the origin to `centre`.

    A row along one axis has zeros in g. Passing them over saves a third of the time.
    """
    moved, place = _moved(centre, g), 0
    for i in range(6):
        if moved[i] != 0.0:
            pull = weight * moved[i]
            for j in range(i, 6):
                body[place + j - i] += pull * moved[j]
        place += 6 - i


@kernel
def _add_size(problem: Evaluation, room: Articulated, tap: int) -> None:
    """Let a tap of a coupled row count in the size of its body's inertia: the inertia itself comes with those rows."""
    values, coupling = problem.values, room.coupling
    row, body = values.tap_row[tap], values.tap_body[tap]
    if body >= 0 and coupling.column[coupling.slot[row]] >= 0:
        weight, g = problem.goals.weight[row], _moved(room.centre, values.tap[tap])
        room.own[body, TURNING] += weight * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        room.own[body, MOVING] += weight * (g[3] * g[3] + g[4] * g[4] + g[5] * g[5])


@kernel
def _moved(centre: Floats, g: Floats) -> Six:
    """A tap, moved from the origin to `centre`."""
    x, y, z = centre[0], centre[1], centre[2]
    return g[0] - y * g[5] + z * g[4], g[1] - z * g[3] + x * g[5], g[2] - x * g[4] + y * g[3], g[3], g[4], g[5]


@kernel
def times_sweeps(problem: Evaluation, room: Articulated, x: Floats, out: Floats) -> None:
    """H x into `out` [V], without damping, at the pose last gathered: down for the twists above, up for what is below.

    Needs no factor. `x` [V] and `out` are two arrays.
    """
    tree, twist, force = problem.tree, room.twist, room.force
    if not room.composed[0]:
        _compose(tree, room)
    force[:] = 0.0
    for body in range(tree.parent.shape[0]):
        first = tree.first[body]
        put_six(twist, body, twist_from_above(tree, twist, room.hung, body))
        for j in range(first, first + tree.freedom[body]):
            total = room.diagonal[j] * x[j]
            for i in range(6):
                total += room.column[j, i] * twist[body, i]
                twist[body, i] += room.axis[j, i] * x[j]
            out[j] = total
    if room.coupling.counts[1] > 0:
        times_coupled(problem.goals, problem.values, room.centre, room.coupling, x, twist, force, out)
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        parent, first = tree.parent[body], tree.first[body]
        for j in range(first + tree.freedom[body] - 1, first - 1, -1):
            for i in range(6):
                force[body, i] += room.column[j, i] * x[j]
                out[j] += room.axis[j, i] * force[body, i]
            if room.bent[0]:
                out[j] += room.knit[j, j - first] * x[j]
                for i in range(j - first):
                    out[j] += room.knit[j, i] * x[first + i]
                    out[first + i] += room.knit[j, i] * x[j]
        if parent >= 0:
            add_six(force, parent, wrench_to_above(tree, force, room.hung, body))
