"""Second-order terms of a table against the shortening of a straight beam, integrated along it."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.fem import Reduction, build_table

STEEL = fx.Material(E=2.0e11, nu=0.3, rho=7800.0)
LENGTH, ELEMENTS = 1.5, 5


@pytest.fixture(scope="module")
def table():
    section = fx.rectangle(0.02, 0.03)
    body = fx.beam_body(LENGTH, ELEMENTS, STEEL, section, shear=False, rotary_inertia=False)
    return build_table(body, Reduction(fx.Clamped("start"), 6))


def shortening(table, q):
    """Places x, weights and u₂ = -½∫(v'² + w'²)dx at Gauss points of the beam, and u₂ of its end."""
    v, w = (table.output.translation[:, a] @ q for a in (1, 2))
    v_x, w_x = table.output.rotation[:, 2] @ q, -table.output.rotation[:, 1] @ q
    L = LENGTH / ELEMENTS
    g, weight = np.polynomial.legendre.leggauss(8)
    x, wx, u2, start = [], [], [], 0.0

    def slope2(e, xi):
        a, b = 6 * (xi**2 - xi) / L, 3 * xi**2
        out = 0.0
        for u, s in ((v, v_x), (w, w_x)):
            out = out + ((u[e] - u[e + 1]) * a + s[e] * (1 - 4 * xi + b) + s[e + 1] * (b - 2 * xi)) ** 2
        return out

    for e in range(ELEMENTS):
        for gi, wi in zip(g, weight, strict=True):
            xi = 0.5 * (1 + gi)
            inner = 0.5 * xi * L * np.sum(weight * slope2(e, xi * 0.5 * (1 + g)))
            x.append((e + xi) * L)
            wx.append(0.5 * L * wi)
            u2.append(start - 0.5 * inner)
        start -= 0.25 * L * np.sum(weight * slope2(e, 0.5 * (1 + g)))
    return np.array(x), np.array(wx), np.array(u2), start


@pytest.mark.parametrize("seed", range(3))
def test_geometric_tensors_are_the_moments_of_the_shortening(table, seed):
    q = 0.05 * np.random.default_rng(seed).standard_normal(table.m)
    x, w, u2, end = shortening(table, q)
    density, g = 7800.0 * 6e-4, table.geometric
    first, second = density * w @ u2, density * w @ (x * u2)
    # bending modes only: no axial or twisting part in the shapes
    assert np.abs(table.output.translation[:, 0]).max() < 1e-9
    assert 0.5 * q @ g.acceleration[0] @ q == pytest.approx(first, rel=1e-9)
    for k in (1, 2):  # ω_y², ω_z²: -½ ω·J₂ω = -∫ρ x u₂
        assert 0.5 * q @ g.omega_products[k] @ q == pytest.approx(-second, rel=1e-9)
    assert -0.5 * q @ table.foreshortening[1, 0] @ q == pytest.approx(end, rel=1e-9)


@pytest.mark.parametrize("stiffening", [True, False])
def test_the_mass_matrix_stays_positive_for_deflections_of_a_tenth_of_the_length(table, stiffening):
    s = fx.System("free")
    body = s.flexible_body("body", table, stiffening=stiffening)
    s.revolute("O", s.ground, body["start"])
    end = s.rigid_body("end", 1e-3, [1e-6] * 3, position=[LENGTH, 0, 0])
    s.weld("A", body["end"], end)
    equations = fx.formulate(s, "joint")
    rng = np.random.default_rng(1)
    for reach in (0.005, 0.02, 0.05):
        q = equations.initial.q.copy()
        q[equations.packer.elastic_indices()[0]] = reach * rng.standard_normal(table.m)
        M, _ = equations.mass_and_jacobian(q)
        # as long as the deformed body held rigid has a positive inertia
        assert np.linalg.eigvalsh(M)[0] > 0.0
