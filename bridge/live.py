"""Live posing: the pose as a function of what is stored. Goals, limits, settings and reference give one pose.

Solving goes on to the end (a small gradient), never by the clock, so a second call changes nothing, and undo, redo and
Esc end where they should. Nothing that matters is kept here: trees and problems only save time.
"""

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import bpy
import numpy as np

from .. import bridge, properties
from ..properties import Character
from ..solvers import Budget, Displacement, Distance, Goal, Level, Problem, Result, Status, solve
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import (
    animated,
    armature,
    asked,
    channels,
    habit,
    modes,
    outcome,
    pelvis,
    pose,
    ready,
    reference,
    signature,
    source_posture,
)
from . import rig as rigs
from .asked import Setting, Wish
from .channels import Bools, Channels
from .facing import Carried
from .habit import Leaning
from .outcome import GoalOutcome, Outcome
from .pelvis import Movers
from .places import Frame
from .reference import Reference
from .relations import taking_part
from .relations.taking_part import Made, Related
from .rig import Rig
from .signature import Signature

# Radians, or metres on a person. A pose that comes back from float32 channels is not quite as it was solved: near a
# straight knee the next solve moves on by 1e-6, and without this a redo would not end where it began.
SETTLED = 4e-6
SOFT = 0.25  # of the posture's weight, where goals are not exact: they are off by half a millimetre on average then
STIFF = 100.0  # times the usual: how held bones give way once a pin cannot hold otherwise
SLIGHT = 1e-4  # metres or radians: a collision does not give way to a pin for less
ALONE = "relations"  # what asks, where relations are solved on request and no goal asks for anything
_QUARTER = 0.5 * np.pi  # radians to either side, where no limit is nearer: how far another posture is looked for

why_not = ready.why_not


class Elsewhere(NamedTuple):
    """A search for another pose that meets the same goals."""

    seed: int = 1
    strength: float = 0.3  # how far the posture is turned from the present one, as a part of the joints' ranges


@dataclass(eq=False)
class Kept:
    """What is kept of a character from solve to solve; all of it can be made again."""

    signature: Signature
    moves: Movers
    whole: Rig
    rig: Rig  # of it, what can move the bones that have goals or relations
    bones: frozenset[str] = frozenset()  # those
    free: frozenset[str] | None = None  # the bones that the mode lets move; None for all
    related: Related = taking_part.NONE
    left: tuple[Channels, Floats] | None = None  # the pose that was written last, and the same as variables
    problem: Problem | None = None
    leaning: Leaning | None = None
    carried: Carried | None = None
    aim: Reference | None = None  # what is stored
    settles: Floats = field(default_factory=lambda: np.zeros(0))  # [variables], the same in the rig's terms
    frames: list[tuple[int, Frame]] = field(default_factory=list)  # where the goals wanted to be at the last solve
    solved: tuple[object, ...] = field(default_factory=tuple)  # what was asked last, to which the pose is the answer
    from_reference: bool = False  # whether that was solved from the reference on, as every new frame is
    together: object = None  # of the first of characters that hold each other: what `bridge.together` keeps

    @functools.cached_property
    def stays(self) -> Bools:
        """The variables [variables] of bones that are not to move, though they could: no goal is on them."""
        names = self.moves.staying - self.bones
        return rigs.variables_of(self.rig, np.array([name in names for name in self.rig.bones], np.bool_))

    @functools.cached_property
    def outside(self) -> Bools:
        """The bones [B] that the mode does not let move."""
        free = self.free
        return np.array([free is not None and name not in free for name in self.rig.bones], np.bool_)

    @functools.cached_property
    def fixed(self) -> Bools:
        """The variables [variables] of those: unlike held ones they never give way."""
        return rigs.variables_of(self.rig, self.outside)


_kept: dict[int, Kept] = {}  # by session_uid


