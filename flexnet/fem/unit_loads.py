r"""Inertia loads of unit accelerations of the frame.

A point at s of a body that is rigid in its frame has the acceleration

.. math:: a_0 + \dot ω \times s + ω (ω \cdot s) - ω^2 s ,                              \tag{1}

linear in the twelve numbers (a₀, ω̇, ωω) with (ωω) = (ωx², ωy², ωz², ωxωy, ωyωz, ωzωx).
"""

import numpy as np

from flexnet.fem.mass_points import MassPoints
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


# a_i = Σ_c LINEAR[c, i, k] (1, s)_c: the accelerations are linear in position
LINEAR = np.concatenate(
    [
        unit_accelerations(np.zeros((1, 3))),
        unit_accelerations(np.eye(3)) - unit_accelerations(np.zeros((1, 3))),
    ]
)


def unit_inertia_loads(points: MassPoints) -> Array:
    r"""Return the element loads :math:`-\sum_p w_p N_p^T a_p` (n_e, n_edof, 12) of unit accelerations."""
    n_e, n_p, _, n_edof = points.N.shape
    # moments Σ_p w (1, s) N of every displacement component
    weight = points.w[:, :, None] * np.concatenate([np.ones((n_e, n_p, 1)), points.s], axis=2)
    moments = weight.transpose(0, 2, 1) @ points.N.reshape(n_e, n_p, 3 * n_edof)
    return np.asarray(-moments.reshape(n_e, 12, n_edof).transpose(0, 2, 1) @ LINEAR.reshape(12, N_INERTIA))
