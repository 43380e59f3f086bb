"""Mirror descent inside limits (Kobayashi and Jin).

A sigmoid maps a space without limits onto the box of limits; a step is made there and mapped back (their eqs 9 to 13),
so it slows down towards a limit and never crosses it. Half of each step is the projected gradient's (15, 16), which
reaches and leaves limits at full speed. Variables without two finite limits are their own mirror image.

Three things differ from the paper, whose own rules `paper` selects:

- Its margin of 1 % (14) keeps every joint off its limits, so a straight knee is out of reach. Ours is the step's own
  length where that is less, and so vanishes at a minimum; a step within it of the limit ends on the limit.
- Its α = 1 is bound to units and to boxes some 0.03 rad wide. Ours is a length in variables scaled by curvature, from
  Barzilai and Borwein's two formulas (chosen between as by Frassoldati, Zanghirati and Zanni), halved on a rise of the
  cost.
- Its momentum z is set back to the pose at each step. Tried with momentum, scaled by the whole curvature, α halved on
  a rise and grown on a restart, 5000 iterations were not enough for a minimum where these lengths take 550.

Figures are medians over 40 moves on a 67-DOF body with six goals, to a minimum with posture weight 1e-3; line_search
takes 1550 there. What makes the difference is the lengths, not the mirror.
"""

import math
from typing import NamedTuple

from ..compiled import kernel
from .derivatives import curvature_of
from .evaluation import Evaluation, cost_at, gradient_here, project
from .rotation import Floats
from .search import RUNNING, STALLED, Search, ended, resume

# The paper's table 1.
STEP = 1.0  # α
MARGIN = 0.01  # ε, part of a variable's range
SMOOTHNESS = 5.0  # r: after so many iterations, half of a step is the mirror's
REDUCTION = 2.0  # γ
RESET = 0.5  # η

SLOPE = 2.0 * math.log((1.0 - MARGIN) / MARGIN)  # 9.19: of the logistic function with σ(0) = ε, σ(1) = 1 - ε (13)
FINEST = 1e-15  # part of a range; a variable on its limit counts as so far inside, because its mirror image is infinite
SHARE = 0.5  # β of eq. 16; 0, the mirror alone, takes 1540 iterations; 1, the projected gradient alone, as many as ½
SUFFICIENT = 1e-4  # the part of the promised fall that must come true
TRIES = 60  # 2⁻⁶⁰ of a step no longer moves a variable
STIFF = 0.3  # the second length is taken where it is less than this of the first; with 0, never, 1030 iterations
FLATTEST = 1e-4  # of the largest curvature; a variable that moves nothing at the start may do so later

# The places in Room.numbers.
BEGUN = 0  # iterations since the search began, by our rules or the paper's; zero: it has yet to
LENGTH = 1  # our α
COUNT = 2  # the paper's k; zero before its first iteration
SHORT, SHORT_KEPT = 3, 3  # the last lengths by the second formula
NUMBERS = 6

MEMORY, MEMORY_EACH = NUMBERS, 3  # what is carried from slice to slice, all told and for each variable; see Room


class Room(NamedTuple):
    """The parts of search.memory. V variables."""

    numbers: Floats  # [NUMBERS]
    scale: Floats  # [V], the root of the curvature
    iterate: Floats  # [V], where the paper's search is; its cost may rise, and search.q is the best pose so far
    lead: Floats  # [V], the paper's z


@kernel
def mirror(
    problem: Evaluation, search: Search, iterations: int, tolerance: float, stop_when_reached: bool, paper: bool
) -> tuple[int, int]:
    """Run up to so many iterations. Returns why it stopped and how many were made.

    With `paper`, the paper's own rules and constants.
    """
    one, two, three = NUMBERS, NUMBERS + search.q.shape[0], NUMBERS + 2 * search.q.shape[0]
    kept = search.memory
    room = Room(kept[:one], kept[one:two], kept[two:three], kept[three:])
    resume(problem, search)
    if room.numbers[BEGUN] == 0.0:
        _begin(problem, search, room)
    if paper:
        return _follow_paper(problem, search, room, iterations, tolerance, stop_when_reached)
    for done in range(iterations):
        status = ended(problem, search, tolerance, stop_when_reached)
        if status != RUNNING:
            return status, done
        if not _descend(problem, search, room):
            cost_at(problem, search.q)
            return STALLED, done
        gradient_here(problem, search.step)
        room.numbers[LENGTH] = _next_length(problem, search, room)
        room.numbers[BEGUN] += 1.0
        for i in range(search.q.shape[0]):
            search.q[i], search.gradient[i] = search.trial[i], search.step[i]
    return ended(problem, search, tolerance, stop_when_reached), iterations


