"""A pose in the mirror: one side's on the other, or both exchanged; with the goals, if they are to go along.

With A what leads from a bone's axes to the mirror image in those of its twin (`twins.across`), a bone that is turned by
Q has a twin that is turned by A Q A⁻¹: bones may have any roll. A bone in the middle is its own twin.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from .. import properties
from ..solvers.errors import PosewrightError
from . import channels, goal_mirroring, one_bone, symmetry, twins

_MIRROR = Matrix.Diagonal((-1.0, 1.0, 1.0))
_SIDES = {"LEFT": "left", "RIGHT": "right"}


class _Own(NamedTuple):
    """What a bone has of its own."""

    location: Vector
    rotation: Quaternion
    scale: Vector


def mirror(
    armature_object: bpy.types.Object,
    direction: str,
    bones: Collection[str] | None = None,
    goals: bool = False,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> str:
    """Mirror a pose. Raises an error where there is nothing to mirror. Returns what was done, for people.

    Args:
        armature_object: whose pose.
        direction: "LEFT" to have the left side on the right, too, "RIGHT" the other way, "FLIP" to exchange them.
        bones: those of which, or of whose twins, it goes; None for all.
        goals: mirror the goals of these bones as well; what they are doing, and where.
        depsgraph: through which goals are read.
    """
    if bones is not None and not bones:
        raise PosewrightError("Select the bones in Pose Mode that are to be mirrored")
    pairs = _pairs(armature_object, direction, bones)
    if not pairs:
        raise PosewrightError(
            f"{armature_object.name!r} has no such bones on both sides: neither names nor roles tell left from right"
        )
    made = goal_mirroring.images(armature_object, pairs, depsgraph) if goals else {}
    pose = channels.pose_bones(armature_object)
    before = {bone.name: _own(bone) for bone in pose}
    for bone, other in pairs.items():
        _put(armature_object, before[bone], bone, other)
    armature_object.update_tag()
    if goals:
        goal_mirroring.exchange(armature_object, pairs, made, depsgraph)
        properties.character(armature_object).posewright_anchor = ""  # this pose is the reference
    what = "flipped" if direction == "FLIP" else f"mirrored from the {_SIDES[direction]}"
    return f"{len(pairs)} bones {what}" + (f", and {len(made)} goals" if goals else "")


def _pairs(armature_object: bpy.types.Object, direction: str, bones: Collection[str] | None) -> dict[str, str]:
    """Each bone that is looked at, with the one that gets its mirror image."""
    lefts = twins.sides(armature_object)
    rights = {right: left for left, right in lefts.items()}
    pairs = {"LEFT": lefts, "RIGHT": rights, "FLIP": lefts | rights}[direction]
    if direction == "FLIP":
        names = [bone.name for bone in channels.pose_bones(armature_object)]
        middle = [name for name in names if name not in pairs and not symmetry.side(name)]
        pairs = pairs | {name: name for name in middle if not _is_sided(armature_object, name)}
    if bones is None:
        return pairs
    return {bone: other for bone, other in pairs.items() if bone in bones or other in bones}


def _is_sided(armature_object: bpy.types.Object, bone: str) -> bool:
    """Whether a bone has a role of one side; without a twin there is nothing that it could be mirrored to."""
    roles = properties.character(armature_object).posewright_roles
    return any(role.bone == bone and role.name.endswith((".L", ".R")) for role in roles)


def _own(bone: Any) -> _Own:  # noqa: ANN401 - a pose bone
    return _Own(bone.location.copy(), one_bone.rotation(bone), bone.scale.copy())


def _put(armature_object: bpy.types.Object, own: _Own, bone: str, other: str) -> None:
    """Give a bone the mirror image of what another one had."""
    data: Any = armature_object.data
    across = twins.across(armature_object, bone, other)
    twin: Any = channels.pose_bones(armature_object)[other]
    axis = across @ Vector(own.rotation[1:])  # a mirror turns the other way round
    moved = across @ own.location if data.bones[other].use_local_location else _MIRROR @ own.location
    one_bone.put(twin, moved, Quaternion((own.rotation.w, -axis.x, -axis.y, -axis.z)))
    if own.scale != twin.scale:
        along = [sum(across[row][axis] ** 2 * own.scale[axis] for axis in range(3)) for row in range(3)]
        twin.scale = one_bone.unless_locked(twin.scale, along, twin.lock_scale)
