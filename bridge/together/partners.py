"""Who holds whom: loops whose other bone is another character's, and which characters are one tree because of them.

A loop is stored on one of the two. Whoever is asked, the same characters come together, in the same order: the pose
must not depend on who is dragged. Needs no numpy: it is asked at every update.
"""

from collections.abc import Iterator, Sequence

import bpy
from mathutils import Matrix

from ... import properties
from ...properties import POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from .. import ready

EVEN = 1e-4  # how far a scale may be from the same along all axes


def loops(armature_object: bpy.types.Object) -> Iterator[tuple[int, POSEWRIGHT_PG_relation]]:
    """The stored loops with another character, by row; those that are switched off as well."""
    for row, one in properties.relations_of(armature_object, "LOOP"):
        if any(part.other for part in one.parts):
            yield row, one


def other_of(one: POSEWRIGHT_PG_relation) -> POSEWRIGHT_PG_relation_part | None:
    """The part of a loop that is another character's, if there is one."""
    return next((part for part in one.parts if part.other), None)


def trouble(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> str:
    """Why a stored loop with another character cannot be had; empty if it can."""
    part = other_of(one)
    if part is None or len(one.parts) != 2:
        return f"it holds two points together, and has {len(one.parts)}"
    if all(each.other for each in one.parts):
        return "one of its two bones is to be the character's own"
    if part.character is None:
        return "its other character was deleted: choose one"
    return _why_not(armature_object, part.character, part.bone)


def _why_not(armature_object: bpy.types.Object, partner: bpy.types.Object, bone: str) -> str:
    """Why a character cannot hold a bone of another one; empty if it can."""
    why, name = ready.why_not(partner), repr(partner.name)
    if partner == armature_object:
        why = "its other character is the character itself"
    elif not why and not _share_a_scene(armature_object, partner):
        why = f"{name} is not in the scene"
    elif not why and not properties.character(partner).posewright_live:
        why = f"{name} is not live: switch its live posing on"
    elif not why and (partner.pose is None or bone not in partner.pose.bones):
        why = f"{name} has no bone {bone!r}" if bone else "it names no bone"
    uneven = [] if why else [each.name for each in (armature_object, partner) if not is_even(each.matrix_world)]
    return why or (f"{uneven[0]!r} is scaled unevenly or mirrored: apply its scale" if uneven else "")


def _share_a_scene(one: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Whether some scene has both: an object that was deleted may live on, because a loop knows it."""
    return any(all(is_in(scene, each) for each in (one, other)) for scene in bpy.data.scenes)


def is_in(scene: bpy.types.Scene, thing: bpy.types.Object) -> bool:
    """Whether an object is in a scene, where a linked one may have the same name."""
    named: bpy.types.Object | None = scene.objects.get(thing.name)
    return named is not None and (named == thing or thing in scene.objects.values())


def is_even(matrix: Matrix) -> bool:
    """Whether a matrix scales alike along all axes, and does not mirror."""
    part = matrix.to_3x3()
    turned = part.transposed()
    columns = [turned[axis] for axis in range(3)]
    size = part.determinant()
    if not size > 0.0:
        return False
    size **= 1.0 / 3.0
    alike = all(abs(column.length / size - 1.0) < EVEN for column in columns)
    return alike and all(abs(columns[a].dot(columns[b])) < EVEN * size * size for a, b in ((0, 1), (1, 2), (2, 0)))


def holders() -> list[bpy.types.Object]:
    """All armature objects with a loop to another."""
    return [one for one in bpy.data.objects if one.type == "ARMATURE" and any(True for _ in loops(one))]


def held(armature_object: bpy.types.Object, ever: bool = False) -> Iterator[tuple[bpy.types.Object, str]]:
    """The others that a character's loops hold now, or `ever`, each with the bone by which it is held."""
    for _, one in loops(armature_object):
        part, on = other_of(one), not one.mute and one.weight > 0.0
        if (on or ever) and part is not None and not trouble(armature_object, one):
            assert part.character is not None
            yield part.character, part.bone


def group(
    armature_object: bpy.types.Object, among: Sequence[bpy.types.Object] | None = None, ever: bool = False
) -> tuple[bpy.types.Object, ...]:
    """The characters that are one tree with a character, itself included; empty where it is alone.

    First comes one that has a loop: its settings count for all. `among` are those that have one, if that is known.
    Loops that are switched off count where `ever` is asked: they may be on in another frame.
    """
    having = list(holders() if among is None else among)
    if not having:
        return ()
    ties = dict[int, set[int]]()
    known = {one.session_uid: one for one in (armature_object, *having)}
    leads = set[int]()
    for owner in having:
        if owner != armature_object and (not properties.character(owner).posewright_live or ready.why_not(owner)):
            continue
        for partner, _ in held(owner, ever):
            known[partner.session_uid] = partner
            leads.add(owner.session_uid)
            ties.setdefault(owner.session_uid, set()).add(partner.session_uid)
            ties.setdefault(partner.session_uid, set()).add(owner.session_uid)
    found, waiting = {armature_object.session_uid}, [armature_object.session_uid]
    while waiting:
        for uid in ties.get(waiting.pop(), ()):
            if uid not in found:
                found.add(uid)
                waiting.append(uid)
    if len(found) == 1:
        return ()
    return tuple(sorted((known[uid] for uid in found), key=lambda one: (one.session_uid not in leads, one.name)))


def bones_held(members: Sequence[bpy.types.Object]) -> dict[int, frozenset[str]]:
    """The bones by which others hold each of some characters, by `session_uid`."""
    found = {one.session_uid: set[str]() for one in members}
    for owner in members:
        for partner, bone in held(owner):
            if partner.session_uid in found:
                found[partner.session_uid].add(bone)
    return {uid: frozenset(bones) for uid, bones in found.items()}
