"""Balance in a real window: a leaning reach, with and without; to look at."""

from typing import Any

import bpy
from mathutils import Vector

from .person import body, head_of, make_body, package, pixel
from .scenarios_joints import look, show_only
from .scenarios_relations import run

MIDDLE = Vector((0.0, -0.15, 0.85))
REACH = Vector((-0.3, -0.75, -0.45))  # of the left hand, metres


def inside() -> float:
    """How far the centre of mass is within what is stood on, metres."""
    return float(package().bridge.relations.balance.seen(body(), body().posewright_relations[0]).inside)


def reach(hand: Any, picture: str) -> Any:
    """Drag the left hand down in front of the feet; returns how far inside the centre was on the way."""
    before, found = head_of("hand.L"), list[float]()
    yield from hand.move(*pixel(hand, before))
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 13):
        yield from hand.move(*pixel(hand, before + step / 12 * REACH))
        found.append(inside())
    yield from hand.picture(picture)
    yield from hand.event("LEFTMOUSE", "RELEASE")
    yield from hand.rest()
    outcome = package().bridge.outcome.of(body())
    hand.notes[f"{picture}, cm inside at worst"] = round(100.0 * min(found), 1)
    hand.notes[f"{picture}, ms"] = round(outcome.milliseconds, 2) if outcome else None
    return found


def test_a_leaning_reach_stays_over_the_feet_and_without_balance_it_does_not(hand: Any) -> Any:
    yield from make_body(hand)
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_relations"))
    for goal in body().posewright_goals:
        if goal.bone == "hand.R":
            goal.state = "IDLE"
        elif goal.bone.startswith("foot"):
            places = package().bridge.places
            places.put(body(), goal, places.on_bone(body(), goal))  # its turn as well
            goal.orientation = 1.0
    run(hand, "balance")
    look(hand, MIDDLE, 75, 55)
    hand.area().spaces.active.region_3d.view_distance = 3.0
    yield from hand.rest()
    assert inside() > 0.02
    bpy.ops.ed.undo_push(message="Balance")
    yield from hand.picture("balance-1-standing")
    balanced = yield from reach(hand, "balance-2-reach")
    assert min(balanced) > 0.0, balanced
    yield from hand.undo()
    body().posewright_relations[0].mute = True
    yield from hand.rest()
    bpy.ops.ed.undo_push(message="No balance")
    free = yield from reach(hand, "balance-3-without")
    assert min(free) < -0.02, free
    body().posewright_relations[0].mute = False
    yield from hand.rest()
    yield from hand.picture("balance-4-out-of-balance")
    run(hand, "balance_now")
    yield from hand.rest()
    assert inside() > 0.0
    yield from hand.picture("balance-5-brought-back")
    put_back()
