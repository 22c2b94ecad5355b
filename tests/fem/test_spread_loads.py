"""Loads spread over elements: forces along beams, pressure on shells, as frames like any other."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.fem import Loads, Reduction, build_table, nodal_shapes, port_rows, supported
from flexnet.fem.attachment import frame_rows
from flexnet.fem.links import arm_matrix
from flexnet.fem.shell.loads import pressure_load
from flexnet.fem.statics import load_vector

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
SECTION = fx.rectangle(0.05, 0.03)


def beam(elements=4):
    return fx.beam_body(
        2.0, elements, STEEL, SECTION, frames={"start": "start", "end": "end", "span": fx.Spread("beam")}
    )


def arch(cells=6):
    """A quarter of a cylinder: its pressure has a resultant off its middle."""
    mesh = fx.panel_mesh(1.0, 1.0, cells, cells)
    x, y = mesh.nodes[:, 0] * np.pi / 2, mesh.nodes[:, 1]
    bent = fx.Mesh(
        np.column_stack([np.cos(x), y, 1.3 * np.sin(x)]), mesh.lines, mesh.triangles,
        dict(mesh.node_groups), dict(mesh.line_groups), dict(mesh.triangle_groups),
    )  # fmt: skip
    region = fx.ShellRegion("panel", fx.ShellSection.uniform(0.01, STEEL))
    frames = {"a": 0, "skin": fx.Pressure("panel"), "all": fx.Spread("panel")}
    return fx.mesh_body(bent, [region], frames=frames)


def solid():
    region = fx.SolidRegion("block", STEEL)
    return fx.mesh_body(fx.block_mesh(1.0, 0.2, 0.3, (2, 1, 1)), [region], frames={"all": fx.Spread("block")})


@pytest.mark.parametrize("body", [beam(), arch(), solid()], ids=["beam", "arch", "solid"])
def test_rigid_motions_of_the_body_are_rigid_motions_of_a_frame_that_spreads(body):
    for name in body.ports:
        port = port_rows(body, name)
        R = arm_matrix(body.mesh.nodes).reshape(-1, 6)
        R[np.repeat(body.without_rotations(), 6) & np.tile(np.arange(6) >= 3, len(body.mesh.nodes))] = 0.0
        expected = arm_matrix(port.position[None])[0]
        assert np.allclose(port.rows @ R, expected, atol=1e-10)


def test_a_pressure_has_the_loads_of_its_facets():
    """Force and torque on the frame do the work of ∫Nᵀ n dA on every displacement."""
    body = arch()
    port, cells = port_rows(body, "skin"), body.mesh.triangles
    f = np.zeros(6 * len(body.mesh.nodes))
    for cell, load in zip(cells, pressure_load(body.mesh.nodes[cells], 1.0), strict=True):
        f[(6 * cell[:, None] + np.arange(6)).reshape(-1)] += load
    # the facet's own loads hold no drilling part that its mass points have
    difference = (port.rows.T @ port.wrench - f).reshape(-1, 6)
    assert np.allclose(difference[:, :3], 0.0, atol=1e-3 * np.abs(f).max())
    assert np.allclose((port.rows.T @ port.wrench).reshape(-1, 6)[:, :3].sum(axis=0), port.wrench[:3])


@pytest.mark.parametrize("method", ["attachment", "craig_bampton"])
def test_static_shapes_answer_a_spread_force_exactly(method):
    """Uniform load on a cantilever: q L⁴/8EI with no eigenmode at all."""
    body = beam()
    table = build_table(body, Reduction(fx.Clamped("start"), 0, method=method))
    q = np.linalg.solve(table.K, table.frames.translation[2].T @ [0.0, 0.0, -1.0])
    tip = table.frames.translation[1] @ q
    G, kz = STEEL.G, SECTION.kz
    static = -(2.0**3 / (8 * STEEL.E * SECTION.Iy) + 2.0 / (2 * kz * G * SECTION.A))
    assert tip[2] == pytest.approx(static, rel=1e-9)


def test_gravity_and_a_spread_force_of_the_same_size_are_the_same_load():
    body = beam()
    structure = supported(body, fx.Clamped("start"))
    mass = STEEL.rho * SECTION.A * 2.0
    spread = frame_rows(structure, ["span"]).T @ np.array([0, 0, -9.81 * mass, 0, 0, 0])
    assert np.allclose(
        spread, load_vector(structure, Loads(acceleration=(0, 0, 9.81))), rtol=1e-12, atol=1e-9
    )


def clamped(loaded, elements=4, **how):
    s = fx.System("cantilever", **how)
    made = s.flexible_body("beam", beam(elements), support=fx.Clamped("start"), modes=2)
    s.weld("hub", s.ground, made["start"])
    loaded(s, made)
    return s, made


@pytest.mark.parametrize("planar", [False, True])
def test_section_forces_under_a_spread_force_are_those_of_statics(planar):
    """V = q (L - x), M = q (L - x)²/2 at the ends of every element, with two modes; planar too."""

    def load(s, made):
        s.force("wind", made["span"], [0.0, -300.0, 0.0])

    s, _ = clamped(load, planar=planar)
    found = fx.equilibrium(s).stress("beam")["beam"]
    x = 2.0 - found.cells * 0.5
    assert np.allclose(found.forces[0, :, :, 1], -150.0 * x, rtol=1e-6, atol=1e-4)
    assert np.allclose(found.forces[0, :, :, 5], -75.0 * x**2, rtol=1e-4, atol=1e-2)


def test_a_force_that_follows_turns_with_the_mean_rotation():
    def load(s, made):
        s.force("wind", made["span"], [0.0, -300.0, 0.0], follows=True)
        s.channel("pull", fx.force("wind", "x"))

    s, _ = clamped(load)
    run = fx.simulate(s, 0.02, 1e-3)
    q = run["state/q"][-1][-2:]
    table = s.components["beam"].table
    turn = table.frames.rotation[2] @ q
    assert run.channel("pull")[-1] == pytest.approx(300.0 * np.sin(turn[2]), rel=1e-9)


def test_a_plate_under_pressure_deflects_as_kirchhoffs_series():
    """Simply supported square: w = 0.00406 p a⁴/D, in a mechanism, and the pressure carries its force."""
    section = fx.ShellSection.uniform(0.01, STEEL)
    body = fx.panel_body((1.0, 1.0), (16, 16), section, frames={"skin": fx.Pressure("panel")})
    edges = np.unique(np.concatenate([body.mesh.node_groups[g] for g in ("left", "right", "bottom", "top")]))
    held = [fx.Held(edges, "z"), fx.Held(0, "x y z"), fx.Held(16, "y"), fx.Held(0, "rz")]
    table = build_table(body, Reduction(held, 0, method="attachment"))
    port = port_rows(body, "skin")
    assert np.allclose(port.wrench, [0, 0, 1.0, 0, 0, 0], atol=1e-9)
    q = np.linalg.solve(table.K, table.frames.translation[0].T @ port.wrench[:3])
    middle = body.mesh.nearest_node((0.5, 0.5, 0.0))
    D = STEEL.E * 0.01**3 / (12 * (1 - 0.3**2))
    w = (nodal_shapes(body, table) @ q).reshape(-1, 6)[middle, 2]
    assert w * D == pytest.approx(0.004062, rel=0.01)


def test_pressure_on_a_panel_pushes_it_along_its_normal():
    s = fx.System("panel")
    section = fx.ShellSection.uniform(0.01, STEEL)
    body = fx.panel_body((1.0, 0.5), (4, 2), section, frames={"skin": fx.Pressure("panel"), "corner": 0})
    panel = s.flexible_body("panel", body, modes=2)
    s.floats(panel)
    s.pressure("gust", panel["skin"], fx.smooth_step(0.0, 2000.0, 0.01))
    s.channel("push", fx.force("gust", "z"))
    run = fx.simulate(s, 0.02, 1e-3)
    assert run.channel("push")[-1] == pytest.approx(1000.0, rel=1e-3)
    mass = 7800 * 0.005
    # ∫∫ of a quintic step: p₀ (t - T/2) of momentum
    assert run.momenta.P[-1, 2] == pytest.approx(1000.0 * 0.015, rel=1e-3)
    assert mass == pytest.approx(39.0)


def test_frames_that_cannot_spread_are_refused_in_a_sentence():
    with pytest.raises(ModelError, match="spreads over the group 'wing'; there are: 'beam'"):
        fx.beam_body(1.0, 2, STEEL, SECTION, frames={"span": fx.Spread("wing")})
    with pytest.raises(ModelError, match="a pressure acts on shells"):
        fx.beam_body(1.0, 2, STEEL, SECTION, frames={"span": fx.Pressure("beam")})
    s, made = clamped(lambda s, made: None)
    with pytest.raises(ModelError, match=r"expected a frame given as Pressure"):
        s.pressure("gust", made["span"], 10.0)


def test_a_shaken_base_has_the_acceleration_that_was_measured():
    rng = np.random.default_rng(4)
    t, a = np.linspace(0.0, 0.1, 21), rng.normal(size=21)
    a[0] = 0.0
    s = fx.System("table")
    base = s.rigid_body("base", 1.0, [1.0] * 3)
    s.prismatic("rail", s.ground, base, axis="x")
    s.motion("shaker", joint="rail", displacement=fx.accelerogram(t, a))
    s.channel("a", fx.acceleration(base, "x"))
    run = fx.simulate(s, 0.1, 1e-3)
    found = np.interp(t, run.t, run.channel("a"))
    assert np.allclose(found, a, atol=1e-6)
    still = fx.accelerogram(t, a, corrected=True)
    with pytest.raises(ModelError, match="times of a record must increase; row 1 does not"):
        fx.accelerogram([0.0, 0.0], [1.0, 2.0])
    assert still.kind == "spline"


def heated(support, field=None, elements=4):
    frames = {"start": "start", "end": "end", "heat": fx.Temperature("beam", 1.2e-5, field)}
    body = fx.beam_body(2.0, elements, STEEL, SECTION, frames=frames)
    return body, build_table(body, Reduction(support, 0, method="attachment"))


def test_a_free_beam_grows_by_its_expansion_without_stress_and_a_held_one_is_pressed():
    """αΔT L and N = 0; held at both ends, N = -EAαΔT; the mechanism's own path, in both engines."""
    body, _ = heated(fx.Clamped("start"))
    for is_held, engine in ((False, "numeric"), (True, "numeric"), (False, "symbolic")):
        s = fx.System("rod")
        rod = s.flexible_body("rod", body, support=fx.Clamped("start"), modes=0, method="attachment")
        s.weld("hub", s.ground, rod["start"])
        if is_held:
            s.weld("stop", s.ground.frame("wall", [2.0, 0.0, 0.0]), rod["end"])
        s.heat("sun", rod["heat"], fx.smooth_step(0.0, 50.0, 0.05))
        s.channel("N", fx.stress(rod, "start", "N"))
        s.channel("tip", fx.deflection(rod, "end", "x"))
        run = fx.simulate(s, 0.06, 1e-3, method=fx.generalised_alpha(0.5), engine=engine)
        full = STEEL.E * SECTION.A * 1.2e-5 * 50.0
        grown = 0.0 if is_held else 1.2e-5 * 50.0 * 2.0
        assert run.channel("tip")[-1] == pytest.approx(grown, rel=1e-3, abs=1e-9)
        assert run.channel("N")[-1] == pytest.approx(-full if is_held else 0.0, rel=1e-3, abs=1e-3 * full)


