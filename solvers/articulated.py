"""The Levenberg–Marquardt step in O(N), by the articulated-body algorithm (LM-PFD, eqs 17–22 and appendix A).

(Jᵀ W J + diag(damping)) dq = -gradient is the equation of motion of a tree whose bodies have the virtual inertia
Σ w g gᵀ of the rows that pull on them (17): no Jacobian, no matrix. One sweep from the leaves to the roots eliminates
one variable after the other, one sweep back gives their steps. Since every twist is in the tree's axes and about one
point, the transforms X of (69)–(76) are all the identity and the D of (73) are plain numbers.

That one point is the middle of the bodies, not the tree's origin: inertia grows with the square of the distance, and
1 km away from it six digits would go.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import kernel, relaxed_kernel
from .coupling import Bools, Coupling, find_coupled, most_coupled, new_coupling, reduce_coupled, solve_coupled
from .evaluation import Evaluation
from .kinematics import PoseArrays, TreeArrays
from .rotation import Floats

# A body's row of numbers: the upper triangle of its inertia, row by row [21], the force on it [6], then how large the
# diagonal of its inertia would be if nothing had been eliminated: turning, moving.
_FORCE, TURNING, _MOVING, _WIDTH = 21, 27, 28, 29

# A pivot within 32 roundings of what it was subtracted from is nothing but rounding. Below 1e-150 its inverse overflows
# when it is squared.
_ROUNDING, _LEAST = 32 * 2.2e-16, 1e-150


class Articulated(NamedTuple):
    """Room for the step. B bodies, V variables."""

    centre: Floats  # [3], the point that all twists and forces here are about
    axis: Floats  # [V, 6], twist of each variable about it
    own: Floats  # [B, 29], a body's virtual inertia
    total: Floats  # [B, 29], the same with what its children hand on: the articulated-body inertia
    diagonal: Floats  # [V], inertia of the variables themselves, from taps on one variable
    size: Floats  # [V], the same with the taps of coupled rows
    gain: Floats  # [V, 6], U / d of (72), (73); zero for a variable that does not move
    pivot: Floats  # [V], d of (73)
    noise: Floats  # [V], a pivot not above this counts as zero
    u: Floats  # [V], u of (74)
    value: Floats  # [V], the step if the parent stood still
    twist: Floats  # [B, 6], ν of (76)
    coupling: Coupling


def new_articulated(problem: Evaluation, coupled: int | None = None) -> Articulated:
    """Room for the step of a problem, for as many `coupled` rows (those with several taps) as its goals may have."""
    bodies, variables = problem.pose.position.shape[0], problem.pose.axis.shape[0]
    rows, taps = problem.values.residual.shape[0], problem.values.tap_row.shape[0]
    most = most_coupled(problem.goals) if coupled is None else coupled
    return Articulated(
        centre=np.zeros(3),
        axis=np.zeros((variables, 6)),
        own=np.zeros((bodies, _WIDTH)),
        total=np.zeros((bodies, _WIDTH)),
        diagonal=np.zeros(variables),
        size=np.zeros(variables),
        gain=np.zeros((variables, 6)),
        pivot=np.zeros(variables),
        noise=np.zeros(variables),
        u=np.zeros(variables),
        value=np.zeros(variables),
        twist=np.zeros((bodies, 6)),
        coupling=new_coupling(bodies, variables, rows, taps, most),
    )


@kernel
def gather_inertia(problem: Evaluation, room: Articulated) -> None:
    """Turn the rows at the pose that was evaluated last into virtual inertia: once a pose, for any damping."""
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
    """Add inertia · g gᵀ to a body's numbers [29], with g moved from the origin to `centre`."""
    x, y, z = centre[0], centre[1], centre[2]
    moved = (g[0] - y * g[5] + z * g[4], g[1] - z * g[3] + x * g[5], g[2] - x * g[4] + y * g[3], g[3], g[4], g[5])
    place = 0
    for i in range(6):
        for j in range(i, 6):
            body[place] += inertia * moved[i] * moved[j]
            place += 1
    for i in range(3):
        body[TURNING] += size * moved[i] * moved[i]
        body[_MOVING] += size * moved[3 + i] * moved[3 + i]


