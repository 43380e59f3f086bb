"""The way back from a bake: whatever was renamed, pushed down or is being tweaked, it plays what it did before."""

import json
from pathlib import Path
from typing import Any

import bpy
import pytest

from .figures import figure, update
from .test_bake import FIRST, LAST, curves, key, moving_hand, same, scene, seen
from .test_together_baking import walking

operators: Any = bpy.ops
call = operators.posewright
SLOTTED = hasattr(bpy.types, "ActionSlot")


@pytest.fixture
def owner(bridge: Any) -> Any:
    """A figure with goals, and an action that has another name than Blender would give it."""
    found = moving_hand(bridge, figure(".L"))
    key(found, "arm.L", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.9, 0, 0.4, 0.1)})
    found.animation_data.action.name = "Walk"
    return found


def slot_of(user: Any) -> str:
    """The slot by which an object or strip plays its action."""
    return user.action_slot.identifier if SLOTTED else ""


def strip_of(owner: Any) -> Any:
    """Its action as a strip instead."""
    animation = owner.animation_data
    slot = getattr(animation, "action_slot", None)
    track = animation.nla_tracks.new()
    strip = track.strips.new("steps", FIRST, animation.action)
    if SLOTTED:
        strip.action_slot = slot
    animation.action = None
    return strip


def tweak(owner: Any, strip: Any) -> None:
    animation = owner.animation_data
    animation.nla_tracks.active = next(one for one in animation.nla_tracks if strip in list(one.strips))
    strip.select = True
    animation.use_tweak_mode = True
    assert animation.use_tweak_mode
    assert animation.action == strip.action
    update()


def bake(owner: Any, where: str) -> None:
    owner.posewright_bake_where = where
    assert call.bake() == {"FINISHED"}
    assert not owner.posewright_live


def back(owner: Any) -> None:
    assert call.bake_back() == {"FINISHED"}
    assert owner.posewright_live
    assert not owner.animation_data.use_tweak_mode
    assert owner.posewright_baked is None


def test_it_leads_back_while_the_strip_of_a_bake_is_tweaked(owner: Any) -> None:
    live, former, slot = seen(owner), owner.animation_data.action, slot_of(owner.animation_data)
    bake(owner, "NLA")
    tweak(owner, owner.animation_data.nla_tracks[-1].strips[0])
    back(owner)
    assert not len(owner.animation_data.nla_tracks)
    assert (owner.animation_data.action, slot_of(owner.animation_data)) == (former, slot)
    same(seen(owner), live)


@pytest.mark.parametrize("above", [False, True], ids=["nothing above", "an action above"])
@pytest.mark.parametrize("tweaking", [False, True], ids=["after tweaking", "while tweaking"])
def test_keys_over_a_strip_that_was_tweaked_are_taken_out_of_the_strip(owner: Any, tweaking: bool, above: bool) -> None:
    animation, slot, before = owner.animation_data, slot_of(owner.animation_data), curves(owner)
    strip, top = strip_of(owner), bpy.data.actions.new("Above") if above else None
    animation.action = top
    tweak(owner, strip)
    live = seen(owner)
    bake(owner, "OVER")
    if not tweaking:
        animation.use_tweak_mode = False
    back(owner)
    assert animation.action == top
    assert [one.action.name for track in animation.nla_tracks for one in track.strips] == ["Walk"]
    assert slot_of(strip) == slot
    assert curves(owner, strip.action) == before
    assert bpy.data.actions["Walk baked"].use_fake_user
    same(seen(owner), live)


def test_a_new_action_baked_while_a_strip_is_tweaked_leads_back_to_what_was_above_the_strips(owner: Any) -> None:
    animation, strip = owner.animation_data, strip_of(owner)
    tweak(owner, strip)
    live = seen(owner)
    bake(owner, "NEW")
    back(owner)
    assert animation.action is None
    assert strip.action.name == "Walk"
    same(seen(owner), live)


