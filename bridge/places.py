"""Where goals and their handles are in the world: spaces, targets, points of bones, and back again.

Everything is read through a depsgraph: in a render, and in windows that show other scenes, the objects themselves have
the values of somebody else. Matrices are Blender's own: for single ones they are ten times faster than numpy's.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers.errors import PosewrightError
from . import following

_FARTHEST = 1e15  # metres; float32 matrices come to their end at the square of some more
_FLAT, _ENDLESS = 1e-12, 1e30  # a volume scaled below or beyond these has no inverse
DIRECTIONS = {"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1), "-X": (-1, 0, 0), "-Y": (0, -1, 0), "-Z": (0, 0, -1)}


class Frame(NamedTuple):
    """A place and a turn."""

    place: Vector
    turn: Quaternion

    def matrix(self) -> Matrix:
        """The same as a rigid matrix."""
        matrix = self.turn.to_matrix().to_4x4()
        matrix.translation = self.place
        return matrix

    def seen_from(self, above: Matrix) -> "Frame":
        """The same as seen from another frame, which may be scaled."""
        return Frame(inverse(above) @ self.place, turn_of(above).inverted() @ self.turn)

    def seen_with(self, above: Matrix) -> "Frame":
        """A frame that is given as seen from another, seen from where that one is."""
        return Frame(above @ self.place, turn_of(above) @ self.turn)


def frame_of(matrix: Matrix) -> Frame:
    """The place and turn in a matrix that may be scaled."""
    return Frame(matrix.to_translation(), turn_of(matrix))


def turn_of(matrix: Matrix) -> Quaternion:
    """The turn in a matrix, along its Y axis exactly, none where the scale leaves none.

    A mirrored matrix is turned inside out, as in `armature.rigid_part`: what is taken apart here comes together again.
    """
    turned = matrix.to_3x3()
    mirrored = turned.determinant() < 0.0
    if turned.is_orthogonal and not mirrored:  # most are: a third of the time
        return turned.to_quaternion()
    columns = turned.transposed()
    x, y = columns[0].copy(), columns[1].copy()
    if mirrored:
        x, y = -x, -y
    y = y.normalized()
    x = (x - y * x.dot(y)).normalized()
    if not (x.length_squared and y.length_squared):
        return Quaternion()
    rows: Any = (x, y, x.cross(y))  # the stubs do not take vectors for rows
    return Matrix(rows).transposed().to_quaternion()


def has_size(matrix: Matrix) -> bool:
    """Whether a world matrix has an inverse: it is scaled neither to nothing nor by what is no number."""
    return _FLAT <= abs(matrix.to_3x3().determinant()) < _ENDLESS


def inverse(matrix: Matrix, whose: str = "its space") -> Matrix:
    """The inverse of a world matrix. Raises an error that names `whose` it is where that is scaled to nothing."""
    if not has_size(matrix):
        raise PosewrightError(f"{whose} is scaled to nothing")
    return matrix.inverted()


def world_matrix(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None, bone: str = "") -> Matrix:
    """Where an object is, or one of its bones. Raises an error that names a bone which is not there."""
    seen = thing.evaluated_get(depsgraph) if depsgraph else thing
    if not bone:
        return seen.matrix_world.copy()
    pose_bone: bpy.types.PoseBone | None = seen.pose.bones.get(bone) if seen.pose else None
    if pose_bone is None:
        raise PosewrightError(f"{thing.name!r} has no bone {bone!r}")
    return seen.matrix_world @ pose_bone.matrix


def point_of(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal) -> Vector:
    """The goal's point, from the bone's head along the bone's axes, in units of armature space."""
    data: Any = armature_object.data
    if goal.kind == "LOOK_AT" or goal.point == "HEAD":
        return Vector()
    return goal.offset.copy() if goal.point == "OFFSET" else Vector((0.0, data.bones[goal.bone].length, 0.0))


def handle(
    armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None = None
) -> Frame:
    """Where a goal's handle is in the world: on the bone if it is idle, else where the goal wants to be.

    Raises an error where that cannot be said: no such bone, no target.
    """
    if properties.asks(goal) or goal.kind == "LOOK_AT":
        return target(armature_object, goal, depsgraph)
    return on_bone(armature_object, goal, depsgraph)


def handle_matrix(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal) -> Matrix | None:
    """The same as a matrix to draw at; None where it cannot be said, and where there is nothing to drag there."""
    pose = armature_object.pose
    if pose is None or goal.bone not in pose.bones:
        return None
    try:
        return handle(armature_object, goal).matrix()
    except PosewrightError:
        return None


