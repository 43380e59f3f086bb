"""The cost's second derivative H = JᵀWJ + C, for solvers that take Newton's step: O(V · depth), with no Jacobian.

The rows pull on a body with a wrench F, and through it on the variable i, of twist s_i, with s_i · F. So
H_ij = ∂_j (s_i · F) = s_i · A s_j + F · ∂_j s_i. A = Σ w g gᵀ + K is how the pull changes as the body moves: the
virtual inertia of the rows g, and K, which the goals know (`goals.bend`). As inertia does, A adds up from the leaves to
the root (the composite rigid bodies of Walker and Orin), from a `steady` body as a point of its parent. A twist changes
only with variables above it, or of its own joint (`joint_curvature`); since H is symmetric, those above need not be
asked.

All twists and pulls are about the middle of the bodies: about the tree's origin, 1 km away, six digits would go.
Rows on several bodies get their w jᵀj entry by entry, and join the branches that they run across. Of these only wires
and distances know how their pull changes. 155 variables with 338 wires, a third of them taut, take 0.2 ms an
iteration in all.
"""

import math
from typing import NamedTuple

import numpy as np

from ..compiled import kernel, relaxed_kernel
from .evaluation import Evaluation
from .goals.bend import bend
from .goals.distance import Distance, Touch, touch
from .goals.tables import bend_point
from .goals.wire import NEAR, WIRE_STRIDE, Wire, wire_point
from .joint_curvature import swing_axis_rates, vector_axis_rate
from .kinematics import EULER, VECTOR, Ints, PoseArrays, TreeArrays, euler_order
from .rotation import Floats, Vector, conjugate, cross, dot, multiply, quaternion_at, rotate, vector_at
from .steady import find_hung

_FORCE, _WIDTH = 36, 42  # a body's numbers: A row by row, then the pull on it
_ROUNDING = 64 * 2.2e-16  # of what came together: less than this is taken for nothing
WIRE, DISTANCE = Wire.kind, Distance.kind
FLAT = 1e-9  # slope of a distance's residual: less pushes nothing
PARALLEL = 1e-4  # squared sine between segments, below which only one nearest point is let slide


class HessianRoom(NamedTuple):
    """Room for the second derivative. B bodies, V variables."""

    matrix: Floats  # [V, V], in its lower half
    above: Ints  # [V], the last variable before each whose entry with it may not be zero; -1 if there is none
    axis: Floats  # [V, 6], twist of each variable about the bodies' middle
    hung: Floats  # [B, 3], the point that a steady body hangs on, about the same
    body: Floats  # [B, 42]
    wrench: Floats  # [B, 6], the pull on it and on those below it
    knit: Floats  # [V, 6], what `bend_joints` says
    held: Ints  # [B], one more than the row of `body` that has what pulls on it and those below; 0 if nothing does
    tug: Floats  # [B, 7], what a coupled row pulls on each body with, and how large it was; zero between rows
    row: Floats  # [V], a coupled row of the Jacobian; zero between rows
    entry: Ints  # [V], where it is not zero
    side: Floats  # [V, 7], what `_bend_piece` says


def new_hessian_room(bodies: int, variables: int) -> HessianRoom:
    """Room for the second derivative of a problem."""
    return HessianRoom(
        np.zeros((variables, variables)),
        np.zeros(variables, np.int64),
        np.zeros((variables, 6)),
        np.zeros((bodies, 3)),
        np.zeros((bodies, _WIDTH)),
        np.zeros((bodies, 6)),
        np.zeros((variables, 6)),
        np.zeros(bodies, np.int64),
        np.zeros((bodies, 7)),
        np.zeros(variables),
        np.zeros(variables, np.int64),
        np.zeros((variables, 7)),
    )


