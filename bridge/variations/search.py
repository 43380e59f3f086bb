"""Several clearly different poses that meet the same goals, and look like a person.

Postures are drawn around the present one and the joints' habits, by how willingly each joint leaves them; and a memetic
search, born within what is natural, finds ways that lie farther off. Toward each posture the goals are solved as live
posing would, and of what meets them the most natural are kept that are apart (`niches`). Mild postures come first;
bolder ones are drawn where too few are found. The same seed gives the same poses.
"""

import math
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import bpy
import numpy as np

from ... import properties
from ...motion import anatomy
from ...motion.habits import USUAL
from ...solvers import Budget, Displacement, Goal, GoalError, Level, Orientation, Pose, Position, Problem, Result, solve
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import asked, channels, modes, pose, ready, reference, rotations, standing
from .. import rig as rigs
from ..asked import Wish
from ..channels import Channels
from ..reference import Reference
from ..relations import taking_part
from ..roles import stored as roles
from ..rotations import Ints
from ..standing import Kept
from ..together import partners
from . import niches, shown
from .history import History, watched
from .shown import Search, Way

DRAWS = 12  # postures of the same boldness
BOLDNESS = (0.6, 1.0, 1.5, 2.0, 2.5, 3.0, 3.0, 3.0)  # times what joints usually stray
NATURAL = 3.0  # times what joints usually stray: within that the memetic search looks
WIDEST = 0.25 * math.pi  # radians, or metres: no joint strays more at boldness 1, however loose it is
TOWARD = 0.6  # of the way to what the memetic search has found: so far a posture goes
GENERATIONS = 16
LESS = 0.02  # metres on a person: what goals out of reach are asked for less than the best pose can do
NEARLY = 1e-3, math.radians(0.5)  # metres on a person, radians: so much worse than the best, where that is off


class Wanted(NamedTuple):
    """What is looked for."""

    number: int = 6
    apart: float = 0.1  # metres, were the character a person of 1.7 m: some joint is so far from where another has it
    seed: int = 1
    keep_feet: bool = True  # feet stay where they are, and as they are turned, as far as no goal says otherwise
    generations: int = GENERATIONS  # of the memetic search


@dataclass(frozen=True, eq=False)
class Variations:
    """What was found: n poses of B bones, the most natural first. No reference to Blender's data."""

    wanted: Wanted
    key: str  # of the goals that they meet
    poses: list[Channels]
    lines: Floats  # [n, S, 2, 3], bones as lines, in the world
    errors: list[float]  # [n], metres of the world: how far the worst goal is off
    words: str  # how the search went, for people
    reached: bool  # whether they meet the goals, and not only come as near as can be
    complete: bool  # whether as many were found as were wanted


@dataclass(eq=False)
class _Found:
    """Poses that will do, and what became of the others."""

    q: list[Floats] = field(default_factory=list)
    places: list[Floats] = field(default_factory=list)  # [J, 3] each
    strain: list[float] = field(default_factory=list)
    tried: int = 0
    short: int = 0  # that do not meet the goals


def find(
    armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None, wanted: Wanted | None = None
) -> Variations:
    """Find poses; the character stays as it is. Raises an error that says why there are none."""
    work = steps(armature_object, depsgraph, wanted or Wanted())
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: Variations = end.value
            return found


