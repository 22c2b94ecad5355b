"""Momenta of the whole mechanism, and the rates of its coordinates when it moves as one rigid body.

A twist (V, Ω) is the motion of space in which the point x has the velocity V + Ω × x. Its momentum is

    V·P + Ω·L,   P = Σ ∫ρ ẋ dV,   L = Σ ∫ρ x × ẋ dV    (about the datum)
"""

from math import sqrt, tan

from flexnet.kernels.callback import at, run
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.elastic import body_momenta
from flexnet.kernels.model import MOMENTA, Model
from flexnet.kernels.vector import add_cross, add_scaled, dot, rotate
from flexnet.kernels.work import Work
from flexnet.typing import Array


@inner
def momenta(model: Model, v: Array, work: Work, out: Array) -> None:
    """P (kg m/s) and L about the datum (kg m²/s) of all bodies, (6,); after velocities."""
    out[:] = 0.0
    P, L = out[0:3], out[3:6]
    x, y = work.tmp[2, 0], work.tmp[2, 1]
    for i in range(model.bodies.shape[0]):
        b = model.bodies[i]
        run(
            model.families[b.family + MOMENTA],
            (
                at(model.sweep_data, b.p), at(work.R, b.rotation), at(work.omega, b.rotation),
                at(work.p, b.node), at(work.v, b.node), out,
            ),
        )  # fmt: skip
    for k in range(model.flex.shape[0]):
        f = model.flex[k]
        R = work.R[f.rotation]
        body_momenta(model, k, v, work, work.tmp[2])
        rotate(R, x, x)
        rotate(R, y, y)
        add_scaled(1.0, x, P)
        add_scaled(1.0, y, L)
        add_cross(1.0, work.p[f.node], x, L)


@shared
def rigid_rates(model: Model, twist: Array, work: Work, out: Array) -> None:
    """Rates v (n,) with which every body follows a twist, as far as its branches allow; after positions.

    A branch between two bodies that follow it keeps its coordinates; one from the ground takes up the motion.
    """
    out[:] = 0.0
    V, W = twist[0:3], twist[3:6]
    missing = work.tmp[3, 0]
    work.dw[0] = 0.0
    work.dv[0] = 0.0
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        child = work.dw[e.child]
        for j in range(3):
            child[j] = work.dw[e.parent, j]
            missing[j] = W[j] - child[j]
        for k in range(e.n):
            out[e.v + k] = e.sign * dot(work.u[i, k], missing)
            add_scaled(e.sign * out[e.v + k], work.u[i, k], child)
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        child = work.dv[e.child]
        for j in range(3):
            child[j] = work.dv[e.parent, j]
        add_cross(e.sign, work.dw[e.carrier], work.r[i], child)
        for j in range(3):
            missing[j] = V[j] - child[j]
        add_cross(1.0, W, work.p[e.child], missing)
        for k in range(e.n):
            out[e.v + k] = e.sign * dot(work.d[i, k], missing)
            add_scaled(e.sign * out[e.v + k], work.d[i, k], child)


@shared
def transport(model: Model, twist: Array, work: Work, out: Array) -> None:
    """Rate of v (n,) when a motion is turned as a whole by a twist; after its :func:`rigid_rates`.

    Coordinates that are components in axes of a body stay; those in axes of the ground turn.
    """
    out[:] = 0.0
    turned = work.tmp[3, 0]
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        if e.is_free == 1 and e.sign < 0 and _is_still(work.dw[e.parent]):
            turned[:] = 0.0
            add_cross(1.0, twist[3:6], work.omega[e.child], turned)
            for k in range(3):
                out[e.v + k] = e.sign * dot(work.u[i, k], turned)
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        if e.n > 0 and _is_still(work.dw[e.carrier]):
            turned[:] = 0.0
            add_cross(1.0, twist[3:6], work.v[e.child], turned)
            for k in range(e.n):
                out[e.v + k] = e.sign * dot(work.d[i, k], turned)


@shared
def increments(model: Model, dq: Array, x: Array, work: Work, out: Array) -> None:
    """Change (n,) of an increment dq of the configuration that moves its end q ⊕ dq along x.

    On the rotation group it is Jᵣ⁻¹x = x + ½ θ×x + f θ×(θ×x), f = (1 - (θ/2) cot(θ/2))/θ².
    """
    once, twice = work.tmp[3, 0], work.tmp[3, 1]
    for i in range(x.shape[0]):
        out[i] = x[i]
    for k in range(model.quaternions.shape[0]):
        j = model.quaternions[k, 1]
        theta = dq[j : j + 3]
        square = dot(theta, theta)
        half = 0.5 * sqrt(square)
        f = 1.0 / 12.0 + square / 720.0 if square < 1e-4 else (1.0 - half / tan(half)) / square
        once[:] = 0.0
        twice[:] = 0.0
        add_cross(1.0, theta, x[j : j + 3], once)
        add_cross(1.0, theta, once, twice)
        add_scaled(0.5, once, out[j : j + 3])
        add_scaled(f, twice, out[j : j + 3])


@inner
def _is_still(w: Array) -> bool:
    return bool(w[0] == 0.0 and w[1] == 0.0 and w[2] == 0.0)
