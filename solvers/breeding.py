"""How Bio-IK's individuals are born, chosen and ranked: the phases that need no look at the problem."""

import math
from typing import NamedTuple

from ..compiled import kernel
from .chance import uniform
from .kinematics import Ints
from .rotation import Floats


class Box(NamedTuple):
    """Where individuals are born. V variables."""

    low: Floats  # [V], the limits or, where there is none, so far from the start as `reach` says
    high: Floats  # [V]
    reach: Floats  # [V]
    turn: Floats  # [V], 2π where adding it gives the same pose, otherwise 0


class Generation(NamedTuple):
    """P individuals of V genes."""

    genes: Floats  # [P, V]
    momentum: Floats  # [P, V]
    cost: Floats  # [P]
    extinction: Floats  # [P]
    seat: Ints  # [P], the descent that an elite sits in, or -1


@kernel
def set_range(lower: Floats, upper: Floats, start: Floats, box: Box) -> None:
    """Say where individuals are born: between the limits or, where there is none, around the start."""
    for i in range(start.shape[0]):
        box.low[i] = lower[i] if lower[i] > -math.inf else start[i] - box.reach[i]
        box.high[i] = upper[i] if upper[i] < math.inf else start[i] + box.reach[i]


@kernel
def copy(values: Floats, into: Floats) -> None:
    """As into[:] = values, which takes numba a second to compile wherever it stands."""
    for i in range(values.shape[0]):
        into[i] = values[i]


@kernel
def random_individual(chance: Ints, box: Box, young: Generation, child: int) -> None:
    """Genes drawn from the box (16), no momentum."""
    for i in range(box.low.shape[0]):
        drawn = box.low[i] + uniform(chance) * (box.high[i] - box.low[i])
        young.genes[child, i] = min(drawn, box.high[i])  # rounding may take it a bit above
        young.momentum[child, i] = 0.0


@kernel
def pick(chance: Ints, mating: int) -> int:
    """A place in the mating pool by rank: the chance falls linearly, from the first to the last."""
    twice = 2.0 * mating + 1.0
    drawn = uniform(chance) * mating * (mating + 1.0)
    return min(int(0.5 * (twice - math.sqrt(twice * twice - 4.0 * drawn))), mating - 1)


@kernel
def breed(chance: Ints, box: Box, old: Generation, young: Generation, family: tuple[int, int, int, int]) -> None:
    """Recombination (17), mutation (19) and adoption (20). The family: two parents, the prototype, the child."""
    one, two, prototype, child = family
    genes, momentum, variables = old.genes, old.momentum, old.genes.shape[1]
    rate = (old.extinction[one] * (variables - 1.0) + 1.0) / variables
    strength = 0.5 * (old.extinction[one] + old.extinction[two])
    for i in range(variables):
        g = uniform(chance) * momentum[one, i] + uniform(chance) * momentum[two, i]
        x = genes[one, i] + uniform(chance) * (genes[two, i] - genes[one, i]) + g
        born = x
        if uniform(chance) < rate:
            x += (2.0 * uniform(chance) - 1.0) * strength * (box.high[i] - box.low[i])
        to_parents = uniform(chance) * (0.5 * (genes[one, i] + genes[two, i]) - x)
        to_prototype = uniform(chance) * (genes[prototype, i] - x)
        x += to_parents + uniform(chance) * (to_prototype - to_parents)
        young.genes[child, i] = x
        young.momentum[child, i] = g + (x - born)


@kernel
def remove_worse(pool: Ints, mating: int, costs: Floats, parents: tuple[int, int], cost: float) -> int:
    """Niching (23): parents worse than their child leave the pool, which stays in order. Returns what is left of it."""
    left = 0
    for place in range(mating):
        one = pool[place]
        if not ((one == parents[0] or one == parents[1]) and cost < costs[one]):
            pool[left] = one
            left += 1
    return left


@kernel
def rank(old: Generation, young: Generation, order: Ints, elites: int) -> None:
    """Sort the young into the places of the old, and work out the extinction factors (18)."""
    individuals = order.shape[0]
    for i in range(individuals):
        place = i
        while place > 0 and young.cost[i] < young.cost[order[place - 1]]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    for rank in range(individuals):
        i = order[rank]
        copy(young.genes[i], old.genes[rank])
        copy(young.momentum[i], old.momentum[rank])
        old.cost[rank] = young.cost[i]
        old.seat[rank] = young.seat[i] if rank < elites else -1
    least, most = math.sqrt(old.cost[0]), math.sqrt(old.cost[individuals - 1])
    for rank in range(individuals):
        share = rank / (individuals - 1.0)
        factor = (math.sqrt(old.cost[rank]) + least * (share - 1.0)) / most if most > 0.0 else 1.0
        old.extinction[rank] = factor if 0.0 <= factor <= 1.0 else 1.0  # 1 also where costs are infinite