def steps(
    armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None, wanted: Wanted
) -> Generator[float, None, Variations]:
    """The same in steps of some milliseconds, with how far it is, from 0 to 1. Blender's data is read in the first."""
    uid, body = armature_object.session_uid, _Body(armature_object, depsgraph, wanted)
    yield 0.0
    best = body.best()
    yield 0.05
    found, history = _Found(), History()
    for done, _ in enumerate(
        watched(body.narrow(), body.start, wanted.seed, wanted.number + 1, wanted.generations, history)
    ):
        yield 0.05 + 0.3 * done / wanted.generations
    shown.keep_search(uid, body.search_of(history))
    chance = np.random.default_rng(wanted.seed)
    for one in history.solutions:
        body.take(found, body.middle + TOWARD * (one - body.middle), one, best)
        yield 0.35
    rows = list[int]()
    for done, boldness in enumerate(BOLDNESS):
        for draw in range(DRAWS):
            drawn = body.drawn(chance, boldness)
            body.take(found, drawn, drawn, best)
            yield 0.35 + 0.65 * (done + draw / DRAWS) / len(BOLDNESS)
        rows = niches.kept(found.places, found.strain, wanted.apart, [body.places(best.q)])
        if len(rows) >= wanted.number:
            break
    if not rows:
        raise PosewrightError(f"No other pose was found: {body.short or _why(found, wanted, 0)}")
    return body.variations(found, rows[: wanted.number])


