"""Links, interfaces, point masses and supports against bodies that need none of them."""

import numpy as np
import pytest

from flexnet.errors import MeshError, ModelError
from flexnet.fem.beam import BeamRegion, BeamSection
from flexnet.fem.body import Body
from flexnet.fem.links import AverageLink, RigidLink, link_map
from flexnet.fem.material import Material
from flexnet.fem.modes import natural_modes
from flexnet.fem.point_mass import PointMass
from flexnet.fem.statics import Loads, reactions, solve_static
from flexnet.fem.structure import rigid_motions, supported
from flexnet.fem.supports import Clamped, Free, Held, Pinned
from flexnet.mesh import beam_mesh, merged, polyline_mesh

STEEL = Material(E=210e9, nu=0.3, rho=7850.0)
BAR = BeamSection(A=1e-4, Iy=8e-10, Iz=2e-9, J=2e-9)


def beam(mesh, **options):
    return Body(mesh, [BeamRegion("beam", STEEL, BAR)], **options)


def test_a_load_on_a_rigid_arm_is_the_load_moved_to_its_master():
    r = np.array([0.1, -0.2, 0.3])
    F = np.array([1.0, 2.0, 3.0])
    mesh = beam_mesh(1.0, 4).with_nodes([np.array([1, 0, 0]) + r], "tool")
    carried = beam(mesh, links=[RigidLink("end", "tool")])
    u = solve_static(supported(carried, Clamped("start")), Loads({"tool": [*F, 0, 0, 0]}))
    moved = solve_static(
        supported(beam(beam_mesh(1.0, 4)), Clamped("start")), Loads({"end": [*F, *np.cross(r, F)]})
    )
    assert np.allclose(u[:30], moved, rtol=1e-12, atol=1e-18)
    assert np.allclose(u[30:33], moved[24:27] + np.cross(moved[27:30], r))


def test_chained_links_equal_one_link():
    mesh = beam_mesh(1.0, 2).with_nodes([[1, 0.5, 0], [1, 0.5, 0.7]], "arm")
    chain = beam(mesh, links=[RigidLink("end", 3), RigidLink(3, 4)])
    direct = beam(mesh, links=[RigidLink("end", "arm")])
    load = Loads({4: [1, 2, 3, 4, 5, 6]})
    a, b = (solve_static(supported(x, Clamped("start")), load) for x in (chain, direct))
    assert np.allclose(a, b, rtol=1e-10)


def test_a_rigid_link_without_rotations_is_a_ball():
    mesh = beam_mesh(1.0, 2)
    both = merged(mesh, beam_mesh(1.0, 2).moved(r=(1, 0, 0)))
    hinge = beam(both, links=[RigidLink(2, 3, rotations=False)])
    s = supported(hinge, [Clamped(0), Clamped(5)])
    u = solve_static(s, Loads({2: [0, 0, 1, 0, 0, 0]})).reshape(-1, 6)
    assert u[3, :3] == pytest.approx(u[2, :3])
    assert u[3, 4] == pytest.approx(-u[2, 4])  # a kink


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([RigidLink(0, 1), RigidLink(2, 1)], "node 1 is carried by two links"),
        ([RigidLink(0, 1), RigidLink(1, 0)], "circle"),
        ([RigidLink(0, 0)], "node 0 is linked to itself"),
        ([AverageLink(0, [1, 2])], "give rotation_length"),
        ([AverageLink(0, [1, 2], weights=(1.0,))], "weights"),
    ],
)
def test_links_that_contradict_are_refused(links, message):
    with pytest.raises(ModelError, match=message):
        link_map(beam_mesh(1.0, 2), links)


@pytest.mark.parametrize("link", [RigidLink(4, [0, 1, 2]), AverageLink(4, [0, 1, 2, 3], rotation_length=0.1)])
def test_links_follow_rigid_motions_exactly(link):
    mesh = polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 2]], 1).with_nodes([0.3, 0.4, 0.5], "hub")
    T = link_map(mesh, [link])
    R = rigid_motions(mesh)
    kept = np.flatnonzero(np.diff(T.indptr) == 1)
    independent = np.linalg.lstsq(T.toarray(), R, rcond=None)[0]
    assert kept.size
    assert np.allclose(T @ independent, R, atol=1e-12)


