"""Which bones translate: the pelvis, and roots that carry none.

A body moves by its pelvis. Many rigs have a root below it, on the ground, that carries the whole character: it stays
where the animator put it. The pelvis is the bone that set-up has found, or, where nobody has set the character up, the
first bone from a root on at which the body branches. If its location can be set it translates, and everything above it
stays put. What was set by hand for a bone comes before that. In a rig that Rigify has generated, the trunk's controls
without a role stay put as well.
"""

from typing import NamedTuple

import bpy

from .. import properties
from .roles import rigify


class Movers(NamedTuple):
    """Names of bones."""

    translating: frozenset[str]  # besides the roots
    staying: frozenset[str]  # above a pelvis, or only there to steer others: they neither turn nor move


def movers(armature_object: bpy.types.Object) -> Movers:
    """Who translates in an armature, and who stays."""
    data = armature_object.data
    assert isinstance(data, bpy.types.Armature)
    by_hand = {one.name: one.translates for one in properties.character(armature_object).posewright_joints}
    role = properties.character(armature_object).posewright_roles.get("pelvis")
    known: bpy.types.Bone | None = data.bones.get(role.bone) if role and not role.doubtful else None
    translating, staying = {name for name, does in by_hand.items() if does}, set[str]()
    if known is not None and rigify.is_one(data.bones):
        staying.update(rigify.staying(data.bones))
    for bone in data.bones:
        if bone.parent is None and not by_hand.get(bone.name, False):
            above, found = _pelvis(bone, known)
            if above and not found.use_connect and by_hand.get(found.name, True):
                translating.add(found.name)
                staying.update(above)
    return Movers(frozenset(translating), frozenset(staying))


def moves(armature_object: bpy.types.Object, bone: bpy.types.Bone) -> bool:
    """Whether a bone translates."""
    found = movers(armature_object)
    return bone.name in found.translating or (not bone.parent and bone.name not in found.staying)


def _pelvis(root: bpy.types.Bone, known: bpy.types.Bone | None) -> tuple[list[str], bpy.types.Bone]:
    """The pelvis below a root, and the names of the bones above it: the known one, or the first that branches."""
    if known is not None:
        over = [bone.name for bone in known.parent_recursive]
        if known == root or root.name in over:
            return over, known
    above, bone = list[str](), root
    while len(bone.children) == 1:
        above.append(bone.name)
        bone = bone.children[0]
    return (above, bone) if len(bone.children) > 1 else ([], root)
