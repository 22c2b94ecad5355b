"""Piezoelectric layers on beams and shells: tips of bimorphs, reciprocity, and nothing lost between."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.fem import Reduction, build_table, nodal_shapes, port_rows
from flexnet.formulation import snapshot
from tests.networks.test_laws import powers

LENGTH, WIDTH, THICK, E, NU, D31 = 0.05, 5e-3, 1e-3, 6.2e10, 0.3, -1.7e-10
PZT = fx.Material(E=E, nu=NU, rho=7800.0)
VOLTS = 10.0
#: of the free end of a bimorph of two layers in parallel, m: curvature 6 d₃₁ V/h²
TIP = 3.0 * D31 * VOLTS * LENGTH**2 / THICK**2


def layers(group: str, e31: float, width: float = 0.0, across: int = 0) -> dict[str, fx.Piezo]:
    """Upper and lower half of a bimorph: one pulls where the other pushes."""
    z = THICK / 4.0
    at = {0: (z, -z), 1: ((z, 0.0), (-z, 0.0)), 2: ((0.0, z), (0.0, -z))}[across]
    return {"above": fx.Piezo(group, e31, at[0], width), "below": fx.Piezo(group, -e31, at[1], width)}


def strip(width: float = WIDTH, cells: tuple[int, int] = (10, 2), kind: str = "triangle") -> fx.fem.Body:
    """A strip of shells with a rigid edge where x = 0."""
    mesh = fx.panel_mesh(LENGTH, width, *cells)
    if kind == "quadrilateral":
        x, y = np.linspace(0.0, LENGTH, cells[0] + 1), np.linspace(0.0, width, cells[1] + 1)
        n, nodes = len(y), np.array([(a, b, 0.0) for a in x for b in y])
        first = np.array([i * n + j for i in range(cells[0]) for j in range(cells[1])])
        quads = first[:, None] + np.array([0, n, n + 1, 1])
        mesh = fx.Mesh(
            nodes, np.zeros((0, 2), int), np.zeros((0, 3), int), {"left": np.arange(n)}, {}, {},
            quadrilaterals=quads, quadrilateral_groups={"panel": np.arange(len(quads))},
        )  # fmt: skip
    tip = mesh.nearest_node((LENGTH, width / 2, 0.0))
    frames = {"root": "root", "tip": tip, **layers("panel", E * D31 / (1.0 - NU))}
    region = fx.ShellRegion("panel", fx.ShellSection.uniform(THICK, PZT))
    links = [fx.RigidLink("root", "left")]
    return fx.mesh_body(mesh, [region], points={"root": [0, width / 2, 0]}, frames=frames, links=links)


def cantilever(planar: bool) -> fx.fem.Body:
    """The same strip as a beam; in a plane its layers lie along y, else along z."""
    section = fx.rectangle(*(THICK, WIDTH) if planar else (WIDTH, THICK))
    frames = {"root": "start", "tip": "end", **layers("beam", E * D31, WIDTH, 1 if planar else 2)}
    return fx.beam_body(LENGTH, 4, PZT, section, frames=frames)


def bimorph(body: fx.fem.Body, planar: bool = False, voltage: float | None = VOLTS) -> fx.System:
    s = fx.System("bimorph", planar=planar)
    root = fx.Clamped(body.frame_node("root"))
    made = s.flexible_body("strip", body, support=root, modes=3, method="attachment")
    s.weld("clamp", s.ground, made["root"])
    s.piezo_layer("above", "a", s.ground, made["above"], 1e-8, VOLTS if voltage is None else None)
    s.piezo_layer("below", "a", s.ground, made["below"], 1e-8)
    if voltage is None:
        s.resistor("R", "a", s.ground, 1e5)
    else:
        s.voltage_source("V", "a", s.ground, voltage)
    return s


def place_of(s: fx.System, frame: str) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion of a frame at rest."""
    rest = fx.equilibrium(s)
    e, x = rest.equations, rest.state
    v = np.concatenate([x.v, e.z_of(x)])
    rows = snapshot(e, [x.t], [x.q], [v], [0.0 * v], [rest.lam])
    k = e.packer.node[frame]
    return rows.values.position[0, k], rows.values.quaternion[0, k]


