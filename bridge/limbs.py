"""The part of the body that a bone belongs to: by the roles that set-up has found, else by where the body branches."""

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .. import properties
from ..solvers.errors import PosewrightError

ARMS_AND_LEGS: tuple[tuple[str, ...], ...] = (
    ("shoulder", "upper_arm", "forearm", "hand"),
    ("thigh", "shin", "foot", "toe"),
)
MIDDLE: tuple[tuple[str, ...], ...] = (("pelvis",), ("spine", "chest"), ("neck", "head"))


def part(armature_object: bpy.types.Object, bone: str) -> list[str]:
    """The bones of the part that a bone belongs to. Raises an error if there is no such bone.

    Roles say what is an arm, a leg, a finger, the spine, neck and head; bones between theirs, such as the second half
    of a forearm, belong to it, and so does a single bone that ends on it, such as a twist bone.
    """
    return _part(armature_object, bone, list(_by_roles(armature_object)))


def parts(armature_object: bpy.types.Object, bones: Iterable[str]) -> frozenset[str]:
    """The parts of several bones together."""
    known = list(_by_roles(armature_object))
    return frozenset(name for bone in bones for name in _part(armature_object, bone, known))


def _part(armature_object: bpy.types.Object, bone: str, known: list[set[str]]) -> list[str]:
    data: Any = armature_object.data
    if bone not in data.bones:
        raise PosewrightError(f"{armature_object.name!r} has no bone {bone!r}")
    first = data.bones[bone]
    inside = next((limb for limb in known if bone in limb), None)
    if inside is not None:
        return sorted(inside)
    if first.parent is not None and not first.children:
        below = next((limb for limb in known if first.parent.name in limb), None)
        if below is not None:
            return sorted(below | {bone})
    return _by_branches(first)


def _by_roles(armature_object: bpy.types.Object) -> Iterator[set[str]]:
    """The limbs that roles tell of, with the bones between those that have one."""
    data: Any = armature_object.data
    groups: dict[tuple[str, ...], list[str]] = {}
    for role in properties.character(armature_object).posewright_roles:
        if role.bone in data.bones and not role.doubtful:
            groups.setdefault(_group(role.name), []).append(role.bone)
    for group, bones in groups.items():
        if len(bones) > 1 or group[0] not in {limb[0] for limb in ARMS_AND_LEGS}:  # of a creature's leg, the foot alone
            yield _with_those_between(data, bones)


def _group(role: str) -> tuple[str, ...]:
    """To which part a role belongs, by any name that is the same for all roles of the part."""
    name, _, rest = role.partition(".")
    for limb in ARMS_AND_LEGS:
        if name in limb:
            return limb[0], rest
    for limb in MIDDLE:
        if name in limb:
            return (limb[0],)
    return name, rest.rpartition(".")[2]  # fingers: those of one side, whatever their number


def _with_those_between(data: bpy.types.Armature, bones: list[str]) -> set[str]:
    found = set(bones)
    for bone in bones:
        between = list[str]()
        for above in data.bones[bone].parent_recursive:
            if above.name in bones:
                found.update(between)
            between.append(above.name)
    return found


def _by_branches(first: bpy.types.Bone) -> list[str]:
    """Up to where the body branches, and down as long as it does not.

    Single bones that end there, such as twist bones and finger tips, make no branch: the hand's limb is hand, forearm,
    upper arm and shoulder, the forearm's the same; a finger's ends at the hand.
    """
    found = [first]
    above = first.parent
    while above is not None and not any(child.children for child in above.children if child != found[-1]):
        found.append(above)
        above = above.parent
    below = first
    while len(onward := _onward(below)) == 1:
        below = onward[0]
        found.append(below)
    return [one.name for one in found]


def _onward(bone: bpy.types.Bone) -> list[bpy.types.Bone]:
    """Where a limb goes on below a bone: the children that carry bones, or an only child."""
    children = list(bone.children)
    return [child for child in children if child.children] or (children if len(children) == 1 else [])