@kernel
def articulated_step(
    problem: Evaluation, gradient: Floats, damping: Floats, free: Bools, room: Articulated, step: Floats
) -> None:
    """Solve (Jᵀ W J + diag(damping)) step = -gradient over the free variables, at the pose last gathered.

    All but the problem and the room are [V]; damping is zero or more. A variable that is not `free` gets exactly zero,
    and so does one whose pivot is nothing but rounding: no damping, and no pull that the variables below it have not
    used up. A gradient of these same rows has nothing to say there.
    """
    _sweep_up(problem.tree, gradient, damping, free, room)
    if room.coupling.counts[1] > 0:
        values, goals = problem.values, problem.goals
        reduce_coupled(problem.tree, goals, values, room.centre, room.axis, room.gain, room.coupling)
        solve_coupled(free, room.pivot, room.noise, room.u, room.coupling, room.value)
    _sweep_down(problem.tree, free, room, step)


@relaxed_kernel
def _sweep_up(tree: TreeArrays, gradient: Floats, damping: Floats, free: Bools, room: Articulated) -> None:
    """From the leaves to the roots: eqs 69, 70, 72–74, with p^A = -force, one variable at a time.

    Written out, in one piece: 40 ns a variable; with a function for the inside of the loop, which LLVM does not inline,
    61 ns.
    """
    for body in range(room.own.shape[0]):  # slices are copied with a counted reference, which inner kernels do without
        for i in range(_WIDTH):
            room.total[body, i] = room.own[body, i]
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        m = room.total[body]
        for variable in range(tree.first[body] + tree.freedom[body] - 1, tree.first[body] - 1, -1):
            axis, gain = room.axis[variable], room.gain[variable]
            if not free[variable]:
                gain[:] = 0.0
                continue
            a, b, c, d, e, f = axis[0], axis[1], axis[2], axis[3], axis[4], axis[5]
            product = (
                m[0] * a + m[1] * b + m[2] * c + m[3] * d + m[4] * e + m[5] * f,
                m[1] * a + m[6] * b + m[7] * c + m[8] * d + m[9] * e + m[10] * f,
                m[2] * a + m[7] * b + m[11] * c + m[12] * d + m[13] * e + m[14] * f,
                m[3] * a + m[8] * b + m[12] * c + m[15] * d + m[16] * e + m[17] * f,
                m[4] * a + m[9] * b + m[13] * c + m[16] * d + m[18] * e + m[19] * f,
                m[5] * a + m[10] * b + m[14] * c + m[17] * d + m[19] * e + m[20] * f,
            )
            pivot, u = damping[variable] + room.diagonal[variable], -gradient[variable]
            for i in range(6):
                pivot += axis[i] * product[i]
                u += axis[i] * m[_FORCE + i]
            # |g · s|² summed over the rows is at most this; the rounding errors of the inertia are in proportion to it.
            size = 2.0 * ((a * a + b * b + c * c) * m[TURNING] + (d * d + e * e + f * f) * m[_MOVING])
            noise = _ROUNDING * (size + room.size[variable]) + _LEAST
            room.noise[variable], room.u[variable] = noise, u
            if not pivot > noise:
                room.pivot[variable], room.value[variable] = 0.0, 0.0
                gain[:] = 0.0
                continue
            inverse = 1.0 / pivot
            room.pivot[variable], room.value[variable] = pivot, u * inverse
            place = 0
            for i in range(6):
                scaled = product[i] * inverse
                gain[i] = scaled
                m[_FORCE + i] -= scaled * u
                for j in range(i, 6):
                    m[place] -= scaled * product[j]
                    place += 1
        parent = tree.parent[body]
        if parent >= 0:
            for i in range(_WIDTH):
                room.total[parent, i] += m[i]


@relaxed_kernel
def _sweep_down(tree: TreeArrays, free: Bools, room: Articulated, step: Floats) -> None:
    """From the roots to the leaves: eqs 75, 76."""
    for body in range(tree.parent.shape[0]):
        parent, twist = tree.parent[body], room.twist[body]
        a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if parent >= 0:
            above = room.twist[parent]
            a, b, c, d, e, f = above[0], above[1], above[2], above[3], above[4], above[5]
        for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            step[variable] = 0.0
            if free[variable]:
                s, gain = room.axis[variable], room.gain[variable]
                used = gain[0] * a + gain[1] * b + gain[2] * c + gain[3] * d + gain[4] * e + gain[5] * f
                x = room.value[variable] - used
                a, b, c = a + s[0] * x, b + s[1] * x, c + s[2] * x
                d, e, f = d + s[3] * x, e + s[4] * x, f + s[5] * x
                step[variable] = x
        twist[0], twist[1], twist[2], twist[3], twist[4], twist[5] = a, b, c, d, e, f
