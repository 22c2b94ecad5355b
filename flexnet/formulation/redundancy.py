"""Redundant constraints: found by a rank-revealing factorisation, in the order of the rows.

Rank is judged on Ĝ_ij = G_ij s_j / s_i, the Jacobian in the sizes of coordinates and rows: metres beside
radians, or beside the coordinates of a flexible body, would let the unit decide what is round-off. Its
condition κ = σ_max / σ_min grows where angles near a dead centre hardly move what they are to close, and
where a redundant row is near, or where one was kept in the place of another that holds more: of rows that
say the same together the one is left out that the others hold best.
"""

from collections.abc import Iterator

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.formulation.scale import largest, least_change
from flexnet.formulation.sparse_rows import Jacobian, independent_sparse_rows, scaled, shares_of_rows
from flexnet.formulation.state import State
from flexnet.graph import Kind
from flexnet.typing import AnyArray, Array, BoolArray, IntArray

#: a row is dependent when what is left of it, after the rows before it, is this much of it
TOLERANCE = 1e-8
#: a row shorter than this is round-off: rows are in their sizes
ZERO = 1e-11
#: the same at a configuration a twentieth further: less is what closing it has left of the way there
APART = 1e-3
#: share of a row kept in one that is left out above which the two change places (no number that lengths of a
#: model are likely to give), how near two shares count as equal, and how often all rows may change places
SHARE, _ALIKE, _EXCHANGES = 2.3, 1e-6, 10
#: share of its least singular value at the start at which the Jacobian is about to lose a row
BRANCHING = 0.1
#: gap at which the second configuration counts as closed, in sizes
CLOSED = 1e-10


def independent_rows(G: Jacobian, tolerance: float = TOLERANCE) -> BoolArray:
    """Rows of G (m, n) that are independent of the rows before them.

    Gram-Schmidt, twice for accuracy, on rows of unit length: the first of two equal rows is kept. Of a sparse
    G the same is found front by front (:mod:`flexnet.formulation.sparse_rows`).
    """
    m, n = G.shape
    keep = np.zeros(m, dtype=bool)
    if m == 0 or n == 0:
        return keep
    shortest = max(tolerance * float(abs(G).max()), ZERO)
    if not isinstance(G, np.ndarray):
        return independent_sparse_rows(G, tolerance, shortest)
    basis = np.zeros((min(m, n), n))
    rank = 0
    for i in range(m):
        length = float(np.linalg.norm(G[i]))
        if rank == len(basis) or length < shortest:
            continue
        row = G[i] / length
        for _ in range(2):
            row = row - basis[:rank].T @ (basis[:rank] @ row)
        left = float(np.linalg.norm(row))
        if left > tolerance:
            basis[rank] = row / left
            keep[i] = True
            rank += 1
    return keep


def redundant_rows(equations: Equations, state: State) -> list[str]:
    """Names of the rows that are redundant at a state and at a second one near it.

    A row that can only be met by going back, such as the axial one of a beam that bends without axial
    shapes, is round-off at the second state and not independent there: it is left out in every tree, and a
    run watches it.
    """
    if equations.m == 0:
        return []
    G = scaled_rows(equations, state)
    # what a driver asks for is kept before what a joint asks for
    is_driver = np.array([row.component.kind is Kind.DRIVER for row in equations.rows], dtype=bool)
    order = np.argsort(~is_driver, kind="stable")
    keep = _kept(G, order)
    second = _nearby(equations, state, G[keep])
    if second is not None:
        G2 = scaled_rows(equations, State(state.t, second, state.v))
        if _kept(G2, order, APART).sum() > keep.sum():  # the first was a singular position
            G, keep = G2, _kept(G2, order)
    keep = _well_kept(G, keep, is_driver)
    return [row.name for row, kept in zip(equations.rows, keep, strict=True) if not kept]


def _kept(G: Jacobian, order: AnyArray, tolerance: float = TOLERANCE) -> BoolArray:
    keep = np.zeros(G.shape[0], dtype=bool)
    keep[order] = independent_rows(G[order], tolerance)
    return keep


