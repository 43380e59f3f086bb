"""The stored reference: few items, the same numbers, and only for the bones that it was stored for."""

from typing import Any

import numpy as np
import pytest

from .characters import build
from .figures import figure, pin, turn, update


def row_of_bones(count: int) -> Any:
    """An armature of so many bones, one on the other."""
    names = ["", *(f"bone {index}" for index in range(count))]
    return build({names[z + 1]: (names[z], (0, 0, z), (0, 0, z + 1)) for z in range(count)})


def any_reference(bridge: Any, count: int) -> Any:
    """One whose numbers are all different, so that none can take another's place."""
    chance = np.random.default_rng(count)
    rows = [chance.normal(size=(count, width)).astype(np.float32) for width in (3, 4, 3, 4)]
    return bridge.reference.Reference(*rows, chance.random(count) < 0.5)


def numbers(reference: Any) -> list[Any]:
    parts = reference.location, reference.rotation, reference.left_location, reference.left_rotation, reference.held
    return [part.tolist() for part in parts]


@pytest.mark.parametrize("count", [1, 32, 33, 70])
def test_a_reference_comes_back_to_the_last_bit_whatever_the_number_of_bones(bridge: Any, count: int) -> None:
    owner, given = row_of_bones(count), any_reference(bridge, count)
    bridge.reference.store(owner, given)
    assert numbers(bridge.reference.stored(owner)) == numbers(given)
    given.left_location = given.left_location + np.float32(1.0)
    bridge.reference.store_left(owner, given)
    assert numbers(bridge.reference.stored(owner)) == numbers(given)


def test_seventy_bones_are_three_items_because_blender_copies_each_at_every_update(bridge: Any) -> None:
    owner = row_of_bones(70)
    bridge.reference.store(owner, any_reference(bridge, 70))
    assert len(owner.posewright_reference) == 3


def test_what_is_stored_for_fewer_bones_makes_room_for_more_and_back(bridge: Any) -> None:
    owner, other = row_of_bones(70), row_of_bones(20)
    many, few = any_reference(bridge, 70), any_reference(bridge, 20)
    bridge.reference.store(owner, many)
    before = bridge.reference.as_stored(owner)
    bridge.reference.store(other, few)
    bridge.reference.put_stored(owner, bridge.reference.as_stored(other))
    assert bridge.reference.stored(owner) is None
    bridge.reference.put_stored(owner, before)
    assert numbers(bridge.reference.stored(owner)) == numbers(many)


def test_a_reference_is_not_taken_for_bones_with_other_names(bridge: Any) -> None:
    owner = figure(".L")
    pin(bridge, owner, "foot.L")
    update()
    assert bridge.reference.stored(owner) is not None
    owner.data.bones["hand.L"].name = "paw.L"
    assert bridge.reference.stored(owner) is None
    turn(owner, "arm.L", 20, 10, 5)
    update()
    assert bridge.reference.stored(owner) is not None, "it was not made anew of the pose that is there"
