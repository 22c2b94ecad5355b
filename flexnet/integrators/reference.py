"""A slow and accurate route: Runge-Kutta of order eight on the embedded equations.

The unknowns are the configuration and the independent velocities v_i; the others follow from Φ̇ = 0, the
accelerations from M v̇ + Gᵀλ = F and Φ̈ = 0 (DynaFlex eq. 18-27). After every step the configuration is put
back on Φ = 0. The choice of v_i is made again when the rest no longer follows well from it.

It shares nothing with the α-methods but the protocol, so that each can be held against the other.
"""

from dataclasses import dataclass, field

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.evaluation import Evaluation, solve
from flexnet.integrators.method import Method, Traits, integrator
from flexnet.integrators.plain_march import AbstractPlainMarch
from flexnet.integrators.rows import Output
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import powers
from flexnet.integrators.status import Outcome
from flexnet.typing import Array, IntArray

#: a choice of independent velocities is given up when the rest follows this much worse from it
_WORSE = 30.0


@dataclass(frozen=True, slots=True)
class Reference(Method):
    """DOP853 of scipy.

    Attributes
    ----------
    tolerance : local error, relative and in sizes, where the settings ask for none.
    """

    tolerance: float = 1e-11
    name: str = field(default="reference", init=False)

    @property
    def parameters(self) -> dict[str, float]:
        """What the user chose, by name."""
        return {"local_tolerance": self.tolerance}

    @property
    def traits(self) -> Traits:
        """Order eight; the step is always chosen."""
        return Traits((8, 8, 8), 0, is_fixed=False)

    def begin(self, dae: Dae, settings: Settings) -> "ReferenceMarch":
        """A run of a DAE at its start."""
        return ReferenceMarch(dae, self, settings)


@integrator
def reference(tolerance: float = 1e-11) -> Reference:
    """Runge-Kutta of order eight on the embedded equations, with an adaptive step."""
    if not 1e-14 <= tolerance <= 1e-2:
        raise FlexnetError(f"the reference route needs a tolerance between 1e-14 and 0.01, got {tolerance}")
    return Reference(tolerance)


class ReferenceMarch(AbstractPlainMarch):
    """A run by the reference route."""

    def __init__(self, dae: Dae, method: Reference, settings: Settings) -> None:
        # rows are interpolated: they need not lie a whole number of steps apart
        AbstractPlainMarch.__init__(self, dae, settings, settings.interval)
        self.method = method

    def fill(self, out: Output) -> tuple[int, Outcome]:
        """Compute the rows at the times in ``out.t``; they lie between steps."""
        from scipy.integrate import DOP853  # here: scipy.integrate is slow to import

        dae, rows = self.dae, len(out.t)
        row, end = 0, float(out.t[-1])
        local = self.settings.tolerance or self.method.tolerance
        while row < rows:
            embedded = _Embedded(dae, self.q, self.v, self.t)
            y = embedded.pack(self.q, self.v, self.work)
            first = min(self.pace[0], end - self.t)
            solver = DOP853(
                embedded.rate, self.t, y, end, rtol=max(local, 3e-14), atol=local * embedded.sizes,
                first_step=first,
            )  # fmt: skip
            while solver.status == "running" and row < rows:
                failed = solver.step()
                if not np.all(np.isfinite(solver.y)):
                    return row, Outcome.NOT_A_NUMBER
                if failed:
                    return row, Outcome.STEP_TOO_SMALL
                self.steps += 1
                between = solver.dense_output()
                while row < rows and out.t[row] <= solver.t * (1 + 1e-14):
                    y = solver.y if out.t[row] >= solver.t else between(out.t[row])
                    q, v, work = embedded.unpack(float(out.t[row]), y)
                    self.write(out, row, float(out.t[row]), q, v, work)
                    out.solver[row] = solver.step_size, 0
                    row += 1
                self.q[:], self.v[:], self.work[:] = embedded.unpack(solver.t, solver.y)
                if dae.counting is not None:
                    dae.counting.update(dae.counting.model, float(solver.t), self.q)
                self.pace[:] = solver.h_abs, solver.t
                if embedded.is_worn(self.q, self.v, self.t):
                    break
                solver.y = embedded.pack(self.q, self.v, self.work)
                solver.f = embedded.rate(solver.t, solver.y)
        return row, Outcome.DONE


class _Embedded:
    """Equations in q, independent velocities and work done."""

    def __init__(self, dae: Dae, q: Array, v: Array, t: float) -> None:
        from scipy.linalg import qr

        self.dae, self.evaluation = dae, Evaluation(dae)
        n, m = dae.n_v, dae.m
        G = self._jacobian(q, v, t)
        order = qr(G, mode="economic", pivoting=True)[2] if m else np.arange(n)
        self.i: IntArray = np.sort(order[m:]).astype(np.int64)
        self.d: IntArray = np.sort(order[:m]).astype(np.int64)
        self._gain = self._dependence(G)
        scale = dae.scale
        self.sizes = np.concatenate([dae.q_sizes, dae.sizes[self.i] / scale.time, np.full(4, scale.energy)])

    def pack(self, q: Array, v: Array, work: Array) -> Array:
        """Unknowns of the solver."""
        return np.concatenate([q, v[self.i], work])

    def unpack(self, t: float, y: Array) -> tuple[Array, Array, Array]:
        """Configuration put on its constraints, all velocities, work."""
        q, v = self._split(y)
        q = self.evaluation.close(t, q, v)
        return q, self._complete(t, q, v), y[len(y) - 4 :].copy()

    def rate(self, t: float, y: Array) -> Array:
        """Derivative of the unknowns."""
        q, v = self._split(y)
        v = self._complete(t, q, v)
        a, lam = self.evaluation.motion(t, q, v)
        power = powers(self.dae, t, q, v, a, lam)
        return np.concatenate([self.evaluation.rate(q, v), a[self.i], power])

    def is_worn(self, q: Array, v: Array, t: float) -> bool:
        """Whether the dependent velocities follow much worse than when the choice was made."""
        return bool(self._dependence(self._jacobian(q, v, t)) > _WORSE * max(self._gain, 1.0))

    def _split(self, y: Array) -> tuple[Array, Array]:
        n_q = self.dae.n_q
        v = np.zeros(self.dae.n_v)
        v[self.i] = y[n_q : n_q + len(self.i)]
        return y[:n_q].copy(), v

    def _complete(self, t: float, q: Array, v: Array) -> Array:
        """Velocities whose dependent part satisfies Φ̇ = 0."""
        if not len(self.d):
            return v
        n = self.dae.n_v
        v = v.copy()
        v[self.d] = 0.0
        _, rate, _, KKT = self.evaluation.at(t, q, v)
        s, rows = self.dae.sizes, self.dae.row_sizes
        G = KKT[n:, :n] * s / rows[:, None]
        v[self.d] = -s[self.d] * solve(G[:, self.d], rate / rows)
        return v

    def _jacobian(self, q: Array, v: Array, t: float) -> Array:
        """G (m, n_v), rows and columns in their sizes."""
        n = self.dae.n_v
        return self.evaluation.at(t, q, v)[3][n:, :n] * self.dae.sizes / self.dae.row_sizes[:, None]

    def _dependence(self, G: Array) -> float:
        """Largest dependent velocity for a unit independent one."""
        if not len(self.d) or not len(self.i):
            return 0.0
        return float(np.abs(solve(G[:, self.d], G[:, self.i])).max())
