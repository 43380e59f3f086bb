"""A newcomer's way through the add-on, with the mannequin. Its pictures are those of the documentation.

They are cut to what they show; tools/pictures.py says which page has which.
"""

import itertools
from typing import Any

import bpy
from mathutils import Vector

from .person import (
    BODY,
    PINNED,
    body,
    channels,
    head_of,
    make_room,
    package,
    pixel,
    release,
    running,
    session,
    view_region,
    worst_pin,
)
from .scenarios_collision import person
from .scenarios_feet import STANDS, WALK, aside, click, is_well, is_working, preview
from .scenarios_joints import activate, show_only
from .scenarios_relations import put, run, select
from .walker import clip, look, make_walker

operators: Any = bpy.ops
SEEN = Vector((0.0, 0.0, 0.87))  # the middle of a mannequin
DOWN, UP = Vector((0.30, -0.60, 0.72)), Vector((0.42, -0.18, 1.98))  # where its left hand is dragged to, metres


def scene() -> Any:
    found: Any = bpy.context.scene
    return found


def shot(hand: Any, name: str, side: bool = True, wide: bool = False) -> Any:
    """A picture of the middle of the 3D view, with the sidebar or without; or of all of it."""
    view = view_region(hand)
    sidebar = next(region for region in hand.area().regions if region.type == "UI")
    right = sidebar.x + sidebar.width if side else sidebar.x
    left = view.x if wide else right - (920 if side else 620)
    yield from hand.picture(name, (left, view.y if wide else view.y + 60, right, view.y + view.height - 30))


def add_mannequin(hand: Any) -> Any:
    """An empty file, and the mannequin from the menu, seen a little from the side."""
    yield from make_room(hand)
    package().bridge.watch.allow(1000.0)
    yield from hand.sidebar("Posewright")
    bpy.ops.ed.undo_push(message="Empty")
    yield from hand.find_button("posewright.add_mannequin")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    bpy.data.objects["Mannequin"].name = BODY
    see(hand)
    yield from aside(hand)
    yield from hand.rest()


def see(hand: Any, at: Vector = SEEN, turned: float = 24.0, distance: float = 2.9, down: float = 78.0) -> None:
    """Have a place between the left edge of the picture and the sidebar."""
    hand.area().spaces.active.shading.color_type = "MATERIAL"
    look(hand, at - Vector((0.14, 0.0, 0.0)), down, turned, distance)


def pose_mode(hand: Any, tool: str = "posewright.pose") -> Any:
    """A mannequin that is set up, in Pose Mode, by the same operators as the buttons."""
    yield from add_mannequin(hand)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        operators.posewright.set_up()
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.wm.tool_set_by_id(name=tool)
    yield from hand.rest()


def pin(hand: Any, *bones: str) -> Any:
    """Pin bones as they are, place and turn."""
    select(*bones)
    run(hand, "pin_bones", which="BOTH")
    select(PINNED[0])
    bpy.ops.ed.undo_push(message="Pinned")
    yield from hand.rest()


def pull(hand: Any, places: list[Vector]) -> Any:
    """Drag the left hand through places; the button stays down. Returns the worst pin of all steps."""
    x, y = pixel(hand, places[0])
    yield from hand.move(x + 40, y + 40)
    yield from hand.move(x, y)
    yield from hand.press("F13")  # means nothing, but a drag is given the Shift and Ctrl of the last simulated key
    yield from hand.rest()
    yield from hand.event("LEFTMOUSE", "PRESS")
    worst = 0.0
    for number, place in enumerate(places):
        yield from hand.move(*pixel(hand, place))
        assert number < 2 or running(hand) == ["POSEWRIGHT_OT_drag"], "the mouse did not take hold of the hand"
        worst = max(worst, worst_pin())
    return worst


def path(*corners: Vector, steps: int) -> list[Vector]:
    """Places on the way from corner to corner, slow at each."""
    found = []
    for begin, end in itertools.pairwise(corners):
        parts = (step / steps for step in range(steps))
        found += [begin.lerp(end, part * part * (3.0 - 2.0 * part)) for part in parts]
    return [*found, corners[-1]]


