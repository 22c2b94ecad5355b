"""Geometric stiffness of tables: closed forms of a straight beam, balance, rotation, foreshortening."""

import numpy as np
import pytest

from flexnet.fem.assembly import assemble
from flexnet.fem.beam import BeamRegion, BeamSection
from flexnet.fem.body import Body
from flexnet.fem.factor import factorise
from flexnet.fem.geometric_tensors import geometric_tensors
from flexnet.fem.inertia_tensors import inertia_tensors
from flexnet.fem.links import RigidLink
from flexnet.fem.material import Material
from flexnet.fem.point_mass import PointMass
from flexnet.fem.reduction import Reduction
from flexnet.fem.rotating import rotating_frequencies
from flexnet.fem.statics import Loads, prestress, solve_static
from flexnet.fem.structure import supported
from flexnet.fem.supports import Clamped, Pinned
from flexnet.fem.table_builder import TableOptions, build_table
from flexnet.fem.unit_loads import unit_accelerations
from flexnet.mesh import beam_mesh, polyline_mesh

STEEL = Material(E=200e9, nu=0.3, rho=7800.0)
THIN = BeamSection(A=1e-6, Iy=1e-13, Iz=1e-13)
L, X0 = 1.0, 0.4


def rotor(elements=10, root=X0):
    mesh = beam_mesh(L, elements).moved(r=(root, 0, 0))
    return Body(mesh, [BeamRegion("beam", STEEL, THIN, shear=False)], frames={"root": "start", "tip": "end"})


@pytest.fixture(scope="module")
def table():
    return build_table(rotor(), Reduction(Clamped("start"), 6))


def slopes(body, table, x):
    """V' and w' per coordinate at x, (2, len(x), m), from the cubic interpolation of the shapes."""
    h = L / len(body.mesh.lines)
    e = np.minimum((x / h).astype(int), len(body.mesh.lines) - 1)
    xi = (x - e * h) / h
    bow = (6 * xi - 6 * xi**2) / h
    dH = np.array([-bow, 1 - 4 * xi + 3 * xi**2, bow, 3 * xi**2 - 2 * xi])
    t, r = table.output.translation, table.output.rotation
    v = [t[e, 1], r[e, 2], t[e + 1, 1], r[e + 1, 2]]
    w = [t[e, 2], -r[e, 1], t[e + 1, 2], -r[e + 1, 1]]
    return np.array([sum(d[:, None] * p for d, p in zip(dH, parts, strict=True)) for parts in (v, w)])


def integrated(body, table, N):
    g, weight = np.polynomial.legendre.leggauss(6)
    n = len(body.mesh.lines)
    x = ((np.arange(n)[:, None] + 0.5 * (1 + g)) * L / n).reshape(-1)
    weight = np.tile(0.5 * weight * L / n, n)
    d = slopes(body, table, x)
    return np.einsum("p,p,dpi,dpj->ij", weight, N(x), d, d)


def close(a, b, rtol):
    assert np.abs(a - b).max() <= rtol * np.abs(b).max()


def test_a_straight_beam_has_the_matrices_of_its_axial_force(table):
    """N(x) of the notes, section 5a: acceleration, spin about z and a force at the tip."""
    body = rotor()
    rhoA = STEEL.rho * THIN.A
    close(table.geometric.acceleration[0], integrated(body, table, lambda x: -rhoA * (L - x)), 1e-8)
    spin = integrated(body, table, lambda x: rhoA * ((X0 + L) ** 2 - (X0 + x) ** 2) / 2)
    for product in (1, 2):
        close(table.geometric.omega_products[product], spin, 1e-8)
    assert np.abs(table.geometric.omega_products[0]).max() < 1e-9 * np.abs(spin).max()
    close(table.geometric.frames[1, 0], integrated(body, table, np.ones_like), 1e-8)


