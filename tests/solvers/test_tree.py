"""Trees are checked when they are built: an error names the joint and what is wrong with it."""

import math

import numpy as np
import pytest

from posewright import solvers as ik
from posewright.tests import naive


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ([ik.Joint("a"), ik.Joint("a")], "two joints are called 'a'"),
        ([ik.Joint("b", "a"), ik.Joint("a")], "joint 'b' has an unknown parent: 'a'; the joints are none"),
        ([ik.Joint("a", motion=ik.Hinge("x", (1.0, 0.0)))], "a.angle: the lower limit 1.0 is above"),
        ([ik.Joint("a", motion=ik.Hinge("x", (math.nan, 0.0)))], "a.angle: the lower limit nan"),
        ([ik.Joint("a", rest=np.eye(4) * 2)], "joint 'a': the rest transform is not rigid"),
        ([ik.Joint("a", rest=np.diag([-1.0, 1, 1, 1]))], "joint 'a': the rest transform is not rigid"),
        ([ik.Joint("a", rest=np.eye(3))], r"joint 'a': the rest transform is a finite \[4, 4\] matrix"),
        ([ik.Joint("a", stiffness=-1.0)], "a.rx: a stiffness is a finite number, zero or more"),
        ([ik.Joint("a", stiffness=(1.0, 2.0))], "joint 'a' has 3 variables, but stiffness has shape"),
        ([ik.Joint("a", rest_values=math.inf)], "a.rx: the rest value inf is not finite"),
        ([ik.Joint("a", velocity=0.0)], "a.rx: a velocity limit is above zero"),
        ([ik.Joint("a", held={"tx": 1.0}, motion=ik.Free())], "joint 'a' has no locked axis 'tx'"),
    ],
)
def test_a_wrong_joint_is_named(joints: list[ik.Joint], message: str) -> None:
    with pytest.raises(ik.PosewrightError, match=message):
        ik.Tree(joints)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ik.Hinge("w"), "unknown axis 'w'"),
        (lambda: ik.Hinge((0, 0, 0)), "not all zero"),
        (lambda: ik.EulerBall("XYX"), "unknown rotation order 'XYX'; the orders are XYZ"),
        (lambda: ik.TwoAxis("XX"), "two different axes"),
        (lambda: ik.Ball(region="cone"), "unknown region 'cone'; the regions are ellipse, box"),
        (lambda: ik.Free(((0, 1),)), "translation takes three limits"),
    ],
)
def test_a_wrong_motion_is_named(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ik.PosewrightError, match=message):
        make()


def test_a_tree_cannot_be_changed() -> None:
    tree = ik.Tree([ik.Joint("a", motion=ik.Hinge("x", (0.0, 1.0)))])
    for array in (tree.lower, tree.upper, tree.rest, *tree.arrays):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_locked_axis_is_no_variable_and_keeps_its_value() -> None:
    tree = ik.Tree([ik.Joint("a", motion=ik.Ball((-1, 1), None, None), held={"twist": 0.5, "ty": 0.2})])
    assert [one.axis for one in tree.variables] == ["swing_x"]
    pose = tree.pose([0.0])
    np.testing.assert_allclose(pose.rotations[0], [math.cos(0.25), 0, math.sin(0.25), 0])
    np.testing.assert_allclose(pose.positions[0], [0, 0.2, 0])


def test_a_float32_rest_matrix_counts_as_rigid() -> None:
    turn = np.eye(4)
    turn[:2, :2] = [[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]]
    rest = turn.astype(np.float32)
    rotation = ik.Tree([ik.Joint("a", rest=rest)]).pose([0, 0, 0]).rotations[0]
    assert abs(float(np.linalg.norm(rotation)) - 1.0) < 1e-15


def test_fixed_links_are_passed_over_and_yet_where_they_were() -> None:
    rng = np.random.default_rng(5)
    joints = []
    for i, motion in enumerate([None, None, "x", None, None, (0.0, 0.6, 0.8), None, None]):
        rest = np.eye(4)
        rest[:3, :3] = naive.about(0, rng.normal()) @ naive.about(2, rng.normal())
        rest[:3, 3] = rng.normal(size=3)
        joints.append(ik.Joint(f"j{i}", f"j{i - 1}" if i else None, rest, ik.Hinge(motion) if motion else ik.Fixed()))
    tree = ik.Tree(joints)
    assert tree.arrays.parent.tolist() == [-1, -1, -1, 2, 2, 2, 5, 5]
    lengths = [float(np.linalg.norm(np.asarray(joint.rest)[:3, 3])) for joint in joints]
    assert tree.size == pytest.approx(sum(lengths[1:]), rel=1e-15)  # along the bones, not past them
    q = np.array([0.7, -1.2])
    pose, places = tree.pose(q), naive.forward(joints, q)
    np.testing.assert_allclose(pose.positions, [place[:3, 3] for place in places], atol=1e-14)
    turns = [naive.matrix_of(turn) for turn in pose.rotations]
    np.testing.assert_allclose(turns, [place[:3, :3] for place in places], atol=1e-14)
    for name, place, turn in zip(tree.names, pose.positions, pose.rotations, strict=True):
        found = ik.solve(ik.Problem(tree, [ik.Pose(name, place, turn)]), [0.5, -1.0])
        assert found.errors[0].reached, name
    by_q = ik.Problem(tree, [ik.Position("j7", (0, 0, 0)), ik.Position("j0", (1, 1, 1))]).jacobian(q)
    for i in range(2):
        ahead, behind = (tree.pose(q + step * np.eye(2)[i]).positions[7] for step in (1e-6, -1e-6))
        np.testing.assert_allclose(by_q[:3, i], (ahead - behind) / 2e-6, atol=1e-8)
    assert not by_q[3:].any()
