"""What a run writes down: layout, mechanism for drawing, and the columns of a block."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.symbols import network_symbols, symbols_of
from flexnet.components import Component, FlexibleBody, RigidBody, spoken
from flexnet.formulation import Equations, Snapshot, recorded_loads
from flexnet.formulation.scale import coordinate_units
from flexnet.graph import Kind
from flexnet.networks.power import ROLES
from flexnet.results import (
    ENERGIES,
    OF_NETWORKS,
    BodyRecord,
    ChannelSpec,
    EdgeRecord,
    Mechanism,
    PlaneRecord,
    ResultLayout,
)
from flexnet.signals import Event, Impact, Measure, listed_events, si_unit
from flexnet.signals.signal import Formula, Number, Signal
from flexnet.system import Body
from flexnet.system.solid import Surface, box
from flexnet.typing import Array, IntArray

log = logging.getLogger("flexnet")
#: bytes up to which shapes of an unreduced body are kept for drawings
DRAWN = 64_000_000
_ROLES = {
    Kind.BODY: "body", Kind.ARM: "arm", Kind.JOINT: "joint", Kind.VIRTUAL: "joint",
    Kind.DRIVER: "driver", Kind.FORCE: "force", Kind.DEPENDENT: "dependent",
}  # fmt: skip

#: longest side of a block of inertia over the extent of the mechanism
_BLOCK = 0.25
_NONE: Surface = (np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
#: thinnest over longest side of a block, and of a set of frames that is still seen as flat
_THIN, _FLAT = 0.05, 1e-6


def make_layout(equations: Equations, memory: dict[str, int]) -> ResultLayout:
    """Layout of the result file of a run."""
    c = equations.coordinates
    loaded = [p.name for p in equations.parts if p.kind in (Kind.JOINT, Kind.DRIVER)]
    return ResultLayout(
        q=c.q_names,
        v=c.v_names,
        lam=tuple(row.name for row in equations.rows),
        is_vector_space=not (c.quaternions or c.counted),
        frames=tuple(equations.packer.frames),
        joints=tuple(loaded),
        elastic={name: _elastic_names(equations, name) for name in c.elastic},
        channels=tuple(
            ChannelSpec(each.name, unit=each.unit or si_unit(each.measure), description=each.description)
            for each in equations.system.channels
        ),
        energies=(*ENERGIES, *OF_NETWORKS) if equations.has_networks else ENERGIES,
        memory=memory,
        events=tuple(listed_events(equations.system.events)),
        z=equations.states.names,
        units=coordinate_units(equations),
    )


def make_mechanism(equations: Equations) -> Mechanism:
    """Enough of the mechanism to draw it again."""
    system = equations.system
    parts = {p.name: p for p in equations.parts}
    edges = tuple(
        EdgeRecord(
            e.name,
            _ROLES[e.kind],
            spoken(parts[e.name]) if e.name in parts else "dependent virtual work",
            e.tail,
            e.head,
        )
        for e in system.mechanism.edges
    )
    symbols = symbols_of(system.mechanism, parts, system.is_planar)
    trees = {"translation": equations.T.names, "rotation": equations.R.names}
    if system.elements:
        net = system.network
        edges += tuple(
            EdgeRecord(p.name, "network", e.noun, p.tail, p.head) for e in net.elements for p in e.ports
        )
        symbols |= network_symbols(net)
        trees["network"] = net.tree.names
    ground = [system.ground.origin, *system.ground.frames.values()]
    spread = [*(f.position for f in ground), *(body.position for body in system.bodies.values())]
    most = _BLOCK * float(np.linalg.norm(np.ptp(spread, axis=0)))
    records = [
        BodyRecord(
            "ground",
            "ground",
            tuple(f.name for f in ground),
            is_ground=True,
            points=np.array([f.position for f in ground]),
        ),
        *(_body_record(body, system.components[name], most) for name, body in system.bodies.items()),
    ]
    return Mechanism(
        system.name,
        tuple(system.frames),
        edges,
        trees,
        tuple(records),
        is_planar=system.is_planar,
        parameters=system.parameters | ({"trees": equations.chosen} if equations.chosen else {}),
        symbols=symbols,
        planes=tuple(planes_of(system.events)),
    )


def _elastic_names(equations: Equations, body: str) -> tuple[str, ...]:
    start = equations.coordinates.elastic[body].q
    part = equations.system.components[body]
    assert isinstance(part, FlexibleBody)
    return equations.coordinates.q_names[start : start + part.table.m]


def _body_record(body: Body, part: Component, most: float) -> BodyRecord:
    """A body as its author drew it; else lines from its own frame to all its others, and a plate or a block.

    A flexible body is its mesh. A block is drawn no larger than ``most``, m, where that is not zero: moments
    of inertia that nothing depends on are often given large, and such a block hides the mechanism.
    """
    if isinstance(part, FlexibleBody):
        return _flexible_record(body, part)
    frames = list(body.frames.values())
    points = np.array([np.zeros(3), *(f.position for f in frames)])
    lines = np.array([[0, i + 1] for i in range(len(frames))], dtype=np.int64).reshape(-1, 2)
    surface: Surface = (np.zeros((0, 3)), plate(points))
    if body.surfaces:
        surface, lines = _joined(body.surfaces), lines[:0]
    elif isinstance(part, RigidBody) and (len(frames) == 0 or not np.ptp(points, axis=0).any()):
        surface = block(part, most)
    more, corners = surface
    # corners of a plate are the frames themselves, others come after them
    return BodyRecord(
        body.name,
        body.name,
        tuple(f.name for f in frames),
        points=np.concatenate([points, more]),
        lines=lines,
        triangles=corners + (len(points) if len(more) else 0),
    )


def _joined(surfaces: Sequence[Surface]) -> Surface:
    """Several surfaces as one."""
    starts = np.cumsum([0, *(len(points) for points, _ in surfaces)])
    return np.concatenate([points for points, _ in surfaces]), np.concatenate(
        [corners + start for (_, corners), start in zip(surfaces, starts, strict=False)]
    )


def _flexible_record(body: Body, part: FlexibleBody) -> BodyRecord:
    mesh, output = part.table.mesh, part.table.output
    shape = (len(mesh.nodes), 3, part.table.m)
    is_small = not part.table.is_sparse or 8 * np.prod(shape) <= DRAWN
    modes = np.zeros(shape if is_small else (0, 3, 0))
    if is_small:
        moved = output.translation
        modes[output.nodes] = moved.toarray() if part.table.is_sparse else moved
    else:
        log.warning(
            "body %r is drawn undeformed: shapes of its %d coordinates at %d nodes would take %d MB",
            part.name, part.table.m, len(mesh.nodes), 8 * np.prod(shape) // 1_000_000,
        )  # fmt: skip
    frames = tuple(f.name for f in body.frames.values())
    return BodyRecord(
        body.name,
        body.name,
        frames,
        points=mesh.nodes,
        lines=mesh.lines,
        triangles=mesh.surface,
        modes=modes,
    )


def columns(
    equations: Equations, reader: ChannelReader, rows: Snapshot, work: Array, solver: Array
) -> dict[str, Array]:
    """Columns of a block of rows, by their path in the result file."""
    values, n = rows.values, equations.n_v
    out: dict[str, Array] = {
        "time": rows.t,
        "state/q": rows.q,
        "state/v": rows.v[:, :n],
        "state/a": rows.a[:, :n],
        "state/z": rows.v[:, n:],
        "state/lambda": rows.lam,
        "energy/kinetic": values.energy[:, 0],
        "energy/strain": values.energy[:, 2],
        "energy/potential": values.energy[:, 1],
        "energy/total": values.energy.sum(axis=1),
        "energy/work": work[:, :3].sum(axis=1) + work[:, 5:].sum(axis=1),
        "energy/drivers": work[:, 0],
        "energy/forces": work[:, 1],
        "energy/damping": work[:, 2],
        "energy/constraints": work[:, 3],
        "energy/scheme": work[:, 4],
        "constraints/position": values.norm[:, 0],
        "constraints/velocity": values.norm[:, 1],
        "solver/step": solver[:, 0],
        "solver/iterations": solver[:, 1],
    }
    if equations.has_networks:
        held = reader.signal(equations.system.network.stored, rows)
        out |= {"energy/network": held, "energy/total": out["energy/total"] + held}
        out |= {f"energy/{name}": work[:, 5 + k] for k, name in enumerate(ROLES)}
    for name, k in equations.packer.node.items():
        for key in ("position", "quaternion", "velocity", "angular_velocity"):
            out[f"frames/{name}/{key}"] = getattr(values, key)[:, k]
    for name, place in equations.coordinates.elastic.items():
        m = len(_elastic_names(equations, name))
        out[f"bodies/{name}/elastic"] = rows.q[:, place.q : place.q + m]
    for name, load in recorded_loads(equations, rows, reader.shares).items():
        out[f"joints/{name}/force"], out[f"joints/{name}/torque"] = load.force, load.torque
    for name, series in reader.read(equations.system.channels, rows).items():
        out[f"channels/{name}"] = series
    return out


def block(part: RigidBody, most: float = 0.0) -> Surface:
    """Points and triangles of the box with the mass and the inertia of a body.

    Where ``most`` is not zero it is drawn smaller if its longest side is above, m.

    Notes
    -----
    A box of sides a, b, c about its axes has J_x = m (b² + c²)/12, so that a² = 6 (J_y + J_z - J_x)/m.
    """
    moments, axes = np.linalg.eigh(part.inertia)
    if part.mass <= 0 or moments[2] <= 0:
        return _NONE
    squares = 6.0 * (moments.sum() - 2.0 * moments) / part.mass
    sides = np.sqrt(np.maximum(squares, 0.0))
    sides = np.maximum(sides, _THIN * sides.max())
    if most:
        sides *= min(1.0, most / sides.max())
    points, corners = box(*sides)
    return points @ axes.T, corners


def plate(points: Array) -> IntArray:
    """Triangles of the convex hull of points, flat or not; none where they lie on a line."""
    centred = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    none = np.zeros((0, 3), dtype=np.int64)
    if len(points) < 3 or sizes[1] <= _FLAT * max(sizes[0], 1e-300):
        return none
    if sizes[2] > _FLAT * sizes[0]:
        from scipy.spatial import ConvexHull  # takes half as long to load as a short run

        return np.asarray(ConvexHull(centred).simplices, dtype=np.int64)
    corners = ring(centred @ axes[:2].T)
    return np.array([[corners[0], b, c] for b, c in pairwise(corners[1:])], dtype=np.int64)


def ring(points: Array) -> list[int]:
    """Corners of the convex hull of points (n, 2) in their order (Andrew 1979)."""
    order = np.lexsort(points.T[::-1])
    out = list[int]()
    for way in (order, order[::-1]):
        half = list[int]()
        for i in way:
            while len(half) > 1 and np.linalg.det(points[[half[-1], i]] - points[half[-2]]) <= 0.0:
                half.pop()
            half.append(int(i))
        out += half[:-1]
    return out


#: frame (empty for a number), direction and number of n · r + c
Affine = tuple[str, Array, float]


def planes_of(events: Iterable[Event]) -> Iterator[PlaneRecord]:
    """A record of every impact whose signal is the distance of a frame from a plane, or a multiple of it.

    A blow along n · r - c is one against the plane n · r = c of the ground. Other signals (an angle, a
    distance) are no planes.
    """
    for event in events:
        found = _affine(event.signal) if isinstance(event.action, Impact) else None
        if found is None or not found[0]:
            continue
        frame, n, c = found
        size = float(np.linalg.norm(n))
        if size > 0.0:
            x, y, z = (float(v) for v in n / size)
            yield PlaneRecord(event.name, frame, (x, y, z), -c / size)


def _affine(s: Signal) -> Affine | None:
    """A signal as n · r + c; None if it is none of one frame."""
    if isinstance(s, Number):
        return "", np.zeros(3), s.value
    if isinstance(s, Measure):
        return (s.target, np.asarray(s.along), 0.0) if s.kind == "position" and s.along is not None else None
    if not isinstance(s, Formula):
        return None
    parts = [_affine(x) for x in s.needs]
    known = [x for x in parts if x is not None]
    frames = {frame for frame, _, _ in known} - {""}
    if len(known) < len(parts) or len(frames) > 1:
        return None
    name = "".join(frames)
    if s.operation == "add":
        return name, np.sum([n for _, n, _ in known], axis=0), sum(c for _, _, c in known)
    if s.operation == "multiply" and len(known) == 2 and not (known[0][0] and known[1][0]):
        (_, n, c), (_, _, factor) = known if known[0][0] else known[::-1]
        return name, n * factor, c * factor
    if s.operation == "divide" and not known[1][0]:
        return name, known[0][1] / known[1][2], known[0][2] / known[1][2]
    return None
