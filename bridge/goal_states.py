"""What goals do: hold what is seen now, follow something, ask for nothing. None of it makes the pose jump."""

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Vector

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers.errors import PosewrightError
from . import channels, goal_list, live, places
from .channels import Channels
from .places import Frame

_SEEN = 1e-4  # radians, or units of length: what a bone must move by to be seen
AWAY = 5.0  # lengths of its bone: how far from it a goal looks that was never told where


def pin(armature_object: bpy.types.Object, index: int, which: str, depsgraph: bpy.types.Depsgraph | None = None) -> str:
    """Pin a goal's place, its turn or both as they are seen now; where they are pinned already, unpin them.

    Args:
        armature_object: whose goal it is.
        index: the goal's place in the list, -1 for the active one.
        which: "PLACE", "TURN" or "BOTH".
        depsgraph: through which the pose is read.

    Returns:
        What happened, for people.
    """
    _, goal = goal_list.at(armature_object, index)
    pinned = goal.state == "PINNED"
    place, turn = which in {"PLACE", "BOTH"}, which in {"TURN", "BOTH"} and goal.kind == "POSE"
    has_place, has_turn = pinned and goal.position > 0.0, pinned and goal.orientation > 0.0
    if goal.kind == "LOOK_AT":
        place, has_place, has_turn = True, pinned, False
    if (place <= has_place) and (turn <= has_turn):
        return _unpin(goal, place, turn)
    seen = now(armature_object, goal, depsgraph)
    goal.state = "PINNED"
    _ask_for(goal, place or has_place, turn or has_turn)
    places.put(armature_object, goal, seen, depsgraph)
    return f"{goal.name!r} holds what it has now"


