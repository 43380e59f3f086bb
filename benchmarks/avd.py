"""LM-PFD's approximated virtual dynamics (its eqs 58-66), to compare the O(N) step with; no solver uses it.

The unknowns are the absolute twists of all bodies. Joints are not eliminated, as `solvers.articulated` does, but held
by a penalty 1/μ on what they do not allow, so that wires and loops are rows like any other; the price is six unknowns a
body, and a step that is off in proportion to μ. Eq. 66 is printed wrong: its penalty lies on the joints' own motion,
and the step is about zero. It is

    Λ̃ = Σ̄_L + Sᵀ (Kᵀ Σ_Q K + Cᵀ C / μ) S + L̂ᵀ Σ_W L̂

Run: `python -m posewright.benchmarks.avd`. Prints how far the step is from the dense one, and what is filled in.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..solvers import goals as g
from ..solvers.joints import Ball, Joint
from ..solvers.problem import Problem
from ..solvers.rotation import Floats
from ..solvers.tree import Tree

Blocks = dict[tuple[int, int], Floats]  # [6, 6] for two bodies; only the blocks that are not zero


class Bodies(NamedTuple):
    """A problem at a pose, in the twists of its bodies. Body j hangs on its parent by joint j, which has n variables.

    Twists are in the tree's axes, about the middle of all bodies.
    """

    parent: list[int]  # -1: the tree's space, which does not move
    first: list[int]  # of the joint's variables
    motion: list[Floats]  # [n, 6], K R⁻ᵀ: a joint's rates from the twist between its bodies (27)
    held: list[Floats]  # [6 - n, 6], C of (24): what the joint does not allow
    rows: list[dict[int, Floats]]  # [6] for each body that a row pulls on: L̂ of (59), and what makes up Σ̄_L of (20)
    weight: Floats  # [rows]
    gradient: Floats  # [variables]


def split(axes: Floats) -> tuple[Floats, Floats]:
    """K [n, 6] and C [6 - n, 6] of a joint whose variables move its body along `axes` [6, n], of full rank.

    Both have orthonormal rows, with C Kᵀ = 0 and Kᵀ K + Cᵀ C = 1; (28) and (29) are printed transposed, which fits
    joints of three variables only, and is wrong there.
    """
    basis = np.linalg.qr(axes, mode="complete")[0]
    count = axes.shape[1]
    return basis[:, :count].T, basis[:, count:].T


def bodies_of(problem: Problem, q: ArrayLike) -> Bodies:
    """The problem at `q` [variables]. No joint may be at a pose where two of its variables move it the same way."""
    gradient = problem.gradient(q)
    tree, pose, values = problem.tree.arrays, problem.evaluation.pose, problem.evaluation.values
    centre = pose.position.mean(axis=0) if len(pose.position) else np.zeros(3)
    axes = pose.axis.copy()
    axes[:, 3:] += np.cross(pose.axis[:, :3], centre)
    motion: list[Floats] = []
    held: list[Floats] = []
    for first, count in zip(tree.first, tree.freedom, strict=True):
        own = axes[first : first + count].T
        k, c = split(own)
        motion.append(np.asarray(np.linalg.solve(k @ own, k), float))
        held.append(c)
    rows: list[dict[int, Floats]] = [{} for _ in values.residual]

    def pull(row: int, body: int, on: Floats) -> None:
        if body >= 0:
            rows[row][body] = rows[row].get(body, 0.0) + on

    for tap, row in enumerate(values.tap_row):
        if row < 0 or not problem.arrays.weight[row] > 0.0:
            continue
        body, variable = values.tap_body[tap], values.tap_variable[tap]
        if body >= 0:
            turning, moving = values.tap[tap, :3], values.tap[tap, 3:]
            pull(row, int(body), np.concatenate([turning - np.cross(centre, moving), moving]))
        else:  # a variable is a rate of its joint (39)
            body = tree.body[variable]
            on = values.tap[tap, 0] * motion[body][variable - tree.first[body]]
            pull(row, int(body), on)
            pull(row, int(tree.parent[body]), -on)
    parents, firsts = tree.parent.tolist(), tree.first.tolist()
    return Bodies(parents, firsts, motion, held, rows, problem.arrays.weight.copy(), gradient)


def matrix_of(bodies: Bodies, damping: Floats, penalty: float) -> Blocks:
    """Λ̃ of (66) for Σ_Q = diag(damping) and μ = `penalty`."""
    blocks: Blocks = {(body, body): np.zeros((6, 6)) for body in range(len(bodies.parent))}

    def add(first: int, second: int, block: Floats) -> None:
        if first >= 0 and second >= 0:
            blocks[first, second] = blocks.get((first, second), 0.0) + block

    for body, (parent, k, c) in enumerate(zip(bodies.parent, bodies.motion, bodies.held, strict=True)):
        own = damping[bodies.first[body] : bodies.first[body] + len(k)]
        block = k.T @ (own[:, None] * k) + c.T @ c / penalty
        add(body, body, block)
        add(parent, parent, block)
        add(body, parent, -block)
        add(parent, body, -block)
    for row, weight in zip(bodies.rows, bodies.weight, strict=True):
        for first, one in row.items():
            for second, other in row.items():
                add(first, second, weight * np.outer(one, other))
    return blocks


def order_of(blocks: Blocks) -> list[int]:
    """The bodies by least degree, as they are to be eliminated: one of the fewest neighbours comes next."""
    beside: dict[int, set[int]] = {body: set() for body, _ in blocks}
    for first, second in blocks:
        if first != second:
            beside[first].add(second)
    order = []
    while beside:
        body = min(beside, key=lambda one: (len(beside[one]), -one))
        around = beside.pop(body)
        for one in around:
            beside[one] |= around - {one}
            beside[one].discard(body)
        order.append(body)
    return order


def solve_blocks(blocks: Blocks, order: Sequence[int], right: Floats) -> tuple[Floats, int]:
    """Solve a positive system of `blocks` for `right` [bodies, 6]; also, how many blocks were filled in.

    By Cholesky: a body's inverse, taken by itself, has an error that 1/μ² then multiplies.
    """
    left, x, begun = dict(blocks), right.copy(), len(blocks)
    gone: list[tuple[int, Floats, dict[int, Floats]]] = []
    waiting = set(order)
    for body in order:
        waiting.discard(body)
        low: Floats = np.asarray(np.linalg.cholesky(left[body, body]), float)
        around = [one for one in waiting if (body, one) in left]
        beside: dict[int, Floats] = {one: np.asarray(np.linalg.solve(low, left[body, one]), float) for one in around}
        x[body] = np.linalg.solve(low, x[body])
        gone.append((body, low, beside))
        for one, block in beside.items():
            x[one] -= block.T @ x[body]
            for other, against in beside.items():
                left[one, other] = left.get((one, other), 0.0) - block.T @ against
    for body, low, beside in reversed(gone):
        for one, block in beside.items():
            x[body] -= block @ x[one]
        x[body] = np.linalg.solve(low.T, x[body])
    return x, len(left) - begun


def momentum_of(bodies: Bodies, rates: Floats) -> Floats:
    """Sᵀ Kᵀ · rates (40): the joints' forces [variables] as forces on the bodies [bodies, 6]."""
    right = np.zeros((len(bodies.parent), 6))
    for body, (parent, k) in enumerate(zip(bodies.parent, bodies.motion, strict=True)):
        force = k.T @ rates[bodies.first[body] : bodies.first[body] + len(k)]
        right[body] += force
        if parent >= 0:
            right[parent] -= force
    return right


