"""What the stored goals ask of a rig now, as goals of the solvers, in the tree's space and size."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers import Displacement, Goal, Level, LookAt, Orientation, Pose, Position, Problem
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import places
from .places import Frame
from .rig import Rig

Numbers = tuple[float, ...]
FARTHEST = 1e4  # metres, were the character a person: beyond it only the direction counts
STRAIGHT = (1.0, 0.0, 0.0, 0.0)
NOWHERE = Frame(Vector(), Quaternion())


class Wish(NamedTuple):
    """A stored goal that asks for something: where it wants to be in the world, or why it cannot say."""

    row: int  # its place in the list of stored goals
    goal: POSEWRIGHT_PG_goal
    frame: Frame
    trouble: str = ""


class Setting(NamedTuple):
    """What all goals of a character have in common."""

    character: bpy.types.Object
    depsgraph: bpy.types.Depsgraph | None
    rig: Rig
    world: Matrix  # from the tree's space, in the tree's units, to the world
    inverse: Matrix
    turn: Quaternion  # the inverse of the turn in it
    reference: Floats  # [variables]
    others: Mapping[int, Rig] = {}  # those that are solved together with it, by `session_uid`, in the same tree


def wishes(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> list[Wish]:
    """What the goals that are not idle ask for.

    None can be had while the character is scaled to nothing, as one that pops up is, or one whose scale is being typed.
    """
    found, seen = list[Wish](), dict[tuple[str, str, str], str]()
    data: Any = armature_object.data
    nowhere = "" if has_size(armature_object, depsgraph) else f"{armature_object.name!r} is scaled to nothing"
    for index, goal in properties.asking(armature_object):
        same = goal.kind, goal.bone, goal.point if goal.kind == "POSE" else ""
        try:
            if nowhere:
                raise PosewrightError(nowhere)
            if goal.bone not in data.bones:
                raise PosewrightError(f"there is no bone {goal.bone!r}" if goal.bone else "it has no bone")
            if same in seen and goal.point != "OFFSET":
                raise PosewrightError(f"{seen[same]!r} asks the same of {goal.bone!r}")
            found.append(Wish(index, goal, places.target(armature_object, goal, depsgraph)))
        except PosewrightError as error:
            found.append(Wish(index, goal, NOWHERE, str(error)))
        seen.setdefault(same, goal.name)
    return found


def has_size(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> bool:
    """Whether a character is scaled neither to nothing nor by what is no number."""
    return places.has_size(places.world_matrix(armature_object, depsgraph))


def setting(
    armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None, rig: Rig, reference: Floats
) -> Setting:
    """Where the character stands now."""
    world = places.world_matrix(armature_object, depsgraph) @ Matrix.Scale(1.0 / rig.scale, 4)
    back = places.inverse(world, repr(armature_object.name))
    return Setting(armature_object, depsgraph, rig, world, back, places.turn_of(world).inverted(), reference)


def goal_of(where: Setting, wish: Wish) -> Goal | None:
    """What a stored goal asks of the solvers; None where it has no influence."""
    goal, wanted = wish.goal, Frame(where.inverse @ wish.frame.place, where.turn @ wish.frame.turn)
    if wanted.place.length > FARTHEST:
        wanted = wanted._replace(place=FARTHEST * wanted.place.normalized())
    bone = where.rig.frame_names[goal.bone]
    level = Level.PIN if goal.state == "PINNED" and not goal.dragged else Level.GOAL
    if goal.kind == "LOOK_AT":
        direction = places.DIRECTIONS[goal.direction]
        return LookAt(bone, wanted.place[:], direction=direction, weight=goal.weight, level=level)
    point = where.rig.scale * places.point_of(where.character, goal)
    if is_part_of_the_way(goal):
        wanted = _part_of_the_way(where, goal, point, wanted)
    frame: Numbers = STRAIGHT
    along: Numbers = tuple(map(float, goal.use_axis))
    about: Numbers = tuple(map(float, goal.use_turn_axis))
    if not all(goal.use_axis):
        space = places.space(where.character, goal, where.depsgraph)
        frame = (where.turn @ places.turn_of(space))[:]
    place, turn = wanted.place[:], wanted.turn[:]
    if goal.position > 0.0 and goal.orientation > 0.0:
        axes = along + about
        return Pose(bone, place, turn, point=point[:], axes=axes, frame=frame, weight=goal.weight, level=level)
    if goal.orientation > 0.0:
        return Orientation(bone, turn, axes=about, weight=goal.weight, level=level)
    if goal.position > 0.0:
        return Position(bone, place, point=point[:], axes=along, frame=frame, weight=goal.weight, level=level)
    return None


def is_part_of_the_way(goal: POSEWRIGHT_PG_goal) -> bool:
    """Whether a goal asks for what is between the reference and its target."""
    return 0.0 < goal.position < 1.0 or 0.0 < goal.orientation < 1.0


def _part_of_the_way(where: Setting, goal: POSEWRIGHT_PG_goal, point: Vector, wanted: Frame) -> Frame:
    """With half of its influence, a goal asks for what is half-way from the reference to its target."""
    pose, body = where.rig.tree.pose(where.reference), where.rig.tree.index(where.rig.frame_names[goal.bone])
    turn = Quaternion(pose.rotations[body].tolist())
    place = Vector(pose.positions[body].tolist()) + turn @ point
    return Frame(place.lerp(wanted.place, goal.position), turn.slerp(wanted.turn, goal.orientation))


def problem_of(rig: Rig, posture: Displacement, asked: Sequence[Goal], last: Problem | None) -> Problem:
    """A problem with these goals and the posture: the last one, changed where they differ from its own, if it can be.

    Building one takes 2 ms for 70 bones, changing a goal 10 µs.
    """
    wanted = [*asked, posture]
    if last is None or last.tree is not rig.tree or [one.kind for one in wanted] != [one.kind for one in last.goals]:
        return Problem(rig.tree, wanted)
    for index, goal in enumerate(asked):
        if goal is not last.goals[index] and goal != last.goals[index]:
            try:
                last.change(index, goal)
            except PosewrightError:  # it takes more room: a wire has one more point, an expression other words
                return Problem(rig.tree, wanted)
    if not _is_same(posture, last.goals[-1]):
        last.change(len(asked), posture)
    return last


def _is_same(posture: Displacement, last: Goal) -> bool:
    """Whether a posture is made of the very arrays that the last one was: to compare them would take longer."""
    return (
        isinstance(last, Displacement)
        and posture.reference is last.reference
        and posture.each is last.each
        and posture.weight == last.weight
    )


def world_unit(where: Setting) -> float:
    """Metres of the world for one of the tree's: on average, where the object is scaled unevenly."""
    return float(abs(where.world.to_3x3().determinant()) ** (1.0 / 3.0))
