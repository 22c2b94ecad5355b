"""Interpolation: exact where the data are, of fourth order between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from flexnet.errors import ResultError
from flexnet.results import rotation
from flexnet.results.interpolation import interpolate, interpolate_rotation

AXIS = np.array([1.0, 2.0, -2.0]) / 3.0


def tumbling(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orientation and global angular velocity of R = exp(a(t) u) Rz(b(t))."""
    a, a_dot = np.sin(t), np.cos(t)
    b, b_dot = 2.0 * t + 0.3 * np.cos(t), 2.0 - 0.3 * np.sin(t)
    first = rotation.exponential(a[:, None] * AXIS)
    z = np.tile([0.0, 0.0, 1.0], (len(t), 1))
    omega = a_dot[:, None] * AXIS + b_dot[:, None] * rotation.rotate(first, z)
    return rotation.product(first, rotation.exponential(b[:, None] * z)), omega


def test_stored_values_are_returned_to_the_last_bit():
    t = np.sort(np.random.default_rng(0).uniform(0, 3, 50))
    y = np.random.default_rng(1).normal(size=(50, 2))
    np.testing.assert_array_equal(interpolate(t, y, t), y)
    np.testing.assert_array_equal(interpolate(t, y, t, rates=-y), y)
    p, omega = tumbling(t)
    np.testing.assert_array_equal(interpolate_rotation(t, p, t, omega), p)
    np.testing.assert_array_equal(interpolate_rotation(t, p, t), p)


def test_one_and_two_rows_are_enough():
    t = np.array([1.0])
    np.testing.assert_array_equal(interpolate(t, np.array([5.0]), np.array([1.0, 1.0])), [5.0, 5.0])
    t = np.array([1.0, 2.0])
    np.testing.assert_allclose(interpolate(t, np.array([5.0, 7.0]), np.array([1.25])), [5.5])


def test_a_cubic_with_its_rates_is_reproduced():
    t, at = np.array([0.0, 0.7, 1.0, 2.5]), np.linspace(0, 2.5, 101)
    cubic = np.polynomial.Polynomial([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(interpolate(t, cubic(t), at, cubic.deriv()(t)), cubic(at), atol=1e-13)


@pytest.mark.parametrize("with_rates", [True, False])
def test_vectors_converge_with_fourth_order(with_rates):
    errors = []
    at = np.linspace(1.0, 2.0, 321)
    for n in (31, 61, 121):
        t = np.linspace(0.0, 3.0, n)
        values = interpolate(t, np.sin(3 * t), at, 3 * np.cos(3 * t) if with_rates else None)
        errors.append(np.abs(values - np.sin(3 * at)).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.4)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.0, abs=0.4)


def test_rotations_with_angular_velocity_converge_with_fourth_order():
    errors = []
    at = np.linspace(0.0, 3.0, 501)
    for n in (21, 41, 81):
        t = np.linspace(0.0, 3.0, n)
        p, omega = tumbling(t)
        errors.append(rotation.geodesic_angle(interpolate_rotation(t, p, at, omega), tumbling(at)[0]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.4)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.0, abs=0.4)


def test_the_sign_of_a_quaternion_does_not_matter():
    t, at = np.linspace(0, 1, 11), np.linspace(0, 1, 57)
    p, omega = tumbling(t)
    signs = np.where(np.arange(11) % 2, -1.0, 1.0)[:, None]
    same = rotation.geodesic_angle(
        interpolate_rotation(t, p, at, omega), interpolate_rotation(t, signs * p, at, omega)
    )
    assert same.max() < 1e-14


def test_times_outside_the_data_are_refused():
    t = np.array([0.0, 1.0])
    for at in (-0.1, 1.1, np.nan):
        with pytest.raises(ResultError, match="the data cover 0 to 1 s"):
            interpolate(t, t, np.array([at]))
    with pytest.raises(ResultError, match="cover nothing"):
        interpolate(np.zeros(0), np.zeros(0), np.array([0.0]))


angles = st.floats(-7.0, 7.0)


@settings(max_examples=50, deadline=None)
@given(angles, angles, angles)
def test_313_angles_turn_as_their_three_rotations_do(psi, theta, phi):
    expected = Rotation.from_euler("ZXZ", [psi, theta, phi])
    found = rotation.quaternion_from_313(np.array(psi), np.array(theta), np.array(phi))
    u = np.array([0.3, -1.0, 2.0])
    np.testing.assert_allclose(rotation.rotate(found, u), expected.apply(u), atol=1e-13)


@settings(max_examples=50, deadline=None)
@given(st.tuples(angles, angles, angles))
def test_logarithm_and_exponential_are_inverse_and_short(vector):
    theta = np.array(vector)
    p = rotation.exponential(theta)
    back = rotation.logarithm(p)
    assert np.linalg.norm(back) <= np.pi + 1e-12
    assert rotation.geodesic_angle(p, rotation.exponential(back)) < 1e-12
    assert rotation.geodesic_angle(p, p) == 0.0
    assert rotation.geodesic_angle(p, -p) == 0.0
