"""What is asked of a run: which method, for how many iterations, on which frames.

All else that a run works on is bound to it once (`entry`); this alone may be another from slice to slice. Those who ask
(`solve`, `clip`, `memetic`) and those who do (`run` and its parts) meet here.
"""

from typing import NamedTuple

ALL, SEAT, ELITE = -2, -1, 0  # parts of a generation


class Plan(NamedTuple):
    """What is asked of a run."""

    method: int
    iterations: int
    gradient: float  # a projected gradient below this part of the problem's scale is a minimum
    until_reached: bool
    levels: bool  # hold pins and goals by multipliers
    size: float  # of the tree, metres
    restarts: int  # from random poses, if a search ends short of its goals
    tries: int  # iterations that may go into those
    generations: int  # of a population: of `memetic`, or of `auto` where all else ended short of the goals
    most: int  # iterations of the whole search, slice by slice
    begin: bool  # with new searches, instead of going on with this one
    carry_on: bool  # begin each frame where the last one ended
    alike: bool  # draw the same random numbers for each frame
    first: int  # the frames to solve
    last: int
    part: int  # ALL or, where elites descend in threads: SEAT the elites, or let this one descend