@kernel
def smooth_reset(problem: Evaluation, search: Search) -> None:
    """Make the end of one frame the beginning of the next, by eq. 17: z comes half-way to search.q, k is halved.

    With our rules, which keep neither, the next frame measures its curvature and first length anew.
    """
    lead = search.memory[NUMBERS + 2 * search.q.shape[0] :]
    for i in range(search.q.shape[0]):
        lead[i] = RESET * lead[i] + (1.0 - RESET) * search.q[i]
    project(problem, lead)
    search.memory[COUNT] *= RESET
    search.memory[BEGUN] = 0.0


@kernel
def mirrored(q: float, lower: float, upper: float) -> float:
    """A variable's image in the space without limits (eqs 10, 11): 0 and 1 are 1 % of the range inside the limits."""
    part = min(max((q - lower) / (upper - lower), FINEST), 1.0 - FINEST)
    return 0.5 + math.log(part / (1.0 - part)) / SLOPE


@kernel
def unmirrored(image: float, lower: float, upper: float) -> float:
    """The variable of an image: `mirrored` backwards."""
    power = min(-SLOPE * (image - 0.5), 700.0)  # e⁷⁰⁰ is the largest that plain Python takes
    return min(max(lower + (upper - lower) / (1.0 + math.exp(power)), lower), upper)


@kernel
def within_margin(q: float, lower: float, upper: float, margin: float) -> float:
    """Clamp a variable into its limits less a part of its range at both ends (eq. 14)."""
    return min(max(q, (1.0 - margin) * lower + margin * upper), (1.0 - margin) * upper + margin * lower)


@kernel
def descended(q: float, down: float, lower: float, upper: float) -> float:
    """Our mirror step: `down` is how far it would take a variable in the middle of its range."""
    width = upper - lower
    if not 0.0 < width < math.inf or down == 0.0:
        return min(max(q - down, lower), upper)
    margin = min(MARGIN, abs(down) / width)
    if down > 0.0 and q - lower <= margin * width:
        return lower
    if down < 0.0 and upper - q <= margin * width:
        return upper
    begin = within_margin(q, lower, upper, margin)
    image = mirrored(begin, lower, upper) - 4.0 * down / (SLOPE * width)
    return within_margin(unmirrored(image, lower, upper), lower, upper, margin)


@kernel
def paper_descended(q: float, pull: float, lower: float, upper: float) -> float:
    """The paper's mirror step (eqs 12, 14) for a pull of α times the gradient."""
    width = upper - lower
    if not 0.0 < width < math.inf:
        return min(max(q - pull, lower), upper)
    return within_margin(unmirrored(mirrored(q, lower, upper) - pull, lower, upper), lower, upper, MARGIN)


@kernel
def _begin(problem: Evaluation, search: Search, room: Room) -> None:
    """Begin at search.q, where the problem was evaluated last; z and k, if there are any, stay."""
    scale = room.scale
    curvature_of(problem.tree, problem.goals, problem.pose, problem.values, scale)
    largest, steep = 0.0, 0.0
    for i in range(scale.shape[0]):
        largest = max(largest, scale[i])
    for i in range(scale.shape[0]):
        # The root: the whole gives variables that move no goal long steps; it takes 620 iterations, no scale 750.
        scale[i] = math.sqrt(max(scale[i], FLATTEST * largest)) if largest > 0.0 else 1.0
        steep += search.gradient[i] * search.gradient[i] / scale[i]
        room.iterate[i] = search.q[i]
    # Polyak's length: half of what would bring the cost to zero were it a parabola. Right in any unit.
    room.numbers[LENGTH] = search.cost[0] / steep if steep > 0.0 else 1.0
    for i in range(SHORT_KEPT):
        room.numbers[SHORT + i] = math.inf
    if room.numbers[COUNT] == 0.0:
        room.numbers[COUNT] = 1.0
        for i in range(scale.shape[0]):
            room.lead[i] = search.q[i]
    room.numbers[BEGUN] = 1.0


