"""Equations M v̇ + Gᵀλ = F(v̇, λ), Φ̈ = 0, whose forces follow accelerations and loads of joints.

Newton's method on x = (v̇, λ); its matrix is [M Gᵀ; G 0] less ∂F/∂x, by differences: F is nearly linear in x
(friction follows the magnitude of a load).
"""

from collections.abc import Callable

import numpy as np

from flexnet.typing import Array

#: part of a change of x by which F is differenced, change over size that is none, iterations
_DIFFERENCE, _NOTHING, _ITERATIONS = 1e-6, 1e-14, 30


def solve_coupled(
    defect: Callable[[Array], Array], solve: Callable[[Array, Array], Array], x: Array, weights: Array
) -> Array:
    """The x (n_v + m,) near a first one at which ``defect(x)``, r and Φ̈, is nothing.

    Parameters
    ----------
    solve : ``(A, b)``: x with A x = b.
    weights : (n_v + m,) by which the entries of x have one unit (:func:`flexnet.dae.matrix_weights`).
    """
    d, size = np.asarray(defect(x)), _size(x / weights)
    for _ in range(_ITERATIONS):
        step = solve(_slopes(defect, x, d, size * weights), -d)
        x = x + step
        d, size = np.asarray(defect(x)), _size(x / weights)
        if not float(np.abs(step / weights).max(initial=0.0)) > _NOTHING * size:
            break
    return x


def _size(x: Array) -> float:
    return max(float(np.abs(x).max(initial=0.0)), 1e-300)


def _slopes(defect: Callable[[Array], Array], x: Array, d: Array, sizes: Array) -> Array:
    """∂defect/∂x by differences, each entry moved by its own size or the least of the largest."""
    A = np.empty((len(d), len(x)))
    for k in range(len(x)):
        moved, eps = x.copy(), _DIFFERENCE * max(abs(x[k]), 1e-3 * sizes[k])
        moved[k] += eps
        A[:, k] = (defect(moved) - d) / (moved[k] - x[k])
    return A
