"""Plates: frequencies, deflections, buckling, rotation, laminates."""

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from flexnet.fem.material import Material
from flexnet.fem.shell import Orthotropic, ShellSection, geometric_stiffness, mass_points, pressure_load
from tests.fem.shell.benchmarks import razzaque_skew_plate, sheet
from tests.fem.shell.structure import Shell, rectangle

IN_PLANE = (0, 1, 5)


def square_plate(n: int, diagonal: str, section: ShellSection) -> tuple[Shell, np.ndarray, np.ndarray]:
    """Return the unit square of DKT, its in-plane freedoms and the mask of its edge nodes."""
    shell = Shell(*rectangle(1.0, 1.0, n, n, diagonal), section, 1.0)
    x, y = shell.nodes[:, 0], shell.nodes[:, 1]
    edge = (x == 0) | (x == 1) | (y == 0) | (y == 1)
    return shell, shell.at(x >= 0, *IN_PLANE), edge


def simple_support(shell: Shell) -> np.ndarray:
    """Return the freedoms of hard simple supports: deflection and rotation about the normal to the edge."""
    x, y = shell.nodes[:, 0], shell.nodes[:, 1]
    edge_x, edge_y = (x == 0) | (x == x.max()), (y == 0) | (y == y.max())
    return np.unique(np.concatenate([shell.at(edge_x, 2, 3), shell.at(edge_y, 2, 4)]))


def unit_plate(nu: float = 0.3, h: float = 1e-3) -> ShellSection:
    """Return a section with D = 1 and ρh = 1."""
    return sheet(h, 12.0 * (1.0 - nu**2) / h**3, nu, 1.0 / h)


CANTILEVER = {
    4: [3.46725, 8.57806, 21.4540, 27.0872, 31.1101],
    8: [3.47130, 8.53113, 21.3513, 27.1794, 31.0690],
    16: [3.47141, 8.51346, 21.3038, 27.1959, 30.9929],
    32: [3.47119, 8.50825, 21.2895, 27.1982, 30.9653],
}


@pytest.mark.parametrize("n", CANTILEVER)
def test_the_cantilever_plate_follows_the_dkt_convergence_table(n):
    shell, in_plane, _ = square_plate(n, "/", unit_plate())
    held = np.union1d(in_plane, shell.at(shell.nodes[:, 0] == 0))
    assert np.allclose(shell.frequencies(held, 5), CANTILEVER[n], rtol=3e-6)


def test_the_cantilever_plate_converges_to_the_converged_frequencies_and_not_to_the_old_upper_bounds():
    converged = np.array([3.47107, 8.50671, 21.2850, 27.1989, 30.9563])
    error = {n: np.abs(np.array(CANTILEVER[n]) / converged - 1) for n in CANTILEVER}
    assert error[32].max() < 5e-4
    assert (error[8][1:3] / error[32][1:3] > 8.0).all()


@pytest.mark.parametrize(
    ("a_over_b", "expected"),
    [
        (2.0, [3.43954, 14.8035, 21.4357]),
        (0.5, [3.49292, 5.35141, 10.1818]),
        (3.0, [3.41958, 21.1394, 21.3655]),
    ],
)
def test_cantilever_plates_of_other_aspects(a_over_b, expected):
    ny = 12
    shell = Shell(*rectangle(1.0, 1.0 / a_over_b, max(12, round(ny * a_over_b)), ny), unit_plate())
    x = shell.nodes[:, 0]
    held = np.union1d(shell.at(x >= 0, *IN_PLANE), shell.at(x == 0))
    assert np.allclose(shell.frequencies(held, 3), expected, rtol=5e-3)


def test_frequencies_of_square_plates_on_other_supports():
    shell, in_plane, edge = square_plate(16, "x", unit_plate())
    simple = shell.frequencies(np.union1d(in_plane, simple_support(shell)), 4)
    assert np.allclose(simple, [19.7392, 49.3480, 49.3480, 78.9568], rtol=7e-3)
    clamped = shell.frequencies(np.union1d(in_plane, shell.at(edge)), 4)
    assert np.allclose(clamped, [35.98519, 73.3938, 73.3938, 108.2165], rtol=1.2e-2)


def test_the_free_plate_fv12_with_all_six_rigid_motions():
    shell = Shell(*rectangle(10.0, 10.0, 16, 16, "x"), sheet(0.05, 200e9, 0.3, 8000.0), 1.0)
    f = shell.frequencies(np.array([], dtype=int), 14, shift=-10.0) / (2 * np.pi)
    assert f[:6].max() < 1e-3
    converged = [1.62166, 2.35950, 2.92228, 4.19024, 4.19024, 7.35600, 7.35600, 7.66821]
    assert np.allclose(f[6:], converged, rtol=1e-3)


LUMPED = {  # SSSS uniform, CCCC uniform, symmetric mesh, loads lumped at the nodes
    8: (0.0040648, 0.0013474),
    16: (0.0040637, 0.0012865),
    32: (0.0040628, 0.0012707),
}