@pytest.mark.parametrize("where", ["NEW", "OVER", "NLA"])
def test_what_was_baked_stays_in_the_saved_file_under_the_name_that_it_was_given(
    owner: Any, tmp_path: Path, where: str
) -> None:
    before = curves(owner)
    bake(owner, where)
    baked = owner.posewright_baked
    baked.name, name = "Take 3", owner.name
    keys = curves(owner, baked)
    other = bpy.data.actions.new("Walk" if where == "OVER" else "Walk baked")  # its old name is another's now
    kept = other.name
    back(owner)
    assert other.name == kept
    assert not other.use_fake_user
    assert curves(owner) == before
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert curves(bpy.data.objects[name], bpy.data.actions["Take 3"]) == keys


@pytest.mark.parametrize("where", ["NEW", "NLA"])
def test_what_was_baked_does_not_play_on_in_a_track_of_whatever_name(owner: Any, where: str) -> None:
    animation, live = owner.animation_data, seen(owner)
    bake(owner, where)
    baked = owner.posewright_baked
    if where == "NEW":
        strip_of(owner)  # as Push Down Action
    animation.nla_tracks[-1].name = "take 3"
    back(owner)
    assert not len(animation.nla_tracks)
    assert baked.use_fake_user
    assert animation.action.name == "Walk"
    same(seen(owner), live)


@pytest.mark.parametrize("where", ["NEW", "OVER", "NLA"])
def test_a_file_that_knows_what_was_baked_by_its_name_alone_leads_back(owner: Any, where: str) -> None:
    live, before = seen(owner), curves(owner)
    bake(owner, where)
    stored = json.loads(owner.posewright_bake)
    stored.pop("name", None)
    baked = owner.posewright_baked
    owner.posewright_bake, owner.posewright_baked = json.dumps(stored | {"baked": baked.name}), None
    back(owner)
    assert baked.use_fake_user
    assert owner.animation_data.action.name == "Walk"
    assert baked.name != "Walk"
    assert curves(owner) == before
    same(seen(owner), live)


@pytest.mark.skipif(not SLOTTED, reason="slots came with Blender 4.4")
@pytest.mark.parametrize("who", [0, 1], ids=["the one that was asked", "its partner"])
def test_partners_whose_keys_went_into_one_action_go_back_to_that_one(bridge: Any, who: int) -> None:
    both = walking(bridge, keyed=False)
    action, context = both[1].animation_data.action, bpy.context
    action.name = "Dance"
    animation: Any = both[0].animation_data_create()
    animation.action, animation.action_slot = action, action.slots.new(id_type="OBJECT", name=both[0].name)
    key(both[0], "spine", "rotation_quaternion", {FIRST: (1, 0, 0, 0), LAST: (0.96, 0.28, 0, 0)})
    scene().frame_set(4)
    slots, before = [slot_of(one.animation_data) for one in both], [curves(one) for one in both]
    live, count = [seen(one) for one in both], len(bpy.data.actions)
    bake(both[0], "OVER")
    assert both[1].posewright_baked == action == both[0].posewright_baked
    context.view_layer.objects.active = both[who]  # type: ignore[union-attr]
    back(both[who])
    assert [one.animation_data.action.name for one in both] == ["Dance", "Dance"]
    assert action.name == "Dance baked"
    assert [slot_of(one.animation_data) for one in both] == slots
    assert [curves(one) for one in both] == before
    assert len(bpy.data.actions) == count + 1
    for one, was in zip(both, live, strict=True):
        same(seen(one), was)


@pytest.mark.parametrize("live", [False, True])
def test_live_is_as_it_was_and_only_then_said_to_be_on(bridge: Any, owner: Any, live: bool) -> None:
    owner.posewright_live = live
    bake(owner, "NEW")
    said = bridge.baking.actions.go_back(owner)
    assert owner.posewright_live == live
    assert said == ("Back to 'Walk', live" if live else "Back to 'Walk'")
