"""Sparse factorisation of symmetric positive definite matrices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import LinearOperator, splu

from flexnet.errors import ModelError
from flexnet.typing import Array


@dataclass(frozen=True, slots=True)
class Factor:
    """A factorised matrix; solve with :meth:`solve`."""

    lu: Any
    n: int

    def solve(self, b: Array) -> Array:
        """Return A⁻¹ b for a vector (n,) or columns (n, k)."""
        return np.asarray(self.lu.solve(b)) if self.n else np.zeros_like(b)

    def operator(self) -> LinearOperator:
        """Return A⁻¹ as a linear operator."""
        return LinearOperator((self.n, self.n), matvec=self.solve, dtype=float)


def factorise(A: csr_array) -> Factor:
    """Factorise a symmetric positive definite sparse matrix (diagonal pivots, fill-reducing order).

    Raises
    ------
    ModelError
        If the matrix is singular, or its factors do not fit into memory.
    """
    n = A.shape[0]
    if n == 0:
        return Factor(None, 0)
    symmetric = csc_array((A.data, A.indices, A.indptr), shape=A.shape)  # A = Aᵀ: rows are columns
    try:
        lu = splu(
            symmetric, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError as error:
        raise ModelError("the stiffness matrix is singular: a part of the body is free to move") from error
    except (MemoryError, SystemError) as error:  # SuperLU's words where it cannot have more memory
        raise ModelError(
            f"there is not enough memory for the factors of a matrix with {n:,} freedoms; a coarser mesh,"
            " or a body reduced by a program that factors out of core, needs less"
        ) from error
    return Factor(lu, n)