def test_foreshortening_is_the_integral_of_the_squared_slope(table):
    body = rotor()
    q = np.random.default_rng(0).normal(size=table.m)
    g, weight = np.polynomial.legendre.leggauss(8)
    n = len(body.mesh.lines)
    x = ((np.arange(n)[:, None] + 0.5 * (1 + g)) * L / n).reshape(-1)
    w = np.tile(0.5 * weight * L / n, n)
    d = slopes(body, table, x) @ q
    shortening = -0.5 * w @ (d**2).sum(axis=0)
    assert -0.5 * q @ table.foreshortening[1, 0] @ q == pytest.approx(shortening, rel=1e-9)
    assert np.abs(table.foreshortening[0]).max() < 1e-9 * np.abs(table.foreshortening[1]).max()


def test_second_order_motion_of_a_rotating_arm():
    """A rigid arm at the tip moves by ½θ×(θ×r) on top of the foreshortening of the beam."""
    arm = np.array([0.0, 0.3, 0.1])
    mesh = beam_mesh(L, 6).with_nodes([np.array([L, 0, 0]) + arm], "tool")
    region = BeamRegion("beam", STEEL, BeamSection(A=1e-4, Iy=1e-10, Iz=1e-10), shear=False)
    body = Body(mesh, [region], links=[RigidLink("end", "tool")], frames={"tip": "end", "tool": "tool"})
    table = build_table(body, Reduction(Clamped("start"), method="full"), TableOptions())
    bend = np.zeros(table.m)
    tip_rotation = table.frames.rotation[0]  # rows pick the rotation of the end node
    bend[np.argmax(tip_rotation[1])], bend[np.argmax(tip_rotation[2])] = 0.02, -0.03
    theta = tip_rotation @ bend
    second = np.array([-0.5 * bend @ H @ bend for H in table.foreshortening[1]])
    tip = np.array([-0.5 * bend @ H @ bend for H in table.foreshortening[0]])
    turned = 0.5 * np.cross(theta, np.cross(theta, arm))
    # a force on the arm also bends and twists the beam: in the rotated state this is a moment at its end
    moments = np.einsum("kij,i,j->k", table.geometric.frames[0, 3:], bend, bend)
    expected = tip + turned - 0.5 * np.cross(moments, arm)
    assert np.allclose(second, expected, rtol=1e-8, atol=1e-12)


def test_tables_and_the_full_prestressed_body_agree():
    """Φᵀ K_G Φ of a full static analysis under a mixed load is the sum of the table's unit matrices."""
    bent = polyline_mesh([[0.2, 0.1, 0], [1, 0.3, 0.2], [1.2, 1, 0.9]], [3, 2]).with_nodes(
        [1.3, 1, 1.2], "tool"
    )
    body = Body(
        bent,
        [BeamRegion("beam", STEEL, BeamSection(A=1e-3, Iy=1e-7, Iz=2e-7), offset=(0.01, 0.02))],
        links=[RigidLink("end", "tool")],
        masses=[PointMass("tool", 2.0)],
        frames={"tool": "tool"},
    )
    table = build_table(body, Reduction(Clamped("start"), method="full"))
    rng = np.random.default_rng(4)
    a, w, alpha, F = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), rng.normal(size=6)
    s = supported(body, Clamped("start"))
    loads = Loads({"tool": F}, acceleration=a, angular_velocity=w, angular_acceleration=alpha)
    G = prestress(s, solve_static(s, loads), loads)
    direct = (s.T.T @ (G @ s.T)).toarray()
    g = table.geometric
    products = [w[0] ** 2, w[1] ** 2, w[2] ** 2, w[0] * w[1], w[1] * w[2], w[2] * w[0]]
    summed = (
        np.einsum("k,kij->ij", a, g.acceleration) + np.einsum("k,kij->ij", alpha, g.angular_acceleration)
        + np.einsum("k,kij->ij", products, g.omega_products) + np.einsum("k,kij->ij", F, g.frames[0])
    )  # fmt: skip
    close(summed, direct, 1e-9)


def test_unit_accelerations_add_up_to_the_acceleration_of_a_point():
    rng = np.random.default_rng(1)
    s, a, w, alpha = rng.normal(size=(4, 3))
    total = (
        unit_accelerations(s) @ Loads(acceleration=a, angular_velocity=w, angular_acceleration=alpha).motion
    )
    assert np.allclose(total, a + np.cross(alpha, s) + np.cross(w, np.cross(w, s)))


