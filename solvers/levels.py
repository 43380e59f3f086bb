"""Three levels, held by multipliers: pins before goals, goals before posture.

Weights alone do not keep levels apart: posture pulls a hand a millimetre off its goal, and a goal out of reach pulls
the pinned feet along. So after each minimum the rows of pins and goals are shifted by what is left of them (the method
of multipliers: a row's multiplier is its weight times its shift) and the search goes on from there. For a goal that
only pushes one way the same rule is that of inequalities.

A pin is shifted by all that is left; for a goal that fades out where the error is larger than posture can have caused.
So a goal out of reach pulls hardly harder than its weight says, and comes into reach without a jump. A goal
that begins very far away pulls no harder than from twice the tree's length, or no pin could hold against it.

Shifts alone are slow where a limb or the spine is nearly straight: six goals on captured people were left 0.3 mm off on
average, the head 0.9. So where all goals are near, which means that none is out of reach and loses by it, those that
are off are made heavier as well: 0.03 mm, in fewer iterations. Pins get heavier with them, or goals that are out of
reach by a millimetre would beat them. Goals that are far out of reach must not get heavier: from one step of a drag to
the next an elbow would bend by 35°. Nor need those that were once, and are off as before: limits or other goals are in
their way, not posture. All get heavier alike, or of two that exclude each other one would win, and only as far as both
pins and goals answer to it. Of 338 straps thirty cannot be met: 12 iterations instead of 20, and 25 instead of 46 where
straps are pins.

Rounds end where shifts do not help, which one short round may say too soon. So pins that are still off by a little at
the end are made heavier and shifted by themselves, from minimum to minimum, until they hold. Without that, 92 of 1,500
bodies with pinned feet and goals in reach and out of it had pins 0.1 to 3 mm off, and were given an earlier pose,
mostly the one that they began in.

A stiff posture holds goals off by centimetres, and nothing in the errors tells that from being out of reach: six goals
with orientations on a body whose back is stiff were left 4 cm off on two frames in five. So where goals are still off
at the end, by no more than posture may have caused, the search goes on with posture eased to a thousandth. If that
brings every goal near, they are in reach, and it stays eased; if not, the answer is the one from before; and between
the two it is eased in part.
"""

import math

from ..compiled import kernel
from .goals.tables import GOAL, PIN, POSTURE, GoalArrays, Values, all_reached, error_of, is_reached
from .rotation import Floats

PIN_WEIGHT = 100.0  # against a goal of the same weight, a round then takes a pin to about 1 % of its error
FAR = 2.0  # of the tree's size: from farther off a goal pulls no harder
ROUNDS = 12  # the most shifts; two or three are usual
BOUND = 0.02  # of the tree's size, or as many radians: a goal farther off is not shifted by all of it

NEAR = 0.002  # of the tree's size, or as many radians: with all errors within it, none is out of reach
HEAVIER, RAISES = 10.0, 3.0  # how much heavier goals get that are off then, and how often
STUBBORN, WILLING = 0.95, 0.25  # what that must leave of their errors, to get no heavier; and how much less, to get all
PIN_ROUNDS, PIN_HALVES = 6.0, 0.5  # how often pins are shifted by themselves, and what that may leave of their errors
HEAVIEST = 1e4  # times the weight that a pin came with
EASED = 1e-3  # what is left of posture that holds reachable goals off
HELD_OFF = 0.04  # of the tree's size, or as many radians: posture does not hold a goal off by more
PIN_NEARER, GOAL_NEARER = 0.95, 0.8  # of their least errors so far: what counts as having come nearer


@kernel
def bound_pulls(goals: GoalArrays, values: Values, size: float) -> bool:
    """Give a goal that is very far off the weight with which it pulls as hard as from FAR times `size`.

    True if there is one.
    """
    found = False
    for goal in range(goals.kind.shape[0]):
        error = _error(goals, values, goal)
        if goals.level[goal] == GOAL and error > FAR * size:
            for row in range(goals.row[goal], goals.row[goal + 1]):
                goals.weight[row] *= FAR * size / error
            found = True
    return found