def test_an_averaging_interface_does_not_stiffen_and_keeps_the_resultant():
    mesh = polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 2).with_nodes([0.9, 0.3, 0.2], "hub")
    plain = beam(polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 2))
    averaged = beam(mesh, links=[AverageLink("hub", [1, 2, 3, 4])])
    clamp = Clamped("start")
    assert np.allclose(
        natural_modes(supported(averaged, clamp), 6).omega, natural_modes(supported(plain, clamp), 6).omega
    )
    load = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    s = supported(averaged, clamp)
    loads = Loads({"hub": load})
    R = reactions(s, solve_static(s, loads), loads).reshape(-1, 6)[0]
    arm = np.cross([0.9, 0.3, 0.2], load[:3])
    assert np.allclose(R, -np.concatenate([load[:3], load[3:] + arm]), atol=1e-9)


def test_an_averaged_hub_can_be_clamped():
    mesh = polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 2).with_nodes([0.9, 0.3, 0.2], "hub")
    s = supported(beam(mesh, links=[AverageLink("hub", [1, 2, 3, 4])]), Clamped("hub"))
    assert not s.is_free
    u = solve_static(s, Loads({"end": [1, 2, 3, 0, 0, 0]})).reshape(-1, 6)
    assert np.abs(u[5]).max() < 1e-12 * np.abs(u).max()
    assert np.abs(u[0]).max() > 0


def test_a_rigid_region_of_a_beam_is_a_point_mass():
    """Two elements made rigid have the modes of the remaining beam with their mass and inertia."""
    whole = beam_mesh(1.0, 4)
    body = beam(whole, links=[RigidLink(2, [3, 4])])
    m, l = STEEL.rho * BAR.A * 0.5, 0.5
    polar = STEEL.rho * l * (BAR.Iy + BAR.Iz)
    slender = np.array([0.0, 1.0, 1.0]) * m * l**2 / 12
    own = STEEL.rho * l * np.array([0.0, BAR.Iy, BAR.Iz]) + slender + np.array([polar, 0, 0])
    half = beam(beam_mesh(0.5, 2), masses=[PointMass("end", m, tuple(own), (0.25, 0, 0))])
    a, b = (natural_modes(supported(x, Clamped("start")), 6).omega for x in (body, half))
    assert np.allclose(a, b, rtol=1e-9)


def test_a_point_mass_has_its_mass_matrix(rotation):
    J = rotation @ np.diag([1.0, 1.5, 2.0]) @ rotation.T
    c = np.array([0.1, 0.2, 0.3])
    p = PointMass(0, 3.0, J, tuple(c)).mass_points(np.zeros(3))
    M = np.einsum("ep,epai,epaj->ij", p.w, p.N, p.N)
    tilde = np.cross(np.eye(3), c)
    expected = np.block(
        [[3 * np.eye(3), -3 * tilde], [3 * tilde, J + 3 * (c @ c * np.eye(3) - np.outer(c, c))]]
    )
    assert np.allclose(M, expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0.0), "must be positive"),
        ((0, 1.0, (1.0, 1.0, 3.0)), "is of no body"),
        ((0, 1.0, (1.0, 1.0)), "symmetric"),
    ],
)
def test_an_impossible_point_mass_is_refused(arguments, message):
    with pytest.raises(ModelError, match=message):
        PointMass(*arguments)


def test_pinned_chord_is_isostatic_in_any_direction(rotation):
    mesh = beam_mesh(2.0, 4).moved(rotation, (1, 1, 1))
    s = supported(beam(mesh), Pinned("start", "end"))
    assert s.n == 30 - 6
    assert not s.is_free
    load = rotation @ [0.0, 0.0, 1.0]
    u = solve_static(s, Loads({"middle": [*load, 0, 0, 0]})).reshape(-1, 6)
    EI = STEEL.E * max(BAR.Iy, BAR.Iz)
    deflection = u[2, :3] @ load
    assert deflection > 1 * 2.0**3 / (48 * EI)
    assert np.abs(u[4, :3] - (u[4, :3] @ rotation[:, 0]) * rotation[:, 0]).max() < 1e-15
    with pytest.raises(ModelError, match="same place"):
        supported(beam(mesh), Pinned("start", "start"))


