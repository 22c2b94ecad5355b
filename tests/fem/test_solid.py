"""Tetrahedra of ten nodes: rigid motion, patch test, mass, beams of solids, prestress, stresses."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.fem import Body, Loads, assemble, natural_modes, prestress, recover, solve_static, supported
from flexnet.fem.structure import rigid_motions
from flexnet.mesh import Mesh

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7850.0)


def distorted(seed=3, curved=False):
    """A block with its inner nodes, or the middles of its edges, moved."""
    mesh = fx.block_mesh(1.0, 0.8, 0.6, (2, 2, 2))
    random, nodes = np.random.default_rng(seed), mesh.nodes.copy()
    corners = np.unique(mesh.tetrahedra[:, :4])
    outside = (np.isclose(nodes, 0.0) | np.isclose(nodes, [1.0, 0.8, 0.6])).any(axis=1)
    moved = [k for k in corners if not outside[k]]
    nodes[moved] += 0.06 * random.uniform(-1, 1, (len(moved), 3))
    for k, (i, j) in enumerate(((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)), start=4):
        nodes[mesh.tetrahedra[:, k]] = 0.5 * (nodes[mesh.tetrahedra[:, i]] + nodes[mesh.tetrahedra[:, j]])
    if curved:
        middles = np.setdiff1d(np.arange(len(nodes)), corners)
        nodes[middles] += 0.01 * random.uniform(-1, 1, (len(middles), 3))
    return Mesh(nodes, tetrahedra=mesh.tetrahedra, node_groups=mesh.node_groups,
                tetrahedron_groups=mesh.tetrahedron_groups)  # fmt: skip


@pytest.mark.parametrize("curved", [False, True])
def test_rigid_motions_cost_nothing_and_have_the_mass_of_the_body(curved):
    body = Body(distorted(curved=curved), [fx.SolidRegion("block", STEEL)])
    full, R = assemble(body), rigid_motions(body.mesh)
    assert np.abs(full.K @ R).max() <= 1e-12 * np.abs(full.K).max()
    if not curved:
        m = 7850.0 * 0.48
        assert np.allclose(R[:, :3].T @ (full.M @ R[:, :3]), m * np.eye(3), rtol=1e-12, atol=1e-9)
        J = m / 12 * np.array([0.8**2 + 0.6**2, 1.0 + 0.6**2, 1.0 + 0.8**2])
        about = rigid_motions(body.mesh, np.array([0.5, 0.4, 0.3]))[:, 3:]
        assert np.allclose(about.T @ (full.M @ about), np.diag(J), rtol=1e-11, atol=1e-9)


def test_a_constant_strain_passes_through_any_mesh():
    mesh = distorted()
    body = Body(mesh, [fx.SolidRegion("block", STEEL)])
    G = np.array([[1.0, 0.4, -0.3], [0.1, -0.5, 0.6], [0.2, 0.7, 0.8]]) * 1e-3
    u = np.zeros((len(mesh.nodes), 6))
    u[:, :3] = mesh.nodes @ G.T
    (found,) = recover(body, u.reshape(-1)).values()
    e = 0.5 * (G + G.T)
    strain = [e[0, 0], e[1, 1], e[2, 2], 2 * e[0, 1], 2 * e[1, 2], 2 * e[2, 0]]
    assert np.allclose(found.strains, strain, rtol=0, atol=1e-15)
    forces = (assemble(body).K @ u.reshape(-1)).reshape(-1, 6)
    outside = np.zeros(len(mesh.nodes), dtype=bool)
    for name in ("left", "right", "front", "back", "bottom", "top"):
        outside[mesh.node_groups[name]] = True
    assert np.abs(forces[~outside]).max() <= 1e-10 * np.abs(forces).max()


def test_the_three_inertias_have_the_same_mass():
    body = Body(distorted(), [fx.SolidRegion("block", STEEL)])
    for inertia in ("consistent", "linear", "lumped"):
        assert assemble(body, inertia).M[::6][:, ::6].sum() == pytest.approx(7850.0 * 0.48, rel=1e-12)


def bar(cells):
    return Body(fx.block_mesh(1.0, 0.05, 0.03, cells), [fx.SolidRegion("block", STEEL)])


def test_pure_bending_is_exact_in_any_straight_mesh():
    """With u = xz, w = -(x² - νy² + νz²)/2, v = -νyz per unit curvature: σx = Ez, all else zero."""
    mesh, nu = distorted(), STEEL.nu
    body = Body(mesh, [fx.SolidRegion("block", STEEL)])
    x, y, z = mesh.nodes.T
    u = np.zeros((len(x), 6))
    u[:, 0], u[:, 1], u[:, 2] = x * z, -nu * y * z, -0.5 * (x**2 - nu * y**2 + nu * z**2)
    found = recover(body, u.reshape(-1))["block"].stress()[0]
    assert np.allclose(found[..., 0], STEEL.E * z[mesh.tetrahedra[:, :4]], rtol=0, atol=1e-12 * STEEL.E)
    assert np.abs(found[..., 1:]).max() <= 1e-12 * STEEL.E
    energy = 0.5 * u.reshape(-1) @ (assemble(body).K @ u.reshape(-1))
    assert energy == pytest.approx(0.5 * STEEL.E * 0.8 * 0.6**3 / 3.0, rel=1e-12)


def test_frequencies_come_down_to_those_of_the_beam():
    I, A = 0.05 * 0.03**3 / 12, 0.05 * 0.03
    beam = 1.8751040687**2 * np.sqrt(STEEL.E * I / (STEEL.rho * A)) / (2 * np.pi)
    found = [
        natural_modes(supported(bar((n, 1, 1)), fx.Clamped("left")), 1).frequency[0] for n in (5, 10, 20)
    ]
    error = np.array(found) / beam - 1.0
    assert (np.diff(error) < 0.0).all()
    assert 0.0 < error[2] < 0.01


def test_tension_stiffens_a_block_as_it_does_a_beam():
    structure = supported(bar((12, 1, 1)), fx.Clamped("left"))
    end, N = structure.body.mesh.node_groups["right"], 2.0e5
    loads = Loads(nodes={tuple(end): (N / len(end), 0, 0, 0, 0, 0)})
    K_G = prestress(structure, solve_static(structure, loads), loads)
    plain, tense = (natural_modes(structure, 1, K).frequency[0] for K in (None, K_G))
    section = fx.rectangle(0.05, 0.03)
    beam = supported(fx.beam_body(1.0, 12, STEEL, section), fx.Clamped("start"))
    pull = Loads(nodes={"end": (N, 0, 0, 0, 0, 0)})
    stiff = prestress(beam, solve_static(beam, pull), pull)
    lowest = [natural_modes(beam, 1, K).frequency[0] for K in (None, stiff)]
    assert tense / plain == pytest.approx(lowest[1] / lowest[0], rel=0.01)


def test_a_face_of_a_mesh_file_names_all_its_nodes(tmp_path):
    import meshio

    mesh = fx.block_mesh(1.0, 1.0, 1.0, (1, 1, 1))
    sides = ([0, 2, 1, 6, 5, 4], [0, 1, 3, 4, 8, 7], [1, 2, 3, 5, 9, 8], [2, 0, 3, 6, 7, 9])
    every = [cell[side] for cell in mesh.tetrahedra for side in sides]
    faces = [face for face in every if np.isclose(mesh.nodes[face, 0], 0.0).all()]
    cells = [("triangle6", np.array(faces)), ("tetra10", mesh.tetrahedra)]
    tags = [np.full(len(faces), 1), np.full(6, 2)]
    made = meshio.Mesh(mesh.nodes, cells, cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
                       field_data={"wall": np.array([1, 2]), "part": np.array([2, 3])})  # fmt: skip
    meshio.write(tmp_path / "b.msh", made, file_format="gmsh22", binary=False)
    read = fx.read_mesh(tmp_path / "b.msh")
    body = fx.mesh_body(read, [fx.SolidRegion("part", STEEL)])
    wall = body.mesh.node_groups["wall"]
    assert len(wall) == 9
    assert np.allclose(body.mesh.nodes[wall, 0], 0.0)
    assert len(body.mesh.triangles) == 0
    assert len(body.mesh.surface) == 4 * 12
    fx_modes = natural_modes(supported(body, fx.Clamped("wall")), 2).frequency
    ours = natural_modes(
        supported(Body(mesh, [fx.SolidRegion("block", STEEL)]), fx.Clamped("left")), 2
    ).frequency
    assert fx_modes == pytest.approx(ours, rel=1e-9)


def test_tetrahedra_of_four_nodes_get_the_middles_of_their_edges(tmp_path):
    import meshio

    mesh = fx.block_mesh(1.0, 0.5, 0.5, (2, 1, 1))
    corners = np.unique(mesh.tetrahedra[:, :4])
    number = np.searchsorted(corners, mesh.tetrahedra[:, :4])
    made = meshio.Mesh(mesh.nodes[corners], [("tetra", number)], cell_data={"tag": [np.ones(12, dtype=int)]})
    meshio.write(tmp_path / "b.vtu", made)
    read = fx.read_mesh(tmp_path / "b.vtu")
    assert len(read.tetrahedra) == 12
    assert len(read.nodes) == len(mesh.nodes)
    body = fx.mesh_body(read, [fx.SolidRegion("tag 1", STEEL)])
    ours = natural_modes(supported(Body(mesh, [fx.SolidRegion("block", STEEL)]), fx.Free()), 8).frequency[6:]
    assert natural_modes(supported(body, fx.Free()), 8).frequency[6:] == pytest.approx(ours, rel=1e-6)


def test_a_solid_in_a_mechanism_has_stresses():
    tied = {"points": {"P": (0.0, 0.025, 0.015)}, "links": [fx.RigidLink("P", "left")], "frames": {"P": "P"}}
    mesh = fx.block_mesh(1.0, 0.05, 0.03, (20, 1, 2))
    s = fx.System("arm")
    s.gravity([0, 0, -9.81])
    arm = s.flexible_body(
        "arm", fx.mesh_body(mesh, [fx.SolidRegion("block", STEEL)], **tied), fx.Clamped("P"), modes=2
    )
    s.weld("root", s.ground.frame("O", [0, 0, 0]), arm["P"])
    rest = fx.equilibrium(s)
    found = rest.stress("arm")["block"]
    w, I = 7850.0 * 0.05 * 0.03 * 9.81, 0.05 * 0.03**3 / 12
    at = mesh.nodes[mesh.tetrahedra[:, :4]]
    top = np.isclose(at[..., 2], 0.03) & np.isclose(at[..., 0], 0.5)
    assert np.mean(found.stress()[0][top][:, 0]) == pytest.approx(w * 0.5**2 / 2 * 0.015 / I, rel=0.03)
