"""Have a character follow the motion of another armature: a goal for each hand and foot, for head and pelvis.

Nothing is written on the other one, which may be linked or anybody's. Each goal follows the bone of the same role. The
way through the scene is scaled by the legs' lengths about the place where the source's ankles stand, which becomes
the place where the character's own do: who stands there stands here, with feet neither sunk nor floating. Arms have
their own scale from the shoulder on, and the shoulder is where the character has it. Bones are turned alike by their
anatomical axes, whatever their rest poses and rolls.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .. import properties
from ..properties import POSEWRIGHT_PG_goal
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import goal_list, places, proportions, source_posture, stance
from .proportions import ARM, LEG, Body
from .roles import stored

ROLES = ("pelvis", "chest", "head", "hand.L", "hand.R", "foot.L", "foot.R")
LEAST = 3  # goals, below which it is no motion of a body


class Choice(NamedTuple):
    """What is to follow, and where."""

    same_spot: bool = False  # on the source's own ground, instead of where the character stands
    chest: bool = True
    turns: bool = True  # of pelvis, feet and head
    posture: bool = True  # whether elbows, knees and back are held alike where goals leave them free
    hands: bool = False  # whether hands are turned alike, too
    width: bool = False  # whether feet are as far apart as the character's own hips ask for
    play: bool = True  # solve while the animation plays


class _Stage(NamedTuple):
    """How the source's scene becomes the character's."""

    scale: float
    origin: Floats  # [3]
    shift: Floats  # [3]
    heading: float


def other_armature(context: bpy.types.Context, name: str = "") -> bpy.types.Object:
    """The armature of a name, or the other selected one. Raises an error where there is none, or several."""
    if name:
        found: bpy.types.Object | None = bpy.data.objects.get(name)
        if found is None:
            raise PosewrightError(f"There is no object {name!r}")
        return found
    others = [one for one in context.selected_objects or () if one.type == "ARMATURE" and one != context.object]
    if len(others) != 1:
        problem = f"{len(others)} other armatures are selected" if others else "No other armature is selected"
        raise PosewrightError(f"{problem}: select the one whose motion is to be followed, or choose it by name")
    return others[0]


def follow(
    armature_object: bpy.types.Object,
    source: bpy.types.Object,
    choice: Choice,
    depsgraph: bpy.types.Depsgraph | None = None,
) -> str:
    """Have a character follow a source. Returns in a sentence what was matched, what was not, and the scales.

    A character that was never set up is. Raises an error, before anything is changed, where it cannot be done.
    """
    if source == armature_object:
        raise PosewrightError(f"{source.name!r} is the character itself: choose another armature")
    if source.type != "ARMATURE" or source.pose is None:
        raise PosewrightError(f"{source.name!r} is no armature: it has no bones to follow")
    places.refuse_own_body(armature_object, source)
    theirs = proportions.of(source, _roles(source), depsgraph)
    own = proportions.of(armature_object, _roles(armature_object), depsgraph)
    wanted = [role for role in ROLES if choice.chest or role != "chest"]
    both = [role for role in wanted if role in own.bones and role in theirs.bones]
    if len(both) < LEAST:
        raise PosewrightError(f"{_missing(wanted, own, theirs)}: too little of a body to follow")
    stage = _stage(source, own, theirs, choice, depsgraph)
    said = ""
    if not len(properties.character(armature_object).posewright_roles):
        stored.set_up(armature_object, depsgraph=depsgraph)
        said = f"{own.name!r} was set up; "
    for role in both:
        _bind(_goal(armature_object, own.bones[role]), source, role, own, theirs, stage, choice, depsgraph)
    source_posture.store(armature_object, source if choice.posture else None, own, theirs)
    character = properties.character(armature_object)
    character.posewright_play = character.posewright_play or choice.play
    armature_object.update_tag()
    said += f"{len(both)} goals follow {source.name!r}: legs × {stage.scale:.3f}, {_arms(own, theirs)}"
    said += f"; {missing}" if (missing := _missing(wanted, own, theirs)) else ""
    return said + ("" if character.posewright_live else "; nothing moves: live posing is off")


def _roles(armature_object: bpy.types.Object) -> Mapping[str, str]:
    found = stored.known(armature_object)
    if not found:
        raise PosewrightError(f"No bone of {armature_object.name!r} is known to be a part of a body: see Set Up")
    return found


def _missing(wanted: list[str], own: Body, theirs: Body) -> str:
    """Which roles are on one side only, for people."""
    parts = []
    for body in (own, theirs):
        names = [stored.in_words(role) for role in wanted if role not in body.bones]
        if names:
            parts.append(f"no role {', '.join(names)} on {body.name!r}")
    return "; ".join(parts)


def _arms(own: Body, theirs: Body) -> str:
    scales = [f"{_arm_scale(own, theirs, side):.3f}" for side in "LR"]
    return f"arms × {scales[0]}" if scales[0] == scales[1] else f"arms × {scales[0]} and {scales[1]}"


def _arm_scale(own: Body, theirs: Body, side: str) -> float:
    """By how much an arm is longer than the source's; 1 where that cannot be said."""
    one, other = own.limb(ARM, side), theirs.limb(ARM, side)
    return one / other if one and other else 1.0


