"""Momenta that an energy scheme keeps: what a change of the motion along its symmetries does to them.

A symmetry is a motion of space, a twist (V, Ω), that the equations do not notice; the velocities with which
the mechanism follows it as one body are ξ, its momentum is J = ξᵀM v = V·P + Ω·L (docs/theory/energy.md).
"""

from typing import NamedTuple

import numpy as np

from flexnet.integrators.functions import Functions
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_factor, lu_solve
from flexnet.kernels.vector import add_cross, dot
from flexnet.typing import Array, IntArray


class Kept(NamedTuple):
    """Arrays of the k momenta that are kept."""

    twists: Array  # (k, 6) V and Ω
    X: Array  # (k, n) ξ
    Y: Array  # (k, n) rates of v turned by the twists
    Z: Array  # (k, n) changes of the increment of a step that move its end along ξ
    lock: Array  # (k, k) inertia ξᵀMξ of the mechanism as one body
    I: Array  # its factors
    pivots_I: IntArray
    D: Array  # (k, k) change of the momenta by a shift, one a row
    H: Array  # (k, k) factors of ξᵀMξ + c Dᵀ
    pivots_H: IntArray
    B: Array  # (k, k) rows of H⁻¹Dᵀ
    Q: Array  # (k, k) factors of the metric of shifts
    pivots_Q: IntArray
    six: Array  # P and L
    moved: Array  # (6,) their change
    excess: Array  # (k,) momenta over what they should be
    locked: Array  # (k,) part of a velocity along ξ
    dual: Array  # (k,) energy by momentum
    grade: Array  # (k,) energy by shift
    shift: Array  # (k,) shift y
    target: Array  # (k,) momenta to keep from the end of the step on


def make_kept(twists: Array, n: int) -> Kept:
    """Allocate for k twists (k, 6) and n velocities."""
    z, k = np.zeros, len(twists)
    i = np.int64
    return Kept(
        twists, z((k, n)), z((k, n)), z((k, n)), z((k, k)), z((k, k)), z(k, i), z((k, k)), z((k, k)), z(k, i),
        z((k, k)), z((k, k)), z(k, i), z(6), z(6), z(k), z(k), z(k), z(k), z(k), z(k),
    )  # fmt: skip


@shared
def lock(f: Functions, x: Kept, t: float, q: Array, v: Array, dq: Array) -> float:
    """ξ at a configuration, and the factors of the inertia ξᵀMξ of the mechanism as one body.

    Returns the smallest pivot over the largest.
    """
    k = x.X.shape[0]
    f.follow(f.kept, t, q, v, dq, x.twists, x.X, x.Y, x.Z)
    for a in range(k):
        f.momenta(f.kept, t, q, x.X[a], x.six)
        for e in range(k):
            x.I[e, a] = x.lock[e, a] = momentum_of(x, e)
    return lu_factor(x.I, x.pivots_I)


@shared
def momentum_of(x: Kept, a: int) -> float:
    """Momentum of twist a from P and L in ``x.six``."""
    total = 0.0
    for j in range(6):
        total += x.twists[a, j] * x.six[j]
    return total


@shared
def couple(x: Kept, c_stage: float) -> None:
    """How momenta follow changes of A along ξ, which move the mechanism as well: H = I + c Dᵀ.

    Moved along ξₐ by κ, a motion has P + κ Ωₐ × P and L + κ (Ωₐ × L + Vₐ × P): row a of D; ``x.six`` holds P
    and L. A change α of A along ξ that takes away an excess of the momenta, b H α = -excess, changes the
    energy by b J·α, J the momenta: by -``x.dual``·excess, Hᵀ dual = J.
    """
    k = x.X.shape[0]
    P, L, p, l = x.six[0:3], x.six[3:6], x.moved[0:3], x.moved[3:6]
    for a in range(k):
        x.moved[:] = 0.0
        add_cross(1.0, x.twists[a, 3:6], P, p)
        add_cross(1.0, x.twists[a, 3:6], L, l)
        add_cross(1.0, x.twists[a, 0:3], P, l)
        x.dual[a] = momentum_of(x, a)
        for e in range(k):
            x.D[a, e] = dot(x.twists[e, 0:3], p) + dot(x.twists[e, 3:6], l)
            x.H[e, a] = x.lock[e, a] + c_stage * x.D[a, e]
            x.Q[a, e] = x.H[e, a]
    lu_factor(x.H, x.pivots_H)
    lu_factor(x.Q, x.pivots_Q)
    lu_solve(x.Q, x.pivots_Q, x.dual)


@shared
def find_shift(x: Kept, b: float) -> float:
    """Shift y along ξ by which the energy is best changed at constant momenta; returns its change g·y.

    A shift changes momenta by D, and to take that back changes the energy by g = -D dual. Of all shifts that
    do the same, y moves the bodies least, now and by the velocities B = H⁻¹Dᵀ that put the momenta back:
    (I + b² BᵀI B) y = g.
    """
    k = x.X.shape[0]
    for a in range(k):
        x.grade[a] = 0.0
        for e in range(k):
            x.grade[a] -= x.D[a, e] * x.dual[e]
        copy(x.D[a], x.B[a])
        lu_solve(x.H, x.pivots_H, x.B[a])
    for a in range(k):
        for e in range(k):
            total = 0.0
            for i in range(k):
                for j in range(k):
                    total += x.B[a, i] * x.lock[i, j] * x.B[e, j]
            x.Q[a, e] = x.lock[a, e] + b * b * total
    copy(x.grade, x.shift)
    lu_factor(x.Q, x.pivots_Q)
    lu_solve(x.Q, x.pivots_Q, x.shift)
    total = 0.0
    for a in range(k):
        total += x.shift[a] * x.grade[a]
    return total
