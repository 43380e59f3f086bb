"""Collisions in a real window: a hand that is dragged into the thigh and into a box stops there; to look at."""

from pathlib import Path
from typing import Any

import addon_utils
import bpy
from mathutils import Vector

from .person import BODY, body, drag_from, head_of, make_room, package, release, session, view_region
from .scenarios_joints import show_only
from .walker import look

PERSON = "makehuman_game_engine.glb"
DATA = Path(__file__).parents[1] / "data"  # beside the scripts, where Blender sees it
PANELS = ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_relations", "POSEWRIGHT_PT_shapes")


def person(hand: Any) -> Any:
    """MakeHuman's body, set up, with pinned feet and pelvis, in Pose Mode. False where its file is not there."""
    if not (DATA / PERSON).exists():
        hand.skipped = f"{PERSON}: not there; POSEWRIGHT_DATA says where characters are"
        return False
    yield from make_room(hand)
    addon_utils.enable("io_scene_gltf2")
    context: Any = bpy.context
    operators: Any = bpy.ops
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        operators.import_scene.gltf(filepath=str(DATA / PERSON))
        thing: Any = next(one for one in bpy.data.objects if one.type == "ARMATURE")
        thing.name = BODY
        context.view_layer.objects.active = thing
        operators.posewright.set_up()
        operators.object.mode_set(mode="POSE")
        operators.wm.tool_set_by_id(name="posewright.pose")
    for goal in thing.posewright_goals:
        if goal.bone in {"pelvis", "foot_l", "foot_r"}:
            goal.place = thing.matrix_world @ thing.pose.bones[goal.bone].head
            goal.state = "PINNED"
    package().bridge.watch.allow(1000.0)
    yield from hand.rest()
    return True


def collide(hand: Any, **given: str) -> Any:
    context: Any = bpy.context
    operators: Any = bpy.ops
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        assert operators.posewright.collide("EXEC_DEFAULT", **given) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Collide")
    yield from hand.rest()


def deepest() -> float:
    """How deep the body is inside itself or what it keeps off, metres, as the last solve has it."""
    outcome = package().bridge.outcome.of(body())
    assert outcome is not None
    return max((one.metres for one in outcome.relations.values()), default=0.0)


def test_a_hand_that_is_dragged_into_the_thigh_stops_at_it(hand: Any) -> Any:
    if not (yield from person(hand)):
        return
    put_back = yield from show_only(hand, PANELS)
    look(hand, Vector((0.1, 0.0, 0.9)), 82.0, 25.0, 2.6)
    yield from collide(hand, against="SELF")
    assert len(body().posewright_shapes) > 15
    yield from hand.rest(8)
    yield from hand.picture("collision-1-shapes")
    before, thigh = head_of("hand_l"), head_of("thigh_l").lerp(head_of("calf_l"), 0.45)
    yield from drag_from(hand, before, thigh - before, 12)
    yield from hand.rest()
    yield from hand.picture("collision-2-thigh")
    assert deepest() < 1e-3
    assert (head_of("hand_l") - before).length > 0.1
    hand.notes["collision, ms"] = round(package().bridge.outcome.of(body()).milliseconds, 2)
    yield from release(hand)
    yield from hand.undo()
    assert (head_of("hand_l") - before).length < 2e-3
    chest = head_of("spine_03")
    yield from drag_from(hand, before, chest - before, 12)
    yield from hand.rest()
    yield from hand.picture("collision-3-chest")
    assert deepest() < 1e-3
    yield from release(hand)
    assert session().posewright_overlay, session().posewright_overlay_note
    put_back()


def test_a_hand_that_is_dragged_into_a_box_stops_at_it(hand: Any) -> Any:
    if not (yield from person(hand)):
        return
    put_back = yield from show_only(hand, PANELS)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.mesh.primitive_cube_add(size=0.3, location=(0.35, -0.35, 0.8))
        context.object.name = "Block"
        context.view_layer.objects.active = body()
        bpy.ops.object.mode_set(mode="POSE")
    look(hand, Vector((0.15, -0.1, 0.9)), 75.0, 40.0, 2.6)
    yield from collide(hand, against="BOX", thing="Block")
    before = head_of("hand_l")
    yield from drag_from(hand, before, Vector((0.35, -0.35, 0.8)) - before, 12)
    yield from hand.rest()
    yield from hand.picture("collision-4-box")
    assert deepest() < 1e-3
    yield from release(hand)
    bpy.data.objects.remove(bpy.data.objects["Block"])
    yield from hand.rest()
    yield from hand.picture("collision-5-gone")
    put_back()
