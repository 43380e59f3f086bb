"""Two characters that hold hands, of rigs from elsewhere: library overrides, and people with limits."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

from .characters import load
from .figures import drag, figure, off, pin, shown, update
from .test_joints import angles
from .test_relations import MILLIMETRE
from .test_roles import set_up
from .test_together import apart, clasped, hold, pair, tail

NARROW = 6.0  # degrees to either side
BEYOND = 0.05  # degrees: what limits are not kept to, of numbers that come back from float32 channels


def in_scene(thing: Any) -> Any:
    scene: Any = bpy.context.scene
    scene.collection.objects.link(thing)
    return thing


def overridden(folder: Path) -> tuple[Any, Any]:
    """Ann and Ben of the present file, as overrides in a new one."""
    update()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(folder / "library.blend"), link=True) as (_there, wanted):
        wanted.objects = ["Ann", "Ben"]
    ann, ben = (in_scene(one).override_create(remap_local_usages=True) for one in wanted.objects)
    update()
    return ann, ben


def reopened(folder: Path) -> tuple[Any, Any]:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    update()
    found = {one.name: one for one in bpy.data.objects if one.override_library}
    return found["Ann"], found["Ben"]


@pytest.mark.parametrize("in_library", [True, False])
def test_overrides_hold_hands_and_still_do_when_the_file_is_opened_again(
    bridge: Any, tmp_path: Path, in_library: bool
) -> None:
    if in_library:
        pair(bridge)
        ann, ben = overridden(tmp_path)
    else:
        figure(".L", "Ann")
        figure(".R", "Ben").location = (1.5, 0, 0)
        ann, ben = overridden(tmp_path)
        pin(bridge, ann, "foot.L")
        pin(bridge, ben, "foot.R")
        hold(ann, "hand.L", ben, "hand.R")
        update()
    for owner, bone, other in ((ann, "hand.L", ben), (ben, "hand.R", ann)):
        before = shown(other)
        drag(bridge, owner, bone, (0.0, -0.1, -0.1))
        assert off(bridge, owner, 1) < MILLIMETRE
        assert clasped(ann, ben) < MILLIMETRE
        assert np.abs(shown(other) - before).max() > 0.02
        owner.posewright_goals[1].dragged = False
        update()
    posed = shown(ann), shown(ben)
    ann, ben = reopened(tmp_path)
    assert ann.posewright_relations[0].parts[1].character == ben
    for one, was in zip((ann, ben), posed, strict=True):
        one.update_tag()
        update()
        assert_allclose(shown(one), was, atol=1e-4)
    before = shown(ann)
    drag(bridge, ben, "spine", (0.0, -0.15, -0.1))
    assert clasped(ann, ben) < MILLIMETRE
    assert np.abs(shown(ann) - before).max() > 0.02


def test_a_partner_that_is_linked_without_an_override_is_told_and_left_alone(bridge: Any, tmp_path: Path) -> None:
    pair(bridge)
    ann, ben = overridden(tmp_path)
    linked = ben.override_library.reference
    ann.posewright_relations[0].parts[1].character = linked
    before = shown(linked)
    drag(bridge, ann, "hand.L", (0.0, -0.1, -0.1))
    assert "make a library override" in bridge.outcome.of(ann).relations[0].trouble
    assert off(bridge, ann, 1) < MILLIMETRE
    assert_allclose(shown(linked), before, atol=0.0)


def beyond(bridge: Any, owner: Any) -> dict[str, Any]:
    """By bones, how far each angle is beyond its limits [3], in degrees; less than zero within. Held: the angle."""
    found = dict[str, Any]()
    for name in bridge.own_joints.read(owner):
        joint, now = owner.posewright_joints[name], angles(bridge, owner, name)
        lower, upper = (np.degrees(ends) for ends in (joint.lower, joint.upper))
        found[name] = np.where(joint.free, np.maximum(lower - now, now - upper), np.abs(now))
    return found


def test_people_who_hold_hands_stay_within_their_limits(bridge: Any, tmp_path: Path) -> None:
    ann = load("makehuman_game_engine.glb", tmp_path)
    set_up(ann)
    ben = in_scene(ann.copy())
    ann.name, ben.name = "Ann", "Ben"
    bones = {role.name: role.bone for role in ann.posewright_roles}
    left, right = bones["hand.L"], bones["hand.R"]
    update()
    across = tail(ann, left) - tail(ann, right)
    ben.location = across + 0.05 * across.normalized()
    update()
    pelvis = [one.bone for one in ann.posewright_goals].index(bones["pelvis"])
    for one in (ann, ben):
        bridge.goal_states.pin(one, pelvis, "BOTH")
    hold(ann, left, ben, right)
    arms = ((ann, bones["upper_arm.L"]), (ben, bones["upper_arm.R"]))
    for one, arm in arms:  # narrow ones, which the drags below come to
        joint, now = one.posewright_joints[arm], np.radians(angles(bridge, one, arm))
        joint.lower, joint.upper = now - np.radians(NARROW), now + np.radians(NARROW)
    at_first = {one.name: beyond(bridge, one) for one in (ann, ben)}  # there are fingers that rest on no limit
    update()
    for by in ((0.0, -0.25, 0.15), (0.0, 0.2, -0.25)):  # in front and up, behind and down
        drag(bridge, ann, left, by)
        assert apart(ann, left, ben, right) < MILLIMETRE
        for one in (ann, ben):
            for name, now in beyond(bridge, one).items():
                allowed = np.maximum(at_first[one.name][name], 0.0) + BEYOND
                assert (now < allowed).all(), (one.name, name, by, now)
        for one, arm in arms:
            assert beyond(bridge, one)[arm].max() > -BEYOND, (one.name, by)  # without limits it would have gone on
