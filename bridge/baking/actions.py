"""Into which action the keys go, what becomes of the one that was there, and the way back.

Before Blender 4.4 an action has its curves itself; since then by slot, in the bags of its layers' strips.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy

from ... import properties
from ...solvers.errors import PosewrightError
from .. import action_curves, channels, pose, reference

SLOTTED = hasattr(bpy.types, "ActionSlot")
WHERE = ("NEW", "OVER", "NLA")
BLENDING = ("action_blend_type", "action_influence", "action_extrapolation", "use_nla")
# What else is stored of a bake, besides lists of names. "baked" is how files of before `posewright_baked` know it.
_KINDS = {"where": str, "name": str, "baked": str, "slot": str, "live": bool, "had": bool}
_LISTS = ("tracks", "partners")


class Place(NamedTuple):
    """Where keys are written."""

    action: bpy.types.Action
    bag: Any  # with `fcurves` and `groups`


def refuse(armature_object: bpy.types.Object, where: str) -> None:
    """Raise an error that says why no keys can be written there, before anything is done."""
    animation: Any = armature_object.animation_data
    if animation is None:
        return
    if where != "OVER" and animation.use_nla and any(track.is_solo for track in animation.nla_tracks):
        name = next(track.name for track in animation.nla_tracks if track.is_solo)
        raise PosewrightError(
            f"The NLA track {name!r} is soloed: keys above it would not be seen; click its star off first"
        )
    action = animation.action
    if where == "OVER" and action is not None:
        if action.library is not None:
            raise PosewrightError(f"The action {action.name!r} is linked from another file: bake into a new action")
        if SLOTTED and animation.action_slot is None:
            words = f"The action {action.name!r} has no slot for {armature_object.name!r}"
            raise PosewrightError(f"{words}: choose one in the Action Editor, or bake into a new action")
    if where == "NLA" and animation.use_tweak_mode:
        raise PosewrightError("An NLA strip is being tweaked: leave tweak mode first, or bake over its action")


def curves_of(armature_object: bpy.types.Object) -> list[Any]:
    """What has the curves of the action that an object has, if there are any."""
    animation: Any = armature_object.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    return list(action_curves.bags_of(action, slot))


def open_place(armature_object: bpy.types.Object, where: str) -> Place:
    """Make room for keys: a new action with all that the old one has but our goals' own keys, or the old one itself."""
    character = properties.character(armature_object)
    animation: Any = armature_object.animation_data or armature_object.animation_data_create()
    if where != "OVER":
        leave_tweak_mode(animation)
    _remember(armature_object, animation, where)
    former = animation.action
    if where == "OVER" and former is not None:
        copy = former.copy()
        copy.name, copy.use_fake_user = f"{former.name} before bake", True
        character.posewright_before_bake, character.posewright_baked = copy, former
        _note(armature_object, name=former.name)
        return Place(former, action_curves.bag_for(former, getattr(animation, "action_slot", None)))
    if former is not None:
        former.use_fake_user = True
    if where == "NLA" and former is not None:
        _push_down(animation, former)
        former = None
    action, slot = successor(armature_object, animation, former, "baked")
    character.posewright_baked = action
    animation.action_blend_type, animation.action_influence = "REPLACE", 1.0
    return Place(action, action_curves.bag_for(action, slot))


def close_place(armature_object: bpy.types.Object, where: str, place: Place, first: int) -> None:
    """All keys are there: in the NLA, put them above everything else."""
    if where != "NLA":
        return
    animation: Any = armature_object.animation_data
    slot = getattr(animation, "action_slot", None)
    animation.action = None
    track = animation.nla_tracks.new()
    track.name = f"{place.action.name} (Posewright)"
    strip = track.strips.new(place.action.name, first, place.action)
    if SLOTTED and strip.action_slot != slot:
        strip.action_slot = slot
    strip.blend_type, strip.extrapolation = "REPLACE", "HOLD"
    _note_track(armature_object, track.name)


def additive_above(armature_object: bpy.types.Object, where: str) -> list[str]:
    """The NLA strips that play above what is baked and change it."""
    animation: Any = armature_object.animation_data
    if where != "OVER" or animation is None or not animation.use_tweak_mode:
        return []
    tracks = list(animation.nla_tracks)
    at = next((row for row, track in enumerate(tracks) if any(strip.active for strip in track.strips)), len(tracks))
    return [strip.name for track in tracks[at + 1 :] if not track.mute for strip in track.strips if not strip.mute]


def to_action_time(armature_object: bpy.types.Object, frame: float) -> float:
    """A frame of the scene in the time of the action: another only where an NLA strip is tweaked."""
    animation: Any = armature_object.animation_data
    if animation is None or not animation.use_tweak_mode:
        return frame
    return float(animation.nla_tweak_strip_time_to_scene(frame, invert=True))


