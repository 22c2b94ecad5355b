"""Sections: what layers integrate to, and what is refused."""

import numpy as np
import pytest

from flexnet.errors import ModelError
from flexnet.fem.material import Material
from flexnet.fem.shell import Orthotropic, Ply, ShellSection, mass_points, stiffness
from flexnet.fem.shell.opt import beta_0
from tests.fem.shell.structure import recovered

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700.0)
CARBON = Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
X = np.array([[[0.0, 0.0, 0.0], [0.5, 0.1, 0.2], [0.1, 0.6, -0.1]]])


def test_a_uniform_sheet_has_the_textbook_stiffness():
    section, h = ShellSection.uniform(2e-3, ALUMINIUM), 2e-3
    Q = 70e9 / (1 - 0.09) * np.array([[1, 0.3, 0], [0.3, 1, 0], [0, 0, 0.35]])
    expected = np.block([[h * Q, np.zeros((3, 3))], [np.zeros((3, 3)), h**3 / 12 * Q]])
    assert np.allclose(section.ABD, expected, rtol=1e-13, atol=1e-9)
    assert np.allclose(section.mass_heights()[0], [-h / np.sqrt(12), h / np.sqrt(12)])


def test_a_laminate_of_isotropic_plies_is_the_isotropic_plate():
    sheet = ShellSection.uniform(6e-3, ALUMINIUM)
    laminate = ShellSection(tuple(Ply(ALUMINIUM, t, a) for t, a in ((1e-3, 0.3), (3e-3, -1.0), (2e-3, 2.0))))
    disguised = Orthotropic(E1=70e9, E2=70e9, nu12=0.3, G12=70e9 / 2.6, rho=2700.0)
    directed = ShellSection.laminate(disguised, 2e-3, [0.1, 0.9, 1.7])
    K = stiffness(X, sheet)
    for section in (laminate, directed):
        assert np.allclose(section.ABD, sheet.ABD, rtol=1e-12, atol=1e-12 * sheet.ABD.max())
        assert np.allclose(stiffness(X, section), K, rtol=0, atol=1e-11 * K.max())
        assert np.allclose(mass_points(X, section).s, mass_points(X, sheet).s, atol=1e-15)


def test_an_offset_moves_the_section_by_the_parallel_axis_rule():
    section, d = ShellSection.uniform(2e-3, ALUMINIUM), 5e-3
    A, D = section.ABD[:3, :3], section.ABD[3:, 3:]
    moved = ShellSection.uniform(2e-3, ALUMINIUM, offset=d).ABD
    assert np.allclose(moved, np.block([[A, d * A], [d * A, D + d**2 * A]]), rtol=1e-12, atol=1e-9)


def test_a_symmetric_laminate_does_not_couple_and_an_unsymmetric_one_does():
    symmetric = ShellSection.laminate(CARBON, 1e-3, [0.0, np.pi / 2, np.pi / 2, 0.0])
    unsymmetric = ShellSection.laminate(CARBON, 1e-3, [0.0, 0.0, np.pi / 2, np.pi / 2])
    assert np.abs(symmetric.ABD[:3, 3:]).max() < 1e-9 * symmetric.A.max() * 4e-3
    # antisymmetric cross-ply: B11 = -B22 = (Q22 - Q11) h²/8 (Jones 1999, eq. 4.66, for two groups)
    Q11, Q22 = np.diag(Ply(CARBON, 1.0).stiffness())[:2]
    B = unsymmetric.ABD[:3, 3:]
    assert np.isclose(B[0, 0], (Q22 - Q11) * 16e-6 / 8)
    assert np.isclose(B[1, 1], -B[0, 0])


def test_a_ply_turned_by_a_right_angle_swaps_its_axes():
    along, across = Ply(CARBON, 1.0).stiffness(), Ply(CARBON, 1.0, np.pi / 2).stiffness()
    assert np.allclose(across, along[np.ix_([1, 0, 2], [1, 0, 2])], atol=1e-3)
    assert np.isclose(along[0, 0], 140e9 / (1 - 0.09 * 10 / 140))


@pytest.mark.parametrize("nu", [-0.2, 0.0, 0.3, 0.49])
def test_beta_0_of_an_isotropic_sheet_is_that_of_felippa(nu):
    A = ShellSection.uniform(1.0, Material(E=1.0, nu=nu, rho=1.0)).A
    assert np.isclose(beta_0(A), max(0.5 * (1 - 4 * nu**2), 0.01), rtol=1e-12)


def test_beta_0_of_a_laminate_does_not_depend_on_the_axes():
    values = [beta_0(ShellSection.laminate(CARBON, 1e-3, [a, a + 0.7]).A) for a in (0.0, 0.4, 1.3)]
    assert np.ptp(values) < 1e-12


def test_stress_in_a_ply_is_the_stress_of_the_face_in_fibre_axes():
    section = ShellSection.laminate(CARBON, 1e-3, [0.6])
    q = np.random.default_rng(0).normal(size=(1, 18))
    found = recovered(X, section, q)
    sigma, fibre = found.stress("middle")[0, 0], found.ply_stress(0)[0, 0]
    c, s = np.cos(0.6), np.sin(0.6)
    assert np.isclose(fibre[0], sigma[0] * c * c + sigma[1] * s * s + 2 * sigma[2] * c * s)
    assert np.isclose(fibre[:2].sum(), sigma[:2].sum())


def test_a_massless_sheet_has_massless_points():
    assert np.all(mass_points(X, ShellSection.uniform(1e-3, Material(E=1e9, nu=0.3, rho=0.0))).w == 0.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ShellSection(()), "at least one ply"),
        (lambda: ShellSection.uniform(0.0, ALUMINIUM), "thickness is 0.0"),
        (lambda: ShellSection.uniform(float("nan"), ALUMINIUM), "thickness is nan"),
        (lambda: Ply(ALUMINIUM, 1e-3, float("inf")), "angle is inf"),
        (lambda: ShellSection.uniform(1e-3, ALUMINIUM, axis=(0.0, 0.0, 0.0)), "axis is"),
        (lambda: ShellSection.uniform(1e-3, ALUMINIUM, offset=float("nan")), "offset is nan"),
        (lambda: Orthotropic(-1.0, 1.0, 0.3, 1.0, 1.0), "E1 is -1.0"),
        (lambda: Orthotropic(1.0, 10.0, 0.5, 1.0, 1.0), "nu12 is 0.5"),
        (lambda: Orthotropic(1.0, 1.0, 0.3, 1.0, -1.0), "rho is -1.0"),
        (
            lambda: recovered(X, ShellSection.uniform(1e-3, ALUMINIUM), np.zeros((1, 18))).stress("side"),
            "where is 'side'",
        ),
    ],
)
def test_a_section_that_cannot_be_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()
