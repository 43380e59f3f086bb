"""Left and right in names of bones."""

from types import ModuleType

import pytest

PAIRS = [
    ("hand.L", "hand.R"),
    ("hand.L.001", "hand.R.001"),
    ("hand_l", "hand_r"),
    ("hand-L", "hand-R"),
    ("hand l", "hand r"),
    ("L_hand", "R_hand"),
    ("l.hand", "r.hand"),
    ("LeftHand", "RightHand"),
    ("leftHand", "rightHand"),
    ("LEFTHAND", "RIGHTHAND"),
    ("HandLeft", "HandRight"),
    ("hand_left", "hand_right"),
    ("mixamorig:LeftForeArm", "mixamorig:RightForeArm"),
    ("Bip01 L Hand", "Bip01 R Hand"),
    ("DEF-hand.L", "DEF-hand.R"),
    ("hand_l_end", "hand_r_end"),
    ("lHand", "rHand"),
]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_a_name_becomes_that_of_the_other_side_and_back(add_on: ModuleType, left: str, right: str) -> None:
    flipped = add_on.bridge.symmetry.flipped
    assert flipped(left) == right
    assert flipped(right) == left


@pytest.mark.parametrize("name", ["spine", "pelvis", "Root", "lower_back", "ball", "collar", "tail.001", "", "Bone.R2"])
def test_a_name_without_a_side_stays(add_on: ModuleType, name: str) -> None:
    assert add_on.bridge.symmetry.flipped(name) == name
