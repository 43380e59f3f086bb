"""Every rotation kernel against its slow, obvious twin, at awkward angles too."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posewright.solvers import rotation

Floats = rotation.Floats

axes = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: math.hypot(*axis) > 0.01)
angles = st.one_of(
    st.floats(0, math.pi),
    st.sampled_from([0.0, 1e-300, 1e-12, 1e-8, 0.99e-4, 1.01e-4, 1e-3, math.pi - 1e-9, math.pi]),
)
vectors = st.builds(lambda axis, angle: np.array(axis) / np.linalg.norm(axis) * angle, axes, angles)


def matrix(vector: Floats) -> Floats:
    """Rodrigues' formula: the rotation matrix [3, 3] of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    cross: Floats = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turned: Floats = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return turned


def quaternion(vector: Floats) -> Floats:
    out = np.empty(4)
    rotation.from_rotation_vector(vector, out)
    return out


@given(vectors, vectors)
def test_rotate_agrees_with_the_matrix(turn: Floats, point: Floats) -> None:
    out = np.empty(3)
    rotation.rotate(quaternion(turn), point, out)
    np.testing.assert_allclose(out, matrix(turn) @ point, atol=1e-14)


@given(vectors, vectors, vectors)
def test_multiply_turns_by_the_second_first(first: Floats, second: Floats, point: Floats) -> None:
    product, out = np.empty(4), np.empty(3)
    rotation.multiply(quaternion(first), quaternion(second), product)
    rotation.rotate(product, point, out)
    np.testing.assert_allclose(out, matrix(first) @ matrix(second) @ point, atol=1e-14)


@given(vectors)
def test_rotation_vectors_survive_the_way_there_and_back(vector: Floats) -> None:
    out = np.empty(3)
    rotation.to_rotation_vector(quaternion(vector), out)
    if np.linalg.norm(vector) > math.pi - 1e-8 and out @ vector < 0:
        out = -out  # at a half turn both directions are right
    np.testing.assert_allclose(out, vector, rtol=1e-14, atol=2e-15)


@given(vectors)
def test_a_quaternion_and_its_negative_are_the_same_rotation(vector: Floats) -> None:
    q, one, other = quaternion(vector), np.empty(3), np.empty(3)
    rotation.to_rotation_vector(q, one)
    rotation.to_rotation_vector(-q, other)
    if abs(q[0]) > 1e-12:
        np.testing.assert_array_equal(one, other)


def test_half_turn_about_a_diagonal_axis_has_its_full_angle() -> None:
    """Sugihara's (24-26) give zero here."""
    out = np.empty(3)
    rotation.to_rotation_vector(np.array([0.0, 1.0, 1.0, 0.0]) / math.sqrt(2), out)
    np.testing.assert_allclose(out, np.array([1.0, 1.0, 0.0]) / math.sqrt(2) * math.pi, rtol=1e-15)


@pytest.mark.parametrize("name", ["multiply", "rotate"])
def test_out_may_be_an_input(name: str) -> None:
    kernel = getattr(rotation, name)
    q = quaternion(np.array([0.3, -0.2, 0.9]))
    size = 4 if name == "multiply" else 3
    value = np.array([0.1, 0.7, -0.4, 0.5])[:size]
    apart = np.empty(size)
    kernel(q, value, apart)
    kernel(q, value, value)
    np.testing.assert_array_equal(value, apart)
