"""Two characters in a real window that take each other by the hand, and one of them is dragged; to look at."""

from typing import Any

import bpy
from mathutils import Vector

from .person import body, head_of, make_body, package, pixel
from .scenarios_joints import look, show_only
from .scenarios_relations import run

PARTNER = "Partner"


def select(thing: Any, name: str) -> None:
    """Select one bone of a character."""
    for bone in thing.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == name
    thing.data.bones.active = thing.data.bones[name]


def make_partner(hand: Any) -> Any:
    """A second person a step to the left of the first, on its own feet; both are in Pose Mode, the first is active."""
    context: Any = bpy.context
    region = next(region for region in hand.area().regions if region.type == "WINDOW")
    first = body()
    with context.temp_override(window=hand.window, area=hand.area(), region=region):
        bpy.ops.object.mode_set(mode="OBJECT")
        other = first.copy()
        other.name, other.data = PARTNER, first.data.copy()
        context.scene.collection.objects.link(other)
        for thing in (first, other):  # a pin would hold the feet where the first one stands
            for goal in thing.posewright_goals:
                goal.state = "IDLE"
            thing.select_set(True)
        other.location = (1.15, 0.0, 0.0)
        context.view_layer.update()
        for thing in (first, other):
            for goal in thing.posewright_goals:
                goal.place = thing.matrix_world @ thing.pose.bones[goal.bone].head
                goal.state = "PINNED" if goal.bone.startswith("foot") else "IDLE"
        context.view_layer.objects.active = first
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.wm.tool_set_by_id(name="posewright.pose")
    yield from hand.rest()


def apart() -> float:
    """Metres between the two hands."""
    first, second = body(), body(PARTNER)
    ends = first.matrix_world @ first.pose.bones["hand.L"].tail, second.matrix_world @ second.pose.bones["hand.R"].tail
    return float((ends[0] - ends[1]).length)


def test_two_hold_hands_while_one_is_dragged(hand: Any) -> Any:
    yield from make_body(hand)
    yield from make_partner(hand)
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_relations"))
    look(hand, Vector((0.55, 0.0, 1.0)), 80, 20)
    hand.area().spaces.active.region_3d.view_distance = 3.4
    select(body(), "hand.L")
    select(body(PARTNER), "hand.R")
    run(hand, "hold_together", how="TAILS")
    yield from hand.rest()
    assert apart() < 1e-3
    bpy.ops.ed.undo_push(message="Hand in hand")
    yield from hand.picture("together-1-held")
    before, partner = head_of("hand.L"), body(PARTNER).pose.bones["forearm.R"].head.copy()
    yield from hand.move(*pixel(hand, before))
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 11):
        yield from hand.move(*pixel(hand, before + step * Vector((-0.01, 0.0, 0.04))))
        assert apart() < 1e-3, f"step {step}"
    yield from hand.picture("together-2-dragged")
    yield from hand.event("LEFTMOUSE", "RELEASE")
    yield from hand.rest()
    assert (head_of("hand.L") - before).length > 0.2
    assert (body(PARTNER).pose.bones["forearm.R"].head - partner).length > 0.05
    assert apart() < 1e-3
    last = package().bridge.outcome.of(body())
    hand.notes["hand in hand, ms"] = round(last.milliseconds, 2) if last else None
    yield from hand.undo()
    assert (head_of("hand.L") - before).length < 1e-3
    assert (body(PARTNER).pose.bones["forearm.R"].head - partner).length < 1e-3
    assert apart() < 1e-3
    yield from hand.move(*pixel(hand, head_of("hand.L")))
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 4):
        yield from hand.move(*pixel(hand, before + step * Vector((0.0, 0.0, -0.04))))
    yield from hand.event("ESC", "PRESS")
    yield from hand.event("ESC", "RELEASE")
    yield from hand.event("LEFTMOUSE", "RELEASE")
    yield from hand.rest()
    assert (head_of("hand.L") - before).length < 1e-3
    assert (body(PARTNER).pose.bones["forearm.R"].head - partner).length < 1e-3
    body(PARTNER).posewright_live = False
    yield from hand.rest()
    yield from hand.picture("together-3-not-live")
    assert "not live" in package().bridge.outcome.of(body()).relations[0].trouble
    put_back()