@kernel
def hessian_here(problem: Evaluation, q: Floats, pull: Floats, bent: bool, room: HessianRoom) -> None:
    """Fill the matrix at `q` [V], which was evaluated last, with rows that pull with `pull` [M].

    With w r for it this is the second derivative; if it is not `bent`, JᵀWJ alone.
    """
    for k in range(room.matrix.shape[0]):
        room.matrix[k, : k + 1] = 0.0
    room.body[:] = 0.0
    room.held[:] = 0
    centre = _middle(problem.pose.position)
    for variable in range(room.axis.shape[0]):
        s, axis = problem.pose.axis[variable], room.axis[variable]
        angular = (s[0], s[1], s[2])
        moved = cross(angular, centre)
        for i in range(3):
            axis[i], axis[3 + i] = angular[i], s[3 + i] + moved[i]
    find_hung(problem.tree, problem.pose, centre, room.hung)
    _find_above(problem.tree, room.above)
    _gather(problem, pull, bent, room, centre)
    _sweep(problem.tree, room)
    if bent:
        for body in range(room.body.shape[0]):
            for i in range(6):
                room.wrench[body, i] = room.body[room.held[body] - 1, _FORCE + i] if room.held[body] > 0 else 0.0
        bend_joints(problem.tree, problem.pose, q, room.axis, room.wrench, centre, room.knit)
        for j in range(room.matrix.shape[0]):
            first = problem.tree.first[problem.tree.body[j]]
            for i in range(first, j + 1):
                room.matrix[j, i] += room.knit[j, i - first]


@kernel
def _middle(position: Floats) -> Vector:
    x, y, z = 0.0, 0.0, 0.0
    for body in range(position.shape[0]):
        x += position[body, 0]
        y += position[body, 1]
        z += position[body, 2]
    scale = 1.0 / max(position.shape[0], 1)
    return scale * x, scale * y, scale * z


@kernel
def _gather(problem: Evaluation, pull: Floats, bent: bool, room: HessianRoom, centre: Vector) -> None:
    """What each goal adds to the bodies it pulls on."""
    goals = problem.goals
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] == 0:
            continue
        if goals.kind[goal] == DISTANCE:
            _add_distance(problem, goal, pull, bent, room, centre)
            continue
        pulls = bent and bend(goals, goal, problem.pose, pull, centre, room.body)
        several = goals.tap[goal + 1] - goals.tap[goal] > goals.row[goal + 1] - goals.row[goal]
        if several:
            for row in range(goals.row[goal], goals.row[goal + 1]):
                if goals.weight[row] > 0.0:
                    _add_coupled_row(problem, goal, row, goals.weight[row], room, centre)
        if bent and goals.kind[goal] == WIRE:
            _bend_wire(problem, goal, pull, room, centre)
            pulls = True
        if several and not pulls:
            continue
        for tap in range(goals.tap[goal], goals.tap[goal + 1]):
            if problem.values.tap_row[tap] >= 0:
                _add_tap(problem, tap, pull, room, centre, not several, pulls)


@kernel
def _add_tap(
    problem: Evaluation, tap: int, pull: Floats, room: HessianRoom, centre: Vector, alone: bool, bent: bool
) -> None:
    """The inertia w g gᵀ of a row's only tap and, of a goal that bends, its pull."""
    values = problem.values
    row, body, g = values.tap_row[tap], values.tap_body[tap], values.tap[tap]
    weight = problem.goals.weight[row]
    if body < 0:
        if alone:
            room.matrix[values.tap_variable[tap], values.tap_variable[tap]] += weight * g[0] * g[0]
        return
    room.held[body] = body + 1
    moment = cross(centre, (g[3], g[4], g[5]))
    moved = (g[0] - moment[0], g[1] - moment[1], g[2] - moment[2], g[3], g[4], g[5])
    if bent:
        for i in range(6):
            room.body[body, _FORCE + i] += pull[row] * moved[i]
    if alone:
        for i in range(6):
            for j in range(6):
                room.body[body, 6 * i + j] += weight * moved[i] * moved[j]


