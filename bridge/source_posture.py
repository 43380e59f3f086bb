"""A body that follows another one holds itself as that one does, where goals leave it free.

Hands and feet do not say where elbows and knees are, nor how the back is bowed. Habits leave an arm whose hand is
behind the back two ways to have its elbow, hardly better one than the other, and from frame to frame it would flip.
The source shows which. So these bones settle toward its posture, and a new frame begins there. With F the anatomical
frame of the source's bone, A that of the bone above, N what is between them in the neutral pose, the own rotation is

    R = before · (N⁻¹ A⁻¹ F)^share · after

Trunk and neck are one turn each, of which every bone has its share. Arms and legs bend about one axis, which of
captured ones is not always where their rest poses have it, by 20° of an arm: so an upper arm or a thigh is turned
about itself until the next bone bends about its axis (x), by h = ±y × (y of the next). Straight limbs show none:

    x' = h + STRAIGHT x, made square to y

What habits say about stiffness is how far people stray from a mean. It is no longer what is known best: these joints
all are as stiff as one without a habit. Measured on a pirouette: an upper arm turns by no more than 34° a frame, the
source's by 36°; with habits alone by 66°, with the source's posture and the habits' stiffness by 122°.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .. import properties
from ..motion import anatomy, habits
from ..properties import POSEWRIGHT_PG_copied
from ..solvers.rotation import Floats
from ..solvers.tree import Tree, quaternion_of
from . import channels, places
from . import rig as rigs
from .asked import Wish
from .channels import QUATERNION, Bools, Channels
from .proportions import Body
from .rig import Rig

STRAIGHT = 0.25  # the sine of the bend at which half of what is believed is the limb's own axis
PARTS = ("shoulder", "upper_arm", "forearm", "thigh", "shin")
LIMBS = {"upper_arm": "forearm", "thigh": "shin"}  # what bends at the end of what
HINGES = {"upper_arm": 1.0, "forearm": 1.0, "thigh": -1.0, "shin": -1.0}  # an upper arm's x is the elbow's axis
_TURNS = ("bone_axes", "above_axes", "next_axes", "neutral", "before", "after")
_ALONG, _ACROSS = Vector((0.0, 1.0, 0.0)), Vector((1.0, 0.0, 0.0))


def store(
    armature_object: bpy.types.Object, source: bpy.types.Object | None, own: Body | None, theirs: Body | None
) -> None:
    """Have a character's bones take after the source's of the same roles; none of them without a source."""
    copied = properties.character(armature_object).posewright_copied
    copied.clear()
    for left in copied:  # of an override, those from the library cannot be removed
        left.target = None
    if source is None or own is None or theirs is None:
        return
    bodies = (armature_object, own), (source, theirs)
    for role in own.axes:
        if anatomy.part(role) in PARTS and role in theirs.axes:
            _store(bodies, role, (role, role), 1.0)
    chains = habits.chains(list(own.axes)), habits.chains(list(theirs.axes))
    for name in set(chains[0]) & set(chains[1]):
        for role in chains[0][name]:
            _store(bodies, role, (chains[1][name][0], chains[1][name][-1]), 1.0 / len(chains[0][name]))


def _store(
    bodies: tuple[tuple[bpy.types.Object, Body], tuple[bpy.types.Object, Body]],
    role: str,
    others: tuple[str, str],
    share: float,
) -> None:
    """Have a bone of the first body take after those of the second, from one role to another."""
    (armature_object, own), (source, theirs) = bodies
    first, last = others
    above, above_other = _above(armature_object, own, role), _above(source, theirs, first)
    if not above or not above_other:
        return
    part, after = anatomy.part(role), f"{LIMBS.get(anatomy.part(role), '')}{role[-2:]}"
    bends = after in theirs.axes or LIMBS.get(anatomy.part(above_other)) == part
    copied = properties.character(armature_object).posewright_copied
    found: POSEWRIGHT_PG_copied | None = copied.get(own.bones[role])
    item = copied.add() if found is None else found
    item.name = own.bones[role]
    item.target, item.share, item.hinge = source, share, HINGES.get(part, 0.0) if bends else 0.0
    item.target_bone, item.target_above = theirs.bones[last], theirs.bones[above_other]
    item.target_next = theirs.bones[after] if after in theirs.axes else ""
    item.bone_axes, item.above_axes = _four(theirs.axes[last]), _four(theirs.axes[above_other])
    item.next_axes = _four(theirs.axes[after]) if after in theirs.axes else properties.NO_TURN
    item.neutral = _four(anatomy.neutral(above_other).T @ anatomy.neutral(last))
    between = anatomy.neutral(above).T @ anatomy.neutral(role)
    item.before = _four(own.turns[role].T @ own.turns[above] @ own.axes[above] @ between)
    item.after = _four(own.axes[role].T)


def _four(turn: Floats) -> list[float]:
    found: list[float] = quaternion_of(turn).tolist()
    return found


def _above(armature_object: bpy.types.Object, body: Body, role: str) -> str:
    """The role of the nearest bone above that has anatomical axes; empty where none has."""
    data: Any = armature_object.data
    roles = {bone: one for one, bone in body.bones.items() if one in body.axes}
    return next((roles[bone.name] for bone in data.bones[body.bones[role]].parent_recursive if bone.name in roles), "")


def wanted(
    armature_object: bpy.types.Object,
    wishes: Sequence[Wish],
    rig: Rig,
    now: Channels,
    depsgraph: bpy.types.Depsgraph | None,
) -> Floats | None:
    """Where the joints would be that take after a followed source [variables], NaN for others; None where none do.

    They do while a goal that asks follows their source, fitted. What is stored and makes no sense is passed over.
    """
    copied = properties.character(armature_object).posewright_copied
    if not len(copied):
        return None
    followed = {one.goal.target.session_uid for one in wishes if _follows(one) and one.goal.target is not None}
    turns = dict[str, Quaternion]()
    for item in copied if followed else ():
        if item.target is not None and item.target.session_uid in followed:
            seen = item.target.evaluated_get(depsgraph) if depsgraph else item.target
            turn = _turn(item, seen.pose.bones) if seen.pose else None
            if turn is not None:
                turns[item.name] = turn
    return _values(rig, now, turns) if turns else None


def _follows(wish: Wish) -> bool:
    goal = wish.goal
    return not wish.trouble and goal.state == "FOLLOWING" and goal.target_fitted and not goal.dragged


def _turn(item: POSEWRIGHT_PG_copied, bones: Any) -> Quaternion | None:  # noqa: ANN401 - a collection of pose bones
    """The own rotation of a bone that is turned as the source's; None where that cannot be said."""
    names = [item.target_bone, item.target_above, *([item.target_next] if item.target_next else ())]
    if any(name not in bones for name in names):
        return None
    bone_axes, above_axes, next_axes, neutral, before, after = (Quaternion(getattr(item, name)) for name in _TURNS)
    frame = places.turn_of(bones[item.target_bone].matrix) @ bone_axes
    above = places.turn_of(bones[item.target_above].matrix) @ above_axes
    if item.hinge and item.target_next:
        following = places.turn_of(bones[item.target_next].matrix) @ next_axes
        frame = _hinged(frame, following @ _ALONG, item.hinge)
    elif item.hinge:
        above = _hinged(above, frame @ _ALONG, item.hinge)
    turned = neutral.inverted() @ above.inverted() @ frame
    if item.share != 1.0:
        turned = Quaternion().slerp(turned, min(1.0, max(0.0, item.share)))  # a NaN becomes 0
    found = before @ turned @ after
    return found.normalized() if 0.5 < found.magnitude < 2.0 else None  # nor is what is no number


