"""What the overlay shows of a character, apart from how it is drawn: marks, lines, curves and words, each with a role.

Read from what is stored and from the outcome of the last solve, a hundred microseconds or so; everything is in the
world.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from .. import bridge, properties
from ..properties import Character, POSEWRIGHT_PG_goal, POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from . import capsules
from .tab import spoken

if TYPE_CHECKING:
    from ..bridge.limit_shapes import Curve
    from ..bridge.outcome import GoalOutcome, Outcome

REACHED = 1e-3  # metres: how near is there, where no solve has said so
SHORT = 0.02  # of the bone's length: shorter lines are left out
SKIN = 0.1  # of a character's size: less deep inside something, a sign counts as in front of it, as in its own body
STOPPED_SHOWN = 2  # so many of the joints that stop a pose are marked, the hardest pressed first
TWIST_SIZE = 0.3  # of a bone's length: the radius of the arc of its twist
TWIST_PLACE = 0.55  # of a bone's length: where along the bone that arc is
TAUT = 1e-3  # of its length: a wire that lacks no more of it is taut
DEGREE = math.pi / 180.0


class Role(Enum):
    """What something drawn says; the theme gives each its colour."""

    IDLE = "its handle rides on the bone"
    PINNED = "holds, and is where it should be"
    FOLLOWING = "follows its target, and is there"
    DRAGGED = "is being dragged, and is there"
    OUT_OF_REACH = "cannot be where it should be"
    STOPPED = "a joint's limit keeps it from where it should be"
    LIMIT = "how far a joint goes"
    SLACK = "a wire that could be longer"
    TAUT = "a wire that is as long as it may be"
    HELD = "two bones are held together, or joints follow one another"
    BODY = "a part of the body as collisions see it"
    TOUCHES = "the same, where it touches another"
    STANDS = "a foot that is put onto the ground"
    KEPT = "a foot that stays as it was in the clip"
    BEFORE = "a foot in the clip"
    AFTER = "a foot as it will be"
    HEEL = "the heel touches the ground"
    BALL = "the ball of the foot does"
    TOE = "the toes do"
    GHOST = "another pose that meets the goals"
    SHOWN = "the pose among them that is on the character"
    BEGUN = "where an elite of a search began to descend"
    ENDED = "where it ended"


class Sign(Enum):
    """What a goal or a joint is marked with; the size is on the screen."""

    RING = "an idle or following goal"
    DIAMOND = "a pin"
    TARGET = "a goal that is being dragged"
    DOT = "the point of the bone, where it is not at its goal"
    JOINT = "a joint that stops a goal"


class Mark(NamedTuple):
    """A sign at a place, facing the viewer."""

    sign: Sign
    place: Vector
    role: Role
    skin: float  # metres: less deep behind a surface, it counts as in front
    active: bool = False  # the goal whose settings are shown


class Line(NamedTuple):
    """From one place to another."""

    begin: Vector
    end: Vector
    role: Role
    dashed: bool = False


class Strand(NamedTuple):
    """A line through several places."""

    places: tuple[Vector, ...]
    role: Role


class Arc(NamedTuple):
    """A limit's curve, in a frame that has a bone's size."""

    curve: "Curve"
    frame: Matrix
    role: Role


class Words(NamedTuple):
    """A few words beside a place."""

    place: Vector
    words: str
    role: Role
    away_from: Vector | None = None  # on the side of the place that looks away from this one


@dataclass
class Shapes:
    """All that is shown of the characters in a view."""

    marks: list[Mark] = field(default_factory=list)
    strands: list[Strand] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    arcs: list[Arc] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)


def of_view(context: bpy.types.Context) -> Shapes | None:
    """What the 3D view of a context shows; None for nothing."""
    space, scene = context.space_data, context.scene
    if scene is None or not isinstance(space, bpy.types.SpaceView3D):
        return None
    if not (space.overlay.show_overlays and space.overlay.show_bones):
        return None
    found: Shapes | None = None
    for thing in characters(context):
        active = context.active_pose_bone if context.mode == "POSE" and thing == context.object else None
        found = found or Shapes()
        add_character(found, thing, active, scene.unit_settings)
    return found


def characters(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The characters that are worked on: those in Pose Mode, or the active one and those that follow it."""
    candidates: list[bpy.types.Object] = []
    if context.mode == "POSE":
        candidates = list(context.objects_in_mode)
    elif context.mode == "OBJECT" and context.object is not None:
        candidates = [context.object, *bridge.watch.followers(context.object)]
    return [thing for thing in candidates if thing.type == "ARMATURE" and _has_any(thing) and thing.visible_get()]