@kernel
def shift_goals(goals: GoalArrays, values: Values, best: Floats, last: Floats, size: float) -> bool:
    """Shift what is off at the minimum that was evaluated last. False if the last shift did not help, all told.

    `best` [5] has the least sums of errors so far, of pins and of goals, and how often goals were made heavier; zeros
    before the first round. Sums, because one goal may get worse for a round while others get better; and of many, some
    goal always gets better. `last` [G] has what each goal was off by when it was made heavier last.
    """
    pins = others = worst = 0.0
    pins_before = pins_left = others_before = others_left = 0.0  # of those that were made heavier before
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] != 0 and goals.level[goal] != POSTURE:
            worst = max(worst, _error(goals, values, goal))
        if _is_off(goals, values, goal, size):
            error = _error(goals, values, goal)
            again = error if last[goal] > 0.0 else 0.0
            if goals.level[goal] == PIN:
                pins, pins_before, pins_left = pins + error, pins_before + last[goal], pins_left + again
            else:
                others, others_before, others_left = others + error, others_before + last[goal], others_left + again
    answers = min(_answers(pins_before, pins_left), _answers(others_before, others_left))
    heavier = 1.0 + (HEAVIER - 1.0) * answers * fade(worst, NEAR * size) if best[2] < RAISES else 1.0
    helped = _is_less(best, 0, pins, PIN_NEARER)
    helped = _is_less(best, 1, others, GOAL_NEARER) or helped
    if not helped and not (heavier > 1.0 and others > 0.0):
        return False
    best[2] += 1.0 if heavier > 1.0 else 0.0
    for goal in range(goals.kind.shape[0]):
        if _is_off(goals, values, goal, size):
            error = _error(goals, values, goal)
            share = 1.0 if goals.level[goal] == PIN else fade(error, BOUND * size)
            for row in range(goals.row[goal], goals.row[goal + 1]):
                goals.shift[row] += share * (values.pull[row] - goals.shift[row])
            _make_heavier(goals, goal, heavier)
            last[goal] = error if heavier > 1.0 else last[goal]
        elif heavier > 1.0 and goals.level[goal] == PIN:
            _make_heavier(goals, goal, heavier)
    return True


@kernel
def _answers(before: float, left: float) -> float:
    """How well goals have answered to being made heavier: 1 where that took their errors away, 0 where it did not."""
    return min(max((STUBBORN - left / before) / WILLING, 0.0), 1.0) if before > 0.0 else 1.0


@kernel
def _make_heavier(goals: GoalArrays, goal: int, times: float) -> None:
    """Make a goal so many times heavier; its multipliers, weight times shift, stay."""
    for row in range(goals.row[goal], goals.row[goal + 1]):
        goals.shift[row], goals.weight[row] = goals.shift[row] / times, goals.weight[row] * times


@kernel
def shift_pins(goals: GoalArrays, values: Values, best: Floats, came: Floats, size: float) -> bool:
    """Shift pins that are off by a little at the minimum that was evaluated last, and make them heavier.

    False if there are none, or if that does not help any more. `best` [5] has what it has for `shift_goals`, the sum of
    errors when this was done last and how often it was; `came` [M] the weights that the rows came with.
    """
    total = worst = 0.0
    for goal in range(goals.kind.shape[0]):
        if goals.level[goal] == PIN and _is_off(goals, values, goal, size):
            total += _error(goals, values, goal)
            worst = max(worst, _error(goals, values, goal))
    if best[4] >= PIN_ROUNDS or fade(worst, NEAR * size) == 0.0 or not _is_less(best, 3, total, PIN_HALVES):
        return False
    best[4] += 1.0
    for goal in range(goals.kind.shape[0]):
        if goals.level[goal] == PIN and _is_off(goals, values, goal, size):
            heavier = 1.0
            for row in range(goals.row[goal], goals.row[goal + 1]):
                goals.shift[row] = values.pull[row]
                if came[row] > 0.0:
                    heavier = max(1.0, min(HEAVIER, HEAVIEST * came[row] / goals.weight[row]))
            _make_heavier(goals, goal, heavier)
    return True


@kernel
def worst_error(goals: GoalArrays, values: Values) -> float:
    """The largest error of all pins and goals at the pose that was evaluated last; zero if they are all reached."""
    worst = 0.0
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] != 0 and goals.level[goal] != POSTURE and not is_reached(goals, values, goal):
            worst = max(worst, _error(goals, values, goal))
    return worst


@kernel
def is_stubborn(goals: GoalArrays, values: Values, last: Floats, leaves: float) -> bool:
    """Whether the goal that is off most was made heavier, and that has left at least this part of its error.

    Then it is not posture that holds it off: against a heavier goal that counts for less already.
    """
    worst, stubborn = 0.0, False
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] != 0 and goals.level[goal] != POSTURE and not is_reached(goals, values, goal):
            error = _error(goals, values, goal)
            if error > worst:
                worst, stubborn = error, last[goal] > 0.0 and error > leaves * last[goal]
    return bool(stubborn)


