"""The first ten minutes of somebody who has read nothing but the README, by mouse and keys.

The mannequin and an imported character: set up, feet pinned by their handles, a hand dragged, keyed, baked. A walk that
is put onto a ramp. All of it undone, saved, opened again, and gone on with.
"""

import math
from pathlib import Path
from typing import Any

import addon_utils
import bpy
from mathutils import Vector

from .person import BODY, body, channels, head_of, make_room, package, pixel, release, running, session, view_region
from .scenarios_collision import DATA, PERSON
from .scenarios_feet import aside, click, is_working
from .scenarios_joints import show_only
from .walker import CYCLE, look, make_walker

SEEN = Vector((0.0, 0.0, 0.9))
BESIDE = Vector((-0.9, 0.0, 0.9))  # of the figure, with room for a pie
PANELS = ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_keys", "POSEWRIGHT_PT_bake")
FEET = {"mannequin": ("foot.L", "foot.R", "hand.L"), "imported": ("foot_l", "foot_r", "hand_l")}


def selected() -> set[str]:
    return set(package().bridge.selection.selected(body()))


def states() -> dict[str, str]:
    return {goal.bone: goal.state for goal in body().posewright_goals}


def stored() -> dict[str, object]:
    """All that a file is to bring back of a character."""
    owner = body()
    names = ("goals", "roles", "joints", "contacts", "soles")
    lists = {name: [one.name for one in getattr(owner, f"posewright_{name}")] for name in names}
    plain = {name: getattr(owner, f"posewright_{name}") for name in ("live", "mode", "bake", "bake_report")}
    return lists | plain | {"states": states(), "pose": channels(), "action": owner.animation_data.action.name}


def press_on(hand: Any, bone: str, **held: bool) -> Any:
    """A click on the handle of a bone's goal."""
    x, y = pixel(hand, head_of(bone))
    yield from hand.move(x + 40, y + 40)
    yield from hand.move(x, y)
    yield from hand.rest()
    yield from hand.press("LEFTMOUSE", **held)
    yield from hand.rest()


def pull(hand: Any, bone: str, way: Vector) -> Any:
    """Drag the handle of a bone's goal, by whatever tool there is."""
    begin, end = pixel(hand, head_of(bone)), pixel(hand, head_of(bone) + way)
    yield from hand.move(begin[0] + 40, begin[1] + 40)
    yield from hand.move(*begin)
    yield from hand.press("F13")  # means nothing, but a drag is given the Shift and Ctrl of the last simulated key
    yield from hand.rest()
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 11):
        yield from hand.move(*(round(a + 0.1 * step * (b - a)) for a, b in zip(begin, end, strict=True)))
    assert running(hand) == ["POSEWRIGHT_OT_drag"]