def forget(armature_object: bpy.types.Object | None = None) -> None:
    """Forget what is kept of one character, or of all: after undo, load, disable."""
    if armature_object is None:
        _kept.clear()
        animated.forget()
    else:
        _kept.pop(armature_object.session_uid, None)


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
    key = key_of(wishes) or (ALONE if requested and taking_part.of(armature_object).relations else "")
    if not key:
        return asks_nothing(armature_object, wishes, new_frame)
    # While a goal is dragged, nobody can change the settings of bones: 0.1 ms of looking at them are saved.
    trusting = not itself or any(one.goal.dragged for one in wishes)
    kept, now, start, aim, edited = stand(armature_object, depsgraph, wishes, key, new_frame, trusting)
    frames = [(one.row, one.frame) for one in wishes]
    let_go = bool(aim.held.any() and not edited.any() and kept.frames and kept.frames != frames)
    if let_go:
        aim.settle()  # what was turned by hand was held against goals that stood still; now they move
        reference.store(character, aim)
    settle(kept, aim, now, bool(edited.any()) or let_go)
    kept.frames = frames
    if new_frame:
        start = kept.settles  # not from where the last frame ended: scrubbing either way ends in the same pose
    where = asked.setting(character, depsgraph, kept.rig, kept.settles)
    found = _solve(where, wishes, kept, start, now, aim, elsewhere, new_frame)
    anchor(character, key)
    found.milliseconds = 1000.0 * (time.perf_counter() - begun)
    outcome.note(armature_object, found)
    return found


class Standing(NamedTuple):
    """A character before a solve."""

    kept: Kept
    now: Channels
    start: Floats  # [variables], the same in the rig's terms
    aim: Reference
    edited: Bools  # [B], what somebody else has changed since the last solve


def stand(
    armature_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None,
    wishes: Sequence[Wish],
    key: str,
    new_frame: bool,
    trusting: bool,
    pulled: frozenset[str] = frozenset(),
) -> Standing:
    """Rig, pose and reference of a character, as they are or as they were kept.

    Args:
        armature_object: the original object.
        depsgraph: through which it is read in a render.
        wishes: what its goals ask for.
        key: which goals ask, of all that are solved as one.
        new_frame: the animation has set the pose anew.
        trusting: nobody can have changed more of it than its pose, if the key is the same.
        pulled: bones by which other characters hold it.
    """
    character = properties.character(armature_object)
    before = _kept.get(character.session_uid)
    render = depsgraph is not None and depsgraph.mode == "RENDER"
    source = armature_object.evaluated_get(depsgraph) if render and depsgraph else armature_object
    now = channels.read(source)
    same = character.posewright_anchor == key and not new_frame
    trusted = before if same and trusting else None
    if trusted and trusted.aim and trusted.left and not len(trusted.rig.watched) and now.same(trusted.left[0]):
        now, start = trusted.left  # nobody but us has touched it: what was made of it is still right
        return Standing(trusted, now, start, trusted.aim, np.zeros(len(now.mode), np.bool_))
    aim, edited = _reference(character, key, now, new_frame, trusted)
    related = trusted.related if trusted else taking_part.of(armature_object, before.related if before else None)
    free = trusted.free if trusted else modes.free(armature_object, wishes, related.bones, pulled)
    bones = frozenset(bones_of(wishes)) | related.bones | pulled
    kept, start = rig_of(character, source, now, edited, trusted, bones, free)
    kept.related = related
    return Standing(kept, now, start, aim, edited)


def settle(kept: Kept, aim: Reference, now: Channels, changed: bool) -> None:
    """Have the reference in the rig's terms: the same object, while it is the same."""
    if aim is not kept.aim or changed:
        kept.settles = rigs.values(kept.rig, aim.channels(now))
    kept.aim = aim


def anchor(character: Character, key: str) -> None:
    """Store which goals asked; nothing where relations were solved on request alone."""
    found = key if key != ALONE else ""
    if character.posewright_anchor != found:
        character.posewright_anchor = found