@pytest.mark.parametrize("n", LUMPED)
def test_square_plates_under_lumped_uniform_load_follow_the_table(n):
    shell, in_plane, edge = square_plate(n, "x", unit_plate())
    load = np.zeros(shell.n)
    load[2::6] = np.bincount(shell.cells.ravel(), np.repeat(shell.section.facets(shell.X).area / 3, 3))
    centre = 6 * int(np.argmin(np.hypot(*(shell.nodes[:, :2] - 0.5).T))) + 2
    simple = shell.solve(load, np.union1d(in_plane, simple_support(shell)))[centre]
    clamped = shell.solve(load, np.union1d(in_plane, shell.at(edge)))[centre]
    assert (simple, clamped) == pytest.approx(LUMPED[n], rel=4e-5)


def test_the_consistent_pressure_load_converges_to_the_series_solutions():
    error = []
    for n in (8, 16):
        shell, in_plane, edge = square_plate(n, "x", unit_plate())
        load = shell.gather(pressure_load(shell.X, 1.0))
        centre = 6 * int(np.argmin(np.hypot(*(shell.nodes[:, :2] - 0.5).T))) + 2
        simple = shell.solve(load, np.union1d(in_plane, simple_support(shell)))[centre]
        clamped = shell.solve(load, np.union1d(in_plane, shell.at(edge)))[centre]
        error.append([simple / 0.00406235 - 1, clamped / 0.00126532 - 1])
    assert np.abs(error[1]).max() < 0.015
    assert (np.array(error[0]) / np.array(error[1]) > 3.5).all()


@pytest.mark.parametrize(
    ("n", "expected"), [(4, 0.0075272), (8, 0.0078219), (16, 0.0079031), (32, 0.0079251)]
)
def test_the_razzaque_skew_plate_follows_the_table(n, expected):
    assert razzaque_skew_plate(n, 1.0) == pytest.approx(expected, abs=6e-8)


# --- geometric stiffness ----------------------------------------------------------------------------


def critical_load(n: int, N: list[float], diagonal: str = "x") -> float:
    """Return the factor on membrane forces N at which the simply supported unit square (D = 1) buckles."""
    shell, in_plane, _ = square_plate(n, diagonal, unit_plate())
    K_G = shell.assemble(geometric_stiffness(shell.X, shell.section, np.tile(N, (len(shell.cells), 1))))
    free = shell.free(np.union1d(in_plane, simple_support(shell)))
    K = shell.K()[free][:, free]
    return float(1.0 / eigsh(-K_G[free][:, free], 1, K, which="LA", return_eigenvectors=False)[0])


def test_a_supported_plate_buckles_at_four_pi_squared_D_over_b_squared():
    error = [critical_load(n, [-1.0, 0.0, 0.0]) / (4 * np.pi**2) - 1 for n in (8, 16, 32)]
    assert abs(error[2]) < 1e-3
    assert error[0] / error[1] > 3.5
    assert error[1] / error[2] > 3.5


def test_a_supported_plate_buckles_in_two_directions_and_in_shear():
    assert critical_load(16, [-1.0, -1.0, 0.0]) == pytest.approx(2 * np.pi**2, rel=5e-3)
    assert critical_load(32, [0.0, 0.0, 1.0]) == pytest.approx(9.325 * np.pi**2, rel=5e-3)


