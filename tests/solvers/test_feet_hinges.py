"""Toes that bend about one axis: what is planned is what such a joint can do."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from posewright.motion.feet import contacts, hinges, swings, turns
from posewright.motion.feet.plan import Settings, plan
from posewright.motion.feet.swings import Way
from posewright.motion.feet.walk import BALL, HEEL, Body, Foot

from . import walker

Floats = NDArray[np.float64]
AXIS = np.array([0.0, 1.0, 0.0])


def beside(foot: Foot, ankle: Floats, toe: Floats) -> Floats:
    """How far a toe is turned [F] beside its axis, against where the source has it."""
    assert foot.toe is not None
    own = foot.ankle.turns.swapaxes(1, 2) @ foot.toe.turns
    bent = turns.vector_of(own.swapaxes(1, 2) @ ankle.swapaxes(1, 2) @ toe)
    found: Floats = np.linalg.norm(bent - (bent @ AXIS)[:, None] * AXIS, axis=1)
    return found


def rolling_outward(foot: Foot) -> Foot:
    """A foot that rolls outward as far as its heel rises, with a toe that never bends: as captured clips have it."""
    assert foot.toe is not None
    pitch = turns.vector_of(foot.ankle.turns)[:, 1]
    turned = turns.matrix_of(np.stack([0.3 * pitch, pitch, 0.1 * pitch], axis=1))
    return replace(foot, ankle=Body(foot.ankle.places, turned), toe=Body(foot.toe.places, turned))


@pytest.mark.parametrize("ground", [walker.slope(0.27), walker.slope(0.0, 0.27), walker.waves()])
def test_a_toe_bends_about_its_axis_only(ground: walker.Field) -> None:
    walk = walker.walk()
    walk = replace(walk, feet=[rolling_outward(foot) for foot in walk.feet])
    held = [contacts.find(foot, walk.seconds, walk.size) for foot in walk.feet]
    loose = plan(walk, held, ground, Settings())
    hinged = plan(replace(walk, feet=[replace(foot, hinge=AXIS) for foot in walk.feet]), held, ground, Settings())
    for foot, free, one in zip(walk.feet, loose.feet, hinged.feet, strict=True):
        assert free.toe is not None
        assert one.toe is not None
        assert beside(foot, free.ankle.turns, free.toe.turns).max() > 1e-3, "else this tests nothing"
        assert beside(foot, one.ankle.turns, one.toe.turns).max() < 1e-9


def test_a_held_toe_stays_and_the_foot_goes_without_a_jump() -> None:
    foot = replace(walker.walk().feet[0], hinge=AXIS)
    assert foot.toe is not None
    count = len(foot.hip)
    rolled = turns.matrix_of(np.array([0.1, 0.0, 0.05])) @ foot.ankle.turns
    way = Way(foot, foot.ankle.places.copy(), rolled, foot.toe.turns.copy(), np.zeros(count, np.bool_))
    held = np.zeros((count, 3), np.bool_)
    held[50:70, BALL] = held[40:55, HEEL] = True
    before, toes, joint = way.turns.copy(), way.toes.copy(), swings.joint_of(way, np.arange(count))
    hinges.fit(way, held, blend=6)
    rolling = held[:, BALL] & ~held[:, HEEL]
    assert np.array_equal(way.toes[rolling], toes[rolling])
    assert np.allclose(swings.joint_of(way, np.arange(count)), joint), "it turns about the toe's joint"
    lean = np.linalg.norm(turns.vector_of(way.turns @ before.swapaxes(1, 2)), axis=1)
    assert lean[rolling].min() > 0.05
    assert lean[held[:, HEEL]].max() == 0.0, "a heel that stands is not moved"
    assert lean[76:].max() < 1e-12
    assert np.abs(np.diff(lean[70:])).max() < 0.04
