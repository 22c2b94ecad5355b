"""The shell quadrilateral: patch tests, classical shells, mixed meshes, laminates, vibration."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.fem import Body, Loads, natural_modes, prestress, recover, solve_static, supported
from flexnet.fem.shell.quad_region import QuadRegion
from flexnet.mesh import Mesh, panel_mesh
from tests.fem.shell import benchmarks
from tests.fem.shell.benchmarks import morley_skew_plate
from tests.fem.shell.structure import QuadShell

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7850.0)
SHEET = fx.ShellSection.uniform(0.01, STEEL)


#: problem, cells a side, least and largest ratio to the reference; the triangle has 0.972, 0.973, 0.997 at 16
SHELLS = [
    ("hemisphere", 16, 0.98, 1.02), ("hemisphere", 32, 0.98, 1.02),
    ("pinched_cylinder", 16, 0.98, 1.02), ("pinched_cylinder", 32, 0.98, 1.02),
    ("scordelis_lo", 16, 0.98, 1.02), ("scordelis_lo", 32, 0.98, 1.02),
    ("pinched_free_cylinder", 16, 0.98, 1.02), ("razzaque_skew_plate", 8, 0.98, 1.01),
    ("cook_membrane", 8, 0.97, 1.01),
]  # fmt: skip
REFERENCE = {b.solve.__name__: b.reference for b in benchmarks.BENCHMARKS if hasattr(b.solve, "__name__")}


@pytest.mark.parametrize(("name", "n", "least", "most"), SHELLS, ids=lambda x: str(x))
def test_a_classical_shell_is_met(name, n, least, most, monkeypatch):
    monkeypatch.setattr(benchmarks, "Shell", QuadShell)
    assert least <= getattr(benchmarks, name)(n) / REFERENCE[name] <= most


@pytest.mark.parametrize(
    ("load", "reference", "tolerance"),
    [("extension", 3e-5, 0.01), ("in-plane", 0.1081, 0.01), ("out-of-plane", 0.4321, 0.02)],
)
def test_a_slender_strip_does_not_lock(load, reference, tolerance, monkeypatch):
    monkeypatch.setattr(benchmarks, "Shell", QuadShell)
    assert benchmarks.straight_beam(load) == pytest.approx(reference, rel=tolerance)


#: diagonals → ratios with 8 and 16 cells a side, by DKT and as shells are unless told otherwise
MORLEY = {
    "\\": (1.059, 1.032, 1.046, 1.027), "/": (1.247, 1.079, 1.158, 1.047),
    "x": (1.064, 1.034, 1.048, 1.028), "+": (1.132, 1.046, 1.092, 1.034),
}  # fmt: skip


@pytest.mark.parametrize("diagonal", MORLEY)
def test_a_plate_with_corners_of_thirty_degrees_is_met_as_the_page_tells(diagonal):
    found = [morley_skew_plate(n, scale, diagonal) for scale in (1.0, None) for n in (8, 16)]
    assert found == pytest.approx(MORLEY[diagonal], abs=6e-4)


@pytest.mark.slow
@pytest.mark.parametrize("diagonal", MORLEY)
def test_a_plate_with_corners_of_thirty_degrees_is_within_two_per_cent_with_32_cells(diagonal):
    """By the scale that waves give, which is the default in a plane, whatever the diagonals; DKT is not."""
    assert abs(morley_skew_plate(32, None, diagonal) - 1.0) < 0.02
    assert morley_skew_plate(32, 1.0, diagonal) - 1.0 > 0.02


def test_quadrilaterals_with_corners_of_thirty_degrees_are_a_limit_that_the_page_tells(monkeypatch):
    monkeypatch.setattr(benchmarks, "Shell", QuadShell)
    found = [morley_skew_plate(n, scale) for scale in (1.0, None) for n in (8, 16)]
    assert found == pytest.approx([1.262, 1.090, 1.174, 1.062], abs=1e-3)


def distorted():
    """Two by two cells with the inner node moved, MacNeal and Harder's kind of patch."""
    mesh = panel_mesh(0.24, 0.12, 2, 2, "quadrilaterals")
    nodes = mesh.nodes.copy()
    nodes[4] += [0.03, -0.02, 0.0]
    nodes[1] += [0.02, 0.0, 0.0]
    nodes[5] += [0.0, 0.015, 0.0]
    return mesh, nodes


def patch(mesh, nodes):
    groups = {"quadrilateral_groups": mesh.quadrilateral_groups}
    made = Mesh(nodes, quadrilaterals=mesh.quadrilaterals, **groups)
    return Body(made, [fx.ShellRegion("panel", SHEET)])


def mixed_patch():
    """Three quadrilaterals and two triangles in the place of the fourth."""
    mesh, nodes = distorted()
    quads = mesh.quadrilaterals
    made = Mesh(nodes, triangles=[quads[3, [0, 1, 2]], quads[3, [0, 2, 3]]], quadrilaterals=quads[:3],
                triangle_groups={"panel": [0, 1]}, quadrilateral_groups={"panel": [0, 1, 2]})  # fmt: skip
    return Body(made, [fx.ShellRegion("panel", SHEET)])


