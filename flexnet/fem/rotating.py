r"""Vibration of a body whose frame turns steadily, from its table alone.

About the undeformed state, with ω constant (docs/theory/flextable.md):

.. math::
    M \ddot q + (C + G) \dot q
    + \left(K + \sum_k (ωω)_k K^ω_k - ω^2 M + \sum_{ab} ω_a ω_b NN_{ab}\right) q = f,
    \qquad G_{jk} = 2 \sum_a ω_a I_{5k,aj} .                                          \tag{1}
"""

import numpy as np
from scipy.linalg import eig, eigh

from flexnet.fem.flex_table import FlexTable
from flexnet.fem.invariants import adams_invariants
from flexnet.fem.unit_loads import omega_products
from flexnet.typing import Array, Vector


def rotating_stiffness(table: FlexTable, omega: Vector) -> Array:
    """Return the (m, m) stiffness of eq. (1): elastic, geometric and centrifugal."""
    w = np.asarray(omega, dtype=float)
    geometric = np.einsum("k,kij->ij", omega_products(w), table.geometric.omega_products)
    along = np.einsum("a,b,abij->ij", w, w, table.inertia.NN)
    return np.asarray(table.K + geometric - (w @ w) * table.M + along)


def rotating_frequencies(table: FlexTable, omega: Vector, *, gyroscopic: bool = False) -> Array:
    """Return the angular frequencies [rad/s] of a body turning with ω [rad/s], ascending.

    Parameters
    ----------
    table : of the body.
    omega : (3,) angular velocity of its frame, body axes.
    gyroscopic : whether the Coriolis coupling G is kept.
    """
    K = rotating_stiffness(table, omega)
    if not gyroscopic:
        lam = eigh(K, table.M, eigvals_only=True)
        return np.asarray(np.sign(lam) * np.sqrt(np.abs(lam)))
    I5 = adams_invariants(table.inertia).I5  # (k, a, j)
    G = 2.0 * np.einsum("a,kaj->jk", np.asarray(omega, dtype=float), I5)
    zero, one = np.zeros_like(K), np.eye(table.m)
    A = np.block([[zero, one], [-K, -G]])
    B = np.block([[one, zero], [zero, table.M]])
    s = eig(A, B, right=False)
    return np.sort(s.imag[s.imag > 0.0])
