"""Cosserat rods under a force at the end, integrated as ordinary differential equations: no finite elements.

    r' = R (e₁ + Γ),  R' = R [κ + κ₀]×,  m' = -r' × n,  n = F,  Γ = C_N⁻¹ Rᵀ n,  κ = C_M⁻¹ Rᵀ m

The moment at the clamp is found by shooting until none is left at the end.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve


def turned(q):
    """Rotation matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def tip(length, stiffness, force, curvature=(0.0, 0.0, 0.0), steps=20):
    """Position and rotation of the end of a rod from the origin along x, clamped there."""
    C, k0 = np.asarray(stiffness), np.asarray(curvature)

    def rates(_, y, n):
        q, m = y[3:7], y[7:10]
        R = turned(q)
        dr = R @ (np.array([1.0, 0.0, 0.0]) + R.T @ n / C[:3])
        w, v, k = q[0], q[1:], R.T @ m / C[3:] + k0
        dq = 0.5 * np.concatenate([[-v @ k], w * k + np.cross(v, k)])
        return np.concatenate([dr, dq, -np.cross(dr, n)])

    def end(m0, n):
        start = np.concatenate([[0, 0, 0, 1, 0, 0, 0], m0])
        return solve_ivp(rates, (0, length), start, args=(n,), rtol=1e-11, atol=1e-12, method="DOP853").y[
            :, -1
        ]

    moment = np.zeros(3)
    for share in np.linspace(0, 1, steps + 1)[1:]:
        n = share * np.asarray(force, dtype=float)
        moment = fsolve(lambda m, n=n: end(m, n)[7:10], moment, xtol=1e-12)
    found = end(moment, n)
    assert np.abs(found[7:10]).max() < 1e-6 * max(np.abs(moment).max(), 1e-12)
    return found[:3], turned(found[3:7])
