"""The rows of the ideal joints written out by hand: value, unit wrench and second derivative, as vectors.

They were the kernels of the numeric engine before its rows were families; now they are what the families are
held against.
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Motion:
    """Two frames A and B in ground with their rates, a known function f and its rates."""

    p_A: np.ndarray
    R_A: np.ndarray
    v_A: np.ndarray
    w_A: np.ndarray
    a_A: np.ndarray
    dw_A: np.ndarray
    p_B: np.ndarray
    R_B: np.ndarray
    v_B: np.ndarray
    w_B: np.ndarray
    a_B: np.ndarray
    dw_B: np.ndarray
    f: tuple[float, float, float]


ZERO = np.zeros(3)


def along(m: Motion, n):
    """Φ = n·(p_B - p_A) - f, n fixed in A."""
    n = m.R_A @ n
    d, dv, da = m.p_B - m.p_A, m.v_B - m.v_A, m.a_B - m.a_A
    n1, n2 = turn_rates(n, m.w_A, m.dw_A)
    second = n2 @ d + 2 * n1 @ dv + n @ da - m.f[2]
    return n @ d - m.f[0], -1.0, n, np.cross(n, d), ZERO, second


def perpendicular(m: Motion, n, a):
    """Φ = n·a, n fixed in A, a fixed in B."""
    n, a = m.R_A @ n, m.R_B @ a
    return n @ a, 0.0, ZERO, np.cross(n, a), np.cross(a, n), product_second(m, n, a)


def turned(m: Motion, n, across, a):
    """Φ = atan2(a·m, a·n) - f."""
    n, across, a = m.R_A @ n, m.R_A @ across, m.R_B @ a
    c, s = a @ n, a @ across
    rho = c * c + s * s
    u = (c * np.cross(a, across) - s * np.cross(a, n)) / rho
    c1, s1 = ((m.w_B - m.w_A) @ np.cross(a, x) for x in (n, across))
    c2, s2 = (product_second(m, x, a) for x in (n, across))
    rate = (c * s1 - s * c1) / rho
    second = (c * s2 - s * c2) / rho - 2 * (c * c1 + s * s1) * rate / rho - m.f[2]
    value = np.arctan2(s, c) - m.f[0]
    return value - 2 * np.pi * round(value / (2 * np.pi)), -1.0, ZERO, -u, u, second


def oriented(m: Motion, j, axis):
    """Φ = 2 vec(E)ⱼ, E = rot(axis, f)ᵀ R_Aᵀ R_B: d(2x)/dt = w ν + ν × x, ν in the driven frame D."""
    K = np.cross(axis, np.eye(3)).T
    R_D = m.R_A @ (np.eye(3) + np.sin(m.f[0]) * K + (1 - np.cos(m.f[0])) * K @ K)
    E = R_D.T @ m.R_B
    w = 0.5 * np.sqrt(1 + np.trace(E))
    x = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / (4 * w)
    e = np.eye(3)[j]
    head = R_D @ (w * e + np.cross(x, e))
    u = m.R_A @ axis
    w_D = m.w_A + m.f[1] * u
    world = m.w_B - w_D
    nu = R_D.T @ world
    g = m.dw_B - m.dw_A - m.f[2] * u - m.f[1] * np.cross(m.w_A, u) - np.cross(w_D, world)
    dnu = R_D.T @ g
    w1, x1 = -0.5 * nu @ x, 0.5 * (w * nu + np.cross(nu, x))
    second = (w1 * nu + w * dnu + np.cross(dnu, x) + np.cross(nu, x1))[j]
    return 2 * x[j], -head @ u, ZERO, -head, head, second


def turn_rates(n, w, dw):
    """First and second derivative of a vector n that turns with (ω, ω̇)."""
    n1 = np.cross(w, n)
    return n1, np.cross(dw, n) + np.cross(w, n1)


def product_second(m: Motion, n, b):
    """d²/dt² (n·b), n turning with A and b with B."""
    n1, n2 = turn_rates(n, m.w_A, m.dw_A)
    b1, b2 = turn_rates(b, m.w_B, m.dw_B)
    return n2 @ b + 2 * n1 @ b1 + n @ b2
