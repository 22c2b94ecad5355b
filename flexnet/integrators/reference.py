"""A slow and accurate route: Runge-Kutta of order eight on the embedded equations.

The unknowns are the configuration and the independent velocities v_i; the others follow from Φ̇ = 0, the
accelerations from M v̇ + Gᵀλ = F and Φ̈ = 0 (DynaFlex eq. 18-27). After every step the configuration is put
back on Φ = 0. Other v_i are chosen where the rest follows badly from them (:mod:`flexnet.independent`);
how often, and how badly the rest followed at worst, is part of the status.

It shares nothing with the α-methods but the protocol, so that each can be held against the other.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.independent import better_independent, choose_independent, dependence
from flexnet.integrators.algebraic import solved
from flexnet.integrators.evaluation import Evaluation, solve
from flexnet.integrators.loop import ROW
from flexnet.integrators.method import Method, Traits, integrator
from flexnet.integrators.plain_events import accept, first_event, wait
from flexnet.integrators.plain_march import AbstractPlainMarch
from flexnet.integrators.rows import WORKS, Output
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import powers
from flexnet.integrators.status import Outcome
from flexnet.typing import Array, IntArray


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
        return Traits((8, 8, 8), 0, is_fixed=False, has_events=True, no_algebraic="")

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
        # how often other independent velocities were chosen; largest κ_d and when
        self.extra["choices"] = np.array([0.0, 1.0, dae.t])

    @property
    def told(self) -> str:
        """How the dependent velocities followed."""
        switched, kappa, t = self.extra["choices"]
        if not self.dae.m:
            return ""
        return (
            f"dependent velocities followed with a condition up to {kappa:.3g} (t = {t:.4g} s), others were"
            f" chosen {switched:.0f} times"
        )

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
                at = self._first_event(embedded, solver.t_old, solver.t, between)
                reached = solver.t if at > 1.0 else solver.t_old + at * (solver.t - solver.t_old)
                # a row at the time of an event shows what was before it
                last, written = reached + ROW * (reached - solver.t_old), row
                while row < rows and out.t[row] <= last:
                    y = solver.y if out.t[row] >= solver.t else between(min(out.t[row], reached))
                    q, v, work = embedded.unpack(float(out.t[row]), y)
                    self.write(out, row, float(out.t[row]), q, v, work)
                    out.solver[row] = solver.step_size, 0
                    row += 1
                if at <= 1.0:
                    is_later = row > written and out.t[row - 1] >= 2 * reached - last
                    outcome = self._stop_at(embedded, reached, between(reached), is_later)
                    self.pace[:] = solver.h_abs, reached
                    if outcome is not Outcome.DONE:
                        return self.end_row(out, row), outcome
                    break
                self.q[:], self.v[:], self.work[:] = embedded.unpack(solver.t, solver.y)
                accept(self.watch, solver.t, self.q, self.v)
                if dae.counting is not None:
                    dae.counting.update(dae.counting.model, float(solver.t), self.q)
                self.pace[:] = solver.h_abs, solver.t
                if self._is_worn(embedded):
                    break
                solver.y = embedded.pack(self.q, self.v, self.work)
                solver.f = embedded.rate(solver.t, solver.y)
        return row, Outcome.DONE

    def _first_event(self, embedded: "_Embedded", t: float, t1: float, between: Any) -> float:
        """Part of the last step at which an event fires; 2 where none does."""

        def state(x: float) -> tuple[Array, Array]:
            q, v, _ = embedded.unpack(t + x * (t1 - t), between(t + x * (t1 - t)))
            return q, v

        return first_event(self.watch, t, t1 - t, state)

    def _stop_at(self, embedded: "_Embedded", t: float, y: Array, is_later: bool) -> Outcome:
        """End the step where an event fired, and let it act, at once or later."""
        dae = self.dae
        self.q[:], self.v[:], self.work[:] = embedded.unpack(t, y)
        self.pace[1] = t
        if dae.counting is not None:
            dae.counting.update(dae.counting.model, t, self.q)
        accept(self.watch, t, self.q, self.v)
        if is_later:
            wait(self.watch)
            return Outcome.DONE
        return self.happen()

    def _is_worn(self, embedded: "_Embedded") -> bool:
        """Whether other independent velocities are better here; keeps what is told of them."""
        kappa, is_worn = embedded.look(self.q, self.v, self.t)
        choices = self.extra["choices"]
        if kappa > choices[1]:
            choices[1:] = kappa, self.t
        choices[0] += is_worn
        return is_worn


class _Embedded:
    """Equations in q, independent velocities and work done."""

    def __init__(self, dae: Dae, q: Array, v: Array, t: float) -> None:
        self.dae, self.evaluation = dae, Evaluation(dae)
        self.i: IntArray = choose_independent(self._jacobian(q, v, t))
        self.d: IntArray = np.setdiff1d(np.arange(dae.n_v), self.i)
        scale = dae.scale
        self.sizes = np.concatenate(
            [dae.q_sizes, dae.sizes[self.i] / scale.time, np.full(WORKS, scale.energy)]
        )

    def pack(self, q: Array, v: Array, work: Array) -> Array:
        """Unknowns of the solver."""
        return np.concatenate([q, v[self.i], work])

    def unpack(self, t: float, y: Array) -> tuple[Array, Array, Array]:
        """Configuration put on its constraints, all velocities, work."""
        q, v = self._split(y)
        q = self.evaluation.close(t, q, v)
        return q, self._complete(t, q, v), y[len(y) - WORKS :].copy()

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
        """Velocities on Φ̇ = 0, with the algebraic unknowns that fit them; nan where none do."""
        v = self._follow(t, q, v)
        if self.dae.is_algebraic.any():
            try:
                v = solved(self.dae, t, q, v)
            except FlexnetError:
                v = np.full_like(v, np.nan)  # the solver takes a smaller step
        return v

    def _follow(self, t: float, q: Array, v: Array) -> Array:
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
