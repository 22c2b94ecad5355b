"""Eigenmodes of a body, and static shapes beside them."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from flexnet.errors import ModelError
from flexnet.fem.attachment import attachment_shapes, orthonormal, without_rigid
from flexnet.fem.bases.registry import basis
from flexnet.fem.factor import Factor
from flexnet.fem.modes import lowest_modes
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure
from flexnet.typing import Array


@basis()
def eigenmodes(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Eigenmodes of the supported body; of a free one, its elastic modes."""
    omega, shapes, following = elastic_modes(structure, reduction, factor)
    return Basis(shapes, omega, ("normal",) * len(omega), following)


def elastic_modes(
    structure: Structure, reduction: Reduction, factor: Factor | None
) -> tuple[Array, Array, float]:
    """Angular frequencies, shapes (6n, k) of the chosen elastic modes, and the first one left out."""
    rigid = 6 if structure.is_free else 0
    lam, z, following = chosen_modes(structure.K, structure.M, reduction, rigid, factor)
    shapes = np.asarray(structure.T @ z)
    if structure.is_free:
        shapes = without_rigid(structure, shapes)
    return np.sqrt(lam), shapes, following


def beside(structure: Structure, modes: Basis, static: Array, kinds: Sequence[str]) -> Basis:
    """Return modes and what static shapes (6n, k) have beyond them, named after their larger part.

    Parameters
    ----------
    modes : orthonormal in M and diagonal in K.
    static : shapes of any size; those that follow from others are left out.
    kinds : (k,) what they are.
    """
    M = structure.full.M
    size = np.sqrt(np.einsum("ij,ij->j", static, M @ static))
    for _ in range(2):  # twice is enough to be orthogonal to round-off
        static = static - modes.shapes @ (modes.shapes.T @ (M @ static))
    omega, shapes = orthonormal(structure, static, size)
    names = named(structure, shapes, static, kinds)
    return Basis(
        np.hstack([modes.shapes, shapes]),
        np.concatenate([modes.omega, omega]),
        modes.kind + names,
        modes.next_omega,
    )


def named(structure: Structure, shapes: Array, static: Array, kinds: Sequence[str]) -> tuple[str, ...]:
    """Name combinations of static shapes by the kind that makes up the larger part of their mass norm."""
    different = list(dict.fromkeys(kinds))
    if len(different) < 2:
        return tuple(different * shapes.shape[1])
    part = np.linalg.lstsq(static, shapes, rcond=None)[0]
    share = []
    for kind in different:
        own = np.array([k == kind for k in kinds])
        made = static[:, own] @ part[own]
        share.append(np.einsum("ij,ij->j", made, structure.full.M @ made))
    return tuple(different[i] for i in np.argmax(share, axis=0))


def chosen_modes(
    K: csr_array,
    M: csr_array,
    reduction: Reduction,
    rigid: int,
    factor: Factor | None,
    relief: Array | None = None,
) -> tuple[Array, Array, float]:
    """Eigenvalues and vectors of the chosen modes beyond ``rigid`` zero ones, and the next frequency.

    ``relief`` takes some of the mass away, see :func:`flexnet.fem.modes.lowest_modes`.
    """
    available = int(np.count_nonzero(M.diagonal() > 0.0)) - (0 if relief is None else relief.shape[1])
    if reduction.modes is None:
        count = min(10, available - rigid)
        limit = (2.0 * np.pi * (reduction.frequency_limit or 0.0)) ** 2
        lam, z = _elastic(K, M, count, rigid, factor, relief)
        while count < available - rigid and lam[-1] <= limit:
            count = min(2 * count, available - rigid)
            lam, z = _elastic(K, M, count, rigid, factor, relief)
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
    lam, z = _elastic(K, M, min(highest + 1, available - rigid), rigid, factor, relief)
    chosen = np.array(picked, dtype=np.int64) - 1
    others = np.setdiff1d(np.arange(len(lam)), chosen)
    following = np.sqrt(lam[others[0]]) if others.size else np.nan
    return lam[chosen], z[:, chosen], float(following)


def _elastic(
    K: csr_array, M: csr_array, count: int, rigid: int, factor: Factor | None, relief: Array | None
) -> tuple[Array, Array]:
    lam, z = lowest_modes(K, M, rigid + count, is_free=rigid > 0, factor=factor, relief=relief)
    return lam[rigid:], z[:, rigid:]


@basis("frames", needs_frames=True)
def attachment(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Eigenmodes, and K⁻¹f of unit loads f on the frames less their part in them (residual attachment modes).

    On a free body the loads are balanced by the inertia of its rigid motion.
    """
    modes = eigenmodes(structure, reduction, factor)
    static = attachment_shapes(structure, reduction.frames, factor)
    return beside(structure, modes, static, ("attachment",) * static.shape[1])
