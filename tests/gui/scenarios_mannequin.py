"""The mannequin, without a character of one's own: added from the menu, set up by one click, dragged by the next."""

from typing import Any

import bpy

from .person import head_of, make_room, package, pixel, release, running, view_region

NAME = "Mannequin"


def test_a_mannequin_is_added_from_the_menu_set_up_and_its_hand_dragged(hand: Any) -> Any:
    yield from make_room(hand)
    context: Any = bpy.context
    package().bridge.watch.allow(1000.0)
    bpy.ops.ed.undo_push(message="Empty")
    region = view_region(hand)
    yield from hand.move(region.x + region.width // 2, region.y + region.height // 2)
    yield from hand.press("A", shift=True)
    yield from hand.rest()
    for letter in "mannequin":
        yield from hand.event(letter.upper(), "PRESS", unicode=letter)
        yield from hand.event(letter.upper(), "RELEASE")
    yield from hand.rest(10)
    yield from hand.picture("mannequin-1-menu")
    yield from hand.press("RET")
    yield from hand.rest(10)
    assert NAME in bpy.data.objects, "the menu did not add it"
    assert context.view_layer.objects.active == bpy.data.objects[NAME]
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.view3d.view_all()
    yield from hand.sidebar("Posewright")
    yield from hand.picture("mannequin-2-added")

    yield from hand.find_button("posewright.set_up")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    owner: Any = bpy.data.objects[NAME]
    assert len(owner.posewright_roles) == len(owner.data.bones)
    assert not [role.name for role in owner.posewright_roles if role.doubtful]
    yield from hand.picture("mannequin-3-set-up")

    before = head_of("hand.L", NAME)
    x, y = pixel(hand, before)
    yield from hand.move(x + 30, y + 30)
    yield from hand.move(x, y)
    yield from hand.rest()
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 16):
        yield from hand.move(x - 4 * step, y + 14 * step)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    yield from hand.picture("mannequin-4-dragging")
    yield from release(hand)
    assert (head_of("hand.L", NAME) - before).length > 0.2
    yield from hand.undo()
    assert (head_of("hand.L", NAME) - before).length < 1e-4
    yield from hand.undo()
    mannequin: Any = bpy.data.objects[NAME]
    assert not len(mannequin.posewright_roles), "set-up is a step of its own"
    yield from hand.undo()
    assert NAME not in bpy.data.objects, "the mannequin is a step of its own"
