"""Every rotation kernel against its slow, obvious twin, at awkward angles too."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posewright.solvers import rotation
from posewright.solvers.rotation import Vector
from posewright.tests import naive

axes = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: math.hypot(*axis) > 0.01)
angles = st.one_of(
    st.floats(0, math.pi),
    st.sampled_from([0.0, 1e-300, 1e-12, 1e-8, 0.99e-4, 1.01e-4, 1e-3, math.pi - 1e-9, math.pi]),
)


def scaled(axis: Vector, angle: float) -> Vector:
    x, y, z = (np.array(axis) / np.linalg.norm(axis) * angle).tolist()
    return x, y, z


vectors = st.builds(scaled, axes, angles)


@given(vectors, vectors)
def test_rotate_agrees_with_the_matrix(turn: Vector, point: Vector) -> None:
    assert_allclose(
        rotation.rotate(rotation.from_vector(turn)[0], point), naive.turn(np.array(turn)) @ point, atol=1e-14
    )


@given(vectors, vectors, vectors)
def test_multiply_turns_by_the_second_first(first: Vector, second: Vector, point: Vector) -> None:
    product = rotation.multiply(rotation.from_vector(first)[0], rotation.from_vector(second)[0])
    expected = naive.turn(np.array(first)) @ naive.turn(np.array(second)) @ point
    assert_allclose(rotation.rotate(product, point), expected, atol=1e-14)


@given(vectors, vectors)
def test_the_conjugate_turns_back(turn: Vector, point: Vector) -> None:
    q = rotation.from_vector(turn)[0]
    assert_allclose(rotation.rotate(rotation.conjugate(q), rotation.rotate(q, point)), point, atol=1e-14)


@given(axes, angles)
def test_a_turn_about_an_axis_is_a_rotation_vector(axis: Vector, angle: float) -> None:
    assert_allclose(
        rotation.about_axis(scaled(axis, 1.0), angle), rotation.from_vector(scaled(axis, angle))[0], atol=1e-15
    )


@given(st.floats(0.0, 10.0))
def test_half_a_turn_is_as_exact_as_the_library(angle: float) -> None:
    expected = math.cos(0.5 * angle), 0.5 * float(np.sinc(0.5 * angle / math.pi))
    assert_allclose(rotation.half_turn(angle * angle), expected, rtol=1e-15, atol=5e-16)


@given(vectors)
def test_the_matrix_of_a_quaternion_is_that_of_its_rotation_vector(turn: Vector) -> None:
    assert_allclose(rotation.matrix_of(rotation.from_vector(turn)[0]), naive.turn(np.array(turn)), atol=1e-14)


@given(vectors)
def test_rotation_vectors_survive_the_way_there_and_back(vector: Vector) -> None:
    out = np.array(rotation.to_vector(rotation.from_vector(vector)[0]))
    if np.linalg.norm(vector) > math.pi - 1e-8 and out @ vector < 0:
        out = -out  # at a half turn both directions are right
    assert_allclose(out, vector, rtol=1e-14, atol=2e-15)


@given(vectors)
def test_a_quaternion_and_its_negative_are_the_same_rotation(vector: Vector) -> None:
    w, x, y, z = rotation.from_vector(vector)[0]
    if abs(w) > 1e-12:
        assert rotation.to_vector((w, x, y, z)) == rotation.to_vector((-w, -x, -y, -z))


def test_half_turn_about_a_diagonal_axis_has_its_full_angle() -> None:
    """Sugihara's (24-26) give zero here."""
    half = 1.0 / math.sqrt(2)
    assert_allclose(rotation.to_vector((0.0, half, half, 0.0)), np.array([half, half, 0.0]) * math.pi, rtol=1e-15)


@given(vectors, vectors)
def test_left_jacobian_is_the_angular_velocity_of_a_changing_rotation_vector(vector: Vector, rate: Vector) -> None:
    """By a finite difference: exp(v + h r) exp(v - h r)⁻¹ ≈ 1 + 2h [ω]×."""
    step = 1e-5
    ahead, behind = (naive.turn(np.array(vector) + sign * step * np.array(rate)) for sign in (1, -1))
    change = (ahead @ behind.T - np.eye(3)) / (2 * step)
    omega = np.array([change[2, 1] - change[1, 2], change[0, 2] - change[2, 0], change[1, 0] - change[0, 1]]) / 2
    columns = rotation.left_jacobian(vector, *rotation.from_vector(vector)[1:])
    assert_allclose(np.transpose(columns) @ rate, omega, atol=3e-9)


@given(vectors, vectors, vectors)
def test_the_inverse_transposed_left_jacobian_is_what_it_says(vector: Vector, u: Vector, rate: Vector) -> None:
    """(J⁻ᵀ u) · (J r) = u · r."""
    pulled = rotation.left_jacobian_inverse_transposed(vector, u)
    turned = np.transpose(rotation.left_jacobian(vector, *rotation.from_vector(vector)[1:])) @ rate
    assert_allclose(np.dot(pulled, turned), rotation.dot(u, rate), atol=1e-12)