@kernel
def _add_coupled_row(
    problem: Evaluation, goal: int, row: int, weight: float, room: HessianRoom, centre: Vector
) -> None:
    """Add w jᵀj of a row with several taps, and make its variables known to one another."""
    count = _find_entries(problem, goal, row, room, centre)
    for a in range(count):
        i = room.entry[a]
        pull = weight * room.row[i]
        for b in range(a, count):
            room.matrix[i, room.entry[b]] += pull * room.row[room.entry[b]]
        if a > 0:
            join(room.above, room.entry[a - 1], i)
    for a in range(count):
        room.row[room.entry[a]] = 0.0


@kernel
def _find_entries(problem: Evaluation, goal: int, row: int, room: HessianRoom, centre: Vector) -> int:
    """List in room.entry where a row of the Jacobian is not zero, from the last on, with its values in room.row.

    What pulls on a body is handed on to its parent, up to where it is all in one place and in balance: a wire between
    a finger and the hand says nothing about the spine. With all entries up to the root a row costs ten times as much.
    """
    tree, values, tug = problem.tree, problem.values, room.tug
    count, places, last = 0, 0, -1
    for tap in range(problem.goals.tap[goal], problem.goals.tap[goal + 1]):
        if values.tap_row[tap] != row:
            continue
        body, g = values.tap_body[tap], values.tap[tap]
        if body < 0:
            count = _enter(room, count, values.tap_variable[tap], g[0])
            continue
        places, last = places + (1 if tug[body, 6] == 0.0 else 0), max(last, body)
        moment = cross(centre, (g[3], g[4], g[5]))
        for i in range(3):
            tug[body, i] += g[i] - moment[i]
            tug[body, 3 + i] += g[3 + i]
            tug[body, 6] += abs(g[i]) + abs(moment[i]) + abs(g[3 + i])
    for body in range(last, -1, -1):
        pull, parent = tug[body], tree.parent[body]
        if pull[6] == 0.0:
            continue
        if places == 1 and _balanced(pull):
            pull[:] = 0.0
            break
        for variable in range(tree.first[body] + tree.freedom[body] - 1, tree.first[body] - 1, -1):
            slope = 0.0
            for i in range(6):
                slope += room.axis[variable, i] * pull[i]
            count = _enter(room, count, variable, slope)
        places -= 1 if parent < 0 or tug[parent, 6] > 0.0 else 0
        if tree.steady[body] != 0:
            at = vector_at(room.hung, body)
            pull[0], pull[1], pull[2] = cross(at, (pull[3], pull[4], pull[5]))
            pull[6] *= 1.0 + abs(at[0]) + abs(at[1]) + abs(at[2])
        for i in range(7 if parent >= 0 else 0):
            tug[parent, i] += pull[i]
        pull[:] = 0.0
    return count


@kernel
def _balanced(pull: Floats) -> bool:
    """Whether what came together [7] is nothing but rounding."""
    largest = 0.0
    for i in range(6):
        largest = max(largest, abs(pull[i]))
    return bool(largest <= _ROUNDING * pull[6])


@kernel
def _enter(room: HessianRoom, count: int, variable: int, slope: float) -> int:
    """Add to an entry of the row, and keep the list of entries in order. Returns how many there are."""
    place = count
    while place > 0 and room.entry[place - 1] < variable:
        place -= 1
    room.row[variable] += slope
    if place > 0 and room.entry[place - 1] == variable:
        return count
    for i in range(count, place, -1):
        room.entry[i] = room.entry[i - 1]
    room.entry[place] = variable
    return count + 1


@kernel
def join(above: Ints, low: int, high: int) -> None:
    """Have the variable `high` above `low`, which comes after it, by merging what is above the two.

    As in the elimination tree of a sparse matrix: what is above a variable then holds all that its row of the factor
    fills up to. Wires along a limb change nothing; one across to another branch puts the two in one line as far as
    they run together.
    """
    while high >= 0:
        while above[low] > high:
            low = above[low]
        if above[low] == high:
            return
        rest = above[low]
        above[low] = high
        low, high = high, rest


