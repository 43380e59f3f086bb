"""Pins and modes by keys: the pie on P, Shift Alt P, D in a drag, and a drag that moves one part of the body only."""

from typing import Any

from mathutils import Euler, Vector

from .person import body, channels, drag, goals, head_of, make_body, pixel, release, running, view_region, worst_pin

EXACT = 1e-3  # metres: a pin that is off by less holds
ARM = {"shoulder.L", "upper_arm.L", "forearm.L", "hand.L", "thumb.L"}
ASIDE = (1.1, 0.0, 0.6)  # radians: a view from above and aside
UP = Vector((0.0, 0.0, 0.25))  # farther than a leg stretches
# Where the entries of the pie are, in pixels from where it was opened.
PLACE, BOTH, BODY_PART = (-120, 0), (0, 90), (110, 60)


def make_unpinned(hand: Any) -> Any:
    """The person with nothing pinned."""
    yield from make_body(hand)
    for goal in body().posewright_goals:
        goal.state = "IDLE"
    yield from hand.rest()


def click(hand: Any, bone: str, **modifiers: bool) -> Any:
    """Select a bone by a click on its middle, seen from where feet are not behind their toes and handles."""
    view, posed = hand.area().spaces.active.region_3d, body().pose.bones[bone]
    front = view.view_rotation.copy()
    view.view_rotation = Euler(ASIDE).to_quaternion()
    yield from hand.rest()
    yield from hand.move(*pixel(hand, body().matrix_world @ (0.4 * posed.head + 0.6 * posed.tail)))
    yield from hand.press("LEFTMOUSE", **modifiers)
    yield from hand.rest(8)  # a second click so soon would be a double one
    hand.area().spaces.active.region_3d.view_rotation = front
    yield from hand.rest()


def selected() -> set[str]:
    bones = body().pose.bones
    return {bone.name for bone in bones if (bone if hasattr(bone, "select") else bone.bone).select}


