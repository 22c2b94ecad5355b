"""In-plane behaviour: the drilling freedom is real, bending in the plane does not lock."""

import numpy as np
import pytest

from flexnet.fem.material import Material
from flexnet.fem.shell import ShellSection, side_normals, stiffness
from tests.fem.shell.benchmarks import sheet
from tests.fem.shell.structure import Shell, recovered, rectangle

OUT_OF_PLANE = (2, 3, 4)


def panel(
    nx: int = 4, ny: int = 4, a: float = 1.0, b: float = 1.0, nu: float = 0.3, diagonal: str = "/"
) -> Shell:
    return Shell(*rectangle(a, b, nx, ny, diagonal), sheet(0.01, 1e9, nu, 1000.0))


def test_a_panel_held_in_its_plane_by_one_drilling_freedom_does_not_spin():
    shell = panel()
    corner = np.arange(len(shell.nodes)) == 0
    every = np.ones(len(shell.nodes), dtype=bool)
    held = np.union1d(shell.at(every, *OUT_OF_PLANE), shell.at(corner, 0, 1, 5))
    free = shell.free(held)
    assert np.linalg.eigvalsh(shell.K()[free][:, free].toarray()).min() > 1.0
    # without that freedom it does spin, and that spin costs nothing
    loose = shell.free(np.union1d(shell.at(every, *OUT_OF_PLANE), shell.at(corner, 0, 1)))
    lowest = np.linalg.eigvalsh(shell.K()[loose][:, loose].toarray())
    assert abs(lowest[0]) < 1e-9 * lowest[-1]
    assert lowest[1] > 1.0


def test_a_couple_on_one_drilling_freedom_is_carried_to_the_supports():
    """A moment about the normal at the free corner: the reaction couple at the clamped corner balances it."""
    shell = panel()
    held = np.union1d(shell.at(np.arange(25) == 0), shell.at(np.arange(25) >= 0, *OUT_OF_PLANE))
    load = np.zeros(shell.n)
    load[6 * 24 + 5] = 1.0
    q = shell.solve(load, held)
    reaction = shell.K() @ q - load
    assert reaction[5] == pytest.approx(-1.0, rel=1e-9)
    assert q[6 * 24 + 5] > 0.0


def test_the_element_mass_gives_inertia_to_the_drilling_freedoms():
    shell = panel(2, 2)
    q = np.zeros(shell.n)
    q[5::6] = 1.0
    assert q @ shell.M() @ q > 1e-4 * (shell.M().diagonal()[5::6]).sum()


@pytest.mark.parametrize("diagonal", ["/", "\\"])
@pytest.mark.parametrize("aspect", [1.0, 4.0, 16.0])
@pytest.mark.parametrize("nu", [0.0, 0.3])
def test_a_rectangle_of_two_triangles_has_the_exact_energy_of_in_plane_bending(aspect, nu, diagonal):
    shell = panel(1, 1, aspect, 1.0, nu, diagonal)
    x, y = shell.nodes[:, 0] - 0.5 * aspect, shell.nodes[:, 1] - 0.5
    q = np.zeros((4, 6))
    q[:, 0], q[:, 1], q[:, 5] = -x * y, 0.5 * (x**2 + nu * y**2), x
    energy = 0.5 * q.ravel() @ shell.K() @ q.ravel()
    assert energy == pytest.approx(0.5 * 1e9 * 0.01 / 12 * aspect, rel=1e-10)


@pytest.mark.parametrize("cells", [4, 8, 32])
def test_a_slender_strip_does_not_lock_in_its_plane(cells):
    """Length 32, depth 1, one cell across, of aspect 8, 4 and 1."""
    shell = panel(cells, 1, 32.0, 1.0, 0.25)
    tip = shell.at(shell.nodes[:, 0] == 32.0, 1)
    load = np.zeros(shell.n)
    load[tip] = 0.5
    q = shell.solve(
        load, np.union1d(shell.at(shell.nodes[:, 0] == 0), shell.at(shell.nodes[:, 0] >= 0, *OUT_OF_PLANE))
    )
    exact = 32.0**3 / (3 * 1e9 * 0.01 / 12) + 1.2 * 32.0 / (1e9 / 2.5 * 0.01)
    assert q[tip].mean() == pytest.approx(exact, rel=0.06)