class Piece(NamedTuple):
    """A straight line from a point of one body to a point of another."""

    start: Vector
    end: Vector
    direction: Vector
    roundness: float  # one over its length; 0 where the direction is always the same


@kernel
def _bend_wire(problem: Evaluation, goal: int, pull: Floats, room: HessianRoom, centre: Vector) -> None:
    """Add how the pull of a taut wire turns as its points move: piece by piece between two bodies."""
    goals = problem.goals
    at, row = goals.pooled[goal], goals.row[goal]
    tension = pull[row]
    if not abs(tension) > 0.0:
        return
    body, point = wire_point(goals.pool, at, problem.pose)
    for i in range(1, goals.ints[goal, 0]):
        next_body, next_point = wire_point(goals.pool, at + WIRE_STRIDE * i, problem.pose)
        if next_body != body:
            from_here = (point[0] - centre[0], point[1] - centre[1], point[2] - centre[2])
            to_there = (next_point[0] - centre[0], next_point[1] - centre[1], next_point[2] - centre[2])
            d = (to_there[0] - from_here[0], to_there[1] - from_here[1], to_there[2] - from_here[2])
            size = math.sqrt(dot(d, d))
            if size > NEAR:
                u = (d[0] / size, d[1] / size, d[2] / size)
                piece = Piece(from_here, to_there, u, 1.0 / size)
                _bend_piece(problem.tree, body, next_body, piece, tension, room)
        body, point = next_body, next_point


@kernel
def _bend_piece(tree: TreeArrays, one: int, other: int, piece: Piece, tension: float, room: HessianRoom) -> int:
    """Add the tension times the second derivative of the length ℓ of a piece of wire between two bodies.

    With its direction u and Δ_i, how the variable i changes end - start, that is (Δ_i·Δ_j - (u·Δ_i)(u·Δ_j)) / ℓ and,
    if i is above j, u · (ω_i × Δ_j). Variables above both bodies move it as a whole: they do not count. Returns how
    many do: those in room.entry.

    Above a steady body an end moves as the point does that carries it. The second term is there in `_hang`, and
    variables above both bodies count, since they turn one end and not the other. In room.side are Δ_i, what of it comes
    from an end below no steady body, and which end that is: -1, 1 or, for none, 0.
    """
    start, end, u, roundness = piece
    count, start_turns, end_turns = 0, 1.0, 1.0
    while one != other or (one >= 0 and start_turns + end_turns < 2.0):
        low = max(one, other)
        by_start, by_end = -1.0 if one == low else 0.0, 1.0 if other == low else 0.0
        for i in range(tree.first[low] + tree.freedom[low] - 1, tree.first[low] - 1, -1):
            s = room.axis[i]
            turns = (s[0], s[1], s[2])
            at_start, at_end = cross(turns, start), cross(turns, end)
            for k in range(3):
                from_start, from_end = by_start * (at_start[k] + s[3 + k]), by_end * (at_end[k] + s[3 + k])
                room.side[count, k] = from_start + from_end
                room.side[count, 3 + k] = start_turns * from_start + end_turns * from_end
            room.side[count, 6], room.entry[count] = start_turns * by_start + end_turns * by_end, i
            count += 1
        if tree.steady[low] != 0:
            if one == other:  # from here on, one point carries both
                break
            if one == low:
                start, start_turns = vector_at(room.hung, low), 0.0
            else:
                end, end_turns = vector_at(room.hung, low), 0.0
        one, other = tree.parent[low] if one == low else one, tree.parent[low] if other == low else other
    for a in range(count):
        j, moved_j = room.entry[a], vector_at(room.side, a)
        along = dot(u, moved_j)
        if a > 0:  # where the row is zero, as for points in line, its curvature need not be
            join(room.above, room.entry[a - 1], j)
        for b in range(a, count):
            i, moved_i = room.entry[b], vector_at(room.side, b)
            value = (dot(moved_i, moved_j) - dot(u, moved_i) * along) * roundness
            if room.side[a, 6] == room.side[b, 6]:
                value += dot(u, cross(vector_at(room.axis, i), (room.side[a, 3], room.side[a, 4], room.side[a, 5])))
            room.matrix[j, i] += tension * value
    return count