class _Body:
    """A character and what is asked of it, as arrays."""

    def __init__(
        self, armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None, wanted: Wanted
    ) -> None:
        self._wanted = wanted
        wishes = _wishes(armature_object, depsgraph)
        character = properties.character(armature_object)
        self._key, self._now = standing.key_of(wishes), channels.read(armature_object)
        known = roles.known(armature_object)
        asking = frozenset(standing.bones_of(wishes))
        legs = frozenset(bone for role, bone in known.items() if anatomy.part(role) == "foot")
        feet = legs - asking if wanted.keep_feet else frozenset[str]()
        nobody = np.zeros(len(self._now.mode), np.bool_)
        related = taking_part.of(armature_object)
        free, bones = modes.free(armature_object, wishes, related.bones), asking | feet | related.bones
        self._kept, self.start = standing.rig_of(character, armature_object, self._now, nobody, None, bones, free)
        rig = self._kept.rig
        aim = _reference(armature_object, self._key, self._now)
        settles = rigs.values(rig, aim.channels(self._now))
        where = asked.setting(armature_object, depsgraph, rig, settles)
        self._world, self._unit = np.array(where.world), asked.world_unit(where)
        made = [(one.goal.name, asked.goal_of(where, one)) for one in wishes if not one.trouble]
        self._named = [(name, goal) for name, goal in made if goal is not None]
        if not self._named:
            raise PosewrightError("The goals have no influence: there is nothing that poses could have in common")
        tied = related.made(where)
        names = [character.posewright_relations[row].name for row in tied.rows]
        self._named += zip(names, tied.goals, strict=True)
        self._goals, self._live = [goal for _, goal in self._named], character.posewright_live
        placed = {goal.joint for _, goal in self._named if isinstance(goal, Position)}
        turned = {goal.joint for _, goal in self._named if isinstance(goal, Pose | Orientation)}
        loose = {bone for bone in legs & asking if rig.frame_names[bone] in placed - turned}
        self._feet = self._standing(sorted(feet | loose), loose) if wanted.keep_feet else []
        self._feet_go_along, self.short = False, ""  # the latter: which goal is out of reach, for people
        self._still = rigs.variables_of(rig, aim.held) | self._kept.stays | self._kept.fixed
        if self._still.all():
            raise PosewrightError(
                "Nothing may move: all bones are held by hand, moved by something else, or outside what the mode lets "
                "move"
            )
        self._weight, self._iterations = character.posewright_posture, character.posewright_iterations
        habits = np.where(np.isfinite(rig.habits), rig.habits, self.start)
        self._habits = np.clip(habits, rig.tree.lower, rig.tree.upper)
        self.middle = 0.5 * (self.start + self._habits)
        stray = np.minimum(USUAL / np.sqrt(np.maximum(rig.tree.stiffness, 1e-9)), WIDEST)
        self._anchored, held_down = bool(legs & asking), bool(legs & (asking | feet))
        self._pelvis = rigs.variables_of(rig, rig.mover >= 0)
        self._stray = np.where(self._still | (self._pelvis & (not held_down)), 0.0, stray)
        self._problem = self._new_problem()
        self._telling = niches.telling(self._kept.whole, known)
        self._lines = _drawn_bones(armature_object, self._kept, known)

    def _standing(self, feet: Sequence[str], placed: Collection[str]) -> list[Goal]:
        """Pins for feet where they are: for their turn only, where a goal says their place."""
        rig, now, found = self._kept.rig, self._kept.rig.tree.pose(self.start), list[Goal]()
        for bone in feet:
            joint = rig.frame_names[bone]
            place, turn = (part[rig.tree.index(joint)] for part in (now.positions, now.rotations))
            if bone in placed:
                found.append(Orientation(joint, turn, level=Level.PIN))
            else:
                found.append(Pose(joint, place, turn, level=Level.PIN))
        return found

    def _new_problem(self) -> Problem:
        goals = [*self._goals, *self._feet]
        problem = asked.problem_of(self._kept.rig, self._posture(self.start), goals, None)
        problem.hold(self._still, self.start)
        return problem

    def _posture(self, toward: Floats) -> Displacement:
        inside = np.where(self._still, self.start, toward)
        return Displacement(reference=inside, weight=self._weight)

    def _solved(self, toward: Floats, begin: Floats, solver: str = "levenberg") -> Result:
        problem = self._problem
        problem.change(len(problem.goals) - 1, self._posture(toward))
        begin = np.where(self._still, self.start, begin)
        restarts = 0 if solver == "levenberg" else Budget.restarts
        budget = Budget(iterations=self._iterations, restarts=restarts, seed=self._wanted.seed)
        return solve(problem, begin, solver, budget)

    def _errors(self, result: Result) -> list[GoalError]:
        """Of all goals but the posture."""
        return result.errors[:-1]

    def best(self) -> Result:
        """The pose next to the present one. Feet without a goal go along where it cannot be had otherwise."""
        result = self._solved(self.start, self.start)
        if not _met(self._errors(result)):
            result = self._solved(self.start, self.start, "auto")
        if not _met(self._errors(result)) and self._feet:
            feet, self._feet = self._feet, []
            self._problem = self._new_problem()
            without = self._solved(self.start, self.start, "auto")
            if _met(self._errors(without)):
                self._feet_go_along = True
                self._stray[self._pelvis & (not self._anchored)] = 0.0  # nothing holds the body in its place any more
                return without
            self._feet = feet
            self._problem = self._new_problem()
        self.short = self._out_of_reach(result)
        return self._brought_into_reach(result) if self.short else result

    def _brought_into_reach(self, best: Result) -> Result:
        """Have goals ask for a little less than the best pose could do: stretched to its end, a body has only one."""
        placed = self._kept.rig.tree.pose(best.q)
        for row, (goal, error) in enumerate(zip(self._goals, best.errors, strict=False)):
            if error.reached or not isinstance(goal, Position | Pose | Orientation):
                continue
            turn = placed.rotations[self._kept.rig.tree.index(goal.joint)]
            if isinstance(goal, Orientation):
                self._goals[row] = replace(goal, target=turn)
                continue
            there, wanted = self._point(goal, best.q), goal.position if isinstance(goal, Pose) else goal.target
            back = there - np.asarray(wanted, float)
            place = there + LESS * back / max(float(np.linalg.norm(back)), LESS)
            self._goals[row] = (
                replace(goal, position=place, rotation=turn) if isinstance(goal, Pose) else replace(goal, target=place)
            )
        self._problem = self._new_problem()
        return self._solved(best.q, best.q)

    def narrow(self) -> Problem:
        """The same problem, with joints that stay within what is natural."""
        problem, room = self._new_problem(), NATURAL * self._stray
        low, high = np.minimum(self.start, self._habits) - room, np.maximum(self.start, self._habits) + room
        limits = problem.evaluation
        limits.lower[:] = np.where(self._still, limits.lower, np.maximum(limits.lower, low))
        limits.upper[:] = np.where(self._still, limits.upper, np.minimum(limits.upper, high))
        return problem

    def drawn(self, chance: np.random.Generator, boldness: float) -> Floats:
        """A posture somewhere between the present one and the habits, and some way off [variables]."""
        tree, share = self._kept.rig.tree, chance.uniform()
        away = boldness * self._stray * chance.normal(size=len(self.start))
        toward = np.where(self._stray > 0.0, self.start + share * (self._habits - self.start), self.start)
        found: Floats = np.clip(toward + away, tree.lower, tree.upper)
        return found

    def take(self, found: _Found, toward: Floats, begin: Floats, best: Result) -> None:
        """Solve toward a posture, and take what comes of it if it will do."""
        result = self._solved(toward, best.q if self.short else begin)  # from afar, few come where hardly any can be
        found.tried += 1
        if not _will_do(self._errors(result), self._errors(best)):
            found.short += 1
            return
        found.q.append(result.q)
        found.places.append(self.places(result.q))
        found.strain.append(self._strain(result.q))

    def places(self, q: Floats) -> Floats:
        """Where the joints are that tell poses apart [J, 3]."""
        whole = self._whole(self._channels(q))
        return niches.ends(self._kept.whole, self._telling, np.zeros(len(self._telling)), whole)[:, 0]

    def _strain(self, q: Floats) -> float:
        """How far a pose is from anything between the present one and the habits, by the joints' stiffness."""
        low, high = np.minimum(self.start, self._habits), np.maximum(self.start, self._habits)
        off = np.maximum(low - q, 0.0) + np.maximum(q - high, 0.0)
        return float((self._kept.rig.tree.stiffness * off**2).sum())

    def _channels(self, q: Floats) -> Channels:
        after = pose.posed(self._kept.rig, q, self._now)
        return after.but_for(self._kept.outside, self._now) if self._kept.free is not None else after

    def _whole(self, after: Channels) -> Floats:
        return rigs.values(self._kept.whole, after)

    def _in_the_world(self, points: Floats) -> Floats:
        """From the tree's space [..., 3] to the world."""
        found: Floats = points @ self._world[:3, :3].T + self._world[:3, 3]
        return found

    def search_of(self, history: History) -> Search:
        """A search as it is drawn and reported."""
        shape, ways = (len(history.best), len(history.begun_costs[0]) if history.best else 0), list[Way]()
        for name, goal in self._named:
            if isinstance(goal, Position | Pose):
                target = np.asarray(goal.position if isinstance(goal, Pose) else goal.target, float)
                begun, ended = (
                    np.array([self._point(goal, q) for poses in moments for q in poses]).reshape(*shape, 3)
                    for moments in (history.begun, history.ended)
                )
                ways.append(Way(name, *map(self._in_the_world, (target, begun, ended))))
        before, after = (np.array(costs).reshape(shape) for costs in (history.begun_costs, history.ended_costs))
        best = np.array(history.best)
        return Search(self._wanted.seed, best, before, after, history.found, history.wipe_outs, ways)

    def _point(self, goal: Position | Pose, q: Floats) -> Floats:
        """Where the point of a goal is at `q`, in the tree's space [3]."""
        tree = self._kept.rig.tree
        body, placed = tree.index(goal.joint), tree.pose(q)
        turn = rotations.matrices(placed.rotations[body][None])[0]
        found: Floats = placed.positions[body] + turn @ np.asarray(goal.point, float)
        return found

    def _out_of_reach(self, best: Result) -> str:
        """Which goal the best pose misses most, for people; nothing if it meets all."""
        errors = best.errors[: len(self._named)]
        name, error = max(
            ((name, error) for (name, _), error in zip(self._named, errors, strict=True)),
            key=lambda one: (not one[1].reached, one[1].metres, one[1].radians),
        )
        if error.reached:
            return ""
        by = (
            f"{100.0 * self._unit * error.metres:.1f} cm"
            if error.metres > LESS
            else f"{math.degrees(error.radians):.0f}°"
        )
        return f"{name!r} is out of reach by {by}"

    def variations(self, found: _Found, rows: Sequence[int]) -> Variations:
        """What was chosen, as channels and as lines in the world."""
        poses = [self._channels(found.q[row]) for row in rows]
        bones, lengths = self._lines
        lines = np.array([niches.ends(self._kept.whole, bones, lengths, self._whole(one)) for one in poses])
        errors = [self._unit * max(error.metres for error in self._problem.errors(found.q[row])[:-1]) for row in rows]
        complete = len(rows) >= self._wanted.number
        words = f"{len(rows)} poses" if complete else f"{len(rows)} of {self._wanted.number} poses"
        if not complete:
            words += f": {_why(found, self._wanted, len(rows))}"
        if self.short:
            words += f". {self.short}: all come within {100.0 * LESS:.0f} cm of the best"
            words += "; while Live is on, it pulls them there" if self._live else ""
        if self._feet_go_along:
            words += ". Feet that are not pinned go along, or turn: the goals cannot be had otherwise"
        return Variations(
            self._wanted, self._key, poses, self._in_the_world(lines), errors, words, not self.short, complete
        )


