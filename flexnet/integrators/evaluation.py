"""The functions of a DAE called from Python: arrays in, arrays out.

For methods whose speed does not matter; compiled loops call the functions themselves.
"""

from functools import partial

import numpy as np

from flexnet.coupled import solve_coupled
from flexnet.dae import Dae
from flexnet.integrators.motion import defect
from flexnet.typing import Array

#: weights of a central difference of sixth order
CENTRAL = ((1.0, 45.0 / 60.0), (2.0, -9.0 / 60.0), (3.0, 1.0 / 60.0))


class Evaluation:
    """The functions of a DAE as arrays, for methods in Python.

    Attributes
    ----------
    dae : the equations.
    """

    def __init__(self, dae: Dae) -> None:
        self.dae = dae
        n, m = dae.n_v, dae.m
        self.zero, self.none = np.zeros(n), np.zeros(m)
        self.phi = np.zeros(m)
        self._KKT = np.zeros((n + m, n + m))

    def at(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """-F (n,), Φ̇ (m,), Φ̈ at v̇ = 0 (m,) and [M Gᵀ; G 0]."""
        d, n = self.dae, self.dae.n_v
        r, rate, bias = np.zeros(n), np.zeros(d.m), np.zeros(d.m)
        M, G = np.zeros((n, n)), np.zeros((d.m, n))
        d.residual(d.model, t, q, v, self.zero, self.none, d.work, r, self.phi)
        d.rates(d.model, v, self.zero, d.work, rate, bias)
        d.matrices(d.model, d.work, 0.0, 0.0, M, G)
        self._KKT[:n, :n], self._KKT[:n, n:], self._KKT[n:, :n] = M, G.T, G
        return r, rate, bias, self._KKT

    def motion(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """v̇ and λ."""
        r, _, bias, KKT = self.at(t, q, v)
        b = -np.concatenate([r, bias])
        if not np.all(np.isfinite(b)):
            return np.full(len(r), np.nan), np.full(len(bias), np.nan)
        x = self.solve(KKT, b)
        if self.dae.is_coupled:
            x = solve_coupled(partial(defect, self.dae, t, q, v), self.solve, x, self.dae.weights)
        return x[: len(r)], x[len(r) :]

    def solve(self, KKT: Array, b: Array) -> Array:
        """Solve with [M Gᵀ; G 0], pivots chosen without units."""
        d = self.dae.weights
        return np.asarray(d * solve(d[:, None] * KKT * d, d * b))

    def compose(self, q: Array, dq: Array) -> Array:
        """The configuration q ⊕ dq, (n_q,)."""
        out = np.empty_like(q)
        self.dae.compose(self.dae.model, q, dq, out)
        return out

    def project(self, t: float, q: Array, v: Array) -> Array:
        """The velocity put on Φ̇ = 0, by the shortest change in the metric of the mass."""
        _, rate, _, KKT = self.at(t, q, v)
        return v + self.solve(KKT, np.concatenate([self.zero, -rate]))[: len(v)] if self.dae.m else v

    def rate(self, q: Array, v: Array) -> Array:
        """q̇ (n_q,) of a velocity: the derivative of q ⊕ ε v, which is a sine where q turns."""
        n = self.dae.n_v - self.dae.n_z
        largest = float(np.abs(v[:n] / self.dae.sizes[:n]).max(initial=0.0))
        if largest == 0.0:
            return np.zeros_like(q)
        eps = 0.03 / largest
        out, end = np.zeros_like(q), np.empty_like(q)
        for k, weight in CENTRAL:
            for sign in (1.0, -1.0):
                self.dae.compose(self.dae.model, q, sign * k * eps * v, end)
                out += sign * weight * end
        return out / eps

    def close(self, t: float, q: Array, v: Array) -> Array:
        """The configuration put on Φ = 0, and quaternions on the sphere."""
        n = self.dae.n_v
        new = np.empty_like(q)
        dq = np.zeros(n)
        for _ in range(3):
            self.dae.compose(self.dae.model, q, dq, new)
            q = new.copy()
            if self.dae.m == 0:
                break
            _, _, _, KKT = self.at(t, q, v)
            dq = self.solve(KKT, np.concatenate([self.zero, -self.phi]))[:n]
            if float(np.abs(dq / self.dae.sizes).max(initial=0.0)) < 1e-15:
                break
        return q


def solve(A: Array, b: Array) -> Array:
    """Solve A x = b; no numbers where A is singular."""
    try:
        return np.asarray(np.linalg.solve(A, b), dtype=float)
    except np.linalg.LinAlgError:
        return np.full(b.shape, np.nan)