def _stage(
    source: bpy.types.Object, own: Body, theirs: Body, choice: Choice, depsgraph: bpy.types.Depsgraph | None
) -> _Stage:
    for body in (own, theirs):
        if any(f"{part}.{side}" not in body.joints for part in LEG for side in "LR") or not body.legs():
            raise PosewrightError(f"{body.name!r} has no two legs of thigh, shin and foot that show its size")
    origin = theirs.origin.copy()
    origin[2] = stance.ankles_in_motion(source, theirs, depsgraph)
    goes_to = own.origin.copy()
    goes_to[2] = stance.ankles(own)
    shift = goes_to - origin
    if choice.same_spot:
        shift[:2] = 0.0
        return _Stage(own.legs() / theirs.legs(), origin, shift, 0.0)
    ways = [math.atan2(body.facing[1, 2], body.facing[0, 2]) for body in (own, theirs)]
    heading = (ways[0] - ways[1] + math.pi) % (2.0 * math.pi) - math.pi
    return _Stage(own.legs() / theirs.legs(), origin, shift, heading if abs(heading) > math.radians(1.0) else 0.0)


def _goal(armature_object: bpy.types.Object, bone: str) -> POSEWRIGHT_PG_goal:
    """The goal of a bone's head; made where there is none."""
    there = goal_list.same(armature_object, "POSE", bone, "HEAD")
    index = goal_list.add(armature_object, bone) if there is None else there
    return properties.character(armature_object).posewright_goals[index]


def _bind(
    goal: POSEWRIGHT_PG_goal,
    source: bpy.types.Object,
    role: str,
    own: Body,
    theirs: Body,
    stage: _Stage,
    choice: Choice,
    depsgraph: bpy.types.Depsgraph | None,
) -> None:
    """Have a goal follow the source's bone of the same role."""
    part = role.partition(".")[0]
    start = _start(role, own, theirs, choice)
    goal.target, goal.target_bone = source, theirs.bones[role]
    goal.target_fitted, goal.target_scale, goal.target_heading = True, stage.scale, stage.heading
    goal.target_origin, goal.target_shift = stage.origin.tolist(), stage.shift.tolist()
    goal.target_from = theirs.bones[start] if start else ""
    goal.target_limb_scale = _limb_scale(role, start, own, theirs)
    goal.target_from_offset = _carried(source, theirs, start, _between(own, theirs, start, stage.scale), depsgraph)
    turn = _turn(own, theirs, role)
    goal.target_turn = turn
    goal.target_offset = (0.0, 0.0, 0.0)
    if part == "pelvis":
        goal.target_offset = _pelvis_offset(source, own, theirs, stage.scale, turn, depsgraph)
    # Where the chest is, the head only has to be turned alike: a neck of other proportions would bow the back. So does
    # the chest, where the back is held as the source's: its place would stretch a back of other proportions.
    chest = choice.chest and "chest" in own.bones and "chest" in theirs.bones
    goal.position = float(not (chest and (part == "head" or (part == "chest" and choice.posture))))
    wanted = part == "chest" or (choice.hands if part == "hand" else choice.turns)
    goal.orientation = float(wanted and role in own.axes and role in theirs.axes)
    goal.mute, goal.state = False, "FOLLOWING"


