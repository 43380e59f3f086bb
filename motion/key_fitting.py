"""The best values and slopes of keys at given frames, by least squares, for all groups of a body at once.

Groups are laid one after the other, G groups of F frames are G · F rows, so that a sum over the frames between two keys
is a sum over a run of rows. Each row is played by the two keys around it, so the normal equations are small blocks
between neighbouring keys; conjugate gradients solve them in a few steps whatever the number of keys. Goals tie the
groups of a frame together: a turn that one bone has lost, another can make up for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..solvers.rotation import Floats
from .keys import hermite

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
COLUMNS = 4  # of every group; a group of three has zeros in the last
TIED = 1e-6  # of a frame's weight: how much a key's slope is drawn to that of the curve, where frames say little of it


@dataclass(frozen=True)
class Pull:
    """How the groups move goals, near the wanted motion.

    Attributes:
        groups: those that move any, as their places: P of them.
        moves: [F, P · COLUMNS, goals · 3], metres for each unit of a column.
        weights: [F, goals · 3], of the squares of metres.
    """

    groups: Ints
    moves: Floats
    weights: Floats

    def of(self, change: Floats) -> Floats:
        """How far goals move [F, goals · 3] with the groups' columns [G, F, COLUMNS]."""
        by_frame = change[self.groups].transpose(1, 0, 2).reshape(len(self.moves), 1, -1)
        return np.asarray(np.matmul(by_frame, self.moves)[:, 0])

    def back(self, force: Floats, groups: int) -> Floats:
        """The transpose: from goals [F, goals · 3] to columns [G, F, COLUMNS]."""
        found = np.zeros((groups, len(force), COLUMNS))
        parts = np.matmul(self.moves, force[:, :, None])[:, :, 0]
        found[self.groups] = parts.reshape(len(force), -1, COLUMNS).transpose(1, 0, 2)
        return found

    def stiffness(self, groups: int) -> Floats:
        """How much goals hold each row [G, F], on average of its columns."""
        found = np.zeros((groups, len(self.moves)))
        by_frame = np.matmul(self.moves**2, self.weights[:, :, None])[:, :, 0]
        found[self.groups] = by_frame.reshape(len(by_frame), -1, COLUMNS).mean(axis=2).T
        return found


_PAIRS = np.triu_indices(4)
_SYMMETRIC = np.zeros((4, 4), int)
_SYMMETRIC[_PAIRS] = _SYMMETRIC.T[_PAIRS] = np.arange(10)