def reopen(hand: Any, name: str) -> Any:
    """Save, leave for another file, and come back to what was there."""
    before = stored()
    file = str(hand.folder / f"{name}.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_homefile(app_template="")
    yield from hand.rest()
    bpy.ops.wm.open_mainfile(filepath=file)
    package().bridge.watch.allow(1000.0)
    yield from hand.rest(10)
    after = stored()
    assert after == before, [name for name in before if before[name] != after[name]]


def first_pose(hand: Any, name: str) -> Any:
    """From a character that has just come in to one that is baked, and was opened again."""
    yield from set_up(hand, name)
    put_back = yield from show_only(hand, PANELS)
    yield from pin_feet(hand, name)
    planted = head_of(FEET[name][0])
    yield from drag_and_undo(hand, name)
    yield from key_and_bake(hand, name)
    yield from reopen(hand, f"newcomer-{name}")
    yield from go_on(hand, name)
    assert (head_of(FEET[name][0]) - planted).length < 1e-3
    put_back()


def set_up(hand: Any, name: str) -> Any:
    """By its button, then into Pose Mode by its keys."""
    package().bridge.watch.allow(1000.0)
    bpy.ops.ed.undo_push(message="A character")
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_set_up"))
    look(hand, SEEN, 78.0, 24.0, 3.4)
    yield from click(hand, "posewright.set_up()")
    yield from aside(hand)
    yield from hand.rest()
    yield from hand.press("TAB", ctrl=True)
    yield from hand.rest()
    assert body().mode == "POSE"
    yield from hand.picture(f"newcomer-{name}-1-set-up")
    put_back()


def pin_feet(hand: Any, name: str) -> Any:
    """By clicks on their handles, and the pie."""
    left, right, _ = FEET[name]
    yield from press_on(hand, left)
    assert selected() == {left}, "a click on a handle does not select its bone"
    yield from press_on(hand, right, shift=True)
    assert selected() == {left, right}
    yield from hand.undo()
    assert selected() == {left}, "a click is no step of its own"
    yield from hand.press("Z", ctrl=True, shift=True)
    yield from hand.rest()
    assert selected() == {left, right}
    assert set(states().values()) == {"IDLE"}
    yield from hand.move(*pixel(hand, BESIDE))
    yield from hand.rest()
    yield from hand.press("P")
    yield from hand.rest(10)
    yield from hand.picture(f"newcomer-{name}-2-pie")
    yield from hand.move(hand.at[0], hand.at[1] + 90)  # the entry above: place and turn
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    assert {bone for bone, state in states().items() if state == "PINNED"} == {left, right}


def drag_and_undo(hand: Any, name: str) -> Any:
    """A hand down by its handle; back, and once more."""
    left, _, grasp = FEET[name]
    before, start, planted = channels(), head_of(grasp), head_of(left)
    yield from pull(hand, grasp, Vector((0.0, -0.25, -0.45)))
    yield from hand.picture(f"newcomer-{name}-3-drag")
    yield from release(hand)
    assert (head_of(grasp) - start).length > 0.3
    assert (head_of(left) - planted).length < 1e-3
    yield from hand.undo()
    assert channels() == before
    yield from hand.press("Z", ctrl=True, shift=True)
    yield from hand.rest()


def key_and_bake(hand: Any, name: str) -> Any:
    """Two poses by their keys, and every frame between them with the feet where they are."""
    grasp = FEET[name][2]
    yield from click(hand, "posewright.key(which='BODY')", across=0.2)
    context: Any = bpy.context
    context.scene.frame_end = 20
    context.scene.frame_set(20)
    bpy.ops.ed.undo_push(message="Another frame")
    yield from pull(hand, grasp, Vector((0.1, -0.1, 0.7)))
    yield from release(hand)
    yield from click(hand, "posewright.key(which='BODY')", across=0.2)
    yield from click(hand, "posewright.bake()")
    yield from hand.until(lambda: bool(body().posewright_bake) and not is_working(), "the bake", seconds=120)
    yield from aside(hand)
    yield from hand.picture(f"newcomer-{name}-4-baked")


def go_on(hand: Any, name: str) -> Any:
    """Back to live posing, and another drag."""
    yield from click(hand, "posewright.bake_back()")
    yield from hand.rest()
    assert body().posewright_live, "live posing is not as it was before the bake"
    again = channels()
    yield from pull(hand, FEET[name][2], Vector((0.1, -0.2, -0.3)))
    yield from hand.picture(f"newcomer-{name}-5-reopened")
    yield from release(hand)
    assert channels() != again, "nothing can be dragged after opening the file again"
    yield from hand.undo()
    assert channels() == again


def test_a_mannequin_is_posed_baked_saved_and_posed_on(hand: Any) -> Any:
    yield from make_room(hand)
    yield from hand.sidebar("Posewright")
    yield from click(hand, "posewright.add_mannequin")
    yield from hand.rest()
    bpy.data.objects["Mannequin"].name = BODY
    yield from first_pose(hand, "mannequin")


def test_a_downloaded_character_is_posed_baked_saved_and_posed_on(hand: Any) -> Any:
    """MakeHuman's: Blender's importer draws its bones as balls, which the handles cover."""
    path: Path = DATA / PERSON
    if not path.exists():
        hand.skipped = f"{PERSON}: not there; POSEWRIGHT_DATA says where characters are"
        return
    yield from make_room(hand)
    addon_utils.enable("io_scene_gltf2")
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.import_scene.gltf(filepath=str(path))
    context.object.name = BODY
    yield from first_pose(hand, "imported")


def test_a_walk_is_put_onto_a_ramp_saved_and_put_there_again(hand: Any) -> Any:
    yield from make_walker(hand, 2 * CYCLE)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.data.objects.remove(bpy.data.objects["Stairs"])
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.mesh.primitive_plane_add(size=9.0, rotation=(math.radians(-10.0), 0.0, 0.0))
        ramp = context.object
        context.view_layer.objects.active = body()
    body().posewright_feet_object = ramp
    bpy.ops.ed.undo_push(message="A ramp")
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_feet",))
    look(hand, Vector((0.0, -0.9, 0.8)), 74.0, 60.0, 5.0)
    yield from click(hand, "posewright.place_feet()")
    yield from hand.until(lambda: body().posewright_feet_placed is not None and not is_working(), "the feet", 120)
    yield from aside(hand)
    yield from hand.picture("newcomer-feet-1-placed")
    placed = channels()
    yield from reopen(hand, "newcomer-feet")
    yield from click(hand, "posewright.feet_compare(which='BEFORE')", across=0.2)
    yield from hand.rest()
    assert channels() != placed
    yield from click(hand, "posewright.place_feet()")
    yield from hand.until(lambda: channels() == placed and not is_working(), "the same feet again", 120)
    assert not session().posewright_overlay_note
    put_back()