def asks_nothing(armature_object: bpy.types.Object, wishes: Sequence[Wish], new_frame: bool) -> Outcome:
    """No goal asks for anything: leave the pose, but for what other frames have left of it."""
    character = properties.character(armature_object)
    if new_frame:
        _rest(character)
    elif character.posewright_anchor:
        character.posewright_anchor = ""
    found = Outcome(troubles_of(wishes), words="no goal asks for anything that can be done")
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


def key_of(wishes: Sequence[Wish]) -> str:
    """Which goals ask for something. When that changes, the pose that is there becomes the reference: none jumps."""
    return ";".join(
        f"{one.row}{'D' if one.goal.dragged else one.goal.state[0]}{one.goal.bone}" for one in wishes if not one.trouble
    )


def troubles_of(wishes: Sequence[Wish]) -> dict[int, GoalOutcome]:
    """Why goals are left out, by row."""
    return {one.row: GoalOutcome(reached=False, trouble=one.trouble) for one in wishes if one.trouble}


def _reference(
    character: Character, key: str, now: Channels, new_frame: bool, trusted: Kept | None
) -> tuple[Reference, Bools]:
    """The reference for this solve, by what is stored and what has happened to the pose since; and to which bones."""
    aim = trusted.aim if trusted else None
    # Which goals ask may be animated: then the reference is the same on all frames.
    known = bool(character.posewright_anchor) if new_frame else character.posewright_anchor == key
    if aim is None and known and reference.fits(character):
        aim = reference.stored(character)
    if aim is None:
        aim = reference.of_pose(now)
        reference.store(character, aim)
        return aim, np.ones(len(now.mode), np.bool_)
    held = bool(aim.held.any())
    edited = aim.at_frame(now, animated.of(character)) if new_frame else aim.edited(now)
    if not new_frame and edited.any():
        aim.take(edited, now)
    if edited.any() or (held and new_frame):
        aim.leave(now)
        reference.store(character, aim)
    return aim, edited


def _rest(character: Character) -> None:
    """Show the reference on a frame on which no goal asks for anything, though goals do on others."""
    aim = reference.stored(character) if character.posewright_anchor and reference.fits(character) else None
    if aim is None:
        return
    now = channels.read(character)
    aim.at_frame(now, animated.of(character))
    after = aim.channels(now).but_for(~aim.away(now), now)
    pose.put(character, now, after)
    aim.leave(after)
    reference.store(character, aim)


def rig_of(
    character: Character,
    source: bpy.types.Object,
    now: Channels,
    edited: Bools,
    trusted: Kept | None,
    bones: frozenset[str],
    free: frozenset[str] | None,
) -> tuple[Kept, Floats]:
    """The rig as it was read before, if it still is right, else read anew; and the pose that is there, in its terms.

    Limits that gave way to a pose made by hand come back once that bone is turned again: they are read anew too.
    """
    kept = _kept.get(character.session_uid)
    moves = trusted.moves if trusted else pelvis.movers(character)
    sign = trusted.signature if trusted else signature.of(source, moves.translating)
    if kept is not None and kept.signature == sign and kept.moves == moves:
        if (kept.bones, kept.free) != (bones, free):
            rig = kept.rig if kept.bones == bones else rigs.part(kept.whole, bones)
            kept = _kept[character.session_uid] = Kept(sign, moves, kept.whole, rig, bones, free)
        start, gave_way = pose.fitting(kept.rig, source, now), {one.bone for one in kept.rig.widened}
        if start is not None and not any(kept.rig.bones[row] in gave_way for row in np.flatnonzero(edited)):
            return kept, start
    whole = armature.read(source, moves.translating)
    kept = _kept[character.session_uid] = Kept(sign, moves, whole, rigs.part(whole, bones), bones, free)
    outcome.note_frozen(character, whole.frozen)
    return kept, rigs.values(kept.rig, now)