def test_membrane_forces_for_buckling_come_from_the_static_solution():
    """Squeezed along x by edge displacement, free to widen: Nx = -E h u/a, so u = 4π²D/(E h) buckles it."""
    nu, h = 0.3, 1e-2
    shell, _, edge = square_plate(12, "x", unit_plate(nu, h))
    x, y = shell.nodes[:, 0], shell.nodes[:, 1]
    E = shell.section.plies[0].material.E
    held = np.unique(
        np.concatenate([shell.at(x == 0, 0), shell.at(x == 1, 0), shell.at((x == 0) & (y == 0), 1)])
    )
    held = np.union1d(held, shell.at(edge >= 0, 2, 3, 4))
    value = np.where((held % 6 == 0) & (x[held // 6] == 1), -4 * np.pi**2 / (E * h), 0.0)
    K_G = shell.K_G(shell.solve(np.zeros(shell.n), held, value))
    free = shell.free(np.union1d(shell.at(x >= 0, *IN_PLANE), simple_support(shell)))
    factor = (
        1.0
        / eigsh(-K_G[free][:, free], 1, shell.K()[free][:, free], which="LA", return_eigenvectors=False)[0]
    )
    assert factor == pytest.approx(1.0, rel=1e-2)


def rotating_plate(axis: list[float], rpm: float, nx: int = 12, ny: int = 4) -> float:
    """NASA TM-89861 plate .1524 × .0508 × .00254 m, steel, 0.1 m from the axis; first frequency [Hz]."""
    nodes, cells = rectangle(0.1524, 0.0508, nx, ny, "x")
    shell = Shell(nodes + np.array([0.1, -0.0254, 0.0]), cells, sheet(0.00254, 2e11, 0.3, 7850.0), 1.0)
    held = shell.at(nodes[:, 0] == 0)
    omega = np.array(axis) * rpm * 2 * np.pi / 60
    W = omega @ omega * np.eye(3) - np.outer(omega, omega)  # centrifugal acceleration W s
    points = mass_points(shell.X, shell.section)
    force = np.einsum("ep,epaf,ab,epb->ef", points.w, points.N, W, points.s, optimize=True)
    softening = np.einsum("ep,epaf,ab,epbg->efg", points.w, points.N, W, points.N, optimize=True)
    K_G = shell.K_G(shell.solve(shell.gather(force), held))
    return float(shell.frequencies(held, 1, extra=K_G - shell.assemble(softening))[0] / (2 * np.pi))


@pytest.mark.parametrize(
    ("axis", "rpm", "expected"),
    [
        ([0, 0, 1], 0, 90.93),
        ([0, 1, 0], 3200, 108.39),
        ([0, 1, 0], 9600, 195.42),
        ([0, 0, 1], 3200, 120.80),
        ([0, 0, 1], 9600, 252.56),
    ],
)
def test_a_rotating_plate_stiffens_as_it_should(axis, rpm, expected):
    assert rotating_plate(axis, rpm) == pytest.approx(expected, rel=1.5e-3)


# --- laminates --------------------------------------------------------------------------------------

CARBON = Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)


def test_a_symmetric_cross_ply_plate_matches_navier():
    a, b = 1.0, 0.8
    section = ShellSection.laminate(CARBON, 0.5e-3, [0.0, np.pi / 2, np.pi / 2, 0.0])
    D11, D22, D12, D66 = (section.ABD[i, j] for i, j in ((3, 3), (4, 4), (3, 4), (5, 5)))
    odd = np.arange(1, 60, 2)
    m, n = np.meshgrid(odd, odd)

    def rigidity(m, n):
        return np.pi**4 * (
            D11 * (m / a) ** 4 + 2 * (D12 + 2 * D66) * (m * n / (a * b)) ** 2 + D22 * (n / b) ** 4
        )

    sign = (-1.0) ** ((m - 1) // 2 + (n - 1) // 2)
    w_navier = np.sum(16.0 / (np.pi**2 * m * n * rigidity(m, n)) * sign)
    shell = Shell(*rectangle(a, b, 24, 20, "x"), section)
    held = np.union1d(shell.at(shell.nodes[:, 0] >= 0, *IN_PLANE), simple_support(shell))
    centre = 6 * int(np.argmin(np.hypot(shell.nodes[:, 0] - a / 2, shell.nodes[:, 1] - b / 2))) + 2
    w = shell.solve(shell.gather(pressure_load(shell.X, 1.0)), held)[centre]
    assert w == pytest.approx(w_navier, rel=6e-3)
    modes = np.sort(
        [np.sqrt(rigidity(m, n) / section.mass_per_area) for m in range(1, 5) for n in range(1, 5)]
    )
    assert np.allclose(shell.frequencies(held, 3), modes[:3], rtol=6e-3)


def test_an_antisymmetric_cross_ply_plate_couples_as_in_closed_form():
    """Of [0/90], on sliding supports (v = w = 0 on x = const): Jones (1999), section 5.3, through B11."""
    section = ShellSection.laminate(CARBON, 1e-3, [0.0, np.pi / 2])
    A, B, D = section.ABD[:3, :3], section.ABD[:3, 3:], section.ABD[3:, 3:]
    shell = Shell(*rectangle(1.0, 1.0, 20, 20, "x"), section)
    x, y = shell.nodes[:, 0], shell.nodes[:, 1]
    edge_x, edge_y = (x == 0) | (x == 1), (y == 0) | (y == 1)
    held = np.unique(np.concatenate([shell.at(edge_x, 1, 2, 3), shell.at(edge_y, 0, 2, 4)]))
    p = np.pi
    # u = U cos px sin py, v = V sin px cos py, w = W sin px sin py
    T11, T12 = (A[0, 0] + A[2, 2]) * p**2, (A[0, 1] + A[2, 2]) * p**2
    T13, T23 = -B[0, 0] * p**3, -B[1, 1] * p**3
    T33 = (D[0, 0] + 2 * (D[0, 1] + 2 * D[2, 2]) + D[1, 1]) * p**4
    T = np.array([[T11, T12, T13], [T12, T11, T23], [T13, T23, T33]])
    exact = np.sqrt((T33 - T[2, :2] @ np.linalg.solve(T[:2, :2], T[:2, 2])) / section.mass_per_area)
    assert shell.frequencies(held, 1)[0] == pytest.approx(exact, rel=6e-3)
    assert exact < 0.75 * np.sqrt(T33 / section.mass_per_area)


def test_an_offset_plate_bends_about_its_own_middle():
    """A plate whose nodes lie on its lower face, free to slide, has the frequency of the plate itself."""
    steel = Material(E=2e11, nu=0.3, rho=7800.0)
    f = []
    for offset in (0.0, 0.01):
        shell = Shell(*rectangle(1.0, 0.3, 24, 8), ShellSection.uniform(0.02, steel, offset=offset))
        f.append(shell.frequencies(np.array([], dtype=int), 9, shift=-1e3)[6:])
    assert np.allclose(f[0], f[1], rtol=3e-3)
