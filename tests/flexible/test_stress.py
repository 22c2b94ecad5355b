"""Stresses and energies of single bodies in motion."""

from dataclasses import replace

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError, ResultError
from flexnet.fem import BeamForces, Loads, ShellStress, recover, solve_static, supported
from flexnet.fem.stress_point import shells_at
from tests.catalogue import build
from tests.fem.shell.structure import recovered
from tests.flexible.bodies import BODIES, RUBBER, table

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)


def cantilever(section, elements=3):
    return fx.beam_body(2.0, elements, STEEL, section)


def test_a_load_at_the_tip_gives_the_section_forces_of_statics():
    """Exact in every element: N, V and T are constant, moments grow with the distance from the tip."""
    body = cantilever(fx.rectangle(0.05, 0.03))
    load = (3.0, 5.0, 7.0, 11.0, 0.0, 0.0)
    u = solve_static(supported(body, fx.Clamped("start")), Loads(nodes={"end": load}))
    forces = recover(body, u)["beam"].forces[0]
    arm = 2.0 - body.mesh.nodes[body.mesh.lines, 0]
    expected = np.stack([0 * arm + 3, 0 * arm + 5, 0 * arm + 7, 0 * arm + 11, -7 * arm, 5 * arm], axis=-1)
    assert np.allclose(forces, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("section", "y", "z"),
    [
        (fx.rectangle(0.05, 0.03), 0.025, 0.015),
        (fx.circle(0.02), 0.02, 0.0),
        (fx.tube(0.02, 0.01), 0.02, 0.0),
    ],
    ids=["rectangle", "circle", "tube"],
)
def test_bending_stress_is_largest_at_the_outline(section, y, z):
    body = cantilever(section)
    u = solve_static(supported(body, fx.Clamped("start")), Loads(nodes={"end": (10.0, 20.0, 0, 0, 0, 0)}))
    found = recover(body, u)["beam"]
    at_root = 10.0 / section.A + 20.0 * 2.0 / section.Iz * y
    assert found.largest_normal_stress()[0, 0, 0] == pytest.approx(at_root, rel=1e-8)
    assert found.normal_stress(-y, z)[0, 0, 0] == pytest.approx(at_root, rel=1e-8)


def test_a_round_section_bends_the_same_way_in_every_direction():
    section = fx.circle(0.02)
    values = []
    for angle in (0.0, 0.3, 1.1):
        load = (0.0, 20.0 * np.cos(angle), 20.0 * np.sin(angle), 0, 0, 0)
        body = cantilever(section)
        u = solve_static(supported(body, fx.Clamped("start")), Loads(nodes={"end": load}))
        values.append(recover(body, u)["beam"].largest_normal_stress()[0, 0, 0])
    assert np.allclose(values, values[0], rtol=1e-9)


def test_a_section_given_by_numbers_has_no_largest_stress():
    body = cantilever(fx.BeamSection(A=1e-3, Iy=1e-7, Iz=1e-7))
    found = recover(body, np.zeros(6 * len(body.mesh.nodes)))["beam"]
    with pytest.raises(ModelError, match="outline"):
        found.largest_normal_stress()


def test_that_an_unknown_outline_counts_as_a_rectangle_is_said_once(caplog):
    round_bar = fx.circle(0.0123)
    unknown = fx.BeamSection(round_bar.A, round_bar.Iy, round_bar.Iz)
    u = np.zeros(12)
    u[7] = 1e-3
    found = [
        recover(fx.beam_body(1.0, 1, STEEL, one), u)["beam"].outer_stress() for one in (round_bar, unknown)
    ]
    assert found[1] == pytest.approx(0.75**0.5 * found[0], rel=1e-3)  # ky
    recover(fx.beam_body(1.0, 1, STEEL, unknown), u)["beam"].outer_stress()
    assert [r.getMessage().count("has no outline") for r in caplog.records] == [1]