def rates_of(bodies: Bodies, twists: Floats) -> Floats:
    """K S · twists (39): the joints' rates [variables] from the twists of all bodies [bodies, 6]."""
    rates = np.zeros(len(bodies.gradient))
    for body, (parent, k) in enumerate(zip(bodies.parent, bodies.motion, strict=True)):
        between = twists[body] - (twists[parent] if parent >= 0 else 0.0)
        rates[bodies.first[body] : bodies.first[body] + len(k)] = k @ between
    return rates


def avd_step(problem: Problem, q: ArrayLike, damping: Floats, penalty: float) -> Floats:
    """The step [variables] at `q` for a damping [variables] above zero and μ = `penalty`, limits aside."""
    bodies = bodies_of(problem, q)
    blocks = matrix_of(bodies, damping, penalty)
    return rates_of(bodies, solve_blocks(blocks, order_of(blocks), momentum_of(bodies, -bodies.gradient))[0])


def dense_step(problem: Problem, q: ArrayLike, damping: Floats) -> Floats:
    """The step that it approximates: (Jᵀ W J + diag(damping)) step = -gradient."""
    jacobian, gradient = problem.jacobian(q), problem.gradient(q)
    matrix = jacobian.T @ (problem.arrays.weight[:, None] * jacobian) + np.diag(damping)
    return np.asarray(np.linalg.solve(matrix, -gradient), float)


def example(count: int) -> tuple[Problem, Floats]:
    """A body of so many balls in two limbs, with a target for each joint's place, two wires and a loop; and a pose."""
    rest = np.eye(4)
    rest[1, 3] = 0.1
    tree = Tree([Joint(f"{i}", f"{max(i - 2, 0)}" if i else None, rest, Ball()) for i in range(count)])
    rng = np.random.default_rng(1)
    places = tree.pose(rng.normal(scale=0.3, size=3 * count)).positions
    goals: list[g.Goal] = [g.Position(name, place) for name, place in zip(tree.names, places, strict=True)]
    goals.append(g.Loop(f"{count - 1}", f"{count - 2}"))
    for end in (count // 2, count - 1):
        goals.append(g.Wire([("0", (0.1, 0.0, 0.0)), (f"{end // 2}", (0.0, 0.0, 0.1)), (f"{end}", (0, 0, 0))], 0.1))
    return Problem(tree, goals), rng.normal(scale=0.3, size=3 * count)


def main() -> None:
    """Print the table."""
    for count in (20, 200):
        problem, q = example(count)
        damping = np.full(len(q), 0.01)
        dense, bodies = dense_step(problem, q, damping), bodies_of(problem, q)
        blocks = matrix_of(bodies, damping, 1.0)
        filled = solve_blocks(blocks, order_of(blocks), momentum_of(bodies, -bodies.gradient))[1]
        sys.stdout.write(f"{len(q)} DOF: {len(blocks)} blocks, {filled} more filled in; off from the dense step:\n")
        for penalty in (1e-2, 1e-4, 1e-6, 1e-8):
            off = np.linalg.norm(avd_step(problem, q, damping, penalty) - dense) / np.linalg.norm(dense)
            sys.stdout.write(f"    penalty {penalty:7.0e}  {off:8.1e}\n")


if __name__ == "__main__":
    main()
