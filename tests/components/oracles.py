"""Springs and bushings written by hand, as kernels once were: what families are held against."""

from dataclasses import dataclass
from math import atan2, cos, sin, sqrt

import numpy as np


@dataclass
class Ends:
    """Places and rates of the bodies of an element's two frames, in ground."""

    x: np.ndarray  # (2, 3) tail, head
    v: np.ndarray
    R: np.ndarray  # (2, 3, 3)
    omega: np.ndarray
    axes: np.ndarray  # (2, 3) of a counted angle, in the bodies
    theta: float = 0.0

    @property
    def d(self):
        return self.x[1] - self.x[0]

    @property
    def rate(self):
        return self.v[1] - self.v[0]


def spring(part, ends, added=0.0):
    """Wrench (12,) on head and tail, potential, power of the actuator, power of the damper."""
    n, u, out = np.zeros(3), np.zeros(3), np.zeros(12)
    d = ends.d
    if hasattr(part, "joint"):
        a, b = (R @ n for R, n in zip(ends.R, ends.axes, strict=True))
        u = (a + b) / (1.0 + a @ b)
        x, rate = ends.theta, u @ (ends.omega[1] - ends.omega[0])
    elif part.axis is None:
        x = sqrt(d @ d)
        n = d / x
        rate = n @ ends.rate
    else:
        n = ends.R[0] @ part.tail.rotation @ part.axis
        u = np.cross(n, d)
        x, rate = n @ d, n @ ends.rate + u @ ends.omega[0]
    f = part.stiffness * (part.rest - x) - part.damping * rate + added
    if hasattr(part, "joint"):
        out[3:6], out[9:12] = f * u, -f * u
    else:
        out[0:3], out[6:9], out[9:12] = f * n, -f * n, f * u
    return out, 0.5 * part.stiffness * (x - part.rest) ** 2, added * rate, -part.damping * rate**2


def bushing(part, ends):
    """The same of a bushing."""
    R_A, R_B = ends.R[0] @ part.tail.rotation, ends.R[1] @ part.head.rotation
    E, d = R_A.T @ R_B, ends.d
    rate = np.append(
        R_A.T @ (ends.rate - np.cross(ends.omega[0], d)), R_A.T @ (ends.omega[1] - ends.omega[0])
    )
    if part.axis is None:
        chi, J_inv = _vector(E)
    else:
        chi, J_inv = _swing(E, part.axis, ends.theta)
    x = np.append(R_A.T @ d, chi)
    K, C = part.stiffness, part.damping
    elastic, viscous = -K @ x, -C @ rate
    local = np.append(elastic[:3], J_inv.T @ elastic[3:]) + viscous
    out = np.concatenate([R_A @ local[:3], R_A @ local[3:], -R_A @ local[:3], -R_A @ local[3:]])
    out[9:12] -= np.cross(d, out[0:3])
    x_dot = np.append(rate[:3], J_inv @ rate[3:])
    return out, 0.5 * x @ K @ x, -0.5 * x_dot @ (K - K.T) @ x, rate @ viscous


def _cotangent(x):
    """(1 - φ/2 cot φ/2)/φ², x = φ²."""
    if x < 1e-3:
        return 1.0 / 12.0 + x / 720.0 + x * x / 30240.0
    half = 0.5 * sqrt(x)
    return (1.0 - half * cos(half) / sin(half)) / x


def _skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def _vector(E):
    """Rotation vector φ and J⁻¹ = 1 - φ×/2 + c φ×φ×, J the left Jacobian of exp φ."""
    sine = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / 2
    s, c = np.linalg.norm(sine), (np.trace(E) - 1) / 2
    angle = atan2(s, c)
    phi = sine * (angle / s if s > 1e-12 else 1.0)
    S = _skew(phi)
    return phi, np.eye(3) - S / 2 + _cotangent(phi @ phi) * S @ S


def _swing(E, a, theta):
    """χ = σ + θ a and χ̇ = J⁻¹ω: κ (c ω - (a·ω) b) + κ₂ (k·ω) k + (u·ω) a."""
    b = E @ a
    k, c = np.cross(a, b), a @ b
    k2 = k @ k
    cosine = sqrt(0.5 * (1.0 + c))
    sine = sqrt(k2) / (2.0 * cosine)
    half = atan2(sine, cosine)
    kappa = half / (sine * cosine) if sine > 1e-12 else 1.0 / cosine
    second = 4.0 * kappa**2 * _cotangent(4.0 * kappa**2 * k2)
    J_inv = kappa * (c * np.eye(3) - np.outer(b, a)) + second * np.outer(k, k)
    return kappa * k + theta * a, J_inv + np.outer(a, a + b) / (1.0 + c)