def _well_kept(G: Jacobian, keep: BoolArray, first: BoolArray) -> BoolArray:
    """As many rows, exchanged until none that is left out is more than SHARE of one that is kept.

    A row left out is a sum of rows kept. Where its own share in what they say together is small, the others
    hold its motion hardly, and not at all where that share passes zero.

    Parameters
    ----------
    first : rows that are left out only for one another.
    """
    if keep.all() or not keep.any():
        return keep
    length = np.sqrt(np.asarray((G * G).sum(axis=1)).ravel())
    G = scaled(G, np.ones(G.shape[1]), np.where(length > 0.0, length, 1.0))
    for _ in range(_EXCHANGES):
        kept, out = np.flatnonzero(keep), np.flatnonzero(~keep)
        last = list[int]()
        for i, shares in zip(out, _shares(G, kept, out), strict=True):
            shares = np.where(first[kept] & ~first[i] | np.isin(kept, last), 0.0, np.abs(shares))
            # of equal ones the first is kept
            k = len(kept) - 1 - int(np.argmax(shares[::-1] >= (1.0 - _ALIKE) * shares.max()))
            last.append(int(kept[k] if shares[k] > SHARE else i))
        if set(last) == {*out}:
            break
        others = np.setdiff1d(np.arange(len(keep)), last)
        found = _kept(G, np.concatenate([others[np.argsort(~first[others], kind="stable")], last]))
        if found.sum() != keep.sum():
            break
        keep = found
    return keep


def _shares(G: Jacobian, kept: IntArray, out: IntArray) -> Iterator[Array]:
    """Of every row left out the shares in it of those kept."""
    if isinstance(G, np.ndarray):
        return iter(np.linalg.lstsq(G[kept].T, G[out].T)[0].T)
    return shares_of_rows(G, kept, out)


def _nearby(equations: Equations, state: State, G: Jacobian) -> Array | None:
    """A configuration a little further along the free motion, projected back on the constraints.

    G (r, n) are the rows kept, in their sizes.
    """
    n = equations.n_v
    if G.shape[0] >= n:
        return None
    sizes, rows = equations.sizes, equations.row_sizes
    q = equations.compose(state.q, 0.05 * sizes * _free_motion(G))
    for _ in range(20):
        phi = equations.constraints(q, state.t)
        if largest(phi, rows) < CLOSED:
            return q
        q = equations.compose(q, least_change(equations.jacobian(q, state.t), phi, sizes, rows))
    return None


def _free_motion(G: Jacobian) -> Array:
    """A motion that the rows of G (r, n) allow, with numbers of the order of one."""
    r, n = G.shape
    rng = np.random.default_rng(1)
    if isinstance(G, np.ndarray):
        _, _, Vt = np.linalg.svd(G) if r else (0, 0, np.eye(n))
        return np.asarray(Vt[r:].T @ rng.uniform(0.5, 1.0, n - r))
    x = rng.standard_normal(n)
    x = x + least_change(G, G @ x, np.ones(n), np.ones(r))
    out: Array = x * float(np.linalg.norm(rng.uniform(0.5, 1.0, n - r)) / np.linalg.norm(x))
    return out


def branching_freedom(equations: Equations, state: State) -> str:
    """Name of the coordinate that comes free where constraints lose their hold; empty if none does.

    At a branching position a singular value of G vanishes, and its direction is a motion that the constraints
    forbid everywhere else.
    """
    if equations.m == 0:
        return ""
    ends = []
    for at in (equations.initial, state):
        ends.append(np.linalg.svd(scaled_jacobian(equations, at)))
    (_, first, _), (_, last, Vt) = ends
    if last[-1] > BRANCHING * first[-1]:
        return ""
    return equations.coordinates.v_names[int(np.argmax(np.abs(Vt[len(last) - 1])))]


def scaled_jacobian(equations: Equations, state: State) -> Array:
    """Ĝ, (m, n): the constraint Jacobian in the model's own sizes."""
    G = scaled_rows(equations, state)
    return G if isinstance(G, np.ndarray) else np.asarray(G.toarray())


def scaled_rows(equations: Equations, state: State) -> Jacobian:
    """Ĝ as it is kept: a sparse one where it is large."""
    return scaled(equations.jacobian(state.q, state.t), equations.sizes, equations.row_sizes)


def condition(equations: Equations, state: State) -> float:
    """Condition κ of the constraint Jacobian; 1 where there are no constraints."""
    if equations.m == 0:
        return 1.0
    G = scaled_jacobian(equations, state)
    if not np.all(np.isfinite(G)):
        return np.inf
    sizes = np.linalg.svd(G, compute_uv=False)
    return float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf
