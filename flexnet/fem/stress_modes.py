r"""Stress modes: what a few modes leave out of the stresses, as static answers of the whole mesh.

In its frame a body in motion is held in balance by inertia, damping, the loads on its attachment frames and
the prestress they bring. With the displacements Φ q of its coordinates and the residual flexibility

.. math:: R = K^{-1} - Φ (Φ^T K Φ)^{-1} Φ^T                                             \tag{1}

the displacements of the mesh are

.. math:: u = Φ q + R\, \Big( \sum_k g_k f_k - \sum_{abj} c_{abj} \int ρ N_a^T \hat N_{bj}
              - C Φ \dot q - \sum_{kj} g_k q_j K_{G,k} φ_j \Big) ,                        \tag{2}

g the twelve numbers of the motion of the frame (flexnet.fem.unit_loads) and the loads on the frames,
:math:`c_j = A q_j + 2 \tilde ω \dot q_j + 1 \ddot q_j`, :math:`A = \tilde{\dot ω} + \tilde ω \tilde ω`. All
of it is linear in the vector z = (q, g, c, q̇, g q), so are section forces and strains: stress modes are
those of each entry of z. docs/theory/stress.md derives and limits this.

Prestress acts on Φ q in (2), not on what R adds: in energy that is in error by no more than x of itself,

.. math:: x = \max_y |y^T K_G y| / y^T K y, \qquad y = R\,(\cdot), \quad K_G = \sum_k g_k K_{G,k} ,   \tag{3}

over all that the modes leave out; the softest of it, which decides, is found by inverse iteration.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.assembly import assemble
from flexnet.fem.attachment import frame_rows, statically_determinate
from flexnet.fem.beam.region import BeamRegion
from flexnet.fem.body import Body, freedoms, points_of
from flexnet.fem.factor import factorise
from flexnet.fem.flex_table import FlexTable
from flexnet.fem.geometric_tensors import geometric_loads, prestress_state
from flexnet.fem.imported.recovery import NodalStress
from flexnet.fem.imported.substructure import Substructure
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.port import element_loads, free_expansion, free_loads
from flexnet.fem.recovery import Recovered, joined
from flexnet.fem.structure import Structure, rigid_motions, supported
from flexnet.fem.supports import Free, Support
from flexnet.fem.unit_loads import N_INERTIA, omega_products, unit_inertia_loads
from flexnet.kernels.fem_scatter import scatter_rows
from flexnet.typing import Array, IntArray

IDLE = 1e-300  # stress of an entry of z that is left out
LEFT_OUT = 4  # shapes among those left out that are looked at
UNLIKE = 0.1  # part of the energy by which elements of a deck may differ from its matrices

log = logging.getLogger("flexnet.stress")


@dataclass(frozen=True, slots=True, eq=False)
class BodyMotion:
    """Motion and loads of a flexible body at some instants, in the axes of its frame.

    Attributes
    ----------
    q, v, a : (rows, m) elastic coordinates and their rates.
    acceleration : (rows, 3) of the frame, less gravity [m/s²].
    omega, alpha : (rows, 3) angular velocity and acceleration of the frame [rad/s, rad/s²].
    loads : (rows, n_f, 6) forces and torques on the attachment frames [N, N·m].
    """

    q: Array
    v: Array
    a: Array
    acceleration: Array
    omega: Array
    alpha: Array
    loads: Array

    def loads_of_unit(self) -> Array:
        """How much of every unit load acts, g of eq. (2), (rows, n_g)."""
        products = np.apply_along_axis(omega_products, 1, self.omega)
        return np.hstack([self.acceleration, self.alpha, products, self.loads.reshape(len(self.q), -1)])

    def vector(self, is_stiffened: bool) -> Array:
        """The vector z of eq. (2), (rows, n_z)."""
        rows, g = len(self.q), self.loads_of_unit()
        one = np.broadcast_to(np.eye(3), (rows, 3, 3))
        turn = np.cross(one, -self.omega[:, None]).transpose(0, 2, 1)  # ω̃
        A = np.cross(one, -self.alpha[:, None]).transpose(0, 2, 1) + turn @ turn
        c = A[..., None] * self.q[:, None, None] + 2.0 * turn[..., None] * self.v[:, None, None]
        c = c + one[..., None] * self.a[:, None, None]  # (row, a, b, coordinate)
        parts = [self.q, g, c.reshape(rows, -1), self.v]
        if is_stiffened:
            parts.append((g[:, :, None] * self.q[:, None]).reshape(rows, -1))
        return np.hstack(parts)


@dataclass(frozen=True, slots=True, eq=False)
class StressModes:
    """Section forces and strains of every entry of the vector z.

    Attributes
    ----------
    groups : by name of the element group; the first axis of their arrays is the entry of z.
    entries : (n,) entries of z that have stresses at all.
    is_stiffened : whether z has the products g q of the prestress.
    unstiffened : (n_g, p, p) what the prestress of each unit load does to the softest shapes that are left
        out, over their own stiffness.
    """

    groups: Mapping[str, Recovered]
    entries: IntArray
    is_stiffened: bool
    unstiffened: Array

    def vector(self, motion: BodyMotion) -> Array:
        """The entries of z along a motion, (rows, n)."""
        return np.ascontiguousarray(motion.vector(self.is_stiffened)[:, self.entries])

    def prestress_left_out(self, motion: BodyMotion) -> float:
        """Largest x of all instants: prestress over stiffness, of what the modes leave out, eq. (3)."""
        of_loads = np.tensordot(motion.loads_of_unit(), self.unstiffened, 1)
        return float(np.abs(np.linalg.eigvalsh(of_loads)).max(initial=0.0))

    def recover(self, motion: BodyMotion) -> dict[str, Recovered]:
        """Section forces of beams and strains of shells along a motion; the first axis is the row."""
        z = self.vector(motion)
        return {name: found.combined(z) for name, found in self.groups.items()}


def stress_modes(
    body: Body,
    table: FlexTable,
    support: Support | None = None,
    inertia: str = "consistent",
    is_stiffened: bool = True,
) -> StressModes:
    """Return the stress modes of a reduced body.

    Parameters
    ----------
    body : the finite-element body the table was made from.
    table : with the motion of all nodes.
    support : what the table's shapes are held by; loads on the frame of the body itself act there. Left
        out, or :class:`Free`: what does not balance is carried by the inertia of the rigid motion.
    inertia : of the table.
    is_stiffened : whether prestress takes part.
    """
    shapes = nodal_shapes(body, table)
    structure = supported(body, support or Free(), matrices=assemble(body, inertia))
    held = statically_determinate(structure)
    solve = factorise(held.K).solve
    # loads (6n, ·): of the frame and the attachments, of the elastic motion, of damping
    g = np.hstack([structure.full.unit_loads, frame_rows(structure, None).T.toarray()])
    field = _field_loads(body, shapes, inertia)
    damped = structure.full.C @ shapes
    # ratios of modes: a matrix M Φ (C - ΦᵀCΦ) ΦᵀM over all freedoms
    damped = damped + structure.full.M @ (shapes @ (table.C - shapes.T @ damped))

    def balanced(loads: Array) -> tuple[Array, Array, Array]:
        """Answers of all freedoms, the loads that balance, and the rigid accelerations that relieve them."""
        eased = _relief(structure, loads)
        loads = loads + structure.full.unit_loads[:, :6] @ eased
        return np.asarray(held.T @ solve(held.T.T @ loads)), loads, eased

    U, L, relief = balanced(np.hstack([g, field, -damped]))
    U_g, spread = U[:, : g.shape[1]], np.eye(N_INERTIA, g.shape[1])
    spread[:6] += relief[:, : g.shape[1]]
    unstiffened = np.zeros((g.shape[1], 0, 0))
    if is_stiffened:
        k = g.shape[1]
        forces = structure.full.K @ U_g - L[:, :k]
        Y = _left_out(structure, balanced, shapes, table.K)
        both = np.hstack([shapes, Y])
        G = -geometric_loads(body, U_g, forces, spread, both, inertia).reshape(len(both), k, -1)
        unstiffened = -np.einsum("ia,ikb->kab", Y, G[:, :, table.m :])
        more = balanced(G[:, :, : table.m].reshape(len(both), k * table.m))
        U, L, relief = (np.hstack(pair) for pair in zip((U, L, relief), more, strict=True))
    if table.m:
        U = U - shapes @ np.linalg.solve(table.K, shapes.T @ L)
    found = _recovered(body, shapes, U, relief, inertia, (U_g, spread) if is_stiffened else None)
    sizes = np.array([one.sizes() for one in found.values()])
    entries = np.flatnonzero((sizes > IDLE * sizes.max(axis=1, initial=0.0)[:, None]).any(axis=0))
    groups = {name: one.chosen(entries) for name, one in found.items()}
    return StressModes(groups, entries, is_stiffened, unstiffened)


def nodal_freedoms(table: FlexTable, x: Array) -> Array:
    """Displacements and rotations (6n,) of the nodes whose motion a table knows, all or in their order.

    Of coordinates (m, k), columns (6n, k).
    """
    output = table.output
    moved = np.concatenate([output.translation @ x, output.rotation @ x], axis=1)[np.argsort(output.nodes)]
    return moved.reshape(-1, *x.shape[1:])


def nodal_shapes(body: Body, table: FlexTable) -> Array:
    """Displacements and rotations of all nodes per elastic coordinate, (6n, m)."""
    output = table.output
    if table.is_sparse:
        raise ModelError("stresses of an unreduced body are not recovered yet; reduce it (modes=…)")
    if len(output.nodes) != len(body.mesh.nodes):
        raise ModelError(
            f"the table knows the motion of {len(output.nodes)} nodes, its body has {len(body.mesh.nodes)}"
        )
    shapes = np.empty((len(output.nodes), 6, table.m))
    shapes[output.nodes, :3], shapes[output.nodes, 3:] = output.translation, output.rotation
    return shapes.reshape(6 * len(output.nodes), table.m)


def _left_out(
    structure: Structure, balanced: Callable[[Array], tuple[Array, Array, Array]], shapes: Array, K_q: Array
) -> Array:
    """The softest shapes that Φ leaves out, (6n, p), YᵀKY = 1 and ΦᵀKY = 0; none where it leaves none."""
    K = structure.full.K
    Y = np.random.default_rng(0).normal(size=(len(shapes), LEFT_OUT))
    for _ in range(3):
        whole = balanced(structure.full.M @ Y)[0]
        Y = whole - shapes @ np.linalg.solve(K_q, shapes.T @ (K @ whole))
        size, axes = np.linalg.eigh(Y.T @ (K @ Y))
        kept = size > 1e-10 * np.trace(whole.T @ (K @ whole))
        Y = Y @ (axes[:, kept] / np.sqrt(size[kept]))
    return np.asarray(Y)


def _relief(structure: Structure, L: Array) -> Array:
    """Rigid accelerations (6, n_l) whose inertia balances loads on a free body; none on a supported one."""
    if not structure.is_free:
        return np.zeros((6, L.shape[1]))
    R = rigid_motions(structure.body.mesh)
    return np.asarray(np.linalg.solve(R.T @ -structure.full.unit_loads[:, :6], R.T @ L))


def _field_loads(body: Body, shapes: Array, inertia: str) -> Array:
    """Loads -∫ρ N_aᵀ N̂_bj of the elastic motion, (6n, 9m), axes (a, b, j)."""
    total = np.zeros((len(shapes), 9 * shapes.shape[1]))
    for cells, points in body.mass_batches(inertia):
        scatter_rows(total, cells, _element_field(points, shapes[freedoms(cells)]))
    for part in body.parts:
        where = freedoms(part.nodes[None])[0]
        total[where] += part.field_loads(shapes[where], inertia)
    return total


def _element_field(points: MassPoints, phi: Array) -> Array:
    """The same of elements, (n_e, n_edof, 9m), for their shapes phi (n_e, n_edof, m)."""
    n_e, n_p, _, n_edof = points.N.shape
    moved = points.N @ phi[:, None] * -points.w[:, :, None, None]  # (element, point, b, j)
    N = points.N.transpose(0, 3, 2, 1).reshape(n_e, -1, n_p)  # (element, freedom and a, point)
    return np.ascontiguousarray((N @ moved.reshape(n_e, n_p, -1)).reshape(n_e, n_edof, -1))


def _recovered(
    body: Body,
    shapes: Array,
    U: Array,
    relief: Array,
    inertia: str,
    prestress: tuple[Array, Array] | None,
) -> dict[str, Recovered]:
    """Section forces and strains of the coordinates, then of every load, region by region.

    The prestress are displacements of unit loads and accelerations of the frame that balance them.
    """
    out: dict[str, list[Recovered]] = {}
    names = dict(zip(map(id, body.regions), body.region_names(), strict=True))
    freely = free_loads(body)
    for region, cells, X in body.batches():
        where = freedoms(cells)
        phi, u = shapes[where], U[where]
        f = None
        if region.has_bow:
            spread = element_loads(body, region, X)
            f = _element_loads(points_of(region, X, inertia), phi, relief, spread)
        if isinstance(region, BeamRegion) and prestress is not None:
            assert f is not None
            state = prestress_state(body, region, cells, X, *prestress, inertia)
            between = region.prestress_between(X, state, phi).transpose(2, 0, 1)
            f[len(f) - len(between) :] += between
        q = np.concatenate([phi, u], axis=2).transpose(2, 0, 1)
        found = region.recover(cells, X, q, f)
        if len(freely):
            free = free_expansion(body, region, cells)[:, :, freely].transpose(2, 0, 1)
            rows = shapes.shape[1] + N_INERTIA + freely
            found = found.without(region.recover(cells, X, free), rows)
        out.setdefault(names[id(region)], []).append(found)
    for part in body.parts:
        _look(body, part, shapes)
        for one in part.elements:
            out[one.group] = [one.recover(body.mesh.nodes, np.hstack([shapes, U]))]
    for k, part in enumerate(part for part in body.parts if part.stress is not None):
        assert part.stress is not None
        u = np.hstack([shapes, U])[freedoms(part.nodes[None])[0]]
        stress = np.asarray(part.stress @ u).T.reshape(u.shape[1], -1, 6)
        nodes = part.nodes[part.stress_nodes][:, None]
        out[f"imported {k + 1}" if k else "imported"] = [NodalStress(nodes, stress)]
    return {name: joined(parts) for name, parts in out.items()}


def _look(body: Body, part: Substructure, shapes: Array) -> None:
    """Say where elements have not the stiffness of the matrices, see flexnet.fem.imported.elements."""
    where = freedoms(part.nodes[None])[0]
    whole = float(np.einsum("ij,ij->", shapes[where], part.K @ shapes[where]))
    if part.elements and whole > 0.0:
        share = sum(one.energy(body.mesh.nodes, shapes) for one in part.elements) / whole
        if abs(share - 1.0) > UNLIKE:
            log.warning(
                "stresses of an imported body: the elements of its deck have %.3g of the energy of its"
                " matrices; others are without stresses, or sections, materials or units are not theirs",
                share,
            )  # fmt: skip


def _element_loads(points: MassPoints, phi: Array, relief: Array, spread: Array) -> Array:
    """Loads distributed over elements in every entry of z, (n_z, n_e, n_edof)."""
    unit = unit_inertia_loads(points)
    m, (n_e, n_edof) = phi.shape[2], phi.shape[:2]
    f = np.zeros((n_e, n_edof, m + relief.shape[1]))
    f[:, :, m : m + N_INERTIA] = unit
    start = m + N_INERTIA + spread.shape[2]
    f[:, :, m + N_INERTIA : start] = spread
    f[:, :, start : start + 9 * m] = _element_field(points, phi)
    f[:, :, m:] += unit[:, :, :6] @ relief
    return f.transpose(2, 0, 1)
