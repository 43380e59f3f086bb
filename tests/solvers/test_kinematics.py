"""Forward kinematics against products of matrices, its axes against finite differences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from posewright.solvers.errors import PosewrightError
from posewright.solvers.joints import Ball, Joint, Kind
from posewright.solvers.kinematics import PoseArrays, forward, new_pose
from posewright.solvers.tree import Tree
from posewright.tests import naive
from posewright.tests.naive import Floats

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 40)


def placed(tree: Tree, q: Floats) -> tuple[Floats, list[Floats]]:
    pose = tree.pose(q)
    return pose.positions, [naive.matrix_of(rotation) for rotation in pose.rotations]


def test_random_joints_are_of_every_kind() -> None:
    """So that the rules below are tried on them."""
    rng = np.random.default_rng(1)
    assert {naive.random_motion(rng).kind for _ in range(300)} == set(Kind)


@given(seeds, sizes)
def test_forward_kinematics_is_a_product_of_matrices(seed: int, size: int) -> None:
    joints = naive.random_joints(seed, size)
    tree = Tree(joints)
    q = naive.random_pose(tree, seed)
    positions, rotations = placed(tree, q)
    for position, rotation, expected in zip(positions, rotations, naive.forward(joints, q), strict=True):
        assert_allclose(position, expected[:3, 3], atol=1e-13)
        assert_allclose(rotation, expected[:3, :3], atol=1e-13)


@given(seeds, sizes)
def test_a_joints_own_rotation_is_that_of_its_motion_alone(seed: int, size: int) -> None:
    joints = naive.random_joints(seed, size)
    tree = Tree(joints)
    q = naive.random_pose(tree, seed)
    left = q.tolist()  # each joint takes its own from the front
    for joint, turned in zip(joints, tree.own_rotations(q), strict=True):
        assert_allclose(naive.matrix_of(turned), naive.local_motion(joint, left)[:3, :3], atol=1e-13)


@given(seeds, sizes)
def test_many_poses_at_once_are_each_by_itself(seed: int, size: int) -> None:
    tree = Tree(naive.random_joints(seed, size))
    poses = np.array([[naive.random_pose(tree, seed + 3 * i + j) for j in range(3)] for i in range(2)])
    turned = tree.own_rotations(poses)
    values = tree.values(np.full((2, 3, size, 3), 0.1), turned)
    for at in np.ndindex(2, 3):
        assert_array_equal(turned[at], tree.own_rotations(poses[at]))
        assert_array_equal(values[at], tree.values(np.full((size, 3), 0.1), turned[at]))


@pytest.mark.parametrize("wrong", [np.zeros((2, 2)), np.zeros(0), np.full((2, 3), np.nan)])
def test_rotations_of_poses_that_are_none_are_refused(wrong: Floats) -> None:
    with pytest.raises(PosewrightError, match="the pose"):
        Tree([Joint("a", motion=Ball())]).own_rotations(wrong)


@given(seeds, sizes)
def test_axes_are_the_derivatives_of_the_bodies_below(seed: int, size: int) -> None:
    tree = Tree(naive.random_joints(seed, size))
    q = naive.random_pose(tree, seed, spread=0.9)
    pose = new_pose(len(tree.names), len(tree.variables))
    forward(tree.arrays, q, pose)
    step, turned = 1e-6, placed(tree, q)[1]
    for variable in range(len(q)):
        change = np.zeros(len(q))
        change[variable] = step
        ahead, turned_ahead = placed(tree, q + change)
        behind, turned_behind = placed(tree, q - change)
        for body in range(len(tree.names)):
            angular, linear = twist_of(tree, pose, body, variable)
            velocity = (ahead[body] - behind[body]) / (2 * step)
            turning = (turned_ahead[body] - turned_behind[body]) / (2 * step) @ turned[body].T
            assert_allclose(velocity, linear + np.cross(angular, pose.position[body]), atol=1e-7)
            assert_allclose(turning, naive.cross_matrix(angular), atol=1e-6)


def twist_of(tree: Tree, pose: PoseArrays, body: int, variable: int) -> tuple[Floats, Floats]:
    """How a variable moves a body: as it moves the parent, but that a steady body is only carried."""
    parent = int(tree.arrays.parent[body])
    if body == tree.arrays.body[variable]:
        return pose.axis[variable, :3], pose.axis[variable, 3:]
    if parent < 0:
        return np.zeros(3), np.zeros(3)
    angular, linear = twist_of(tree, pose, parent, variable)
    if tree.arrays.steady[body]:
        place = pose.position[parent] + naive.matrix_of(pose.rotation[parent]) @ tree.arrays.rest_position[body]
        return np.zeros(3), linear + np.cross(angular, place)
    return angular, linear


@given(
    st.tuples(*[st.floats(0.01, math.pi)] * 4),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from(["ellipse", "box"]),
)
def test_every_point_of_the_box_is_inside_the_swing_limits(
    ends: tuple[float, float, float, float], across: float, along: float, region: str
) -> None:
    """And their edge is reached: the box's edges map onto it."""
    x, z = (-ends[0], ends[1]), (-ends[2], ends[3])
    tree = Tree([Joint("ball", motion=Ball(x, z, (-1.0, 1.0), region=region))])
    q = np.array([x[0] + across * (x[1] - x[0]), 0.0, z[0] + along * (z[1] - z[0])])
    _, sx, sy, sz = tree.pose(q).rotations[0]
    assert abs(sy) < 1e-15
    a = math.sin((x[1] if sx > 0 else -x[0]) / 2)
    b = math.sin((z[1] if sz > 0 else -z[0]) / 2)
    if region == "ellipse":
        assert (sx / a) ** 2 + (sz / b) ** 2 <= 1 + 1e-12
        if across in {0.0, 1.0}:
            assert (sx / a) ** 2 + (sz / b) ** 2 == pytest.approx(1.0)
    else:
        turned = math.sqrt(1.0 - sx * sx)  # the cosine of half the turn about x, after which the one about z comes
        assert abs(sx) <= a + 1e-15
        assert abs(sz) <= b * turned + 1e-15
        if across in {0.0, 1.0}:
            assert abs(sx) == pytest.approx(a, abs=1e-15)
        if along in {0.0, 1.0}:
            assert abs(sz) == pytest.approx(b * turned, abs=1e-12)


def test_a_long_chain_keeps_its_quaternions_unit() -> None:
    joints = [Joint("0", motion=Ball())]
    joints += [Joint(str(i), str(i - 1), naive.random_rest(np.random.default_rng(i)), Ball()) for i in range(1, 2000)]
    tree = Tree(joints)
    rotations = tree.pose(naive.random_pose(tree, 1)).rotations
    assert_allclose(np.linalg.norm(rotations, axis=1), 1.0, atol=1e-15)