def _has_any(armature_object: bpy.types.Object) -> bool:
    """Whether a character has goals, relations or shapes."""
    character = properties.character(armature_object)
    return any(
        len(one) for one in (character.posewright_goals, character.posewright_relations, character.posewright_shapes)
    )


def add_character(
    found: Shapes,
    armature_object: bpy.types.Object,
    active_bone: bpy.types.PoseBone | None,
    units: bpy.types.UnitSettings,
) -> None:
    """Add what is shown of a character: goals, relations, the joints that stop them, the limits of its active bone."""
    character = properties.character(armature_object)
    last = bridge.outcome.of(armature_object) if character.posewright_live else None
    seen = _Seen(armature_object, last or bridge.outcome.Outcome(), SKIN * max(armature_object.dimensions[:]), units)
    short_of: set[str] = set()
    for index, goal in enumerate(character.posewright_goals):
        if not goal.mute and (bone := _bone(armature_object, goal.bone)) is not None:
            try:
                if _add_goal(found, seen, index, goal, bone):
                    short_of.add(_root(bone))
            except ValueError:  # its target is gone, or its space has no size; the panel says so
                continue
    if len(character.posewright_relations):
        _add_relations(found, seen)
    if character.posewright_show_shapes and len(character.posewright_shapes):
        _add_body(found, character)
    if short_of:
        _add_stops(found, seen, short_of)
    if active_bone is not None:
        _add_limits(found, armature_object, active_bone, Role.LIMIT)


class _Seen(NamedTuple):
    """What all goals of a character have in common."""

    character: bpy.types.Object
    last: "Outcome"
    skin: float
    units: bpy.types.UnitSettings

    def stops(self, roots: set[str]) -> Iterator[tuple[bpy.types.PoseBone, str]]:
        """The bones and axes that stop the pose, of the bodies that hang on some roots; the hardest pressed first."""
        for name, axis in self.last.stopped_by:
            bone = _bone(self.character, name)
            if bone is not None and _root(bone) in roots:
                yield bone, axis


def _add_relations(found: Shapes, seen: _Seen) -> None:
    """Add wires, loops, balance, and of the active coupling what follows what."""
    character = properties.character(seen.character)
    points = _Points(character)
    for index, one in enumerate(character.posewright_relations):
        active, outcome = index == character.posewright_active_relation, seen.last.relations.get(index)
        try:
            if one.mute:
                continue
            if one.kind == "WIRE" and len(one.parts) > 1:
                _add_wire(found, seen, points, one, outcome, active)
            elif one.kind == "LOOP" and len(one.parts) == 2:
                _add_loop(found, seen, points, one, outcome)
            elif one.kind == "BALANCE":
                _add_balance(found, seen, one)
            elif one.kind == "COUPLING" and active:
                end = points.of_bone(one.bone).translation
                begins = [points.of_bone(part.bone).translation for part in one.parts]
                found.lines.extend(Line(points.world @ begin, points.world @ end, Role.HELD, True) for begin in begins)
        except ValueError:  # a bone is gone; the panel says so
            continue


