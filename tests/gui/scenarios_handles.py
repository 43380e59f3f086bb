"""Handles in the 3D view: what is seen of them is what would be seen if they were made anew, as by opening the file."""

from typing import Any

import bpy
import numpy as np

from .person import body, head_of, make_body, package, pixel, view_region

AROUND = 22  # pixels to each side of where a handle is
SAME = 0.01  # of full brightness, on average over such a square: more is another picture


def seen(hand: Any, name: str, places: dict[str, Any]) -> Any:
    """Pictures of squares around some places, [height, width, 3] by the places' names."""
    yield from hand.rest(8)
    found = {}
    for what, place in places.items():
        x, y = pixel(hand, place)
        shot = f"{name}-{what.replace('.', '-')}"
        yield from hand.picture(shot, (x - AROUND, y - AROUND, x + AROUND, y + AROUND))
        image: Any = bpy.data.images.load(str(hand.folder / f"{shot}.png"))
        found[what] = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)[:, :, :3]
        bpy.data.images.remove(image)
    return found


def reopen(hand: Any) -> Any:
    """Save the file and open it again: all handles are made anew."""
    file = str(hand.folder / "handles.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.open_mainfile(filepath=file)
    package().bridge.watch.allow(1000.0)
    yield from hand.rest(8)


def apart(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """The places whose pictures differ, with by how much."""
    off = {what: float(np.abs(one[what] - other[what]).mean()) for what in one}
    return {what: round(far, 3) for what, far in off.items() if far > SAME}


def beside(hand: Any) -> Any:
    """The mouse where no handle is under it, and no sidebar before them."""
    hand.area().spaces.active.show_region_ui = False
    region = view_region(hand)
    yield from hand.move(region.x + 150, region.y + 150)


def test_a_handle_has_the_sign_of_what_its_goal_does_now(hand: Any) -> Any:
    yield from make_body(hand)
    for goal in body().posewright_goals:
        goal.state = "IDLE"
    yield from beside(hand)
    places = {goal.bone: head_of(goal.bone) for goal in body().posewright_goals}
    idle = yield from seen(hand, "handles-idle", places)
    for goal in body().posewright_goals:
        goal.state = "PINNED"
    bpy.ops.ed.undo_push(message="Pinned")
    pinned = yield from seen(hand, "handles-pinned", places)
    assert set(apart(idle, pinned)) == set(places), "pinned handles look like idle ones"
    yield from reopen(hand)
    yield from beside(hand)
    again = yield from seen(hand, "handles-again", places)
    assert not apart(pinned, again), apart(pinned, again)


def test_handles_ride_on_their_bones_when_another_frame_is_shown(hand: Any) -> Any:
    yield from make_body(hand)
    body().posewright_live = False
    for goal in body().posewright_goals:
        goal.state = "IDLE"
    hips = body().pose.bones["hips"]
    for frame, up in ((1, 0.0), (2, 0.0), (3, 0.12)):
        hips.location = (0.0, up, 0.0)
        hips.keyframe_insert("location", frame=frame)
    context: Any = bpy.context
    context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="A jump")
    yield from beside(hand)
    yield from hand.rest()
    for _ in range(2):
        yield from hand.press("RIGHT_ARROW")
        yield from hand.rest()
    assert context.scene.frame_current == 3
    places = {goal.bone: head_of(goal.bone) for goal in body().posewright_goals}
    scrubbed = yield from seen(hand, "handles-scrubbed", places)
    yield from reopen(hand)
    yield from beside(hand)
    again = yield from seen(hand, "handles-at-3", places)
    assert not apart(scrubbed, again), apart(scrubbed, again)
