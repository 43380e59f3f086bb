"""What the overlay shows of a character, apart from how it is drawn: its goals, what stops them, the limits of a bone.

Read from what is stored and from the outcome of the last solve, a hundred microseconds or so. What it is put into is in
`signs`, what relations add is in `related`.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy
from mathutils import Matrix, Quaternion, Vector

from .. import bridge, properties
from ..properties import POSEWRIGHT_PG_goal
from . import related
from .signs import REACHED, SKIN, Arc, Line, Mark, Role, Seen, Shapes, Sign, Words, bone_of, distance, root_of
from .tab import axes_of, spoken

if TYPE_CHECKING:
    from ..bridge.limit_shapes import Curve
    from ..bridge.outcome import GoalOutcome

SHORT = 0.02  # of the bone's length: shorter lines are left out
STOPPED_SHOWN = 2  # so many of the joints that stop a pose are marked, the hardest pressed first
TWIST_SIZE = 0.3  # of a bone's length: the radius of the arc of its twist
TWIST_PLACE = 0.55  # of a bone's length: where along the bone that arc is
DEGREE = math.pi / 180.0
MOVES = {"tx", "ty", "tz"}  # what the solvers call the axes along which a bone may be moved


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
    seen = Seen(armature_object, last or bridge.outcome.Outcome(), SKIN * max(armature_object.dimensions[:]), units)
    short_of: set[str] = set()
    for index, goal in enumerate(character.posewright_goals):
        if not goal.mute and (bone := bone_of(armature_object, goal.bone)) is not None:
            try:
                if _add_goal(found, seen, index, goal, bone):
                    short_of.add(root_of(bone))
            except ValueError:  # its target is gone, or its space has no size; the panel says so
                continue
    if len(character.posewright_relations):
        related.add_relations(found, seen)
    if character.posewright_show_shapes and len(character.posewright_shapes):
        related.add_body(found, character)
    if short_of:
        _add_stops(found, seen, short_of)
    if active_bone is not None:
        _add_limits(found, armature_object, active_bone, Role.LIMIT)


def _length(armature_object: bpy.types.Object, bone: bpy.types.PoseBone) -> float:
    """A bone's length in the world."""
    return (armature_object.matrix_world.to_3x3() @ (bone.tail - bone.head)).length


def _add_goal(found: Shapes, seen: Seen, index: int, goal: POSEWRIGHT_PG_goal, bone: bpy.types.PoseBone) -> bool:
    """Add a goal. Returns whether it is not where it should be."""
    character = properties.character(seen.character)
    active = index == character.posewright_active_goal
    handle = bridge.places.handle(character, goal).place
    if not properties.asks(goal):
        found.marks.append(Mark(Sign.RING, handle, Role.IDLE, seen.skin, active))
        return False
    point, short = bridge.places.on_bone(character, goal).place, SHORT * _length(character, bone)
    baked = bool(character.posewright_bake) and not character.posewright_live  # it plays keys, and goals have none
    missing = "" if baked else _missing(goal, seen.last.goals.get(index), (handle - point).length, seen.units)
    role = _role(goal)
    sign = Sign.RING if role is Role.FOLLOWING else Sign.DIAMOND if role is Role.PINNED else Sign.TARGET
    if missing:
        role = Role.STOPPED if any(seen.stops({root_of(bone)})) else Role.OUT_OF_REACH
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


def _add_stops(found: Shapes, seen: Seen, roots: set[str]) -> None:
    """Mark the joints that stop a pose, with the limits that they are at."""
    axes: dict[str, list[str]] = {}
    for bone, axis in seen.stops(roots):
        if bone.name in axes or len(axes) < STOPPED_SHOWN:
            axes.setdefault(bone.name, []).append(axis)
    world = seen.character.matrix_world
    for name, stops in axes.items():
        if (joint := bone_of(seen.character, name)) is not None:
            place, letters = world @ joint.head, {axis: bridge.limit_shapes.letter(joint, axis) for axis in stops}
            names = dict.fromkeys(
                _axis_said(joint, axis, letters[axis]) for axis in sorted(stops, key=letters.__getitem__)
            )
            said = spoken("{axes} limit", axes=", ".join(names))
            found.marks.append(Mark(Sign.JOINT, place, Role.STOPPED, seen.skin))
            found.words.append(Words(place, said, Role.STOPPED, world @ joint.tail))
            _add_limits(found, seen.character, joint, Role.STOPPED, "".join(letters.values()))


def _axis_said(bone: bpy.types.PoseBone, axis: str, letter: str) -> str:
    """An axis as the panel *Joints* calls it, where its limit can be looked up: by the solvers' name and its letter."""
    known = bridge.limit_shapes.stored(bone)
    if known is None or axis in MOVES or letter not in set("XYZ"):
        return letter
    return spoken(axes_of(known.own)["XYZ".index(letter)])


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
