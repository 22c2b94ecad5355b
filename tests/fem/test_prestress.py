"""Geometric stiffness: rigid rotations, buckling loads, rotating beams, foreshortening."""

import numpy as np
import pytest

from flexnet.fem.beam import BeamRegion, BeamSection
from flexnet.fem.body import Body
from flexnet.fem.links import RigidLink
from flexnet.fem.material import Material
from flexnet.fem.modes import buckling_modes, natural_modes
from flexnet.fem.solid import SolidRegion
from flexnet.fem.statics import Loads, prestress, solve_static
from flexnet.fem.structure import supported
from flexnet.fem.supports import Clamped, Held, Pinned
from flexnet.mesh import beam_mesh

STEEL = Material(E=200e9, nu=0.3, rho=7800.0)
BAR = BeamSection(A=1e-4, Iy=4e-10, Iz=4e-10, J=2e-10)


def body(elements=8, L=1.0, section=BAR, **options):
    return Body(beam_mesh(L, elements), [BeamRegion("beam", STEEL, section, shear=False, **options)])


def geometric(s, loads):
    return prestress(s, solve_static(s, loads), loads)


@pytest.mark.parametrize(
    ("support", "factor"),
    [
        (Clamped("start"), 0.25),
        ([Held("start", "x y z rx"), Held("end", "y z")], 1.0),
        ([Clamped("start"), Held("end", "y z rx ry rz")], 4.0),
        ([Clamped("start"), Held("end", "y z")], 2.04575),
    ],
    ids=["free", "pinned", "clamped", "clamped-pinned"],
)
def test_euler_loads(support, factor):
    s = supported(body(), support)
    load, _ = buckling_modes(s, geometric(s, Loads({"end": [-1.0, 0, 0, 0, 0, 0]})), 2)
    euler = np.pi**2 * STEEL.E * BAR.Iy
    assert load[:2] == pytest.approx(np.full(2, factor * euler), rel=1e-3)


def test_a_column_that_yields_to_shear_has_the_load_of_haringx():
    """The force is normal to its sections, as in geometrically exact beams: P (1 + P/GA) = P_e.

    Along the line of the column it would be Engesser's, P_e / (1 + P_e/GA), 1.2 % less here.
    """
    stub = BeamSection(A=1e-4, Iy=4e-10, Iz=4e-10, J=2e-10, ky=2e-4, kz=2e-4)
    mesh = beam_mesh(1.0, 16)
    s = supported(Body(mesh, [BeamRegion("beam", STEEL, stub)]), Clamped("start"))
    load, _ = buckling_modes(s, geometric(s, Loads({"end": [-1.0, 0, 0, 0, 0, 0]})), 1)
    euler, GA = np.pi**2 * STEEL.E * stub.Iy / 4.0, stub.ky * STEEL.G * stub.A
    assert load[0] == pytest.approx(0.5 * GA * (np.sqrt(1.0 + 4.0 * euler / GA) - 1.0), rel=2e-4)


def test_lateral_buckling_of_a_cantilever_under_a_tip_load():
    """Deep strip: P = 4.013 √(EI GJ)/L² (Timoshenko & Gere, art. 6.3)."""
    strip = BeamSection(A=1e-4, Iy=1e-12, Iz=1e-7, J=4e-12)
    s = supported(body(16, section=strip), Clamped("start"))
    load, _ = buckling_modes(s, geometric(s, Loads({"end": [0, -1.0, 0, 0, 0, 0]})), 1)
    exact = 4.013 * np.sqrt(STEEL.E * strip.Iy * STEEL.G * strip.J)
    assert load[0] == pytest.approx(exact, rel=5e-3)


def test_buckling_of_a_shaft_by_torque():
    """Clamped ends, where it does not matter how the torque turns: T = 8.987 EI/L (Ziegler)."""
    s = supported(body(24), [Clamped("start"), Held("end", "y z ry rz")])
    load, _ = buckling_modes(s, geometric(s, Loads({"end": [0, 0, 0, 1.0, 0, 0]})), 1)
    assert load[0] == pytest.approx(8.987 * STEEL.E * BAR.Iy, rel=2e-3)


ROTATING = {  # notes, section 3.8: hub radius / L, speed η: flap frequencies
    (0, 0): (3.51602, 22.0345),
    (0, 2): (4.13732, 22.6149),
    (0, 5): (6.44954, 25.4461),
    (0, 12): (13.1702, 37.6031),
    (1, 2): (4.83369,),
    (1, 10): (16.6064, 44.3682),
}


@pytest.mark.parametrize(("sigma", "eta"), ROTATING)
def test_rotating_beam_frequencies(sigma, eta):
    thin = BeamSection(A=1e-6, Iy=1e-13, Iz=1e-13)
    mesh = beam_mesh(1.0, 10).moved(r=(sigma, 0, 0))
    rotor = Body(mesh, [BeamRegion("beam", STEEL, thin, shear=False)])
    s = supported(rotor, Clamped("start"))
    unit = np.sqrt(STEEL.E * thin.Iy / (STEEL.rho * thin.A))
    loads = Loads(angular_velocity=(0, 0, eta * unit))
    omega = natural_modes(s, 4, geometric(s, loads)).omega / unit
    assert np.allclose(
        np.unique(omega.round(6))[: len(ROTATING[sigma, eta])], ROTATING[sigma, eta], rtol=2e-3
    )


