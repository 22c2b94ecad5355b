"""The Princeton beam: a slender strip clamped at one end, its weight at the other, turned about its axis.

Dowell and Traybar (1975) measured it; Bauchau and others (2016) made a benchmark of it: aluminium,
0.508 m × 12.377 mm × 3.2024 mm, E = 71.7 GPa, ν = 0.31, loads of 4.448, 8.896 and 13.345 N. Their figures are
curves. Numbers are those of beams of ANSYS (10 to 199 elements) of Obrezkov, Mikkola, Matikainen and others,
Performance review of locking alleviation methods for continuum ANCF beam elements, Nonlinear Dynamics 109
(2022), as Exudyn's TestModels/ANCFBeamTest.py prints them, with a side of 12.3777 mm.
"""

import dataclasses

import numpy as np
import pytest

import flexnet as fx
from tests.flexible import cosserat

pytestmark = pytest.mark.filterwarnings("ignore:.*as they grow")

LENGTH, HEIGHT, WIDTH = 0.508, 3.2024e-3, 12.3777e-3
ALUMINIUM = fx.Material(E=71.7e9, nu=0.31, rho=2810.0)
ROD = fx.RodSection.of(ALUMINIUM, fx.rectangle(HEIGHT, WIDTH))
DEGREES = (0, 15, 30, 45, 60, 75, 90)

#: load [N] → displacements of the end along the wide and along the thin side of the strip [m], by angle
ANSYS = {
    8.896: (
        (1.071417630e-2, 1.061328706e-2, 1.011169630e-2, 8.837226265e-3, 6.604665004e-3, 3.538889001e-3, 0),
        (0, 4.208232124e-2, 7.939482948e-2, 0.108987937, 0.129887616, 0.142194370, 0.146245978),
    ),
    13.345: (
        (1.606423724e-2, 1.645825752e-2, 1.665873206e-2, 1.518618440e-2, 1.157837500e-2, 6.248967384e-3, 0),
        (0, 6.435812858e-2, 0.117735994, 0.156467239, 0.181861627, 0.196097131, 0.200677707),
    ),
}


def torsion_constant(b, h, n):
    """Saint-Venant's J of a rectangle by n × n biquadratic cells for the warping, from above."""
    x, y = np.linspace(-b / 2, b / 2, 2 * n + 1), np.linspace(-h / 2, h / 2, 2 * n + 1)
    at, weights = np.polynomial.legendre.leggauss(3)
    values = np.array([at * (at - 1) / 2, 1 - at**2, at * (at + 1) / 2])
    slopes = np.array([at - 0.5, -2 * at, at + 0.5])
    size = (2 * n + 1) ** 2
    K, f, polar = np.zeros((size, size)), np.zeros(size), b * h * (b * b + h * h) / 12
    for i, j in np.ndindex(n, n):
        cell = ((2 * j + np.arange(3))[:, None] * (2 * n + 1) + 2 * i + np.arange(3)).reshape(-1)
        for p, q in np.ndindex(3, 3):
            N_x = np.outer(values[:, q], slopes[:, p] * 2 * n / b).reshape(-1)
            N_y = np.outer(slopes[:, q] * 2 * n / h, values[:, p]).reshape(-1)
            weight = weights[p] * weights[q] * b * h / (4 * n * n)
            px, py = x[2 * i + 1] + at[p] * b / (2 * n), y[2 * j + 1] + at[q] * h / (2 * n)
            K[np.ix_(cell, cell)] += weight * (np.outer(N_x, N_x) + np.outer(N_y, N_y))
            f[cell] += weight * (N_x * py - N_y * px)
    return polar - f @ np.linalg.lstsq(K, f, rcond=None)[0]


def end(rod, load, degrees, elements=16):
    """Position and orientation of the end under a load at an angle from the wide side."""
    angle = np.deg2rad(degrees)
    force = load * np.array([0.0, np.sin(angle), np.cos(angle)])
    s = fx.System("princeton")
    beam = s.exact_beam("beam", LENGTH, elements, None, rod)
    s.weld("clamp", s.ground, beam["start"])
    s.force("F", beam["end"], force)
    found = fx.equilibrium(s)
    poses = found.equations.poses(found.state)
    return force, poses.p[-1], poses.R[-1]


def off(rod, load, degrees, elements=16):
    """Difference from the printed displacements over the larger of them, along both sides."""
    _, r, _ = end(rod, load, degrees, elements)
    wanted = np.array([side[DEGREES.index(degrees)] for side in ANSYS[load]])
    return np.abs(r[[2, 1]] - wanted) / wanted.max()


def test_the_torsion_constant_of_a_rectangle_is_that_of_its_series():
    assert ROD.stiffness[3, 3] / ALUMINIUM.G == pytest.approx(torsion_constant(WIDTH, HEIGHT, 12), rel=2e-4)


def test_the_beam_is_where_ansys_has_it():
    assert off(ROD, 13.345, 45, 6).max() < 1.2e-3


@pytest.mark.slow
@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("load", ANSYS)
def test_the_beam_is_where_ansys_has_it_at_every_angle_and_load(load, degrees):
    """Within 0.2 %; with a torsion constant found by 2 × 2 biquadratic cells, 3.3 % too large, within 1.3e-4.

    That ANSYS had these cells is inferred: the constant that fits best is 3.42 % above that of the series.
    """
    assert off(ROD, load, degrees).max() < 2.2e-3
    cells = ROD.stiffness.copy()
    cells[3, 3] *= torsion_constant(WIDTH, HEIGHT, 2) / torsion_constant(WIDTH, HEIGHT, 12)
    assert off(dataclasses.replace(ROD, stiffness=cells), load, degrees).max() < 1.3e-4


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [15, 45, 75])
def test_the_beam_bends_and_twists_as_the_rod_does(degrees):
    """Beside Cosserat's rod, integrated as differential equations."""
    force, r, R = end(ROD, 13.345, degrees)
    exact, turned = cosserat.tip(LENGTH, np.diag(ROD.stiffness), force)
    assert np.abs(r - exact).max() < 1e-3 * np.abs(exact[1:]).max()
    assert np.abs(R - turned).max() < 1e-3
