"""Run a DAE through time with an energy scheme; the loop itself is compiled."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators import energy_loop as loop
from flexnet.integrators import energy_state as place
from flexnet.integrators.absent import NO_COUNTING, NO_SYMMETRY
from flexnet.integrators.alpha_state import Output, make_output
from flexnet.integrators.elimination import plan_elimination
from flexnet.integrators.energy import Energy
from flexnet.integrators.integrate import Settings, initial_acceleration, smallest_solution
from flexnet.integrators.status import Outcome, Status
from flexnet.kernels.compile import specialise
from flexnet.typing import Array

_MEMORY = (
    "vdot", "lam", "a", "a_old", "a_older", "lam_stage", "lam_old", "lam_older", "w", "momentum",
    "clock", "counts",
)  # fmt: skip


class EnergyIntegration:
    """A run by an energy scheme; see :class:`~flexnet.integrators.methods.March`.

    The velocity is put on its constraints before the first step; the energy that takes is the first entry
    of what the scheme did itself.
    """

    def __init__(self, dae: Dae, method: Energy, settings: Settings) -> None:
        if dae.energy is None:
            raise FlexnetError(f"{method.name} needs the energy of the equations; they do not give it")
        self.dae, self.method, self.settings = dae, method, settings
        self.schedule = settings.schedule(dae.t)
        find = dae.symmetry if method.momenta else None
        self.symmetry = find() if find is not None else NO_SYMMETRY
        self.state = place.make_state(dae.q, dae.v, dae.m, len(self.symmetry.twists))
        plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights)
        self._scratch = place.make_scratch(
            dae.sizes, dae.q_sizes, dae.row_sizes, dae.weights, plan, self.symmetry.twists
        )
        self._handle = place.handle(self.state, self._scratch)
        self.rows = 0
        self.status = Status(Outcome.DONE, dae.t)
        self._begin()

    @property
    def t(self) -> float:
        """Time reached, s."""
        return float(self.state.clock[place.T])

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        return self.schedule.total

    @property
    def memory(self) -> dict[str, Array]:
        """What the next step needs beside q and v; put back by :meth:`restore`.

        Φ of the present state, from which constraints do their work over the next step, is in the scratch.
        """
        kept = {name: np.asarray(getattr(self.state, name), dtype=float) for name in _MEMORY}
        return {**kept, "phi": self._scratch.phi0}

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows."""
        self.state.q[:], self.state.v[:] = q, v
        for name in _MEMORY:
            getattr(self.state, name)[:] = memory[name]
        self._scratch.phi0[:] = memory["phi"]
        self.rows = rows
        self._report(Outcome.DONE)

    def start(self) -> Output:
        """The start as one output row."""
        y = self.state
        row = (y.q, y.v, y.vdot, y.lam, y.clock[place.WORK : place.WORK + 5], np.zeros(2))
        return Output(np.array([self.dae.t]), *(x[None].copy() for x in row))

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
        dae, s = self.dae, self.settings
        out = make_output(rows, dae.n_q, dae.n_v, dae.m)
        out.t[:] = self.schedule.times(self.rows, rows)
        is_rest = s.tolerance is None and self.rows >= self.schedule.whole
        start, step, every, number = dae.t, s.step, s.every, self.rows * s.every
        if is_rest:
            start, number = self.t, 0
            step, every = self.schedule.rest(s.step)
        x, kept, counting = self._scratch, self.symmetry, dae.counting or NO_COUNTING
        examples = (
            (dae.residual, (dae.model, 0.0, x.q1, x.v1, x.a, x.lam, dae.work, x.r, x.phi)),
            (dae.matrices, (dae.model, dae.work, 0.0, 0.0, x.M, x.G)),
            (dae.compose, (dae.model, x.q1, x.dq, x.qp)),
            (dae.rates, (dae.model, x.v1, x.a, dae.work, x.rate, x.acceleration)),
            (dae.power, (dae.model, x.q1, x.v1, x.lam, dae.work, x.power)),
            (dae.energy, (dae.model, 0.0, x.q1, x.v1, dae.work, x.phi, x.rate, x.energy)),
            (counting.update, (counting.model, 0.0, x.q1)),
            (kept.momenta, (kept.model, 0.0, x.q1, x.v1, x.kept.six)),
            (kept.rates, (kept.model, 0.0, x.q1, x.v1, x.dq, x.kept.twists, x.kept.X, x.kept.Y, x.kept.Z)),
        )
        arguments = (
            dae.model, kept.model, counting.model, dae.work, self._handle, self._constants(start, step), out,
            number, every, np.zeros(4),
        )  # fmt: skip
        function: Callable[..., int] = loop.run_fixed if s.tolerance is None else loop.run_adaptive
        code = specialise(function, examples, arguments)(*(f for f, _ in examples), *arguments)
        written = code // 16
        if is_rest and written:
            # a sum of steps has round-off
            self.state.clock[place.T] = out.t[-1] = self.schedule.end
        self.rows += written
        self._report(Outcome(code % 16))
        return Output(*(array[:written] for array in out))

    def _constants(self, start: float, step: float) -> Array:
        s, e = self.settings, self.method
        span = max(s.end - self.dae.t, s.step)
        return np.array(
            [
                0.0 if e.stages == 1 else e.gamma, e.error_constant, float(e.control == "energy"),
                s.tolerance or 0.0, span, max(s.smallest, 1e-12 * span),
                step if s.tolerance is None else min(s.largest, span), start, float(self._is_stiff),
                s.newton, float(self.dae.loads_do_work), float(self.dae.counting is not None),
                1.0 / self.dae.scale.time,
            ]
        )  # fmt: skip

    def _report(self, outcome: Outcome) -> None:
        y = self.state
        failed = outcome is not Outcome.DONE
        self.status = Status(
            outcome,
            self.t,
            self.dae.equations[int(y.counts[place.WORST])] if failed and self.dae.equations else "",
            float(y.clock[place.RESIDUAL]) if failed else 0.0,
            int(y.counts[place.STEPS]),
            int(y.counts[place.ITERATIONS]),
            int(y.counts[place.FACTORISATIONS]),
            int(y.counts[place.REJECTED]),
        )

    def _begin(self) -> None:
        """Velocity on its constraints, the energy to keep, v̇ and λ for the first row and prediction."""
        dae, y, s = self.dae, self.state, self.settings
        assert dae.energy is not None
        n, m = dae.n_v, dae.m
        phi, rate, energy, r = np.zeros(m), np.zeros(m), np.zeros(3), np.zeros(n)
        dae.energy(dae.model, dae.t, y.q, y.v, dae.work, phi, rate, energy)
        given = energy.sum()
        dae.residual(dae.model, dae.t, y.q, y.v, np.zeros(n), np.zeros(m), dae.work, r, phi)
        M, G, stiff = np.zeros((n, n)), np.zeros((m, n)), np.zeros((n, n))
        dae.matrices(dae.model, dae.work, 1.0, 1.0, stiff, G)
        dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
        self._is_stiff = not np.array_equal(M, stiff)
        if m:
            A = np.zeros((n + m, n + m))
            A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
            y.v[:] += smallest_solution(dae, A, np.concatenate([np.zeros(n), -rate]))[:n]
        dae.energy(dae.model, dae.t, y.q, y.v, dae.work, phi, rate, energy)
        if len(y.momentum):
            six, kept = np.zeros(6), self.symmetry
            kept.momenta(kept.model, dae.t, y.q, y.v, six)
            y.momentum[:] = kept.twists @ six
        vdot, lam = initial_acceleration(dae, dae.t, y.q, y.v)
        y.vdot[:] = y.a[:] = y.a_old[:] = vdot
        y.lam[:] = y.lam_stage[:] = lam
        c = y.clock
        c[place.T] = c[place.STAGE] = c[place.STAGE_OLD] = dae.t
        c[place.TARGET], c[place.PEAK], c[place.GRIP] = energy.sum(), energy[0], np.inf
        c[place.WORK + 4] = energy.sum() - given
        # a mechanism at rest moves as its constraints close what the start left open
        placed = max(1.0, np.abs(y.q / dae.q_sizes).max())
        open_by = max(np.abs(phi / dae.row_sizes).max(initial=0.0), 1e-15 * placed)
        c[place.REST] = 0.5 * (np.diag(M) @ dae.sizes**2) * (4.0 * open_by / s.step) ** 2
        c[place.H] = c[place.H_OLD] = s.step
        c[place.RATE] = c[place.CLOSING_RATE] = c[place.SLOPE] = 1.0
        if s.tolerance is not None:
            c[place.H] = min(s.step, s.largest, max(s.end - dae.t, 1e-300))
