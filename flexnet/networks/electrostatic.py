"""Condensers of plates that move: the field draws them together, and their motion changes the voltage.

A rigid plate has one gap g, a flexible one a gap at each of its points p, with its share A_p of the area.
With the charge Q as state,

    C = Σ ε A_p/g_p,    v = Q/C,    Q̇ = i,    E = Q²/(2C),    F_p = -∂E/∂g_p = -½ v² ε A_p/g_p² ,

so that dE/dt = v i - Σ F_p ġ_p: what the edge takes and what the plates are given is what is stored, to
round-off. F_p on the points is ½ v² ∂C/∂q on the elastic coordinates, through the table of the body. A rigid
plate has v = Q g/(ε A), F = Q²/(2 ε A); on a spring k it loses its balance at a third of the gap g₀,
V² = 8 k g₀³/(27 ε A) (pull-in).
"""

from collections.abc import Sequence

import numpy as np

from flexnet.components.component import Component
from flexnet.components.flexible_body import FlexibleBody
from flexnet.components.frame import Frame, as_axis
from flexnet.components.registry import BUILDERS, Mechanism, builder
from flexnet.components.spring_damper import known_as
from flexnet.errors import ModelError
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver
from flexnet.networks.electrical import ELECTRICAL
from flexnet.networks.element import NodeLike, port, positive
from flexnet.networks.machines import distance, in_unit, plain, put
from flexnet.networks.network import Variable
from flexnet.networks.power import added
from flexnet.signals import Measure, Number, Signal, integral
from flexnet.typing import Array, Vector

Gap = tuple[Signal, Signal]  # its width, m, and its rate, m/s


@builder
def plate_condenser(
    system: Mechanism,
    name: str,
    plus: NodeLike,
    minus: NodeLike,
    tail: Frame,
    head: Frame,
    area: float,
    gap: float,
    resistance: float,
    permittivity: float = 8.8541878128e-12,
    charge: float = 0.0,
) -> Component:
    """Draw two frames together by the charge between plates at their origins: v = Q g/(ε A), F = Q²/(2 ε A).

    Edges ``name.R`` and ``name.plates``, in series; the gap g is the distance of the origins. The field is
    that of wide plates: none beside them.

    Parameters
    ----------
    plus, minus : nodes.
    tail, head : frames, a gap apart; the force acts along the line between them.
    area : A, m².
    gap : about as wide as the gap is, m: the state is the voltage the charge would have there.
    resistance : of the leads, ohm.
    permittivity : ε, F/m; that of free space if left out (CODATA 2018).
    charge : Q at the start, C.
    """
    A = positive(area, f"area of {name!r}")
    (force,) = _field(
        system, name, (plus, minus), [distance(tail, head)], [A], (gap, resistance, permittivity, charge)
    )
    return known_as("condenser", BUILDERS["spring"](name, tail, head, force=force))


@builder
def flexible_condenser(
    system: Mechanism,
    name: str,
    plus: NodeLike,
    minus: NodeLike,
    tail: Frame,
    points: Sequence[Frame],
    area: float,
    gap: float,
    resistance: float,
    axis: str | Vector = "z",
    permittivity: float = 8.8541878128e-12,
    charge: float = 0.0,
) -> Component:
    """Draw a flexible plate to a flat electrode: C = Σ ε A_p/g_p over points p, F_p = ½ v² ε A_p/g_p².

    Edges ``name.R`` and ``name.plates``, in series; forces ``name``, ``name.2``, ``name.3`` … on the points,
    and back on the electrode. The field is that of wide plates: straight, none beside them.

    Parameters
    ----------
    plus, minus : nodes.
    tail : frame of the electrode, at its surface.
    points : frames on nodes of one flexible body. Each has its share of the beams, or of the shells, whose
        nodes are all among them.
    area : of the plate that faces the electrode, m².
    gap : about as wide as the gap is, m: the state is the voltage the charge would have there.
    resistance : of the leads, ohm.
    axis : normal of the electrode in the axes of ``tail``, towards the plate.
    permittivity : ε, F/m; that of free space if left out (CODATA 2018).
    charge : Q at the start, C.
    """
    A, n = positive(area, f"area of {name!r}"), as_axis(axis, f"axis of {name!r}")
    gaps = [_over(tail, p, n) for p in points]
    shares = _shares(system, name, points)
    forces = _field(system, name, (plus, minus), gaps, A * shares, (gap, resistance, permittivity, charge))
    spring, names = BUILDERS["spring"], (name, *(f"{name}.{k + 2}" for k in range(len(points) - 1)))
    made = [
        known_as("condenser", spring(each, tail, p, force=force, axis=n))
        for each, p, force in zip(names, points, forces, strict=True)
    ]
    for part in made[1:]:
        system.components[part.name] = part
    return made[0]


