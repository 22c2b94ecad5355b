"""Angular momentum about the line of a slender body that is bent: of third order, and all there is.

The displacement u₂ of second order (foreshortening) enters c, J and C by its moments about the *undeformed*
body. What moves with u̇₂ at the deflected place Nq has a further angular momentum
∫ρ (Nq × ∂u₂/∂qⱼ + u₂ × Nⱼ), of higher order in q; but about the line of a slender body, its unit vector
ν, hardly any other. Of u₂ the mean motion is taken, the rigid motion of the undeformed body with the same
momenta,

    u₂ ≈ τ + ρ × s,   x = (τ, ρ) = A₀⁻¹ g,   g = ½ Σⱼ Gⱼ qⱼ,   Gⱼ = (Kᵃq, K^α q)ⱼ                        (1)

and with Z_j = ∫ρ s Nⱼᵀ, Qⱼ·x = ν·∫ρ Nⱼ × (τ + ρ × s), which is constant,

    Qⱼ = (ν × N₁ⱼ, tr Z_j ν - Z_jᵀν),   Q̂ = A₀⁻¹Q,   y = Q̂ q,   C₃ⱼ = ν (y·Gⱼ - Q̂ⱼ·g)                     (2)
    Ċ₃ q̇ = ν y·Ġ q̇,   Ċ₃ⱼ - ∂C₃/∂qⱼ q̇ = 2 ν (ẏ·Gⱼ - Q̂ⱼ·ġ),   ġ = Σⱼ Gⱼ q̇ⱼ                                (3)

A table (6, m) and a vector are all it takes. See docs/theory/flexible_bodies.md.
"""

from flexnet.kernels.compile import shared
from flexnet.kernels.model import W_CROSS, W_G, W_LINE, W_VECTORS
from flexnet.typing import Array


@shared
def times_rows(rows: Array, m: int, x: Array, factor: float, out: Array) -> None:
    """Six sums ``out_k = factor Σⱼ rows[k m + j] xⱼ``."""
    for k in range(6):
        s = 0.0
        for j in range(m):
            s += rows[k * m + j] * x[j]
        out[k] = factor * s


@shared
def add_line_coupling(Q: Array, m: int, q: Array, w: Array) -> None:
    """Add the rows C₃ to C; after G q. ``Q`` is Q̂ (6, m) and behind it ν."""
    vec, y, g = w[W_VECTORS:], w[W_LINE : W_LINE + 6], w[W_LINE + 12 : W_LINE + 18]
    G = vec[W_G * m : (W_G + 6) * m]
    times_rows(Q, m, q, 1.0, y)
    times_rows(G, m, q, 0.5, g)
    for j in range(m):
        s = 0.0
        for k in range(6):
            s += y[k] * G[k * m + j] - Q[k * m + j] * g[k]
        for a in range(3):
            vec[(W_CROSS + a) * m + j] += Q[6 * m + a] * s


@shared
def line_rates(Q: Array, m: int, xd: Array, w: Array) -> None:
    """ẏ and ġ; after :func:`add_line_coupling`."""
    times_rows(Q, m, xd, 1.0, w[W_LINE + 6 : W_LINE + 12])
    times_rows(w[W_VECTORS + W_G * m : W_VECTORS + (W_G + 6) * m], m, xd, 1.0, w[W_LINE + 12 : W_LINE + 18])


@shared
def add_line_rate(Q: Array, m: int, p: Array, h: Array, w: Array, out: Array) -> None:
    """Add Ċ₃ q̇ to a rate of angular momentum; p, h are the two halves of Ġ q̇."""
    s, y = 0.0, w[W_LINE : W_LINE + 6]
    for k in range(3):
        s += y[k] * p[k] + y[3 + k] * h[k]
    for a in range(3):
        out[a] += Q[6 * m + a] * s


@shared
def line_forces(Q: Array, m: int, r: Array, w: Array, out: Array) -> None:
    """Take r·(Ċ₃ⱼ - ∂C₃/∂qⱼ q̇) off the forces."""
    y, g = w[W_LINE + 6 : W_LINE + 12], w[W_LINE + 12 : W_LINE + 18]
    G = w[W_VECTORS + W_G * m : W_VECTORS + (W_G + 6) * m]
    factor = 2.0 * (Q[6 * m] * r[0] + Q[6 * m + 1] * r[1] + Q[6 * m + 2] * r[2])
    for j in range(m):
        s = 0.0
        for k in range(6):
            s += y[k] * G[k * m + j] - Q[k * m + j] * g[k]
        out[j] -= factor * s
