"""Plane waves on regular meshes of triangles: where the value of ``bending_scale`` comes from (S3c)."""

import numpy as np
import pytest

from flexnet.fem.shell.kinematics import stiffness
from tests.fem.shell import benchmarks

#: second side over the first, angle between them in degrees, whether cut from corner 1 to 3 (``/``)
CELLS = {
    "square": (1.0, 90.0, True), "rectangle 1:2": (2.0, 90.0, True), "rectangle 1:5": (5.0, 90.0, True),
    "equilateral triangles": (1.0, 60.0, False), "rhombus of 45°": (1.0, 45.0, False),
    "rhombus of 30°": (1.0, 30.0, False),
}  # fmt: skip
BENDING = np.array([2, 3, 4])  # w, θx, θy of a node


def mean_error(cell, scale, size=0.1):
    """Mean over all directions of c in K_ww = A D |k|⁴ (1 + c (|k|h)²), with |k| h = size and h² = A."""
    ratio, angle, is_slash = CELLS[cell]
    u, v = np.array([1.0, 0.0]), ratio * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    corners = np.array([0 * u, u, u + v, v])
    triangles = corners[[[0, 1, 2], [0, 2, 3]] if is_slash else [[0, 1, 3], [1, 2, 3]]]
    sheet = benchmarks.sheet(1e-3, 12.0 * (1.0 - 0.3**2) * 1e9, 0.3)  # D = 1
    K = stiffness(np.concatenate([triangles, np.zeros((2, 3, 1))], axis=2), sheet, None, scale)
    K = K.reshape(2, 3, 6, 3, 6)[:, :, BENDING][..., BENDING]
    A = abs(u[0] * v[1] - u[1] * v[0])
    found = []
    for phi in np.linspace(0.0, np.pi, 24, endpoint=False):
        k = size / np.sqrt(A) * np.array([np.cos(phi), np.sin(phi)])
        phase = np.exp(1j * triangles @ k)  # (triangle, node)
        S = np.einsum("ta,taibj,tb->ij", phase.conj(), K, phase)
        left = (S[0, 0] - S[0, 1:] @ np.linalg.solve(S[1:, 1:], S[1:, 0])).real
        found.append((left / (A * (size**2 / A) ** 2) - 1.0) / size**2)
    return float(np.mean(found))


@pytest.mark.parametrize("cell", CELLS)
def test_the_mean_error_of_second_order_vanishes_at_a_bending_scale_of_three_halves(cell):
    """Between 1.4 and 1.6 on every cell; DKT itself is soft on all of them, and 2 is stiff."""
    assert mean_error(cell, 1.0) < -0.02
    assert mean_error(cell, 1.4) < 0.0 < mean_error(cell, 1.6)
    assert abs(mean_error(cell, 1.5)) < 0.25 * abs(mean_error(cell, 1.0))
