"""A pendulum in Cartesian coordinates written directly against the protocol: no System, no graph.

m ẍ + 2 x λ = 0,   m ÿ + 2 y λ = -m g,   Φ = x² + y² - l²
"""

import numpy as np

from flexnet.dae import Dae
from flexnet.kernels.compile import kernel

MASS, LENGTH, G = 0, 1, 2


@kernel
def residual(model, t, q, v, a, lam, work, r, phi):
    c = model[0]
    work[0][0], work[0][1] = q[0], q[1]
    r[0] = c[MASS] * a[0] + 2.0 * q[0] * lam[0]
    r[1] = c[MASS] * (a[1] + c[G]) + 2.0 * q[1] * lam[0]
    phi[0] = q[0] * q[0] + q[1] * q[1] - c[LENGTH] * c[LENGTH]


@kernel
def matrices(model, work, c_q, c_v, M, G_):
    M[0, 0] = M[1, 1] = model[0][MASS]
    M[0, 1] = M[1, 0] = 0.0
    G_[0, 0], G_[0, 1] = 2.0 * work[0][0], 2.0 * work[0][1]


@kernel
def compose(model, q, dq, out):
    out[0], out[1] = q[0] + dq[0], q[1] + dq[1]


@kernel
def rates(model, v, a, work, rate, acceleration):
    x, y = work[0][0], work[0][1]
    rate[0] = 2.0 * (x * v[0] + y * v[1])
    acceleration[0] = 2.0 * (x * a[0] + y * a[1] + v[0] * v[0] + v[1] * v[1])


@kernel
def power(model, q, v, lam, work, out):
    out[0] = out[1] = 0.0


def plain_pendulum(angle: float = 1.0, length: float = 1.0, mass: float = 1.0, g: float = 9.81) -> Dae:
    """Released at rest at an angle from the vertical."""
    q = length * np.array([np.sin(angle), -np.cos(angle)])
    return Dae(
        model=(np.array([mass, length, g]),),
        work=(np.zeros(2),),
        residual=residual,
        matrices=matrices,
        compose=compose,
        rates=rates,
        power=power,
        q=q,
        v=np.zeros(2),
        t=0.0,
        equations=("x", "y", "rod"),
    )
