"""Where the mass matrix, the constraint Jacobian and the tangents can be nonzero, read off the trees."""

from functools import partial
from itertools import product

import numpy as np

from flexnet.dae import DENSE, Sparsity
from flexnet.formulation.columns import loaded_elements
from flexnet.kernels.model import OF_CALLS, OF_ENERGY, OF_MOTION, Model
from flexnet.typing import AnyArray, IntArray

#: pairs of coordinates, counted for each thing they move, over all pairs: from there on tangents are as good
#: as full
_FULL = 4.0


def sparsity(model: Model) -> Sparsity | None:
    """Entries that :func:`~flexnet.kernels.newton.newton_matrices` writes; None for anywhere.

    Without states the matrix is symmetric. Feedback and states bring what has no symmetry, but both an entry
    and its transpose are given.
    """
    if len(model.states) and model.sensed[OF_MOTION] == 1:
        return None  # forces follow accelerations and loads, and with them everything
    if _is_full(model):
        return None
    found, jacobian = _structure(model)
    has_states = len(model.states) > 0
    entries = found
    if has_states:
        entries = np.unique(np.concatenate([found, model.fed, model.fed[:, ::-1]]), axis=0)
    return Sparsity(entries, jacobian, partial(_tangent, model, found), is_symmetric=not has_states)


_known: dict[tuple[bytes, ...], tuple[IntArray, IntArray]] = {}
#: structures that are remembered, and the largest of them, bytes
_MOST, _LARGEST = 64, 2**16


def _structure(model: Model) -> tuple[IntArray, IntArray]:
    """Entries of M and G; a mechanism with other numbers has the same ones."""
    lists = [getattr(model, name) for name in model._fields if name.startswith("col_")]
    arrays = [model.t_edges, model.r_edges, model.flex, model.flex_frames, *lists]
    is_small = sum(x.nbytes for x in arrays) <= _LARGEST
    key = tuple(x.tobytes() for x in arrays) if is_small else ()
    if found := _known.get(key):
        return found
    mass = (*(_felt(*lists) for lists in _inward(model)), _bent(model))
    rows = np.column_stack([model.col_rows, _columns(model.col_rows_ptr)])
    found = np.concatenate(mass), np.ascontiguousarray(rows)
    if is_small:
        if len(_known) >= _MOST:
            del _known[next(iter(_known))]
        _known[key] = found
    return found


def _inward(model: Model) -> tuple[tuple[AnyArray, IntArray, IntArray], ...]:
    """Branches of both trees, and those that carry the inertia forces of each column inwards."""
    T = model.t_edges, model.col_in_t, model.col_in_t_ptr
    return T, (model.r_edges, model.col_in_r, model.col_in_r_ptr)


def _is_full(model: Model) -> bool:
    """Whether M alone, of a mechanism of rigid bodies without chords, has too many entries to list them."""
    n = len(model.columns)
    if any(map(len, (model.rows, model.flex, model.states))):
        return False
    entries = 0
    for edges, felt, ptr in _inward(model):
        before = np.cumsum([0, *edges["n"][felt]])
        entries += int((before[ptr[:, 1]] - before[ptr[:, 0]]).sum())
    return entries > DENSE * n * n


def fed(model: Model) -> IntArray:
    """Entries of Newton's matrix that signals and states bring: (1) of :mod:`flexnet.kernels.newton`.

    A signal that an element follows changes with some coordinates and states, and the element loads some
    coordinates: every pair of these. A state's row changes with the same, and has itself.
    """
    n, n_s, n_z = len(model.columns), len(model.feedback) // 2, len(model.states)
    if len(model.feedback) == 0 and n_z == 0:
        return np.zeros((0, 2), dtype=np.int64)
    changes: list[list[int]] = [[] for _ in range(n_s + n_z)]  # coordinates and states of each signal, rate
    for j, k in zip(model.col_signals.tolist(), _columns(model.col_signals_ptr).tolist(), strict=True):
        changes[j].append(k)
    for j, k in model.gains.tolist():
        changes[j].append(n + k)
    things, ptr = loaded_elements(model, is_felt=True)
    owner = _columns(ptr)
    pairs = [(n + k, n + k) for k in range(n_z)]
    for j, columns in enumerate(changes):
        rows = owner[things == model.feedback[2 + 2 * j]].tolist() if j < n_s else [n + j - n_s]
        pairs += product(rows, columns)
    return np.unique(np.array(pairs, dtype=np.int64).reshape(-1, 2), axis=0)


def _tangent(model: Model, mass: IntArray) -> IntArray | None:
    """Entries of ∂r/∂q and ∂r/∂v, both of a pair; None where forces follow what may come from anywhere.

    What a coordinate k changes of row i is the force of something that both move, or the direction in which
    row i feels it, which turns only if k moves what lies beyond it: an inertia, a constraint or an element.
    """
    from scipy.sparse import csr_array  # here: small mechanisms need none

    if model.sensed[[OF_MOTION, OF_ENERGY, OF_CALLS]].any():
        return None
    n = len(model.columns)
    size = n + len(model.states)
    pairs = [mass, np.column_stack([np.arange(size)] * 2), model.fed, model.fed[:, ::-1]]
    lists = [(model.col_rows, model.col_rows_ptr)]
    if len(model.elements):
        lists.append(loaded_elements(model))
    for things, ptr in lists:
        if len(things) == 0:
            continue
        if float((np.bincount(things).astype(float) ** 2).sum()) > _FULL * n * n:
            return None
        ones = np.ones(len(things), dtype=bool)
        rows = np.append(ptr[:, 0], len(things))
        moved = csr_array((ones, things, rows), shape=(n, int(things.max()) + 1))
        both = (moved @ moved.T).tocoo()
        pairs.append(np.column_stack([both.row, both.col]).astype(np.int64))
    keys = np.unique(np.concatenate([p[:, 0] * size + p[:, 1] for p in pairs]))
    return np.column_stack(np.divmod(keys, size))


def _felt(edges: AnyArray, felt: IntArray, ptr: IntArray) -> IntArray:
    """Row and column of M for every coordinate of the branches in the lists of the columns."""
    return _entries(edges["v"][felt], edges["n"][felt], _columns(ptr))


def _bent(model: Model) -> IntArray:
    """Those of the elastic coordinates of flexible bodies that a column moves, or loads through an arm."""
    n, pairs = len(model.flex), [(model.col_flex, _columns(model.col_flex_ptr))]
    for edges, felt, ptr in _inward(model):
        arms = edges["flex"][felt]
        is_arm = arms >= 0
        pairs.append((model.flex_frames["body"][arms[is_arm]], _columns(ptr)[is_arm]))
    both = np.unique(np.concatenate([columns * max(n, 1) + bodies for bodies, columns in pairs]))
    columns, bodies = np.divmod(both, max(n, 1))
    return _entries(model.flex["v"][bodies], model.flex["m"][bodies], columns)


def _entries(first: IntArray, count: IntArray, columns: IntArray) -> IntArray:
    """Row and column of some rows from a first one on, each in its column."""
    start = np.repeat(np.cumsum(count) - count, count)
    rows = np.repeat(first, count) + np.arange(count.sum()) - start
    return np.column_stack([rows, np.repeat(columns, count)]).astype(np.int64)


def _columns(ptr: IntArray) -> IntArray:
    """The column that owns each entry of a list; each has its own part, one after the other."""
    return np.repeat(np.arange(len(ptr)), ptr[:, 1] - ptr[:, 0])
