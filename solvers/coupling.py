"""Rows that pull on several bodies or variables (loops, wires, centre of mass, joint functions) in the O(N) step.

The sweep over the tree has factored its matrix as Lᵀ D L. A coupled row adds w jᵀj, which is Lᵀ (y yᵀ) L with
Lᵀ y = √w jᵀ: one more sweep for each row, then k updates of rank one to a diagonal matrix. Each is exact and stable
(Gill, Golub, Murray & Saunders 1974, method C1): only positive terms are added, so variables that nothing but a
coupled row pulls on may have no damping at all. Woodbury's formula would divide by their pivots: by zero, or by a small
damping at the price of as many digits. Costs O(k² N).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import kernel
from .goals.tables import GoalArrays, Values
from .kinematics import Ints, TreeArrays
from .rotation import Floats, cross, vector_at

Bools = NDArray[np.bool_]


class Coupling(NamedTuple):
    """Room for the coupled rows. B bodies, V variables, M rows, T taps, K rows with more than one tap at most."""

    taps: Ints  # [M], how many taps each row has
    slot: Ints  # [M], the row's place below if it has several taps
    column: Ints  # [K], its column in what follows, -1 if all its taps are on one body
    body: Ints  # [K], that body, -1 for a row that is coupled
    pull: Floats  # [K, 6], the sum of its taps on that body
    counts: Ints  # [3]: rows with several taps, coupled rows k, taps of rows with several
    tap: Ints  # [T], those taps
    force: Floats  # [B, 6, K], what the coupled rows pull on each body with
    reduced: Floats  # [V, K]: y of each coupled row
    share: Floats  # [V, K], β of method C1
    grown: Floats  # [V], D with all rows in it
    sums: Floats  # [K, K], running sums of the triangular solves
    change: Floats  # [K], how a step changes each coupled row
    strength: Floats  # [K], α of method C1: how much of a row is not yet used up


def new_coupling(bodies: int, variables: int, rows: int, taps: int, coupled: int) -> Coupling:
    """Room for `coupled` rows with more than one tap."""
    some = 1 if coupled > 0 else 0
    return Coupling(
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(coupled, np.int64),
        np.zeros(coupled, np.int64),
        np.zeros((coupled, 6)),
        np.zeros(3, np.int64),
        np.zeros(taps * some, np.int64),
        np.zeros((bodies * some, 6, coupled)),
        np.zeros((variables * some, coupled)),
        np.zeros((variables * some, coupled)),
        np.zeros(variables * some),
        np.zeros((coupled, coupled)),
        np.zeros(coupled),
        np.zeros(coupled),
    )


def most_coupled(goals: GoalArrays) -> int:
    """A bound on the rows with more than one tap: each takes two; a goal with as many taps as rows has none."""
    rows, taps = np.diff(goals.row), np.diff(goals.tap)
    return int(np.where(taps > rows, np.minimum(rows, taps // 2), 0).sum())


@kernel
def find_coupled(goals: GoalArrays, values: Values, room: Coupling) -> None:
    """List the rows with several taps, with their taps; those on one body alone are set apart."""
    room.counts[:] = 0
    room.taps[:] = 0
    for tap in range(values.tap_row.shape[0]):
        if values.tap_row[tap] >= 0:
            room.taps[values.tap_row[tap]] += 1
    for row in range(room.taps.shape[0]):
        room.slot[row] = -1
        if room.taps[row] > 1 and goals.weight[row] > 0.0:
            slot = room.counts[0]
            if slot >= room.column.shape[0]:
                raise IndexError("a goal with no more taps than rows left two taps in one row")
            room.slot[row], room.body[slot] = slot, -2
            room.pull[slot] = 0.0
            room.counts[0] += 1
    for tap in range(values.tap_row.shape[0]):
        row, body = values.tap_row[tap], values.tap_body[tap]
        if row < 0 or room.slot[row] < 0:
            continue
        slot = room.slot[row]
        room.body[slot] = body if room.body[slot] == -2 or room.body[slot] == body else -1
        room.tap[room.counts[2]] = tap
        room.counts[2] += 1
    for slot in range(room.counts[0]):
        room.column[slot] = -1
        if room.body[slot] < 0:
            room.column[slot] = room.counts[1]
            room.counts[1] += 1


@kernel
def spread_coupled(goals: GoalArrays, values: Values, centre: Floats, room: Coupling) -> None:
    """Every coupled row's √w jᵀ: forces on bodies about `centre` [3], and what pulls on variables."""
    room.force[:] = 0.0
    room.reduced[:] = 0.0
    x, y, z = centre
    for place in range(room.counts[2]):
        tap = room.tap[place]
        row, body, g = values.tap_row[tap], values.tap_body[tap], values.tap[tap]
        column = room.column[room.slot[row]]
        if column < 0:
            continue
        root = math.sqrt(goals.weight[row])
        if body < 0:
            room.reduced[values.tap_variable[tap], column] += root * g[0]
            continue
        room.force[body, 0, column] += root * (g[0] - y * g[5] + z * g[4])
        room.force[body, 1, column] += root * (g[1] - z * g[3] + x * g[5])
        room.force[body, 2, column] += root * (g[2] - x * g[4] + y * g[3])
        for i in range(3, 6):
            room.force[body, i, column] += root * g[i]