def test_stresses_of_an_in_plane_bent_strip_converge_to_the_linear_law():
    """With σx = -E κ y at the centroids of the facets; one cell across gives ±Eκ/4 instead of ±Eκ/6."""
    error = []
    for ny in (1, 4, 16):
        shell = panel(2 * ny, ny, 2.0, 1.0, 0.0)
        x, y = shell.nodes[:, 0] - 1.0, shell.nodes[:, 1] - 0.5
        q = np.zeros((len(x), 6))
        q[:, 0], q[:, 1], q[:, 5] = -1e-3 * x * y, 0.5e-3 * x**2, 1e-3 * x
        sigma = recovered(shell.X, shell.section, q.ravel()[shell.freedoms]).stress("middle")[:, 0, 0]
        error.append(np.abs(sigma + 1e6 * (shell.X[:, :, 1].mean(axis=1) - 0.5)).max() / 0.5e6)
    assert error[0] == pytest.approx(1 / 6, rel=1e-6)
    assert error[1] < 0.3 * error[0]
    assert error[2] < 0.3 * error[1]


def test_an_in_plane_mode_of_a_cantilever_is_that_of_timoshenko():
    """Length 10, depth 1, ν = 0: first in-plane bending mode by the Timoshenko beam, k = 5/6."""
    shell = panel(20, 2, 10.0, 1.0, 0.0)
    held = np.union1d(shell.at(shell.nodes[:, 0] == 0), shell.at(shell.nodes[:, 0] >= 0, *OUT_OF_PLANE))
    omega = shell.frequencies(held, 1)[0]
    euler = 3.516015 / 100.0 * np.sqrt(1e9 / 12 / 1000.0)
    assert 0.975 * euler < omega < euler


# --- facets of a curved surface ---------------------------------------------------------------------


def bent_sheet(angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Two triangles that share the side from node 0 to node 1 and meet at ``angle``."""
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0.4, 1, 0], [0.6, -np.cos(angle), np.sin(angle)]], dtype=float)
    return nodes, np.array([[0, 1, 2], [1, 0, 3]])


def test_a_shared_side_has_the_mean_normal_and_a_free_side_that_of_its_facet():
    nodes, cells = bent_sheet(0.3)
    normals = side_normals(nodes, cells)
    mean = np.array([0.0, np.sin(0.15), np.cos(0.15)])
    assert np.allclose(normals[0, 0], mean)
    assert np.allclose(normals[1, 0], mean)
    assert np.allclose(normals[0, 1:], [0, 0, 1])
    assert np.allclose(normals[1, 1:], [0, np.sin(0.3), np.cos(0.3)])


@pytest.mark.parametrize(
    "change", ["sharper than the fold angle", "facets of opposite sense", "a third facet"]
)
def test_a_side_that_is_not_smooth_keeps_the_normals_of_its_facets(change):
    nodes, cells = bent_sheet(1.2 if change.startswith("sharper") else 0.3)
    if change.startswith("facets"):
        cells[1] = cells[1, ::-1]
    if change.startswith("a third"):
        nodes, cells = np.vstack([nodes, [0.5, 0.1, 1.0]]), np.vstack([cells, [0, 1, 4]])
    n = np.cross(nodes[cells[:, 1]] - nodes[cells[:, 0]], nodes[cells[:, 2]] - nodes[cells[:, 0]])
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    assert np.allclose(side_normals(nodes, cells), n[:, None])


def test_a_curved_shell_has_exactly_six_rigid_motions():
    flat, cells = rectangle(1.2, 1.0, 4, 4)
    nodes = np.column_stack([np.sin(flat[:, 0]), flat[:, 1], np.cos(flat[:, 0]) - 0.1 * flat[:, 1] ** 2])
    shell = Shell(nodes, cells, ShellSection.uniform(0.05, Material(E=1e6, nu=0.3, rho=1.0)))
    K = shell.K().toarray()
    eigenvalues = np.linalg.eigvalsh(K)
    assert np.abs(eigenvalues[:6]).max() < 1e-11 * eigenvalues[-1]
    assert eigenvalues[6] > 1e-8 * eigenvalues[-1]
    rigid = np.zeros((len(nodes), 6, 6))
    for a in range(3):
        rigid[:, a, a] = rigid[:, 3 + a, 3 + a] = 1.0
        rigid[:, :3, 3 + a] = np.cross(np.eye(3)[a], nodes)
    assert np.abs(K @ rigid.reshape(-1, 6)).max() < 1e-12 * K.max() * np.abs(rigid).max()


def test_each_facet_of_a_curved_shell_keeps_its_rank():
    nodes, cells = bent_sheet(0.4)
    K = stiffness(
        nodes[cells], ShellSection.uniform(0.1, Material(E=1.0, nu=0.3, rho=1.0)), side_normals(nodes, cells)
    )
    eigenvalues = np.linalg.eigvalsh(K)
    assert np.abs(eigenvalues[:, :6]).max() < 1e-14
    assert eigenvalues[:, 6].min() > 1e-7