def _wishes(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> list[Wish]:
    """What the goals ask for. Raises an error where that is nothing that can be done."""
    if reason := ready.why_not(armature_object) or modes.why_not(armature_object):
        raise PosewrightError(reason)
    others = [one.name for one in partners.group(armature_object) if one != armature_object]
    if others:
        held = " and ".join(map(repr, others))
        raise PosewrightError(f"{armature_object.name!r} and {held} hold each other: variations are of one character")
    wishes = asked.wishes(armature_object, depsgraph)
    if not wishes:
        raise PosewrightError("No goal is pinned or follows anything: pin what all poses are to have in common")
    if all(one.trouble for one in wishes):
        raise PosewrightError(f"The goal {wishes[0].goal.name!r}: {wishes[0].trouble}")
    return wishes


def _reference(armature_object: bpy.types.Object, key: str, now: Channels) -> Reference:
    """The stored reference if it is that of these goals, else the present pose."""
    known = properties.character(armature_object).posewright_anchor == key
    return (reference.stored(armature_object) if known else None) or reference.of_pose(now)


def _drawn_bones(armature_object: bpy.types.Object, kept: Kept, known: dict[str, str]) -> tuple[Ints, Floats]:
    """The bones that make a stick figure: their rows [S], and their lengths [S] in the tree's units.

    Those with a role but for fingers, and what is above them as far as it moves; all, where no role is known.
    """
    bones, rig = channels.pose_bones(armature_object), kept.whole
    names = {bone for role, bone in known.items() if anatomy.part(role) not in anatomy.FINGERS}
    names |= {above.name for name in names for above in bones[name].parent_recursive}
    wanted = np.array([(name in names or not names) and name not in kept.moves.staying for name in rig.bones])
    rows = np.flatnonzero(wanted & (rig.shown >= 0))
    return rows, rig.scale * np.array([bones[row].bone.length for row in rows.tolist()])


def _met(errors: Sequence[GoalError]) -> bool:
    return all(error.reached for error in errors)


def _will_do(errors: Sequence[GoalError], best: Sequence[GoalError]) -> bool:
    """Whether a pose meets the goals or, where they cannot be met, comes as near as the best."""
    metres, radians = NEARLY
    return all(
        one.reached
        or (not least.reached and one.metres <= least.metres + metres and one.radians <= least.radians + radians)
        for one, least in zip(errors, best, strict=True)
    )


def _why(found: _Found, wanted: Wanted, count: int) -> str:
    """Why not as many were found as were wanted."""
    alike = found.tried - found.short - count
    parts = [f"{found.short} do not meet the goals"] if found.short else []
    parts += [f"{alike} are less than {100.0 * wanted.apart:.0f} cm from another pose"] if alike else []
    said = f"of {found.tried} that were tried, {' and '.join(parts)}"
    return said + ("; a smaller Difference finds more" if alike else "; fewer goals or pins leave more freedom")
