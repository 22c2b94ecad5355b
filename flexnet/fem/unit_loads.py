r"""Inertia loads of unit accelerations of the frame.

A point at s of a body that is rigid in its frame has the acceleration

.. math:: a_0 + \dot ω \times s + ω (ω \cdot s) - ω^2 s ,                              \tag{1}

linear in the twelve numbers (a₀, ω̇, ωω) with (ωω) = (ωx², ωy², ωz², ωxωy, ωyωz, ωzωx).
"""

import numpy as np

from flexnet.typing import Array, Vector

PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
N_INERTIA = 12


def omega_products(omega: Vector) -> Array:
    """Return the six products (ωω) of an angular velocity (3,)."""
    w = np.asarray(omega, dtype=float)
    return np.array([w[i] * w[j] for i, j in PRODUCTS])


def unit_accelerations(s: Array) -> Array:
    """Return the accelerations (…, 3, 12) of points at s (…, 3) for each of the twelve numbers."""
    a = np.zeros((*s.shape, N_INERTIA))
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        a[..., i, i] = 1.0
        # ω̇ × s
        a[..., j, 3 + i] = -s[..., k]
        a[..., k, 3 + i] = s[..., j]
        # ω(ω·s) - ω²s of ω_i²
        a[..., j, 6 + i] = -s[..., j]
        a[..., k, 6 + i] = -s[..., k]
    for column, (i, j) in enumerate(PRODUCTS[3:], start=9):
        a[..., i, column] = s[..., j]
        a[..., j, column] = s[..., i]
    return a
