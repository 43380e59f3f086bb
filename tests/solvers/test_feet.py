"""Foot placement as maths: contacts, stances, swings, the pelvis."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from posewright.motion.feet import contacts, easing, turns
from posewright.motion.feet.ground import Flat, Ground
from posewright.motion.feet.measure import Standing, measure
from posewright.motion.feet.plan import Plan, Settings, plan
from posewright.motion.feet.walk import BALL, HEEL, TOE, Body, Foot, Walk

from . import walker
from .walker import HEEL_OFF, HEEL_ONLY, STANDS, SWINGS, Field

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
BOUND = 0.005  # metres: what a sole may be under or above the ground
GROUNDS: dict[str, Field] = {
    "a ramp": walker.slope(0.27),
    "a slope across": walker.slope(0.0, 0.27),
    "down": walker.slope(-0.2),
    "stairs": walker.stairs(),
    "waves": walker.waves(),
}


def found(walk: Walk) -> list[Bools]:
    return [contacts.find(foot, walk.seconds, walk.size) for foot in walk.feet]


def put(walk: Walk, ground: Ground, settings: Settings | None = None) -> tuple[Plan, Walk]:
    """The plan, and the clip as it would be."""
    made = plan(walk, found(walk), ground, settings or Settings())
    moved = made.pelvis.places - walk.pelvis.places
    feet = [
        replace(foot, ankle=one.ankle, toe=one.toe, hip=foot.hip + moved)
        for foot, one in zip(walk.feet, made.feet, strict=True)
    ]
    return made, Walk(feet, made.pelvis, walk.seconds)


def looked_at(walk: Walk, held: Sequence[Bools], ground: Ground) -> Standing:
    return measure(walk, held, ground)


def acceleration(places: Floats) -> float:
    return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=1).mean())


def test_contacts_are_those_of_the_steps_that_were_made() -> None:
    walk = walker.walk()
    held = found(walk)[0]
    for part, first, last in ((HEEL, 0, HEEL_OFF - 1), (BALL, HEEL_ONLY, STANDS - 1), (TOE, HEEL_ONLY, STANDS - 1)):
        expected = [(first + k * (STANDS + SWINGS), last + k * (STANDS + SWINGS)) for k in range(1, 3)]
        there = [run for run in contacts.runs(held[:, part]) if run[0] > STANDS]
        assert np.abs(np.array(there[:2]) - expected).max() <= 3, "frames by which a contact is off"


def test_the_top_of_a_jump_is_no_contact() -> None:
    walk = walker.walk(1)
    time = walk.seconds * np.arange(len(walk.feet[0].hip))
    flight = np.maximum(0.0, 3.0 * (time - 0.3) - 4.9 * (time - 0.3) ** 2) * (time > 0.3)
    foot = walk.feet[0]
    still = np.tile([0.0, 0.0, walker.ANKLE], (len(time), 1)) + flight[:, None] * [0.0, 0.0, 1.0]
    level = np.tile(np.eye(3), (len(time), 1, 1))
    jump = replace(foot, ankle=Body(still, level), toe=Body(still + walker.JOINT, level))
    held = contacts.find(jump, walk.seconds)
    assert held[flight == 0.0].mean() > 0.8
    assert not held[flight > 0.1].any()


def test_a_foot_that_is_dragged_along_is_no_contact() -> None:
    walk = walker.walk(1)
    count = len(walk.feet[0].hip)
    ankle = np.tile([0.0, 0.0, walker.ANKLE], (count, 1)) + np.outer(np.arange(count) * walk.seconds, [0.3, 0.0, 0.0])
    level = np.tile(np.eye(3), (count, 1, 1))
    dragged = replace(walk.feet[0], ankle=Body(ankle, level), toe=Body(ankle + walker.JOINT, level))
    assert not contacts.find(dragged, walk.seconds).any()


def jumping() -> Walk:
    """Both feet side by side, off the ground from 0.3 s on, for 0.61 s."""
    walk = walker.walk(1)
    time = walk.seconds * np.arange(len(walk.feet[0].hip))
    flight = np.maximum(0.0, 3.0 * (time - 0.3) - 4.9 * (time - 0.3) ** 2) * (time > 0.3)
    up, level = flight[:, None] * [0.0, 0.0, 1.0], np.tile(np.eye(3), (len(time), 1, 1))
    feet = list[Foot]()
    for side, foot in zip((0.1, -0.1), walk.feet, strict=True):
        ankle = np.array([0.0, side, walker.ANKLE]) + up
        hip = np.array([0.0, side, 0.85]) + up
        feet.append(replace(foot, ankle=Body(ankle, level), toe=Body(ankle + walker.JOINT, level), hip=hip))
    return Walk(feet, Body(np.array([0.0, 0.0, 0.9]) + up, level), walk.seconds)


def test_a_jump_flies_as_in_the_clip_and_says_so() -> None:
    walk = jumping()
    made, _ = put(walk, Flat(0.0))
    assert np.array_equal(made.pelvis.places, walk.pelvis.places), "on its own ground nothing is changed"
    ((frame, foot, words),) = made.troubles
    assert 0.29 < frame * walk.seconds < 0.45
    assert not foot
    assert "flies" in words
    higher, after = put(walk, Flat(0.07))
    for one, other in zip(after.feet, walk.feet, strict=True):
        assert np.abs(one.ankle.places - other.ankle.places - [0.0, 0.0, 0.07]).max() < 0.002
    assert np.abs(higher.pelvis.places - walk.pelvis.places - [0.0, 0.0, 0.07]).max() < 0.002


def test_a_crawl_is_kept_and_says_so() -> None:
    walk, over = walker.walk(), np.diag([-1.0, 1.0, -1.0])  # on the instep, toes behind

    feet = list[Foot]()
    for foot in walk.feet:
        ankle = Body(foot.ankle.places, foot.ankle.turns @ over)
        toe = Body(ankle.places + np.einsum("fij,j->fi", ankle.turns, walker.JOINT), ankle.turns)
        feet.append(replace(foot, ankle=ankle, toe=toe))
    crawl = replace(walk, feet=feet)
    assert any(each.any() for each in found(crawl)), "else this tests nothing"
    made, after = put(crawl, walker.slope(0.27))
    assert {one.words for one in made.troubles} == {"its sole does not face the ground, so it stays as it is"}
    assert {one.foot for one in made.troubles} == {"left foot", "right foot"}
    assert np.array_equal(made.pelvis.places, crawl.pelvis.places)
    for one, other in zip(after.feet, crawl.feet, strict=True):
        assert np.array_equal(one.ankle.places, other.ankle.places)


def test_a_clip_of_one_frame_has_no_contacts_and_stays_as_it_is() -> None:
    walk = walker.walk()
    one = replace(
        walk,
        feet=[
            replace(
                foot,
                ankle=Body(foot.ankle.places[:1], foot.ankle.turns[:1]),
                toe=None if foot.toe is None else Body(foot.toe.places[:1], foot.toe.turns[:1]),
                hip=foot.hip[:1],
            )
            for foot in walk.feet
        ],
        pelvis=Body(walk.pelvis.places[:1], walk.pelvis.turns[:1]),
    )
    made, _ = put(one, Flat(0.0))
    assert np.array_equal(made.pelvis.places, one.pelvis.places)
    assert [trouble.words for trouble in made.troubles] == ["no contact was found, so it stays as it is"] * 2


def test_on_its_own_ground_a_clip_that_stands_well_stays_as_it_is() -> None:
    walk = walker.walk()
    slid = max(slide.metres for slide in looked_at(walk, found(walk), Flat(0.0)).slides)
    made, _ = put(walk, Flat(0.0))
    assert made.troubles == []
    assert np.abs(made.pelvis.places - walk.pelvis.places).max() < 0.001
    for foot, one in zip(walk.feet, made.feet, strict=True):
        moved = np.linalg.norm(one.ankle.places - foot.ankle.places, axis=1)
        assert moved.max() < slid + 0.001, "no more than it slid"
        assert np.median(moved) < 1e-4
        assert np.abs(turns.vector_of(one.ankle.turns @ foot.ankle.turns.swapaxes(1, 2))).max() < np.radians(0.2)


@pytest.mark.parametrize("slide", [0.0, 0.03, 0.08])
def test_what_was_placed_stays_as_it_is_when_it_is_placed_again(slide: float) -> None:
    _, once = put(walker.walk(slide=slide, seconds=1.0 / 20.0), Flat(0.02))  # so slow that feet are let go of slowly
    _, again = put(once, Flat(0.02))  # with contacts of its own: those of feet that stand still, not a frame longer
    for one, other in zip(again.feet, once.feet, strict=True):
        assert np.abs(one.ankle.places - other.ankle.places).max() < 0.001
        assert np.abs(one.ankle.turns - other.ankle.turns).max() < 0.003
    assert np.abs(again.pelvis.places - once.pelvis.places).max() < 0.001


@pytest.mark.parametrize("toes", [True, False], ids=["toes", "no toes"])
def test_slide_goes_and_nothing_sinks_on_level_ground(toes: bool) -> None:
    walk = walker.walk(slide=0.04, toes=toes)
    before = looked_at(walk, found(walk), Flat(0.0))
    made, after = put(walk, Flat(0.0))
    looked = looked_at(after, [one.held for one in made.feet], Flat(0.0))
    assert max(slide.metres for slide in before.slides) > 0.02
    assert max(slide.metres for slide in looked.slides) < 0.001
    assert looked.depth.max() < BOUND


@pytest.mark.parametrize("name", list(GROUNDS))
def test_soles_stand_on_the_ground_and_do_not_slide(name: str) -> None:
    walk, ground = walker.walk(slide=0.03), GROUNDS[name]
    made, after = put(walk, ground)
    held = [one.held for one in made.feet]
    looked = looked_at(after, held, ground)
    assert made.troubles == []
    assert looked.depth.max() < BOUND
    assert np.nanmax(looked.gap) < BOUND
    assert max(slide.metres for slide in looked.slides) < 0.001
    longest = [foot.leg().max() for foot in walk.feet]
    assert (looked.stretch.max(axis=1) < 1.01 * np.array(longest)).all()
    for foot, one in zip(walk.feet, after.feet, strict=True):
        assert acceleration(one.ankle.places) < 1.5 * acceleration(foot.ankle.places)
    assert np.isfinite(after.pelvis.places).all()


def test_feet_lie_on_a_slope() -> None:
    ground = GROUNDS["a slope across"]
    made, after = put(walker.walk(), ground)
    soles, held = after.feet[0].soles(), made.feet[0].held
    flat = held[:, HEEL] & held[:, BALL]
    above = soles[flat][..., 2] - ground.height(soles[flat][..., 0], soles[flat][..., 1])
    assert np.abs(above).max() < 0.002, "of every point of the sole, the outer edge's and the inner one's"


def test_a_pelvis_sinks_on_the_way_down_and_rises_with_stairs() -> None:
    walk = walker.walk()
    _, after = put(walk, GROUNDS["stairs"])
    moved = (after.pelvis.places - walk.pelvis.places)[:, 2]
    assert moved[-1] > 0.4
    assert np.abs(np.diff(moved, 2)).max() < 0.003, "without a jolt"


def test_who_stands_on_a_platform_goes_along() -> None:
    walk = walker.walk()
    time = walk.seconds * np.arange(len(walk.pelvis.places))
    way = np.stack([0.1 * time, 0.2 * np.sin(time), 0.1 * (1.0 - np.cos(2.0 * time))], axis=1)
    ground = Field(lambda x, _: 0.0 * x, way)
    made, after = put(walk, ground)
    looked = looked_at(after, [one.held for one in made.feet], ground)
    assert max(slide.metres for slide in looked.slides) < 0.001
    assert np.nanmax(looked.gap) < BOUND
    assert looked.depth.max() < BOUND
    gone = after.pelvis.places - walk.pelvis.places
    assert np.linalg.norm((gone - way)[-1]) < 0.03, "the body as well as the feet"


def test_where_there_is_no_ground_the_source_is_kept_and_it_says_so() -> None:
    walk = walker.walk()
    hole = Field(lambda x, _: np.where(x > 1.25, -50.0, 0.0))
    made, after = put(walk, hole)
    assert made.troubles
    assert all("ground" in trouble.words for trouble in made.troubles)
    assert np.abs(after.pelvis.places - walk.pelvis.places).max() < 0.001
    last = slice(-STANDS // 2, None)
    assert np.abs((after.feet[0].ankle.places - walk.feet[0].ankle.places)[last]).max() < 1e-9


@pytest.mark.parametrize("height", [1.5, -1.5])
def test_a_step_out_of_reach_is_told_with_its_height(height: float) -> None:
    wall = Field(lambda x, _: np.where(x > 1.4, height, 0.0))
    made, _ = put(walker.walk(), wall)
    which = "150 cm higher" if height > 0 else "150 cm lower"
    assert any(which in trouble.words for trouble in made.troubles), made.troubles


def test_a_foot_is_put_where_it_does_not_hang_over_an_edge() -> None:
    walk = walker.walk()
    soles = walk.feet[0].soles()
    first = contacts.runs(found(walk)[0][:, BALL])[1]
    middle = soles[first[0] + 5, :, 0]
    edge = float(middle.min() + 0.3 * np.ptp(middle))  # most of the foot is beyond the edge of a step down
    ground = Field(lambda x, _: np.where(x > edge, -0.15, 0.0))
    made, after = put(walk, ground)
    looked = looked_at(after, [one.held for one in made.feet], ground)
    stance = next(one for one in made.stances if one.foot == 0 and one.first <= first[0] + 5 <= one.last)
    assert np.ptp(stance.outline[:, 2]) < 0.01, "level, with all of its sole on one step"
    on = ground.height(stance.outline[:4, 0], stance.outline[:4, 1])
    assert len(set(on.tolist())) == 1, "heel and ball; the toe may hang over"
    assert looked.depth.max() < BOUND


def test_one_foot_alone_is_placed() -> None:
    walk = walker.walk()
    one = replace(walk, feet=walk.feet[:1])
    made, after = put(one, walker.slope(0.2))
    assert looked_at(after, [made.feet[0].held], walker.slope(0.2)).depth.max() < BOUND


def test_a_foot_that_is_never_set_down_says_so() -> None:
    walk = walker.walk()
    none = [held & False for held in found(walk)]
    made = plan(walk, none, Flat(0.0), Settings())
    assert [trouble.words for trouble in made.troubles] == ["no contact was found, so it stays as it is"] * 2
    assert np.array_equal(made.feet[0].ankle.places, walk.feet[0].ankle.places)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60), st.integers(0, 15))
def test_what_goes_over_is_nowhere_below(heights: list[float], frames: int) -> None:
    wanted = np.array(heights)
    assert (easing.over(wanted, frames) >= wanted - 1e-12).all()


@given(st.lists(st.floats(-1.7, 1.7), min_size=3, max_size=3))
def test_rotation_vectors_come_back(numbers: list[float]) -> None:
    vector = np.array(numbers)
    assert np.abs(turns.vector_of(turns.matrix_of(vector)) - vector).max() < 1e-7


def test_ground_is_asked_a_few_times_a_frame() -> None:
    walk, ground = walker.walk(slide=0.02), walker.waves()
    plan(walk, found(walk), ground, Settings())
    points = len(walk.pelvis.places) * len(walk.feet) * len(walker.SOLE.part)
    assert ground.asked < 12 * points