def test_a_uniform_prestress_turns_with_the_element():
    """Tension in a bar that rotates rigidly leaves end forces that rotate: K_G δ = N θ."""
    region = BeamRegion("beam", STEEL, BAR)
    X = np.array([[[0, 0, 0], [0.5, 0, 0]]], dtype=float)
    state = np.zeros(15)
    state[[0, 6]] = -3.0, 3.0
    K = np.einsum("c,cij->ij", state, region.geometric_basis(X)[0])
    turned = np.zeros(12)
    turned[[5, 11]], turned[7] = 0.01, 0.5 * 0.01  # rotation about z through the first end
    force = K @ turned
    assert force[[1, 7]] == pytest.approx([-0.03, 0.03])
    assert np.allclose(np.delete(force, [1, 7]), 0, atol=1e-12)


def any_element(kind):
    """One element of a kind, with nodes at any place."""
    rng = np.random.default_rng(2)
    if kind == "solid":
        corners = np.vstack([np.zeros(3), np.eye(3)]) + 0.2 * rng.standard_normal((4, 3))
        middles = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
        nodes = np.vstack([corners, [0.5 * (corners[i] + corners[j]) for i, j in middles]])
        return SolidRegion("block", STEEL), nodes[None]
    offset = (0.03, -0.02) if kind == "offset beam" else (0.0, 0.0)
    return BeamRegion("beam", STEEL, BAR, offset=offset), rng.standard_normal((1, 2, 3))


@pytest.mark.parametrize("kind", ["beam", "offset beam", "solid"])
def test_forces_and_moments_of_a_strained_element_turn_with_it(kind):
    """K_G(u) θ = θ × F, ½ θ × M: rotations are those of exp(θ), whatever the axes of the element.

    So forces in balance at a corner stay in balance when the body turns. With moments that turn otherwise, or
    solids whose stress counts by its mean, bent bodies were off in first order of their rotation.
    """
    region, X = any_element(kind)
    rng, nodes = np.random.default_rng(3), X.shape[1]
    u = 1e-3 * rng.standard_normal((1, 6 * nodes, 1))
    u[:, :, 0] *= 1.0 if region.has_rotations else np.tile([1, 1, 1, 0, 0, 0], nodes)
    state = region.state(X, u, np.zeros_like(u))[0, :, 0]
    K_G = np.einsum("c,cij->ij", state, region.geometric_basis(X)[0])
    F = (region.stiffness(X) @ u)[0, :, 0].reshape(nodes, 2, 3)
    theta = rng.standard_normal(3)
    turned = np.stack([np.cross(theta, X[0]), np.tile(theta, (nodes, 1))], axis=1)
    turned[:, 1] *= region.has_rotations
    wanted = np.cross(theta, F)
    wanted[:, 1] *= 0.5
    pushed = (K_G @ turned.reshape(-1)).reshape(wanted.shape)
    for found, right in zip(pushed.transpose(1, 0, 2), wanted.transpose(1, 0, 2), strict=True):
        assert np.abs(found - right).max() <= 1e-9 * np.abs(right).max(initial=1e-9 * np.abs(F).max())


def test_a_beam_on_an_offset_line_buckles_at_the_same_load():
    """The load acts on the centroid line through an arm from the node line."""
    offset = (0.03, -0.02)
    mesh = beam_mesh(1.0, 8).with_nodes([1.0, *offset], "centroid")
    region = BeamRegion("beam", STEEL, BAR, shear=False, offset=offset, orientation=(0, 1, 0))
    carried = Body(mesh, [region], links=[RigidLink("end", "centroid")])
    found = []
    for column, end in ((carried, "centroid"), (body(8), "end")):
        s = supported(column, Clamped("start"))
        found.append(buckling_modes(s, geometric(s, Loads({end: [-1.0, 0, 0, 0, 0, 0]})), 2)[0])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_a_rigid_extension_of_a_column_lowers_its_load():
    """Elastic length a, rigid length b under a dead axial load: a tan-equation gives the load."""
    from scipy.optimize import brentq

    a = b = 0.5
    mesh = beam_mesh(a, 8).with_nodes([a + b, 0, 0], "tip")
    column = Body(mesh, [BeamRegion("beam", STEEL, BAR, shear=False)], links=[RigidLink("end", "tip")])
    s = supported(column, Clamped("start"))
    load, _ = buckling_modes(s, geometric(s, Loads({"tip": [-1.0, 0, 0, 0, 0, 0]})), 1)
    # w = A(1-cos kx) + B(kx - sin kx) with M = P·b·w' at x = a and shear P·w' - P·w' = 0 → cos ka = kb sin ka
    k = brentq(lambda k: np.cos(k * a) - k * b * np.sin(k * a), 0.1, np.pi / a / 2)
    assert load[0] == pytest.approx(k**2 * STEEL.E * BAR.Iy, rel=1e-3)


def test_prestressed_string_frequency():
    """A stretched beam: ω² = (nπ)⁴ EI/ρA + (nπ)² N/ρA for pinned ends."""
    s = supported(body(16), Pinned("start", "end"))
    N = 5000.0
    omega = natural_modes(s, 2, geometric(s, Loads({"end": [N, 0, 0, 0, 0, 0]}))).omega
    rhoA = STEEL.rho * BAR.A
    exact = np.sqrt((np.pi**4 * STEEL.E * BAR.Iy + np.pi**2 * N) / rhoA)
    assert omega == pytest.approx(np.full(2, exact), rel=1e-4)
