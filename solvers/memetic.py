"""The memetic solver (Bio-IK): a population that breeds, its best descending by L-BFGS, begun anew when stuck.

Finds a way where a local solver is caught by limits, and finds other ways to reach the same goals. The phases are in
`evolution.py`; `run` calls them, and finishes the best by a local search. Where it looks: between a variable's limits;
without limits, an angle within half a turn of the start and a translation within the tree's span of it. That is only
where individuals are born: descents go on from there.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..entry import Bound
from .errors import PosewrightError
from .evaluation import Evaluation
from .evolution import (
    ELITE_COUNTS,
    ELITE_NUMBERS,
    ELITE_ROWS,
    ELITES,
    INDIVIDUALS,
    NUMBERS,
    PAPER,
    ROWS,
    SEATED,
    TALLY,
    WANTED,
    Colony,
)
from .goals.tables import POSTURE, new_values
from .joints import Kind
from .kinematics import new_pose
from .plan import SEAT
from .rotation import Floats
from .run import run
from .tree import Tree


@dataclass(frozen=True)
class MemeticOptions:
    """The paper's two parameters, and how many threads the elites of a generation descend in (§III-M).

    The answer is the same with any number of threads. They were not seen to pay, so there is one: two threads took 1.5
    times as long on a 67-DOF body (generations of 0.6 ms) and nine times on an arm, where starting them takes longer
    than the search; measured on two cores that others used as well. `auto` uses one. In a clip, by any solver, it is
    slices of frames that are solved in threads: some milliseconds each, which does pay. There each frame draws random
    numbers of its own or, `alike`, those of `solve`: then its answer does not depend on its place in the clip.
    """

    population: int = 12
    elites: int = 3
    threads: int = 1
    alike: bool = False

    def __post_init__(self) -> None:
        if not self.population >= 2:
            raise PosewrightError(f"a population has two individuals or more, not {self.population}")
        if not 1 <= self.elites <= self.population:
            raise PosewrightError(f"the elites are 1 to {self.population} of the population, not {self.elites}")
        if not self.threads >= 1:
            raise PosewrightError(f"one thread or more, please, not {self.threads}")


def new_colony(tree: Tree, options: MemeticOptions, solutions: int = 1, *, paper: bool = False) -> Colony:
    """Room for a memetic search that ends when so many distinct solutions are found; `paper`: by its own wipe-out."""
    variables, size, elites = len(tree.variables), options.population, options.elites
    colony = Colony(
        rows=np.zeros((ROWS + 4 * size + solutions + elites * ELITE_ROWS, variables)),
        numbers=np.zeros(NUMBERS + 4 * size + solutions + elites * ELITE_NUMBERS),
        counts=np.zeros(TALLY + 3 * size + elites * ELITE_COUNTS, np.int64),
    )
    colony.counts[[INDIVIDUALS, ELITES, WANTED, PAPER]] = size, elites, solutions, paper
    colony.rows[2], colony.rows[3] = _reach(tree), _turns(tree)
    return colony


def no_colony(tree: Tree) -> Colony:
    """The same for solvers that have no population."""
    return Colony(np.zeros((0, len(tree.variables))), np.zeros(0), np.zeros(0, np.int64))


def run_in_threads(whole: Bound[None], threads: int) -> None:
    """A run of a single frame, with the elites of each generation descending in threads, joined in the end."""
    problem, search, room, frames, colony, plan = whole.arguments
    elites, made = int(colony.counts[ELITES]), 0
    rooms = [_room_of_its_own(problem, plan.levels) for _ in range(elites)]
    parts = [plan._replace(part=elite) for elite in range(elites)]
    descents = [run.bind(own, search, room, frames, colony, part) for own, part in zip(rooms, parts, strict=True)]
    with ThreadPoolExecutor(min(threads, elites)) as pool:
        while made < plan.iterations:
            whole.with_last(plan._replace(part=SEAT, iterations=0))()
            plan = plan._replace(begin=False)
            if colony.counts[SEATED] == 0:
                break
            list(pool.map(Bound.__call__, descents))
            whole.with_last(plan._replace(iterations=1))()
            made += int(frames.ends[0, 1])
    whole.with_last(plan._replace(iterations=plan.iterations - made))()
    frames.ends[0, 1] += made


def _room_of_its_own(problem: Evaluation, levels: bool) -> Evaluation:
    """The same problem with other room to evaluate it in and, with levels, without posture (see `run`)."""
    goals, values = problem.goals, problem.values
    aside = levels & np.repeat(goals.level == POSTURE, np.diff(goals.row))
    return problem._replace(
        goals=goals._replace(weight=np.where(aside, 0.0, goals.weight)),
        pose=new_pose(len(problem.pose.position), len(problem.lower)),
        values=new_values(len(values.residual), len(values.tap_row)),
        force=np.zeros_like(problem.force),
    )


def _turns(tree: Tree) -> Floats:
    """2π for each angle that gives the same pose a turn later; 0 for translations and parts of rotation vectors."""
    vectors = tree.arrays.kind[tree.arrays.body] == Kind.VECTOR
    angles = np.array([one.unit == "rad" for one in tree.variables], bool)
    turns: Floats = np.where(angles & ~vectors, 2.0 * math.pi, 0.0)
    return turns


def _reach(tree: Tree) -> Floats:
    """How far from the start a variable without limits is sampled: half a turn, or the tree's size in metres."""
    return np.array([math.pi if one.unit == "rad" else tree.size for one in tree.variables], float)