def _start(role: str, own: Body, theirs: Body, choice: Choice) -> str:
    """The role of the bone with which a limb begins; empty where the way is scaled by the legs alone."""
    part, _, side = role.partition(".")
    choices = {"hand": (f"upper_arm.{side}",), "head": ("neck.1", "head"), "chest": ("chest",)}.get(part, ())
    if part == "foot" and choice.width:
        choices = (f"thigh.{side}",)
    return next((one for one in choices if one in own.joints and one in theirs.joints), "")


def _limb_scale(role: str, start: str, own: Body, theirs: Body) -> float:
    """By how much the limb from a joint to the goal's is longer than the source's; 1 where there is none."""
    part, _, side = role.partition(".")
    if part == "hand":
        return _arm_scale(own, theirs, side)
    if part == "foot":
        return own.legs() / theirs.legs()  # the scale of the whole way: only the width of the hips differs
    ways = [float(np.linalg.norm(body.joints[role] - body.joints[start])) if start else 0.0 for body in (own, theirs)]
    return ways[0] / ways[1] if all(ways) else 1.0


def _between(own: Body, theirs: Body, start: str, scale: float) -> Floats:
    """From the scaled joint of the source to the character's own [3], in the source's scene, both upright at rest."""
    if not start:
        return np.zeros(3)
    apart = own.from_hips(start) - scale * theirs.from_hips(start)
    if start.startswith("thigh"):
        apart[1:] = 0.0
    found: Floats = theirs.facing @ apart
    return found


def _carried(
    source: bpy.types.Object, theirs: Body, start: str, offset: Floats, depsgraph: bpy.types.Depsgraph | None
) -> Vector:
    """An offset of the scene along the axes of the bone that carries a joint, at rest."""
    if not start:
        return Vector()
    data: Any = source.data
    above = data.bones[theirs.bones[start]].parent
    world = places.world_matrix(source, depsgraph)
    return (world @ above.matrix_local if above else world).to_quaternion().inverted() @ Vector(offset.tolist())


def _turn(own: Body, theirs: Body, role: str) -> Quaternion:
    """How the character's bone is turned as seen from the source's, when both are turned alike anatomically."""
    if role not in own.axes or role not in theirs.axes:
        return Quaternion()
    return Matrix((theirs.axes[role] @ own.axes[role].T).tolist()).to_quaternion()


def _pelvis_offset(
    source: bpy.types.Object,
    own: Body,
    theirs: Body,
    scale: float,
    turn: Quaternion,
    depsgraph: bpy.types.Depsgraph | None,
) -> Vector:
    """Where a pelvis begins differs from rig to rig; hip joints are hip joints. In the axes of the source's bone."""
    to_hips = theirs.turns["pelvis"].T @ (theirs.hips() - theirs.joints["pelvis"])
    back = np.array(turn.to_matrix()) @ own.turns["pelvis"].T @ (own.joints["pelvis"] - own.hips())
    data: Any = source.data
    bone = (places.world_matrix(source, depsgraph) @ data.bones[theirs.bones["pelvis"]].matrix_local).to_3x3()
    in_scene = theirs.turns["pelvis"] @ (scale * to_hips + back)
    return places.inverse(bone.to_4x4()).to_3x3() @ Vector(in_scene.tolist())
