"""From a joint's own transform back to its variables, for every kind of joint."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posewright import solvers as ik
from posewright.solvers.tree import quaternion_of
from posewright.tests import naive

seeds = st.integers(0, 2**32 - 1)


def own_transforms(joints: list[ik.Joint], q: naive.Floats) -> tuple[naive.Floats, naive.Floats]:
    """Each joint's own translation [joints, 3] and rotation [joints, 4], by the slow twin."""
    left = q.tolist()
    own = [naive.local_motion(joint, left) for joint in joints]
    return np.array([one[:3, 3] for one in own]), np.array([quaternion_of(one[:3, :3]) for one in own])


@given(seeds, st.sampled_from([1.0, 0.999, 0.5, 0.0]))
def test_values_are_those_of_the_pose(seed: int, spread: float) -> None:
    """Up to the limits, the corners of ellipses apart, where swings of different values are the same."""
    joints = naive.random_joints(seed, 12)
    tree = ik.Tree(joints)
    q = naive.random_pose(tree, seed + 1, spread)
    found = tree.values(*own_transforms(joints, q))
    again = [own_transforms(joints, one) for one in (q, found)]
    assert_allclose(again[1][0], again[0][0], atol=1e-12)
    assert_allclose(np.abs((again[1][1] * again[0][1]).sum(axis=1)), 1.0, atol=1e-12)
    narrow = (tree.upper - tree.lower < 2.8) & (np.abs(q) < 1.4)
    assert_allclose(found[narrow], q[narrow], atol=1e-6)


def test_half_a_turn_and_more_is_the_same_rotation() -> None:
    joint = ik.Joint("a", motion=ik.Hinge("z"))
    tree = ik.Tree([joint])
    for angle in (np.pi, -np.pi + 1e-9, 3.0, 4.0, -5.0):
        found = tree.values(*own_transforms([joint], np.array([angle])))
        assert np.cos(found[0] - angle) == pytest.approx(1.0)
        assert abs(found[0]) <= np.pi + 1e-12


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
@pytest.mark.parametrize("second", [np.pi / 2, -np.pi / 2])
def test_at_gimbal_lock_the_rotation_is_still_right(order: str, second: float) -> None:
    joint = ik.Joint("a", motion=ik.EulerBall(order))
    angles = np.zeros(3)
    angles["XYZ".index(order[0])], angles["XYZ".index(order[1])], angles["XYZ".index(order[2])] = 0.4, second, -0.7
    wanted = own_transforms([joint], angles)
    found = ik.Tree([joint]).values(*wanted)
    assert_allclose(np.abs((own_transforms([joint], found)[1] * wanted[1]).sum()), 1.0, atol=1e-12)


def test_a_swing_outside_its_ellipse_gives_the_nearest_way_it_can_lean() -> None:
    inside = ik.Tree([ik.Joint("a", motion=ik.Ball((-0.5, 0.5), (-0.5, 0.5), (-1, 1)))])
    turned = quaternion_of(naive.turn(np.array([0.9, 0.0, 0.9])))
    found = inside.values(np.zeros((1, 3)), turned[None])
    assert (found >= inside.lower - 1e-12).all()
    assert (found <= inside.upper + 1e-12).all()
    assert found[0] == pytest.approx(found[2])


def test_wrong_input_raises_one_clear_error() -> None:
    tree = ik.Tree([ik.Joint("a")])
    with pytest.raises(ik.PosewrightError, match=r"finite translations \[1, 3\]"):
        tree.values(np.zeros((2, 3)), np.zeros((1, 4)))
    with pytest.raises(ik.PosewrightError, match="finite"):
        tree.values(np.full((1, 3), np.nan), np.zeros((1, 4)))
