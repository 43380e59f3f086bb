"""Hands on a prop: goals that follow it as they are now, so that it carries them along."""

from collections.abc import Sequence

import bpy

from .. import properties
from ..solvers.errors import PosewrightError
from . import goal_list, goal_states, places


def hold(
    armature_object: bpy.types.Object,
    bones: Sequence[str],
    prop: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> str:
    """Have bones follow an object, place and turn, from where they are now; they get goals. Returns what to say."""
    if not bones:
        raise PosewrightError("Select the bones in Pose Mode that are to hold it")
    for bone in bones:  # all before any: what is refused half-way has no step of undo
        goal_list.refuse_missing(armature_object, bone)
    places.refuse_own_body(armature_object, prop)
    places.inverse(places.world_matrix(prop, depsgraph), repr(prop.name))
    for bone in bones:
        found = goal_list.same(armature_object, "POSE", bone, "HEAD")
        index = goal_list.add(armature_object, bone) if found is None else found
        goal = properties.character(armature_object).posewright_goals[index]
        goal.position = goal.orientation = 1.0
        goal_states.follow(armature_object, index, prop, depsgraph=depsgraph)
    return f"{', '.join(bones)} {'holds' if len(bones) == 1 else 'hold'} {prop.name!r}"
