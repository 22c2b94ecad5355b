"""The compiled shell triangle against its formulation with whole arrays, on triangles of any shape."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexnet.fem.shell.displacement import coefficients, midsurface, midsurface_gradient
from flexnet.fem.shell.facet import Facets
from flexnet.kernels.fem_shell import curvatures, membrane_strains, normal_coefficients
from tests.fem.shell import plain_element as plain

ZETA = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.1, 0.8, 0.1]])
CORNERS = np.eye(3)


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(11)
    flat = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.3, 0.8, 0.0]])
    flat = flat + np.concatenate([0.25 * rng.uniform(-1, 1, (9, 3, 2)), np.zeros((9, 3, 1))], axis=2)
    turn = Rotation.random(9, random_state=2).as_matrix()
    return np.einsum("eab,enb->ena", turn, flat) + rng.normal(size=(9, 1, 3))


@pytest.fixture(scope="module")
def facets(X):
    return Facets.of(X, (0.3, 1.0, -0.2))


def in_body_axes(A, R):
    """Turn the freedoms of rows that act on facet freedoms."""
    return A @ np.stack([np.kron(np.eye(6), r) for r in R]).reshape(len(R), *[1] * (A.ndim - 3), 18, 18)


def test_a_facet_is_measured(X, facets):
    c = X.mean(axis=1)
    n = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    assert np.allclose(facets.area, 0.5 * np.linalg.norm(n, axis=1), rtol=1e-14)
    assert np.allclose(facets.R[:, 2], n / np.linalg.norm(n, axis=1, keepdims=True), atol=1e-14)
    assert np.allclose(facets.R @ facets.R.transpose(0, 2, 1), np.eye(3), atol=1e-14)
    assert np.allclose(facets.R[:, 1] @ [0.3, 1.0, -0.2], 0.0, atol=1e-14)
    local = np.einsum("eab,enb->ena", facets.R, X - c[:, None])
    assert np.allclose(local, np.stack([facets.x, facets.y, 0 * facets.x], axis=-1), atol=1e-14)


def test_strains_at_the_corners(facets):
    geometry = facets.R, facets.x, facets.y, facets.area
    normals = np.random.default_rng(3).normal(size=(len(facets.area), 3, 3))
    B = np.full((len(facets.area), 3, 6, 18), np.nan)
    membrane_strains(*geometry, normals, 0.32, B)
    curvatures(*geometry, B)
    expected = np.zeros_like(B)
    expected[:, :, :3] = (
        plain.membrane_strain(facets, CORNERS, 0.32) @ plain.membrane_freedoms(facets, normals)[:, None]
    )
    expected[:, :, 3:, plain.BENDING] = plain.curvature(facets, CORNERS)
    expected = in_body_axes(expected, facets.R)
    assert np.allclose(B, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_displacement_field_and_turn_of_the_normal(facets):
    C = coefficients(facets, 16)
    normal_coefficients(facets.R, facets.x, facets.y, C)
    expected = np.zeros_like(C)
    expected[:, :10] = plain.coefficients(facets)
    expected[:, 10:, :2, plain.BENDING] = plain.collocation(facets)
    expected = facets.R.transpose(0, 2, 1)[:, None] @ in_body_axes(expected, facets.R)
    assert np.allclose(C, expected, rtol=0, atol=1e-13)


def test_the_gradient_is_the_derivative_of_the_field(facets):
    h = 1e-6
    G = midsurface_gradient(facets, ZETA)
    for a in range(2):
        for e in range(len(facets.area)):
            one = Facets(
                facets.R[e : e + 1], facets.x[e : e + 1], facets.y[e : e + 1], facets.area[e : e + 1]
            )
            step = h * one.zeta_gradient()[0, a]
            slope = (midsurface(one, ZETA + step) - midsurface(one, ZETA - step))[0] / (2 * h)
            assert np.allclose(G[e, a], slope, atol=1e-7)