@kernel
def _add_distance(problem: Evaluation, goal: int, pull: Floats, bent: bool, room: HessianRoom, centre: Vector) -> None:
    """Add w jᵀj of two things that push each other; and how the push changes as they come nearer, turn, and slide.

    The push is a piece of wire between the nearest points, with a tension below zero: off what is round it bends the
    cost down. As nearest points slide along segments, it does so less.
    """
    goals, values, row = problem.goals, problem.values, problem.goals.row[goal]
    first, last = goals.tap[goal], goals.tap[goal + 1]
    if not goals.weight[row] > 0.0 or (values.tap_row[first] < 0 and values.tap_row[last - 1] < 0):
        return
    pulls = bent and pull[row] > 0.0
    if not pulls:
        _add_coupled_row(problem, goal, row, goals.weight[row], room, centre)
        return
    there = touch(goals, goal, row, problem.pose)
    more = pull[row] * there.growth / (there.slope * there.slope) if there.slope > FLAT else 0.0
    _add_coupled_row(problem, goal, row, goals.weight[row] + more, room, centre)
    for tap in range(first, last):
        if values.tap_row[tap] >= 0:
            _add_tap(problem, tap, pull, room, centre, False, True)
    point, foot, tension = there.point, there.foot, -there.slope * pull[row]
    start = (foot[0] - centre[0], foot[1] - centre[1], foot[2] - centre[2])
    end = (point[0] - centre[0], point[1] - centre[1], point[2] - centre[2])
    piece = Piece(start, end, there.apart, there.roundness)
    count = _bend_piece(problem.tree, goals.ints[goal, 1], goals.ints[goal, 0], piece, tension, room)
    if there.roundness > 0.0:
        _let_slide(there, tension, count, room)


@kernel
def _let_slide(there: Touch, tension: float, count: int, room: HessianRoom) -> None:
    """Take away what nearest points that slide along a, of the end, and b, of the start, spare a piece in `room`.

    The length's slope along a is u · a = 0, which the variable i changes by s_i = (a · Δ_i) / ℓ + ω_i · (a × u), if the
    end turns with it. So the length's second derivative is less by s M⁻¹ sᵀ, with that along a and b itself for M.
    """
    u, a, b = there.apart, there.slide, there.other_slide
    alike = dot(a, b)
    both = dot(a, a) * dot(b, b)
    if both > 0.0 and both - alike * alike < PARALLEL:  # where they are nearest is anywhere along them
        b, alike = (0.0, 0.0, 0.0), 0.0
    spread, a_turns, b_turns = 1.0 / (there.roundness * (1.0 - alike * alike)), cross(a, u), cross(b, u)
    for place in range(count):
        moved, turns, side = vector_at(room.side, place), vector_at(room.axis, room.entry[place]), room.side[place, 6]
        room.side[place, 3] = there.roundness * dot(a, moved) + (dot(turns, a_turns) if side > 0.0 else 0.0)
        room.side[place, 4] = -there.roundness * dot(b, moved) - (dot(turns, b_turns) if side < 0.0 else 0.0)
    for i in range(count):
        s, t = room.side[i, 3], room.side[i, 4]
        by_s, by_t = tension * spread * (s + alike * t), tension * spread * (t + alike * s)
        for j in range(i, count):
            room.matrix[room.entry[i], room.entry[j]] -= by_s * room.side[j, 3] + by_t * room.side[j, 4]


