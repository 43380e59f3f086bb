"""Bones that something else moves, taken over: they get the pose that is seen, and what moves them is muted.

What was muted is stored on the object, so that it can be given back: exactly that, and nothing the animator muted.
"""

from collections.abc import Iterator
from typing import Any

import bpy
from mathutils import Matrix

from .. import properties
from ..properties import Character
from ..solvers.errors import PosewrightError
from . import armature, channels, obstacles, one_bone, outcome, pelvis

_LIMITS = {"LIMIT_ROTATION", "LIMIT_LOCATION"}


def look(armature_object: bpy.types.Object) -> None:
    """Note for the panel which bones are taken as they stand, and why."""
    outcome.note_frozen(
        armature_object, armature.read(armature_object, pelvis.movers(armature_object).translating).frozen
    )


def snap_and_mute(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[int, int]:
    """Take over all bones that anything else moves. Returns how many, and how many constraints and drivers it was."""
    frozen = obstacles.find(armature_object).frozen
    if not frozen:
        raise PosewrightError(f"Nothing else moves the bones of {armature_object.name!r}")
    bones = channels.pose_bones(armature_object)
    seen = armature_object.evaluated_get(depsgraph)
    own = {name: own_matrix(bone, bone.matrix) for name in frozen for bone in (channels.pose_bones(seen)[name],)}
    for name, matrix in own.items():
        snap(bones[name], matrix)
    character = properties.character(armature_object)
    muted = sum(_mute(character, bones[name], limits=False) for name in frozen) + _mute_drivers(character, frozen)
    still = obstacles.find(armature_object).frozen  # by limits that cannot be ours
    muted += sum(_mute(character, bones[name], limits=True) for name in still if name in frozen)
    armature_object.update_tag()
    outcome.note_frozen(armature_object, {})
    return len(frozen), muted


def restore(armature_object: bpy.types.Object) -> int:
    """Switch on again what was muted, if it is still there. Returns how many."""
    character, count = properties.character(armature_object), 0
    for index in reversed(range(len(character.posewright_muted))):
        one = character.posewright_muted[index]
        thing = _thing(character, one) if not one.restored else None
        if thing is not None:
            thing.mute = False
            count += 1
        try:
            character.posewright_muted.remove(index)
        except TypeError:  # it comes from a library
            one.restored = True
    armature_object.update_tag()
    outcome.forget_frozen(armature_object)
    return count


def still_muted(armature_object: bpy.types.Object) -> int:
    """How much that moved the character's bones waits to be given back, where the character has no goal left."""
    character = properties.character(armature_object)
    return 0 if len(character.posewright_goals) else sum(not one.restored for one in character.posewright_muted)


def own_matrix(bone: bpy.types.PoseBone, wanted: Matrix) -> Matrix:
    """The location, rotation and scale of its own that would show an evaluated bone at a place in armature space."""
    if bone.parent is None:
        return bone.bone.convert_local_to_pose(wanted, bone.bone.matrix_local, invert=True)
    return bone.bone.convert_local_to_pose(
        wanted,
        bone.bone.matrix_local,
        parent_matrix=bone.parent.matrix,
        parent_matrix_local=bone.parent.bone.matrix_local,
        invert=True,
    )


def snap(bone: bpy.types.PoseBone, own: Matrix) -> None:
    """Give a bone a location, rotation and scale of its own."""
    location, rotation, scale = own.decompose()
    if not bone.bone.use_connect or bone.parent is None:
        bone.location = location
    one_bone.turn(bone, rotation)
    bone.scale = scale


def _mute(character: Character, bone: bpy.types.PoseBone, limits: bool) -> int:
    """Mute the constraints of a bone, or else those that are limits. Returns how many."""
    active = [
        one
        for one in bone.constraints
        if not one.mute and one.influence and one.is_valid and (one.type in _LIMITS) == limits
    ]
    for constraint in active:
        constraint.mute = True
        _remember(character, f"{bone.name}: {constraint.name}", bone=bone.name, constraint=constraint.name)
    return len(active)


def _mute_drivers(character: Character, frozen: dict[str, str]) -> int:
    count = 0
    for curve in _drivers(character):
        if curve.mute or obstacles.driven_bone(curve.data_path) not in frozen:
            continue
        curve.mute = True
        name = f"{curve.data_path}[{curve.array_index}]"
        _remember(character, name, driver=curve.data_path, driver_index=curve.array_index)
        count += 1
    return count


def _drivers(character: Character) -> Iterator[Any]:
    yield from character.animation_data.drivers if character.animation_data else ()


def _remember(character: Character, name: str, **what: str | int) -> None:
    one = character.posewright_muted.add()
    one.name = name
    for key, value in what.items():
        setattr(one, key, value)


def _thing(character: Character, muted: properties.POSEWRIGHT_PG_muted) -> Any:  # noqa: ANN401 - a constraint or driver
    """What was muted, None where it is gone."""
    if muted.driver:
        found = (one for one in _drivers(character) if one.data_path == muted.driver)
        return next((one for one in found if one.array_index == muted.driver_index), None)
    bone = channels.pose_bones(character).get(muted.bone)
    return bone.constraints.get(muted.constraint) if bone else None
