"""Live posing: the pose as a function of what is stored. Goals, limits, settings and reference give one pose.

Solving goes on to the end (a small gradient), never by the clock, so a second call changes nothing, and undo, redo and
Esc end where they should. `standing` says what there is before a solve, `searching` finds the pose; here it is written.
"""

import time
from collections.abc import Sequence

import bpy
import numpy as np

from .. import bridge, properties
from ..properties import Character
from ..solvers import Goal, Result, Status
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import animated, asked, channels, outcome, pose, ready, reference, searching, source_posture, standing
from . import rig as rigs
from .asked import Setting, Wish
from .channels import Channels
from .outcome import GoalOutcome, Outcome
from .reference import Reference
from .relations import taking_part
from .relations.taking_part import Made
from .searching import SETTLED, Elsewhere
from .standing import ALONE, Kept

NOTHING_ASKED = "Nothing is dragged, pinned or follows anything"
NOTHING_HAD = "No goal can be had: the red rows of the list say why"

why_not = ready.why_not
forget = standing.forget


def told(error: Exception) -> str:
    """What went wrong, for people: our own errors say it, others say at least what they are."""
    return str(error) if isinstance(error, PosewrightError) else f"{type(error).__name__}: {error}"


def update(
    armature_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None = None,
    new_frame: bool = False,
    itself: bool = True,
    elsewhere: Elsewhere | None = None,
    requested: bool = False,
    members: Sequence[bpy.types.Object] | None = None,
) -> Outcome:
    """Solve a character and write its pose, if its goals ask for anything. Raises an error where it cannot be posed.

    Characters that hold each other are solved as one, whoever of them it is.

    Args:
        armature_object: the original object.
        depsgraph: through which goals are read; None for the objects as they are.
        new_frame: the animation has set the pose anew: that is the reference then, and nothing is held.
        itself: whether the character itself may have changed, and not only what its goals follow.
        elsewhere: look for another pose than the nearest; what is found is the reference from then on.
        requested: solve relations also where no goal asks for anything.
        members: those that are solved as one with it, itself included, if that is known (`bridge.together.partners`).
    """
    begun = time.perf_counter()
    character = properties.character(armature_object)
    if reason := why_not(armature_object):
        raise PosewrightError(reason)
    several = bridge.together.partners.group(armature_object) if members is None else members
    if len(several) > 1:
        when = bridge.together.posing.When(depsgraph, new_frame, itself, elsewhere, requested)
        return bridge.together.posing.update(armature_object, several, when)
    wishes = asked.wishes(armature_object, depsgraph)
    key = standing.key_of(wishes) or (ALONE if requested and taking_part.of(armature_object).relations else "")
    if not key:
        return asks_nothing(armature_object, wishes, new_frame)
    # While a goal is dragged, nobody can change the settings of bones: 0.1 ms of looking at them are saved.
    trusting = not itself or any(one.goal.dragged for one in wishes)
    kept, now, start, aim, edited = standing.stand(armature_object, depsgraph, wishes, key, new_frame, trusting)
    frames = [(one.row, one.frame) for one in wishes]
    let_go = bool(aim.held.any() and not edited.any() and kept.frames and kept.frames != frames)
    if let_go:
        aim.settle()  # what was turned by hand was held against goals that stood still; now they move
        reference.store(character, aim)
    standing.settle(kept, aim, now, bool(edited.any()) or let_go)
    kept.frames = frames
    if new_frame:
        start = kept.settles  # not from where the last frame ended: scrubbing either way ends in the same pose
    where = asked.setting(character, depsgraph, kept.rig, kept.settles)
    found = _solve(where, wishes, kept, start, now, aim, elsewhere, new_frame)
    standing.anchor(character, key)
    found.milliseconds = 1000.0 * (time.perf_counter() - begun)
    outcome.note(armature_object, found)
    return found


def asks_nothing(armature_object: bpy.types.Object, wishes: Sequence[Wish], new_frame: bool) -> Outcome:
    """No goal asks for anything: leave the pose, but for what other frames have left of it."""
    character = properties.character(armature_object)
    if new_frame:
        _rest(character)
    elif character.posewright_anchor:
        character.posewright_anchor = ""
    found = Outcome(troubles_of(wishes), words=NOTHING_HAD if wishes else NOTHING_ASKED)
    found.relations = taking_part.of(armature_object).troubles
    outcome.note(armature_object, found)
    return found


def solve_once(
    armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None, elsewhere: Elsewhere | None = None
) -> Outcome:
    """Solve on request, relations by themselves too. Raises an error where nothing asks for what can be done."""
    wishes, related = asked.wishes(armature_object, depsgraph), taking_part.of(armature_object)
    if not wishes and not related.relations:
        raise PosewrightError("No goal is pinned or follows anything: there is nothing to solve")
    if wishes and not related.relations and all(one.trouble for one in wishes):
        raise PosewrightError(f"The goal {wishes[0].goal.name!r}: {wishes[0].trouble}")
    return update(armature_object, depsgraph, elsewhere=elsewhere, requested=True)


def troubles_of(wishes: Sequence[Wish]) -> dict[int, GoalOutcome]:
    """Why goals are left out, by row."""
    return {one.row: GoalOutcome(reached=False, trouble=one.trouble) for one in wishes if one.trouble}


