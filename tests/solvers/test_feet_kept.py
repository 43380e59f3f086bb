"""A clip's own floor, and stances that are nearly right on it: nothing is changed where nothing has to be."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from posewright.motion.feet import contacts, floor, turns
from posewright.motion.feet.ground import Flat, Ground
from posewright.motion.feet.measure import measure
from posewright.motion.feet.plan import Plan, Settings, plan
from posewright.motion.feet.walk import BALL, HEEL, Body, Foot, Walk

from . import walker
from .walker import HEEL_ONLY, STANDS, SWINGS

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
BOUND = 0.005  # metres: what a sole may be under or above the ground
PERIOD = STANDS + SWINGS
SLOPE = 0.02  # 1.1°


def found(walk: Walk) -> list[Bools]:
    return [contacts.find(foot, walk.seconds, walk.size) for foot in walk.feet]


def raised(walk: Walk, up: Callable[[Floats, int], Floats]) -> Walk:
    """A walk whose feet stand higher by what is said of where each stands [n], and which foot it is.

    In a swing it is first up, then forward, and the other way round: contacts are where they were.
    """
    feet = list[Foot]()
    for number, foot in enumerate(walk.feet):
        step, phase = np.divmod(np.arange(len(foot.hip)) + number * PERIOD // 2, PERIOD)
        here, there = (up(2.0 * walker.STEP * each - walker.STEP * number + 0.3, number) for each in (step, step + 1))
        part = np.maximum(0.0, (phase - STANDS + 1) / (SWINGS + 1))
        lead = np.where(there > here, 1.0 - (1.0 - np.minimum(1.0, 2.0 * part)) ** 2, np.maximum(0.0, 2.0 * part - 1.0))
        higher = (here + lead * (there - here))[:, None] * [0.0, 0.0, 1.0]
        toe = None if foot.toe is None else Body(foot.toe.places + higher, foot.toe.turns)
        feet.append(replace(foot, ankle=Body(foot.ankle.places + higher, foot.ankle.turns), toe=toe))
    return replace(walk, feet=feet)


def stood(walk: Walk) -> int:
    """How many contacts of heels and balls there are."""
    return sum(len(contacts.runs(each[:, part])) for each in found(walk) for part in (HEEL, BALL))


def sloping(walk: Walk, slope: float) -> Walk:
    """A walk up a slope, soles along it."""
    turn = turns.matrix_of(np.array([0.0, -np.arctan(slope), 0.0]))

    def turned(body: Body) -> Body:
        return Body(body.places @ turn.T, turn @ body.turns)

    feet = [
        replace(
            foot, ankle=turned(foot.ankle), toe=None if foot.toe is None else turned(foot.toe), hip=foot.hip @ turn.T
        )
        for foot in walk.feet
    ]
    return replace(walk, feet=feet, pelvis=turned(walk.pelvis))


def put(walk: Walk, ground: Ground) -> tuple[Plan, Walk]:
    made = plan(walk, found(walk), ground, Settings())
    moved = made.pelvis.places - walk.pelvis.places
    feet = [
        replace(foot, ankle=one.ankle, toe=one.toe, hip=foot.hip + moved)
        for foot, one in zip(walk.feet, made.feet, strict=True)
    ]
    return made, Walk(feet, made.pelvis, walk.seconds)


def test_a_level_floor_is_level() -> None:
    walk = walker.walk()
    own = floor.own(walk, found(walk), sloping=True)
    assert own.slope == (0.0, 0.0)
    assert abs(own.height) < 0.001


def test_a_floor_that_slopes_is_found_and_only_if_it_may() -> None:
    walk = sloping(walker.walk(), SLOPE)
    held = found(walk)
    own = floor.own(walk, held, sloping=True)
    assert np.abs(np.array(own.slope) - [SLOPE, 0.0]).max() < 0.0005
    assert abs(own.height) < 0.001
    level = floor.own(walk, held, sloping=False)
    assert level.slope == (0.0, 0.0)
    assert 0.01 < level.height < 0.05, "in the middle of the walk"


def test_who_steps_onto_a_box_does_not_tilt_the_floor() -> None:
    walk = sloping(walker.walk(4), SLOPE)
    walk = raised(walk, lambda at, number: np.where((at > 1.9) & (at < 2.6), 0.3 * number, 0.0))
    own = floor.own(walk, held := found(walk), sloping=True)
    off = [foot.soles()[each[:, 1], :, 2].max() for foot, each in zip(walk.feet, held, strict=True)]
    assert max(off) > 0.3, "else nobody did"
    assert np.abs(np.array(own.slope) - [SLOPE, 0.0]).max() < 0.003


@pytest.mark.parametrize("size", [0.003, 0.006])
@pytest.mark.parametrize("seed", range(4))
def test_noise_is_no_slope(seed: int, size: float) -> None:
    heights = np.random.default_rng(seed).uniform(-size, size, 20)
    walk = raised(walker.walk(), lambda at, _: heights[np.round(at / walker.STEP).astype(int)])
    assert floor.own(walk, found(walk), sloping=True).slope == (0.0, 0.0)


@pytest.mark.parametrize("high", [0.05, 0.17])
def test_stairs_are_no_slope(high: float) -> None:
    walk = raised(walker.walk(), lambda at, _: high * np.round(at / walker.STEP))
    assert stood(walk) >= floor.FEWEST, "else there is nothing to look at"
    assert floor.own(walk, found(walk), sloping=True).slope == (0.0, 0.0)


def test_a_kerb_is_no_slope() -> None:
    walk = raised(walker.walk(4), lambda at, _: np.where(at > 2.0, 0.12, 0.0))
    assert stood(walk) >= floor.FEWEST
    assert floor.own(walk, found(walk), sloping=True).slope == (0.0, 0.0)


def test_a_step_or_two_say_nothing_of_a_slope() -> None:
    walk = sloping(walker.walk(1), SLOPE)
    short = [each & (np.arange(len(each)) < STANDS)[:, None] for each in found(walk)]
    assert floor.own(walk, short, sloping=True).slope == (0.0, 0.0)


def test_a_plane_that_slopes_is_a_ground() -> None:
    ground = Flat(0.1, (0.0, 0.75))
    places, frames = np.array([[0.0, 2.0, 2.0], [0.0, 2.0, 1.5], [0.0, -1.0, -0.6]]), np.zeros(3, np.int64)
    hits = ground.below(places, frames, 1.0)
    assert hits.found.tolist() == [True, False, True]
    assert np.allclose(hits.places[[0, 2], 2], [1.6, -0.65])
    assert np.allclose(hits.normals, [0.0, -0.6, 0.8])
    assert np.allclose(ground.depth(places, frames), [0.0, 0.08, 0.0]), "the way to the plane, not the way up"


def deep_heels(walk: Walk, deep: float) -> Walk:
    """A walk whose heels strike so deep in the ground."""
    feet = list[Foot]()
    for number, foot in enumerate(walk.feet):
        phase = (np.arange(len(foot.hip)) + number * PERIOD // 2) % PERIOD
        down = deep * np.sin(np.pi * np.clip(phase / HEEL_ONLY, 0.0, 1.0))[:, None] * [0.0, 0.0, 1.0]
        toe = None if foot.toe is None else Body(foot.toe.places - down, foot.toe.turns)
        feet.append(replace(foot, ankle=Body(foot.ankle.places - down, foot.ankle.turns), toe=toe))
    return replace(walk, feet=feet)


def near(frames: Bools) -> Bools:
    """Frames [F], and six to each side: a blend."""
    found: Bools = np.convolve(frames, np.ones(13), "same") > 0
    return found


def test_frames_that_are_right_are_not_changed_for_those_that_are_not() -> None:
    walk = deep_heels(walker.walk(), 0.012)
    was = measure(walk, found(walk), Flat(0.0))
    assert was.depth.max() > 0.01
    made, after = put(walk, Flat(0.0))
    assert measure(after, [one.held for one in made.feet], Flat(0.0)).depth.max() < BOUND
    for number, (foot, one) in enumerate(zip(walk.feet, made.feet, strict=True)):
        higher = np.abs((one.ankle.places - foot.ankle.places)[:, 2])
        assert higher[was.depth[number] > 0.008].min() > 0.002
        assert higher[~near(was.depth[number] > 0.004)].max() < 1e-9
    assert np.abs(made.pelvis.places - walk.pelvis.places).max() < 1e-9


@pytest.mark.parametrize("toes", [True, False], ids=["toes", "no toes"])
@pytest.mark.parametrize("ground", [0.0, 0.02], ids=["level", "slope"])
def test_of_a_stance_that_is_right_only_the_slide_goes(toes: bool, ground: float) -> None:
    walk = sloping(walker.walk(slide=0.03, toes=toes), ground)
    floor_of = Flat(0.0, (ground, 0.0))
    made, after = put(walk, floor_of)
    was = measure(walk, found(walk), floor_of)
    assert max(one.metres for one in was.slides) > 0.02
    assert max(one.metres for one in measure(after, [one.held for one in made.feet], floor_of).slides) < 0.001
    for foot, one, depth in zip(walk.feet, made.feet, was.depth, strict=True):
        gone = one.ankle.places - foot.ankle.places
        right = ~near(depth > 0.004) & one.held.any(axis=1)  # a foot without toes rolls off with its tip in the ground
        assert np.abs(gone[:, 2] - ground * gone[:, 0])[right].max() < 0.001, "it stays as high above the ground"
        lean = one.ankle.turns @ foot.ankle.turns.swapaxes(1, 2)
        assert np.degrees(np.arccos(np.minimum(lean[:, 2, 2], 1.0))).max() < 0.2
    assert np.linalg.norm(made.pelvis.places - walk.pelvis.places, axis=1).max() < 0.001


def test_a_toe_that_does_not_bend_in_the_clip_bends_where_it_has_to() -> None:
    walk = walker.walk(slide=0.01)
    stiff = [replace(foot, toe=Body(foot.toe.places, foot.ankle.turns)) for foot in walk.feet if foot.toe is not None]
    walk = replace(walk, feet=stiff)
    was = measure(walk, found(walk), Flat(0.0))
    assert was.depth.max() > 0.015, "as it rolls off"
    made, after = put(walk, Flat(0.0))
    held = [one.held for one in made.feet]
    looked = measure(after, held, Flat(0.0))
    assert looked.depth.max() < BOUND
    assert np.nanmax(looked.gap) < BOUND
    assert max(one.metres for one in looked.slides) < 0.002
    flat = was.depth[0] < 0.001
    assert np.abs((made.feet[0].ankle.places - walk.feet[0].ankle.places)[flat, 2]).max() < 0.001


def test_what_was_kept_stays_as_it_is_when_it_is_placed_again() -> None:
    _, once = put(deep_heels(walker.walk(slide=0.02), 0.012), Flat(0.0))
    _, again = put(once, Flat(0.0))
    for one, other in zip(again.feet, once.feet, strict=True):
        assert np.abs(one.ankle.places - other.ankle.places).max() < 0.001
        assert np.abs(one.ankle.turns - other.ankle.turns).max() < 0.003