class Spans:
    """Which keys play which row, and with what parts. `keyed` [G, F] says where keys are."""

    def __init__(self, keyed: Bools, times: Floats) -> None:
        groups, frames = self.shape = keyed.shape
        self.rows: Ints = np.flatnonzero(keyed)  # of the keys, [K]
        left: Ints = np.cumsum(keyed.ravel()) - 1
        single = np.repeat(keyed.sum(axis=1) == 1, frames)
        last = np.zeros(groups * frames, bool)
        last[frames - 1 :: frames] = True
        left[last & ~single] -= 1
        self.first: Ints = np.flatnonzero(np.diff(left, prepend=-1))  # the first row of each span
        self.span: Ints = np.cumsum(np.diff(left, prepend=-1) > 0) - 1  # of each row
        right = np.where(single, left, left + 1)
        self.ends = np.stack([left[self.first], right[self.first]], axis=1)  # the keys of each span, [spans, 2]
        at = np.tile(times, groups)
        start, end = at[self.rows[left]], at[self.rows[right]]
        self.length = length = np.where(single, 1.0, end - start)
        self.share = np.where(single, 0.0, (at - start) / length)
        parts = hermite(self.share)
        self.parts = np.stack([parts[0], length * parts[1], parts[2], length * parts[3]], axis=1)  # [rows, 4]
        # How far a key's slope reaches: the longer of its two spans.
        self.reach = np.zeros(len(self.rows))
        np.maximum.at(self.reach, self.ends.ravel(), np.repeat(length[self.first], 2))

    def play(self, coefficients: Floats) -> Floats:
        """Rows [G, F, COLUMNS] from the keys' values and slopes [K, 2, COLUMNS]."""
        return self._combined(self.parts, coefficients)

    def slopes(self, coefficients: Floats) -> Floats:
        """The slopes of what plays [G, F, COLUMNS]."""
        u, steep = self.share, 6.0 * self.share * (1.0 - self.share) / self.length
        parts = np.stack([-steep, (1.0 - u) * (1.0 - 3.0 * u), steep, u * (3.0 * u - 2.0)], axis=1)
        return self._combined(parts, coefficients)

    def _combined(self, parts: Floats, coefficients: Floats) -> Floats:
        around = np.take(self.local(coefficients).reshape(-1, 4 * COLUMNS), self.span, axis=0)
        found: Floats = np.einsum("rp,rpc->rc", parts, around.reshape(-1, 4, COLUMNS))
        return found.reshape(*self.shape, COLUMNS)

    def local(self, coefficients: Floats) -> Floats:
        """What plays each span [spans, 4, COLUMNS]: values and slopes of its two keys."""
        return np.concatenate([coefficients[self.ends[:, 0]], coefficients[self.ends[:, 1]]], axis=1)

    def over_rows(self, spans: NDArray[Any]) -> NDArray[Any]:
        """What a span has, for each of its rows [G, F]."""
        return np.take(spans, self.span).reshape(self.shape)

    def gather(self, rows: Floats) -> Floats:
        """The transpose of `play`: [K, 2, COLUMNS]."""
        by_column = np.ascontiguousarray(rows.reshape(-1, COLUMNS).T)
        products = np.ascontiguousarray(self.parts.T)[:, None, :] * by_column
        return self.spread(np.add.reduceat(products, self.first, axis=2).transpose(2, 0, 1))

    def blocks(self, weights: Floats) -> Floats:
        """The normal equations [spans, 4, 4] of each span's coefficients, with the rows' weights [G, F]."""
        parts = np.ascontiguousarray(self.parts.T)
        squares = parts[_PAIRS[0]] * (parts * weights.ravel())[_PAIRS[1]]
        return np.asarray(np.add.reduceat(squares, self.first, axis=1)[_SYMMETRIC].transpose(2, 0, 1))

    def spread(self, spans: Floats) -> Floats:
        """What belongs to the four coefficients of each span [spans, 4, …], added up by keys [K, 2, …]."""
        found = np.zeros((len(self.rows), 2, *spans.shape[2:]))
        found[self.ends[:, 0]] += spans[:, :2]
        found[self.ends[:, 1]] += spans[:, 2:]
        return found


def fit(
    spans: Spans, wanted: Floats, slopes: Floats, weights: Floats, start: Floats, steps: int, pull: Pull | None = None
) -> Floats:
    """The keys' values and slopes [K, 2, COLUMNS] that play nearest to what is wanted.

    Args:
        spans: where the keys are.
        wanted: [G, F, COLUMNS], the curves.
        slopes: [G, F, COLUMNS], of the curves.
        weights: [G, F], of the squares of a row.
        start: [K, 2, COLUMNS], where to begin.
        steps: of conjugate gradients, which goals need.
        pull: goals that are to stay as well.
    """
    tied = TIED * weights.reshape(-1)[spans.rows]
    tied = np.stack([tied, tied * spans.reach**2], axis=1)[:, :, None]  # [K, 2, 1]
    curve = np.stack([wanted.reshape(-1, COLUMNS)[spans.rows], slopes.reshape(-1, COLUMNS)[spans.rows]], axis=1)
    off = weights[:, :, None] * (wanted - spans.play(start))
    if pull is None:
        alone = Chain(spans, spans.blocks(weights), tied)
        return start + alone.solve(spans.gather(off) + tied * (curve - start))
    goals = pull
    blocks = spans.blocks(weights)

    def apply(keys: Floats) -> Floats:
        local = spans.local(keys)
        force = goals.weights * goals.of(spans.play(keys))
        return spans.spread(np.matmul(blocks, local)) + tied * keys + spans.gather(goals.back(force, spans.shape[0]))

    off += goals.back(goals.weights * goals.of(wanted - spans.play(start)), spans.shape[0])
    alike = Chain(spans, spans.blocks(weights + goals.stiffness(spans.shape[0])), tied)
    residual = spans.gather(off) + tied * (curve - start)
    return start + _conjugate_gradients(apply, alike.solve, residual, steps)


