r"""Frames that loads spread from: a force over all elements of a group, a pressure on its facets.

A load pattern is a vector of nodal loads. With the consistent loads of a uniform field over a group,

.. math:: f_i = \frac{1}{V} \int N^T e_i\, dV, \qquad i = x, y, z,                         \tag{1}

V its length, area or volume, the frame of a :class:`Spread` moves by :math:`P_t u = (f_x, f_y, f_z)^T u`, the
mean motion of the group, at its middle s₀, and turns by the mean rotation :math:`P_r u`: a force on it does
the work of the force spread evenly. A pressure p pushes with :math:`p f`, :math:`f = \int N^T n\, dA`, the
force pR and the torque pM₀ about s₀. Its frame has the same P_r and

.. math:: P_t = (f_x, f_y, f_z)^T + \frac{R}{|R|^2} (f - P_t^T R - P_r^T M_0)^T ,              \tag{2}

so that force and torque on it do the work of f; what is added is in balance, so that rigid motions stay rigid
motions. Where R = 0 the torque takes its place.

A temperature strains freely by αT, T = T₀ + g·x in an element: on it act the loads :math:`f_e = K_e u_e` of

.. math:: u_e = α \bigl(T x - \tfrac12 (x \cdot x)\, g\bigr), \qquad θ_e = α\, g \times x,    \tag{3}

whose strain is αT everywhere, so that a field linear in space strains a free body without stress. All are in
balance. Its frame turns about z by :math:`f^T u / c`, c a number that makes
the angle small, and a torque c between frame and body does the work of f. Of the displacements under it only
u - u_e is elastic, in section forces, stresses and prestress. A volt on a :class:`Piezo` layer at the height
z does the work of the stress resultants N = e₃₁(1, 1, 0), M = zN,

.. math:: f_e = \int B^T (N, M)\, dA ,                                                   \tag{4}

along the axis of beams of N = e₃₁b and its moments; its u_e is what an element would do alone, K_e u_e = f_e.

Everything else (static shapes, prestress, mode acceleration) treats such a frame as one on a node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from flexnet.errors import ModelError
from flexnet.kernels.fem_scatter import scatter_rows
from flexnet.typing import Array, IntArray

if TYPE_CHECKING:
    from flexnet.fem.body import Body
    from flexnet.fem.region import AbstractRegion

NOTHING = 1e-9  # share of the largest possible force or torque of a pressure that is none


@dataclass(frozen=True, slots=True)
class Spread:
    """A frame whose force is spread evenly over the length of beams, area of shells or volume of solids.

    Parameters
    ----------
    group : an element group that has a region.
    """

    group: str


@dataclass(frozen=True, slots=True)
class Pressure:
    """A frame for a pressure on the facets of a group, along their normals (x2 - x1) × (x3 - x1).

    Parameters
    ----------
    group : a group of triangles and quadrilaterals that has a region; ``s.pressure(…)`` loads it.
    """

    group: str


@dataclass(frozen=True, slots=True)
class Temperature:
    """A frame for a change of temperature of a group, which ``s.heat(…)`` scales.

    Parameters
    ----------
    group : an element group that has a region.
    expansion : coefficient α [1/K].
    field : change at every node of the mesh for a unit load [K]; one everywhere if not given. An element has
        the linear field nearest to that of its nodes, constant over thickness and section.
    """

    group: str
    expansion: float
    field: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not np.isfinite(self.expansion):
            raise ModelError(f"expansion {self.expansion} of {self.group!r} must be finite")
        if self.field is not None:
            object.__setattr__(self, "field", tuple(float(x) for x in self.field))


@dataclass(frozen=True, slots=True)
class Piezo:
    """A frame for the voltage of a piezoelectric layer bonded to a group, which ``s.piezo_layer(…)`` drives.

    The layer is poled through its thickness; its stiffness and mass are to be in the section.

    Parameters
    ----------
    group : a group of beams or shells that has a region.
    e31 : force per width of a volt [N/(V m) = C/m²]: of a sheet E d₃₁/(1 - ν), on a beam E d₃₁.
    offset : height of the middle of the layer above the plane of the nodes [m]; on a beam (y, z) from the
        centroid, in section axes.
    width : of the layer on a beam [m].
    """

    group: str
    e31: float
    offset: float | tuple[float, float]
    width: float = 0.0

    def __post_init__(self) -> None:
        if not np.all(np.isfinite([self.e31, self.width, *self.at])):
            raise ModelError(f"e31, offset and width of the layer on {self.group!r} must be finite")

    @property
    def at(self) -> tuple[float, ...]:
        """Where the middle of the layer is."""
        return tuple(map(float, self.offset)) if isinstance(self.offset, Sequence) else (float(self.offset),)


Port: TypeAlias = Spread | Pressure | Temperature | Piezo


@dataclass(frozen=True, slots=True, eq=False)
class PortRows:
    """Motion of a port per nodal freedom, and its unit load.

    Attributes
    ----------
    position : (3,) s₀ [m].
    rows : (6, 6n) P: translation and rotation.
    wrench : (6,) force and torque of a unit load: of 1 Pa, of 1 K, of 1 V; none of a spread force.
    """

    position: Array
    rows: Array
    wrench: Array


def port_rows(body: "Body", name: str) -> PortRows:
    """Return the rows of a port of a body."""
    port = body.ports[name]
    regions = _covered(body, port.group)
    if not regions:
        known = ", ".join(repr(region.group) for region in body.regions)
        raise ModelError(f"frame {name!r} spreads over the group {port.group!r}; there are: {known}")
    if isinstance(port, Pressure) and any(r.kind not in ("triangle", "quadrilateral") for r in regions):
        raise ModelError(f"frame {name!r}: a pressure acts on shells; {port.group!r} has other elements")
    if isinstance(port, Temperature | Piezo):
        return _strained(body, name, port, regions)
    fields, size, moment = np.zeros((6 * len(body.mesh.nodes), 4)), 0.0, np.zeros(3)
    for region in regions:
        cells = body.elements(region)
        X = region.geometry(body.mesh.nodes, cells)
        loads, volume, first = uniform_loads(name, region, X)
        n = _normals(body.mesh.nodes[cells]) if isinstance(port, Pressure) else np.zeros((len(cells), 3))
        scatter_rows(fields, cells, np.concatenate([loads, loads @ n[:, :, None]], axis=2))
        size, moment = size + volume, moment + first
    s0 = moment / size
    rows = np.concatenate([fields[:, :3].T / size, _mean_rotation(body, regions, s0)])
    if isinstance(port, Spread):
        return PortRows(s0, rows, np.zeros(6))
    return _pressed(body, name, PortRows(s0, rows, np.zeros(6)), fields[:, 3], size)


def _covered(body: "Body", group: str) -> "list[AbstractRegion]":
    """Regions of a group of elements: that of its name, or those that make it up."""
    own = [region for region in body.regions if region.group == group]
    if own:
        return own
    out, count = [], 0
    for region in body.regions:
        groups = body.mesh.groups(region.kind)
        if group in groups and np.isin(groups[region.group], groups[group]).all():
            out.append(region)
            count += len(groups[region.group])
    kinds = {region.kind for region in out}
    return out if count == sum(len(body.mesh.groups(kind)[group]) for kind in kinds) else []


def uniform_loads(name: str, region: "AbstractRegion", X: Array) -> tuple[Array, float, Array]:
    """Return ∫Nᵀe_i of elements (n_e, n_edof, 3), their length, area or volume V, and ∫s dV (3,)."""
    if not region.density > 0.0:
        raise ModelError(
            f"frame {name!r} spreads over {region.group!r}, which has no density to be spread by"
        )
    points = region.mass_points(X)
    loads = np.einsum("ep,epaf->efa", points.w, points.N, optimize=True) / region.density
    volume = float(points.w.sum()) / region.density
    return np.ascontiguousarray(loads), volume, np.einsum("ep,epa->a", points.w, points.s) / region.density


def element_loads(body: "Body", region: "AbstractRegion", X: Array) -> Array:
    """Return the loads of unit forces and torques on all frames that act between the nodes of elements.

    (n_e, n_edof, 6 n_f), in the order of the body's attachments: those of :class:`Spread` frames over beams.
    """
    assert region.kind == "line", "only beams ask what acts between their nodes"
    out = np.zeros((len(X), 12, 6 * len(body.attachments)))
    for k, name in enumerate(body.attachments):
        port = body.ports.get(name)
        if isinstance(port, Spread) and region in _covered(body, port.group):
            size = sum(
                uniform_loads(name, r, r.geometry(body.mesh.nodes, body.elements(r)))[1]
                for r in _covered(body, port.group)
            )
            out[:, :, 6 * k : 6 * k + 3] = uniform_loads(name, region, X)[0] / size
    return out


def _pressed(body: "Body", name: str, mean: PortRows, f: Array, area: float) -> PortRows:
    """Equation (2)."""
    at = body.mesh.nodes - mean.position
    forces, moments = f.reshape(-1, 6)[:, :3], f.reshape(-1, 6)[:, 3:]
    R, M = forces.sum(axis=0), (moments + np.cross(at, forces)).sum(axis=0)
    length = float(np.linalg.norm(at, axis=1).max())
    rows, wrench = mean.rows.copy(), np.concatenate([R, M])
    rest = f - rows.T @ wrench
    if np.linalg.norm(R) > NOTHING * area:
        rows[:3] += np.outer(R, rest) / (R @ R)
    elif np.linalg.norm(M) > NOTHING * area * length:
        rows[3:] += np.outer(M, rest) / (M @ M)
    else:
        raise ModelError(
            f"frame {name!r}: the pressure on {body.ports[name].group!r} is in balance by itself, as on a"
            " closed vessel; divide its surface into two groups with a frame each"
        )
    return PortRows(mean.position, rows, wrench)


def _strained(
    body: "Body", name: str, port: Temperature | Piezo, regions: "list[AbstractRegion]"
) -> PortRows:  # fmt: skip
    """Loads of free strain, all in balance, in the place of a torque about z."""
    f = np.zeros((6 * len(body.mesh.nodes), 1))
    for region in regions:
        cells = body.elements(region)
        scatter_rows(f, cells, _strain_loads(body, name, port, region, cells)[:, :, None])
    used = np.unique(np.concatenate([body.elements(r).reshape(-1) for r in regions]))
    middle = body.mesh.nodes[used].mean(axis=0)
    c = float(np.abs(f).sum() * np.linalg.norm(body.mesh.nodes[used] - middle, axis=1).max())
    if not c > 0.0:
        raise ModelError(f"frame {name!r}: a {type(port).__name__.lower()} of {port.group!r} does nothing")
    rows = np.zeros((6, len(f)))
    for node in used:
        rows[:3, 6 * node : 6 * node + 3] = np.eye(3) / len(used)
    rows[5] = f[:, 0] / c
    return PortRows(middle, rows, np.array([0.0, 0.0, 0.0, 0.0, 0.0, c]))


def _strain_loads(
    body: "Body", name: str, port: Temperature | Piezo, region: "AbstractRegion", cells: IntArray
) -> Array:
    """Loads (n_e, n_edof) of elements that strain freely."""
    X = region.geometry(body.mesh.nodes, cells)
    if isinstance(port, Temperature):
        loads = region.stiffness(X) @ _expanded(body, name, port, cells)[:, :, None]
        return np.ascontiguousarray(loads[:, :, 0])
    force = port.e31 * port.width if region.kind == "line" else port.e31
    return np.ascontiguousarray(region.layer_loads(X, force, port.at))


def _expanded(body: "Body", name: str, port: Temperature, cells: IntArray) -> Array:
    """Freedoms (n_e, n_edof) of elements that expand freely, eq. (3)."""
    X, n = body.mesh.nodes[cells], len(body.mesh.nodes)
    field = np.ones(n) if port.field is None else np.asarray(port.field)
    if field.shape != (n,):
        raise ModelError(f"frame {name!r}: a field of {len(field)} temperatures for {n} nodes")
    r, mean = X - X.mean(axis=1, keepdims=True), field[cells].mean(axis=1)
    g = np.einsum("eik,ek->ei", np.linalg.pinv(r, rcond=1e-6), field[cells] - mean[:, None])
    u = np.zeros((*cells.shape, 6))
    u[..., :3] = (mean[:, None] + np.einsum("eki,ei->ek", r, g))[..., None] * r
    u[..., :3] -= 0.5 * g[:, None] * (r * r).sum(axis=2, keepdims=True)
    u[..., 3:] = np.cross(g[:, None], r)
    return port.expansion * u.reshape(len(cells), -1)


def _alone(body: "Body", name: str, port: Piezo, region: "AbstractRegion", cells: IntArray) -> Array:
    """Freedoms (n_e, n_edof) of elements under their loads of free strain, without a rigid motion."""
    K = region.stiffness(region.geometry(body.mesh.nodes, cells))
    size = np.einsum("eii->ei", K)
    d = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))  # no units: rotations beside displacements
    inverse = np.linalg.pinv(d[:, :, None] * K * d[:, None, :], rcond=1e-10, hermitian=True)
    f = _strain_loads(body, name, port, region, cells)
    return np.asarray(d * (inverse @ (d * f)[:, :, None])[:, :, 0])


def free_expansion(body: "Body", region: "AbstractRegion", cells: IntArray) -> Array:
    """Freedoms (n_e, n_edof, 6 n_f) of elements that strain freely, for unit loads on all frames."""
    out = np.zeros((len(cells), 6 * cells.shape[1], 6 * len(body.attachments)))
    for k, name in enumerate(body.attachments):
        port = body.ports.get(name)
        if not isinstance(port, Temperature | Piezo) or region not in _covered(body, port.group):
            continue
        if isinstance(port, Temperature):
            free = _expanded(body, name, port, cells)
        else:
            free = _alone(body, name, port, region, cells)
        out[:, :, 6 * k + 5] = free / port_rows(body, name).wrench[5]
    return out


def free_loads(body: "Body") -> IntArray:
    """Unit loads under which elements strain freely: their places among the six of every frame."""
    ports = [body.ports.get(name) for name in body.attachments]
    return np.array([6 * k + 5 for k, x in enumerate(ports) if isinstance(x, Temperature | Piezo)], dtype=int)


def _normals(X: Array) -> Array:
    """Unit normals (n_e, 3) of triangles or quadrilaterals with corners X (n_e, k, 3)."""
    first, second = (X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    if X.shape[1] == 4:
        first, second = X[:, 2] - X[:, 0], X[:, 3] - X[:, 1]
    n = np.cross(first, second)
    return np.asarray(n / np.linalg.norm(n, axis=1)[:, None])


def _mean_rotation(body: "Body", regions: "list[AbstractRegion]", s0: Array) -> Array:
    """Mean rotation of the nodes of a group, (3, 6n); of solids, of the rigid motion nearest theirs."""
    nodes: IntArray = np.unique(np.concatenate([body.elements(r).reshape(-1) for r in regions]))
    rows = np.zeros((3, len(body.mesh.nodes), 6))
    if all(region.has_rotations for region in regions):
        rows[:, nodes, 3:] = np.eye(3)[:, None] / len(nodes)
        return rows.reshape(3, -1)
    r = body.mesh.nodes[nodes] - s0
    r = r - r.mean(axis=0)
    J = np.einsum("na,na->", r, r) * np.eye(3) - r.T @ r
    # θ = J⁻¹ Σ r × u
    tilde = np.cross(np.eye(3)[None], -r[:, None])  # (node, i, a): (r × e_i)_a
    rows[:, nodes, :3] = np.einsum("ab,nib->ani", np.linalg.inv(J), tilde)
    return rows.reshape(3, -1)
