"""How the pull between two bodies turns as they move: along a wire, and between things that push each other.

Both are made of straight pieces from a point of one body to a point of another; a push is one with a tension below
zero. How its direction turns is no body's own, so it cannot be summed up the tree with the rest (`hessian`): each piece
adds its entries for all variables that move one end against the other.
"""

import math
from typing import NamedTuple

from ..compiled import kernel
from .evaluation import Evaluation
from .goals.distance import Touch, touch
from .goals.wire import NEAR, WIRE_STRIDE, wire_point
from .hessian_room import HessianRoom
from .hessian_rows import add_coupled_row, add_tap, join
from .kinematics import TreeArrays
from .rotation import Floats, Vector, cross, dot, vector_at

FLAT = 1e-9  # slope of a distance's residual: less pushes nothing
PARALLEL = 1e-4  # squared sine between segments, below which only one nearest point is let slide


class Piece(NamedTuple):
    """A straight line from a point of one body to a point of another."""

    start: Vector
    end: Vector
    direction: Vector
    roundness: float  # one over its length; 0 where the direction is always the same


@kernel
def bend_wire(problem: Evaluation, goal: int, pull: Floats, room: HessianRoom, centre: Vector) -> None:
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

    Above a steady body an end moves as the point does that carries it. The second term is there in `hessian._hang`, and
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
def add_distance(problem: Evaluation, goal: int, pull: Floats, bent: bool, room: HessianRoom, centre: Vector) -> None:
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
        add_coupled_row(problem, goal, row, goals.weight[row], room, centre)
        return
    there = touch(goals, goal, row, problem.pose)
    more = pull[row] * there.growth / (there.slope * there.slope) if there.slope > FLAT else 0.0
    add_coupled_row(problem, goal, row, goals.weight[row] + more, room, centre)
    for tap in range(first, last):
        if values.tap_row[tap] >= 0:
            add_tap(problem, tap, pull, room, centre, False, True)
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