def pin_bones(
    armature_object: bpy.types.Object,
    bones: Sequence[str],
    which: str,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> str:
    """Pin bones as `pin` does goals; all of them alike. What has no goal gets one. Where all are pinned, unpin them.

    Raises an error if there is no bone, or none of that name. Returns what happened, for people.
    """
    if not bones:
        raise PosewrightError("Select the bones in Pose Mode that are to be pinned")
    for bone in bones:
        goal_list.refuse_missing(armature_object, bone)
    goals = properties.character(armature_object).posewright_goals
    known = [_goal_of(armature_object, bone) for bone in bones]
    if all(index is not None and _is_pinned(goals[index], which) for index in known):
        for index in known:
            assert index is not None
            _unpin(goals[index], which != "TURN", which != "PLACE")
        return f"{_counted(bones)} unpinned"
    for bone, index in zip(bones, known, strict=True):
        place = goal_list.add(armature_object, bone) if index is None else index  # new ones come last: places stay
        goals[place].mute = False
        if not _is_pinned(goals[place], which):
            pin(armature_object, place, which, depsgraph)
        properties.character(armature_object).posewright_active_goal = place
    what = {"PLACE": "place", "TURN": "turn", "BOTH": "place and turn"}[which]
    return f"{_counted(bones)} pinned: {what}"


def _goal_of(armature_object: bpy.types.Object, bone: str) -> int | None:
    """The goal by which a bone is pinned: one that is pinned already, else the first."""
    goals = enumerate(properties.character(armature_object).posewright_goals)
    found = [(one.state != "PINNED", index) for index, one in goals if one.bone == bone and one.kind == "POSE"]
    return min(found)[1] if found else None


def _is_pinned(goal: POSEWRIGHT_PG_goal, which: str) -> bool:
    """Whether a goal holds all of that: "PLACE", "TURN" or "BOTH"."""
    place, turn = goal.position > 0.0 or which == "TURN", goal.orientation > 0.0 or which == "PLACE"
    return goal.state == "PINNED" and not goal.mute and place and turn


def _counted(bones: Sequence[str]) -> str:
    return repr(bones[0]) if len(bones) == 1 else f"{len(bones)} bones"


def _unpin(goal: POSEWRIGHT_PG_goal, place: bool, turn: bool) -> str:
    """Unpin a part of what is pinned; a goal that has nothing left to hold becomes idle, and keeps its influences."""
    keeps_place, keeps_turn = goal.position > 0.0 and not place, goal.orientation > 0.0 and not turn
    if goal.kind == "POSE" and (keeps_place or keeps_turn):
        _ask_for(goal, keeps_place, keeps_turn)
        return f"{goal.name!r} holds its {'place' if keeps_place else 'turn'} only"
    goal.state = "IDLE"
    return f"{goal.name!r} is unpinned"


def _ask_for(goal: POSEWRIGHT_PG_goal, place: bool, turn: bool) -> None:
    """Have a goal ask for a place, a turn or both; a partial influence stays as it is."""
    if bool(goal.position) != place:
        goal.position = float(place)
    if bool(goal.orientation) != turn:
        goal.orientation = float(turn)


def now(
    armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None = None
) -> Frame:
    """What a goal would have to ask for, in the world, so that nothing moves: of a look-at, a place in its sight."""
    seen = places.on_bone(armature_object, goal, depsgraph)
    if goal.kind != "LOOK_AT":
        return seen
    away = (places.target(armature_object, goal, depsgraph).place - seen.place).length if _was_told(goal) else 0.0
    data = armature_object.data
    assert isinstance(data, bpy.types.Armature)
    bone = places.world_matrix(armature_object, depsgraph).to_3x3() @ data.bones[goal.bone].vector
    return Frame(
        seen.place + seen.turn @ Vector(places.DIRECTIONS[goal.direction]) * (away or AWAY * bone.length), seen.turn
    )


def _was_told(goal: POSEWRIGHT_PG_goal) -> bool:
    """Whether a look-at was ever told where to look."""
    return bool(goal.place.length_squared) if goal.state != "FOLLOWING" else goal.target is not None


def object_named(name: str, wanted: str = "to follow") -> bpy.types.Object:
    """The object of a name. Raises an error where there is none, or where no name says what it is `wanted` for."""
    found: bpy.types.Object | None = bpy.data.objects.get(name)
    if found is None:
        raise PosewrightError(f"There is no object {name!r}" if name else f"Choose an object {wanted}")
    return found


def follow(
    armature_object: bpy.types.Object,
    index: int,
    target: bpy.types.Object,
    bone: str = "",
    keep_offset: bool = True,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> str:
    """Have a goal follow an object or one of its bones: with the offset that it has now, or go there.

    A look-at looks at the target itself. Raises an error where the goal would follow its own pose.
    """
    _, goal = goal_list.at(armature_object, index)
    places.refuse_own_body(armature_object, target, bone)
    places.world_matrix(target, depsgraph, bone)  # complains where there is no such bone
    seen = places.on_bone(armature_object, goal, depsgraph)
    goal.target, goal.target_bone, goal.state, goal.target_fitted = target, bone, "FOLLOWING", False
    goal.target_offset, goal.target_turn = (0.0, 0.0, 0.0), properties.NO_TURN
    if keep_offset and goal.kind == "POSE":
        places.put(armature_object, goal, seen, depsgraph)
    return f"{goal.name!r} follows {bone or target.name!r}"


def change_space(
    armature_object: bpy.types.Object,
    index: int,
    space: str,
    inside: bpy.types.Object | None = None,
    bone: str = "",
    depsgraph: bpy.types.Depsgraph | None = None,
) -> None:
    """Have a goal's place move along with something else: "WORLD", "CHARACTER" or "OBJECT", and then which.

    What it asks for stays where it is in the world.
    """
    _, goal = goal_list.at(armature_object, index)
    if inside is not None:
        places.refuse_own_body(armature_object, inside, bone)
        places.inverse(places.world_matrix(inside, depsgraph, bone))  # complains where it has no such bone
    follows = goal.state == "FOLLOWING" and not goal.dragged
    asked = None if follows else places.target(armature_object, goal, depsgraph)
    goal.space, goal.space_object, goal.space_bone = space, inside, bone
    if asked is not None:
        places.put(armature_object, goal, asked, depsgraph)


def release(armature_object: bpy.types.Object, index: int | None) -> int:
    """Let a goal ask for nothing, -1 for the active one, None for all. Returns how many asked for something."""
    goals = list(properties.character(armature_object).posewright_goals)
    chosen = goals if index is None else [goal_list.at(armature_object, index)[1]]
    busy = [goal for goal in chosen if goal.dragged or goal.state != "IDLE"]
    for goal in busy:
        goal.state, goal.dragged = "IDLE", False
    return len(busy)


def unpin_all(armature_object: bpy.types.Object) -> int:
    """Unpin every pinned goal. Returns how many there were."""
    pinned = [goal for goal in properties.character(armature_object).posewright_goals if goal.state == "PINNED"]
    for goal in pinned:
        goal.state = "IDLE"
    return len(pinned)


def switch_live(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None) -> bool:
    """Switch live posing on or off without moving a bone. Returns whether it is on now.

    What goals ask for may no longer be what is seen, if the pose or a target was changed meanwhile. Then they ask for
    what is seen now.
    """
    character = properties.character(armature_object)
    if character.posewright_live:
        character.posewright_live = False
        return False
    before = channels.read(armature_object)
    character.posewright_live = True
    live.update(armature_object, depsgraph)
    if _differ(before, channels.read(armature_object)):
        _put_back(armature_object, before)
        for _, goal in properties.asking(armature_object):
            _ask_for_what_is_seen(armature_object, goal, depsgraph)
        character.posewright_anchor = ""  # this pose is the reference
    return True


def _ask_for_what_is_seen(
    armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal, depsgraph: bpy.types.Depsgraph | None
) -> None:
    try:
        places.put(armature_object, goal, now(armature_object, goal, depsgraph), depsgraph)
    except PosewrightError:  # no bone, no target: it asks for nothing, and the list shows it
        return


def _differ(before: Channels, after: Channels) -> bool:
    """Whether a pose is visibly another."""
    turned = 1.0 - np.abs((before.turned * after.turned).sum(axis=1)).min(initial=1.0)
    moved = np.abs(before.location - after.location).max(initial=0.0)
    return bool(turned > _SEEN**2 / 8.0 or moved > _SEEN)


def _put_back(armature_object: bpy.types.Object, before: Channels) -> None:
    """Give all bones the channels they had."""
    bones = channels.pose_bones(armature_object)
    bones.foreach_set("location", before.location.ravel())
    bones.foreach_set("rotation_quaternion", before.quaternion.ravel())
    bones.foreach_set("rotation_euler", before.euler.ravel())
    bones.foreach_set("rotation_axis_angle", before.axis_angle.ravel())
    armature_object.update_tag()
