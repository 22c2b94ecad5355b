"""Shells as a region of a body: the contract of the assembler, and shells together with beams."""

import numpy as np
import pytest

from flexnet.errors import ModelError
from flexnet.fem.beam import BeamRegion, rectangle
from flexnet.fem.body import Body
from flexnet.fem.links import RigidLink
from flexnet.fem.mass_points import mass_matrix
from flexnet.fem.material import Material
from flexnet.fem.modes import buckling_modes, natural_modes
from flexnet.fem.region import AbstractRegion
from flexnet.fem.shell import Ply, ShellRegion, ShellSection
from flexnet.fem.statics import Loads, prestress, solve_static
from flexnet.fem.structure import supported
from flexnet.fem.supports import Clamped, Free
from flexnet.mesh import Mesh, panel_mesh

STEEL = Material(E=2e11, nu=0.3, rho=7800.0, eta=1e-4)


def plate(nx: int = 8, ny: int = 4, a: float = 0.4, b: float = 0.2, **options) -> Body:
    mesh = panel_mesh(a, b, nx, ny)
    group = next(iter(mesh.triangle_groups))
    return Body(mesh, [ShellRegion(group, ShellSection.uniform(2e-3, STEEL, **options))])


def test_every_inertia_of_a_plate_has_its_mass_and_centre():
    body = plate(offset=5e-3)
    m = 7800.0 * 0.4 * 0.2 * 2e-3
    for inertia in ("consistent", "linear", "lumped"):
        total, first = 0.0, np.zeros(3)
        for _, points in body.mass_batches(inertia):
            total += points.w.sum()
            first += np.einsum("ep,epa->a", points.w, points.s)
            rigid = np.zeros((18, 3))
            rigid[0::6, 0] = rigid[1::6, 1] = rigid[2::6, 2] = 1.0
            assert np.allclose(points.N @ rigid, np.eye(3), atol=1e-13)
        assert total == pytest.approx(m, rel=1e-12)
        assert np.allclose(first / total, [0.2, 0.1, 5e-3], atol=1e-13)


def test_linear_and_lumped_points_move_with_a_rigid_rotation():
    body = plate(offset=5e-3)
    (region,) = body.regions
    X = region.geometry(body.mesh.nodes, body.elements(region))
    omega = np.array([0.3, -0.2, 0.5])
    q = np.zeros((len(X), 3, 2, 3))
    q[:, :, 0], q[:, :, 1] = np.cross(omega, X[:, :3]), omega
    for points in (region.linear_mass_points(X), region.lumped_mass_points(X)):
        u = np.einsum("epaf,ef->epa", points.N, q.reshape(-1, 18))
        assert np.allclose(u, np.cross(omega, points.s), atol=1e-13)
        assert np.linalg.eigvalsh(mass_matrix(points)).min() > -1e-12


def test_damping_is_the_retardation_time_of_the_material():
    structure = supported(plate(), Free())
    assert abs(structure.full.C - 1e-4 * structure.full.K).max() < 1e-9 * structure.full.K.max()


def test_a_rotating_plate_stiffens_through_the_analyses_of_the_room():
    """NASA TM-89861, axis along the width, 9600 rpm: 195.42 Hz."""
    mesh = panel_mesh(0.1524, 0.0508, 12, 4)
    nodes = mesh.nodes + np.array([0.1, -0.0254, 0.0])
    group = next(iter(mesh.triangle_groups))
    root = np.flatnonzero(np.isclose(nodes[:, 0], 0.1))
    mesh = Mesh(nodes, triangles=mesh.triangles, triangle_groups=mesh.triangle_groups)
    body = Body(
        mesh, [ShellRegion(group, ShellSection.uniform(2.54e-3, Material(E=2e11, nu=0.3, rho=7850.0)))]
    )
    structure = supported(body, Clamped(root))
    omega = 9600 * 2 * np.pi / 60
    loads = Loads(angular_velocity=(0.0, omega, 0.0))
    K_G = prestress(structure, solve_static(structure, loads), loads)
    softened = natural_modes(structure, 1, K_G - omega**2 * structure.full.M)
    # the first mode moves along z, where the centrifugal field softens by the full ω²M
    assert softened.frequency[0] == pytest.approx(195.42, rel=1.5e-3)


