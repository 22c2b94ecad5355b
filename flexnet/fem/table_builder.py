"""Build the table of a flexible body from its mesh."""

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from flexnet.errors import ModelError
from flexnet.fem.assembly import assemble
from flexnet.fem.attachment import frame_rows, statically_determinate
from flexnet.fem.bases import reduced_basis
from flexnet.fem.body import INERTIAS, Body
from flexnet.fem.factor import Factor, factorise
from flexnet.fem.fingerprint import fingerprint
from flexnet.fem.flex_table import FlexTable, FrameRows
from flexnet.fem.geometric_tensors import GeometricTensors, geometric_tensors
from flexnet.fem.inertia_tensors import InertiaTensors, inertia_tensors
from flexnet.fem.material import ModalDamping
from flexnet.fem.mode_table import ModeTable
from flexnet.fem.port import port_rows
from flexnet.fem.reduction import UNREDUCED, Basis, Reduction
from flexnet.fem.structure import Structure, supported
from flexnet.fem.unit_loads import N_INERTIA
from flexnet.fem.unreduced import check_unreduced, sparse_rows, sparse_tensors
from flexnet.mesh import NodeRef
from flexnet.typing import Array, IntArray

FORMULATION = 10  # raise when the same input gives other tensors: old cached tables are then not found


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What goes into a table besides the body and its reduction.

    Parameters
    ----------
    inertia : ``consistent``, ``linear`` (Richard 2012, eqs 50-51) or ``lumped``.
    geometric : whether to compute the geometric stiffness matrices; they are zero if not.
    output : nodes whose motion is wanted besides the frames'; all if None.
    """

    inertia: str = "consistent"
    geometric: bool = True
    output: NodeRef | None = None

    def __post_init__(self) -> None:
        if self.inertia not in INERTIAS:
            raise ModelError(f"no inertia {self.inertia!r}; there are: {', '.join(INERTIAS)}")


def table_key(body: Body, reduction: Reduction, options: TableOptions) -> str:
    """Return the fingerprint of everything a table depends on."""
    return fingerprint(FORMULATION, body, reduction, options)


def build_table(body: Body, reduction: Reduction, options: TableOptions | None = None) -> FlexTable:
    """Compute the table of a flexible body.

    Parameters
    ----------
    body : mesh, sections, links, masses, frames.
    reduction : frame of reference and shapes.
    options : inertia, geometric stiffness, output nodes.
    """
    # sums of several threads of BLAS differ in their last bits with their number
    with threadpool_limits(1):
        return _built(body, reduction, options or TableOptions())


def _built(body: Body, reduction: Reduction, options: TableOptions) -> FlexTable:
    structure = supported(body, reduction.support, matrices=assemble(body, options.inertia))
    if reduction.method == UNREDUCED:
        return _unreduced(structure, reduction, options)
    factor = None if structure.is_free else factorise(structure.K)
    basis = reduced_basis(structure, reduction, factor)
    tensors = inertia_tensors(body, basis.shapes, options.inertia)
    return FlexTable(
        key=table_key(body, reduction, options),
        inertia=tensors,
        K=_reduced(structure.full.K, basis.shapes),
        C=_reduced(structure.full.C, basis.shapes) + _ratios(body, basis),
        frames=_frames(body, basis.shapes),
        output=_output(body, basis.shapes, options.output),
        geometric=_geometric(structure, factor, basis.shapes, options),
        modes=mode_table(basis.kind, basis.omega, tensors, basis.next_omega, structure.is_free),
        mesh=body.mesh,
    )


def _unreduced(structure: Structure, reduction: Reduction, options: TableOptions) -> FlexTable:
    """The table whose coordinates are the freedoms of the mesh."""
    check_unreduced(structure)
    body, m, mesh = structure.body, structure.n, structure.body.mesh
    _refuse_ratios(body)
    factor = factorise(structure.K)
    tensors, K, C, geometric = sparse_tensors(structure, factor, options.inertia, options.geometric)
    nodes = np.arange(len(mesh.nodes)) if options.output is None else mesh.find_nodes(options.output)
    rows = np.asarray((frame_rows(structure, None) @ structure.T).toarray()).reshape(-1, 6, m)
    spread = [(-1, port_rows(body, name).position) for name in body.ports]
    on = [(node, mesh.nodes[node]) for node in map(body.frame_node, body.frames)] + spread
    return FlexTable(
        key=table_key(body, reduction, options),
        inertia=tensors,
        K=K,
        C=C,
        frames=FrameRows(
            body.attachments,
            np.array([node for node, _ in on], dtype=np.int64),
            np.array([place for _, place in on], dtype=float).reshape(-1, 3),
            rows[:, :3].copy(),
            rows[:, 3:].copy(),
        ),
        output=sparse_rows(body, structure.T, nodes),
        geometric=geometric,
        modes=mode_table(("nodal",) * m, np.full(m, np.nan), tensors, np.nan, False),
        mesh=mesh,
    )


def _refuse_ratios(body: Body) -> None:
    if isinstance(body.damping, ModalDamping):
        raise ModelError("ModalDamping needs modes; an unreduced table takes Rayleigh(…) or a material's eta")


def _ratios(body: Body, basis: Basis) -> Array:
    """Damping (m, m) by ratios: 2ζω of coordinates that are orthonormal in mass and diagonal in stiffness."""
    if not isinstance(body.damping, ModalDamping):
        return np.zeros((len(basis.omega), len(basis.omega)))
    if "nodal" in basis.kind:
        _refuse_ratios(body)
    return np.diag(2.0 * body.damping.at(basis.omega / (2.0 * np.pi)) * basis.omega)


def _reduced(A: Array, shapes: Array) -> Array:
    product = shapes.T @ (A @ shapes)
    return np.asarray(0.5 * (product + product.T))


def _frames(body: Body, shapes: Array) -> FrameRows:
    """Frames on nodes, then those that spread their loads, whose node is -1."""
    nodes = np.array([body.frame_node(name) for name in body.frames], dtype=np.int64)
    own = _rows(body, shapes, tuple(body.frames), nodes)
    if not body.ports:
        return own
    found = [port_rows(body, name) for name in body.ports]
    moved = np.stack([port.rows @ shapes for port in found])
    return FrameRows(
        body.attachments,
        np.concatenate([nodes, np.full(len(found), -1)]),
        np.concatenate([own.position, [port.position for port in found]]),
        np.concatenate([own.translation, moved[:, :3]]),
        np.concatenate([own.rotation, moved[:, 3:]]),
    )


def _output(body: Body, shapes: Array, where: NodeRef | None) -> FrameRows:
    nodes = np.arange(len(body.mesh.nodes)) if where is None else body.mesh.find_nodes(where)
    return _rows(body, shapes, tuple(str(node) for node in nodes), nodes)


def _rows(body: Body, shapes: Array, names: tuple[str, ...], nodes: IntArray) -> FrameRows:
    rows = shapes.reshape(len(shapes) // 6, 6, shapes.shape[1])[nodes]
    return FrameRows(names, nodes, body.mesh.nodes[nodes], rows[:, :3].copy(), rows[:, 3:].copy())


def _geometric(
    structure: Structure, factor: Factor | None, shapes: Array, options: TableOptions
) -> GeometricTensors:
    if not options.geometric or shapes.shape[1] == 0:
        m, n_f = shapes.shape[1], len(structure.body.attachments)
        zero = np.zeros((N_INERTIA, m, m))
        return GeometricTensors(zero[:3], zero[3:6], zero[6:], np.zeros((n_f, 6, m, m)))
    held = statically_determinate(structure)
    solver = factor if factor is not None else factorise(held.K)
    return geometric_tensors(held, solver, shapes, options.inertia)


def mode_table(
    kind: tuple[str, ...], omega: Array, tensors: InertiaTensors, next_omega: float, is_free: bool
) -> ModeTable:
    """Effective masses follow from the tensors: momentum and angular momentum of each coordinate.

    Parameters
    ----------
    kind, omega : (m,) what the coordinates are, and their angular frequencies, rad/s.
    tensors : of the body.
    next_omega : of the first eigenmode left out, rad/s.
    is_free : whether the frame has mean axes.
    """
    sN = tensors.sN
    angular = np.stack([sN[1, 2] - sN[2, 1], sN[2, 0] - sN[0, 2], sN[0, 1] - sN[1, 0]])
    momentum = np.concatenate([tensors.N1, angular])  # (6, m)
    # nodal freedoms share the mass between them
    modal_mass = np.full(len(kind), np.nan) if "nodal" in kind else np.einsum("aaii->i", tensors.NN)
    inertia = np.trace(tensors.s2) * np.eye(3) - tensors.s2
    return ModeTable(
        kind=kind,
        frequency=omega / (2.0 * np.pi),
        effective_mass=(momentum**2 / np.where(modal_mass <= 0.0, np.inf, modal_mass)).T,
        total_mass=np.concatenate([np.full(3, tensors.mass), np.diag(inertia)]),
        next_frequency=next_omega / (2.0 * np.pi),
        is_free=is_free,
    )
