r"""Constant membrane strain, curvature and twist on distorted shell meshes, in any plane, to round-off.

The patch is that of MacNeal and Harder (1985): 0.24 × 0.12 × 0.001, E = 1e6, ν = 0.25, four inner nodes.

    3 ---------------- 2
    | \   7 ---- 6   / |
    |    /        \    |
    |  4 --------- 5   |
    0 ---------------- 1
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexnet.fem.material import Material
from flexnet.fem.shell import (
    CORNERS,
    Orthotropic,
    ShellSection,
    edge_load,
    side_normals,
    stiffness,
)
from tests.fem.shell.structure import Shell, recovered

NODES = np.array(
    [[0, 0], [0.24, 0], [0.24, 0.12], [0, 0.12], [0.04, 0.02], [0.18, 0.03], [0.16, 0.08], [0.08, 0.08]]
)
CELLS = np.array(
    [
        [0, 1, 5],
        [0, 5, 4],
        [1, 2, 6],
        [1, 6, 5],
        [2, 3, 7],
        [2, 7, 6],
        [3, 0, 4],
        [3, 4, 7],
        [4, 5, 6],
        [4, 6, 7],
    ]
)
OUTER = np.arange(8) < 4
SHEET = ShellSection.uniform(1e-3, Material(E=1e6, nu=0.25, rho=1.0))
PLY = Orthotropic(E1=40e6, E2=1e6, nu12=0.25, G12=0.5e6, rho=1.0)
SECTIONS = {
    "sheet": SHEET,
    "offset sheet": ShellSection.uniform(1e-3, Material(E=1e6, nu=0.25, rho=1.0), offset=4e-4),
    "laminate": ShellSection.laminate(PLY, 3e-4, [0.0, 0.3, 1.2]),
}
ATTITUDES = [np.zeros(3), np.array([0.3, 0.5, -1.9]), np.array([0.0, 1.5707963267948966, 0.0])]


def placed(section: ShellSection, attitude: np.ndarray, scale: float = 1.0) -> tuple[Shell, np.ndarray]:
    """Return the patch, turned in space, and the rotation that turned it."""
    R = Rotation.from_rotvec(attitude).as_matrix()
    turned = ShellSection(section.plies, tuple(R[:, 0]), section.offset)
    nodes = np.column_stack([NODES, np.zeros(8)]) @ R.T + np.array([3.0, -1.0, 2.0])
    return Shell(nodes, CELLS, turned, scale), R


def exact(e: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return the nodal displacements of constant generalised strain e = (ε, κ) in body axes."""
    x, y = NODES.T
    ex, ey, gxy, kx, ky, kxy = e
    q = np.zeros((8, 2, 3))
    q[:, 0] = np.column_stack(
        [ex * x + gxy * y / 2, ey * y + gxy * x / 2, -(kx * x**2 + ky * y**2 + kxy * x * y) / 2]
    )
    # θx = ∂w/∂y, θy = -∂w/∂x
    q[:, 1, 0], q[:, 1, 1] = -(ky * y + kxy * x / 2), kx * x + kxy * y / 2
    return (q @ R.T).ravel()


STATES = {
    "stretch x": [1, 0, 0, 0, 0, 0],
    "stretch y": [0, 1, 0, 0, 0, 0],
    "shear": [0, 0, 1, 0, 0, 0],
    "bending x": [0, 0, 0, 1, 0, 0],
    "bending y": [0, 0, 0, 0, 1, 0],
    "twist": [0, 0, 0, 0, 0, 1],
    "all at once": [1, -2, 0.5, 3, -1, 2],
}