def leave_tweak_mode(animation: Any) -> None:  # noqa: ANN401 - stubs: no slots
    """End the tweaking of an NLA strip: meanwhile Blender lets nobody change which action an object or strip plays."""
    if animation.use_tweak_mode:
        animation.use_tweak_mode = False


def go_back(armature_object: bpy.types.Object, keep: bool = False) -> str:
    """Give the character the action, slot, NLA state and live posing from before the bake. Returns what to say.

    With `keep`, what was baked stays in the file also where nothing else uses it.
    """
    character = properties.character(armature_object)
    if not character.posewright_bake:
        raise PosewrightError(f"{armature_object.name!r} has no bake to go back from")
    before, readable = _kept(armature_object)
    action, partners = character.posewright_before_bake, partners_of(armature_object)
    gone = action is None and bool(before.get("had"))
    if gone and not character.posewright_live:
        raise PosewrightError("The action from before the bake was deleted: choose one by hand, and switch Live on")
    animation: Any = armature_object.animation_data or armature_object.animation_data_create()
    leave_tweak_mode(animation)
    baked: Any = character.posewright_baked or bpy.data.actions.get((before.get("baked", ""), None))
    over = before.get("where") == "OVER" and before.get("had") is not False  # else it was made for the bake
    _take_off(animation, baked, before.get("tracks", []), keep, alone="where" in before and not over)
    if over and action is not None and baked is not None:
        name = before.get("name", baked.name)
        if baked.name == name:  # else the animator has named it, or a partner of whom it has keys, too, is back
            baked.name = f"{name} baked"
        action.name = name
    if action is not None or before.get("had") is False:  # else nobody knows whether there was one
        _give_back(animation, baked if over else None, action, before.get("slot", ""))
    for name in BLENDING:
        if name in before:
            setattr(animation, name, before[name])
    _put_pose_left(armature_object)
    character.posewright_live = before.get("live", True)
    character.posewright_bake, character.posewright_before_bake, character.posewright_baked = "", None, None
    said = [_back_to(action, character.posewright_live)]
    if gone:
        said.append("the action from before the bake was deleted: the one that was chosen since stays")
    if not readable:
        said.append("some of what was stored of the bake cannot be read: look whether action and NLA are as you want")
    for partner in partners:
        if properties.character(partner).posewright_bake:  # they were baked together
            try:
                go_back(partner, keep)
            except PosewrightError as error:  # this one is back: that is told, and can be undone
                said.append(f"{partner.name!r} stays as it is: {error}")
    return "; ".join(said)


def _back_to(action: bpy.types.Action | None, live: bool) -> str:
    if action is None:
        return "Back to live posing" if live else "Back to what was before the bake"
    return f"Back to {action.name!r}, live" if live else f"Back to {action.name!r}"


def _take_off(animation: Any, baked: Any, names: Sequence[str], keep: bool, alone: bool) -> None:  # noqa: ANN401
    """Remove the tracks of a bake: those of its names and, with `alone`, those that play nothing but what was baked.

    With `keep`, the file keeps their actions and the baked one, used or not.
    """
    actions, only = [baked], [baked] if alone and baked is not None else None
    for track in list(animation.nla_tracks):
        there = [strip.action for strip in track.strips]
        if track.name in names or there == only:
            actions += there
            animation.nla_tracks.remove(track)
    for one in actions if keep else ():
        if one is not None and one.library is None:
            one.use_fake_user = True


def _give_back(animation: Any, baked: Any, action: Any, slot: str) -> None:  # noqa: ANN401
    """Have all that plays the baked action play the one from before, strips too; the object itself, if nothing does."""
    playing = [one for one in action_curves.uses(animation) if baked is not None and one.action == baked]
    for one in playing or [animation]:
        own = getattr(one, "action_slot", None) if playing else None
        name = slot if own is None else own.identifier
        one.action = action
        if SLOTTED and action is not None and name in action.slots:
            one.action_slot = action.slots[name]


def _kept(armature_object: bpy.types.Object) -> tuple[dict[str, Any], bool]:
    """What is stored of the last bake, and whether all of it can be read; the rest is left out.

    A file may be a stranger's, or have been edited.
    """
    try:
        stored = json.loads(properties.character(armature_object).posewright_bake)
    except (ValueError, RecursionError):
        return {}, False
    if not isinstance(stored, dict):
        return {}, False
    found = {name: value for name, value in stored.items() if _makes_sense(name, value)}
    return found, len(found) == len(stored)


def _makes_sense(name: str, value: object) -> bool:
    """Whether a value can be what is stored of a bake by that name."""
    if name in _LISTS:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return can_play(name, value) if name in BLENDING else isinstance(value, _KINDS.get(name, object))


