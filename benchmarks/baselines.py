"""The memetic paper's own baselines, written here: damped least squares, L-BFGS-B, a simple genetic algorithm, DE.

All four answer one query at a time and end as soon as the goal is met. Their settings were chosen on queries of seed 1;
the benchmarks use another. Unlike the paper's, the first two stay inside the limits instead of giving up where they
leave them, which helps them.
"""

import math
import time

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, OptimizeResult, differential_evolution, minimize

from posewright import solvers as ik
from posewright.solvers.evaluation import look

from .own import put_into
from .queries import Answers, Queries, timed
from .robots import METRES, RADIANS, Floats, matrices_of

STEPS = 300  # of damped least squares; 1,000 solved 1.6 % more on seed 1, but not within 10 ms
DAMPING = 0.1  # λ of eq. 10; on seed 1 best of 0.01, 0.03, 0.1, 0.3
PATIENCE = 1.0  # seconds: the paper's limit for the two evolutionary methods
POPULATION, KEPT = 100, 2  # individuals of the genetic algorithm, and how many of the best go on as they are


def damped_least_squares(queries: Queries) -> Answers:
    """Eq. 10: Δθ = Jᵀ(JJᵀ + λ²I)⁻¹e, one descent from the start, each step brought back into the limits."""
    tree = queries.model.tree
    problem = ik.Problem(tree, queries.goals[0])
    damping = DAMPING**2 * np.eye(len(problem.arrays.weight))

    def solve(q: Floats) -> tuple[Floats, int]:
        for step in range(STEPS):
            jacobian = problem.jacobian(q)
            residual = problem.evaluation.values.residual  # evaluated by the line above
            if np.linalg.norm(residual[:3]) <= METRES and np.linalg.norm(residual[3:]) <= RADIANS:
                return q, step
            q = q - jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping, residual)
            q = np.clip(q, tree.lower, tree.upper)
        return q, STEPS

    return timed(queries, lambda goals: put_into(problem, goals), solve)


def lbfgsb(queries: Queries) -> Answers:
    """Eq. 11 by scipy's L-BFGS-B with bounds: one descent of ½|r|² from the start, with the analytic gradient."""
    tree = queries.model.tree
    problem = ik.Problem(tree, queries.goals[0])
    errors, bounds = np.zeros((len(queries.goals[0]), 2)), Bounds(tree.lower, tree.upper)
    met: list[Floats] = []

    def cost(q: Floats) -> tuple[float, Floats]:
        gradient = np.zeros(len(q))
        value = look(problem.evaluation, q, gradient, errors)
        if (errors <= (METRES, RADIANS)).all():
            met.append(q.copy())
        return value, gradient

    def is_met(intermediate_result: OptimizeResult) -> None:  # noqa: ARG001 - scipy goes by its name
        if met:
            raise StopIteration

    def solve(q: Floats) -> tuple[Floats, int]:
        met.clear()
        options = {"ftol": 0.0, "gtol": 1e-9, "maxiter": 1000}  # ends where it is stuck, not where it is slow
        found = minimize(cost, q, jac=True, method="L-BFGS-B", bounds=bounds, callback=is_met, options=options)
        return (met[0] if met else np.clip(found.x, tree.lower, tree.upper)), found.nit

    return timed(queries, lambda goals: put_into(problem, goals), solve)


