"""Random numbers from a state array of our own: the same seed gives the same bits, compiled and interpreted.

xoshiro128+ (Blackman and Vigna), its 32-bit words kept in 64-bit integers. Every step is masked to 32 bits, so that
nothing overflows: numpy would warn of that in interpreted kernels. numba's own generator is one for all of a process.
"""

import numpy as np

from ..compiled import kernel
from .kinematics import Ints

_MASK = 0xFFFFFFFF


def new_chance(seed: int = 0) -> Ints:
    """A generator's state [4] for a seed: any whole number."""
    chance = np.zeros(4, np.int64)
    seed_chance(chance, seed)
    return chance


def seed_chance(chance: Ints, seed: int) -> None:
    """Begin anew. splitmix64 spreads the seed over the state, so that seeds 0 and 1 have nothing in common."""
    mask, at = (1 << 64) - 1, int(seed)
    for i in range(4):
        at = (at + 0x9E3779B97F4A7C15) & mask
        z = ((at ^ (at >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        chance[i] = (z ^ (z >> 31)) & _MASK
    chance[0] |= 1  # all zero would stay zero for ever


@kernel
def uniform(chance: Ints) -> float:
    """A number from 0 to 1, 1 itself left out; 32 random bits."""
    a, b, c, d = chance[0], chance[1], chance[2], chance[3]
    drawn = (a + d) & _MASK
    shifted = (b << 9) & _MASK
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = ((d << 11) | (d >> 21)) & _MASK
    chance[0], chance[1], chance[2], chance[3] = a, b, c, d
    return float(drawn * 2.0**-32)


@kernel
def reseed(seed: Ints, number: int, chance: Ints) -> None:
    """The state for a number of a series: each frame of a clip draws from a sequence of its own."""
    for i in range(4):
        chance[i] = seed[i] ^ (((number + i) * 0x9E3779B1) & _MASK)
    chance[0] |= 1
    for _ in range(8):  # neighbours differ in a few bits at first
        uniform(chance)