def test_a_temperature_that_grows_along_a_beam_expands_it_by_the_mean():
    x = np.linspace(0.0, 2.0, 5)
    _, table = heated(fx.Clamped("start"), tuple(x))
    body = heated(fx.Clamped("start"), tuple(x))[0]
    port = port_rows(body, "heat")
    q = np.linalg.solve(table.K, table.frames.rotation[2].T @ port.wrench[3:])
    assert (table.frames.translation[1] @ q)[0] == pytest.approx(1.2e-5 * 2.0, rel=1e-9)


def test_a_held_beam_buckles_under_its_own_temperature():
    """K + ΔT K_G is singular at EAαΔT = 4π²EI/L²: prestress of a temperature is that of what it presses."""
    section = fx.rectangle(0.02, 0.01)
    frames = {"heat": fx.Temperature("beam", 1.2e-5)}
    body = fx.beam_body(2.0, 16, STEEL, section, frames=frames)
    held = [fx.Clamped("start"), fx.Clamped("end")]
    table = build_table(body, Reduction(held, 6))
    KG = table.geometric.frames[0, 5] * port_rows(body, "heat").wrench[5]
    mu = np.linalg.eigvals(np.linalg.solve(table.K, -KG)).real.max()
    assert 1.0 / mu == pytest.approx(4 * np.pi**2 * section.Iy / (section.A * 2.0**2 * 1.2e-5), rel=2e-3)