def test_the_first_pose_takes_five_steps_and_is_there_after_reopening(hand: Any) -> Any:
    """Add, set up, pin, drag, key; undo, redo, bake, save, reopen: by mouse and keys where a newcomer would."""
    yield from add_mannequin(hand)
    yield from shot(hand, "tour-first-1")
    yield from hand.find_button("posewright.set_up")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    assert len(body().posewright_roles) == len(body().data.bones)
    yield from aside(hand)
    yield from shot(hand, "tour-first-2")
    yield from pin_by_pie(hand)
    yield from drag_undo_redo(hand)
    yield from key_and_bake(hand)
    yield from save_and_reopen(hand)


def pin_by_pie(hand: Any) -> Any:
    """Both feet, in Pose Mode."""
    yield from hand.press("TAB", ctrl=True)
    yield from hand.rest()
    assert body().mode == "POSE", "Ctrl Tab does not lead to Pose Mode"
    select("foot.L", "foot.R")
    yield from hand.move(*pixel(hand, SEEN))
    yield from hand.rest()  # a key that comes with the mouse's first move into the view is nobody's
    yield from hand.press("P")
    yield from hand.rest(10)
    yield from hand.move(hand.at[0], hand.at[1] + 90)  # the entry above: place and turn
    yield from shot(hand, "tour-first-3")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    pinned = {goal.bone for goal in body().posewright_goals if goal.state == "PINNED"}
    assert pinned == {"foot.L", "foot.R"}, pinned


def drag_undo_redo(hand: Any) -> Any:
    """The left hand down to the floor, with the tool; back, and once more."""
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.wm.tool_set_by_id(name="posewright.pose")
    bpy.ops.ed.undo_push(message="Tool")
    before, start = channels(), head_of("hand.L")
    worst = yield from pull(hand, path(start, DOWN, steps=12))
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    yield from shot(hand, "tour-first-4")
    yield from release(hand)
    hand.notes["tour: worst pin in the drag, mm"] = round(1000.0 * worst, 3)
    assert worst < 1e-3
    assert (head_of("hand.L") - start).length > 0.3
    dragged = channels()
    yield from hand.undo()
    assert channels() == before, "one undo does not take the drag back"
    yield from hand.press("Z", ctrl=True, shift=True)
    yield from hand.rest()
    assert channels() == dragged, "redo does not bring it again"


def key_and_bake(hand: Any) -> Any:
    """By their buttons."""
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_goals", "POSEWRIGHT_PT_keys", "POSEWRIGHT_PT_bake"))
    yield from click(hand, "posewright.key(which='BODY')", across=0.2)
    yield from hand.rest()
    assert body().animation_data.action is not None, "nothing was keyed"
    yield from aside(hand)
    yield from shot(hand, "tour-first-5")
    scene().frame_start, scene().frame_end = 1, 10
    select("hand.L")
    run(hand, "pin_bones", which="PLACE")
    goal = next(one for one in body().posewright_goals if one.bone == "hand.L")
    for frame, up in ((1, 0.0), (10, 0.25)):
        goal.place = goal.place + Vector((0.0, 0.0, up))
        goal.keyframe_insert("place", frame=frame)
    yield from click(hand, "posewright.bake()")
    yield from hand.until(lambda: bool(body().posewright_bake) and not is_working(), "the bake", seconds=120)
    yield from hand.rest()
    assert not body().posewright_live, "what was baked plays under live posing"
    yield from aside(hand)
    yield from shot(hand, "tour-baked")
    put_back()


