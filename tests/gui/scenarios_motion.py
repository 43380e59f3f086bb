"""A captured walk on another body, by the buttons: the dialog of Follow Motion, and what is baked of it."""

from pathlib import Path
from typing import Any

import addon_utils
import bpy

from .person import ADD_ON, make_room, package, view_region
from .scenarios_bake import apart, is_baking, poses, press_bake
from .scenarios_joints import show_only

BODY, WALK = "makehuman_game_engine.glb", "07_01.bvh"
DATA = Path(__file__).parents[1] / "data"  # beside the scripts, where Blender sees it
FIRST, LAST = 2, 301  # the first frame of these clips is a T-pose
INCHES = 0.0564  # metres for a unit of these clips


def scene() -> Any:
    found: Any = bpy.context.scene
    return found


def hero() -> Any:
    return bpy.data.objects["Hero"]


def is_missing(hand: Any) -> bool:
    """Whether the clip or the character is not there; then the scenario says so."""
    missing = [name for name in (BODY, WALK) if not (DATA / name).exists()]
    if missing:
        hand.skipped = f"{', '.join(missing)}: not there; POSEWRIGHT_DATA says where characters and clips are"
    return bool(missing)


def walker_and_hero(hand: Any) -> Any:
    """The character, active, and the walker, selected: as one has them before following."""
    yield from make_room(hand)
    for name in ("io_anim_bvh", "io_scene_gltf2"):
        addon_utils.enable(name)
    context: Any = bpy.context
    operators: Any = bpy.ops
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        operators.import_scene.gltf(filepath=str(DATA / BODY))
        body: Any = next(one for one in bpy.data.objects if one.type == "ARMATURE")
        body.name = "Hero"
        operators.import_anim.bvh(filepath=str(DATA / WALK), global_scale=INCHES)
        source: Any = next(one for one in bpy.data.objects if one.type == "ARMATURE" and one != body)
        source.name = "Walker"
        scene().frame_start, scene().frame_end = FIRST, LAST
        scene().frame_set(FIRST)
        context.view_layer.objects.active = body
        body.select_set(True)
        source.select_set(True)
        operators.view3d.view_axis(type="FRONT")
        operators.view3d.view_all()
        operators.posewright.set_up()
    package().bridge.watch.allow(1000.0)
    bpy.ops.ed.undo_push(message="A walker")
    yield from hand.rest()


def following() -> int:
    return sum(one.state == "FOLLOWING" for one in hero().posewright_goals)


TO_OK = (-43, -215)  # pixels from where the mouse is when the dialog opens, in the window of these tests


def open_dialog(hand: Any) -> Any:
    """Press the button. The mouse is on the dialog's first line then, on no button of it."""
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_goals", "POSEWRIGHT_PT_motion"))
    yield from hand.find_button("posewright.follow_motion")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest(10)  # it takes a redraw until a dialog knows where it is
    return put_back


def test_esc_closes_the_dialog_and_nothing_is_followed(hand: Any) -> Any:
    if is_missing(hand):
        return
    yield from walker_and_hero(hand)
    put_back = yield from open_dialog(hand)
    yield from hand.picture("follow-dialog")
    yield from hand.press("ESC")
    yield from hand.rest()
    yield from hand.picture("follow-dialog-esc")
    put_back()
    assert not following()
    assert not len(hero().posewright_copied)


def test_enter_in_the_dialog_follows_and_one_undo_ends_it(hand: Any) -> Any:
    if is_missing(hand):
        return
    yield from walker_and_hero(hand)
    put_back = yield from open_dialog(hand)
    yield from hand.press("RET")
    yield from hand.rest()
    put_back()
    assert following() == len(hero().posewright_goals)
    hand.at = (hand.area().x + 300, hand.area().y + 300)
    yield from hand.undo()
    assert not following()


def keys(name: str) -> dict[tuple[str, int], list[tuple[float, ...]]]:
    """All keys of an object's action; none where it has no action."""
    thing: Any = bpy.data.objects[name]
    action = thing.animation_data.action if thing.animation_data else None
    curves = package().bridge.action_curves.of_action(action, thing) if action else ()
    return {(one.data_path, one.array_index): [tuple(point.co) for point in one.keyframe_points] for one in curves}


def moved(live: dict[int, list[Any]]) -> set[str]:
    """The bones that were turned out of rest, or moved, on any frame."""
    bones = list(hero().pose.bones)
    rows = {bone.name: row for row, bone in enumerate(bones)}
    found = set()
    for row, bone in enumerate(bones):
        rest = bone.bone.matrix_local
        if bone.parent:
            rest = bone.parent.bone.matrix_local.inverted() @ rest
        above = rows[bone.parent.name] if bone.parent else -1
        for shown in live.values():
            own = shown[above].inverted() @ shown[row] if bone.parent else shown[row]
            if (
                max(abs(a - b) for one, two in zip(own, rest, strict=True) for a, b in zip(one, two, strict=True))
                > 1e-4
            ):
                found.add(bone.name)
                break
    return found


def test_a_followed_walk_is_baked_as_it_was_seen(hand: Any) -> Any:
    if is_missing(hand):
        return
    yield from walker_and_hero(hand)
    put_back = yield from open_dialog(hand)
    yield from hand.move(hand.at[0] + TO_OK[0], hand.at[1] + TO_OK[1])
    yield from hand.rest()
    yield from hand.picture("follow-dialog-ok")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    put_back()
    assert following() == len(hero().posewright_goals)
    frames, walk = range(FIRST, LAST + 1), keys("Walker")
    assert len(walk) > 90
    live = poses(frames, "Hero")
    scene().frame_set(FIRST)
    bpy.ops.ed.undo_push(message="Seen")
    yield from hand.rest()
    put_back = yield from press_bake(hand)
    yield from hand.until(lambda: bool(hero().posewright_bake) and not is_baking(), "the bake", seconds=300)
    yield from hand.rest()
    yield from hand.picture("walk-baked")
    put_back()
    assert not hero().posewright_live
    assert keys("Walker") == walk
    keyed = {path.split('"')[1] for path, _ in keys("Hero")}
    assert keyed
    assert keyed <= moved(live), keyed - moved(live)
    hand.at = (hand.area().x + 300, hand.area().y + 300)
    yield from hand.undo()
    assert hero().posewright_live
    assert not hero().posewright_bake
    assert not keys("Hero")
    yield from hand.press("Z", ctrl=True, shift=True)
    yield from hand.rest()
    assert keys("Hero")
    bpy.ops.preferences.addon_disable(module=ADD_ON)
    try:
        assert not hasattr(hero(), "posewright_live")
        off = apart(live, poses(frames, "Hero"))
    finally:
        bpy.ops.preferences.addon_enable(module=ADD_ON)
    hand.notes["a walk of 300 frames, baked, without the add-on, against live, degrees"] = round(off, 6)
    hand.notes["of so many bones, so many have keys"] = f"{len(hero().pose.bones)}, {len(keyed)}"
    assert off < 0.01
    assert keys("Walker") == walk