def _field(
    system: Mechanism,
    name: str,
    nodes: tuple[NodeLike, NodeLike],
    gaps: Sequence[Gap],
    areas: Sequence[float] | Array,
    numbers: tuple[float, float, float, float],
) -> list[Signal]:
    """Leads and plates; the force on every point, away from the electrode."""
    gap, resistance, permittivity, charge = numbers
    wide, R = positive(gap, f"gap of {name!r}"), positive(resistance, f"resistance of {name!r}")
    A = float(np.sum(areas))
    capacity = positive(permittivity, f"permittivity of {name!r}") * A / wide
    put(
        system,
        Dissipation(
            f"{name}.R", (port(f"{name}.R", nodes[0], f"{name}.1", ELECTRICAL),), "conductive", 1.0 / R
        ),
    )
    # U = Q g'/(ε A), a plain number: as large as a voltage is, where a charge is next to nothing
    current = plain(Variable("electrical", "through", f"{name}.plates"))
    state = integral(in_unit(current * (1.0 / capacity), "1/s"), float(charge) / capacity, f"{name}.charge")
    U = plain(state)
    narrow = [Number(wide) / g for g, _ in gaps]  # x_p = g'/g_p
    total = added([Number(float(a) / A) * x for a, x in zip(areas, narrow, strict=True)])  # C/C' = Σ a_p x_p
    field = [x / total for x in narrow]
    forces = [
        U * U * (0.5 * capacity / wide * float(a) / A) * (e * e) for a, e in zip(areas, field, strict=True)
    ]
    given = added([F * rate for F, (_, rate) in zip(forces, gaps, strict=True)])
    edge = port(f"{name}.plates", f"{name}.1", nodes[1], ELECTRICAL)
    held = U * U * (0.5 * capacity) / total
    put(system, AcrossDriver(edge.name, (edge,), U / total, "condenser", 1.0, "ports", held, given))
    return [in_unit(-F, "N") for F in forces]


def _over(tail: Frame, point: Frame, n: Array) -> Gap:
    """Height of a point over the electrode, and its rate."""
    place, rate = (
        plain(Measure(kind, point.name, n, seen_from=tail.name)) for kind in ("position", "velocity")
    )
    return place, rate


def _shares(system: Mechanism, name: str, points: Sequence[Frame]) -> Array:
    """Share of every point in the length of the beams or the area of the shells between them."""
    part = system.components.get(points[0].body) if len(points) else None
    if not isinstance(part, FlexibleBody) or any(p.body != part.name for p in points):
        raise ModelError(f"points of {name!r} must be frames on nodes of one flexible body")
    nodes = np.array([part.node(p.name) for p in points])
    size = np.zeros(len(part.table.mesh.nodes))
    for kind in ("line", "triangle", "quadrilateral"):
        cells = part.table.mesh.cells(kind)
        inside = cells[np.isin(cells, nodes).all(axis=1)]
        X = part.table.mesh.nodes[inside]
        if kind == "line":
            extent = np.linalg.norm(X[:, 1] - X[:, 0], axis=1)
        else:  # half the product of two sides, or of both diagonals
            one, other = (
                (X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
                if kind == "triangle"
                else (X[:, 2] - X[:, 0], X[:, 3] - X[:, 1])
            )
            extent = 0.5 * np.linalg.norm(np.cross(one, other), axis=1)
        np.add.at(size, inside, (extent / inside.shape[1])[:, None])
    if not np.all(size[nodes] > 0.0):
        lost = points[int(np.argmin(size[nodes]))].name
        raise ModelError(f"point {lost!r} of {name!r} is on no beam or shell between the points")
    return np.asarray(size[nodes] / size[nodes].sum())