def save_and_reopen(hand: Any) -> Any:
    """The pose and the way back to live posing are in the file."""
    baked = [bone.head.copy() for bone in body().pose.bones]
    file = str(hand.folder / "tour.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_homefile(app_template="")
    yield from hand.rest()
    bpy.ops.wm.open_mainfile(filepath=file)
    yield from hand.rest(10)
    again = [bone.head.copy() for bone in body().pose.bones]
    assert max((a - b).length for a, b in zip(baked, again, strict=True)) < 1e-4
    assert body().posewright_bake, "the way back to live posing was not saved"


def test_the_whole_body_follows_a_hand_down_up_and_back(hand: Any) -> Any:
    yield from pose_mode(hand)
    yield from pin(hand, "foot.L", "foot.R")
    see(hand, SEEN + Vector((0.0, 0.0, 0.12)), 24.0, 3.2)
    yield from hand.rest()
    start = head_of("hand.L")
    worst = yield from pull(hand, path(start, DOWN, UP, start, steps=9))
    yield from release(hand)
    assert worst < 1e-3
    assert (head_of("hand.L") - start).length < 0.02
    yield from hand.undo()


def test_a_drag_out_of_reach_says_what_stops_it(hand: Any) -> Any:
    yield from pose_mode(hand)
    yield from pin(hand, "foot.L", "foot.R")
    see(hand, SEEN + Vector((0.75, 0.0, 0.02)), 24.0, 4.3)  # with room for the words beside the hand
    yield from hand.rest()
    start = head_of("hand.L")
    yield from pull(hand, path(start, Vector((1.6, -0.4, 1.5)), steps=8))
    yield from shot(hand, "tour-overlay", side=False)
    assert not all(one.reached for one in package().bridge.outcome.of(body()).goals.values()), "it was in reach"
    yield from hand.event("ESC", "PRESS")
    yield from hand.event("ESC", "RELEASE")
    yield from hand.event("LEFTMOUSE", "RELEASE")
    yield from hand.rest()
    assert (head_of("hand.L") - start).length < 1e-4


def test_goals_joints_and_relations_to_look_at(hand: Any) -> Any:
    yield from pose_mode(hand)
    context: Any = bpy.context
    ball: Any = bpy.data.objects.new("Ball", None)
    ball.empty_display_type, ball.empty_display_size, ball.location = "SPHERE", 0.08, (0.35, -0.55, 1.25)
    context.scene.collection.objects.link(ball)
    yield from pin(hand, "foot.L", "foot.R")
    run(hand, "goal_add", bone="head", kind="LOOK_AT")
    eyes = body().posewright_goals[len(body().posewright_goals) - 1]
    eyes.direction, eyes.target, eyes.state = "Z", ball, "FOLLOWING"
    put("hand.L", Vector((0.30, -0.42, 1.15)))
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_goals", "POSEWRIGHT_PT_active_goal"))
    yield from aside(hand)
    yield from shot(hand, "tour-goals")
    put_back()

    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_joints",))
    activate("upper_arm.R")
    yield from aside(hand)
    see(hand, Vector((-0.2, 0.0, 1.25)), -20.0, 2.0)
    yield from shot(hand, "tour-joints")
    put_back()
    assert is_well(), session().posewright_overlay_note


def test_hands_that_hold_each_other_to_look_at(hand: Any) -> Any:
    yield from pose_mode(hand)
    yield from pin(hand, "foot.L", "foot.R")
    put("hand.R", Vector((-0.10, -0.36, 1.12)))
    put("hand.L", Vector((0.10, -0.36, 1.12)))
    for goal in body().posewright_goals:
        if goal.bone.startswith("hand"):
            goal.state = "IDLE"
    select("hand.L", "hand.R")
    run(hand, "hold_together", how="TAILS")
    bpy.ops.ed.undo_push(message="Held")
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_relations",))
    see(hand, SEEN + Vector((0.0, 0.0, 0.2)), 50.0, 2.6)
    yield from hand.rest()
    start = head_of("hand.L")
    yield from pull(hand, path(start, start + Vector((0.20, -0.05, 0.12)), steps=8))
    yield from shot(hand, "tour-relations")
    bones = body().pose.bones
    assert (bones["hand.L"].tail - bones["hand.R"].tail).length < 1e-3
    yield from release(hand)
    put_back()


def test_a_body_that_keeps_off_itself_to_look_at(hand: Any) -> Any:
    yield from pose_mode(hand)
    yield from pin(hand, "foot.L", "foot.R", "pelvis")
    run(hand, "collide", against="SELF")
    bpy.ops.ed.undo_push(message="Collide")
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_relations", "POSEWRIGHT_PT_shapes"))
    see(hand, SEEN, 24.0, 2.7)
    yield from hand.rest(8)
    start, thigh = head_of("hand.L"), head_of("thigh.L").lerp(head_of("shin.L"), 0.35)
    yield from pull(hand, path(start, thigh, steps=8))
    yield from shot(hand, "tour-collision")
    outcome = package().bridge.outcome.of(body())
    assert max((one.metres for one in outcome.relations.values()), default=0.0) < 1e-3
    yield from release(hand)
    put_back()


def test_a_body_that_keeps_its_balance_to_look_at(hand: Any) -> Any:
    yield from pose_mode(hand)
    yield from pin(hand, "foot.L", "foot.R")
    run(hand, "balance")
    bpy.ops.ed.undo_push(message="Balance")
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_relations",))
    see(hand, SEEN - Vector((0.0, 0.2, 0.1)), 60.0, 3.2, 74.0)
    yield from hand.rest()
    start = head_of("hand.L")
    yield from pull(hand, path(start, Vector((0.15, -0.85, 0.75)), steps=10))
    yield from shot(hand, "tour-balance")
    assert package().bridge.relations.balance.seen(body(), body().posewright_relations[0]).inside > 0.0
    yield from release(hand)
    put_back()


def test_variations_and_their_search_to_look_at(hand: Any) -> Any:
    yield from pose_mode(hand)
    yield from pin(hand, "foot.L", "foot.R")
    select("hand.L")
    run(hand, "pin_bones", which="PLACE")
    put("hand.L", Vector((0.35, -0.30, 1.35)))
    see(hand, SEEN, 30.0, 2.9)
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_solver",))
    yield from click(hand, "posewright.vary()")
    yield from aside(hand)
    shown = package().bridge.variations.shown
    yield from hand.until(lambda: shown.ghosts_of(body()) is not None, "the poses", seconds=60)
    for _ in range(2):
        yield from hand.event("WHEELDOWNMOUSE", "PRESS")
        yield from hand.rest()
    yield from shot(hand, "tour-variations")
    session().posewright_search = True
    yield from hand.press("ESC")
    yield from hand.rest()
    yield from shot(hand, "tour-search", wide=True)
    session().posewright_search = False
    put_back()


def test_a_downloaded_character_is_set_up_and_posed(hand: Any) -> Any:
    """MakeHuman's, from a .glb: feet and pelvis pinned, a hand dragged, put back."""
    if not (yield from person(hand)):
        return
    assert not [role.name for role in body().posewright_roles if role.doubtful]
    see(hand)
    yield from hand.sidebar("Posewright")
    bpy.ops.ed.undo_push(message="Set up")
    before, start = channels(), head_of("hand_l")
    yield from pull(hand, path(start, start + Vector((-0.15, -0.30, 0.25)), steps=8))
    yield from shot(hand, "tour-downloaded")
    assert worst_pin() < 1e-3
    yield from release(hand)
    assert (head_of("hand_l") - start).length > 0.2
    yield from hand.undo()
    assert channels() == before


def test_feet_on_stairs_to_look_at(hand: Any) -> Any:
    yield from make_walker(hand, WALK)
    look(hand, Vector((0.0, -1.0, 0.75)), 70.0, 58.0, 4.6)
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_feet",))
    scene().frame_set(STANDS)
    yield from click(hand, "posewright.feet_preview()")
    yield from hand.until(lambda: preview() is not None, "the preview", seconds=300)
    yield from aside(hand)
    yield from shot(hand, "tour-feet", wide=True)
    assert is_well(), session().posewright_overlay_note
    name = clip().name
    yield from click(hand, "posewright.place_feet()")
    yield from hand.until(lambda: body().posewright_feet_placed is not None and not is_working(), "the feet", 300)
    assert clip().name != name
    put_back()