def test_free_bodies_have_six_rigid_modes_and_no_static_answer():
    s = supported(beam(beam_mesh(1.0, 4)), Free())
    omega = natural_modes(s, 8).omega
    assert (np.abs(omega[:6]) < 1e-3 * omega[6]).all()
    with pytest.raises(ModelError, match="free to move"):
        solve_static(s, Loads({"end": [1, 0, 0, 0, 0, 0]}))
    with pytest.raises(ModelError, match="free to move"):
        solve_static(supported(beam(beam_mesh(1.0, 4)), Held("start", "x y z")), Loads())


def test_free_free_frequencies_of_a_slender_beam():
    body = Body(beam_mesh(1.0, 16), [BeamRegion("beam", STEEL, BeamSection(A=1e-6, Iy=1e-13, Iz=1e-13))])
    omega = natural_modes(supported(body, Free()), 10).omega[6:]
    scale = np.sqrt(STEEL.E * 1e-13 / (STEEL.rho * 1e-6))
    assert np.allclose(omega, np.repeat([4.73004074, 7.85320462], 2) ** 2 * scale, rtol=1e-4)


def test_too_many_modes_or_a_loose_node_are_refused():
    with pytest.raises(ModelError, match="13 modes asked for"):
        natural_modes(supported(beam(beam_mesh(1.0, 2)), Clamped("start")), 13)
    mesh = beam_mesh(1.0, 2).with_nodes([0, 0, 1], "ball")
    with pytest.raises(ModelError, match="node 3: freedom rx has no stiffness"):
        supported(beam(mesh, links=[RigidLink("end", "ball", rotations=False)]), Clamped("start"))


def test_a_body_checks_its_mesh_and_regions():
    mesh = beam_mesh(1.0, 2)
    with pytest.raises(MeshError, match="no line group 'rod' in the mesh; there are: 'beam'"):
        Body(mesh, [BeamRegion("rod", STEEL, BAR)])
    with pytest.raises(MeshError, match="line 0 belongs to 2 regions"):
        Body(mesh, [BeamRegion("beam", STEEL, BAR)] * 2)
    with pytest.raises(MeshError, match="line 0 belongs to 0 regions"):
        Body(mesh, [])
    with pytest.raises(MeshError, match="not connected"):
        beam(merged(mesh, mesh.moved(r=(0, 1, 0))))
    with pytest.raises(MeshError, match="no node group 'tip'"):
        beam(mesh, frames={"A": "tip"})
    with pytest.raises(ModelError, match="held freedoms 'q'"):
        Held("start", "q")


def test_the_dense_and_the_lanczos_route_agree(monkeypatch):
    from flexnet.fem import modes

    s = supported(beam(beam_mesh(1.0, 12)), Clamped("start"))
    dense = natural_modes(s, 6)
    monkeypatch.setattr(modes, "DENSE", 0)
    sparse = natural_modes(s, 6)
    assert np.allclose(dense.omega, sparse.omega, rtol=1e-9)
    overlap = np.abs(np.diag(dense.shapes.T @ s.full.M @ sparse.shapes))
    assert np.allclose(overlap, 1.0, atol=1e-6)


def test_an_averaged_set_is_the_same_in_any_unit():
    """A micrometre wide it lost its translations to round-off: stresses of a plate on it were off by 4 %."""
    nodes = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 2]]
    maps = []
    for unit in (1.0, 2.0**-20):
        mesh = polyline_mesh(unit * np.array(nodes), 1).with_nodes(unit * np.array([0.3, 0.4, 0.5]), "hub")
        link = AverageLink("hub", [0, 1, 2, 3], rotation_length=0.1 * unit)
        T = link_map(mesh, [link]).toarray().reshape(5, 6, 4, 6)[-1]
        maps.append(T * np.outer([1 / unit] * 3 + [1] * 3, [unit] * 3 + [1] * 3)[:, None])
    assert np.array_equal(*maps)