def _rest(character: Character) -> None:
    """Show the reference on a frame on which no goal asks for anything, though goals do on others."""
    aim = reference.stored(character) if character.posewright_anchor else None
    if aim is None:
        return
    now = channels.read(character)
    aim.at_frame(now, animated.of(character))
    after = _at_rest(aim, now)
    pose.put(character, now, after)
    aim.leave(after)
    reference.store(character, aim)


def _at_rest(aim: Reference, now: Channels) -> Channels:
    """The reference as channels: bones that are there keep theirs to the last bit."""
    return aim.channels(now).but_for(~aim.away(now), now)


def _solve(
    where: Setting,
    wishes: Sequence[Wish],
    kept: Kept,
    start: Floats,
    now: Channels,
    aim: Reference,
    elsewhere: Elsewhere | None,
    new_frame: bool,
) -> Outcome:
    character, rig = properties.character(where.character), kept.rig
    goals = {one.row: asked.goal_of(where, one) for one in wishes if not one.trouble}
    troubles, tied = troubles_of(wishes), kept.related.made(where)
    held = (rigs.variables_of(rig, aim.held) | kept.stays) if aim.held.any() else kept.stays
    copied = source_posture.wanted(where.character, wishes, rig, now, where.depsgraph)
    posture = b"" if copied is None else copied.tobytes()
    asks = goals, tied, troubles, settings_of(character), where.reference.tobytes(), held.tobytes(), posture
    last = standing.last_said(kept, [character])
    solved = kept.solved == (*asks, now.location.tobytes(), now.turned.tobytes())
    if solved and last and elsewhere is None and (kept.from_reference or not new_frame):
        return last[0]
    real = [*(goal for goal in goals.values() if goal is not None), *tied.goals]
    if elsewhere is None:
        result = searching.nearest(character, kept, real, where.reference, start, held, new_frame, copied)
    else:
        result = searching.another(character, kept, real, start, ~(kept.stays | kept.fixed), elsewhere)
    settled = not new_frame and np.abs(result.q - start).max(initial=0.0) < SETTLED
    q, other = start if settled else result.q, elsewhere is not None
    after, changed = write(character, kept, now, aim, q, settled, other, new_frame)
    kept.left = (after, result.q if changed or new_frame else start)
    kept.from_reference = new_frame
    kept.solved = (*asks, after.location.tobytes(), after.turned.tobytes()) if elsewhere is None else ()
    found = outcome_of(asked.world_unit(where), goals, tied, troubles, result, changed, kept.free)
    kept.answers = (found,)
    return found


def settings_of(character: Character) -> tuple[object, ...]:
    """What of a character says how it is solved."""
    return (
        character.posewright_solver,
        character.posewright_iterations,
        character.posewright_posture,
        character.posewright_habit,
        character.posewright_soft,
    )


def write(
    character: Character,
    kept: Kept,
    now: Channels,
    aim: Reference,
    q: Floats,
    settled: bool,
    elsewhere: bool,
    new_frame: bool,
) -> tuple[Channels, int]:
    """Give a character the pose `q` [variables] and store that live posing left it so; and how many bones changed.

    A pose that is `settled` stays to the last bit. One that was looked for `elsewhere` is the reference from now on. On
    a `new_frame` bones that nothing moves there are at the reference, and not where goals of the last frame left them.
    """
    before = _at_rest(aim, now) if new_frame else now
    after = before if settled else pose.posed(kept.rig, q, before)
    if kept.free is not None and after is not before:
        after = after.but_for(kept.outside, before)
    changed = pose.put(character, now, after)
    if changed:
        aim.leave(after)
        reference.store_left(character, aim)
    if elsewhere:
        aim.settle()
        kept.aim = None  # what was made of it is no longer right
        reference.store(character, aim)
    return after, changed


def outcome_of(
    unit: float,
    goals: dict[int, Goal | None],
    tied: Made,
    troubles: dict[int, GoalOutcome],
    result: Result,
    changed: int,
    free: frozenset[str] | None,
    whose: tuple[int, str] = (0, ""),
) -> Outcome:
    """What a solve came to for a character.

    Of several solved as one, `whose` says where its goals begin in the problem, and what its joints' names begin with.
    """
    first, before = whose
    found, errors = Outcome(dict(troubles), iterations=result.iterations, changed=changed), iter(result.errors[first:])
    for index, goal in goals.items():
        error = next(errors) if goal is not None else None
        found.goals[index] = GoalOutcome(error.metres * unit, error.radians, error.reached) if error else GoalOutcome()
    found.relations = tied.outcomes([next(errors) for _ in tied.rows], unit)
    if not all(one.reached for one in (*found.goals.values(), *found.relations.values())):
        hits = ((hit.joint.removeprefix(before), hit) for hit in result.limits_hit if hit.joint.startswith(before))
        found.stopped_by = tuple((joint, hit.axis) for joint, hit in hits if free is None or joint in free)
    found.words = _words(found, result)
    return found


def _words(found: Outcome, result: Result) -> str:
    off = sum(not one.reached for one in found.goals.values())
    said = "Every goal is met" if not off else f"{off} of {len(found.goals)} goals not met"
    if lost := sum(not one.reached for one in found.relations.values()):
        said += f", {lost} of {len(found.relations)} relations not met"
    if found.stopped_by:
        said += f", stopped by {found.stopped_by[0][0]}"
    return f"{said}; not finished: raise Iterations" if result.status == Status.OUT_OF_ITERATIONS else said