def test_a_clamped_free_strip_buckles_as_a_wide_column():
    body = plate(16, 4, 0.4, 0.05)
    root = np.flatnonzero(body.mesh.nodes[:, 0] == 0)
    tip = np.flatnonzero(np.isclose(body.mesh.nodes[:, 0], 0.4))
    structure = supported(body, Clamped(root))
    share = np.full(5, 0.25)
    share[[0, -1]] = 0.125
    loads = Loads({int(node): [-s, 0, 0, 0, 0, 0] for node, s in zip(tip, share, strict=True)})
    factor, _ = buckling_modes(structure, prestress(structure, solve_static(structure, loads), loads), 1)
    column = np.pi**2 * 2e11 * 0.05 * (2e-3) ** 3 / 12 / (4 * 0.4**2)
    assert column < factor[0] < column / (1 - 0.3**2)


def test_a_plate_with_a_beam_on_its_edge_is_a_stiffened_plate():
    """A cantilever strip of shell with a beam along its middle, nodes shared: EI adds up (ν = 0)."""
    soft = Material(E=1e9, nu=0.0, rho=1000.0)
    mesh = panel_mesh(1.0, 0.1, 10, 2)
    group = next(iter(mesh.triangle_groups))
    middle = np.flatnonzero(np.isclose(mesh.nodes[:, 1], 0.05))
    middle = middle[np.argsort(mesh.nodes[middle, 0])]
    lines = np.column_stack([middle[:-1], middle[1:]])
    mesh = Mesh(
        mesh.nodes,
        lines=lines,
        triangles=mesh.triangles,
        triangle_groups=mesh.triangle_groups,
        line_groups={"rib": np.arange(10)},
    )
    rib = rectangle(0.004, 0.004)
    body = Body(
        mesh,
        [ShellRegion(group, ShellSection.uniform(2e-3, soft)), BeamRegion("rib", soft, rib, shear=False)],
    )
    structure = supported(body, Clamped(np.flatnonzero(mesh.nodes[:, 0] == 0)))
    u = solve_static(structure, Loads({int(middle[-1]): [0, 0, 1e-3, 0, 0, 0]}))
    EI = 1e9 * (0.1 * (2e-3) ** 3 / 12 + rib.Iy)
    assert u[6 * middle[-1] + 2] == pytest.approx(1e-3 / (3 * EI), rel=0.02)


def test_a_rigid_edge_can_drive_a_panel_by_its_drilling_freedoms():
    """A hinge line: the left edge is rigid; a torque about the normal bends the panel in its plane."""
    body = plate(8, 2)
    left = np.flatnonzero(body.mesh.nodes[:, 0] == 0)
    linked = Body(body.mesh, body.regions, links=[RigidLink(int(left[1]), left[[0, 2]])])
    right = np.flatnonzero(np.isclose(body.mesh.nodes[:, 0], 0.4))
    structure = supported(linked, Clamped(right))
    u = solve_static(structure, Loads({int(left[1]): [0, 0, 0, 0, 0, 1.0]}))
    EI = 2e11 * 2e-3 * 0.2**3 / 12
    assert u[6 * left[1] + 5] == pytest.approx(0.4 / EI, rel=0.05)


def test_a_region_that_cannot_be_is_refused():
    section = ShellSection((Ply(STEEL, 1e-3), Ply(Material(E=1e9, nu=0.3, rho=1.0), 1e-3)))
    with pytest.raises(ModelError, match="retardation times"):
        ShellRegion("panel", section)
    with pytest.raises(ModelError, match="fold angle"):
        ShellRegion("panel", ShellSection.uniform(1e-3, STEEL), fold_angle=-1.0)
    with pytest.raises(ModelError, match="bending scale 0"):
        ShellRegion("panel", ShellSection.uniform(1e-3, STEEL), bending_scale=0.0)


def test_gradients_of_shapes_give_what_element_matrices_do():
    rng = np.random.default_rng(0)
    region, cells, X = next(plate(offset=1e-3, axis=(1.0, 0.3, 0.0)).batches())
    X = X + rng.normal(scale=1e-2, size=X.shape)
    state, phi = rng.normal(size=(len(cells), 9, 5)), rng.normal(size=(len(cells), 18, 4))
    got = region.reduced_geometric(X, state, phi)
    plain = AbstractRegion.reduced_geometric(region, X, state, phi)
    got, plain = (0.5 * (G + G.transpose(0, 2, 1)) for G in (got, plain))
    assert np.abs(got - plain).max() < 1e-13 * np.abs(plain).max()