@pytest.mark.parametrize("kind", ["quadrilaterals", "mixed"])
def test_constant_strain_and_curvature_pass_through_a_distorted_patch(kind):
    body = patch(*distorted()) if kind == "quadrilaterals" else mixed_patch()
    x, y, _ = body.mesh.nodes.T
    u = np.zeros((9, 6))
    u[:, 0], u[:, 1] = 1e-3 * (x + 0.5 * y), 1e-3 * (y + 0.5 * x)
    # w = (x² + xy + y²)/2: rotations θx = ∂w/∂y, θy = -∂w/∂x
    u[:, 2], u[:, 3], u[:, 4] = 0.5 * (x * x + x * y + y * y), 0.5 * x + y, -(x + 0.5 * y)
    exact = u.reshape(-1).copy()
    structure = supported(body, [fx.Held(k) for k in range(9) if k != 4])
    K = structure.full.K
    inner = np.arange(24, 30)
    outer = np.setdiff1d(np.arange(54), inner)
    found = np.linalg.solve(K[inner][:, inner].toarray(), -(K[inner][:, outer] @ exact[outer]))
    assert np.allclose(found, exact[inner], rtol=1e-9, atol=1e-12)
    for one in recover(body, exact).values():
        assert np.allclose(one.strains, [1e-3, 1e-3, 1e-3, -1.0, -1.0, -1.0], rtol=1e-9)


def test_in_plane_bending_of_any_rectangle_is_exact():
    for a, b, nu in ((1.0, 1.0, 0.3), (10.0, 1.0, 0.0), (0.2, 3.0, 0.45)):
        section = fx.ShellSection.uniform(1.0, fx.Material(E=1.0, nu=nu, rho=1.0))
        X = np.array([[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]]) / 2
        region = QuadRegion("q", section)
        x, y, _ = X.T
        q = np.zeros((4, 6))
        q[:, 0], q[:, 1], q[:, 5] = x * y, -0.5 * (x * x + nu * y * y), -x
        K = region.stiffness(region.geometry(X, np.array([[0, 1, 2, 3]])))[0]
        assert q.reshape(-1) @ K @ q.reshape(-1) == pytest.approx(a * b**3 / 12, rel=1e-9)


def test_a_plate_of_quadrilaterals_vibrates_as_one_of_triangles():
    """The square cantilever: λ = 3.471, 8.507, 21.285 (docs/verification_shell.md)."""
    mesh = panel_mesh(1.0, 1.0, 12, 12, "quadrilaterals")
    body = Body(mesh, [fx.ShellRegion("panel", SHEET)])
    omega = natural_modes(supported(body, fx.Clamped("left")), 3).omega
    D = STEEL.E * 0.01**3 / (12 * (1 - 0.09))
    found = omega * np.sqrt(STEEL.rho * 0.01 / D)
    assert found == pytest.approx([3.471, 8.507, 21.285], rel=6e-3)


def test_masses_of_every_kind_agree():
    body = patch(*distorted())
    area = 0.24 * 0.12
    for inertia in ("consistent", "linear", "lumped"):
        M = supported(body, fx.Free(), inertia).full.M
        assert M[::6][:, ::6].sum() == pytest.approx(area * 0.01 * 7850.0, rel=1e-12)


def test_a_stretched_plate_is_stiffened_as_one_of_triangles():
    found = []
    for pattern in ("quadrilaterals", "symmetric"):
        mesh = panel_mesh(1.0, 0.5, 10, 6, pattern)
        structure = supported(Body(mesh, [fx.ShellRegion("panel", SHEET)]), fx.Clamped("left"))
        end = mesh.node_groups["right"]
        loads = Loads(nodes={tuple(end): (2e5, 0, 0, 0, 0, 0)})
        K_G = prestress(structure, solve_static(structure, loads), loads)
        found.append(natural_modes(structure, 3, K_G).frequency)
    assert found[0] == pytest.approx(found[1], rel=0.01)


def test_a_coupled_laminate_bends_as_classical_lamination_theory_has_it():
    """Uniform (N, M) on a strip: strains [A B; B D]⁻¹ (N, M) everywhere, and ply stresses from them."""
    tape = fx.Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
    section = fx.ShellSection.laminate(tape, 1e-3, [0.0, np.pi / 3, np.pi / 2])
    loads = np.array([1e5, 2e4, -3e4, 100.0, 40.0, -20.0])
    strain = np.linalg.solve(section.ABD, loads)
    mesh, nodes = distorted()
    made = Mesh(nodes, quadrilaterals=mesh.quadrilaterals, quadrilateral_groups=mesh.quadrilateral_groups)
    body = Body(made, [fx.ShellRegion("panel", section)])
    x, y, _ = nodes.T
    e, k = strain[:3], strain[3:]
    u = np.zeros((9, 6))
    u[:, 0], u[:, 1] = e[0] * x + 0.5 * e[2] * y, e[1] * y + 0.5 * e[2] * x
    u[:, 2] = -0.5 * (k[0] * x * x + k[2] * x * y + k[1] * y * y)
    u[:, 3], u[:, 4] = -(0.5 * k[2] * x + k[1] * y), k[0] * x + 0.5 * k[2] * y
    (found,) = recover(body, u.reshape(-1)).values()
    assert np.allclose(found.resultants(), loads, rtol=1e-9, atol=1e-9 * 1e5)
    forces = supported(body, fx.Free()).full.K @ u.reshape(-1)
    assert np.abs(forces[24:30]).max() <= 1e-9 * np.abs(forces).max()
    for ply, angle in enumerate((0.0, np.pi / 3, np.pi / 2)):
        c, s = np.cos(angle), np.sin(angle)
        z = (ply - 1) * 1e-3
        ex, ey, g = e + z * k
        along = [c * c * ex + s * s * ey + c * s * g, s * s * ex + c * c * ey - c * s * g,
                 -2 * c * s * (ex - ey) + (c * c - s * s) * g]  # fmt: skip
        Q = np.linalg.inv([[1 / 140e9, -0.3 / 140e9, 0], [-0.3 / 140e9, 1 / 10e9, 0], [0, 0, 1 / 5e9]])
        assert np.allclose(found.ply_stress(ply), Q @ along, rtol=1e-8, atol=1.0)
