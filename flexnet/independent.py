"""Which velocities of a constrained system are independent, and how well the others follow from them.

Of G v = -Φ_t the dependent velocities are found with G_d, their columns of G in the sizes of coordinates and
rows. As the mechanism moves, κ_d = |G| |G_d⁻¹| may grow without bound (a slider at its dead centre does not
tell how the crank turns), and log10 κ_d digits are lost. Then others are chosen. The condition of G_d alone
would not tell: that of a single row is always one.
"""

import numpy as np

from flexnet.typing import Array, IntArray

#: condition of the dependent velocities at which others are looked for: one digit and a half is lost
DEGRADED = 30.0


def choose_independent(G: Array) -> IntArray:
    """Independent velocities by pivoting: the columns of G a QR factorisation takes last."""
    m, n = G.shape
    if m == 0:
        return np.arange(n)
    from scipy.linalg import qr  # here: most runs need none

    _, _, order = qr(G, mode="economic", pivoting=True)
    return np.sort(order[m:]).astype(np.int64)


def dependence(G: Array, independent: IntArray) -> float:
    """κ_d = |G| |G_d⁻¹|, G_d the columns of G that belong to the other velocities; 1 where there are none."""
    if not len(G):
        return 1.0
    if not np.all(np.isfinite(G)):
        return float("inf")
    least = np.linalg.svd(np.delete(G, independent, axis=1), compute_uv=False)[-1]
    return float(np.linalg.norm(G, 2) / least) if least > 0.0 else float("inf")


def better_independent(G: Array, before: IntArray) -> IntArray | None:
    """Other independent velocities where those chosen before no longer serve; None while they do.

    They no longer serve where κ_d is above :data:`DEGRADED` and others halve it: near a singular position
    no choice is good, and those at hand are kept.
    """
    kappa = dependence(G, before)
    if kappa < DEGRADED or not np.all(np.isfinite(G)):
        return None
    other = choose_independent(G)
    return other if dependence(G, other) < 0.5 * kappa else None
