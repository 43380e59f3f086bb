"""The Levenberg–Marquardt step in O(N), by the articulated-body algorithm (LM-PFD, eqs 17–22 and appendix A).

(H + diag(damping)) dq = -gradient, with H = Jᵀ W J, is the equation of motion of a tree whose bodies have the virtual
inertia Σ w g gᵀ of the rows that pull on them (17): no Jacobian, no matrix. One sweep from the leaves to the roots
eliminates one variable after the other; two more, up and down, solve for a right-hand side. Since every twist is in the
tree's axes and about one point, the transforms X of (69)–(76) are all the identity and the D of (73) are plain numbers.

The exact second derivative of `hessian` has the same structure. There H_ij = s_i · A s_j for i above j, with
A = Σ w g gᵀ + K. K is not symmetric, but its other half is known: s_i · (A - Aᵀ) s_j = F · [s_j, s_i], or
A s = ½ (A + Aᵀ) s + ½ s ×* F, with F the wrench on all below. F is not touched by elimination, and what that takes
from A is symmetric: so the sweep goes on as before with ½ s ×* F added to its products. Terms within a joint, `knit`,
are eliminated with it.

That one point is the middle of the bodies, not the tree's origin: inertia grows with the square of the distance, and
1 km away from it six digits would go.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel, relaxed_kernel
from .coupling import (
    Bools,
    Coupling,
    factor_coupled,
    find_coupled,
    new_coupling,
    reduce_coupled,
    solve_coupled,
    times_coupled,
)
from .evaluation import Evaluation
from .goals.bend import bend
from .hessian import bend_joints
from .kinematics import Ints, PoseArrays, TreeArrays
from .rotation import Floats

# A body's row of numbers: the upper triangle of its inertia, row by row [21], then how large the diagonal of its
# inertia would be if nothing had been eliminated: turning, moving.
_TURNING, _MOVING, _WIDTH = 21, 22, 23

# A pivot within 32 roundings of what it was subtracted from is nothing but rounding. Below 1e-150 its inverse overflows
# when it is squared.
_ROUNDING, _LEAST = 32 * 2.2e-16, 1e-150


class Articulated(NamedTuple):
    """Room for the step. B bodies, V variables."""

    centre: Floats  # [3], the point that all twists and forces here are about
    axis: Floats  # [V, 6], twist of each variable about it
    own: Floats  # [B, 23], a body's virtual inertia
    total: Floats  # [B, 23], the same with what its children hand on: the articulated-body inertia
    bending: Floats  # [B, 42], K of each body, row by row, and the pull on it
    wrench: Floats  # [B, 6], F: the pull on a body and all below it
    knit: Floats  # [V, 6], terms of H within a joint: a variable's row, from the joint's first on
    knitted: Ints  # [B], 1 where the joint has such terms; where not, knot, lift and tie are zero
    column: Floats  # [V, 6], A s of the whole body below: H_ij = s_i · column_j
    composed: Bools  # [1], whether the columns are there
    diagonal: Floats  # [V], inertia of the variables themselves, from taps on one variable
    size: Floats  # [V], the same with the taps of coupled rows
    gain: Floats  # [V, 6], U / d of (72), (73); zero for a variable that does not move
    knot: Floats  # [V, 6], `knit` as elimination leaves it
    lift: Floats  # [V, 6], what that adds to the products A s of variables of the same joint
    tie: Floats  # [V, 6], a variable's row of `knot` / d
    pivot: Floats  # [V], d of (73)
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
    six, one = np.zeros((7, variables, 6)), np.zeros((6, variables))
    wide, bodily = np.zeros((2, bodies, _WIDTH)), np.zeros((3, bodies, 6))
    return Articulated(
        np.zeros(3),
        six[0],
        wide[0],
        wide[1],
        np.zeros((bodies, 42)),
        bodily[0],
        six[1],
        np.zeros(bodies, np.int64),
        six[2],
        np.zeros(1, np.bool_),
        one[0],
        one[1],
        six[3],
        six[4],
        six[5],
        six[6],
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
    room.wrench[:] = 0.0
    for body in range(room.knitted.shape[0]):
        _set_knitted(problem.tree, room, body, 0)
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
    for body in range(room.knitted.shape[0]):
        first, some = problem.tree.first[body], 0
        for variable in range(first, first + problem.tree.freedom[body]):
            for i in range(variable - first + 1):
                some = 1 if room.knit[variable, i] != 0.0 else some
        _set_knitted(problem.tree, room, body, some)


@kernel
def _set_knitted(tree: TreeArrays, room: Articulated, body: int, knitted: int) -> None:
    """Note whether a joint has terms within; one that has no more leaves none behind."""
    if room.knitted[body] != 0 and knitted == 0:
        for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            for i in range(6):
                room.knot[variable, i] = room.lift[variable, i] = room.tie[variable, i] = 0.0
    room.knitted[body] = knitted


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
                own[_TURNING if i < 3 else _MOVING] += abs(half)
                own[_MOVING] += abs(half) if i < 3 <= j else 0.0
                place += 1


@relaxed_kernel
def _compose(tree: TreeArrays, room: Articulated) -> None:
    """The columns A s, with the inertia of all that a variable moves, and the wrenches on it."""
    room.composed[0] = True
    for body in range(room.own.shape[0]):
        for i in range(_WIDTH):
            room.total[body, i] = room.own[body, i]
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        m, parent, w = room.total[body], tree.parent[body], room.wrench[body]
        for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            _product(m, room.axis[variable], w, room.column[variable])
        if parent >= 0:
            for i in range(_WIDTH):
                room.total[parent, i] += m[i]
            for i in range(6):
                room.wrench[parent, i] += w[i]


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
            if coupling.body[slot] < 0:  # its inertia comes with the coupled rows; only its size counts here
                _add_row(room.own[body], room.centre, values.tap[tap], 0.0, weight)
        else:
            _add_row(room.own[body], room.centre, values.tap[tap], weight, weight)
    for row in range(coupling.slot.shape[0] if some else 0):
        slot, weight = coupling.slot[row], problem.goals.weight[row]
        if slot >= 0 and coupling.body[slot] >= 0:
            _add_row(room.own[coupling.body[slot]], room.centre, coupling.pull[slot], weight, weight)


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
def _add_row(body: Floats, centre: Floats, g: Floats, inertia: float, size: float) -> None:
    """Add inertia · g gᵀ to a body's numbers [23], with g moved from the origin to `centre`."""
    x, y, z = centre[0], centre[1], centre[2]
    moved = (g[0] - y * g[5] + z * g[4], g[1] - z * g[3] + x * g[5], g[2] - x * g[4] + y * g[3], g[3], g[4], g[5])
    place = 0
    for i in range(6):
        for j in range(i, 6):
            body[place] += inertia * moved[i] * moved[j]
            place += 1
    for i in range(3):
        body[_TURNING] += size * moved[i] * moved[i]
        body[_MOVING] += size * moved[3 + i] * moved[3 + i]