def test_section_forces_hold_the_strain_energy():
    """½∫(N²/EA + Q²/kGA + T²/GJ + M²/EI) of the recovered forces is ½uᵀKu, element by element."""
    body = BODIES["beam"]()
    region = body.regions[0]
    u = 1e-3 * np.random.default_rng(2).standard_normal(6 * len(body.mesh.nodes))
    cells = body.elements(region)
    X = region.geometry(body.mesh.nodes, cells)
    L = np.linalg.norm(X[:, 1] - X[:, 0], axis=1)
    f, E, G = recover(body, u)["beam"].forces[0], RUBBER.E, RUBBER.E / 2.6
    s = region.section
    first, last = f[:, 0], f[:, 1]
    square = (first * first + first * last + last * last) / 3.0
    stiffness = [E * s.A, s.ky * G * s.A, s.kz * G * s.A, G * s.torsion, E * s.Iy, E * s.Iz]
    energy = 0.5 * (L[:, None] * square / np.array(stiffness)).sum()
    q = u.reshape(-1, 6)[cells].reshape(len(cells), 12)
    expected = 0.5 * np.einsum("ei,eij,ej->", q, region.stiffness(X), q)
    assert energy == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("face", ["bottom", "middle", "top"])
def test_shell_stresses_are_those_of_the_facets(face):
    body = BODIES["shell"]()
    region = body.regions[0]
    u = 1e-3 * np.random.default_rng(3).standard_normal((2, 6 * len(body.mesh.nodes)))
    found = recover(body, u)["panel"]
    assert isinstance(found, ShellStress)
    X = region.geometry(body.mesh.nodes, found.cells)
    for row in range(2):
        q = u[row].reshape(-1, 6)[found.cells].reshape(-1, 18)
        expected = recovered(X[:, :3], region.section, q, normals=X[:, 3:6]).stress(face)[:, 0]
        assert np.allclose(found.stress(face)[row], expected, rtol=1e-12, atol=1e-9)
    x, y, xy = found.stress(face)[0].T
    assert np.allclose(found.von_mises(face)[0] ** 2, x * x - x * y + y * y + 3 * xy * xy)


def test_section_forces_of_a_bent_beam_under_tension_are_in_balance():
    """A cantilever of six elements, bent by a tenth of a radian by a load that is mostly tension.

    Shear is across the bent line, so it changes from element to element with the rotation; without the
    tension between the nodes that was lost: 10 and 21 % of the shear at the root, where it is the load.
    """
    s = fx.System("strip")
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    rod = s.flexible_body(
        "rod", fx.beam_body(1.0, 6, steel, fx.rectangle(0.02, 0.01)), fx.Clamped("start"), 6, "attachment"
    )
    s.weld("wall", s.ground, rod["start"])
    s.force("load", rod["end"], [3000.0, 100.0, 40.0])
    forces = fx.equilibrium(s).stress("rod")["beam"].forces[0]
    across = forces[:, :, [1, 2, 4, 5]]
    peak = np.abs(across).max(axis=(0, 1))
    assert (np.abs(across[1:, 0] - across[:-1, 1]).max(axis=0) < 2e-4 * peak).all()
    assert forces[0, 0, 1:3] == pytest.approx([100.0, 40.0], rel=1e-4)
    assert np.abs(forces[-1, 1, 4:]).max() < 1e-9


def test_the_four_bar_bends_as_its_midpoint_deflects():
    """Bending moments along a run, at its rows and between them."""
    run = fx.simulate(build("four_bar"), 0.005, 1e-5, method=fx.generalised_alpha(0.9))
    found = run.stress("coupler")["beam"]
    assert isinstance(found, BeamForces)
    assert found.forces.shape == (len(run.t), 8, 2, 6)
    # moments are continuous from one element to the next and zero at the pins
    M = found.forces[:, :, :, 5]
    peak = np.abs(M).max()
    assert peak > 1.0
    assert np.abs(M[:, 1:, 0] - M[:, :-1, 1]).max() < 3e-4 * peak
    assert np.abs(M[:, [0, -1], [0, 1]]).max() < 1e-3 * peak
    V = found.forces[:, :, :, 1]
    assert np.abs(V[:, 1:, 0] - V[:, :-1, 1]).max() < 0.02 * np.abs(V).max()
    middle = 0.5 * (run.t[100] + run.t[101])
    between = run.stress("coupler", times=[run.t[100], middle])["beam"].forces
    assert np.allclose(between[0], found.forces[100], rtol=1e-9, atol=1e-9 * peak)
    assert np.allclose(between[1], 0.5 * (found.forces[100] + found.forces[101]), atol=0.01 * peak)
    with pytest.raises(ResultError, match="outside the run"):
        run.stress("coupler", times=[1.0])
    with pytest.raises(ModelError, match="no flexible body 'crank'"):
        run.stress("crank")


