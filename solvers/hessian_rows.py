"""What rows add to the second derivative by their slopes alone: w jᵀj, where j is the row of the Jacobian.

A row on one body is inertia of that body, w g gᵀ, which the sweep of `hessian` takes to all variables above. A row on
several bodies (loops, wires, centre of mass) is no body's own: it gets its w jᵀj entry by entry. And it lets variables
know of one another that are on different branches: `above` says so, or the factor would not have those entries.

`coupling` is about the same rows where there is no matrix.
"""

from ..compiled import kernel
from .evaluation import Evaluation
from .hessian_room import FORCE, HessianRoom
from .kinematics import Ints
from .rotation import Floats, Vector, cross, vector_at

_ROUNDING = 64 * 2.2e-16  # of what came together: less than this is taken for nothing


@kernel
def add_tap(
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
            room.body[body, FORCE + i] += pull[row] * moved[i]
    if alone:
        for i in range(6):
            for j in range(6):
                room.body[body, 6 * i + j] += weight * moved[i] * moved[j]


@kernel
def add_coupled_row(problem: Evaluation, goal: int, row: int, weight: float, room: HessianRoom, centre: Vector) -> None:
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