def bones_of(wishes: Sequence[Wish]) -> list[str]:
    """The bones of which something is asked that can be done."""
    return [one.goal.bone for one in wishes if not one.trouble]


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
    last = outcome.of(character)
    solved = kept.solved == (*asks, now.location.tobytes(), now.turned.tobytes())
    if solved and last is not None and elsewhere is None and (kept.from_reference or not new_frame):
        return last
    real = [*(goal for goal in goals.values() if goal is not None), *tied.goals]
    if elsewhere is None:
        result = search(character, kept, real, where.reference, start, held, new_frame, copied)
    else:
        result = search_elsewhere(character, kept, real, start, ~(kept.stays | kept.fixed), elsewhere)
    settled = not new_frame and np.abs(result.q - start).max(initial=0.0) < SETTLED
    after, changed = write(character, kept, now, aim, start if settled else result.q, settled, elsewhere is not None)
    kept.left = (after, result.q if changed or new_frame else start)
    kept.from_reference = new_frame
    kept.solved = (*asks, after.location.tobytes(), after.turned.tobytes()) if elsewhere is None else ()
    return outcome_of(asked.world_unit(where), goals, tied, troubles, result, changed, kept.free)


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
    character: Character, kept: Kept, now: Channels, aim: Reference, q: Floats, settled: bool, elsewhere: bool
) -> tuple[Channels, int]:
    """Give a character the pose `q` [variables] and store that live posing left it so; and how many bones changed.

    A pose that is `settled` stays to the last bit. One that was looked for `elsewhere` is the reference from now on.
    """
    after = now if settled else pose.posed(kept.rig, q, now)
    if kept.free is not None and after is not now:
        after = after.but_for(kept.outside, now)
    changed = pose.put(character, now, after)
    if changed:
        aim.leave(after)
        reference.store_left(character, aim)
    if elsewhere:
        aim.settle()
        kept.aim = None  # what was made of it is no longer right
        reference.store(character, aim)
    return after, changed


def search(
    character: Character,
    kept: Kept,
    goals: Sequence[Goal],
    settles: Floats,
    start: Floats,
    held: Bools,
    new_frame: bool,
    copied: Floats | None,
) -> Result:
    """Solve with held bones where they are; where no pin could hold so, with held bones that give way, stiffly.

    Where pins do not hold even so, and would without collisions, these count like goals. What the mode does not let
    move stays where it is, whatever that means for pins.
    """
    soft = character.posewright_soft
    budget = Budget(iterations=character.posewright_iterations, restarts=0, levels=not soft)
    rests = settles
    if kept.carried is None or not kept.carried.fits(settles, goals):
        kept.carried = Carried(kept.rig, settles, goals)
    settles = kept.carried.found
    if new_frame:
        start = settles
    if kept.leaning is None or kept.leaning.settles is not settles:
        kept.leaning = habit.Leaning(kept.rig, settles)
    leant = kept.leaning.toward(goals, character.posewright_habit)
    weight = character.posewright_posture * (SOFT if soft else 1.0)
    fixed, at, each = kept.fixed, np.where(kept.fixed, start, settles), np.ones(len(start))
    if copied is not None:
        there = np.isfinite(copied) & ~(held | fixed)
        leant, each = np.where(there, copied, leant), source_posture.each(kept.rig.tree, there)
        start = np.where(there, copied, start) if new_frame else start
    posture = Displacement(reference=tuple(leant.tolist()), each=tuple(each.tolist()), weight=weight)
    kept.problem = problem = asked.problem_of(kept.rig, posture, goals, kept.problem)
    problem.hold(held | fixed, at)
    if _rests(problem, goals, rests if new_frame else start, rests):
        at_rest = rests if new_frame else start
        found = solve(problem, at_rest, character.posewright_solver, Budget(iterations=0))
        return replace(found, status=Status.CONVERGED)
    result, holding = solve(problem, start, character.posewright_solver, budget), held | fixed
    if (held & ~fixed).any() and any(
        goal.level == Level.PIN and not error.reached for goal, error in zip(goals, result.errors, strict=False)
    ):
        posture = Displacement(
            reference=posture.reference, weight=posture.weight, each=tuple(np.where(held, STIFF, each).tolist())
        )
        kept.problem = problem = asked.problem_of(kept.rig, posture, goals, problem)
        problem.hold(fixed, at)
        result, holding = solve(problem, result.q, character.posewright_solver, budget), fixed
    if _lost(goals, result) and (fewer := _without_collisions(problem, goals, result)):
        kept.problem = problem = asked.problem_of(kept.rig, posture, fewer, problem)
        problem.hold(holding, at)
        again = solve(problem, start, character.posewright_solver, budget)
        if _lost(goals, again) < _lost(goals, result) - SLIGHT:
            return again
    return result