def on_bone(
    armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None = None
) -> Frame:
    """Where the goal's point of its bone is now in the world, turned as the bone is."""
    bone = world_matrix(armature_object, depsgraph, goal.bone)
    return Frame(bone @ point_of(armature_object, goal), turn_of(bone))


def target(
    armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None = None
) -> Frame:
    """Where a goal wants its point to be in the world, and how turned. Raises an error that says what is missing."""
    return wanted_in(goal, seen_from(armature_object, goal, depsgraph))


def seen_from(
    armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None
) -> Matrix:
    """Where in the world that is in whose frame a goal says what it wants: its target, or its space."""
    look = _followed if _follows(goal) else space
    return look(armature_object, goal, depsgraph)


def wanted_in(goal: POSEWRIGHT_PG_goal, above: Matrix) -> Frame:
    """The same as `target`, with that frame given."""
    place, turn = (goal.target_offset, goal.target_turn) if _follows(goal) else (goal.place, goal.turn)
    found = Frame(place.copy(), turn.normalized()).seen_with(above)
    if not sum(map(abs, (*found.place[:], *found.turn[:]))) < _FARTHEST:  # nor is that of what is not a number
        raise PosewrightError("its place is not a number, or is farther away than anything can be")
    return found


def _follows(goal: POSEWRIGHT_PG_goal) -> bool:
    return goal.state == "FOLLOWING" and not goal.dragged


def put(
    armature_object: bpy.types.Object,
    goal: POSEWRIGHT_PG_goal,
    wanted: Frame,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> None:
    """Store a place and turn of the world as what the goal wants, in its own space, or as seen from its target."""
    if _follows(goal):
        goal.target_offset, goal.target_turn = wanted.seen_from(_followed(armature_object, goal, depsgraph))
    else:
        goal.place, goal.turn = wanted.seen_from(space(armature_object, goal, depsgraph))


def space(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None) -> Matrix:
    """What a goal's place is measured in."""
    if goal.space == "CHARACTER":
        return world_matrix(armature_object, depsgraph)
    if goal.space == "OBJECT" and goal.space_object is not None:
        refuse_own_body(armature_object, goal.space_object, goal.space_bone)
        return world_matrix(goal.space_object, depsgraph, goal.space_bone)
    return Matrix()


def _followed(
    armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None
) -> Matrix:
    if goal.target is None:
        raise PosewrightError("it has no target, or its target was deleted")
    refuse_own_body(armature_object, goal.target, goal.target_bone)
    if goal.target_fitted:
        return following.fitted(goal, goal.target, depsgraph)
    return world_matrix(goal.target, depsgraph, goal.target_bone)


def refuse_own_body(armature_object: bpy.types.Object, thing: bpy.types.Object, bone: str = "") -> None:
    """Raise an error if a thing, or its bone, moves with the character: the goal would run after its own answer."""
    if thing == armature_object:
        raise PosewrightError(f"{thing.name!r} is the character itself: the goal would follow its own pose")
    if thing.parent is None and not bone and not len(thing.constraints):
        return  # as most are, and asked at every step of a drag
    seen, waiting = set[tuple[int, str]](), [(thing, bone, "")]
    while waiting:
        one, its_bone, first = waiting.pop()
        for above, bone_above, how in _carriers(one, its_bone):
            words, known = first or how, (above.session_uid, bone_above)
            if above == armature_object:
                raise PosewrightError(f"{thing.name!r} {words} the character: the goal would follow its own pose")
            if known not in seen:
                seen.add(known)
                waiting.append((above, bone_above, words))


def _carriers(thing: bpy.types.Object, bone: str) -> Iterator[tuple[bpy.types.Object, str, str]]:
    """What an object, or its bone, moves with: its parent and what its constraints look at, the bone there, and how."""
    if thing.parent is not None:
        yield thing.parent, thing.parent_bone if thing.parent_type == "BONE" else "", "is a child of"
    pose_bone = thing.pose.bones.get(bone) if bone and thing.pose else None
    for owner in (thing, *((pose_bone, *pose_bone.parent_recursive) if pose_bone else ())):
        for constraint in owner.constraints:
            targets = () if constraint.mute else getattr(constraint, "targets", (constraint,))
            for one in targets:
                if (target := getattr(one, "target", None)) is not None:
                    words = f"is tied by its constraint {constraint.name!r} to"
                    yield target, getattr(one, "subtarget", ""), words
