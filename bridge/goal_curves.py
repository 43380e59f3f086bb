"""Keys for goals in bulk, in the action of their character: one way for all Blenders.

Adding points at once and giving them their values takes a tenth of the time of inserting keys one by one.
"""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import action_curves

Frames = NDArray[np.int64]
_LINEAR = 1  # Keyframe.interpolation as a number


def action_of(armature_object: bpy.types.Object) -> bpy.types.Action:
    """The action that animates a character and can be changed. Raises an error that says why there is none."""
    animation: Any = armature_object.animation_data
    action: bpy.types.Action | None = animation.action if animation else None
    if action is None:
        strips = bool(animation and any(track.strips for track in animation.nla_tracks))
        way = ": it plays NLA strips; tweak one or bake them into an action first" if strips else ""
        raise PosewrightError(f"{armature_object.name!r} has no action{way}")
    if action.library is not None:
        raise PosewrightError(f"The action {action.name!r} is linked and cannot have keys: make it local, or a copy")
    if hasattr(action, "slots") and animation.action_slot is None:
        raise PosewrightError(f"The action {action.name!r} plays nothing on {armature_object.name!r}: choose its slot")
    return action


def path(index: int, name: str) -> str:
    """Where the animation finds a setting of a goal."""
    return f"posewright_goals[{index}].{name}"


def refuse_fixed(armature_object: bpy.types.Object, index: int, goal: str) -> None:
    """Raise an error if the place or turn of a goal is driven, or has curves that are locked or muted."""
    paths = {path(index, "place"), path(index, "turn")}
    for curves, owner in action_curves.of(armature_object):
        for curve in curves:
            if curve.data_path not in paths:
                continue
            grouped = curve.group is not None and (curve.group.lock or curve.group.mute)
            if owner == armature_object:
                raise PosewrightError(f"The goal {goal!r} is driven: remove its drivers first")
            if curve.lock or curve.mute or grouped:
                raise PosewrightError(f"Curves of the goal {goal!r} are locked or muted: unlock them first")


def write(armature_object: bpy.types.Object, index: int, name: str, group: str, frames: Frames, values: Floats) -> None:
    """Key a setting of a goal, values [F, numbers]; what was keyed in that range goes, keys outside of it stay."""
    holder = _holder(armature_object, action_of(armature_object))
    for number, column in enumerate(values.T):
        curve: Any = holder.fcurves.find(path(index, name), index=number)
        if curve is None:
            curve = holder.fcurves.new(path(index, name), index=number)
            curve.group = holder.groups.get(group) or holder.groups.new(group)
        _put(curve, frames, column)


def _holder(armature_object: bpy.types.Object, action: bpy.types.Action) -> Any:  # noqa: ANN401 - by version
    """What has curves and groups: the action itself before Blender 4.4, then the bag of the object's slot."""
    return action_curves.bag_for(action, getattr(armature_object.animation_data, "action_slot", None))


def _put(curve: Any, frames: Frames, values: Floats) -> None:  # noqa: ANN401 - a curve
    """Give a curve keys; straight lines between those of neighbouring frames."""
    points = curve.keyframe_points
    straight = len(frames) < 2 or frames[1] - frames[0] == 1
    there = np.zeros((len(points), 2), np.float32)
    points.foreach_get("co", there.ravel())
    inside = (there[:, 0] > frames[0] - 0.5) & (there[:, 0] < frames[-1] + 0.5)
    if inside.all():
        points.clear()
        points.add(len(frames))
        points.foreach_set("co", np.stack([frames, values], axis=1).astype(np.float32).ravel())
        if straight:
            points.foreach_set("interpolation", np.full(len(frames), _LINEAR, np.int32))
    else:
        for row in np.flatnonzero(inside)[::-1]:
            points.remove(points[int(row)], fast=True)
        for frame, value in zip(frames, values, strict=True):
            point = points.insert(float(frame), float(value), options={"FAST"})
            point.interpolation = "LINEAR" if straight else "BEZIER"
    curve.update()