class Chain:
    """The normal equations of keys each of which knows only its neighbours, solved by halving: every other key goes."""

    def __init__(self, spans: Spans, blocks: Floats, tied: Floats) -> None:
        own = np.zeros((len(spans.rows), 2, 2))
        own[spans.ends[:, 0]] += blocks[:, :2, :2]
        own[spans.ends[:, 1]] += blocks[:, 2:, 2:]
        own[:, [0, 1], [0, 1]] += tied[:, :, 0]
        after = np.zeros((len(own), 2, 2))  # what ties a key to the next; zero at the end of a group
        after[spans.ends[:, 0]] = blocks[:, :2, 2:]
        self.levels: list[tuple[Floats, Floats, Floats]] = []
        while len(own) > 1:
            own, after = self._halved(own, after)
        self.top = _inverses(own)

    def _halved(self, own: Floats, after: Floats) -> tuple[Floats, Floats]:
        """Eliminate the keys at odd places."""
        inverse = _inverses(own[1::2])
        odd = len(inverse)
        before = np.matmul(after[0::2][:odd], inverse)  # from the even key before each odd one
        behind = np.matmul(after[1::2].transpose(0, 2, 1), inverse)  # from the even key after it
        kept = own[0::2].copy()
        kept[:odd] -= np.matmul(before, after[0::2][:odd].transpose(0, 2, 1))
        kept[1:] -= np.matmul(behind, after[1::2])[: len(kept) - 1]
        across = np.zeros_like(kept)
        across[:odd] = -np.matmul(before, after[1::2])
        self.levels.append((inverse, before, behind))
        return kept, across

    def solve(self, right: Floats) -> Floats:
        """The coefficients [K, 2, columns] for a right side of the same shape."""
        sides = []
        for _, before, behind in self.levels:
            sides.append(right)
            odd, even = right[1::2], right[0::2].copy()
            even[: len(odd)] += -np.matmul(before, odd)
            even[1:] -= np.matmul(behind, odd)[: len(even) - 1]
            right = even
        found = np.matmul(self.top, right)
        for (inverse, before, behind), side in zip(reversed(self.levels), reversed(sides), strict=True):
            whole = np.empty_like(side)
            whole[0::2] = found
            odd = np.matmul(inverse, side[1::2])
            odd -= np.matmul(before.transpose(0, 2, 1), found[: len(odd)])
            odd[: len(found) - 1] -= np.matmul(behind.transpose(0, 2, 1)[: len(found) - 1], found[1:])
            whole[1::2] = odd
            found = whole
        return np.asarray(found)


def _inverses(blocks: Floats) -> Floats:
    """Of symmetric blocks [n, 2, 2]."""
    a, b, d = blocks[:, 0, 0], blocks[:, 0, 1], blocks[:, 1, 1]
    found = np.stack([d, -b, -b, a], axis=1) / (a * d - b * b)[:, None]
    return np.asarray(found.reshape(-1, 2, 2))


def _conjugate_gradients(
    apply: Callable[[Floats], Floats], precondition: Callable[[Floats], Floats], residual: Floats, steps: int
) -> Floats:
    """Solve apply(x) = residual from x = 0. Sums, not `vdot`: its threads wait for each other on a busy machine."""
    found = np.zeros_like(residual)
    step = better = precondition(residual)
    square = first = float((residual * better).sum())
    for _ in range(steps):
        if square <= 1e-10 * first:
            break
        applied = apply(step)
        length = square / float((step * applied).sum())
        found += length * step
        residual = residual - length * applied
        better = precondition(residual)
        before, square = square, float((residual * better).sum())
        step = better + (square / before) * step
    return found
