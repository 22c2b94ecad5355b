"""A slow and accurate route: Runge-Kutta of order eight on the embedded equations.

The unknowns are the configuration and the independent velocities v_i; the others follow from Φ̇ = 0, the
accelerations from M v̇ + Gᵀλ = F and Φ̈ = 0 (DynaFlex eq. 18-27). After every step the configuration is put
back on Φ = 0. Other v_i are chosen where the rest follows badly from them (:mod:`flexnet.independent`);
how often, and how badly the rest followed at worst, is part of the status.

It shares nothing with the α-methods but the protocol, so that each can be held against the other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.independent import better_independent, choose_independent, dependence
from flexnet.integrators.alpha_state import Output, make_output
from flexnet.integrators.integrate import Settings, powers
from flexnet.integrators.status import Outcome, Status
from flexnet.typing import Array, IntArray

#: weights of a central difference of sixth order
_CENTRAL = ((1.0, 45.0 / 60.0), (2.0, -9.0 / 60.0), (3.0, 1.0 / 60.0))


@dataclass(frozen=True, slots=True)
class Reference:
    """DOP853 of scipy.

    Attributes
    ----------
    tolerance : local error, relative and in sizes, where the settings ask for none.
    """

    tolerance: float = 1e-11
    name: str = "reference"
    parameters: dict[str, float] = field(default_factory=dict)


def reference(tolerance: float = 1e-11) -> Reference:
    """Runge-Kutta of order eight on the embedded equations, with an adaptive step."""
    if not 1e-14 <= tolerance <= 1e-2:
        raise FlexnetError(f"the reference route needs a tolerance between 1e-14 and 0.01, got {tolerance}")
    return Reference(tolerance, parameters={"local_tolerance": tolerance})


class ReferenceIntegration:
    """A run by the reference route; see :class:`~flexnet.integrators.methods.March`."""

    def __init__(self, dae: Dae, method: Reference, settings: Settings) -> None:
        self.dae, self.method, self.settings = dae, method, settings
        # rows are interpolated: they need not lie a whole number of steps apart
        self.schedule = settings.schedule(dae.t, settings.interval)
        self.t, self.q, self.v = dae.t, dae.q.copy(), dae.v.copy()
        self.work, self.h = np.zeros(4), settings.step
        self.rows = 0
        self.status = Status(Outcome.DONE, dae.t)
        self._steps = 0
        # how often other independent velocities were chosen; largest κ_d and when
        self._choices = np.array([0.0, 1.0, dae.t])

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        return self.schedule.total

    @property
    def memory(self) -> dict[str, Array]:
        """Work done so far, the size of the next step, and what is told of the independent velocities."""
        return {"work": self.work.copy(), "h": np.array([self.h, self.t]), "choices": self._choices.copy()}

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows."""
        self.q[:], self.v[:], self.work[:] = q, v, memory["work"]
        self.h, self.t = (float(x) for x in memory["h"])
        self.rows = rows
        self._choices[: len(memory["choices"])] = memory["choices"]
        self.status = self._done()

    def start(self) -> Output:
        """The start as one output row."""
        out = make_output(1, self.dae.n_q, self.dae.n_v, self.dae.m)
        self._write(out, 0, self.dae.t, self.dae.q, self.dae.v, np.zeros(4))
        return out

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered now leads on as if the run had never been stopped."""
        return self.rows % self.settings.period == 0 and self.rows <= self.schedule.whole

    def blocks(self) -> Iterator[Output]:
        """Advance to the end; stops early if a step fails."""
        while self.rows < self.total_rows and self.status.is_done:
            yield self.advance(self.schedule.block(self.rows, self.settings.period))

    def advance(self, rows: int) -> Output:
        """Compute the next so many output rows; fewer come back if a step fails."""
        from scipy.integrate import DOP853  # here: scipy.integrate is slow to import

        dae = self.dae
        out = make_output(rows, dae.n_q, dae.n_v, dae.m)
        out.t[:] = self.schedule.times(self.rows, rows)
        row, end = 0, float(out.t[-1])
        local = self.settings.tolerance or self.method.tolerance
        while row < rows:
            embedded = _Embedded(dae, self.q, self.v, self.t)
            y = embedded.pack(self.q, self.v, self.work)
            first = min(self.h, end - self.t)
            solver = DOP853(
                embedded.rate, self.t, y, end, rtol=max(local, 3e-14), atol=local * embedded.sizes,
                first_step=first,
            )  # fmt: skip
            while solver.status == "running" and row < rows:
                failed = solver.step()
                if failed or not np.all(np.isfinite(solver.y)):
                    self._fail(solver.y)
                    return Output(*(array[:row] for array in out))
                self._steps += 1
                between = solver.dense_output()
                while row < rows and out.t[row] <= solver.t * (1 + 1e-14):
                    y = solver.y if out.t[row] >= solver.t else between(out.t[row])
                    q, v, work = embedded.unpack(float(out.t[row]), y)
                    self._write(out, row, float(out.t[row]), q, v, work)
                    out.solver[row] = solver.step_size, 0
                    row += 1
                self.q, self.v, self.work = embedded.unpack(solver.t, solver.y)
                if dae.counting is not None:
                    dae.counting.update(dae.counting.model, float(solver.t), self.q)
                self.t, self.h = float(solver.t), float(solver.h_abs)
                if self._is_worn(embedded):
                    break
                solver.y = embedded.pack(self.q, self.v, self.work)
                solver.f = embedded.rate(solver.t, solver.y)
        self.rows += row
        self.status = self._done()
        return out

    def _is_worn(self, embedded: "_Embedded") -> bool:
        """Whether other independent velocities are better here; keeps what is told of them."""
        kappa, is_worn = embedded.look(self.q, self.v, self.t)
        if kappa > self._choices[1]:
            self._choices[1:] = kappa, self.t
        self._choices[0] += is_worn
        return is_worn

    def _done(self) -> Status:
        switched, kappa, t = self._choices
        told = (
            f"dependent velocities followed with a condition up to {kappa:.3g} (t = {t:.4g} s), others were"
            f" chosen {switched:.0f} times"
        )
        return Status(Outcome.DONE, self.t, steps=self._steps, told=told if self.dae.m else "")

    def _fail(self, y: Array) -> None:
        finite = bool(np.all(np.isfinite(y)))
        outcome = Outcome.STEP_TOO_SMALL if finite else Outcome.NOT_A_NUMBER
        r, _, _, _ = _Evaluation(self.dae).at(self.t, self.q, self.v)
        worst = int(np.argmax(np.where(np.isfinite(r), np.abs(r * self.dae.sizes), np.inf))) if len(r) else 0
        name = self.dae.equations[worst] if self.dae.equations else ""
        self.status = Status(outcome, self.t, name, float(np.abs(r[worst])) if len(r) else 0.0, self._steps)

    def _write(self, out: Output, row: int, t: float, q: Array, v: Array, work: Array) -> None:
        a, lam = _Evaluation(self.dae).motion(t, q, v)
        out.t[row], out.q[row], out.v[row], out.a[row], out.lam[row] = t, q, v, a, lam
        out.work[row, :4] = work


class _Evaluation:
    """The functions of a DAE as arrays."""

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
        return x[: len(r)], x[len(r) :]

    def solve(self, KKT: Array, b: Array) -> Array:
        """Solve with [M Gᵀ; G 0], pivots chosen without units."""
        d = self.dae.weights
        return np.asarray(d * _solve(d[:, None] * KKT * d, d * b))

    def rate(self, q: Array, v: Array) -> Array:
        """q̇ (n_q,) of a velocity: the derivative of q ⊕ ε v, which is a sine where q turns."""
        largest = float(np.abs(v / self.dae.sizes).max(initial=0.0))
        if largest == 0.0:
            return np.zeros_like(q)
        eps = 0.03 / largest
        out, end = np.zeros_like(q), np.empty_like(q)
        for k, weight in _CENTRAL:
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


class _Embedded:
    """Equations in q, independent velocities and work done."""

    def __init__(self, dae: Dae, q: Array, v: Array, t: float) -> None:
        self.dae, self.evaluation = dae, _Evaluation(dae)
        self.i: IntArray = choose_independent(self._jacobian(q, v, t))
        self.d: IntArray = np.setdiff1d(np.arange(dae.n_v), self.i)
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

    def look(self, q: Array, v: Array, t: float) -> tuple[float, bool]:
        """Condition κ_d of the dependent velocities, and whether others are better here."""
        G = self._jacobian(q, v, t)
        return dependence(G, self.i), better_independent(G, self.i) is not None

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
        v[self.d] = -s[self.d] * _solve(G[:, self.d], rate / rows)
        return v

    def _jacobian(self, q: Array, v: Array, t: float) -> Array:
        """G (m, n_v), rows and columns in their sizes."""
        n = self.dae.n_v
        return self.evaluation.at(t, q, v)[3][n:, :n] * self.dae.sizes / self.dae.row_sizes[:, None]


def _solve(A: Array, b: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(A, b), dtype=float)
    except np.linalg.LinAlgError:
        return np.full(b.shape, np.nan)