def can_play(name: str, value: object) -> bool:
    """Whether Blender takes a value for one of BLENDING."""
    known: Any = bpy.types.AnimData.bl_rna.properties[name]
    if known.type == "ENUM":
        return value in known.enum_items.keys()  # noqa: SIM118 - the items are no dictionary, and themselves no names
    if known.type == "FLOAT":
        return isinstance(value, float) and known.hard_min <= value <= known.hard_max
    return isinstance(value, bool)


def _put_pose_left(armature_object: bpy.types.Object) -> None:
    """Put back the pose that live posing left, or it would take what the bake has left for somebody's work."""
    aim = reference.stored(armature_object)
    if aim is not None:
        now = channels.read(armature_object)
        pose.put(armature_object, now, aim.left().channels(now).but_for(~aim.edited(now), now))


def _remember(armature_object: bpy.types.Object, animation: Any, where: str) -> None:  # noqa: ANN401
    character = properties.character(armature_object)
    slot = getattr(animation, "action_slot", None)
    kept: dict[str, object] = {name: getattr(animation, name) for name in BLENDING}
    kept |= {"where": where, "slot": slot.identifier if slot else "", "live": character.posewright_live, "tracks": []}
    character.posewright_before_bake, character.posewright_baked = animation.action, None
    character.posewright_bake = json.dumps({**kept, "had": animation.action is not None})


def note_partners(armature_object: bpy.types.Object, names: list[str]) -> None:
    """Remember who was baked with a character, to go back together."""
    _note(armature_object, partners=names)


def share_former(things: Sequence[bpy.types.Object]) -> None:
    """Those whose keys went into one action go back to one: the copy made first, as later ones have keys already."""
    first = dict[bpy.types.Action | None, bpy.types.Action | None]()
    for one in map(properties.character, things):
        copy = one.posewright_before_bake
        kept = first.setdefault(one.posewright_baked, copy)
        if copy is not None and copy != kept:
            one.posewright_before_bake = kept
            bpy.data.actions.remove(copy)


def partners_of(armature_object: bpy.types.Object) -> list[bpy.types.Object]:
    """Who was baked together with a character: they are of this file, where a linked one may have the same name."""
    names = _kept(armature_object)[0].get("partners", [])
    found: list[bpy.types.Object | None] = [bpy.data.objects.get((name, None)) for name in names]
    return [one for one in found if one is not None and one.type == "ARMATURE" and one != armature_object]


def _note_track(armature_object: bpy.types.Object, name: str) -> None:
    """Remember an NLA track that was made, to be removed on the way back."""
    kept = json.loads(properties.character(armature_object).posewright_bake)
    _note(armature_object, tracks=[*kept["tracks"], name])


def _note(armature_object: bpy.types.Object, **what: object) -> None:
    """Remember more of a bake, for the way back."""
    character = properties.character(armature_object)
    character.posewright_bake = json.dumps({**json.loads(character.posewright_bake), **what})


def _push_down(animation: Any, action: bpy.types.Action) -> None:  # noqa: ANN401
    """Make a strip of the active action, that plays as it did."""
    slot = getattr(animation, "action_slot", None)
    track = animation.nla_tracks.new()
    strip = track.strips.new(action.name, round(action.frame_range[0]), action)
    if SLOTTED and strip.action_slot != slot:
        strip.action_slot = slot
    strip.blend_type, strip.influence = animation.action_blend_type, animation.action_influence
    strip.extrapolation = animation.action_extrapolation
    track.name = f"{action.name} (before bake)"
    _note_track(animation.id_data, track.name)


def successor(
    armature_object: bpy.types.Object,
    animation: Any,  # noqa: ANN401
    former: bpy.types.Action | None,
    word: str,
) -> tuple[bpy.types.Action, Any]:
    """A new action for an object, with the curves of the one that it has, but for those of our goals; and its slot.

    `word` is what comes to the name: "baked".
    """
    slot = getattr(animation, "action_slot", None)
    if former is None or (SLOTTED and slot is None):
        action: Any = bpy.data.actions.new(f"{armature_object.name} {word}")
        if not SLOTTED:
            action.id_root = "OBJECT"
    else:
        identifier = slot.identifier if slot else ""
        action = former.copy()
        action.name, action.use_fake_user = f"{former.name} {word}", False
        if SLOTTED:
            for other in [one for one in action.slots if one.identifier != identifier]:
                action.slots.remove(other)
        for curves in action_curves.lists_of(action):
            for curve in [one for one in curves if one.data_path.startswith("posewright_")]:
                curves.remove(curve)
    animation.action = action
    if not SLOTTED:
        return action, None
    if not len(action.slots):
        action.slots.new(id_type=armature_object.id_type, name=armature_object.name)
    animation.action_slot = action.slots[0]
    return action, animation.action_slot