def test_loads_in_balance_do_not_depend_on_where_the_body_is_held():
    """A body pulled and turned freely has the same K_G whichever support its table used."""
    F = np.array([50.0, 20.0, -10.0, 1.0, 2.0, 3.0])
    body = Body(
        polyline_mesh([[0, 0, 0], [1, 0.2, 0], [1, 1, 0.5]], 3),
        [BeamRegion("beam", STEEL, BeamSection(A=1e-3, Iy=1e-7, Iz=2e-7))],
        frames={"A": "start", "B": "end"},
    )
    full = assemble(body)
    shapes = np.random.default_rng(3).normal(size=(6 * len(body.mesh.nodes), 3))
    t = inertia_tensors(body, shapes)
    tilde = np.cross(np.eye(3), t.s1)
    M = np.block([[t.mass * np.eye(3), -tilde], [tilde, np.trace(t.s2) * np.eye(3) - t.s2]])
    end = body.mesh.nodes[body.mesh.find_node("end")]
    acceleration = np.linalg.solve(M, np.concatenate([F[:3], F[3:] + np.cross(end, F[:3])]))
    found = []
    for support in (Clamped("start"), Clamped("end"), Pinned("start", "end")):
        s = supported(body, support, matrices=full)
        g = geometric_tensors(s, factorise(s.K), shapes, "consistent")
        unit = np.concatenate([g.acceleration, g.angular_acceleration, g.frames[1]])
        found.append(np.einsum("k,kij->ij", np.concatenate([acceleration, F]), unit))
    close(found[1], found[0], 1e-8)
    close(found[2], found[0], 1e-8)


ROTATING = {  # notes, section 3.8, hub radius / L and speed η
    (0, 1): (3.68165, 22.1810),
    (0, 2): (4.13732, 22.6149),
    (0, 3): (4.79728, 23.3203),
    (0, 4): (5.58500, 24.2734),
    (0, 5): (6.44954, 25.4461),
    (0, 6): (7.36037, 26.8091),
    (0, 8): (9.25684, 29.9954),
    (0, 10): (11.2023, 33.6404),
    (0, 12): (13.1702, 37.6031),
    (1, 1): (3.88882, 22.3750),
    (1, 2): (4.83369,),
    (1, 5): (8.94036,),
    (1, 10): (16.6064, 44.3682),
}


@pytest.mark.parametrize(("sigma", "eta"), ROTATING)
def test_rotating_beam_frequencies_from_the_table(sigma, eta):
    table = build_table(rotor(root=sigma * L), Reduction(Clamped("start"), 10))
    unit = np.sqrt(STEEL.E * THIN.Iy / (STEEL.rho * THIN.A * L**4))
    omega = rotating_frequencies(table, (0, 0, eta * unit)) / unit
    flap = np.array(ROTATING[sigma, eta])
    chord = np.sqrt(flap**2 - eta**2)
    for expected in (*flap, *chord):
        assert np.abs(omega / expected - 1).min() < 3e-3
    assert omega[0] == pytest.approx(chord[0], rel=3e-3)


def test_coriolis_coupling_splits_a_spinning_shaft():
    """A symmetric shaft spinning about its axis: forward and backward whirl at ω ± Ω in its frame."""
    table = build_table(
        Body(beam_mesh(L, 8), [BeamRegion("beam", STEEL, THIN, shear=False, rotary_inertia=False)]),
        Reduction(Pinned("start", "end"), 6),
    )
    omega = 2 * np.pi * table.modes.frequency[0]
    found = rotating_frequencies(table, (0.2 * omega, 0, 0), gyroscopic=True)
    for expected in (0.8 * omega, 1.2 * omega):
        assert np.abs(found / expected - 1).min() < 1e-6


def test_geometric_tables_can_be_left_out():
    table = build_table(rotor(), Reduction(Clamped("start"), 2), TableOptions(geometric=False))
    assert table.geometric.frames.shape == (2, 6, 2, 2)
    assert not table.geometric.omega_products.any()
