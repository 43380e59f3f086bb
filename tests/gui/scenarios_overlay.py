"""The overlay in a real 3D view: goals in every state and limits of every kind, to look at; and its switch."""

import math
from typing import Any

import bpy
from mathutils import Euler, Vector

LIMITS = {"x": (-0.9, 0.4), "y": (-0.5, 0.8), "z": (-0.3, 1.2)}  # radians


def session() -> Any:
    return bpy.context.window_manager


def rig(bones: dict[str, tuple[Vector, Vector, str]]) -> Any:
    """An armature object in Pose Mode; of each bone its head, its tail and its parent."""
    context: Any = bpy.context
    bpy.data.batch_remove(list(bpy.data.objects))
    found: Any = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    context.scene.collection.objects.link(found)
    context.view_layer.objects.active = found
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent) in bones.items():
        bone = found.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, found.data.edit_bones.get(parent)
    bpy.ops.object.mode_set(mode="POSE")
    return found


def row_of_arms(names: list[str]) -> Any:
    """Arms of two bones side by side, upright, each on a root that does not move."""
    bones: dict[str, tuple[Vector, Vector, str]] = {}
    for place, name in enumerate(names):
        x, parent = 1.2 * (place - 0.5 * (len(names) - 1)), ""
        for part, (low, high) in {"root": (0, 0.3), "upper": (0.3, 0.9), "fore": (0.9, 1.5)}.items():
            bones[f"{name} {part}"] = (Vector((x, 0, low)), Vector((x, 0, high)), parent)
            parent = f"{name} {part}"
    found = rig(bones)
    for name in names:
        root = found.pose.bones[f"{name} root"]
        root.lock_location = root.lock_rotation = (True, True, True)
    return found


def goal_of(arms: Any, name: str, **values: object) -> Any:
    goal = arms.posewright_goals.add()
    goal.name, goal.bone, goal.point = name, f"{name} fore", "TAIL"
    for key, value in values.items():
        setattr(goal, key, value)
    return goal


def look(hand: Any, distance: float) -> None:
    """See the rig from the front and a little from above."""
    view = hand.area().spaces.active.region_3d
    view.view_location, view.view_distance = (0, 0, 0.8), distance
    view.view_rotation = Euler((math.radians(75), 0, math.radians(15))).to_quaternion()


def is_well() -> bool:
    return bool(session().posewright_overlay) and session().posewright_overlay_note == ""


def test_goals_are_drawn_in_every_state(hand: Any) -> Any:
    context: Any = bpy.context
    arms = row_of_arms(["idle", "pinned", "following", "dragged", "far", "stopped"])
    tip = {name: arms.pose.bones[f"{name} fore"].tail.copy() for name in ("pinned", "following", "dragged", "far")}
    target: Any = bpy.data.objects.new("Target", None)
    context.scene.collection.objects.link(target)
    target.empty_display_size, target.location = 0.1, tip["following"] + Vector((0.2, -0.3, 0.1))
    stiff = arms.pose.bones["stopped fore"]
    stiff.lock_ik_y = stiff.lock_ik_z = stiff.use_ik_limit_x = True
    stiff.ik_min_x, stiff.ik_max_x = -0.2, 0.7
    upper = arms.pose.bones["stopped upper"]
    upper.lock_ik_x = upper.lock_ik_y = upper.lock_ik_z = True
    goal_of(arms, "idle")
    goal_of(arms, "pinned", state="PINNED", place=tip["pinned"] + Vector((0.2, 0, -0.3)))
    goal_of(arms, "following", target=target, target_offset=(0, 0, -0.3), state="FOLLOWING")
    goal_of(arms, "dragged", dragged=True, place=tip["dragged"] + Vector((0.3, 0.1, -0.2)))
    goal_of(arms, "far", state="PINNED", place=tip["far"] + Vector((0.4, 0, 0.3)))
    goal_of(arms, "stopped", state="PINNED", place=(3.0, -0.6, 0.6))
    look(hand, 7.0)
    yield from hand.picture("overlay-goals")
    assert is_well(), session().posewright_overlay_note


def test_limits_of_the_active_bone_are_drawn(hand: Any) -> Any:
    arms = row_of_arms(["cone", "edges", "hinge", "constraint"])
    goal_of(arms, "cone")
    bones = arms.pose.bones
    for name, axes in {"cone": "xyz", "edges": "z", "hinge": "x"}.items():
        for axis in axes:
            setattr(bones[f"{name} upper"], f"use_ik_limit_{axis}", True)
            setattr(bones[f"{name} upper"], f"ik_min_{axis}", LIMITS[axis][0])
            setattr(bones[f"{name} upper"], f"ik_max_{axis}", LIMITS[axis][1])
    bones["hinge upper"].lock_ik_y = bones["hinge upper"].lock_ik_z = True
    constraint = bones["constraint upper"].constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    for axis, (low, high) in LIMITS.items():
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", low)
        setattr(constraint, f"max_{axis}", high)
    look(hand, 5.0)
    for name in ("cone", "edges", "hinge", "constraint"):
        arms.data.bones.active = arms.data.bones[f"{name} upper"]
        hand.area().tag_redraw()
        yield from hand.picture(f"overlay-limits-{name}")
    assert is_well(), session().posewright_overlay_note


def test_the_switch_takes_it_away(hand: Any) -> Any:
    session().posewright_overlay = False
    yield from hand.picture("overlay-off")
    session().posewright_overlay = True
    yield from hand.rest()
    assert is_well()