@kernel
def factor_sweep(problem: Evaluation, damping: Floats, free: Bools, room: Articulated) -> bool:
    """Factor H + diag(damping) over the free variables. False if it is not positive, coupled rows apart."""
    positive = _eliminate(problem.tree, damping, free, room)
    if room.coupling.counts[1] > 0:
        values, goals = problem.values, problem.goals
        reduce_coupled(problem.tree, goals, values, room.centre, room.axis, room.gain, room.tie, room.coupling)
        factor_coupled(free, room.pivot, room.noise, room.coupling)
    return positive


@kernel
def solve_sweeps(problem: Evaluation, free: Bools, room: Articulated, right: Floats, x: Floats) -> None:
    """Solve for `x` [V] with the right-hand side `right` [V], as factored last; they may be one array."""
    _sweep_up(problem.tree, free, room, right)
    if room.coupling.counts[1] > 0:
        solve_coupled(free, room.u, room.coupling, room.value)
    sweep_down(problem.tree, free, room, x)


@relaxed_kernel
def _eliminate(tree: TreeArrays, damping: Floats, free: Bools, room: Articulated) -> bool:
    """From the leaves to the roots: eqs 69, 72, 73, one variable at a time. False if a pivot is below zero.

    Written out, in one piece: with a function for the inside of the loop, which LLVM does not inline, it takes half as
    long again; with m in an array, which may be any other array for all that LLVM knows, a third longer.
    """
    positive = True
    _restore(tree, room)
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        m, w, knitted, first = (
            _triangle_at(room.total[body]),
            room.wrench[body],
            room.knitted[body] != 0,
            tree.first[body],
        )
        turning, moving = room.total[body, _TURNING], room.total[body, _MOVING]
        p, q, r, x, y, z = 0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 0.5 * w[3], 0.5 * w[4], 0.5 * w[5]
        for variable in range(first + tree.freedom[body] - 1, first - 1, -1):
            s, gain = room.axis[variable], room.gain[variable]
            if not free[variable]:
                gain[:] = 0.0
                continue
            a, b, c, d, e, f = s[0], s[1], s[2], s[3], s[4], s[5]
            u = (
                (m[0] * a + m[1] * b)
                + (m[2] * c + m[3] * d)
                + ((m[4] * e + m[5] * f) + ((b * r - c * q) + (e * z - f * y))),
                (m[1] * a + m[6] * b)
                + (m[7] * c + m[8] * d)
                + ((m[9] * e + m[10] * f) + ((c * p - a * r) + (f * x - d * z))),
                (m[2] * a + m[7] * b)
                + (m[11] * c + m[12] * d)
                + ((m[13] * e + m[14] * f) + ((a * q - b * p) + (d * y - e * x))),
                (m[3] * a + m[8] * b) + (m[12] * c + m[15] * d) + ((m[16] * e + m[17] * f) + (b * z - c * y)),
                (m[4] * a + m[9] * b) + (m[13] * c + m[16] * d) + ((m[18] * e + m[19] * f) + (c * x - a * z)),
                (m[5] * a + m[10] * b) + (m[14] * c + m[17] * d) + ((m[19] * e + m[20] * f) + (a * y - b * x)),
            )
            pivot = damping[variable] + room.diagonal[variable]
            if knitted:
                t, pivot = room.lift[variable], pivot + room.knot[variable, variable - first]
                u = u[0] + t[0], u[1] + t[1], u[2] + t[2], u[3] + t[3], u[4] + t[4], u[5] + t[5]
            pivot += ((a * u[0] + b * u[1]) + (c * u[2] + d * u[3])) + (e * u[4] + f * u[5])
            # |g · s|² summed over the rows is at most this; the rounding errors of the inertia are in proportion to it.
            size = 2.0 * ((a * a + b * b + c * c) * turning + (d * d + e * e + f * f) * moving)
            noise = _ROUNDING * (size + room.size[variable]) + _LEAST
            room.noise[variable] = noise
            positive = positive and pivot > -noise
            if not pivot > noise:
                room.pivot[variable] = 0.0
                gain[:] = 0.0
                continue
            inverse = 1.0 / pivot
            room.pivot[variable] = pivot
            g = u[0] * inverse, u[1] * inverse, u[2] * inverse, u[3] * inverse, u[4] * inverse, u[5] * inverse
            gain[0], gain[1], gain[2], gain[3], gain[4], gain[5] = g
            m = (
                m[0] - g[0] * u[0],
                m[1] - g[0] * u[1],
                m[2] - g[0] * u[2],
                m[3] - g[0] * u[3],
                m[4] - g[0] * u[4],
                m[5] - g[0] * u[5],
                m[6] - g[1] * u[1],
                m[7] - g[1] * u[2],
                m[8] - g[1] * u[3],
                m[9] - g[1] * u[4],
                m[10] - g[1] * u[5],
                m[11] - g[2] * u[2],
                m[12] - g[2] * u[3],
                m[13] - g[2] * u[4],
                m[14] - g[2] * u[5],
                m[15] - g[3] * u[3],
                m[16] - g[3] * u[4],
                m[17] - g[3] * u[5],
                m[18] - g[4] * u[4],
                m[19] - g[4] * u[5],
                m[20] - g[5] * u[5],
            )
            if knitted:
                _eliminate_knot(room, first, variable, inverse)
        if tree.parent[body] >= 0:
            above = room.total[tree.parent[body]]
            for i in range(_TURNING):
                above[i] += m[i]
            above[_TURNING] += turning
            above[_MOVING] += moving
    return positive