@pytest.mark.parametrize("attitude", ATTITUDES, ids=["flat", "tilted", "upright"])
@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("scale", [1.0, 3.0], ids=["DKT", "scaled"])
def test_a_constant_strain_is_reproduced_exactly(scale, state, section, attitude):
    shell, R = placed(section, attitude, scale)
    e = 1e-3 * np.array(STATES[state], dtype=float)
    q_exact = exact(e, R)
    # no nodal force is left inside: the theorem, to round-off
    K = shell.K()
    assert np.all(np.abs(K @ q_exact)[shell.at(~OUTER)] < 1e-14 * abs(K).max() * np.abs(q_exact).max())
    # so the inner nodes find their place: the same, times the condition of a thin shell, (l/h)²
    held = shell.at(OUTER)
    q = shell.solve(np.zeros(shell.n), held, q_exact[held])
    assert np.allclose(q, q_exact, rtol=0, atol=1e-7 * np.abs(q_exact).max())
    # and forces and moments are those of the section
    N_M = recovered(shell.X, shell.section, q_exact[shell.freedoms], CORNERS).resultants()
    lever = np.array([1, 1, 1, 1e-3, 1e-3, 1e-3])
    scale = section.A.max() * np.abs(lever * e).max() * lever
    assert np.all(np.abs(N_M - section.ABD @ e) < 1e-9 * scale)


def test_edge_loads_alone_give_the_constant_stress():
    """The same patch, pulled and sheared by forces on its edges and held only against rigid motion."""
    shell, R = placed(SHEET, ATTITUDES[1])
    e = 1e-3 * np.array([1.0, -0.4, 0.6, 0, 0, 0])
    N = (SHEET.ABD @ e)[:3]
    tensor = np.array([[N[0], N[2]], [N[2], N[1]]])
    load = np.zeros(shell.n)
    for cell in np.flatnonzero((CELLS < 4).sum(axis=1) == 2):
        d = NODES[CELLS[cell, 1]] - NODES[CELLS[cell, 0]]
        outward = np.array([d[1], -d[0]]) / np.hypot(*d)
        t = R @ np.append(tensor @ outward, 0.0)
        load[shell.freedoms[cell]] += edge_load(shell.X[cell : cell + 1], np.array([0]), t)[0]
    q_exact = exact(e, R)
    held = shell.at(np.arange(8) == 0)
    q = shell.solve(load, held, q_exact[held])
    assert np.allclose(q, q_exact, rtol=0, atol=1e-7 * np.abs(q_exact).max())


def test_the_patch_stresses_are_those_of_macneal_and_harder():
    shell, R = placed(SHEET, ATTITUDES[0])
    membrane = exact(np.array([1e-3, 1e-3, 1e-3, 0, 0, 0]), R)
    bending = exact(np.array([0, 0, 0, -1e-3, -1e-3, -1e-3]), R)
    for where, sign in (("bottom", -1.0), ("middle", 0.0), ("top", 1.0)):
        sigma = recovered(shell.X, SHEET, membrane[shell.freedoms], CORNERS).stress(where)
        assert np.allclose(sigma, [4000 / 3, 4000 / 3, 400], rtol=1e-9)
        sigma = recovered(shell.X, SHEET, bending[shell.freedoms], CORNERS).stress(where)
        assert np.allclose(sigma, -sign * np.array([2 / 3, 2 / 3, 0.2]), rtol=1e-9, atol=1e-12)
        gamma = recovered(shell.X, SHEET, bending[shell.freedoms], CORNERS).face_strain(where)
        assert np.allclose(gamma, -sign * 5e-7 * np.ones(3), rtol=1e-9, atol=1e-18)
    moments = recovered(shell.X, SHEET, bending[shell.freedoms]).resultants()[:, 0, 3:]
    assert np.allclose(moments, -np.array([1e-6 / 9, 1e-6 / 9, 1e-7 / 3]), rtol=1e-9)


def test_side_normals_change_nothing_in_a_plane():
    shell, _ = placed(SHEET, ATTITUDES[1])
    K = stiffness(shell.X, SHEET)
    curved = stiffness(shell.X, SHEET, side_normals(shell.nodes, shell.cells))
    assert np.allclose(curved, K, rtol=0, atol=1e-12 * np.abs(K).max())