@pytest.mark.parametrize("kind", ["triangle", "quadrilateral"])
def test_a_free_plate_bends_to_a_sphere_whatever_its_mesh(kind: str) -> None:
    """No edge holds it: w = -κ r²/2 with κ = 6 d₃₁ V/h², a state of constant curvature: exact."""
    body = strip(kind=kind)
    mesh = body.mesh
    free = fx.mesh_body(mesh, body.regions, links=[fx.RigidLink("root", [0])], frames={**body.ports})
    table = build_table(free, Reduction(fx.Clamped(0), 0, method="attachment"))
    c = [port_rows(free, name).wrench[5] for name in free.ports]
    q = np.linalg.solve(table.K, VOLTS * np.array(c) @ table.frames.rotation[:, 2])
    u = (nodal_shapes(free, table) @ q).reshape(-1, 6)
    r2 = ((free.mesh.nodes - free.mesh.nodes[0]) ** 2).sum(axis=1)
    used = np.unique(free.mesh.cells(kind))
    np.testing.assert_allclose(u[used, 2], -3.0 * D31 * VOLTS / THICK**2 * r2[used], atol=1e-6 * abs(TIP))
    assert np.abs(u[used, :2]).max() < 1e-6 * abs(TIP)  # the layers' stretch is in balance


@pytest.mark.parametrize(("planar", "axis"), [(True, 1), (False, 2)])
def test_the_tip_of_a_beam_with_layers_bends_as_theory_says(planar: bool, axis: int) -> None:
    tip = place_of(bimorph(cantilever(planar), planar), "strip.tip")[0]
    # a layer above that expands bends the tip down; the angle squared is what linear theory leaves out
    assert tip[axis] == pytest.approx(-TIP, rel=1e-6)


def test_the_tip_of_a_strip_with_layers_bends_as_theory_says() -> None:
    """Where the strip is clamped it cannot bend across; its first cells, 1/40 of it, bend by up to ν more."""
    tip = place_of(bimorph(strip(WIDTH / 10, (40, 2))), "strip.tip")[0]
    assert tip[2] == pytest.approx(-TIP, rel=0.01)


def test_a_force_moves_the_charge_that_a_voltage_moves_its_point_by() -> None:
    """Maxwell and Betti over two domains: Q/F at no voltage is w/V at no force."""
    s = bimorph(strip(), voltage=0.0)
    s.force("push", s.bodies["strip"]["tip"], [0.0, 0.0, 1e-3])
    layer = {name: s.components[name] for name in ("above", "below")}
    charge = 0.0
    for name, part in layer.items():
        w, x, y, z = place_of(s, f"strip.{name}")[1]
        assert abs(x) + abs(y) < 1e-12
        charge += part.torque * 2.0 * np.arctan2(z, w)
    moved = place_of(bimorph(strip()), "strip.tip")[0][2]
    assert charge / 1e-3 == pytest.approx(moved / VOLTS, rel=1e-6)


@pytest.mark.parametrize("planar", [None, True, False])
def test_layers_lose_nothing_between_body_and_resistor(planar: bool | None) -> None:
    body = strip() if planar is None else cantilever(planar)
    s = bimorph(body, bool(planar), None)
    run = fx.simulate(s, 1e-3, 4e-6, interval=2e-5)
    found = fx.audit(run)
    assert np.abs(found.works["forces"]).max() > 1e-4 * found.scale
    np.testing.assert_allclose(found.works["forces"], -found.works["ports"], rtol=0, atol=1e-14 * found.scale)
    total, size = powers(run, s)
    assert np.abs(total).max() < 1e-12 * size.max()


def test_a_layer_needs_a_frame_made_for_it_and_elements_that_bend() -> None:
    s = bimorph(strip())
    with pytest.raises(ModelError, match=r"piezo 'q' acts at 'strip\.tip'; expected a frame given as Piezo"):
        s.piezo_layer("q", "a", s.ground, s.bodies["strip"]["tip"], 1e-8)
    block = fx.block_mesh(1.0, 0.2, 0.3, (2, 1, 1))
    with pytest.raises(ModelError, match="a layer is bonded to beams or shells, not to these elements"):
        fx.mesh_body(block, [fx.SolidRegion("block", PZT)], frames={"p": fx.Piezo("block", 1.0, 0.0)})
    with pytest.raises(ModelError, match=r"a layer on a beam has an offset \(y, z\)"):
        fx.beam_body(1.0, 2, PZT, fx.rectangle(0.1, 0.1), frames={"p": fx.Piezo("beam", 1.0, 0.0)})
