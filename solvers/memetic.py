"""The memetic solver (Bio-IK): a population that breeds, its best descending by L-BFGS, begun anew when stuck.

Finds a way where a local solver is caught by limits, and finds other ways to reach the same goals. The phases are in
`evolution.py`. Where it looks: between a variable's limits; without limits, an angle within half a turn of the start
and a translation within the tree's span of it. That is only where individuals are born: descents go on from there.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .breeding import Box, Generation
from .chance import new_chance, seed_chance
from .errors import PosewrightError
from .evolution import (
    ELITES,
    FOUND,
    GENERATIONS,
    ITERATIONS,
    MET,
    START,
    TO_DO,
    WANTED,
    WIPE_OUTS,
    Population,
    evolve,
)
from .joints import Kind
from .lbfgs import Descent, new_descent
from .problem import Problem
from .rotation import Floats
from .tree import Tree

_ITERATIONS = 8  # of L-BFGS, a slice; see `evolution.SLICES`


@dataclass(frozen=True)
class MemeticOptions:
    """The paper's two parameters, a seed, and how many distinct solutions are wanted."""

    population: int = 12
    elites: int = 3
    seed: int = 0
    solutions: int = 1

    def __post_init__(self) -> None:
        if not self.population >= 2:
            raise PosewrightError(f"a population has two individuals or more, not {self.population}")
        if not 1 <= self.elites <= self.population:
            raise PosewrightError(f"the elites are 1 to {self.population} of the population, not {self.elites}")
        if not self.solutions >= 1:
            raise PosewrightError(f"one solution or more, please, not {self.solutions}")


@dataclass(frozen=True)
class MemeticResult:
    """What a search came to.

    Attributes:
        q: the best pose found [variables], inside the limits.
        cost: its cost, never above that of the start projected into the limits.
        reached: whether it meets every goal within its tolerance, posture aside.
        solutions: distinct poses that reach every goal [found, variables], the cheapest first.
        generations, wipe_outs: how much was done.
    """

    q: Floats
    cost: float
    reached: bool
    solutions: Floats
    generations: int
    wipe_outs: int


def memetic(
    problem: Problem,
    start: ArrayLike,
    options: MemeticOptions | None = None,
    generations: int = 200,
    stop_when_reached: bool = True,
) -> MemeticResult:
    """Search from `start`, for so many generations at most."""
    state = begin(problem, start, options)
    step(problem, state, generations, stop_when_reached)
    return result_of(state)


def begin(problem: Problem, start: ArrayLike, options: MemeticOptions | None = None) -> Population:
    """Room for a search that begins at `start` [variables]; nothing is evaluated yet."""
    options = options or MemeticOptions()
    variables, size = len(problem.tree.variables), options.population
    state = Population(
        chance=new_chance(options.seed),
        tally=np.zeros(8, np.int64),
        box=Box(np.zeros(variables), np.zeros(variables), _reach(problem.tree), _turns(problem.tree)),
        old=_generation(size, variables),
        young=_generation(size, variables),
        pool=np.zeros(size, np.int64),
        best=np.zeros(variables),
        best_cost=np.zeros(2),
        solutions=np.zeros((options.solutions, variables)),
        solution_cost=np.zeros(options.solutions),
        descents=_descents(options.elites, variables),
    )
    state.tally[[WANTED, ELITES, ITERATIONS]] = options.solutions, options.elites, _ITERATIONS
    restart(problem, state, start, options.seed)
    return state


def restart(problem: Problem, state: Population, start: ArrayLike, seed: int = 0) -> None:
    """Begin another search in the same room: new targets, another start, the same population size."""
    state.best[:] = problem.tree.check(start, "the start")
    state.tally[[GENERATIONS, WIPE_OUTS, FOUND, MET]] = 0
    state.tally[TO_DO] = START
    seed_chance(state.chance, seed)


def step(problem: Problem, state: Population, generations: int, stop_when_reached: bool = True) -> bool:
    """Up to so many generations more, in one compiled call. True if the best reaches every goal.

    With `stop_when_reached` False, and one solution wanted, the best goes on improving until they are used up.
    """
    return evolve(problem.evaluation, state, generations, stop_when_reached)


def result_of(state: Population) -> MemeticResult:
    """What a search has come to so far."""
    found, reached = int(state.tally[FOUND]), bool(state.tally[MET])
    order = np.argsort(state.solution_cost[:found], kind="stable")
    return MemeticResult(
        q=state.best.copy(),
        cost=float(state.best_cost[0]),
        reached=reached,
        solutions=state.best[None].copy() if reached and not found else state.solutions[:found][order],
        generations=int(state.tally[GENERATIONS]),
        wipe_outs=int(state.tally[WIPE_OUTS]),
    )


def _generation(size: int, variables: int) -> Generation:
    genes, momentum = np.zeros((size, variables)), np.zeros((size, variables))
    return Generation(genes, momentum, np.zeros(size), np.zeros(size), np.full(size, -1))


def _descents(elites: int, variables: int) -> Descent:
    """Room for a descent an elite: each array with the seat in front."""
    return Descent(*(np.zeros((elites, *one.shape), one.dtype) for one in new_descent(variables)))


def _turns(tree: Tree) -> Floats:
    """2π for each angle that gives the same pose a turn later; 0 for translations and parts of rotation vectors."""
    vectors = tree.arrays.kind[tree.arrays.body] == Kind.VECTOR
    angles = np.array([one.unit == "rad" for one in tree.variables], bool)
    turns: Floats = np.where(angles & ~vectors, 2.0 * math.pi, 0.0)
    return turns


def _reach(tree: Tree) -> Floats:
    """How far from the start a variable without limits is sampled: half a turn, or the span of the tree in metres.

    The span is that of the longest stretched chain; a tree without any length counts as 1 m.
    """
    length = np.linalg.norm(tree.arrays.rest_position, axis=1)
    span = np.zeros(len(tree.names))
    for body, parent in enumerate(tree.arrays.parent):  # a root's own place in space is not a length of the body
        span[body] = 0.0 if parent < 0 else span[parent] + length[body]
    longest = float(span.max(initial=0.0)) or 1.0
    return np.array([math.pi if one.unit == "rad" else longest for one in tree.variables], float)