@relaxed_kernel
def _sweep(tree: TreeArrays, room: HessianRoom) -> None:
    """Add s_i · A s_j, from the leaves to the roots, for every variable j and those i of its own joint and above.

    A body that nothing but one below pulls on shares its row: copying it up an arm took a third of the sweep.
    """
    matrix, axis = room.matrix, room.axis
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        if room.held[body] == 0:
            continue
        m = room.body[room.held[body] - 1]
        for j in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            s = axis[j]
            y0 = m[0] * s[0] + m[1] * s[1] + m[2] * s[2] + m[3] * s[3] + m[4] * s[4] + m[5] * s[5]
            y1 = m[6] * s[0] + m[7] * s[1] + m[8] * s[2] + m[9] * s[3] + m[10] * s[4] + m[11] * s[5]
            y2 = m[12] * s[0] + m[13] * s[1] + m[14] * s[2] + m[15] * s[3] + m[16] * s[4] + m[17] * s[5]
            y3 = m[18] * s[0] + m[19] * s[1] + m[20] * s[2] + m[21] * s[3] + m[22] * s[4] + m[23] * s[5]
            y4 = m[24] * s[0] + m[25] * s[1] + m[26] * s[2] + m[27] * s[3] + m[28] * s[4] + m[29] * s[5]
            y5 = m[30] * s[0] + m[31] * s[1] + m[32] * s[2] + m[33] * s[3] + m[34] * s[4] + m[35] * s[5]
            above, end = body, j + 1
            while above >= 0:
                for i in range(tree.first[above], end):
                    t = axis[i]
                    matrix[j, i] += t[0] * y0 + t[1] * y1 + t[2] * y2 + t[3] * y3 + t[4] * y4 + t[5] * y5
                if tree.steady[above] != 0:
                    y0, y1, y2 = cross(vector_at(room.hung, above), (y3, y4, y5))
                above = tree.parent[above]
                end = tree.first[above] + tree.freedom[above] if above >= 0 else 0
        parent = tree.parent[body]
        if parent < 0:
            continue
        steady = tree.steady[body] != 0
        if room.held[parent] == 0 and not steady:
            room.held[parent] = room.held[body]
            continue
        if room.held[parent] != parent + 1:  # two branches meet: from here on it has a row of its own
            for i in range(_WIDTH if room.held[parent] > 0 else 0):
                room.body[parent, i] = room.body[room.held[parent] - 1, i]
            room.held[parent] = parent + 1
        if steady:
            _hang(room.body, m, parent, vector_at(room.hung, body))
            continue
        for i in range(_WIDTH):
            room.body[parent, i] += m[i]


@kernel
def _hang(bodies: Floats, m: Floats, parent: int, h: Vector) -> None:
    """Add the numbers `m` [42] of a steady body that hangs on the point `h` to those of its parent: see `steady`.

    With D, the block of translation in A: [[h]× D [h]×ᵀ, [h]× D; D [h]×ᵀ, D], and how the force turns with h.
    """
    to = bodies[parent]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        at_j, at_k = 6 * (3 + j) + 3, 6 * (3 + k) + 3
        own = 6 * (3 + i)
        lower = cross(h, (m[own + 3], m[own + 4], m[own + 5]))
        across = (
            h[j] * m[at_k] - h[k] * m[at_j],
            h[j] * m[at_k + 1] - h[k] * m[at_j + 1],
            h[j] * m[at_k + 2] - h[k] * m[at_j + 2],
        )
        upper = cross(h, across)
        for c in range(3):
            to[6 * i + c] += upper[c]
            to[6 * i + 3 + c] += across[c]
            to[own + c] += lower[c]
            to[own + 3 + c] += m[own + 3 + c]
    force = (m[_FORCE + 3], m[_FORCE + 4], m[_FORCE + 5])
    moment = cross(h, force)
    for i in range(3):
        to[_FORCE + i] += moment[i]
        to[_FORCE + 3 + i] += force[i]
    bend_point(bodies, parent, h, force)


