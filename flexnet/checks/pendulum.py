"""A pendulum of length 1 m and mass 1 kg in Cartesian coordinates, written directly against the protocol.

m ẍ + 2 x λ = 0,   m ÿ + 2 y λ = -m g,   Φ = x² + y² - l².

Its functions have the signatures of a mechanism's: a time loop that is compiled for one serves the other.
"""

import numpy as np

from flexnet.dae import Dae
from flexnet.kernels.compile import kernel
from flexnet.typing import Array, IntArray

#: gravity, m/s², and the angle from the vertical at which it is released at rest, rad
GRAVITY, ANGLE = 9.81, 1.0


@kernel
def _residual(
    model: IntArray, t: float, q: Array, v: Array, a: Array, lam: Array, work: Array, r: Array, phi: Array
) -> None:
    work[0], work[1] = q[0], q[1]
    r[0] = a[0] + 2.0 * q[0] * lam[0]
    r[1] = a[1] + GRAVITY + 2.0 * q[1] * lam[0]
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1.0


@kernel
def _matrices(model: IntArray, work: Array, c_q: float, c_v: float, M: Array, G: Array) -> None:
    M[0, 0] = M[1, 1] = 1.0
    M[0, 1] = M[1, 0] = 0.0
    G[0, 0], G[0, 1] = 2.0 * work[0], 2.0 * work[1]


@kernel
def _compose(model: IntArray, q: Array, dq: Array, out: Array) -> None:
    out[0], out[1] = q[0] + dq[0], q[1] + dq[1]


@kernel
def _rates(model: IntArray, v: Array, a: Array, work: Array, rate: Array, acceleration: Array) -> None:
    rate[0] = 2.0 * (work[0] * v[0] + work[1] * v[1])
    acceleration[0] = 2.0 * (work[0] * a[0] + work[1] * a[1] + v[0] * v[0] + v[1] * v[1])


@kernel
def _power(model: IntArray, q: Array, v: Array, lam: Array, work: Array, out: Array) -> None:
    out[0] = out[1] = out[2] = 0.0


@kernel
def _energy(
    model: IntArray, t: float, q: Array, v: Array, work: Array, phi: Array, rate: Array, out: Array
) -> None:
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1.0
    rate[0] = 2.0 * (q[0] * v[0] + q[1] * v[1])
    out[0] = 0.5 * (v[0] * v[0] + v[1] * v[1])
    out[1], out[2] = GRAVITY * q[1], 0.0


def pendulum() -> Dae:
    """Released at rest at :data:`ANGLE`."""
    return Dae(
        model=np.zeros(0, dtype=np.int64),
        work=np.zeros(2),
        residual=_residual,
        matrices=_matrices,
        compose=_compose,
        rates=_rates,
        power=_power,
        energy=_energy,
        q=np.array([np.sin(ANGLE), -np.cos(ANGLE)]),
        v=np.zeros(2),
        t=0.0,
        equations=("x", "y", "length"),
    )


def exact(t: Array) -> tuple[Array, Array, Array]:
    """Exact q (n, 2), v (n, 2) and λ (n, 1) at the times t (n,), by elliptic functions."""
    from scipy.special import ellipj, ellipk

    k, w = np.sin(ANGLE / 2), np.sqrt(GRAVITY)
    sn, cn, _, _ = ellipj(ellipk(k * k) - w * t, k * k)
    angle, rate = 2 * np.arcsin(k * sn), -2 * k * w * cn
    q = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    v = rate[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    # tension 2 l λ = m g cos φ + m l φ̇², φ̇² = 2 g (cos φ - cos φ₀)
    lam = 0.5 * GRAVITY * (3 * np.cos(angle) - 2 * np.cos(ANGLE))
    return q, v, lam[:, None]