@kernel
def _triangle_at(m: Floats) -> tuple[float, ...]:
    """The 21 numbers of an upper triangle, out of memory."""
    return (
        m[0],
        m[1],
        m[2],
        m[3],
        m[4],
        m[5],
        m[6],
        m[7],
        m[8],
        m[9],
        m[10],
        m[11],
        m[12],
        m[13],
        m[14],
        m[15],
        m[16],
        m[17],
        m[18],
        m[19],
        m[20],
    )


@kernel
def _restore(tree: TreeArrays, room: Articulated) -> None:
    """What elimination works on, as it is before it."""
    for body in range(room.own.shape[0]):  # slices are copied with a counted reference, which inner kernels do without
        for i in range(_WIDTH):
            room.total[body, i] = room.own[body, i]
    for variable in range(room.knot.shape[0]):
        if room.knitted[tree.body[variable]] != 0:
            for i in range(6):
                room.knot[variable, i] = room.knit[variable, i]
                room.lift[variable, i] = room.tie[variable, i] = 0.0


@kernel
def _eliminate_knot(room: Articulated, first: int, variable: int, inverse: float) -> None:
    """What eliminating a variable j with terms e within its joint leaves for the others i, k of it.

    H_ij = a_i + e_i with a_i = s_i · product. Of H_ij H_kj / d, a_i a_k / d is taken from the inertia. e_i a_k / d is
    taken from the product of i, since k may be any variable above, and e_k (a_i + e_i) / d from the terms themselves.
    """
    e, gain, tie = room.knot[variable], room.gain[variable], room.tie[variable]
    for i in range(variable - first):
        slope = e[i] * inverse
        for k in range(6):
            slope += room.axis[first + i, k] * gain[k]
        for k in range(i + 1):
            room.knot[first + i, k] -= e[k] * slope
        for k in range(6):
            room.lift[first + i, k] -= e[i] * gain[k]
        tie[i] = e[i] * inverse