@kernel
def bend_joints(
    tree: TreeArrays, pose: PoseArrays, q: Floats, axis: Floats, wrench: Floats, centre: Vector, knit: Floats
) -> None:
    """Fill `knit` [V, 6] with F · ∂_j s_i for variables i ≤ j of each joint: j's row, at i's place in the joint.

    `wrench` [B, 6] is F, what pulls on each body and those below it; `axis` [V, 6] the twists; both about `centre`.
    Rotation comes after translation, so only that has any. Taking few arrays, for a reason: handed the whole problem,
    a joint took 0.3 µs instead of 0.12.
    """
    knit[:] = 0.0
    for body in range(tree.parent.shape[0]):
        kind, slot, first = tree.kind[body], tree.slot, tree.first[body]
        if kind < EULER or tree.freedom[body] == 0 or not _pulls(wrench[body]):
            continue
        force, at = wrench[body], pose.position[body]
        lever = cross((at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]), (force[3], force[4], force[5]))
        moment = (force[0] - lever[0], force[1] - lever[1], force[2] - lever[2])  # about the joint
        if kind == EULER:
            inner, middle, outer = euler_order(tree.order[body])
            one, two, three = slot[body, 3 + inner], slot[body, 3 + middle], slot[body, 3 + outer]
            _carry(knit, first, axis, two, one, moment)
            _carry(knit, first, axis, three, one, moment)
            _carry(knit, first, axis, three, two, moment)
            continue
        rest = quaternion_at(tree.rest_rotation, body)
        if tree.parent[body] >= 0 and tree.steady[body] == 0:
            rest = multiply(quaternion_at(pose.rotation, tree.parent[body]), rest)
        local = rotate(conjugate(rest), moment)
        x, y, z = slot[body, 3], slot[body, 4], slot[body, 5]
        if kind == VECTOR:  # none of its rotations is ever locked
            for b in range(3):
                for a in range(b + 1):
                    knit[x + b, x + a - first] += dot(local, vector_axis_rate((q[x], q[y], q[z]), a, b))
            continue
        value_x, value_z = q[x] if x >= 0 else tree.held[body, 3], q[z] if z >= 0 else tree.held[body, 5]
        by_xx, by_xz, by_zz = swing_axis_rates(kind, value_x, value_z, tree.reach, body)
        _add(knit, first, x, x, dot(local, by_xx))
        _add(knit, first, x, z, dot(local, by_xz))
        _add(knit, first, z, z, dot(local, by_zz))
        _carry(knit, first, axis, z, y, moment)


@kernel
def _pulls(wrench: Floats) -> bool:
    largest = 0.0
    for i in range(6):
        largest = max(largest, abs(wrench[i]))
    return largest > 0.0


@kernel
def _add(knit: Floats, first: int, i: int, j: int, value: float) -> None:
    """Add to the entry of two variables i ≤ j of a joint; -1 for one that is locked."""
    if i >= 0 and j >= 0:
        knit[j, i - first] += value


@kernel
def _carry(knit: Floats, first: int, axis: Floats, outer: int, inner: int, moment: Vector) -> None:
    """The variable `outer` carries the axis of `inner` along: ∂ω_inner = ω_outer × ω_inner.

    Where the outer one comes first, s_i · A s_j is all there is.
    """
    if outer > inner >= 0:
        turned = cross(vector_at(axis, outer), vector_at(axis, inner))
        knit[outer, inner - first] += dot(moment, turned)


@kernel
def _find_above(tree: TreeArrays, above: Ints) -> None:
    """Without coupled rows, variables on different branches know nothing of one another."""
    for body in range(tree.parent.shape[0]):
        before = tree.parent[body]
        while before >= 0 and tree.freedom[before] == 0:
            before = tree.parent[before]
        last = tree.first[before] + tree.freedom[before] - 1 if before >= 0 else -1
        for i in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            above[i] = i - 1 if i > tree.first[body] else last