@kernel
def _descend(problem: Evaluation, search: Search, room: Room) -> bool:
    """Put a point of sufficiently lower cost into search.trial. False if there is none to be found."""
    for _ in range(TRIES):
        promised = 0.0
        for i in range(search.q.shape[0]):
            q, lower, upper = search.q[i], problem.lower[i], problem.upper[i]
            down = room.numbers[LENGTH] * search.gradient[i] / room.scale[i]
            mirror_end, straight_end = descended(q, down, lower, upper), min(max(q - down, lower), upper)
            search.trial[i] = mirror_end + SHARE * (straight_end - mirror_end)
        project(problem, search.trial)
        for i in range(search.q.shape[0]):
            promised += search.gradient[i] * (search.trial[i] - search.q[i])
        cost = cost_at(problem, search.trial)
        if promised < 0.0 and cost <= search.cost[0] + SUFFICIENT * promised:
            search.cost[0] = cost
            return True
        room.numbers[LENGTH] *= 0.5
    return False


@kernel
def _next_length(problem: Evaluation, search: Search, room: Room) -> float:
    """Barzilai and Borwein's lengths sᵀDs / sᵀy and sᵀy / yᵀD⁻¹y over the variables off their limits, D their scale.

    The first, which suits flat directions; but where the second is far shorter, the least of its last three. With s
    the last move, and y the change of the gradient to that in search.step.
    """
    numbers, moved, along, bent = room.numbers, 0.0, 0.0, 0.0
    for i in range(search.q.shape[0]):
        if problem.lower[i] < search.trial[i] < problem.upper[i]:
            s, y = search.trial[i] - search.q[i], search.step[i] - search.gradient[i]
            moved += s * s * room.scale[i]
            along += s * y
            bent += y * y / room.scale[i]
    if not along > 1e-30 * moved or not math.isfinite(bent):
        return float(4.0 * numbers[LENGTH])  # the cost does not curve upwards here
    numbers[SHORT + int(numbers[BEGUN]) % SHORT_KEPT] = along / bent
    if along / bent > STIFF * moved / along:
        return moved / along
    return float(min(numbers[SHORT], numbers[SHORT + 1], numbers[SHORT + 2]))


@kernel
def _follow_paper(
    problem: Evaluation, search: Search, room: Room, iterations: int, tolerance: float, stop_when_reached: bool
) -> tuple[int, int]:
    """The paper's algorithm 1. Its iterate goes its way whatever the cost; search.q is the best pose that it met."""
    status = ended(problem, search, tolerance, stop_when_reached)
    cost_at(problem, room.iterate)
    gradient_here(problem, search.step)
    done = 0
    while status == RUNNING and done < iterations:
        _paper_step(problem, search, room)
        cost = cost_at(problem, room.iterate)
        gradient_here(problem, search.step)
        done += 1
        if cost <= search.cost[0]:
            for i in range(search.q.shape[0]):
                search.q[i], search.gradient[i] = room.iterate[i], search.step[i]
            search.cost[0] = cost
            status = ended(problem, search, tolerance, stop_when_reached)
        elif not math.isfinite(cost):
            status = STALLED  # α = 1 has taken a variable without limits to infinity
    cost_at(problem, search.q)
    return status, done


@kernel
def _paper_step(problem: Evaluation, search: Search, room: Room) -> None:
    """Move the iterate and z by eqs 12 to 16. The gradient at the iterate is in search.step."""
    count = room.numbers[COUNT]
    share, lead_step = 1.0 / (1.0 + count / SMOOTHNESS), count * STEP / (SMOOTHNESS * REDUCTION)
    for i in range(search.q.shape[0]):
        lower, upper, slope = problem.lower[i], problem.upper[i], search.step[i]
        mirror_end = paper_descended(room.iterate[i], STEP * slope, lower, upper)
        room.lead[i] = min(max(room.lead[i] - lead_step * slope, lower), upper)
        room.iterate[i] = share * room.lead[i] + (1.0 - share) * mirror_end
    project(problem, room.iterate)
    room.numbers[COUNT] += 1.0