def _add_body(found: Shapes, character: Character) -> None:
    """Add the shapes of the body, as they are posed."""
    touching = bridge.collision.touching.of(character)
    for shape in bridge.collision.shapes.stored(character):
        if (bone := _bone(character, shape.bone)) is not None:
            role = Role.TOUCHES if shape.bone in touching else Role.BODY
            frame = character.matrix_world @ bone.matrix
            lines = capsules.lines(Vector(shape.start), Vector(shape.end), shape.radius)
            found.strands.extend(Strand(tuple(frame @ place for place in line), role) for line in lines)


class _Points:
    """Where points of bones are, of a character whose bones many of them share."""

    def __init__(self, character: Character) -> None:
        self.character, self.world = character, character.matrix_world
        self._bones: dict[str, Matrix] = {}
        self._lengths = bridge.relations.relation.lengths(character)

    def of_bone(self, name: str) -> Matrix:
        """A bone in the armature's space. Raises an error where there is none."""
        if name not in self._bones:
            if (bone := _bone(self.character, name)) is None:
                raise bridge.errors.PosewrightError(spoken("there is no bone {bone!r}", bone=name))
            self._bones[name] = bone.matrix
        return self._bones[name]

    def of_parts(self, one: POSEWRIGHT_PG_relation) -> list[Vector]:
        """The points of a relation in the armature's space."""
        on_bone = bridge.relations.points.on_bone
        return [
            self._of_another(part) if part.other else self.of_bone(part.bone) @ on_bone(self._lengths, part)
            for part in one.parts
        ]

    def _of_another(self, part: POSEWRIGHT_PG_relation_part) -> Vector:
        """A point of another character, as seen from this one."""
        return self.world.inverted_safe() @ bridge.relations.points.in_world(self.character, part)