@kernel
def reduce_coupled(tree: TreeArrays, hung: Floats, axis: Floats, gain: Floats, low: Floats, room: Coupling) -> None:
    """Solve Lᵀ y = √w jᵀ for every row that was spread: the sweep from the leaves to the roots, with its gains.

    `hung` [B, 3], `axis`, `gain` and `low` [V, 6] are those of the sweep; the last two are zero for a frozen variable.
    """
    count = room.counts[1]
    for body in range(tree.parent.shape[0] - 1, -1, -1):
        force = room.force[body]
        for variable in range(tree.first[body] + tree.freedom[body] - 1, tree.first[body] - 1, -1):
            reduced = room.reduced[variable]
            for i in range(6):
                for column in range(count):
                    reduced[column] += axis[variable, i] * force[i, column]
            for before in range(variable - tree.first[body]):
                for column in range(count):
                    room.reduced[tree.first[body] + before, column] -= low[variable, before] * reduced[column]
        for variable in range(tree.first[body], tree.first[body] + tree.freedom[body]):
            for i in range(6):
                for column in range(count):
                    force[i, column] -= gain[variable, i] * room.reduced[variable, column]
        if tree.parent[body] >= 0:
            _hand_on(tree, hung, body, room)


@kernel
def _hand_on(tree: TreeArrays, hung: Floats, body: int, room: Coupling) -> None:
    """Add the forces on a body to those on its parent."""
    force, above, count = room.force[body], room.force[tree.parent[body]], room.counts[1]
    if tree.steady[body] != 0:
        for column in range(count):
            moment = cross(vector_at(hung, body), (force[3, column], force[4, column], force[5, column]))
            force[0, column], force[1, column], force[2, column] = moment
    for i in range(6):
        for column in range(count):
            above[i, column] += force[i, column]


@kernel
def factor_coupled(free: Bools, pivot: Floats, noise: Floats, room: Coupling) -> None:
    """Factor D + Σ y yᵀ over the free variables; D is `pivot` [V]. A pivot within `noise` [V] counts as zero."""
    count = room.counts[1]
    room.sums[:] = 0.0
    room.strength[:] = 1.0
    for variable in range(pivot.shape[0] - 1, -1, -1):
        if not free[variable]:
            continue
        y, d = room.reduced[variable], pivot[variable]
        for row in range(count):
            grown = d + room.strength[row] * y[row] * y[row]
            share = 0.0
            if grown > noise[variable]:
                share = room.strength[row] * y[row] / grown
                room.strength[row] *= d / grown
                d = grown
            room.share[variable, row] = share
            for column in range(row + 1, count):
                y[column] -= y[row] * room.sums[row, column]
                room.sums[row, column] += share * y[column]
        room.grown[variable] = d if d > noise[variable] else 0.0


@kernel
def solve_coupled(free: Bools, u: Floats, room: Coupling, value: Floats) -> None:
    """Solve (D + Σ y yᵀ) x = u, as factored: `value` [V] gets x, zero where the pivot counts as zero."""
    count, sums = room.counts[1], room.strength
    sums[:] = 0.0
    for variable in range(u.shape[0] - 1, -1, -1):
        if not free[variable]:
            continue
        x = u[variable]
        for row in range(count):
            x -= room.reduced[variable, row] * sums[row]
            sums[row] += room.share[variable, row] * x
        value[variable] = x / room.grown[variable] if room.grown[variable] > 0.0 else 0.0
    sums[:] = 0.0
    for variable in range(u.shape[0]):
        if not free[variable]:
            continue
        x = value[variable]
        for row in range(count - 1, -1, -1):
            x -= room.share[variable, row] * sums[row]
            sums[row] += room.reduced[variable, row] * x
        value[variable] = x


@kernel
def times_coupled(
    goals: GoalArrays,
    values: Values,
    centre: Floats,
    room: Coupling,
    x: Floats,
    twist: Floats,
    force: Floats,
    out: Floats,
) -> None:
    """Add Σ w jᵀj x of the coupled rows: to `out` [V] what pulls on variables, to `force` [B, 6] what on bodies.

    `twist` [B, 6] is how each body moves with `x` [V]; both are about `centre` [3].
    """
    room.change[:] = 0.0
    for turn in range(2):
        for place in range(room.counts[2]):
            tap = room.tap[place]
            row, body, g = values.tap_row[tap], values.tap_body[tap], values.tap[tap]
            column = room.column[room.slot[row]]
            if column < 0:
                continue
            pull = goals.weight[row] * room.change[column]
            moment = (
                g[0] - centre[1] * g[5] + centre[2] * g[4],
                g[1] - centre[2] * g[3] + centre[0] * g[5],
                g[2] - centre[0] * g[4] + centre[1] * g[3],
            )
            if body < 0 and turn == 0:
                room.change[column] += g[0] * x[values.tap_variable[tap]]
            elif body < 0:
                out[values.tap_variable[tap]] += pull * g[0]
            for i in range(3 if body >= 0 else 0):
                if turn == 0:
                    room.change[column] += moment[i] * twist[body, i] + g[3 + i] * twist[body, 3 + i]
                else:
                    force[body, i] += pull * moment[i]
                    force[body, 3 + i] += pull * g[3 + i]