@pytest.mark.filterwarnings("ignore:joint 'hub' puts a moment")
def test_a_heated_plate_is_strained_without_stress():
    section = fx.ShellSection.uniform(0.01, STEEL)
    body = fx.panel_body((1.0, 0.5), (4, 2), section, frames={"heat": fx.Temperature("panel", 1e-5), "o": 0})
    s = fx.System("plate")
    plate = s.flexible_body("plate", body, support=fx.Clamped(0), modes=0, method="attachment")
    s.weld("hub", s.ground, plate["o"])
    s.heat("sun", plate["heat"], 80.0)
    rest = fx.equilibrium(s)
    found = rest.stress("plate")["panel"]
    assert np.abs(found.von_mises("top")).max() < 1e-6 * STEEL.E * 8e-4


def moved(mesh, kinds):
    """The same with its inner nodes displaced."""
    X = mesh.nodes.copy()
    half = np.ptp(X, axis=0) / 2.0
    inside = np.all((np.abs(X - X.min(axis=0) - half) < 0.99 * half) | (half == 0.0), axis=1)
    k = np.flatnonzero(inside)
    X[k, :2] += 0.02 * np.column_stack([np.sin(7.0 * k), np.cos(5.0 * k)])
    return fx.Mesh(X, **{name: getattr(mesh, name) for name in kinds})


