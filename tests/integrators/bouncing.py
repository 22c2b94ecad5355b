"""A ball above a floor written directly against the protocol: no System, no contact, one event."""

import numpy as np

from flexnet.dae import Dae, Events, Reaction
from flexnet.integrators.events import gradient, rate_of, strike
from flexnet.kernels.compile import kernel


@kernel
def residual(model, t, q, v, a, lam, work, r, phi):
    r[0] = model[0] * (a[0] + model[1])


@kernel
def matrices(model, work, c_q, c_v, M, G):
    M[0, 0] = model[0]


@kernel
def compose(model, q, dq, out):
    out[0] = q[0] + dq[0]


@kernel
def rates(model, v, a, work, rate, acceleration):
    pass


@kernel
def power(model, q, v, lam, work, out):
    out[0] = out[1] = 0.0


@kernel
def height(model, t, q, v, out):
    out[0] = q[0]


def bouncing_ball(height_0=1.0, mass=2.0, g=9.81, restitution=0.7, act=None) -> Dae:
    """Let go at rest; at the floor it is thrown back."""

    def bounce(i, t, q, v):
        w = gradient(dae, events, i, t, q, v)
        return Reaction(*strike(dae, w, rate_of(dae, events, i, t, q, v, 1e-4), restitution, t, q, v))

    events = Events(
        ("floor",), np.array([-1.0]), np.ones(1), np.zeros(0), height, act or bounce, 1
    )  # fmt: skip
    dae = Dae(
        model=np.array([mass, g]), work=np.zeros(1), residual=residual, matrices=matrices, compose=compose,
        rates=rates, power=power, q=np.array([height_0]), v=np.zeros(1), t=0.0, equations=("y",),
        events=events,
    )  # fmt: skip
    return dae


def impacts(n, height_0=1.0, g=9.81, restitution=0.7):
    """Times of the first n impacts, and where they accumulate."""
    fall = np.sqrt(2 * height_0 / g)
    times = -fall + 2 * fall * np.cumsum(restitution ** np.arange(n))
    return times, fall * (1 + restitution) / (1 - restitution)
