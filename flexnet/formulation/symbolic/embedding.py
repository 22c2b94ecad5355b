"""The embedding form in symbols: independent coordinates only (DynaFlex eq. 18-27).

With G = [G_d G_i] the dependent velocities are v_d = J v_i - G_d⁻¹Φ_t, J = -G_d⁻¹G_i, and the equations of
motion Bᵀ M B v̇_i = Bᵀ (F - M ḃ), B = [J; 1].
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.algebra import add, mul
from flexnet.errors import ModelError
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.independent import choose_independent
from flexnet.typing import AnyArray


@dataclass(frozen=True, slots=True, eq=False)
class SymbolicEmbedding:
    """Equations of motion in independent velocities, as entries of the tape.

    Attributes
    ----------
    independent : names of the independent velocities.
    M : (f, f) reduced mass matrix.
    F : (f,) reduced force.
    B : (n, f) velocities of all coordinates for unit independent ones.
    bias : (n,) accelerations the constraints ask for at v̇_i = 0.
    """

    independent: tuple[str, ...]
    M: AnyArray
    F: AnyArray
    B: AnyArray
    bias: AnyArray


def symbolic_embedding(
    equations: SymbolicEquations, independent: Sequence[str] | None = None
) -> SymbolicEmbedding:
    """Reduce the equations of motion to independent velocities.

    The constraints are solved by elimination on the tape, with pivots that are largest at the initial state.
    """
    numeric = equations.numeric
    names = numeric.coordinates.v_names
    _, G0 = numeric.mass_and_jacobian(numeric.initial.q, numeric.initial.t)
    G0 = G0 * numeric.sizes / numeric.row_sizes[:, None]
    i = choose_independent(G0) if independent is None else np.array([_index(names, x) for x in independent])
    n, m = equations.n, equations.m
    if len(i) != n - m:
        raise ModelError(f"{n - m} independent coordinates are needed, got {len(i)}")
    d = np.setdiff1d(np.arange(n), i)
    right = np.concatenate([-equations.G[:, i], -equations.bias[:, None]], axis=1)
    solved = eliminate(equations.G[:, d].copy(), right.copy(), G0[:, d])
    B, bias = np.full((n, n - m), 0, dtype=object), np.full(n, 0, dtype=object)
    for k, row in enumerate(i):
        B[row, k] = 1
    B[d], bias[d] = solved[:, :-1], solved[:, -1]
    MB = _matmul(equations.M, B)
    rest = [add(x, -y) for x, y in zip(equations.F, _matmul(equations.M, bias[:, None])[:, 0], strict=True)]
    F = _matmul(B.T, np.array(rest, dtype=object)[:, None])[:, 0]
    return SymbolicEmbedding(tuple(names[k] for k in i), _matmul(B.T, MB), F, B, bias)


def _index(names: tuple[str, ...], name: str) -> int:
    if name not in names:
        raise ModelError(f"no velocity is called {name!r}; there are {', '.join(names)}")
    return names.index(name)


def _matmul(A: AnyArray, B: AnyArray) -> AnyArray:
    out = np.full((A.shape[0], B.shape[1]), 0, dtype=object)
    for r in range(A.shape[0]):
        for c in range(B.shape[1]):
            out[r, c] = add(*(mul(x, y) for x, y in zip(A[r], B[:, c], strict=True)))
    return out


def eliminate(A: AnyArray, b: AnyArray, at: AnyArray) -> AnyArray:
    """Solve A x = b by Gauss-Jordan elimination on the tape; pivots are chosen by the numbers ``at``."""
    n = len(A)
    numbers = np.asarray(at, dtype=float).copy()
    left = list(range(n))
    order: list[tuple[int, int]] = []
    for _ in range(n):
        # a pivot that is a number costs no division; then the largest
        free = [c for c in range(n) if c not in [p[1] for p in order]]
        row, column = max(
            ((r, c) for r in left for c in free if A[r, c] != 0 and abs(numbers[r, c]) > 1e-9),
            key=lambda rc: (A[rc[0], rc[1]] in (1, -1), abs(numbers[rc[0], rc[1]])),
            default=(-1, -1),
        )
        if row < 0:
            raise ModelError("these coordinates are not independent here: the rest does not follow from them")
        pivot = 1 / A[row, column]
        A[row] = [mul(pivot, x) for x in A[row]]
        b[row] = [mul(pivot, x) for x in b[row]]
        numbers[row] /= numbers[row, column]
        A[row, column] = 1
        for r in range(n):
            factor = A[r, column]
            if r == row or factor == 0:
                continue
            A[r] = [add(x, -mul(factor, y)) for x, y in zip(A[r], A[row], strict=True)]
            b[r] = [add(x, -mul(factor, y)) for x, y in zip(b[r], b[row], strict=True)]
            numbers[r] -= numbers[r, column] * numbers[row]
            A[r, column] = 0
        left.remove(row)
        order.append((row, column))
    out = np.full(b.shape, 0, dtype=object)
    for row, column in order:
        out[column] = b[row]
    return out
