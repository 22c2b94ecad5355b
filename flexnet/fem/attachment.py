"""Static shapes of attachment frames: of unit loads on them, or of unit motions of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_array, eye_array, vstack

from flexnet.errors import ModelError
from flexnet.fem.body import Body
from flexnet.fem.factor import Factor, factorise
from flexnet.fem.modes import signed
from flexnet.fem.port import port_rows
from flexnet.fem.structure import (
    Structure,
    congruent,
    rigid_motions,
    scaled_rigid_motions,
    size_of,
    supported,
)
from flexnet.fem.supports import Clamped, Tripod, hold, units
from flexnet.typing import Array, IntArray

DEPENDENT = 1e-18  # squared relative size below which a shape follows from the others
RESOLVED = 1e-12  # squared size, of the largest, up to which a Gram matrix tells shapes from round-off
CARRIED = 1e-12  # of a load: below it nothing of it is left to deform the body
MASSLESS = 1e-16  # share of the body's mass below which a shape moves nothing
IDLE = 1e-12  # the same for a combination of shapes, which round-off gives some mass
# of a combination that reaches less the Gram matrix does not tell its mass: 1e-16, a millionth of its reach
UNTOLD = 1e-10
_IDLE = "an attachment shape moves no mass; turn rotary inertia on or leave its frame out"


def attachment_shapes(structure: Structure, frames: Sequence[str] | None, factor: Factor | None) -> Array:
    """Return the (6n, 6 n_f) static shapes of unit forces and moments on attachment frames.

    On a free body the loads are balanced by the inertia of its rigid motion (inertia relief).
    """
    return static_shapes(structure, frame_rows(structure, frames).T.toarray(), factor)


def static_shapes(structure: Structure, F: Array, factor: Factor | None) -> Array:
    """Return K⁻¹F of loads (6n, k); on a free body of what inertia relief leaves of them, in mean axes."""
    loads = relieved(structure, F) if structure.is_free else F
    held = statically_determinate(structure)
    solver = factor if held is structure and factor is not None else factorise(held.K)
    remaining = np.asarray(held.T.T @ loads)
    # what supports or rigid motion take up leaves round-off, which would become a shape of its own
    length = size_of(structure.body.mesh)
    of_all, of_held = units(held.T, eye_array(len(F), format="csr"), length)
    size = np.linalg.norm(of_all[:, None] * np.hstack([F, loads]), axis=0).reshape(2, -1).max(axis=0)
    remaining[:, np.linalg.norm(of_held[:, None] * remaining, axis=0) <= CARRIED * size] = 0.0
    shapes = np.asarray(held.T @ solver.solve(remaining))
    return without_rigid(structure, shapes) if structure.is_free else shapes


def relieved(structure: Structure, F: Array) -> Array:
    """Return loads F (6n, k) less the inertia of the rigid motion they cause: F - MR (RᵀMR)⁻¹RᵀF."""
    R = scaled_rigid_motions(structure.body.mesh)
    MR = structure.full.M @ R
    return np.asarray(F - MR @ np.linalg.lstsq(R.T @ MR, R.T @ F, rcond=1e-12)[0])


def rigid_momenta(structure: Structure) -> Array:
    """Return MR (6n, 6) of the rigid motions R about the middle of the mesh."""
    R = rigid_motions(structure.body.mesh, structure.body.mesh.nodes.mean(axis=0))
    return np.asarray(structure.full.M @ R)


@dataclass(frozen=True, slots=True)
class Interface:
    """What Craig and Bampton's method needs of a body and its attachment frames.

    Attributes
    ----------
    T : (6n, m) map of the freedoms that remain when the frames are held too.
    K, M : (m, m) their stiffness and mass.
    factor : of K.
    shapes : (6n, r) static shapes of unit motions of the frames, freedoms that are held anyway and rigid
        motions of a free body left out.
    """

    T: csr_array
    K: csr_array
    M: csr_array
    factor: Factor
    shapes: Array


def interface(structure: Structure, frames: Sequence[str] | None) -> Interface:
    """Hold the attachment frames, and move each of their freedoms by one with the rest in static balance."""
    chosen = structure.body.frames if frames is None else frames
    on_nodes = [name for name in chosen if name not in structure.body.ports]
    H = frame_rows(structure, on_nodes)
    T = hold(structure.T, H, size_of(structure.body.mesh))
    K = congruent(T, structure.full.K)
    # a field with the unit motion, then the static answer of everything else
    of_rows, own = units(structure.T, H, size_of(structure.body.mesh))
    B = (H @ structure.T).toarray() * own / of_rows[:, None]
    rows = _independent_rows(B)
    moved = np.linalg.lstsq(B[rows], np.diag(1.0 / of_rows[rows]), rcond=None)[0]
    field = np.asarray(structure.T @ (own[:, None] * moved))
    factor = factorise(K)
    shapes = np.asarray(field - T @ factor.solve(T.T @ (structure.full.K @ field)))
    if structure.is_free:
        # the rigid motions are among them, with known coefficients: keep the other combinations
        rigid = (H @ rigid_motions(structure.body.mesh))[rows]
        shapes = shapes @ np.linalg.qr(rigid, mode="complete")[0][:, rigid.shape[1] :]
    return Interface(T, K, congruent(T, structure.full.M), factor, shapes)


def statically_determinate(structure: Structure) -> Structure:
    """Return the structure itself, or if it is free, the body clamped at the node nearest its middle.

    A solid, whose nodes do not turn, stands on three feet instead. Internal forces of a load in balance do
    not depend on where the body is held.
    """
    if not structure.is_free:
        return structure
    body, mesh = structure.body, structure.body.mesh
    middle = mesh.nearest_node(mesh.nodes.mean(axis=0))
    unturned = body.without_rotations()
    where = _feet(mesh.nodes, np.flatnonzero(unturned)) if unturned[middle] else Clamped(middle)
    return supported(body, where, matrices=structure.full)


def _feet(nodes: Array, among: IntArray) -> Tripod:
    """Three nodes far from each other."""
    X = nodes[among]
    a = int(np.linalg.norm(X - X.mean(axis=0), axis=1).argmax())
    b = int(np.linalg.norm(X - X[a], axis=1).argmax())
    c = int(np.linalg.norm(np.cross(X - X[a], X[b] - X[a]), axis=1).argmax())
    return Tripod(int(among[a]), int(among[b]), int(among[c]))


def frame_rows(structure: Structure, frames: Sequence[str] | None) -> csr_array:
    """Return the (6 n_f, 6n) rows of the motion of attachment frames: freedoms of nodes, or means of them."""
    body = structure.body
    chosen = body.attachments if frames is None else frames
    blocks = [csr_array((0, 6 * len(body.mesh.nodes)))]
    for name in chosen:
        if name not in body.attachments:
            known = ", ".join(body.attachments) or "none"
            raise ModelError(f"no frame {name!r} on the body; there are: {known}")
        blocks.append(_frame(body, name))
    return csr_array(vstack(blocks))


def _frame(body: Body, name: str) -> csr_array:
    """Rows of one frame, (6, 6n)."""
    if name in body.ports:
        return csr_array(port_rows(body, name).rows)
    columns = 6 * body.frame_node(name) + np.arange(6)
    return csr_array((np.ones(6), columns, np.arange(7)), shape=(6, 6 * len(body.mesh.nodes)))


def without_rigid(structure: Structure, shapes: Array) -> Array:
    """Remove the rigid motion of each shape: momentum and angular momentum become zero."""
    R = rigid_motions(structure.body.mesh, structure.body.mesh.nodes.mean(axis=0))
    MR = structure.full.M @ R
    for _ in range(2):
        shapes = np.asarray(shapes - R @ np.linalg.solve(R.T @ MR, MR.T @ shapes))
    return shapes


def check_mean_axes(structure: Structure) -> None:
    """Refuse mean axes of a body without inertia about some axis."""
    R = rigid_motions(structure.body.mesh, structure.body.mesh.nodes.mean(axis=0))
    mass = R.T @ (structure.full.M @ R)
    length = float(np.ptp(structure.body.mesh.nodes, axis=0).max())
    scale = np.array([1.0, 1.0, 1.0] + [1.0 / length] * 3)
    value = np.linalg.eigvalsh(scale[:, None] * mass * scale)
    if value[0] <= IDLE * value[-1]:
        raise ModelError(
            "a free body without inertia about an axis has no mean axes; use consistent inertia with rotary"
            " inertia, or clamp it"
        )


def orthonormal(structure: Structure, shapes: Array, size: Array) -> tuple[Array, Array]:
    """Return frequencies and combinations of shapes that are orthonormal in M and diagonal in K.

    Parameters
    ----------
    structure : for its matrices.
    shapes : (6n, k) shapes; those that depend on others are dropped.
    size : (k,) mass norm of the shapes before anything was projected out of them; what is left of a shape is
        judged against it.

    Notes
    -----
    A shape moves mass if its mass norm is not lost beside its *reach*, the mass norm of all freedoms moved as
    far as its largest: translations in lengths of the body, rotations in radians, masses to match.
    """
    K, M = structure.full.K, structure.full.M
    moving = np.abs(shapes).max(axis=0, initial=0.0) > 0.0
    shapes, size = shapes[:, moving], size[moving]
    if (size**2 <= MASSLESS * _reach(structure, shapes)).any():
        raise ModelError(_IDLE)
    scaled = shapes / size
    value, vector = np.linalg.eigh(scaled.T @ (M @ scaled))
    combined = scaled @ vector
    reach = _reach(structure, combined)
    if ((reach > UNTOLD) & (value <= IDLE * reach)).any():
        raise ModelError(_IDLE)
    independent = _independent(M, scaled)
    lam, y = np.linalg.eigh(independent.T @ (K @ independent))
    return np.sqrt(np.clip(lam, 0.0, None)), signed(independent @ y)


def _independent(M: csr_array, scaled: Array) -> Array:
    """Return M-orthonormal combinations (6n, r) that span shapes (6n, k) of size one or less.

    The eigenvalues of a Gram matrix are true to some 1e-16 of the largest: shapes below that would be
    round-off. So the large ones are taken first, and what the others have beyond them is looked at again.
    """
    found = np.zeros((len(scaled), 0))
    for _ in range(scaled.shape[1]):
        rest = scaled
        for _ in range(2):
            rest = rest - found @ (found.T @ (M @ rest))
        value, vector = np.linalg.eigh(rest.T @ (M @ rest))
        kept = (value > DEPENDENT * scaled.shape[1]) & (value > RESOLVED * value[-1])
        if not kept.any():
            break
        found = np.hstack([found, rest @ (vector[:, kept] / np.sqrt(value[kept]))])
        found = found @ (1.5 * np.eye(found.shape[1]) - 0.5 * (found.T @ (M @ found)))
    return np.asarray(found)


def _reach(structure: Structure, shapes: Array) -> Array:
    """Squared mass norm of all freedoms moved as far as the largest of each shape, (k,)."""
    mesh = structure.body.mesh
    length = float(np.ptp(mesh.nodes, axis=0).max()) or 1.0
    sizes = np.tile(np.repeat([length, 1.0], 3), len(mesh.nodes))
    largest = np.abs(shapes / sizes[:, None]).max(axis=0, initial=0.0)
    out: Array = largest**2 * float(structure.full.M.diagonal() @ sizes**2)
    return out


def _independent_rows(B: Array) -> IntArray:
    """Numbers of the rows of B that do not follow from the others; freedoms held already have none."""
    if not B.size:
        return np.empty(0, dtype=np.int64)
    _, R, order = qr(B.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.count_nonzero(diagonal > 1e-10 * max(diagonal[0], 1e-300)))
    return np.sort(order[:rank]).astype(np.int64)
