"""Bushings: a linear 6×6 law in how far one frame is from another.

The rotation between the frames is a vector χ in the tail frame. Without an axis it is the rotation vector φ;
with an axis a it is χ = σ + θ a, a swing σ ⟂ a after the counted twist θ (:mod:`flexnet.kernels.turns`). With
a' the axis of the head, k = a × a', c = a·a' = cos s, κ = s/sin s and ω the relative angular velocity,

    σ = κ k,    χ̇ = κ (c ω - (a·ω) a') + κ₂ (k·ω) k + (u·ω) a,    κ₂ = -dκ/dc = (1 - s cot s)/sin² s    (1)
"""

from math import atan2, cos, sin, sqrt

from flexnet.kernels.compile import inner
from flexnet.kernels.model import Model, Work
from flexnet.kernels.turns import twist
from flexnet.kernels.vector import (
    add_cross,
    add_scaled,
    dot,
    matrix_to_quaternion,
    multiply,
    quaternion_to_vector,
    rotate,
    rotate_back,
)
from flexnet.typing import Array


@inner
def bushing_stretch(model: Model, i: int, q: Array, work: Work) -> None:
    """(d, χ) and rate (ḋ, ω) in the tail frame, in tmp[2] and tmp[3]; R_A in tmp[5], R_Aᵀ R_B in tmp[7]."""
    e = model.elements[i]
    theta = twist(model, e.angle, q, work) if model.angles[e.angle].has_axis == 1 else 0.0
    R_A, R_B, E = work.tmp[5], work.tmp[6], work.tmp[7]
    d, dv, w = work.tmp[4, 0], work.tmp[4, 1], work.tmp[4, 2]
    multiply(work.R[e.tail_r], e.C_A, R_A)
    multiply(work.R[e.head_r], e.C_B, R_B)
    for j in range(3):
        for k in range(3):
            E[j, k] = R_A[0, j] * R_B[0, k] + R_A[1, j] * R_B[1, k] + R_A[2, j] * R_B[2, k]
        d[j] = work.p[e.head, j] - work.p[e.tail, j]
        dv[j] = work.v[e.head, j] - work.v[e.tail, j]
        w[j] = work.omega[e.head_r, j] - work.omega[e.tail_r, j]
    add_cross(-1.0, work.omega[e.tail_r], d, dv)
    x, rate = work.tmp[2].reshape(9), work.tmp[3].reshape(9)
    rotate_back(R_A, d, x[0:3])
    if model.angles[e.angle].has_axis == 1:
        b, k_ = work.tmp[1, 0], work.tmp[1, 1]
        kappa, _ = _swing(E, e.n, b, k_)
        for j in range(3):
            x[3 + j] = kappa * k_[j] + theta * e.n[j]
    else:
        quat = work.tmp[1].reshape(9)[0:4]
        matrix_to_quaternion(E, quat)
        quaternion_to_vector(quat, x[3:6])
    rotate_back(R_A, dv, rate[0:3])
    rotate_back(R_A, w, rate[3:6])


@inner
def turn_work(model: Model, i: int, s: float, y: Array, out: Array, work: Work) -> None:
    """``out = J⁻¹y`` for s = 1, ``J⁻ᵀy`` for s = -1, where χ̇ = J⁻¹ω: V(χ) has the torque -J⁻ᵀ ∂V/∂χ.

    After :func:`bushing_stretch`; out may be y.
    """
    e = model.elements[i]
    if model.angles[e.angle].has_axis == 1:
        _turn_swing(work.tmp[7], e.n, s, y, out, work.tmp[1])
    else:
        _turn_vector(work.tmp[2].reshape(9)[3:6], s, y, out)


