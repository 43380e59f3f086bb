"""Relations in a real window: clasped hands that are dragged, straps, couplings; to look at."""

from typing import Any

import bpy
from mathutils import Vector

from .person import body, head_of, make_body, package, pixel
from .scenarios_joints import look, show_only

MIDDLE = Vector((0.0, 0.0, 1.0))


def select(*names: str) -> None:
    """Select bones; the first is the active one."""
    rig = body()
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names
    rig.data.bones.active = rig.data.bones[names[0]]


def put(bone: str, place: Vector) -> None:
    """Have a goal of a bone be pinned at a place, from where it is now in a few steps."""
    goal = next(one for one in body().posewright_goals if one.bone == bone)
    begun = head_of(bone)
    goal.place, goal.state = begun, "PINNED"
    view_layer: Any = bpy.context.view_layer
    for step in range(1, 6):
        goal.place = begun.lerp(place, step / 5)
        view_layer.update()


def run(hand: Any, name: str, **given: object) -> Any:
    """An operator of ours, where its button is."""
    context: Any = bpy.context
    operators: Any = bpy.ops
    region = next(region for region in hand.area().regions if region.type == "WINDOW")
    with context.temp_override(window=hand.window, area=hand.area(), region=region):
        found = getattr(operators.posewright, name)("EXEC_DEFAULT", **given)
    assert found == {"FINISHED"}, name


def outcome() -> Any:
    return package().bridge.outcome.of(body())


def tails_apart() -> float:
    bones = body().pose.bones
    return float((bones["hand.L"].tail - bones["hand.R"].tail).length)


def test_clasped_hands_stay_together_while_one_is_dragged(hand: Any) -> Any:
    yield from make_body(hand)
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_relations"))
    look(hand, MIDDLE, 80, 20)
    put("hand.R", Vector((-0.06, -0.35, 1.15)))
    put("hand.L", Vector((0.06, -0.35, 1.15)))
    for goal in body().posewright_goals:
        if goal.bone.startswith("hand"):
            goal.state = "IDLE"
    select("hand.L", "hand.R")
    run(hand, "hold_together", how="TAILS")
    yield from hand.rest()
    assert tails_apart() < 1e-3
    bpy.ops.ed.undo_push(message="Clasped")
    yield from hand.picture("relations-1-clasped")
    before = head_of("hand.L")
    yield from hand.move(*pixel(hand, before))
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 11):
        yield from hand.move(*pixel(hand, before + step * Vector((0.02, 0.0, 0.025))))
        assert tails_apart() < 1e-3, f"step {step}"
    yield from hand.picture("relations-2-dragged")
    yield from hand.event("LEFTMOUSE", "RELEASE")
    yield from hand.rest()
    assert (head_of("hand.L") - before).length > 0.1
    assert tails_apart() < 1e-3
    hand.notes["clasped hands, ms"] = round(outcome().milliseconds, 2) if outcome() else None
    yield from hand.undo()
    assert (head_of("hand.L") - before).length < 1e-3
    assert tails_apart() < 1e-3
    put_back()


def test_straps_are_drawn_and_coloured_when_taut(hand: Any) -> Any:
    yield from make_body(hand)
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_relations"))
    look(hand, MIDDLE, 80, 20)
    hand.area().spaces.active.region_3d.view_distance = 2.6  # with the feet
    for bones in (
        ("hips", "chest", "upper_arm.L", "hand.L"),
        ("hips", "upper_arm.R"),
        ("chest", "hips", "thigh.L", "shin.L", "foot.L"),
        ("chest", "hips", "thigh.R", "shin.R", "foot.R"),
    ):
        select(*bones)
        run(hand, "wire_add")
    select("hand.L", "foot.L")
    run(hand, "wire_add")
    rig = body()
    rig.posewright_relations[1].length *= 1.3
    rig.posewright_relations[4].length = 0.5
    rig.posewright_relations[4].level = "GOAL"
    put("hand.L", Vector((0.45, -0.35, 1.3)))
    yield from hand.rest()
    yield from hand.picture("relations-3-straps")
    found = outcome().relations
    assert not any(one.trouble for one in found.values())
    assert not found[4].reached
    select("hand.L")
    rig.posewright_relations[4].mute = True
    yield from hand.rest()
    assert all(one.reached for one in outcome().relations.values())
    put_back()


def test_couplings_say_what_is_wrong_with_them(hand: Any) -> Any:
    yield from make_body(hand)
    put_back = yield from show_only(hand, ("POSEWRIGHT_PT_sidebar", "POSEWRIGHT_PT_relations"))
    look(hand, MIDDLE, 80, 20)
    select("shin.L", "shin.R")
    run(hand, "couple", axis="X")
    select("forearm.R", "forearm.L")
    run(hand, "couple", axis="X")
    body().posewright_relations[1].expression = "__import__('os').system('true')"
    put("hand.L", Vector((0.3, -0.35, 1.4)))
    yield from hand.rest()
    found = outcome().relations
    assert "unknown function" in found[1].trouble
    assert not found[0].trouble
    yield from hand.picture("relations-4-python")
    body().posewright_relations[1].expression = "a"
    body().posewright_active_relation = 1
    yield from hand.rest()
    assert not outcome().relations[1].trouble
    yield from hand.picture("relations-5-coupling")
    put_back()
