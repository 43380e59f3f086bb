"""Keys in bulk: thousands of numbers into curves at once, a hundred times faster than key by key."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import channels
from .playing import Track

_FIELDS = {  # of a key, with the numbers that each takes; in the order in which Blender must be given them
    "co": 2,
    "interpolation": 1,
    "easing": 1,
    "back": 1,
    "amplitude": 1,
    "period": 1,
    "type": 1,
    "handle_left_type": 1,
    "handle_right_type": 1,
    "handle_left": 2,
    "handle_right": 2,
}
_INTS = {"interpolation", "easing", "type", "handle_left_type", "handle_right_type"}
_ZERO_WHEN_NEW = {"easing", "amplitude", "period", "type"}  # and not worth 15 µs a curve where they stay so
Fields = dict[str, NDArray[Any]]


class Keys(NamedTuple):
    """What is keyed of a property of one bone: K keys of n numbers."""

    row: int  # of the bone
    name: str  # the property
    frames: Floats  # [K]
    values: Floats  # [K, n]
    left: Floats | None = None  # [K, n, 2], handles as frame and value; None for Blender's own
    right: Floats | None = None


def on_every_frame(tracks: Sequence[Track], frames: Sequence[float]) -> list[Keys]:
    """A key for every frame that was sampled."""
    return [Keys(one.row, one.name, np.array(frames, float), one.values) for one in tracks]


def refuse_locked(armature_object: bpy.types.Object, bag: Any, keys: Sequence[Keys]) -> None:  # noqa: ANN401
    """Raise an error that names a curve which would be written and is locked, or would not play as it is written."""
    paths = {path for path, _ in (_path(armature_object, one) for one in keys)}
    for curve in bag.fcurves:
        if curve.data_path in paths:
            group = curve.group
            state = "has modifiers" if len(curve.modifiers) else ""
            for what, word in (("mute", "is muted"), ("lock", "is locked")):
                if getattr(curve, what) or (group is not None and getattr(group, what)):
                    state = word
            if state:
                words = f"The curve {curve.data_path}[{curve.array_index}] {state}"
                raise PosewrightError(f"{words}: change that in the Graph Editor, or bake into a new action")


def write(armature_object: bpy.types.Object, bag: Any, keys: Keys, interpolation: str) -> int:  # noqa: ANN401
    """Write the keys of one property, in place of those between its first and last frame. Returns how many curves.

    Args:
        armature_object: whose bone it is.
        bag: what has the curves: an action before Blender 4.4, then the bag of a slot.
        keys: in the action's own time.
        interpolation: BEZIER, LINEAR or CONSTANT.
    """
    path, bone = _path(armature_object, keys)
    for index in range(keys.values.shape[1]):
        curve = bag.fcurves.find(path, index=index)
        old = _read(curve) if curve is not None else None
        if curve is None:
            curve = bag.fcurves.new(path, index=index)
        if curve.group is None or curve.group.name != bone:
            curve.group = bag.groups.get(bone) or bag.groups.new(bone)
        _let_play(curve)
        _fill(curve, _merged(old, _fields(keys, index, interpolation)))
    return int(keys.values.shape[1])


def _let_play(curve: Any) -> None:  # noqa: ANN401 - an F-curve
    """Switch off what would keep a curve from being written, or from playing as it is written."""
    for one in (curve, curve.group):
        one.lock = one.mute = False
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)


def _path(armature_object: bpy.types.Object, keys: Keys) -> tuple[str, str]:
    bone = channels.pose_bones(armature_object)[keys.row]
    return bone.path_from_id(keys.name), bone.name


@functools.cache
def _number(what: str, name: str) -> int:
    """An item of an enumeration of keys as the number that buffers take."""
    kinds: Any = bpy.types.Keyframe.bl_rna.properties[what]
    return int(kinds.enum_items[name].value)


def _fields(keys: Keys, index: int, interpolation: str) -> Fields:
    count = len(keys.frames)
    handle = "AUTO_CLAMPED" if keys.left is None else "FREE"
    at = np.stack([keys.frames, keys.values[:, index]], axis=1)
    found: Fields = {
        "co": at,
        "interpolation": np.full(count, _number("interpolation", interpolation)),
        "easing": np.full(count, _number("easing", "AUTO")),
        "back": np.full(count, 1.70158),
        "amplitude": np.zeros(count),
        "period": np.zeros(count),
        "type": np.full(count, _number("type", "KEYFRAME")),
        "handle_left_type": np.full(count, _number("handle_left_type", handle)),
        "handle_right_type": np.full(count, _number("handle_right_type", handle)),
    }
    if keys.left is not None and keys.right is not None:  # else Blender's `update` puts them where they belong
        found |= {"handle_left": keys.left[:, index], "handle_right": keys.right[:, index]}
    return found


def _merged(old: Fields | None, new: Fields) -> Fields:
    """New keys, and old ones before the first and after the last of them."""
    if old is None or not len(old["co"]):
        return new
    first, last = new["co"][0, 0], new["co"][-1, 0]
    before, after = old["co"][:, 0] < first - 0.5, old["co"][:, 0] > last + 0.5
    filled = {"handle_left": new["co"], "handle_right": new["co"], **new}
    return {name: np.concatenate([old[name][before], one, old[name][after]]) for name, one in filled.items()}


def _read(curve: Any) -> Fields:  # noqa: ANN401 - an F-curve
    points, found = curve.keyframe_points, Fields()
    for name, width in _FIELDS.items():
        buffer = np.zeros(len(points) * width, np.int32 if name in _INTS else np.float32)
        points.foreach_get(name, buffer)
        found[name] = buffer.reshape(-1, width) if width > 1 else buffer
    return found


def _fill(curve: Any, fields: Fields) -> None:  # noqa: ANN401 - an F-curve
    points = curve.keyframe_points
    points.clear()
    points.add(len(fields["co"]))
    for name in (one for one in _FIELDS if one in fields):
        buffer = np.ascontiguousarray(fields[name], np.int32 if name in _INTS else np.float32)
        if name not in _ZERO_WHEN_NEW or buffer.any():
            points.foreach_set(name, buffer.ravel())
    curve.update()
