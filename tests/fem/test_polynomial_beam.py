"""The beam in formulas: tensors are the integrals they stand for, frequencies those of a cantilever."""

import numpy as np
import pytest
from scipy.linalg import eigh

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.fem.beam.polynomial import I_Z, E, L, beam_formulas

STEEL = fx.Material(E=2.0e11, nu=0.3, rho=7870.0, eta=1e-5)
SECTION = fx.BeamSection(A=2.8e-5, Iy=6.0e-11, Iz=9.0e-11)


def beam(**options) -> fx.PolynomialBeam:
    return fx.PolynomialBeam(0.3, STEEL, SECTION, **options)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("functions", ["taylor", "chebyshev"])
def test_tensors_are_their_integrals(functions):
    """Gauss points on the deformed axis: position (2) of the page, differentiated by the coordinates."""
    made = beam(v=3, w=2, u=2, functions=functions)
    table, m = made.table(), 7
    x, weight = np.polynomial.legendre.leggauss(24)
    xi, dm = 0.5 * (x + 1.0), 0.5 * weight * STEEL.rho * SECTION.A * 0.3
    p = np.array([[np.polynomial.chebyshev.chebval(2 * z - 1, np.eye(3)[k]) for k in range(3)] for z in xi])
    if functions == "taylor":
        p = np.array([[z**k for k in range(3)] for z in xi])
    bend, stretch = xi[:, None] ** 2 * p, xi[:, None] * p
    N = np.zeros((24, 3, m))
    N[:, 1, :3], N[:, 2, 3:5], N[:, 0, 5:] = bend, bend[:, :2], stretch[:, :2]
    s = np.zeros((24, 3))
    s[:, 0] = 0.3 * xi
    inertia = table.inertia
    assert np.allclose(inertia.N1, np.einsum("p,paj->aj", dm, N), atol=1e-14)
    assert np.allclose(inertia.sN, np.einsum("p,pa,pbj->abj", dm, s, N), atol=1e-14)
    assert np.allclose(inertia.NN, np.einsum("p,pai,pbj->abij", dm, N, N), atol=1e-14)
    assert inertia.mass == pytest.approx(STEEL.rho * SECTION.A * 0.3)
    assert np.allclose(table.C, 1e-5 * table.K)


def test_the_second_order_is_the_shortening_of_the_axis():
    """u₂ = -½∫(v'² + w'²): by quadrature at the end, and in the mass moments of the table."""
    table = beam().table()
    q = np.array([0.01, -0.02, 0.015, 0.004, 0.01, -0.02])
    x = np.linspace(0.0, 1.0, 4001)
    slopes = np.stack([(k + 2) * x ** (k + 1) / 0.3 for k in range(3)], axis=1)
    rate = (slopes @ q[:3]) ** 2 + (slopes @ q[3:]) ** 2
    u2 = -0.5 * 0.3 * np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1])) / 4000])
    H = table.foreshortening
    assert np.allclose(-0.5 * q @ H[1, 0] @ q, u2[-1], rtol=1e-6)
    assert not np.any(H[0])
    dm = STEEL.rho * SECTION.A * 0.3
    g = table.geometric
    assert np.allclose(0.5 * q @ g.acceleration[0] @ q, dm * np.trapezoid(u2, x), rtol=1e-6)
    assert np.allclose(-0.5 * q @ g.omega_products[1] @ q, dm * np.trapezoid(0.3 * x * u2, x), rtol=1e-6)
    assert np.array_equal(g.omega_products[1], g.omega_products[2])


def test_frequencies_are_those_of_a_cantilever():
    """(βL)² = 3.51602 and 22.0345; a polynomial of degree six is right to a part in a million."""
    table = beam(v=5, w=0).table()
    omega = np.sqrt(eigh(table.K, table.M, eigvals_only=True))
    unit = np.sqrt(STEEL.E * SECTION.Iz / (STEEL.rho * SECTION.A)) / 0.3**2
    assert omega[0] / unit == pytest.approx(3.5160153, rel=1e-6)
    assert omega[1] / unit == pytest.approx(22.034492, rel=1e-3)


@pytest.mark.slow
def test_both_families_span_the_same_space():
    one, two = (beam(v=3, w=3, functions=f).table() for f in ("taylor", "chebyshev"))
    assert np.allclose(
        eigh(one.K, one.M, eigvals_only=True), eigh(two.K, two.M, eigvals_only=True), rtol=1e-8
    )
    assert np.linalg.cond(two.M) < np.linalg.cond(one.M)


def test_formulas_are_formulas():
    f = beam_formulas(1, 0, 0, "taylor")
    assert f.K[0, 0] == 4 * E * I_Z / L**3


def test_what_cannot_be_is_refused():
    with pytest.raises(ModelError, match="legendre"):
        beam(functions="legendre")
    with pytest.raises(ModelError, match="shape"):
        beam(v=0, w=0)
    with pytest.raises(ModelError, match="length"):
        fx.PolynomialBeam(0.0, STEEL, SECTION)
