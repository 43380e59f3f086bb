"""Trees are checked when they are built: an error names the joint and what is wrong with it."""

import math

import numpy as np
import pytest

from posewright import solvers as ik


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
