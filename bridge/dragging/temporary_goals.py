"""Temporary goals: by them a bone without a goal of its own is dragged. They are gone when the drag ends.

They are marked as such where they are stored, so that those which a crash, a file saved in the middle of a drag or an
undo step left behind are known for what they are and removed.
"""

import bpy
from mathutils import Vector

from ... import properties

NAME = "Drag"


def add(armature_object: bpy.types.Object, bone: str, point: Vector) -> int:
    """Add a goal for a point of a bone (in the bone's frame). Returns its place in the list, which is the last.

    References to goals that were taken before are not valid afterwards: Blender moves them.
    """
    goals = properties.character(armature_object).posewright_goals
    goal = goals.add()
    goal.temporary = True
    goal.name, goal.kind, goal.bone, goal.point, goal.offset = NAME, "POSE", bone, "OFFSET", point
    return len(goals) - 1


def remove(armature_object: bpy.types.Object) -> int:
    """Remove all of a character. Returns how many there were."""
    goals = properties.character(armature_object).posewright_goals
    found = [index for index, goal in enumerate(goals) if goal.temporary]
    for index in reversed(found):
        goals.remove(index)
    if found:
        armature_object.update_tag()
    return len(found)


def sweep() -> None:
    """End, in all characters, drags that nobody carries on: their goals are let go, temporary ones removed."""
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE" and thing.library is None:
            remove(thing)
            for goal in properties.character(thing).posewright_goals:
                if goal.dragged or goal.loose:
                    goal.dragged = goal.loose = False