def open_pie(hand: Any) -> Any:
    """Tap P beside the person; the pie stays."""
    region = view_region(hand)
    yield from hand.move(region.x + region.width // 3, region.y + region.height // 2)
    yield from hand.event("P", "RELEASE")  # after a pie, Blender waits for its key to be released before another
    yield from hand.press("P")
    yield from hand.rest(8)


def choose(hand: Any, way: tuple[int, int]) -> Any:
    """Go to an entry of the open pie and click it."""
    yield from hand.move(hand.at[0] + way[0] // 2, hand.at[1] + way[1] // 2)
    yield from hand.move(hand.at[0] + way[0] - way[0] // 2, hand.at[1] + way[1] - way[1] // 2)
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()


def pinned() -> dict[str, tuple[float, float]]:
    """The pinned bones, with how much of their place and their turn is asked for."""
    found = [goal for goal in body().posewright_goals if goal.state == "PINNED"]
    return {goal.bone: (goal.position, goal.orientation) for goal in found}


def stands(bone: str) -> tuple[float, ...]:
    """All numbers of where a bone is and how it is turned."""
    return tuple(number for row in body().pose.bones[bone].matrix for number in row)


def by_bone() -> dict[str, list[tuple[float, ...]]]:
    """All that each bone stores of its pose."""
    names, every = [bone.name for bone in body().pose.bones], channels()
    each = len(every) // len(names)
    return {name: every[each * row : each * (row + 1)] for row, name in enumerate(names)}


def pin_left_foot(hand: Any) -> Any:
    yield from make_unpinned(hand)
    yield from click(hand, "foot.L")
    yield from hand.press("P", shift=True, alt=True)
    yield from hand.rest()
    assert pinned() == {"foot.L": (1.0, 1.0)}, (pinned(), selected())


def test_p_opens_the_pie_and_a_direction_in_it_pins_the_selected_foot(hand: Any) -> Any:
    yield from make_unpinned(hand)
    yield from click(hand, "foot.L")
    assert selected() == {"foot.L"}, selected()
    before = channels()
    yield from open_pie(hand)
    yield from hand.picture("pins-pie")
    assert not pinned()
    yield from choose(hand, PLACE)
    assert pinned() == {"foot.L": (1.0, 0.0)}
    yield from open_pie(hand)
    yield from choose(hand, BOTH)
    assert pinned() == {"foot.L": (1.0, 1.0)}
    assert channels() == before
    assert worst_pin() < 1e-6
    yield from hand.picture("pins-pinned")


def test_a_key_in_the_pie_pins_and_escape_closes_it(hand: Any) -> Any:
    yield from make_unpinned(hand)
    yield from click(hand, "foot.L")
    yield from open_pie(hand)
    yield from hand.press("ESC")
    yield from hand.rest()
    assert not pinned()
    yield from open_pie(hand)
    yield from hand.press("FOUR")  # the pie shows it beside Pin Place
    yield from hand.rest()
    assert pinned() == {"foot.L": (1.0, 0.0)}


def test_shift_alt_p_pins_both_selected_feet_and_once_more_lets_them_go(hand: Any) -> Any:
    yield from make_unpinned(hand)
    yield from click(hand, "foot.L")
    yield from click(hand, "foot.R", shift=True)
    assert selected() == {"foot.L", "foot.R"}, selected()
    before, feet = channels(), [stands(bone) for bone in ("foot.L", "foot.R")]
    yield from hand.press("P", shift=True, alt=True)
    yield from hand.rest()
    assert pinned() == {"foot.L": (1.0, 1.0), "foot.R": (1.0, 1.0)}
    assert channels() == before
    yield from drag(hand, "hips", Vector((0.1, 0.0, -0.15)))
    yield from release(hand)
    now = [stands(bone) for bone in ("foot.L", "foot.R")]
    off = [abs(a - b) for foot, other in zip(feet, now, strict=True) for a, b in zip(foot, other, strict=True)]
    assert max(off) < EXACT, "place or turn of a foot was lost"
    assert channels() != before
    yield from click(hand, "foot.L")
    yield from click(hand, "foot.R", shift=True)
    yield from hand.press("P", shift=True, alt=True)
    yield from hand.rest()
    assert not pinned()


def go_on(hand: Any, way: Vector, steps: int = 5) -> Any:
    """Move the mouse on by a way in the world."""
    begin, end = pixel(hand, Vector()), pixel(hand, way)
    whole = [b - a for a, b in zip(begin, end, strict=True)]
    x, y = hand.at
    for step in range(1, steps + 1):
        yield from hand.move(x + round(whole[0] * step / steps), y + round(whole[1] * step / steps))


def drag_with_d(hand: Any) -> Any:
    """Drag the pelvis up, press D on the way, release it, and go on. Returns where the foot holds at last."""
    start = head_of("foot.L")
    yield from drag(hand, "hips", UP, steps=5)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    assert (head_of("foot.L") - start).length < EXACT, "the pin does not hold without D"
    yield from hand.event("D", "PRESS")
    yield from go_on(hand, Vector((0.1, 0.0, 0.05)))
    come = head_of("foot.L")
    assert (come - start).length > 0.1, "with D pressed the foot stays behind"
    yield from hand.picture("pins-d-pressed")
    yield from hand.event("D", "RELEASE")
    yield from hand.rest()
    come = head_of("foot.L")
    yield from go_on(hand, Vector((-0.1, 0.0, -0.2)))
    assert (head_of("foot.L") - come).length < EXACT, "after D the foot does not hold where it is"
    yield from hand.picture("pins-d-released")
    return come


def test_d_in_a_drag_lets_the_pinned_foot_come_along_and_hold_where_it_is_then(hand: Any) -> Any:
    yield from pin_left_foot(hand)
    before, stored = channels(), goals()
    come = yield from drag_with_d(hand)
    yield from release(hand)
    assert pinned() == {"foot.L": (1.0, 1.0)}
    assert (head_of("foot.L") - come).length < EXACT
    assert worst_pin() < EXACT
    after, moved = channels(), goals()
    assert after != before
    assert not any(goal.loose or goal.temporary for goal in body().posewright_goals)
    yield from hand.undo()
    assert channels() == before, "one undo did not put the pose back"
    assert goals() == stored
    yield from hand.press("Z", ctrl=True, shift=True)
    yield from hand.rest()
    assert (channels(), goals()) == (after, moved)


def test_escape_after_d_puts_pose_and_pins_back(hand: Any) -> Any:
    yield from pin_left_foot(hand)
    before, stored = channels(), goals()
    yield from drag_with_d(hand)
    yield from hand.press("ESC")
    yield from release(hand)
    assert not running(hand)
    assert (channels(), goals()) == (before, stored)
    yield from drag(hand, "hips", UP, steps=3)
    yield from hand.event("D", "PRESS")
    yield from go_on(hand, Vector((0.1, 0.0, 0.0)))
    yield from hand.press("ESC")  # while D is down
    yield from hand.event("D", "RELEASE")
    yield from release(hand)
    assert (channels(), goals()) == (before, stored)
    assert not any(goal.loose for goal in body().posewright_goals)


def test_a_hand_in_body_part_mode_moves_the_arm_alone(hand: Any) -> Any:
    yield from make_unpinned(hand)
    before = by_bone()
    yield from open_pie(hand)
    yield from choose(hand, BODY_PART)
    assert body().posewright_mode == "PART"
    start = head_of("hand.L")
    yield from drag(hand, "hand.L", Vector((-0.05, 0.0, 0.35)))
    yield from hand.picture("pins-body-part")
    yield from release(hand)
    after = by_bone()
    moved = {bone for bone in before if after[bone] != before[bone]}
    assert {"upper_arm.L", "forearm.L"} <= moved <= ARM, f"moved: {sorted(moved)}"
    assert (head_of("hand.L") - start).length > 0.3
    yield from hand.undo()
    assert by_bone() == before
    assert body().posewright_mode == "PART", "one undo took the mode, too"
