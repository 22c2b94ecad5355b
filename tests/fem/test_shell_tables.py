"""Tables of shells and of shells with beams: identities, rotation, the panel of Richard (2012)."""

from pathlib import Path

import numpy as np
import pytest

from flexnet.fem import (
    BeamRegion,
    Body,
    Clamped,
    Free,
    Material,
    Reduction,
    RigidLink,
    ShellRegion,
    ShellSection,
    TableOptions,
    adams_invariants,
    build_table,
    natural_modes,
    panel_body,
    rectangle,
    rotating_frequencies,
    supported,
)
from flexnet.fem.inertia_tensors import inertia_tensors
from flexnet.fem.structure import rigid_motions
from flexnet.mesh import Mesh, merged, panel_mesh, polyline_mesh, read_mesh

STEEL = Material(E=2.1e11, nu=0.3, rho=7800.0)
SHEET = ShellSection.uniform(0.003, STEEL)
MESHES = Path(__file__).parents[2] / "meshes"


def close(a, b, rtol=1e-10):
    assert np.abs(a - b).max() <= rtol * np.abs(b).max()


def stiffened_panel(rotation):
    """Return a distorted panel in space with a rib along one edge and a tool on a rigid arm."""
    mesh = panel_mesh(2.0, 1.0, 4, 4)
    nodes = mesh.nodes.copy()
    inner = np.setdiff1d(np.arange(len(nodes)), np.concatenate([mesh.node_groups[g] for g in
                         ("left", "right", "top", "bottom")]))  # fmt: skip
    nodes[inner, :2] += 0.05 * np.random.default_rng(0).uniform(-1, 1, (len(inner), 2))
    edge = mesh.node_groups["right"]
    lines = np.column_stack([edge[:-1], edge[1:]])
    panel = Mesh(
        nodes, lines, mesh.triangles, mesh.node_groups, {"rib": np.arange(4)}, mesh.triangle_groups
    ).moved(rotation, (0.1, 0.2, 0.3))
    corner = panel.node_groups["corners"][0]
    panel = panel.with_nodes(panel.nodes[corner] + [0.1, 0.0, 0.2], "tool")
    return Body(
        panel,
        [
            ShellRegion("panel", SHEET),
            BeamRegion("rib", STEEL, rectangle(0.02, 0.05), offset=(0.0, 0.03), orientation=(1, 2, 3)),
        ],
        links=[RigidLink(int(corner), "tool")],
        frames={"tool": "tool"},
    )


def test_polygons_have_exact_mass_centre_and_inertia(rotation):
    mesh = panel_mesh(2.0, 1.0, 4, 2).moved(rotation, (1, 2, 3))
    t = inertia_tensors(Body(mesh, [ShellRegion("panel", SHEET)]), np.zeros((6 * len(mesh.nodes), 1)))
    m, h = STEEL.rho * 2.0 * 0.003, 0.003
    centre = rotation @ [1.0, 0.5, 0.0] + [1, 2, 3]
    own = rotation @ np.diag([4.0, 1.0, h**2]) @ rotation.T * m / 12
    assert t.mass == pytest.approx(m, rel=1e-13)
    close(t.s1, m * centre, 1e-13)
    close(t.s2, own + m * np.outer(centre, centre), 1e-13)


def test_rigid_motions_of_a_stiffened_panel_give_the_rigid_mass_matrix(rotation):
    body = stiffened_panel(rotation)
    t = inertia_tensors(body, rigid_motions(body.mesh))
    tilde = np.cross(np.eye(3), t.s1)
    J = np.trace(t.s2) * np.eye(3) - t.s2
    close(np.einsum("aaij->ij", t.NN), np.block([[t.mass * np.eye(3), -tilde], [tilde, J]]))


def test_the_mass_matrix_of_the_table_is_the_reduced_one(rotation):
    body = stiffened_panel(rotation)
    table = build_table(body, Reduction(Clamped("left"), 6, method="attachment"))
    assert np.allclose(table.M, np.eye(table.m), atol=1e-10)
    assert np.array_equal(table.inertia.NN, table.inertia.NN.transpose(1, 0, 3, 2))
    free = build_table(body, Reduction(Free(), 6), TableOptions(geometric=False))
    I = adams_invariants(free.inertia)
    assert np.abs(I.I3).max() < 1e-8 * np.sqrt(I.I1)
    assert np.abs(I.I4).max() < 1e-8 * np.sqrt(I.I1)


def test_tensors_of_a_shell_equal_a_finer_quadrature(rotation):
    """The same field at 64 × 3 points per facet, by a rule that has nothing to do with the mass points."""
    from flexnet.fem.shell.displacement import basis, quadratic
    from tests.fem.shell.plain_element import BENDING, coefficients, collocation

    mesh = panel_mesh(1.0, 0.7, 2, 2).moved(rotation)
    body = Body(mesh, [ShellRegion("panel", SHEET)])
    shapes = np.random.default_rng(5).normal(size=(6 * len(mesh.nodes), 3))
    t = inertia_tensors(body, shapes)
    # collapsed Gauss rule on the triangle
    g, w = np.polynomial.legendre.leggauss(8)
    a, b = 0.5 * (1 + g[:, None] + 0 * g), 0.5 * (1 + 0 * g[:, None] + g)
    weight = (0.25 * w[:, None] * w * 2 * (1 - a)).reshape(-1)
    zeta = np.stack([a, (1 - a) * b, (1 - a) * (1 - b)], axis=-1).reshape(-1, 3)
    gz, wz = np.polynomial.legendre.leggauss(3)
    X = mesh.nodes[mesh.triangles]
    facets = SHEET.facets(X)
    mid = np.einsum("pk,ekab->epab", basis(zeta), coefficients(facets))
    turn = np.zeros_like(mid)
    turn[:, :, :2, BENDING] = np.einsum("pk,ekab->epab", quadratic(zeta), collocation(facets))
    total = np.zeros((3, 3, 3, 3))
    mixed = np.zeros((3, 3, 3))
    for z, wt in zip(0.5 * 0.003 * gz, 0.5 * 0.003 * wz, strict=True):
        field = mid + z * turn
        for e in range(len(X)):
            dofs = (6 * mesh.triangles[e][:, None] + np.arange(6)).reshape(-1)
            local = np.kron(np.eye(6), facets.R[e]) @ shapes[dofs]
            N = np.einsum("ba,pbj->paj", facets.R[e], field[e] @ local)
            s = zeta @ X[e] + z * facets.R[e, 2]
            mass = STEEL.rho * facets.area[e] * weight * wt
            total += np.einsum("p,pai,pbj->abij", mass, N, N)
            mixed += np.einsum("p,pa,pbj->abj", mass, s, N)
    close(t.NN, total)
    close(t.sN, mixed)


