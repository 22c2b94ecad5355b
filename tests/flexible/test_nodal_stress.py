"""Stress of shells at nodes: under a voltage, at folds and where sections meet, whatever the numbering."""

import numpy as np
import pytest

import flexnet as fx

ALUMINIUM = fx.Material(E=7e10, nu=0.3, rho=2700.0)
THICK, THIN = (fx.ShellSection.uniform(h, ALUMINIUM, axis=(0.2, 1.0, 0.0)) for h in (0.003, 0.002))


def grid(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of 6 × 4 cells, those within displaced, and the cells."""
    mesh = fx.panel_mesh(0.6, 0.2, 6, 4, kind)
    X = mesh.nodes.copy()
    k = np.flatnonzero((np.abs(X[:, 0] - 0.3) < 0.29) & (np.abs(X[:, 1] - 0.1) < 0.09))
    inner = k[np.abs(X[k, 0] - 0.3) > 1e-9]
    X[inner, :2] += 0.01 * np.column_stack([np.sin(7.0 * inner), np.cos(5.0 * inner)])
    return X, mesh.triangles if kind == "symmetric" else mesh.quadrilaterals


def renumbered(X, cells, parts, seed):
    """A mesh with nodes, elements and their corners in another order, and the new number of every node."""
    rng = np.random.default_rng(seed)
    order, turn = rng.permutation(len(X)), rng.permutation(len(cells))
    if seed == 0:
        order, turn = np.arange(len(X)), np.arange(len(cells))
    number = np.argsort(order)
    made = number[cells[turn]]
    if seed:
        made = np.array([np.roll(cell, rng.integers(len(cell))) for cell in made])
    kind = "triangle" if cells.shape[1] == 3 else "quadrilateral"
    groups = {name: np.flatnonzero(np.isin(turn, members)) for name, members in parts.items()}
    return fx.Mesh(X[order], **{f"{kind}s": made, f"{kind}_groups": groups}), number


def held(mesh, number, regions, frames, X):
    """The plate, held at its left side."""
    left = number[np.flatnonzero(X[:, 0] < 1e-9)]
    tip = int(number[np.argmax(np.abs(X - X[0]).sum(axis=1))])
    return fx.mesh_body(
        mesh, regions, points={"root": (-0.01, 0.1, 0.0)}, links=[fx.RigidLink("root", left)],
        frames={"root": "root", "tip": tip, **frames},
    )  # fmt: skip


def at_rest(s):
    rest = fx.equilibrium(s)
    return fx.simulate(s, 1e-7, 1e-7, start=rest.equations.poses(rest.state))


@pytest.mark.filterwarnings("ignore:joint 'hub' puts a moment")
@pytest.mark.parametrize("kind", ["symmetric", "quadrilaterals"])
def test_a_voltage_bends_a_free_plate_without_stress_at_any_node(kind):
    """Nothing holds it, so it strains freely: no N and M beside those of the layer, e₃₁V and z e₃₁V.

    Rotations of an element alone have a rigid part of its own, so slopes of cubics through them followed the
    order of the elements: moments of twice those of the layer, in silence.
    """
    X, cells = grid(kind)
    for seed in (0, 3):
        mesh, number = renumbered(X, cells, {"panel": np.arange(len(cells))}, seed)
        layer = fx.Piezo("panel", 10.0, 0.0016)
        frames = {"corner": int(number[0]), "layer": layer}
        body = fx.mesh_body(mesh, [fx.ShellRegion("panel", THICK)], frames=frames)
        s = fx.System("bimorph")
        plate = s.flexible_body(
            "plate", body, fx.Clamped(frames["corner"]), 0, "attachment", stiffening=False
        )
        s.weld("hub", s.ground, plate["corner"])
        s.voltage_source("supply", "a", s.ground, 20.0)
        s.piezo_layer("layer", "a", s.ground, plate["layer"], capacitance=1e-8)
        for k in range(0, len(X), 4):
            for component in ("nx", "nxy", "mx", "my", "mxy"):
                s.channel(f"{component} {k}", fx.stress(plate, int(number[k]), component))
        run = at_rest(s)
        for k in range(0, len(X), 4):
            for component in ("nx", "nxy", "mx", "my", "mxy"):
                size = 200.0 if component[0] == "n" else 0.32
                assert abs(run.channel(f"{component} {k}")[0]) < 1e-9 * size, (component, k)


@pytest.mark.parametrize("kind", ["symmetric", "quadrilaterals"])
@pytest.mark.parametrize("what", ["fold", "fold of two", "sections"])
def test_where_shells_meet_the_larger_stress_is_told(kind, what):
    """Both sides of a fold, and of two sections: that of one, by the order of facets or regions, before."""
    X, cells = grid(kind)
    second = X[cells].mean(axis=1)[:, 0] > 0.3
    if what != "sections":
        up = X[:, 0] > 0.3
        X[up] = np.column_stack([np.full(up.sum(), 0.3), X[up, 1], X[up, 0] - 0.3])
    parts = {"one": np.flatnonzero(~second), "two": np.flatnonzero(second)}
    if what == "fold":
        parts = {"one": np.arange(len(cells))}
    meet = int(np.argmin(np.linalg.norm(X - [0.3, 0.1, 0.0], axis=1)))
    found = []
    for seed in (0, 2):
        mesh, number = renumbered(X, cells, parts, seed)
        regions = [fx.ShellRegion(name, THICK if name == "one" else THIN) for name in parts]
        s = fx.System("folded")
        body = held(mesh, number, regions[:: -1 if seed else 1], {}, X)
        plate = s.flexible_body("plate", body, fx.Clamped("root"), 2, "attachment")
        s.weld("hub", s.ground.frame("wall", [-0.01, 0.1, 0.0]), plate["root"])
        s.force("pull", plate["tip"], [2.0, 1.0, 3.0])
        node = int(number[meet])
        for component in ("von_mises", "s1", "s2", "sx", "nx", "mxy"):
            s.channel(component, fx.stress(plate, node, component))
        s.channel("ex", fx.strain(plate, node, "ex"))
        s.channel("e1", fx.strain(plate, node, "e1", "bottom"))
        run = at_rest(s)
        found.append([run.channel(c.name)[0] for c in s.channels])
    assert np.allclose(found[1], found[0], rtol=1e-5)


def test_thin_beside_thick_has_the_stress_of_the_thin():
    """A strip in bending, 3 and 2 mm: 6M/h² of the thinner, 9/4 of the other, either way round."""
    mesh = fx.panel_mesh(0.8, 0.1, 16, 2, "quadrilaterals")
    X, cells = mesh.nodes, mesh.quadrilaterals
    right = X[cells].mean(axis=1)[:, 0] > 0.4
    meet = int(np.argmin(np.linalg.norm(X - [0.4, 0.05, 0.0], axis=1)))
    slack = fx.Material(E=7e10, nu=0.0, rho=2700.0)
    for order in (1, -1):
        groups = {"thick": np.flatnonzero(~right), "thin": np.flatnonzero(right)}
        whole = fx.Mesh(X, quadrilaterals=cells, quadrilateral_groups=groups)
        sheets = (("thick", 3e-3), ("thin", 2e-3))
        regions = [fx.ShellRegion(name, fx.ShellSection.uniform(h, slack)) for name, h in sheets]
        left, end = (np.flatnonzero(side) for side in (X[:, 0] < 1e-9, X[:, 0] > 0.8 - 1e-9))
        body = fx.mesh_body(
            whole, regions[::order], points={"a": (0.0, 0.05, 0.0), "b": (0.8, 0.05, 0.0)},
            links=[fx.RigidLink("a", left), fx.RigidLink("b", end)], frames={"a": "a", "b": "b"},
        )  # fmt: skip
        s = fx.System("strip")
        strip = s.flexible_body("strip", body, fx.Clamped("a"), 0, "attachment", stiffening=False)
        s.weld("hub", s.ground, strip["a"])
        s.torque("bend", strip["b"], [0.0, -0.02, 0.0])
        s.channel("sx", fx.stress(strip, meet, "sx", "top"))
        s.channel("mx", fx.stress(strip, meet, "mx"))
        run = at_rest(s)
        assert abs(run.channel("mx")[0]) == pytest.approx(0.2, rel=1e-3)
        assert abs(run.channel("sx")[0]) == pytest.approx(6.0 * 0.2 / 2e-3**2, rel=1e-3)