@kernel
def ease_posture(goals: GoalArrays, factor: float) -> None:
    """Scale the weights of posture, and the shifts that hold pins and goals against it."""
    for goal in range(goals.kind.shape[0]):
        for row in range(goals.row[goal], goals.row[goal + 1]):
            if goals.level[goal] == POSTURE:
                goals.weight[row] *= factor
            else:
                goals.shift[row] *= factor


@kernel
def _is_less(best: Floats, place: int, error: float, nearer: float) -> bool:
    """Whether something is off, and less so than ever before; that is remembered."""
    if error > 0.0 and (best[place] == 0.0 or error < nearer * best[place]):
        best[place] = error
        return True
    return False


@kernel
def _is_off(goals: GoalArrays, values: Values, goal: int, size: float) -> bool:
    """Whether a goal is to be shifted."""
    if goals.on[goal] == 0 or goals.level[goal] == POSTURE or is_reached(goals, values, goal):
        return False
    return bool(goals.level[goal] == PIN or fade(_error(goals, values, goal), BOUND * size) > 0.0)


@kernel
def fade(error: float, bound: float) -> float:
    """1 for an error within the bound, 0 from twice that on."""
    return min(max(2.0 - error / bound, 0.0), 1.0)


@kernel
def _error(goals: GoalArrays, values: Values, goal: int) -> float:
    total = 0.0
    for row in range(goals.row[goal], goals.row[goal + 1]):
        if goals.weight[row] > 0.0:
            total += values.residual[row] * values.residual[row]
    return math.sqrt(total)


@kernel
def costs_by_level(goals: GoalArrays, values: Values) -> tuple[float, float]:
    """½ Σ w r² of pins and of goals, without shifts."""
    pins = others = 0.0
    for goal in range(goals.kind.shape[0]):
        for row in range(goals.row[goal], goals.row[goal + 1]):
            part = 0.5 * goals.weight[row] * values.residual[row] * values.residual[row]
            if goals.level[goal] == PIN:
                pins += part
            elif goals.level[goal] == GOAL:
                others += part
    return pins, others


@kernel
def is_worse(goals: GoalArrays, values: Values, pins: float, others: float) -> bool:
    """Whether the pose that was evaluated last is worse than one with these costs: its pins, or else its goals.

    Pins that cannot all be had are as good if they are off by no more than a tolerance each beyond that, all told:
    where they are at their least, every other pose has them off by a little more, and a drag would not move at all.
    """
    pins_here, others_here = costs_by_level(goals, values)
    if math.sqrt(pins_here) > math.sqrt(pins) + math.sqrt(_cost_of_tolerances(goals, values)):
        return True
    return pins_here >= pins and others_here > others and not all_reached(goals, values)


@kernel
def _cost_of_tolerances(goals: GoalArrays, values: Values) -> float:
    """What the pins that are off would cost, were each off by its tolerance in its own way; infinite if none is off."""
    total, found = 0.0, False
    for goal in range(goals.kind.shape[0]):
        if goals.on[goal] != 0 and goals.level[goal] == PIN and not is_reached(goals, values, goal):
            found = True
            metres, radians = error_of(goals, values, goal)
            far, turned = goals.tolerance[goal, 0], goals.tolerance[goal, 1]
            if (far > 0.0 or metres == 0.0) and (turned > 0.0 or radians == 0.0):
                times = max(metres / far if far > 0.0 else 0.0, radians / turned if turned > 0.0 else 0.0)
                for row in range(goals.row[goal], goals.row[goal + 1]):
                    one = values.residual[row] / times
                    total += 0.5 * goals.weight[row] * one * one
    return total if found else math.inf


@kernel
def put_posture_aside(goals: GoalArrays, kept: Floats) -> None:
    """Give posture the weight zero, until `put_posture_back` takes its own from `kept` [M]."""
    for goal in range(goals.kind.shape[0]):
        if goals.level[goal] == POSTURE:
            for row in range(goals.row[goal], goals.row[goal + 1]):
                kept[row], goals.weight[row] = goals.weight[row], 0.0


@kernel
def put_posture_back(goals: GoalArrays, kept: Floats) -> None:
    """What `put_posture_aside` took away."""
    for goal in range(goals.kind.shape[0]):
        if goals.level[goal] == POSTURE:
            for row in range(goals.row[goal], goals.row[goal + 1]):
                goals.weight[row] = kept[row]
