"""Compute the shapes of a reduced body."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from flexnet.errors import ModelError
from flexnet.fem.attachment import attachment_shapes, check_mean_axes, interface, orthonormal, without_rigid
from flexnet.fem.factor import Factor
from flexnet.fem.modes import lowest_modes
from flexnet.fem.reduction import AUTO, Basis, Reduction
from flexnet.fem.structure import Structure
from flexnet.typing import Array

COORDINATES, EIGENMODES = 10, 4  # of modes="auto": in all at most, eigenmodes at least
FULL_LIMIT = 3000  # freedoms of an unreduced table; its tensors are dense


def reduced_basis(structure: Structure, reduction: Reduction, factor: Factor | None = None) -> Basis:
    """Return the basis of a supported body.

    Parameters
    ----------
    structure : the body on ``reduction.support``.
    reduction : what is kept.
    factor : of the stiffness, if at hand (supported bodies only).
    """
    is_auto = reduction.modes == AUTO
    if reduction.method in ("attachment", "craig_bampton") and not structure.body.attachments and not is_auto:
        raise ModelError(f"reduction {reduction.method!r} needs attachment frames; the body has none")
    if structure.is_free and reduction.method != "full":
        check_mean_axes(structure)
    match reduction.method:
        case "full":
            return _full_basis(structure)
        case "craig_bampton":
            basis = _craig_bampton(structure, reduction)
        case "attachment" if is_auto:
            basis = _automatic(structure, reduction, factor)
        case "attachment":
            basis = _with_attachments(structure, reduction, factor)
        case _:
            omega, shapes, following = _eigenmodes(structure, reduction, factor)
            basis = Basis(shapes, omega, ("normal",) * len(omega), following)
    # one Newton step for G = ΦᵀMΦ towards 1 leaves the square of what orthogonality was lost
    G = basis.shapes.T @ (structure.full.M @ basis.shapes)
    return replace(basis, shapes=basis.shapes @ (1.5 * np.eye(len(G)) - 0.5 * G))


def _full_basis(structure: Structure) -> Basis:
    if structure.is_free:
        raise ModelError("an unreduced table needs a support: rigid motions are not deformations")
    if structure.n > FULL_LIMIT:
        raise ModelError(f"{structure.n} freedoms are too many for an unreduced table (limit {FULL_LIMIT})")
    kind = ("nodal",) * structure.n
    return Basis(structure.T.toarray(), np.full(structure.n, np.nan), kind, np.nan)


def _eigenmodes(
    structure: Structure, reduction: Reduction, factor: Factor | None
) -> tuple[Array, Array, float]:
    """Angular frequencies, shapes (6n, k) of the chosen elastic modes, and the first one left out."""
    rigid = 6 if structure.is_free else 0
    lam, z, following = _chosen_modes(structure.K, structure.M, reduction, rigid, factor)
    shapes = np.asarray(structure.T @ z)
    if structure.is_free:
        shapes = without_rigid(structure, shapes)
    return np.sqrt(lam), shapes, following


def _with_attachments(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    omega, normal, following = _eigenmodes(structure, reduction, factor)
    static = attachment_shapes(structure, reduction.frames, factor)
    size = np.sqrt(np.einsum("ij,ij->j", static, structure.full.M @ static))
    for _ in range(2):  # twice is enough to be orthogonal to round-off
        static = static - normal @ (normal.T @ (structure.full.M @ static))
    omega_static, shapes = orthonormal(structure, static, size)
    kind = ("normal",) * len(omega) + ("attachment",) * len(omega_static)
    return Basis(np.hstack([normal, shapes]), np.concatenate([omega, omega_static]), kind, following)


def _automatic(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """At most ten coordinates: the softest static shapes of loads on the frames, and eigenmodes."""
    rigid = 6 if structure.is_free else 0
    available = int(np.count_nonzero(structure.M.diagonal() > 0.0)) - rigid
    chosen = replace(reduction, modes=min(COORDINATES, available))
    if not structure.body.attachments:
        omega, shapes, following = _eigenmodes(structure, chosen, factor)
        return Basis(shapes, omega, ("normal",) * len(omega), following)
    static = attachment_shapes(structure, reduction.frames, factor)
    size = np.sqrt(np.einsum("ij,ij->j", static, structure.full.M @ static))
    rank = orthonormal(structure, static, size)[1].shape[1]
    normal = min(max(COORDINATES - rank, EIGENMODES), available)
    basis = _with_attachments(structure, replace(reduction, modes=normal), factor)
    kept = slice(0, COORDINATES)  # eigenmodes come first, static shapes by their frequency
    return Basis(basis.shapes[:, kept], basis.omega[kept], basis.kind[kept], basis.next_omega)


def _craig_bampton(structure: Structure, reduction: Reduction) -> Basis:
    held = interface(structure, reduction.frames)
    _, z, following = _chosen_modes(held.K, held.M, reduction, 0, held.factor)
    chosen = structure.body.attachments if reduction.frames is None else reduction.frames
    ports = [name for name in chosen if name in structure.body.ports]
    spread = attachment_shapes(structure, ports, None)
    static = np.hstack([held.shapes, spread[:, np.abs(spread).max(axis=0, initial=0.0) > 0.0]])
    shapes = np.hstack([static, held.T @ z])
    n_static = static.shape[1]
    size = np.sqrt(np.einsum("ij,ij->j", shapes, structure.full.M @ shapes))
    if structure.is_free:
        shapes = without_rigid(structure, shapes)
    omega, basis = orthonormal(structure, shapes, size)
    # a coordinate is named after what it is mostly made of
    part = np.linalg.lstsq(shapes, basis, rcond=None)[0]
    made = shapes[:, n_static:] @ part[n_static:]
    normal_share = np.einsum("ij,ij->j", made, structure.full.M @ made)
    normal = np.argsort(-normal_share)[: z.shape[1]]
    kind = tuple("normal" if i in normal else "attachment" for i in range(len(omega)))
    return Basis(basis, omega, kind, following)


def _chosen_modes(
    K: csr_array, M: csr_array, reduction: Reduction, rigid: int, factor: Factor | None
) -> tuple[Array, Array, float]:
    """Eigenvalues and vectors of the chosen modes beyond ``rigid`` zero ones, and the next frequency."""
    available = int(np.count_nonzero(M.diagonal() > 0.0))
    if reduction.modes is None:
        count = min(10, available - rigid)
        limit = (2.0 * np.pi * (reduction.frequency_limit or 0.0)) ** 2
        lam, z = _elastic(K, M, count, rigid, factor)
        while count < available - rigid and lam[-1] <= limit:
            count = min(2 * count, available - rigid)
            lam, z = _elastic(K, M, count, rigid, factor)
        chosen = np.flatnonzero(lam <= limit)
        following = np.sqrt(lam[len(chosen)]) if len(chosen) < len(lam) else np.nan
        return lam[chosen], z[:, chosen], float(following)
    assert not isinstance(reduction.modes, str)
    picked = list(range(1, reduction.modes + 1)) if isinstance(reduction.modes, int) else reduction.modes
    highest = max(picked, default=0)
    if highest > available - rigid:
        raise ModelError(
            f"mode {highest} asked for; the body has {available - rigid} elastic freedoms with mass"
        )
    lam, z = _elastic(K, M, min(highest + 1, available - rigid), rigid, factor)
    chosen = np.array(picked, dtype=np.int64) - 1
    others = np.setdiff1d(np.arange(len(lam)), chosen)
    following = np.sqrt(lam[others[0]]) if others.size else np.nan
    return lam[chosen], z[:, chosen], float(following)


def _elastic(
    K: csr_array, M: csr_array, count: int, rigid: int, factor: Factor | None
) -> tuple[Array, Array]:
    lam, z = lowest_modes(K, M, rigid + count, is_free=rigid > 0, factor=factor)
    return lam[rigid:], z[:, rigid:]
