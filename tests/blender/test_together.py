"""Two characters that hold hands: solved as one, whoever of them is dragged."""

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from .figures import drag, figure, off, pin, shown, update
from .test_relations import MILLIMETRE

operators: Any = bpy.ops
call = operators.posewright


def hold(owner: Any, bone: str, other: Any, its_bone: str, **settings: Any) -> Any:
    """A loop from a bone's tail to that of another character's, stored on the first."""
    made = owner.posewright_relations.add()
    made.kind, made.name = "LOOP", f"{bone} and {its_bone} of {other.name}"
    for name, whose, which in (("a", None, bone), ("b", other, its_bone)):
        part = made.parts.add()
        part.name, part.bone, part.point = name, which, "TAIL"
        part.other, part.character = whose is not None, whose
    for name, value in settings.items():
        setattr(made, name, value)
    owner.update_tag()
    return made


def tail(owner: Any, bone: str) -> Vector:
    """Where a bone ends in the world, as Blender shows it."""
    return owner.matrix_world @ owner.pose.bones[bone].tail


def apart(owner: Any, bone: str, other: Any, its_bone: str) -> float:
    return float((tail(owner, bone) - tail(other, its_bone)).length)


def pair(bridge: Any, **settings: Any) -> tuple[Any, Any]:
    """Ann and, a step to her left, Ben, who stand on one foot each."""
    ann, ben = figure(".L", "Ann"), figure(".R", "Ben")
    ben.location = (1.5, 0, 0)
    update()
    pin(bridge, ann, "foot.L")
    pin(bridge, ben, "foot.R")
    update()
    hold(ann, "hand.L", ben, "hand.R", **settings)
    update()
    return ann, ben


@pytest.fixture
def both(bridge: Any) -> tuple[Any, Any]:
    return pair(bridge)


def clasped(ann: Any, ben: Any) -> float:
    return apart(ann, "hand.L", ben, "hand.R")


def inside(owner: Any) -> bool:
    """Whether hinges turn about their axes only: what the figures have for limits."""
    return all(
        abs(owner.pose.bones[bone].rotation_quaternion[axis]) < 1e-5
        for bone in ("forearm.L", "shin.L", "forearm.R", "shin.R")
        if bone in owner.pose.bones
        for axis in (2, 3)
    )


def test_hands_meet_and_stay_together_whoever_is_dragged(bridge: Any, both: Any) -> None:
    ann, ben = both
    assert clasped(ann, ben) < MILLIMETRE
    for owner, bone, other in ((ann, "hand.L", ben), (ben, "spine", ann), (ben, "hand.R", ann)):
        before = shown(other)
        made = drag(bridge, owner, bone, (0.05, -0.15, -0.1))
        index = list(owner.posewright_goals).index(made)
        assert off(bridge, owner, index) < MILLIMETRE
        assert clasped(ann, ben) < MILLIMETRE
        assert np.abs(shown(other) - before).max() > 0.02
        assert all(off(bridge, one, 0) < MILLIMETRE for one in both)
        assert all(inside(one) for one in both)
        found = [bridge.outcome.of(one) for one in both]
        assert all(each.reached for one in found for each in (*one.goals.values(), *one.relations.values()))
        made.dragged = False
        update()