class Fitness:
    """Eqs 14 and 15 of a single pose goal, for a whole population at once: the root of the mean squared loss."""

    def __init__(self, queries: Queries) -> None:
        self.model = queries.model
        rests = [np.asarray(joint.rest, float) for joint in self.model.joints]
        self.length = sum(float(np.linalg.norm(rest[:3, 3])) for rest in rests[1:])  # metres; L of eq. 15
        self.root = rests[0][:3, 3]

    def put(self, goals: list[ik.Goal]) -> None:
        """Take in a query's goal, and forget what met the last one."""
        (goal,) = goals
        assert isinstance(goal, ik.Pose)
        self.tip, self.place = goal.joint, np.asarray(goal.position, float)
        self.turn = matrices_of(np.asarray(goal.rotation, float)[None])[0]
        self.met: Floats | None = None

    def __call__(self, population: Floats) -> Floats:
        """The losses [individuals] of a population [individuals, variables]; keeps one that meets the goal."""
        tip = self.model.forward_many(population)[self.tip]
        metres = np.linalg.norm(tip[:, :3, 3] - self.place, axis=1)
        cosine = 0.5 * ((tip[:, :3, :3] * self.turn).sum(axis=(1, 2)) - 1.0)
        # cos(angle) alone is blind below 1e-8 rad, far under the tolerance
        radians = np.arccos(np.clip(cosine, -1.0, 1.0))
        met = np.flatnonzero((metres <= METRES) & (radians <= RADIANS))
        if len(met):
            self.met = population[met[0]].copy()
        reach = np.linalg.norm(tip[:, :3, 3] - self.root, axis=1)  # λ of eq. 15
        places = math.pi * metres / np.sqrt((self.length + metres) * (reach + metres))
        loss: Floats = np.sqrt(0.5 * (places**2 + radians**2))
        return loss


def genetic(queries: Queries) -> Answers:
    """A simple genetic algorithm: ranks choose the parents, genes are mixed, one gene in n mutates, the best stay.

    The paper does not say more of its SGA than the name. A mutation's width shrinks with the best loss, as the
    extinction factor (eq. 18) does; with a fixed one, a tenth of the range, none of 48 queries was solved within 1 s.
    """
    low, high = queries.model.span()
    fitness, rng = Fitness(queries), np.random.default_rng(1)
    count, genes = POPULATION, len(low)
    chances = np.arange(count, 0, -1) / (count * (count + 1) / 2)  # by rank, the best first

    def solve(start: Floats) -> tuple[Floats, int]:
        end, generation = time.perf_counter() + PATIENCE, 0
        population = rng.uniform(low, high, (count, genes))
        population[0] = start
        loss = fitness(population)
        while fitness.met is None and time.perf_counter() < end:
            order = np.argsort(loss)
            population, loss = population[order], loss[order]
            mothers, fathers = rng.choice(count, (2, count - KEPT), p=chances)
            mixed = rng.random((count - KEPT, genes))
            children = mixed * population[mothers] + (1.0 - mixed) * population[fathers]
            mutated: NDArray[np.bool_] = rng.random(children.shape) < 1.0 / genes
            width = (high - low) * min(1.0, float(loss[0]))
            children += mutated * rng.uniform(-1.0, 1.0, children.shape) * width
            population = np.vstack([population[:KEPT], np.clip(children, low, high)])
            loss = np.concatenate([loss[:KEPT], fitness(population[KEPT:])])
            generation += 1
        best: Floats = population[np.argmin(loss)]
        return (best if fitness.met is None else fitness.met), generation

    return timed(queries, fitness.put, solve, warm=False)  # nothing to compile, and half a second


def differential(queries: Queries) -> Answers:
    """Differential evolution by scipy, vectorised, with its default strategy and rates, without the final descent."""
    low, high = queries.model.span()
    fitness = Fitness(queries)

    def solve(start: Floats) -> tuple[Floats, int]:
        end = time.perf_counter() + PATIENCE

        def is_over(intermediate_result: OptimizeResult) -> None:  # noqa: ARG001 - scipy goes by its name
            if fitness.met is not None or time.perf_counter() > end:
                raise StopIteration

        found = differential_evolution(
            lambda q: fitness(q.T),
            Bounds(low, high),
            x0=start,
            rng=1,
            maxiter=1_000_000,
            tol=0.0,
            atol=0.0,
            polish=False,
            updating="deferred",
            vectorized=True,
            callback=is_over,
        )
        return (found.x if fitness.met is None else fitness.met), found.nit

    return timed(queries, fitness.put, solve, warm=False)  # nothing to compile, and half a second