PLATE = {  # notes, section 3.9 (Ritz): axis and rpm → first frequency [Hz]
    ("width", 0): 90.93,
    ("width", 3200): 108.39,
    ("width", 9600): 195.42,
    ("normal", 3200): 120.80,
    ("normal", 9600): 252.56,
}


def test_rotating_plate_frequencies_come_from_the_table():
    a, b = 0.1524, 0.0508
    sheet = ShellSection.uniform(0.00254, Material(E=2e11, nu=0.3, rho=7850.0))
    mesh = panel_mesh(a, b, 12, 4).moved(r=(0.1, -b / 2, 0))
    region = ShellRegion("panel", sheet, bending_scale=1.0)  # DKT, closest where edges are free
    table = build_table(Body(mesh, [region]), Reduction(Clamped("left"), 20))
    for (axis, rpm), expected in PLATE.items():
        w = 2 * np.pi * rpm / 60
        omega = (0, w, 0) if axis == "width" else (0, 0, w)
        assert rotating_frequencies(table, omega)[0] / (2 * np.pi) == pytest.approx(expected, rel=1.5e-3)


@pytest.mark.parametrize("triangles", [32, 128, 512, 2048])
def test_the_stored_panels_are_what_their_script_makes(triangles):
    mesh = read_mesh(MESHES / f"panel_{triangles}.msh")
    n = round((triangles / 2) ** 0.5)
    made = panel_mesh(2.0, 2.0, n, n)
    assert np.allclose(mesh.nodes, made.nodes, atol=1e-15)
    assert np.array_equal(mesh.triangles, made.triangles)
    assert len(mesh.triangles) == triangles
    assert set(mesh.node_groups) == {"left", "right", "bottom", "top", "corners", "centre"}


def test_a_symmetric_panel_does_not_twist_under_a_symmetric_load():
    """The 32-triangle panel of Richard (2012), section 5.2, hinged along one edge by a rigid link."""
    mesh = read_mesh(MESHES / "panel_32.msh")
    hinge = mesh.find_nodes("bottom")
    body = Body(mesh, [ShellRegion("panel", SHEET)], links=[RigidLink(int(hinge[2]), np.delete(hinge, 2))])
    table = build_table(body, Reduction(Clamped(int(hinge[2])), 6), TableOptions(output="top"))
    force = table.inertia.N1[2]  # uniform acceleration normal to the panel
    q = np.linalg.solve(table.K, force)
    u = table.output.translation[:, 2] @ q
    assert np.allclose(u, u[::-1], rtol=1e-9)
    assert table.modes.kind == ("normal",) * 6


def test_a_beam_grid_and_a_shell_share_nodes():
    """A plate strip with ν = 0 next to a beam of the same stiffness bends as one body twice as stiff."""
    soft = Material(E=1e9, nu=0.0, rho=1000.0)
    strip = panel_mesh(1.0, 0.02, 20, 2)
    centre = np.flatnonzero(np.isclose(strip.nodes[:, 1], 0.01))
    lines = np.column_stack([centre[:-1], centre[1:]])
    groups = (strip.node_groups, {"rib": np.arange(20)}, strip.triangle_groups)
    both = Mesh(strip.nodes, lines, strip.triangles, *groups)
    sheet = ShellSection.uniform(0.002, soft)
    regions = [ShellRegion("panel", sheet), BeamRegion("rib", soft, rectangle(0.02, 0.002))]
    alone = panel_body((1.0, 0.02), (20, 2), sheet)
    f_both = natural_modes(supported(Body(both, regions), Clamped("left")), 1).frequency[0]
    f_alone = natural_modes(supported(alone, Clamped("left")), 1).frequency[0]
    assert f_both == pytest.approx(f_alone, rel=2e-3)  # twice the stiffness, twice the mass


def test_two_bodies_joined_only_by_a_link_move_as_one():
    panel = panel_mesh(1.0, 0.5, 4, 2).moved(r=(1.2, -0.25, 0.1))
    mesh = merged(polyline_mesh([[0, 0, 0], [1, 0, 0]], 4), panel)
    body = Body(
        mesh,
        [BeamRegion("beam", STEEL, rectangle(0.02, 0.02)), ShellRegion("panel", SHEET)],
        links=[RigidLink(4, mesh.node_groups["left"])],
    )
    table = build_table(body, Reduction(Clamped("start"), 4), TableOptions(geometric=False))
    left = mesh.node_groups["left"]
    tip, turn = table.output.translation[4], table.output.rotation[4]
    for node in left:
        arm = mesh.nodes[node] - mesh.nodes[4]
        assert np.allclose(table.output.translation[node], tip + np.cross(turn.T, arm).T, atol=1e-12)
