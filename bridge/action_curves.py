"""Every F-curve that animates an object: of its action, of its NLA strips, and its drivers; one way for all Blenders.

Before Blender 4.4 an action has its curves itself; since then it has them by slot, in the bags of its layers' strips.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy

_BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)')


class Curves(NamedTuple):
    """A list of F-curves that can be changed, and what it belongs to."""

    curves: Any  # with `remove`; Blender has three types of it that share no base
    owner: bpy.types.ID  # an action, or for drivers the object


def of(thing: bpy.types.Object, playing: bool = False) -> Iterator[Curves]:
    """The lists of curves that animate an object, each once; on request without those of muted tracks and strips."""
    animation = thing.animation_data
    if animation is None:
        return
    seen = set()
    for used in uses(animation, playing):
        action, slot = used.action, getattr(used, "action_slot", None)
        which = action and (action.session_uid, slot and slot.handle)
        if which and which not in seen:
            seen.add(which)
            yield from (Curves(curves, action) for curves in _of_action(action, slot))
    yield Curves(animation.drivers, thing)


def groups_of(thing: bpy.types.Object) -> Iterator[Any]:
    """The groups of curves that play on an object."""
    animation = thing.animation_data
    for used in uses(animation, playing=True) if animation is not None else ():
        if used.action is not None:
            for bag in bags_of(used.action, getattr(used, "action_slot", None)):
                yield from bag.groups


def of_action(action: bpy.types.Action, thing: bpy.types.Object) -> Iterator[Any]:
    """The F-curves with which an action animates an object: those of the slot that the object uses, or of the first."""
    animation: Any = thing.animation_data
    slots: Any = getattr(action, "slots", ())
    slot = getattr(animation, "action_slot", None) if animation and animation.action == action else None
    if slot is None and len(slots):
        slot = slots[0]
    for curves in _of_action(action, slot):
        yield from curves


def lists_of(action: Any) -> Iterator[Any]:  # noqa: ANN401 - slots are unknown to the oldest Blender
    """The lists of curves in an action, of all its slots."""
    for slot in getattr(action, "slots", (None,)):
        yield from _of_action(action, slot)


def bone_and_channel(path: str) -> tuple[str, str] | None:
    """The bone and its property that a curve's path leads to; None where it leads elsewhere."""
    match = _BONE.match(path)
    return (bpy.utils.unescape_identifier(match[1]), match[2]) if match else None


def uses(animation: bpy.types.AnimData, playing: bool = False) -> Iterator[Any]:
    """Whatever plays an action: the object itself, and strips, those inside of meta strips too."""
    yield animation
    tracks: list[Any] = list(animation.nla_tracks)
    if playing:
        alone = [track for track in tracks if track.is_solo]
        tracks = [track for track in alone or tracks if animation.use_nla and not track.mute]
    strips: list[Any] = [strip for track in tracks for strip in track.strips]
    for strip in strips:
        if not (playing and strip.mute):
            yield strip
            strips += strip.strips


def _of_action(action: Any, slot: Any) -> Iterator[Any]:  # noqa: ANN401 - slots are unknown to the oldest Blender
    return (bag.fcurves for bag in bags_of(action, slot))


def bags_of(action: Any, slot: Any) -> Iterator[Any]:  # noqa: ANN401
    """Whatever has the curves and groups of a slot: the action itself before Blender 4.4."""
    if not hasattr(action, "layers"):
        yield action
    elif slot is not None:
        for layer in action.layers:
            for strip in layer.strips:
                bag = strip.channelbag(slot) if strip.type == "KEYFRAME" else None
                if bag is not None:
                    yield bag


def bag_for(action: Any, slot: Any) -> Any:  # noqa: ANN401
    """What has the curves and groups of a slot, and is made where there is none yet."""
    for bag in bags_of(action, slot):
        return bag
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)