@pytest.mark.filterwarnings("ignore:joint 'hub' puts a moment")
@pytest.mark.parametrize("kind", ["symmetric", "quadrilaterals", "block"])
def test_a_temperature_that_is_linear_in_space_leaves_a_free_body_without_stress(kind):
    if kind == "block":
        mesh, region, hub = fx.block_mesh(1.0, 0.5, 0.4, (3, 2, 2)), fx.SolidRegion("block", STEEL), "centre"
    else:
        cells = "triangles" if kind == "symmetric" else kind
        mesh = moved(fx.panel_mesh(1.0, 0.5, 6, 4, kind), (cells, cells[:-1] + "_groups"))
        region, hub = fx.ShellRegion("panel", fx.ShellSection.uniform(0.01, STEEL)), 0
    field = 30.0 + mesh.nodes @ [40.0, -70.0, 90.0]
    made = {"points": {"centre": (0.0, 0.25, 0.2)}, "links": [fx.AverageLink("centre", "left")]}
    heat = fx.Temperature(region.group, 1.2e-5, (*field, 0.0) if kind == "block" else tuple(field))
    body = fx.mesh_body(
        mesh, [region], frames={"hub": hub, "heat": heat}, **(made if kind == "block" else {})
    )
    s = fx.System("free")
    part = s.flexible_body("part", body, support=fx.Clamped(hub), modes=2, method="attachment")
    s.weld("hub", s.ground, part["hub"])
    s.heat("sun", part["heat"], 1.0)
    (found,) = fx.equilibrium(s).stress("part").values()
    assert found.largest_stress().max() < 1e-8 * STEEL.E * 1.2e-5 * np.ptp(field)