def _lost(goals: Sequence[Goal], result: Result) -> float:
    """How far all pins are off, metres and radians; collisions are none."""
    return sum(
        error.metres + error.radians
        for goal, error in zip(goals, result.errors, strict=False)
        if goal.level == Level.PIN and not isinstance(goal, Distance) and not error.reached
    )


def _without_collisions(problem: Problem, goals: Sequence[Goal], result: Result) -> list[Goal]:
    """The same goals, with collisions that push somewhere no longer before other goals; none if there are no such.

    A pin holds before everything else: one that is inside of something stays there.
    """
    pushes = problem.residual(result.q)[problem.arrays.row[: len(goals)]] > 0.0
    gives_way = [
        isinstance(goal, Distance) and goal.level == Level.PIN and bool(push)
        for goal, push in zip(goals, pushes, strict=True)
    ]
    if not any(gives_way):
        return []
    return [replace(goal, level=Level.GOAL) if gives else goal for goal, gives in zip(goals, gives_way, strict=True)]


def _rests(problem: Problem, goals: Sequence[Goal], start: Floats, settles: Floats) -> bool:
    """Whether the pose is the reference and meets all goals: then it is the answer.

    Without this, letting a pin go or taking another part of the body would move it by the last thousandths of a
    millimetre that goals are off.
    """
    if np.abs(start - settles).max(initial=0.0) > SETTLED:
        return False
    return all(error.reached for error, _ in zip(problem.errors(start), goals, strict=False))


def search_elsewhere(
    character: Character, kept: Kept, goals: Sequence[Goal], start: Floats, moving: Bools, elsewhere: Elsewhere
) -> Result:
    """Solve toward another posture, drawn at random between the present one and the joints' limits.

    Where the goals are not met from there, by restarts, and at last by a population. What no goal pulls on stays.
    """
    tree = kept.rig.tree
    low, high = np.maximum(tree.lower, start - _QUARTER), np.minimum(tree.upper, start + _QUARTER)
    drawn = start + elsewhere.strength * (np.random.default_rng(elsewhere.seed).uniform(low, high) - start)
    turning = moving.copy()
    turning[_translations(kept.rig)] = False
    aim = np.where(turning, drawn, start)
    posture = Displacement(reference=tuple(aim.tolist()), weight=character.posewright_posture)
    kept.problem = problem = asked.problem_of(kept.rig, posture, goals, kept.problem)
    problem.hold(~moving, start)
    return solve(problem, start, "auto", Budget(iterations=character.posewright_iterations, seed=elsewhere.seed))


def _translations(rig: Rig) -> list[int]:
    """The variables that move a bone rather than turn it."""
    return [int(slot) for body in rig.mover[rig.mover >= 0] for slot in rig.tree.arrays.slot[body, :3] if slot >= 0]


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
    said = "every goal is met" if not off else f"{off} of {len(found.goals)} goals not met"
    if lost := sum(not one.reached for one in found.relations.values()):
        said += f", {lost} of {len(found.relations)} relations not met"
    if found.stopped_by:
        said += f", stopped by {found.stopped_by[0][0]}"
    return f"{said} ({result.status.value})"
