"""Flexible bodies made for tests, soft enough to deform, and their mass points."""

from functools import cache

import numpy as np

import flexnet as fx
from flexnet.fem import BeamRegion, Body, FlexTable, Free, Reduction, ShellRegion, build_table, rectangle
from flexnet.fem.body import freedoms
from flexnet.mesh import Mesh, panel_mesh, polyline_mesh

RUBBER = fx.Material(E=2.0e7, nu=0.3, rho=1200.0, eta=1e-4)
KINDS = ("beam", "shell", "mixed")
METHODS = ("eigenmodes", "craig_bampton", "full")


def beam() -> Body:
    """A bent beam with an offset section, a rigid arm and a mass at its end."""
    mesh = polyline_mesh([[0.1, 0.05, 0], [0.5, 0.15, 0.1], [0.6, 0.5, 0.45]], [2, 2]).with_nodes(
        [0.65, 0.5, 0.6], "tool"
    )
    return Body(
        mesh,
        [BeamRegion("beam", RUBBER, rectangle(0.04, 0.03), offset=(0.01, -0.015))],
        links=[fx.RigidLink("end", "tool")],
        masses=[fx.PointMass("tool", 0.3, (0.001, 0.002, 0.0025), (0.0, 0.05, 0.0))],
        frames={"a": "start", "b": "tool"},
    )


def shell() -> Body:
    """A plate hung on a rigid edge."""
    return Body(
        panel_mesh(0.5, 0.4, 2, 2),
        [ShellRegion("panel", fx.ShellSection.uniform(0.02, RUBBER))],
        links=[fx.RigidLink(3, [0, 6])],
        frames={"a": 3, "b": 5},
    )


def mixed() -> Body:
    """A plate with a beam along one edge, joined node by node, that sticks out."""
    panel = panel_mesh(0.5, 0.4, 2, 2)
    nodes = np.vstack([panel.nodes, [0.75, 0.4, 0.1]])
    mesh = Mesh(
        nodes=nodes,
        lines=np.array([[6, 7], [7, 8], [8, 9]]),
        triangles=panel.triangles,
        line_groups={"rib": np.arange(3)},
        triangle_groups=panel.triangle_groups,
    )
    regions = [
        ShellRegion("panel", fx.ShellSection.uniform(0.02, RUBBER)),
        BeamRegion("rib", RUBBER, rectangle(0.03, 0.04)),
    ]
    return Body(mesh, regions, frames={"a": 0, "b": 9})


BODIES = {"beam": beam, "shell": shell, "mixed": mixed}


@cache
def table(kind: str, method: str = "eigenmodes", support: str = "clamped") -> FlexTable:
    """Table of a test body; ``support`` is ``clamped``, ``pinned`` or ``free``."""
    body = BODIES[kind]()
    where = {"clamped": fx.Clamped(body.frames["a"]), "pinned": fx.Pinned(body.frames["a"], body.frames["b"]),
             "free": Free()}[support]  # fmt: skip
    modes = {"eigenmodes": 4, "craig_bampton": 2, "attachment": 2, "full": None}[method]
    return build_table(body, Reduction(where, modes, method=method))


def points(kind: str, of: FlexTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses (n,), undeformed places (n, 3) and displacement matrices (n, 3, m) of all mass points."""
    shapes = np.concatenate([of.output.translation, of.output.rotation], axis=1).reshape(-1, of.m)
    w, s, N = [], [], []
    for cells, batch in BODIES[kind]().mass_batches():
        moved = np.einsum("epad,edj->epaj", batch.N, shapes[freedoms(cells)])
        w.append(batch.w.ravel())
        s.append(batch.s.reshape(-1, 3))
        N.append(moved.reshape(-1, 3, of.m))
    return np.concatenate(w), np.concatenate(s), np.concatenate(N)


def size(of: FlexTable, reach: float) -> float:
    """Elastic coordinate at which some node moves by ``reach`` [m] or turns by ten times that [rad]."""
    return reach / max(np.abs(of.output.translation).max(), 0.1 * np.abs(of.output.rotation).max())