def _add_wire(
    found: Shapes,
    seen: _Seen,
    points: _Points,
    one: POSEWRIGHT_PG_relation,
    outcome: "GoalOutcome | None",
    active: bool,
) -> None:
    """Add a wire; of the active one, its points too, and of one that is too long, by how much."""
    there = points.of_parts(one)
    length = sum((end - begin).length for begin, end in pairwise(there))
    role = Role.TAUT if length > (1.0 - TAUT) * one.length else Role.SLACK
    places = tuple(points.world @ place for place in there)
    if outcome is not None and not (outcome.reached or outcome.trouble):
        role = Role.OUT_OF_REACH
        middle = places[len(places) // 2 - 1].lerp(places[len(places) // 2], 0.5)
        found.words.append(Words(middle, distance(outcome.metres, seen.units), role))
    found.strands.append(Strand(places, role))
    if active:
        found.marks.extend(Mark(Sign.DOT, place, role, seen.skin) for place in places)


def _add_loop(
    found: Shapes, seen: _Seen, points: _Points, one: POSEWRIGHT_PG_relation, outcome: "GoalOutcome | None"
) -> None:
    """Add the two points of a loop, and what is between them."""
    first, second = (points.world @ place for place in points.of_parts(one))
    lacking = outcome is not None and not (outcome.reached or outcome.trouble)
    role = Role.OUT_OF_REACH if lacking else Role.HELD
    found.marks.append(Mark(Sign.RING, first, role, seen.skin))
    found.marks.append(Mark(Sign.DOT, second, role, seen.skin))
    if (first - second).length > REACHED:
        found.lines.append(Line(first, second, role, dashed=not lacking))
    if lacking and outcome is not None:
        found.words.append(Words(first, distance(outcome.metres, seen.units), role, second))


def _add_balance(found: Shapes, seen: _Seen, one: POSEWRIGHT_PG_relation) -> None:
    """Add the centre of mass with its plumb line, and what is stood on; red where it is beyond that."""
    there = bridge.relations.balance.seen(seen.character, one)
    corners, within = there.corners, there.within
    role = Role.HELD if corners and there.inside >= 0.0 else Role.OUT_OF_REACH if corners else Role.IDLE
    found.marks.append(Mark(Sign.TARGET, there.centre, role, seen.skin))
    if not corners:
        return
    height = min(corner.z for corner in corners)
    below = Vector((there.centre.x, there.centre.y, height))
    found.lines.append(Line(there.centre, below, role, dashed=True))
    found.marks.append(Mark(Sign.DOT, below, role, 0.0))
    found.strands.append(Strand((*corners, corners[0]), role))
    if len(within) > 1 and one.inside > 0.0:
        ends = zip(within, (*within[1:], within[0]), strict=True)
        found.lines.extend(Line(begin, end, role, dashed=True) for begin, end in ends)
    if there.inside < 0.0:
        found.words.append(Words(below, distance(-there.inside, seen.units), role))


def distance(metres: float, units: bpy.types.UnitSettings) -> str:
    """A distance for people, in the units of the scene."""
    there = metres * units.scale_length
    if units.system == "METRIC":
        return f"{100.0 * there:.1f} cm" if there < 1.0 else f"{there:.2f} m"
    if units.system == "IMPERIAL":
        return bpy.utils.units.to_string("IMPERIAL", "LENGTH", there, precision=3)
    return f"{metres:.3g}"


def _bone(armature_object: bpy.types.Object, name: str) -> bpy.types.PoseBone | None:
    return armature_object.pose.bones.get(name) if armature_object.pose else None


def _root(bone: bpy.types.PoseBone) -> str:
    """The name of the bone on which it hangs in the end."""
    above = bone
    while above.parent is not None:
        above = above.parent
    return above.name


def _length(armature_object: bpy.types.Object, bone: bpy.types.PoseBone) -> float:
    """A bone's length in the world."""
    return (armature_object.matrix_world.to_3x3() @ (bone.tail - bone.head)).length


def _add_goal(found: Shapes, seen: _Seen, index: int, goal: POSEWRIGHT_PG_goal, bone: bpy.types.PoseBone) -> bool:
    """Add a goal. Returns whether it is not where it should be."""
    character = properties.character(seen.character)
    active = index == character.posewright_active_goal
    handle = bridge.places.handle(character, goal).place
    if not properties.asks(goal):
        found.marks.append(Mark(Sign.RING, handle, Role.IDLE, seen.skin, active))
        return False
    point, short = bridge.places.on_bone(character, goal).place, SHORT * _length(character, bone)
    missing = _missing(goal, seen.last.goals.get(index), (handle - point).length, seen.units)
    role = _role(goal)
    sign = Sign.RING if role is Role.FOLLOWING else Sign.DIAMOND if role is Role.PINNED else Sign.TARGET
    if missing:
        role = Role.STOPPED if any(seen.stops({_root(bone)})) else Role.OUT_OF_REACH
        found.words.append(Words(handle, missing, role, point))
    found.marks.append(Mark(sign, handle, role, seen.skin, active))
    if goal.kind == "LOOK_AT":
        found.lines.append(Line(point, handle, role, dashed=True))
    elif missing and (handle - point).length > short:
        found.marks.append(Mark(Sign.DOT, point, role, seen.skin))
        found.lines.append(Line(point, handle, role))
    if goal.state == "FOLLOWING" and not goal.dragged and goal.target is not None:
        origin = bridge.places.world_matrix(goal.target, None, goal.target_bone).translation
        if (origin - handle).length > short:
            found.lines.append(Line(handle, origin, role, dashed=True))
    return bool(missing)


def _role(goal: POSEWRIGHT_PG_goal) -> Role:
    """What a goal that asks for something is, if it is reached."""
    if goal.dragged:
        return Role.DRAGGED
    return Role.PINNED if goal.state == "PINNED" else Role.FOLLOWING


def _missing(goal: POSEWRIGHT_PG_goal, outcome: "GoalOutcome | None", off: float, units: bpy.types.UnitSettings) -> str:
    """How far a goal is from its place and turn, in words; empty if it is there.

    The last solve knows best, about axes that do not count too. Where there was none, the distance `off` is seen.
    """
    if outcome is None:
        plain = goal.kind == "POSE" and goal.position == 1.0 and all(goal.use_axis)
        return distance(off, units) if plain and off > REACHED else ""
    if outcome.reached:
        return ""
    parts = []
    if outcome.metres > 0.5 * REACHED:
        parts.append(distance(outcome.metres, units))
    if outcome.radians > 0.5 * DEGREE:
        parts.append(f"{outcome.radians / DEGREE:.0f}°")
    return "  ".join(parts)


def _add_stops(found: Shapes, seen: _Seen, roots: set[str]) -> None:
    """Mark the joints that stop a pose, with the limits that they are at."""
    axes: dict[str, list[str]] = {}
    for bone, axis in seen.stops(roots):
        if bone.name in axes or len(axes) < STOPPED_SHOWN:
            axes.setdefault(bone.name, []).append(bridge.limit_shapes.letter(bone, axis))
    world = seen.character.matrix_world
    for name, letters in axes.items():
        if (joint := _bone(seen.character, name)) is not None:
            place, said = world @ joint.head, " ".join(sorted(set(letters)))
            found.marks.append(Mark(Sign.JOINT, place, Role.STOPPED, seen.skin))
            found.words.append(Words(place, spoken("{axes} limit", axes=said), Role.STOPPED, world @ joint.tail))
            _add_limits(found, seen.character, joint, Role.STOPPED, said)


def _add_limits(
    found: Shapes, armature_object: bpy.types.Object, bone: bpy.types.PoseBone, role: Role, only: str = "XYZ"
) -> None:
    """Add the limits of a bone about some of its axes, and where it points now."""
    known = bridge.limit_shapes.stored(bone)
    if known is None:
        return
    frame = bridge.limit_shapes.frame(armature_object, bone, known)
    length = _length(armature_object, bone)
    now = bridge.places.turn_of(armature_object.matrix_world @ bone.matrix)
    shape = bridge.limit_shapes.of(known, frame.to_quaternion().inverted() @ now)
    for curve in shape.curves:
        if set(curve.axes) & set(only):
            placed = _twist_frame(frame, now, shape.twist, length) if curve.axes == "Y" else frame @ _sized(length)
            if curve.axes == "Y" and not curve.twist:  # about an axis of the parent's, but where twists are shown
                placed = _turned(frame.to_quaternion(), placed.translation, TWIST_SIZE * length)
            found.arcs.append(Arc(curve, placed, role))
            at_limit = bool(set(curve.axes) & set(shape.at_limit))
            seen = role if not at_limit else Role.STOPPED
            found.lines.extend(_present(placed, now, curve, length, seen))


def _present(placed: Matrix, now: Quaternion, curve: "Curve", length: float, role: Role) -> Iterator[Line]:
    """Where the bone is between its limits."""
    begin = placed.translation
    if curve.axes == "Y":
        yield Line(begin, begin + now @ Vector((0.0, 0.0, TWIST_SIZE * length)), role)
    elif curve.filled or (curve.closed and curve.axes == "XZ"):
        yield Line(begin, begin + now @ Vector((0.0, length, 0.0)), role)


def _twist_frame(frame: Matrix, now: Quaternion, twist: float, length: float) -> Matrix:
    """The frame of a bone without its twist, on the bone, in the size of the arc."""
    untwisted = now @ Quaternion((0.0, 1.0, 0.0), -twist)
    place = frame.translation + now @ Vector((0.0, TWIST_PLACE * length, 0.0))
    return _turned(untwisted, place, TWIST_SIZE * length)


def _turned(turn: Quaternion, place: Vector, size: float) -> Matrix:
    found = turn.to_matrix().to_4x4() @ _sized(size)
    found.translation = place
    return found


def _sized(size: float) -> Matrix:
    return Matrix.Scale(size, 4)