@inner
def _swing(E: Array, a: Array, b: Array, k: Array) -> tuple[float, float]:
    """Axis a' of the head in the tail frame (b) and k = a × a'; returns κ and κ₂."""
    rotate(E, a, b)
    k[0] = k[1] = k[2] = 0.0
    add_cross(1.0, a, b, k)
    k2 = dot(k, k)
    cosine = sqrt(max(0.5 * (1.0 + dot(a, b)), 1e-300))  # of half the swing
    sine = sqrt(k2) / (2.0 * cosine)
    half = atan2(sine, cosine)
    kappa = half / (sine * cosine) if sine > 1e-12 else 1.0 / cosine
    return kappa, 4.0 * kappa * kappa * _cotangent(4.0 * kappa * kappa * k2)


@inner
def _turn_swing(E: Array, a: Array, s: float, y: Array, out: Array, tmp: Array) -> None:
    """Equation (1) of a vector y, or its transpose."""
    b, k = tmp[0], tmp[1]
    kappa, second = _swing(E, a, b, k)
    c = dot(a, b)
    rho = 1.0 / max(1.0 + c, 1e-12)
    along, across, turn = dot(a, y), dot(b, y), second * dot(k, y)
    for j in range(3):
        if s > 0.0:
            twist_part = rho * (along + across) * a[j]
            swing_part = c * y[j] - along * b[j]
        else:
            twist_part = rho * along * (a[j] + b[j])
            swing_part = c * y[j] - across * a[j]
        out[j] = kappa * swing_part + turn * k[j] + twist_part


@inner
def _cotangent(x: float) -> float:
    """(1 - φ/2 cot φ/2)/φ², x = φ²."""
    if x < 1e-3:
        return 1.0 / 12.0 + x / 720.0 + x * x / 30240.0
    half = 0.5 * sqrt(x)
    return (1.0 - half * cos(half) / sin(half)) / x


@inner
def _turn_vector(phi: Array, s: float, y: Array, out: Array) -> None:
    """``out = y - s φ × y/2 + c φ × (φ × y)``, c = (1 - φ/2 cot φ/2)/φ²; J is the left Jacobian of exp φ."""
    c = _cotangent(dot(phi, phi))
    a, b, d = y[0], y[1], y[2]
    x = phi[1] * d - phi[2] * b
    z = phi[0] * b - phi[1] * a
    w = phi[2] * a - phi[0] * d
    # φ × y is (x, w, z)
    out[0] = a - 0.5 * s * x + c * (phi[1] * z - phi[2] * w)
    out[1] = b - 0.5 * s * w + c * (phi[2] * x - phi[0] * z)
    out[2] = d - 0.5 * s * z + c * (phi[0] * w - phi[1] * x)


@inner
def apply_bushing(model: Model, i: int, q: Array, work: Work) -> None:
    """Wrench -(1, J⁻ᵀ) K (d, χ) - C (ḋ, ω) on the head, and its opposite on the tail."""
    e = model.elements[i]
    bushing_stretch(model, i, q, work)
    R_A, d = work.tmp[5], work.tmp[4, 0]
    x, rate = work.tmp[2].reshape(9), work.tmp[3].reshape(9)
    local, force, torque = work.tmp[0].reshape(9), work.tmp[4, 1], work.tmp[4, 2]
    K, C = model.bushings[e.matrix, 0], model.bushings[e.matrix, 1]
    for j in range(6):
        local[j] = 0.0
        for k in range(6):
            local[j] -= K[j, k] * x[k]
    turn_work(model, i, -1.0, local[3:6], local[3:6], work)
    for j in range(6):
        for k in range(6):
            local[j] -= C[j, k] * rate[k]
    rotate(R_A, local[0:3], force)
    rotate(R_A, local[3:6], torque)
    add_scaled(1.0, force, work.force[e.head])
    add_scaled(-1.0, force, work.force[e.tail])
    add_scaled(1.0, torque, work.torque[e.head_r])
    add_scaled(-1.0, torque, work.torque[e.tail_r])
    add_cross(-1.0, d, force, work.torque[e.tail_r])
    work.law[i] = local[0] + local[1] + local[2] + local[3] + local[4] + local[5]
