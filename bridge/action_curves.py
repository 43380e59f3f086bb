"""Every F-curve that animates an object: of its action, of its NLA strips, and its drivers; one way for all Blenders.

Before Blender 4.4 an action has its curves itself; since then it has them by slot, in the bags of its layers' strips.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy


class Curves(NamedTuple):
    """A list of F-curves that can be changed, and what it belongs to."""

    curves: Any  # with `remove`; Blender has three types of it that share no base
    owner: bpy.types.ID  # an action, or for drivers the object


def of(thing: bpy.types.Object) -> Iterator[Curves]:
    """The lists of curves that animate an object, each once."""
    animation = thing.animation_data
    if animation is None:
        return
    seen = set()
    for used in _uses(animation):
        action, slot = used.action, getattr(used, "action_slot", None)
        which = action and (action.session_uid, slot and slot.handle)
        if which and which not in seen:
            seen.add(which)
            yield from (Curves(curves, action) for curves in _of_action(action, slot))
    yield Curves(animation.drivers, thing)


def of_action(action: bpy.types.Action, thing: bpy.types.Object) -> Iterator[Any]:
    """The F-curves with which an action animates an object: those of the slot that the object uses, or of the first."""
    animation: Any = thing.animation_data
    slots: Any = getattr(action, "slots", ())
    slot = getattr(animation, "action_slot", None) if animation and animation.action == action else None
    if slot is None and len(slots):
        slot = slots[0]
    for curves in _of_action(action, slot):
        yield from curves


def _uses(animation: bpy.types.AnimData) -> Iterator[Any]:
    """Whatever plays an action: the object itself, and strips, those inside of meta strips too."""
    yield animation
    strips: list[Any] = [strip for track in animation.nla_tracks for strip in track.strips]
    for strip in strips:
        yield strip
        strips += strip.strips


def _of_action(action: Any, slot: Any) -> Iterator[Any]:  # noqa: ANN401 - slots are unknown to the oldest Blender
    if not hasattr(action, "layers"):
        yield action.fcurves
    elif slot is not None:
        for layer in action.layers:
            for strip in layer.strips:
                bag = strip.channelbag(slot) if strip.type == "KEYFRAME" else None
                if bag is not None:
                    yield bag.fcurves