def _hinged(frame: Quaternion, following: Vector, sign: float) -> Quaternion:
    """A limb's frame, turned about itself until the next bone, which points along `following`, bends about its x."""
    along, across = frame @ _ALONG, frame @ _ACROSS
    axis: Any = along.cross(following)  # for the stubs it may be a number, as in a plane
    x = sign * axis + STRAIGHT * across
    x -= along * x.dot(along)
    if x.length < 1e-6:
        return frame
    x.normalize()
    rows: Any = (x, along, x.cross(along))  # the stubs do not take vectors for rows
    return Matrix(rows).transposed().to_quaternion()


def _values(rig: Rig, now: Channels, turns: Mapping[str, Quaternion]) -> Floats:
    """Own rotations by bone as variables [variables], inside the limits; NaN for all others.

    Bones that go by Euler angles are left out: a rotation alone does not tell theirs.
    """
    euler = set(rig.euler.bone.tolist())
    rows = [row for row, name in enumerate(rig.bones) if name in turns and rig.turns[row] == 1 and row not in euler]
    mode, quaternion = now.mode.copy(), now.quaternion.copy()
    mode[rows] = QUATERNION
    quaternion[rows] = [turns[rig.bones[row]][:] for row in rows]
    values = rigs.values(rig, channels.Channels(mode, now.location, quaternion, now.euler, now.axis_angle))
    found = np.full(len(values), np.nan)
    slots = rig.tree.arrays.slot[rig.body[rows], 3:]
    there = slots[slots >= 0]
    found[there] = values[there]
    return found


def each(tree: Tree, there: Bools) -> Floats:
    """What the weight of each variable's posture is multiplied by [variables]: those `there` all get stiffness 1."""
    found: Floats = np.where(there & (tree.stiffness > 0.0), 1.0 / np.maximum(tree.stiffness, 1e-9), 1.0)
    return found