@relaxed_kernel
def _sweep_up(tree: TreeArrays, free: Bools, room: Articulated, right: Floats) -> None:
    """From the leaves to the roots: eqs 70, 74, with p^A = -force."""
    room.force[:] = 0.0
    for i in range(right.shape[0]):
        room.u[i] = right[i]
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        force, first = room.force[body], tree.first[body]
        a, b, c, d, e, f = force[0], force[1], force[2], force[3], force[4], force[5]
        for variable in range(first + tree.freedom[body] - 1, first - 1, -1):
            if not free[variable]:
                continue
            s, gain = room.axis[variable], room.gain[variable]
            u = room.u[variable] + ((s[0] * a + s[1] * b) + (s[2] * c + s[3] * d) + (s[4] * e + s[5] * f))
            a, b, c = a - gain[0] * u, b - gain[1] * u, c - gain[2] * u
            d, e, f = d - gain[3] * u, e - gain[4] * u, f - gain[5] * u
            pivot = room.pivot[variable]
            room.u[variable], room.value[variable] = u, u / pivot if pivot > 0.0 else 0.0
            if room.knitted[body] != 0:
                for i in range(variable - first):
                    room.u[first + i] -= room.tie[variable, i] * u
        parent = tree.parent[body]
        if parent >= 0:
            above = room.force[parent]
            above[0], above[1], above[2] = above[0] + a, above[1] + b, above[2] + c
            above[3], above[4], above[5] = above[3] + d, above[4] + e, above[5] + f


@relaxed_kernel
def sweep_down(tree: TreeArrays, free: Bools, room: Articulated, step: Floats) -> None:
    """From the roots to the leaves: eqs 75, 76."""
    for body in range(tree.parent.shape[0]):
        parent, twist, first = tree.parent[body], room.twist[body], tree.first[body]
        a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if parent >= 0:
            above = room.twist[parent]
            a, b, c, d, e, f = above[0], above[1], above[2], above[3], above[4], above[5]
        for variable in range(first, first + tree.freedom[body]):
            step[variable] = 0.0
            if free[variable]:
                s, gain = room.axis[variable], room.gain[variable]
                used = (gain[0] * a + gain[1] * b) + (gain[2] * c + gain[3] * d) + (gain[4] * e + gain[5] * f)
                if room.knitted[body] != 0:
                    for i in range(variable - first):
                        used += room.tie[variable, i] * step[first + i]
                x = room.value[variable] - used
                step[variable] = x
                a, b, c = a + s[0] * x, b + s[1] * x, c + s[2] * x
                d, e, f = d + s[3] * x, e + s[4] * x, f + s[5] * x
        twist[0], twist[1], twist[2], twist[3], twist[4], twist[5] = a, b, c, d, e, f


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
        parent, first = tree.parent[body], tree.first[body]
        for i in range(6):
            twist[body, i] = twist[parent, i] if parent >= 0 else 0.0
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
            if room.knitted[body] != 0:
                out[j] += room.knit[j, j - first] * x[j]
                for i in range(j - first):
                    out[j] += room.knit[j, i] * x[first + i]
                    out[first + i] += room.knit[j, i] * x[j]
        for i in range(6 if parent >= 0 else 0):
            force[parent, i] += force[body, i]