def test_energies_of_the_bodies_add_up():
    s = fx.System("pair")
    s.gravity([0.0, 0.0, -9.81])
    one = s.flexible_body("one", table("beam"))
    two = s.rigid_body("two", 0.7, [0.01, 0.02, 0.025], {"a": [-0.1, 0.05, 0.0]})
    s.revolute("pin", s.ground, one["a"], axis="y")
    s.spherical("ball", one["b"], two["a"])
    s.start("pin", rate=3.0)
    run = fx.simulate(s, 0.1, 2e-4)
    parts = [run.body_energy(name) for name in ("one", "two")]
    assert np.allclose(sum(p.kinetic for p in parts), run["energy/kinetic"], rtol=1e-12, atol=1e-12)
    assert np.allclose(sum(p.strain for p in parts), run["energy/strain"], rtol=1e-10, atol=1e-12)
    power = parts[0].dissipation
    heat = np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t))
    assert heat == pytest.approx(-run["energy/damping"][-1], rel=1e-3)
    with pytest.raises(ModelError, match="no body 'three'"):
        run.body_energy("three")
    with pytest.raises(ModelError, match="came as a table"):
        run.stress("one")


@pytest.mark.parametrize("cells", [(4, 2), (6, 4)])
def test_stress_at_a_node_of_a_plate_does_not_depend_on_the_axes_of_its_body(cells):
    """Two rows of cells determine no cubic through the rotations: 20 % between axes before."""
    aluminium = fx.Material(E=7e10, nu=0.33, rho=2700.0)
    plate = fx.panel_body((0.5, 0.2), cells, fx.ShellSection.uniform(0.006, aluminium))
    X = plate.mesh.nodes
    clamped = np.flatnonzero(X[:, 0] < 1e-9)
    corner = int(np.argmax(X @ [1.0, 1.0, 0.0]))
    found = []
    for turn in (np.eye(3), fx.rotation((1.0, 2.0, -0.5), 1.9), fx.rotation("z", 0.6)):
        mesh = replace(plate.mesh, nodes=X @ turn.T).with_nodes(turn @ [0.0, 0.1, 0.0], "root")
        body = fx.mesh_body(
            mesh, plate.regions, links=[fx.RigidLink("root", clamped)], frames={"root": "root", "tip": corner}
        )
        s = fx.System("plate")
        panel = s.flexible_body("panel", body, fx.Clamped("root"), 4, "attachment", rotation=turn.T)
        s.ground.frame("wall", [0.0, 0.1, 0.0], turn.T)
        s.weld("wall", s.ground["wall"], panel["root"])
        s.force("push", panel["tip"], [0.0, 0.0, 5.0])
        rest = fx.equilibrium(s)
        strains = rest.stress("panel")
        at = [shells_at(strains, mesh.nodes, k)[0].von_mises("top") for k in range(len(X))]
        found.append(np.ravel(at))
    for one in found[1:]:
        assert np.abs(one - found[0]).max() < 1e-7 * found[0].max()


def held_strip(height, speed):
    """A strip that turns with its root about z under gravity along -z; no frame but the one that holds it."""
    body = fx.beam_body(1.0, 8, STEEL, fx.rectangle(0.02, height), frames={"start": "start"})
    s = fx.System("strip")
    s.gravity([0.0, 0.0, -9.81])
    strip = s.flexible_body(
        "strip", body, fx.Clamped("start"), 0, "attachment", angular_velocity=[0.0, 0.0, speed]
    )
    s.revolute("hub", s.ground, strip["start"])
    s.motion("drive", joint="hub", angle=fx.ramp(rate=speed))
    for component in ("N", "My"):
        s.channel(component, fx.stress(strip, "start", component))
    return fx.simulate(s, 0.4, 1e-3)


def test_a_body_without_a_coordinate_has_the_stresses_of_statics():
    """Static shapes of the one frame that holds it are none: N = ½ρAω²L², My = ½ρAgL², all by recovery."""
    run, weight = held_strip(0.03, 5.0), STEEL.rho * 0.02 * 0.03
    assert run.channel("N") == pytest.approx(0.5 * weight * 25.0, rel=1e-9)
    assert np.abs(run.channel("My")) == pytest.approx(0.5 * weight * 9.81, rel=1e-9)
    assert max(p.value for p in run.stress_peaks() if p.quantity == "N") == pytest.approx(12.5 * weight)


def test_prestress_that_is_left_out_is_said_once_of_a_body_without_coordinates_too(caplog):
    """A thin strip that turns fast hangs in its tension, which no coordinate of it knows; 400 rows."""
    run = held_strip(0.002, 40.0)
    run.stress("strip")
    assert caplog.text.count("and that is not counted") == 1
